"""Whether a result can be written where it is to go, and may be."""

from __future__ import annotations

import os
from pathlib import Path

from mercer.cli.choices import STANDARD
from mercer.cli.errors import InputError
from mercer.io import read_metadata

__all__ = ["check_destination", "check_model_destination", "check_table_destination"]


def check_destination(path: Path, *inputs: Path, option: str = "--out") -> None:
    """Raise InputError if `path` cannot be written, or is one of the files that are read."""
    if path == STANDARD:
        raise InputError(f"{option} must be the name of a file, got -")
    if path.is_dir():
        raise InputError(f"{option}: {path} is a directory")
    if not path.parent.is_dir():
        raise InputError(f"{option}: there is no directory {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"{option}: the directory {path.parent} cannot be written to")
    for file in inputs:
        if file.exists() and path.exists() and path.samefile(file):
            raise InputError(f"{option}: {path} is a file to read")


def check_model_destination(path: Path, force: bool, *inputs: Path) -> None:
    """The same for a model, which replaces only another model, and only with `force`."""
    check_destination(path, *inputs)
    if not path.exists():
        return
    if not _is_model(path):
        raise InputError(f"--out: {path} exists and is not a model; it is left alone")
    if not force:
        raise InputError(
            f"the model {path} exists; replace it with --force, or give another name with --out"
        )


def check_table_destination(path: Path, force: bool, *inputs: Path) -> None:
    """The same for a table, which replaces no model, and other files only by `force`."""
    check_destination(path, *inputs)
    if not path.exists() or _is_stream(path):
        return
    if _is_model(path):
        raise InputError(f"--out: {path} is a model; it is left alone")
    if not force:
        raise InputError(f"the file {path} exists; replace it with --force, or give another name")


def _is_stream(path: Path) -> bool:
    """Whether the path is a device or a pipe, which holds nothing."""
    return not path.is_file()


def _is_model(path: Path) -> bool:
    try:
        read_metadata(path)
    except ValueError:
        return False
    return True
