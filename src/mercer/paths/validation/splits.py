"""Which rows are trained on and which are held out: what ``cv`` means.

Exactly the indices that a splitter gives are used: rows in neither part are left out, an index
that is given twice counts twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import check_cv

from mercer.gram.native import count_rows
from mercer.paths.inputs.data import Inputs

__all__ = ["Split", "read_splits"]

IntArray = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Split:
    """Positions of the rows to train on and of those to test with.

    Attributes
    ----------
    times : ndarray of shape (n_rows,) of unsigned integers
        How often each row is trained on.
    test : ndarray of int
        The rows held out, as often as they count.
    """

    times: NDArray[Any]
    test: IntArray


def read_splits(cv: Any, inputs: Inputs, groups: ArrayLike | None = None) -> list[Split]:
    """The splits of ``cv``, those without any weight to test with left out; none for None.

    Parameters
    ----------
    cv : int, cross-validation generator, iterable of (train, test), or None
        As in scikit-learn.
    inputs : Inputs
        Rows, classes and weights.
    groups : array-like of shape (n_rows,), default=None
        Groups of rows that stay together, for the splitters that need them.
    """
    if cv is None:
        return []
    splits = [_split(k, pair, inputs) for k, pair in enumerate(_pairs(cv, inputs, groups))]
    splits = [split for split in splits if inputs.weight[split.test].any()]
    if not splits:
        raise ValueError(f"cv must give splits with rows to test on, got none from {cv!r}")
    return splits


def _pairs(cv: Any, inputs: Inputs, groups: ArrayLike | None) -> Iterator[Any]:
    """What the splitter gives, one after the other; its own errors name ``cv``."""
    is_integer = isinstance(cv, Integral) and not isinstance(cv, bool)
    if not (is_integer or hasattr(cv, "split") or isinstance(cv, Iterable)) or isinstance(cv, str):
        raise ValueError(f"cv must be an integer, a splitter or pairs of indices, got {cv!r}")
    n = count_rows(inputs.rows)
    if groups is not None and np.shape(groups)[:1] != (n,):
        raise ValueError(f"groups must have {n} entries, got shape {np.shape(groups)}")
    if not is_integer and not hasattr(cv, "split"):
        yield from cv
        return
    try:
        splitter = check_cv(cv, inputs.labels, classifier=True)
        yield from splitter.split(inputs.rows, inputs.labels, groups)
    except (TypeError, ValueError) as error:
        if "groups" in str(error) and groups is None:
            raise ValueError(f"groups must be given, as cv={cv!r} needs them: {error}") from error
        raise ValueError(f"cv={cv!r} gives no splits: {error}") from error


def _split(number: int, pair: Any, inputs: Inputs) -> Split:
    """One pair of index arrays, checked."""
    try:
        train, test = pair
    except (TypeError, ValueError):
        raise ValueError(
            f"cv must give pairs of (train, test) indices, got {pair!r} for split {number}"
        ) from None
    n = len(inputs.codes)
    times = np.bincount(_indices(number, "train", train, n), minlength=n)
    # a byte for each row: a row left out at a time makes as many splits as rows
    times = times.astype(np.min_scalar_type(times.max()))
    held_out = _indices(number, "test", test, n)
    found = np.unique(inputs.codes[(times > 0) & (inputs.weight > 0)])
    if len(found) < 2:
        raise ValueError(
            f"cv must train on at least two classes, got {inputs.classes[found].tolist()} with "
            f"positive weight in the training rows of split {number}"
        )
    return Split(times, held_out)


def _indices(number: int, part: str, given: Any, n_rows: int) -> IntArray:
    """Positions of rows, also from a mask."""
    where = f"the {part} rows of split {number}"
    array = np.asarray(given)
    if array.dtype == bool and array.shape == (n_rows,):
        array = np.flatnonzero(array)
    if array.ndim != 1 or not len(array):
        raise ValueError(f"cv must give some indices, got shape {array.shape} for {where}")
    if array.dtype.kind not in "iu":
        raise ValueError(f"cv must give indices that are integers, got {array.dtype} for {where}")
    outside = (array < 0) | (array >= n_rows)
    if outside.any():
        raise ValueError(
            f"cv must give indices in 0..{n_rows - 1}, got {array[outside][0]} in {where}"
        )
    return array.astype(np.intp)
