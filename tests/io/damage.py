"""Model files that are damaged in many ways, and what may happen when one is opened."""

from __future__ import annotations

import copy
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from mercer.io import load, read_metadata

Rng = np.random.Generator

HOSTILE: list[Any] = [
    None, True, 0, -1, 1, 10**9, 10**18, 2**63, -(2**63), 0.5, -1e300, "", "x", "precomputed",
    [], {}, [[]], {"type": "float", "value": "nan"}, {"type": "float", "value": "inf"},
    {"type": "tuple", "items": [10**12, 10**12]}, {"type": "dtype", "name": "float64,int8"},
    {"type": "slice", "items": [None, 10**18, 0]}, {"type": "dict", "items": [[[], 1]]},
    {"type": "objects", "shape": [10**12], "items": []},
    {"type": "object", "class": "Pipeline", "state": {"steps": [], "memory": "folder"}},
    {"type": "object", "class": "Gaussian", "state": {"gamma": -1.0}},
    {"type": "object", "class": "Precomputed", "state": {}},
    {"type": "object", "class": "Linear", "state": {}},
]  # fmt: skip


def truncated(content: bytes, count: int, rng: Rng) -> Iterator[bytes]:
    for length in rng.integers(0, len(content), count).tolist():
        yield content[:length]


def flipped(content: bytes, count: int, rng: Rng) -> Iterator[bytes]:
    """One to three bytes changed anywhere."""
    for _ in range(count):
        damaged = bytearray(content)
        for place in rng.integers(0, len(content), rng.integers(1, 4)).tolist():
            damaged[place] ^= int(rng.integers(1, 256))
        yield bytes(damaged)


def resealed(content: bytes, count: int, rng: Rng) -> Iterator[bytes]:
    """Bytes changed inside an entry, whose checksum is made to agree."""
    entries = unpacked(content)
    names = sorted(entries)
    for _ in range(count):
        name = names[int(rng.integers(len(names)))]
        damaged = next(flipped(entries[name], 1, rng))
        yield packed(entries | {name: damaged})


def altered(content: bytes, count: int, rng: Rng) -> Iterator[bytes]:
    """An array with a number that is out of place, of another length or of another type."""
    entries = unpacked(content)
    names = sorted(name for name in entries if name.startswith("arrays/"))
    for _ in range(count):
        name = names[int(rng.integers(len(names)))]
        array = np.load(io.BytesIO(entries[name]))
        buffer = io.BytesIO()
        np.lib.format.write_array(buffer, _altered(array, rng), version=(1, 0))
        yield packed(entries | {name: buffer.getvalue()})


def _altered(array: np.ndarray, rng: Rng) -> np.ndarray:
    choice, is_number = rng.random(), array.dtype.kind in "if"
    if choice < 0.1:
        return array.astype(rng.choice(["f8", "f4", "i8", "i1", "U3"]) if is_number else "U3")
    if choice < 0.2:
        return np.resize(array, (*array.shape[:-1], max(array.size + rng.choice([-1, 1]), 0)))
    changed = array.copy()
    if array.size and is_number:
        wrong = [-1.0, 0.0, 1.0, 2.0, 127.0, array.size]
        wrong += [np.nan, np.inf, -1e300, 1e-300] if array.dtype.kind == "f" else [-128.0]
        changed.flat[int(rng.integers(array.size))] = np.array(rng.choice(wrong), array.dtype)
    return changed


def crafted(content: bytes, count: int, rng: Rng) -> Iterator[bytes]:
    """Parts of the document replaced by hostile ones or by each other, or left out."""
    entries = unpacked(content)
    document = json.loads(entries["model.json"])
    for _ in range(count):
        changed = copy.deepcopy(document)
        for _ in range(rng.integers(1, 3)):
            places = list(_places(changed["model"]))
            parent, key = places[int(rng.integers(len(places)))]
            other, other_key = places[int(rng.integers(len(places)))]
            choice = rng.random()
            if choice < 0.7:
                parent[key] = copy.deepcopy(HOSTILE[int(rng.integers(len(HOSTILE)))])
            elif choice < 0.9:
                parent[key] = copy.deepcopy(other[other_key])
            else:
                del parent[key]
        yield packed(entries | {"model.json": json.dumps(changed).encode()})


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    keys = list(tree) if isinstance(tree, dict) else range(len(tree))
    for key in keys:
        yield tree, key
        if isinstance(tree[key], dict | list):
            yield from _places(tree[key])


def unpacked(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(entries: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, value in entries.items():
            archive.writestr(name, value)
    return buffer.getvalue()


def _predicted(model: Any, rows: Any) -> Any:
    return model.predict(rows)


def opened(
    content: bytes, path: Path, rows: Any, use: Callable[[Any, Any], Any] = _predicted
) -> str:
    """Open a file and use it: "refused", or "loaded". Anything but a ValueError comes out.

    Of preprocessing that is not scikit-learn's any more, scikit-learn may say anything.
    """
    path.write_bytes(content)
    try:
        read_metadata(path)
        model = load(path)
    except ValueError:
        return "refused"
    try:
        use(model, rows)
    except (TypeError, AttributeError, LookupError):
        assert isinstance(model, Pipeline)
        return "refused"
    except ValueError:
        return "refused"
    return "loaded"
