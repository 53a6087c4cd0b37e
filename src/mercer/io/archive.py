"""The container of a model file: a zip of one JSON document and plain arrays.

Entries are stored, not compressed, so a file can never unpack to more than its own size.
Nothing in it is ever executed: arrays are read from their bytes, never unpickled. Arrays begin at
multiples of 64 bytes, so that large ones can be used where they lie in a mapped file.
"""

from __future__ import annotations

import json
import math
import mmap as memory_map
import os
import secrets
import struct
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from numpy.typing import NDArray

from mercer.io.npy import array_at, array_of, write_array
from mercer.io.opening import open_regular

__all__ = [
    "LEAST",
    "MOST",
    "parse_json",
    "read_archive",
    "read_document",
    "replaced",
    "write_archive",
]

FORMAT = "mercer-model"
# Files of another version cannot be read. A file of a newer minor version can: it may have entries
# in its document that are not asked for, and name classes that are not known.
VERSION, MINOR_VERSION = 1, 1
DOCUMENT = "model.json"
# Integers lie between these: longer ones can be chosen to collide in a dictionary by thousands.
LEAST, MOST = -(2**63), 2**64 - 1

# Entries of a file: more than any model has, and few enough to list.
MOST_ENTRIES = 2**20

# Arrays of at least so many bytes are left in a mapped file.
LARGE = 2**16
# Where the bytes of an entry begin: a multiple of this, by a field of zeros in its header. The
# header has 30 bytes, the name and the fields, among them one for lengths of 64 bits.
ALIGNMENT = 64
HEADER_BYTES, LENGTHS_BYTES = 30, 20
PADDING = 0xD935  # the kind of field that other tools align entries by

# Equal models give equal files: no entry carries the time it was written at.
ENTRY_DATE = (1980, 1, 1, 0, 0, 0)


def write_archive(path: Path, document: dict[str, Any], arrays: list[NDArray[Any]]) -> None:
    """Write the document and the arrays, replacing `path` only when all is written."""
    known = {"format": FORMAT, "version": VERSION, "minor_version": MINOR_VERSION}
    text = json.dumps(known | document, allow_nan=False, indent=1)
    with replaced(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo(DOCUMENT, ENTRY_DATE), text)
        for position, array in enumerate(arrays):
            entry = zipfile.ZipInfo(_entry(position), ENTRY_DATE)
            entry.extra = _padding(file.tell(), entry.filename)
            with archive.open(entry, "w", force_zip64=True) as stream:
                write_array(stream, array)


def _padding(place: int, name: str) -> bytes:
    """The field that makes the content of an entry written at `place` begin where it should."""
    start = place + HEADER_BYTES + len(name) + LENGTHS_BYTES + 4
    return struct.pack("<HH", PADDING, -start % ALIGNMENT) + bytes(-start % ALIGNMENT)


@contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """Give a file to write that takes the place of `path` at once, if all goes well.

    Readers see the old file or the whole new one.
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(6)}.tmp")
    try:
        with _opened_new(temporary, path) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def _opened_new(temporary: Path, path: Path) -> BinaryIO:
    """The file beside the one asked for; an error names the folder, which users know."""
    try:
        return open(temporary, "xb")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(Path(path).parent)) from None


def read_archive(path: Path, mmap: bool = False) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    """Return the document and the arrays; ValueError if anything is not as it should be.

    With `mmap` large arrays are parts of the mapped file, and their checksums are not compared.
    """
    with _opened(path) as archive:
        document = _document(archive)
        names = [_entry(k) for k in range(len(archive.namelist()) - 1)]
        mapped = _mapped(archive) if mmap else None
        return document, [_array(archive, name, mapped) for name in names]


def _array(archive: zipfile.ZipFile, name: str, mapped: memoryview | None) -> NDArray[Any]:
    if mapped is None or archive.getinfo(name).file_size < LARGE:
        return array_of(archive.read(name), name)
    start = _content(archive.getinfo(name), mapped)
    return array_at(mapped[start : start + archive.getinfo(name).file_size], name)


def _mapped(archive: zipfile.ZipFile) -> memoryview:
    """The bytes of the file; what is written to them stays in this process."""
    assert archive.fp is not None
    return memoryview(memory_map.mmap(archive.fp.fileno(), 0, access=memory_map.ACCESS_COPY))


def _content(entry: zipfile.ZipInfo, mapped: memoryview) -> int:
    """Where the content of an entry begins, after its header, its name and its fields."""
    header = mapped[entry.header_offset : entry.header_offset + HEADER_BYTES]
    if header[:4] != b"PK\3\4":
        raise ValueError(f"{entry.filename} has no header")
    start = entry.header_offset + HEADER_BYTES + sum(struct.unpack("<HH", header[26:30]))
    name = mapped[entry.header_offset + HEADER_BYTES :][: len(entry.filename)]
    if name != entry.filename.encode() or start + entry.file_size > len(mapped):
        raise ValueError(f"{entry.filename} is not where the file says")
    return start


def read_document(path: Path) -> dict[str, Any]:
    """Return the document alone."""
    with _opened(path) as archive:
        return _document(archive)


def _entry(position: int) -> str:
    return f"arrays/{position}.npy"


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """A zip file whose faults are ValueErrors that name the file."""
    with open_regular(path) as file:
        try:
            archive = zipfile.ZipFile(file)
            _check_entries(archive, os.fstat(file.fileno()).st_size)
        except Exception as error:
            raise ValueError(f"{path} is not a mercer model file: {_reason(error)}") from error
        try:
            yield archive
        except Exception as error:
            # Damaged bytes reach many parts of zipfile and json, each with errors of its own.
            raise ValueError(
                f"{path} is not a readable mercer model file: {_reason(error)}"
            ) from error


def _reason(error: Exception) -> str:
    is_plain = isinstance(error, ValueError | zipfile.BadZipFile)
    return str(error) if is_plain else f"{type(error).__name__}: {error}"


def _check_entries(archive: zipfile.ZipFile, file_size: int) -> None:
    names = archive.namelist()
    if len(names) > MOST_ENTRIES:
        raise ValueError(f"it has {len(names)} entries, at most {MOST_ENTRIES} are read")
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


def parse_json(text: str) -> Any:
    """Return the values of a JSON text; ValueError for numbers that are endless or not finite."""
    return json.loads(text, parse_int=_integer, parse_float=_finite, parse_constant=_finite)


def _integer(digits: str) -> int:
    value = int(digits)
    if not LEAST <= value <= MOST:
        raise ValueError(f"the integer {digits:.30} has more than 64 bits")
    return value


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"the number {digits:.30} is not finite")
    return value


def _document(archive: zipfile.ZipFile) -> dict[str, Any]:
    document = parse_json(archive.read(DOCUMENT).decode("utf-8"))
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"{DOCUMENT} must have format {FORMAT!r}")
    if document.get("version") != VERSION:
        raise ValueError(
            f"its format version is {document.get('version')!r}, this mercer reads {VERSION}; "
            "a newer mercer may read it"
        )
    return document
