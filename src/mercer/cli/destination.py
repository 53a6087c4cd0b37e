"""Whether a result can be written where it is to go, and may be."""

from __future__ import annotations

import os
from pathlib import Path

from mercer.cli.errors import InputError
from mercer.io import read_metadata

__all__ = ["check_destination", "check_model_destination"]


def check_destination(path: Path, *inputs: Path, option: str = "--out") -> None:
    """Raise InputError if `path` cannot be written, or is one of the files that are read."""
    if path.is_dir():
        raise InputError(f"{option}: {path} is a directory")
    if not path.parent.is_dir():
        raise InputError(f"{option}: there is no directory {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise InputError(f"{option}: the directory {path.parent} cannot be written to")
    for file in inputs:
        if file.exists() and path.exists() and path.samefile(file):
            raise InputError(f"{option}: {path} is a file to read")


def check_model_destination(path: Path, *inputs: Path) -> None:
    """The same for a model, which replaces nothing but a model."""
    check_destination(path, *inputs)
    if not path.exists():
        return
    try:
        read_metadata(path)
    except ValueError:
        raise InputError(f"--out: {path} exists and is not a model; it is left alone") from None
