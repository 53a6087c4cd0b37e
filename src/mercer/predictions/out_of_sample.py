"""Values of training rows by machines that were not trained on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from mercer._shown import shown
from mercer.machines.least_squares.machine import LeastSquaresMachine
from mercer.predictions.fixed_machine import fixed_machine
from mercer.predictions.least_squares_values import least_squares_values
from mercer.predictions.refits import refitted_values
from mercer.predictions.single_rows import single_row_values
from mercer.predictions.splits import Splits, read_splits
from mercer.predictions.values import values_of
from mercer.selection.held_out_values import held_out_values
from mercer.selection.scheme_task import SchemeTask, can_share
from mercer.training.estimator_kind import check_kind

__all__ = ["OutOfSample", "out_of_sample", "values_without"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OutOfSample:
    """Values that were never trained on.

    Attributes
    ----------
    values : ndarray of shape (n_rows,) or (n_rows, n_machines)
        Value of each row by the machine of the split that left it out: the target or the decision
        value, of more than two classes ``machine_decisions``.
    fold : ndarray of int of shape (n_rows,)
        Which split left each row out. -1 for rows of weight 0, which no machine is trained on:
        their value is that of the machine of all rows.
    full : estimator
        The machine fitted on all rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC, out_of_sample
    >>> X, y = load_iris(return_X_y=True)
    >>> found = out_of_sample(SVC(), X[50:], y[50:], 5)
    >>> bool(((found.values > 0) == (y[50:] == 2)).mean() > 0.9)
    True
    """

    values: FloatArray
    fold: NDArray[np.intp]
    full: Any

    __repr__ = shown()


def out_of_sample(
    machine: Any,
    X: Any,
    y: Any = None,
    cv: Any = 5,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> OutOfSample:
    """Value of every training row by a machine that was not trained on it.

    The values are those of a copy of the machine that is refitted on the training rows of the
    split, to its tolerance. What the machine reads off its rows (``gamma="scale"``, the alpha of a
    grid, the C of a path; landmarks of least squares machines with "loo") is read once, off all
    rows. Splits share their kernel values (docs/theory/predictions.md#out-of-sample-values).

    Parameters
    ----------
    machine : estimator
        A classifier, a regressor or a one-class machine; it is copied, never changed. Machines
        other than those of mercer, and schemes that learn all classes at once, are refitted for
        each split.
    X : array-like, sparse matrix or sequence of shape (n_rows, n_features)
        Rows; for ``kernel="precomputed"`` the kernel matrix.
    y : array-like of shape (n_rows,), default=None
        Classes or targets; None for one-class machines.
    cv : "loo", int, splitter or iterable of (train, test), default=5
        The splits, as in scikit-learn, "loo" for one row at a time. Every row must be left out
        exactly once, and its split must not train on it. A number that no class has the rows for
        (or all rows, of numbers) means as many folds as there can be, with a warning.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights; a row is left out with all its weight.
    groups : array-like of shape (n_rows,), default=None
        Groups of rows that stay together, for a ``cv`` that looks at them.

    Returns
    -------
    OutOfSample

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mercer import SVC, out_of_sample
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = out_of_sample(SVC(C=100), X, y, cv="loo")
    >>> bool(((found.values > 0) == y).mean() > 0.9)
    True
    """
    check_kind(machine, "classifier", "regressor", "outlier_detector")
    full = clone(machine)
    full = full.fit(X, y) if sample_weight is None else full.fit(X, y, sample_weight=sample_weight)
    return values_without(full, X, y, cv, sample_weight, groups)


def values_without(
    full: Any,
    X: Any,
    y: Any,
    cv: Any,
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None = None,
) -> OutOfSample:
    """:func:`out_of_sample` of a machine that is fitted on these rows."""
    fixed = fixed_machine(full)
    task = SchemeTask(fixed, X, y, sample_weight) if can_share(fixed, full) else None
    splits = read_splits(fixed, X, y, cv, sample_weight, groups)
    values = _values(fixed, full, task, splits, (X, y, sample_weight))
    return OutOfSample(values, splits.fold, full)


def _values(
    fixed: Any,
    full: Any,
    task: SchemeTask | None,
    splits: Splits,
    given: tuple[Any, Any, ArrayLike | None],
) -> FloatArray:
    """By the cheapest way that gives the values of refits."""
    if isinstance(fixed, LeastSquaresMachine):
        found = least_squares_values(full, task, splits)
        if found is not None:
            return found
    elif task is not None:
        if splits.are_single:
            return single_row_values(task, full)
        return _split_values(task, full, splits)
    return refitted_values(fixed, values_of(full, given[0]), splits, *given)


def _split_values(task: SchemeTask, full: Any, splits: Splits) -> FloatArray:
    """Values of all rows by the machine of the split that left them out."""
    out = np.empty((task.n_rows, len(task.parts)))
    if (splits.fold < 0).any():
        out[:] = values_of(full, task.rows).reshape(out.shape)
    found = held_out_values(task, splits.splits)
    for split, values in zip(splits.splits, found, strict=True):
        out[split.test] = values
    return out[:, 0] if out.shape[1] == 1 else out
