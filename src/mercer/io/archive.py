"""The container of a model file: a zip of one JSON document and plain arrays.

Entries are stored, not compressed, so a file can never unpack to more than its own size.
Nothing in it is ever executed: arrays are read from their bytes, never unpickled.
"""

from __future__ import annotations

import io
import json
import os
import secrets
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

__all__ = ["read_archive", "read_document", "replaced", "write_archive"]

FORMAT = "mercer-model"
VERSION = 1
DOCUMENT = "model.json"
PLAIN_KINDS = "biufcSU"  # booleans, numbers and fixed-width strings: no Python objects

# Equal models give equal files: no entry carries the time it was written at.
ENTRY_DATE = (1980, 1, 1, 0, 0, 0)


def write_archive(path: Path, document: dict[str, Any], arrays: list[NDArray[Any]]) -> None:
    """Write the document and the arrays, replacing `path` only when all is written."""
    text = json.dumps({"format": FORMAT, "version": VERSION} | document, allow_nan=False, indent=1)
    with replaced(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo(DOCUMENT, ENTRY_DATE), text)
        for position, array in enumerate(arrays):
            entry = zipfile.ZipInfo(_entry(position), ENTRY_DATE)
            with archive.open(entry, "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, array, version=(1, 0), allow_pickle=False)


@contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """Give a file to write that takes the place of `path` at once, if all goes well.

    Readers see the old file or the whole new one.
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.tmp")
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def read_archive(path: Path) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Return the document and the arrays; ValueError if anything is not as it should be."""
    with _opened(path) as archive:
        document = _document(archive)
        count = sum(name.startswith("arrays/") for name in archive.namelist())
        return document, [_array(archive.read(_entry(k)), _entry(k)) for k in range(count)]


def read_document(path: Path) -> dict[str, Any]:
    """Return the document alone."""
    with _opened(path) as archive:
        return _document(archive)


def _entry(position: int) -> str:
    return f"arrays/{position}.npy"


class _opened:
    """A zip file whose faults are ValueErrors that name the file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> zipfile.ZipFile:
        self.file = open(self.path, "rb")
        try:
            self.archive = zipfile.ZipFile(self.file)
            _check_entries(self.archive, os.fstat(self.file.fileno()).st_size)
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
            self.file.close()
            raise ValueError(f"{self.path} is not a mercer model file: {error}") from error
        return self.archive

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self.file.close()
        faults = (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            KeyError,
            ValueError,
            NotImplementedError,
            RecursionError,
            RuntimeError,
        )
        if isinstance(error, faults):
            raise ValueError(f"{self.path} is not a readable mercer model file: {error}") from error


def _check_entries(archive: zipfile.ZipFile, file_size: int) -> None:
    names = archive.namelist()
    if DOCUMENT not in names:
        raise ValueError(f"it has no {DOCUMENT}")
    arrays = {_entry(position) for position in range(len(names) - 1)}
    if set(names) != arrays | {DOCUMENT} or len(set(names)) != len(names):
        raise ValueError(f"it must hold {DOCUMENT} and arrays/0.npy, arrays/1.npy, ... only")
    for entry in archive.infolist():
        if entry.compress_type != zipfile.ZIP_STORED:
            raise ValueError(f"entry {entry.filename} is compressed, entries must be stored")
    if sum(entry.file_size for entry in archive.infolist()) > file_size:
        raise ValueError("its entries claim more bytes than the file has")


def _document(archive: zipfile.ZipFile) -> dict[str, Any]:
    document = json.loads(archive.read(DOCUMENT).decode("utf-8"))
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"{DOCUMENT} must have format {FORMAT!r}")
    if document.get("version") != VERSION:
        raise ValueError(
            f"its format version is {document.get('version')!r}, this mercer reads {VERSION}; "
            "a newer mercer may read it"
        )
    return document


def _array(content: bytes, name: str) -> NDArray[Any]:
    """The array in the bytes of a .npy entry; its header must account for every byte."""
    stream = io.BytesIO(content)
    major, minor = np.lib.format.read_magic(stream)
    if (major, minor) == (1, 0):
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    else:
        raise ValueError(f"{name} has the unknown .npy version {major}.{minor}")
    if dtype.kind not in PLAIN_KINDS or dtype.hasobject or dtype.fields is not None:
        raise ValueError(f"{name} holds {dtype}, arrays must hold numbers or strings")
    size = dtype.itemsize * int(np.prod([int(n) for n in shape], dtype=object))
    if any(n < 0 for n in shape) or size != len(content) - stream.tell():
        raise ValueError(f"{name} has shape {shape} but {len(content) - stream.tell()} bytes")
    flat = np.frombuffer(content, dtype=dtype, offset=stream.tell()) if size else np.empty(0, dtype)
    return flat.reshape(shape, order="F" if fortran else "C").copy(order="K")
