"""Large arrays of a model file used where they lie, and files of other minor versions."""

from __future__ import annotations

import json
import pickle
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from io_cases import assert_same_outputs
from sklearn.base import clone

from mercer import LSSVR, SVC, OnlineSVC
from mercer.io import archive, load, read_metadata, save

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(1200, 12))
LABELS = RNG.integers(0, 2, 1200)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "m.mercer"
    save(SVC().fit(ROWS, LABELS), path)
    return path


def starts(path: Path) -> list[int]:
    """Where the content of each array begins."""
    content = path.read_bytes()
    with zipfile.ZipFile(path) as file:
        places = [e.header_offset for e in file.infolist() if e.filename.startswith("arrays/")]
    return [at + 30 + sum(struct.unpack("<HH", content[at + 26 : at + 30])) for at in places]


def is_mapped(array: np.ndarray[Any, Any]) -> bool:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return isinstance(array.base, memoryview)


def test_arrays_begin_where_vectors_may(model: Path) -> None:
    assert all(start % archive.ALIGNMENT == 0 for start in starts(model))


def test_mapped_machines_are_the_same_to_the_last_bit(model: Path) -> None:
    mapped = load(model, mmap=True)
    assert is_mapped(mapped.support_vectors_)
    assert not is_mapped(load(model).support_vectors_)
    assert_same_outputs(load(model), mapped, ROWS)
    assert_same_outputs(mapped, pickle.loads(pickle.dumps(mapped)), ROWS)


@pytest.mark.parametrize("machine", [SVC(), LSSVR(), OnlineSVC()], ids=lambda m: type(m).__name__)
def test_a_mapped_machine_goes_on_and_leaves_its_file_alone(machine: Any, tmp_path: Path) -> None:
    path = tmp_path / "m.mercer"
    save(clone(machine).fit(ROWS, LABELS), path)
    before = path.read_bytes()
    mapped = load(path, mmap=True)
    again = load(path)
    for each in (mapped, again):
        getattr(each, "partial_fit", each.fit)(ROWS[:50] + 0.1, LABELS[:50])
    assert_same_outputs(again, mapped, ROWS[:20])
    assert path.read_bytes() == before


def test_a_small_model_is_copied(tmp_path: Path) -> None:
    save(SVC().fit(ROWS[:20], LABELS[:20]), tmp_path / "m")
    assert not is_mapped(load(tmp_path / "m", mmap=True).support_vectors_)


def test_a_mapped_header_that_points_elsewhere_is_refused(model: Path, tmp_path: Path) -> None:
    content = bytearray(model.read_bytes())
    with zipfile.ZipFile(model) as file:
        entry = max(file.infolist(), key=lambda e: e.file_size)
    for place, value in ((0, b"X"), (28, b"\xff\xff"), (30, b"b")):
        damaged = bytearray(content)
        at = entry.header_offset + place
        damaged[at : at + len(value)] = value
        (tmp_path / "m").write_bytes(damaged)
        with pytest.raises(ValueError, match="is not a readable mercer model file"):
            load(tmp_path / "m", mmap=True)


@pytest.mark.parametrize("minor", [None, 0, 99])
def test_files_of_other_minor_versions_are_read(
    minor: int | None, model: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(model) as file:
        content = {name: file.read(name) for name in file.namelist()}
    document = json.loads(content["model.json"])
    del document["minor_version"]
    if minor is not None:
        document |= {"minor_version": minor, "an_entry_of_tomorrow": [1, {"type": "unknown"}]}
    content["model.json"] = json.dumps(document).encode()
    with zipfile.ZipFile(tmp_path / "m", "w") as file:
        for name, text in content.items():
            file.writestr(name, text)
    assert_same_outputs(load(model), load(tmp_path / "m", mmap=True), ROWS)
    assert read_metadata(tmp_path / "m") == read_metadata(model)
