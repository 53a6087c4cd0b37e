"""Opening files that come from elsewhere."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

__all__ = ["open_regular"]


@contextmanager
def open_regular(path: Path) -> Iterator[BinaryIO]:
    """Open a file to read; ValueError if it is a device or a pipe, which may never end.

    What cannot be opened is an OSError, as for :func:`open`.
    """
    # Asked before it is opened, for opening a pipe waits, and after, for a link may be changed.
    _check_regular(os.stat(path), path)
    with open(path, "rb") as file:
        _check_regular(os.fstat(file.fileno()), path)
        yield file


def _check_regular(status: os.stat_result, path: Path) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(status.st_mode):
        raise ValueError(f"{path} is a device or a pipe; it must be a file")
