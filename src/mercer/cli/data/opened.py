"""The content of a data file or of standard input, decompressed, and what kind of file it is."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from mercer.cli.choices import STANDARD
from mercer.cli.errors import InputError, quoted

__all__ = ["Content", "opened", "source_name"]

COMPRESSED = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}
# how the files begin that tell what they are
MAGIC = {
    b"\x1f\x8b": ".gz",
    b"BZh": ".bz2",
    b"\xfd7zXZ": ".xz",
    b"PAR1": ".parquet",
    b"ARROW1": ".arrow",
    b"\xff\xff\xff\xff": ".arrow",
    b"\x93NUMPY": ".npy",
}


@dataclass(frozen=True)
class Content:
    """The bytes of a table, the name for messages, and the suffix that tells the format."""

    name: str
    suffix: str
    data: bytes


def source_name(path: Path) -> str:
    """Return what to call a file that is read."""
    return "standard input" if path == STANDARD else path.name


def opened(path: Path, known: tuple[str, ...]) -> Content:
    """Return what a file holds; InputError if it cannot be a table."""
    if path == STANDARD:
        data = sys.stdin.buffer.read()
        if not data:
            raise InputError("standard input is empty")
        return _decompressed(Content("standard input", _suffix_inside(data), data), known)
    if path.is_dir():
        raise InputError(f"{path} is a directory, not a file")
    suffix = path.suffix.lower()
    if suffix not in known and suffix not in (*COMPRESSED, ".zip"):
        raise InputError(f"{path}: the file type must be one of {', '.join(known)}, or such a "
                         f"file compressed by {', '.join([*COMPRESSED, '.zip'])}")  # fmt: skip
    _check_file(path)
    return _decompressed(Content(str(path), suffix, path.read_bytes()), known)


def _check_file(path: Path) -> None:
    if not path.exists():
        raise InputError(f"{path}: no such file")
    if not path.is_file():
        raise InputError(f"{path} is a device or a pipe; it must be a file, or - for a pipe")
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty")


def _decompressed(content: Content, known: tuple[str, ...]) -> Content:
    if content.suffix == ".zip":
        return _only_member(content, known)
    if content.suffix not in COMPRESSED:
        return content
    try:
        data = COMPRESSED[content.suffix](content.data)
    except (OSError, EOFError, lzma.LZMAError, zlib.error, ValueError) as error:
        raise InputError(
            f"{content.name} is not a readable {content.suffix} file: {error}"
        ) from None
    if not data:
        raise InputError(f"{content.name} is empty")
    inner = Path(content.name).with_suffix("").suffix.lower()
    return Content(content.name, inner if inner in known else _suffix_inside(data), data)


def _only_member(content: Content, known: tuple[str, ...]) -> Content:
    """The one table in a zip archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(content.data)) as archive:
            names = [name for name in archive.namelist() if _is_table(name, known)]
            if len(names) != 1:
                raise InputError(
                    f"{content.name} must hold one table, it holds {quoted(archive.namelist())}"
                )
            data = archive.read(names[0])
    except (zipfile.BadZipFile, RuntimeError, zlib.error) as error:
        raise InputError(f"{content.name} is not a readable .zip file: {error}") from None
    return Content(content.name, Path(names[0]).suffix.lower(), data)


def _is_table(name: str, known: tuple[str, ...]) -> bool:
    return Path(name).suffix.lower() in known and not name.startswith("__MACOSX")


def _suffix_inside(data: bytes) -> str:
    """The suffix a file would have; text that is no ARFF is told apart later."""
    for magic, suffix in MAGIC.items():
        if data.startswith(magic):
            return suffix
    if data.startswith(b"PK"):
        names = zipfile.ZipFile(io.BytesIO(data)).namelist()
        if "xl/workbook.xml" in names:
            return ".xlsx"
        return ".npz" if all(name.endswith(".npy") for name in names) else ".zip"
    is_arff = b"@relation" in data[:65536].lower() and b"@data" in data[:1_000_000].lower()
    return ".arff" if is_arff else ".txt"
