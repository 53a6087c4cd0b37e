"""Which rows and columns hold no finite number, and what to do about it."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = ["missing_labels", "not_finite"]

_MOST_NAMED = 8
_REMEDIES = {
    "X": "Fill them in, e.g. by make_pipeline(SimpleImputer(add_indicator=True), StandardScaler(), "
    "machine), or leave these rows out",
    "y": "Leave the rows without a target out: they teach nothing",
}
_OTHERWISE = "Leave these rows out, or give them a number"


def not_finite(name: str, value: Any) -> str | None:
    """What is wrong with an array that holds NaN or infinity; None if it holds neither.

    It begins as scikit-learn's message does, whose users look for that.
    """
    places = _places(value)
    if places is None or not len(places[0]):
        return None
    rows, columns, is_nan = places
    n_rows = int(value.shape[0]) if hasattr(value, "shape") else len(value)
    which = np.unique(rows)
    kind = "NaN" if is_nan.any() else "infinity"
    # scikit-learn speaks of the first kind it finds; both are told
    also = " and infinity" if is_nan.any() and not is_nan.all() else ""
    values = f"{len(rows):,} value{'s' if len(rows) > 1 else ''}"
    told = (
        f"Input {name} contains {kind}{also}: {values} in {len(which):,} of {n_rows:,} rows, the "
        f"first is row {which[0]}, counted from 0"
    )
    if columns is not None:
        told += f"; {_columns(value, np.unique(columns))}"
    remedy = _REMEDIES.get(name, _OTHERWISE) if is_nan.any() else _OTHERWISE
    return f"{told}. {remedy}."


def missing_labels(y: Any) -> str | None:
    """What is wrong with texts or other objects of which some are missing; None if none is."""
    labels = np.asarray(y, dtype=object)
    if labels.ndim != 1:
        return None
    missing = np.flatnonzero([_is_missing(label) for label in labels])
    if not len(missing):
        return None
    return (
        f"Input y contains missing values: {len(missing):,} of {len(labels):,}, the first in row "
        f"{missing[0]}, counted from 0. {_REMEDIES['y']}."
    )


def _is_missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)
    except (TypeError, ValueError):
        return True  # pandas.NA is neither equal to itself nor not


def _places(
    value: Any,
) -> tuple[NDArray[np.intp], NDArray[np.intp] | None, NDArray[np.bool_]] | None:
    """Rows and columns (None of a vector) of what is not finite, and whether it is NaN."""
    if sp.issparse(value):
        entries = sp.coo_array(value)
        bad = ~np.isfinite(entries.data)
        rows, columns = (np.asarray(own)[bad] for own in entries.coords)
        return rows, columns, np.isnan(entries.data[bad])
    try:
        is_table = hasattr(value, "isna")  # of pandas, whose missing whole numbers are no floats
        array = value.to_numpy(np.float64, na_value=np.nan) if is_table else None
        array = np.asarray(value if array is None else array, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    if array.ndim not in (1, 2):
        return None
    found = np.nonzero(~np.isfinite(array))
    return found[0], found[1] if array.ndim == 2 else None, np.isnan(array[found])


def _columns(table: Any, which: NDArray[np.intp]) -> str:
    """By their names, or by their places in a table without names."""
    names = getattr(table, "columns", None)
    shown = [repr(str(names[k])) if names is not None else str(k) for k in which[:_MOST_NAMED]]
    more = f" and {len(which) - _MOST_NAMED:,} more" if len(which) > _MOST_NAMED else ""
    noun = "column" if len(which) == 1 else "columns"
    return f"{noun} {', '.join(shown)}{more}"
