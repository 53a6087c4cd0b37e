"""Arrays as NumPy's .npy entries of version 1.0, read strictly."""

from __future__ import annotations

import math
import re
import sys
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["PLAIN_KINDS", "array_at", "array_of", "write_array"]

PLAIN_KINDS = "biufcSUmM"  # booleans, numbers, fixed-width strings and times: no Python objects

MAGIC = b"\x93NUMPY\x01\x00"
# What NumPy writes, and nothing else that its own reader would evaluate.
HEADER = re.compile(
    rb"\{'descr': '([<>|=](?:[biufcSU][0-9]{1,9}|"
    rb"[mM]8\[[0-9]{0,9}(?:Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\]))', 'fortran_order': (True|False), "
    rb"'shape': \((?:([0-9]{1,20}(?:, [0-9]{1,20}){0,7}),?)?\), \} *\n"
)


def write_array(stream: IO[bytes], array: NDArray[Any]) -> None:
    """Write an array that holds no Python objects."""
    np.lib.format.write_array(stream, array, version=(1, 0), allow_pickle=False)


def array_of(content: bytes | memoryview, name: str) -> NDArray[Any]:
    """Return the array in the bytes of an entry; its header must account for every byte.

    Nothing is allocated before that is known: an array takes no more than its entry.
    """
    array = _view(content, name)
    # A copy of its own, in the order of bytes that compiled code reads.
    return array.astype(array.dtype.newbyteorder("="), order="K", copy=True)


def array_at(content: memoryview, name: str) -> NDArray[Any]:
    """As :func:`array_of`, but numbers that compiled code can read where they lie stay there."""
    array = _view(content, name)
    if array.dtype.kind in "iuf" and array.dtype.isnative and array.flags.aligned:
        return array
    return array_of(content, name)


def _view(content: bytes | memoryview, name: str) -> NDArray[Any]:
    """The array as it lies in the bytes of an entry."""
    if content[: len(MAGIC)] != MAGIC or len(content) < len(MAGIC) + 2:
        raise ValueError(f"{name} is not a .npy entry of version 1.0")
    start = len(MAGIC) + 2
    end = start + int.from_bytes(content[len(MAGIC) : start], "little")
    written = bytes(content[start:end])
    header = HEADER.fullmatch(written)
    if header is None:
        raise ValueError(
            f"{name} must hold numbers or strings, its header is {written.strip()!r:.99}"
        )
    dtype = np.dtype(header[1].decode())
    shape = tuple(int(length) for length in header[3].split(b", ")) if header[3] else ()
    n_bytes = len(content) - end
    if dtype.itemsize * math.prod(shape) != n_bytes:
        raise ValueError(f"{name} has shape {shape} of {dtype} but {n_bytes} bytes")
    flat = np.frombuffer(content, dtype, offset=end) if n_bytes else np.empty(0, dtype)
    _check_cells(flat, name)
    return flat.reshape(shape, order="F" if header[2] == b"True" else "C")


def _check_cells(flat: NDArray[Any], name: str) -> None:
    """Bytes that no boolean and no character has would spoil what is computed from them."""
    if flat.dtype.kind == "b" and flat.view(np.uint8).max(initial=0) > 1:
        raise ValueError(f"{name} holds bytes that are not booleans")
    if flat.dtype.kind == "U" and flat.size:
        codes = flat.view(np.dtype(np.uint32).newbyteorder(flat.dtype.byteorder))
        if codes.max() > sys.maxunicode:
            raise ValueError(f"{name} holds numbers that are not characters")
