"""Data frames as arrays: rows that pipelines are fitted to once more after loading.

A frame comes back with its columns and their types, numbered anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["frame_of", "frame_state", "is_frame"]

PLAIN = (str, int, float, bool)  # names of columns
STRINGS = ("str", "string")  # pandas' own types of text
State = dict[str, Any]


def is_frame(value: Any) -> bool:
    """Whether it is a frame of pandas, which need not be installed."""
    cls = type(value)
    return cls.__name__ == "DataFrame" and cls.__module__.partition(".")[0] == "pandas"


def frame_state(frame: Any, place: str) -> State:
    """Names and columns, each with its type; ValueError names a column that is neither numbers,
    text nor categories.
    """
    names = list(frame.columns)
    for name in names:
        if type(name) not in PLAIN:
            raise ValueError(f"{place} has a column named {name!r}, which cannot be saved")
    each = [_column_state(frame.iloc[:, k], f"{place}[{n!r}]") for k, n in enumerate(names)]
    return {"names": names, "columns": each}


def _column_state(column: Any, place: str) -> State:
    kind = column.dtype
    if isinstance(kind, np.dtype):
        return {"kind": "plain", "cells": column.to_numpy()}
    if str(kind) in STRINGS:
        cells = column.to_numpy(dtype=object, na_value=None)
        return {"kind": str(kind), "cells": cells}
    if str(kind) == "category":
        known, own = kind.categories, column.cat
        codes = {"codes": own.codes.to_numpy(), "ordered": bool(kind.ordered)}
        return {"kind": "category", **codes, "known": known.to_numpy(dtype=_cell_type(known))}
    raise ValueError(f"{place} is a column of {kind}, which cannot be saved")


def _cell_type(values: Any) -> Any:
    return values.dtype if isinstance(values.dtype, np.dtype) else object


def frame_of(state: State) -> Any:
    """The frame; ValueError if its parts do not fit together."""
    import pandas as pd

    names, columns = state["names"], [_column(own) for own in state["columns"]]
    if not isinstance(names, list) or not all(type(name) in PLAIN for name in names):
        raise ValueError("names of columns must be plain values")
    if len(names) != len(columns) or len({len(own) for own in columns}) > 1:
        raise ValueError("a frame must have a name for each column, and columns of one length")
    frame = pd.DataFrame(dict(enumerate(columns)))
    frame.columns = pd.Index(names)
    return frame


def _column(state: State) -> Any:
    import pandas as pd

    kind = state["kind"]
    if kind == "category":
        known = state["known"]
        return pd.Categorical.from_codes(state["codes"], known, ordered=state["ordered"])
    cells = state["cells"]
    if not isinstance(cells, np.ndarray) or cells.ndim != 1 or kind not in ("plain", *STRINGS):
        raise ValueError(f"a column of a frame must be a vector, got kind {kind!r:.40}")
    return pd.Series(cells, dtype=cells.dtype if kind == "plain" else kind)
