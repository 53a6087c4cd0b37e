"""Reading tables that are no text: Parquet, Arrow, Excel, NumPy's arrays."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mercer.cli.data.opened import Content
from mercer.cli.errors import InputError, quoted

__all__ = ["BINARY", "read_binary"]

ROWS = ("X", "x", "data", "rows")
TARGETS = ("y", "Y", "target", "targets", "label", "labels")


def read_binary(content: Content, notes: list[str]) -> pd.DataFrame:
    """Return the table; what is wrong with it is an InputError."""
    kind, read = BINARY[content.suffix]
    try:
        return read(content, notes)
    except InputError:
        raise
    except ImportError:
        raise InputError(
            f"{content.name}: Excel files need openpyxl: pip install 'mercer[cli]'"
        ) from None
    except Exception as error:
        # the libraries raise classes of their own for what is wrong with a file
        raise InputError(f"{content.name} is not a readable {kind} file: {error}") from None


def _parquet(content: Content, notes: list[str]) -> pd.DataFrame:
    return pd.read_parquet(io.BytesIO(content.data))


def _arrow(content: Content, notes: list[str]) -> pd.DataFrame:
    import pyarrow as pa

    opened = pa.ipc.open_file if content.data.startswith(b"ARROW1") else pa.ipc.open_stream
    return opened(pa.BufferReader(content.data)).read_all().to_pandas()


def _excel(content: Content, notes: list[str]) -> pd.DataFrame:
    with pd.ExcelFile(io.BytesIO(content.data), engine="openpyxl") as book:
        names = [str(name) for name in book.sheet_names]
        if len(names) > 1:
            notes.append(f"the first of {len(names)} sheets, {names[0]!r}, was read")
        return pd.read_excel(book, sheet_name=0)


def _npy(content: Content, notes: list[str]) -> pd.DataFrame:
    array = np.load(io.BytesIO(content.data), allow_pickle=False)
    if array.dtype.names:
        return pd.DataFrame.from_records(array)
    return _numbered(array, content.name)


def _npz(content: Content, notes: list[str]) -> pd.DataFrame:
    with np.load(io.BytesIO(content.data), allow_pickle=False) as archive:
        rows = next((name for name in ROWS if name in archive), None)
        if rows is None:
            raise InputError(
                f"{content.name} must hold an array X of rows and one y of targets, "
                f"it holds {quoted(archive.files)}"
            )
        frame = _numbered(archive[rows], content.name)
        if "feature_names" in archive and len(archive["feature_names"]) == frame.shape[1]:
            frame.columns = [str(name) for name in archive["feature_names"]]
        target = next((name for name in TARGETS if name in archive), None)
        if target is None:
            return frame
        values: NDArray[Any] = archive[target]
    if values.shape != (len(frame),):
        raise InputError(f"{content.name}: {target} must have one entry for each of "
                         f"{len(frame)} rows, its shape is {values.shape}")  # fmt: skip
    return frame.assign(target=values)


def _numbered(array: NDArray[Any], name: str) -> pd.DataFrame:
    """Rows with columns called x0, x1, ..."""
    if array.ndim != 2:
        raise InputError(f"{name} must hold rows of numbers, its shape is {array.shape}")
    return pd.DataFrame(array, columns=[f"x{k}" for k in range(array.shape[1])])


BINARY = {
    ".parquet": ("Parquet", _parquet),
    ".pq": ("Parquet", _parquet),
    ".arrow": ("Arrow", _arrow),
    ".feather": ("Arrow", _arrow),
    ".xlsx": ("Excel", _excel),
    ".xlsm": ("Excel", _excel),
    ".npy": ("NumPy", _npy),
    ".npz": ("NumPy", _npz),
}
