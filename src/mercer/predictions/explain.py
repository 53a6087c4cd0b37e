"""Exact Shapley values of the predictions of a machine."""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from mercer import _core
from mercer._threads import resolve_threads
from mercer.formulations.checks import check_weight
from mercer.gram.native import count_rows, take_rows
from mercer.gram.shift import moved
from mercer.kernels.blocks import row_slices
from mercer.machines.base import KernelMachine
from mercer.machines.functions import MachineFunctions, functions_of, machine_and_rows
from mercer.predictions.explanation import Explanation
from mercer.predictions.product_form import ProductTerm, product_terms
from mercer.predictions.quadrature import Rules, exact_rule, rules_for
from mercer.training.rows import read_new_rows

__all__ = ["explain"]

FloatArray = NDArray[np.float64]
_BACKGROUND_ROWS = 100
_BLOCK_BYTES = 2**26


def explain(
    machine: Any,
    X: Any,
    background: Any = None,
    *,
    background_weight: ArrayLike | None = None,
    output: str = "classes",
    n_threads: int | None = None,
) -> Explanation:
    """Exact interventional Shapley values: how much each feature changed a prediction, and in which
    direction.

    A coalition of features takes their values from the row and those of all others from a
    background row. The value of a feature is its mean contribution over all orders in which
    features may join, and over the background. The sum has all subsets, without sampling: for
    kernels that are products over features it is an integral that Gauss-Legendre quadrature
    computes (docs/theory/predictions.md).

    Parameters
    ----------
    machine : fitted machine
        Its kernel may be Gaussian (one width, or one for each feature), Laplacian, linear or
        polynomial, or made of sums, products and multiples of these.
    X : array-like or sparse matrix of shape (n_rows, n_features)
        Rows to explain.
    background : array-like or sparse matrix of shape (n_background, n_features), default=None
        Rows that define "without the feature". None takes up to 100 of the rows that the machine
        has kept (its support vectors), evenly spaced: pass other rows if these are not typical.
    background_weight : array-like of shape (n_background,), default=None
        Weights; a weight of 2 is the same as the row given twice.
    output : {"classes", "machines"}, default="classes"
        What is explained with more than two classes. "classes": the value of each class. The scores
        of pairs of classes and codes are not sums of kernel values; for these it is the mean of the
        machines that involve a class, each with its sign. "machines": every column of
        ``machine_decisions(X)``.
    n_threads : int, default=None
        Number of threads; None means that of the machine.

    Returns
    -------
    Explanation
        ``values`` of shape (n_rows, n_features), or (n_rows, n_features, n_outputs); over the
        features they add up to the value of the machine at the row minus ``base_values``, its mean
        over the background. For :class:`mercer.OneClassSVM` this is the value before
        ``decision_function`` sets values within ``violation_`` of the boundary to 0.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVR, explain
    >>> X, _ = load_iris(return_X_y=True)
    >>> machine = SVR().fit(X[:, :3], X[:, 3])
    >>> why = explain(machine, X[:2, :3], background=X[::10, :3])
    >>> total = why.base_values + why.values.sum(axis=1)
    >>> bool(abs(total - machine.predict(X[:2, :3])).max() < 1e-10)
    True
    """
    own, scaled, scaled_background = machine_and_rows(machine, X, background)
    functions = functions_of(own, output)
    # rows of objects have no features, nor kernels that could be explained
    terms = product_terms(functions.kernel, getattr(own, "n_features_in_", 0))
    names = _feature_names(machine, X)
    rows = read_new_rows(own, scaled)
    others, weight = _background(own, functions, scaled_background, background_weight)
    threads = resolve_threads(own.n_threads if n_threads is None else n_threads)
    values = _in_blocks(terms, functions, rows, others, weight, threads)
    base = weight @ functions.values(others)
    is_single = functions.names is None
    return Explanation(
        values=values[:, :, 0] if is_single else values,
        base_values=np.full(len(values), base[0]) if is_single else np.tile(base, (len(values), 1)),
        data=_as_given(rows if scaled is X else X),
        feature_names=names,
        output_names=functions.names,
    )


def _as_given(rows: Any) -> FloatArray:
    return rows.toarray() if sp.issparse(rows) else np.asarray(rows)


def _feature_names(machine: Any, X: Any) -> list[str]:
    names = getattr(machine, "feature_names_in_", getattr(X, "columns", None))
    if names is None:
        return [f"Feature {j}" for j in range(machine.n_features_in_)]
    return [str(name) for name in names]


def _background(
    machine: KernelMachine, functions: MachineFunctions, background: Any, weight: ArrayLike | None
) -> tuple[Any, FloatArray]:
    """Checked rows and their weights, which add up to 1."""
    if background is None:
        if weight is not None:
            raise ValueError("background_weight must be None without background, got an array")
        if not hasattr(machine, "support_vectors_"):
            raise ValueError(
                f"background must be given for {type(machine).__name__}, which has kept no rows"
            )
        rows = machine.support_vectors_
        count = count_rows(rows)
        if not count:
            raise ValueError("background must be given: the machine has no support vectors")
        index = np.linspace(0, count - 1, min(count, _BACKGROUND_ROWS)).round().astype(np.intp)
        rows = take_rows(rows, index)
    else:
        try:
            rows = read_new_rows(machine, background)
        except ValueError as error:
            raise ValueError(f"background: {error}") from error
    try:
        weights = check_weight(weight, count_rows(rows))
    except ValueError as error:
        raise ValueError(f"background_{error}") from error
    return rows, weights / weights.sum()


def _in_blocks(
    terms: list[ProductTerm],
    functions: MachineFunctions,
    X: Any,
    background: Any,
    weight: FloatArray,
    n_threads: int,
) -> FloatArray:
    """Values of all rows, of sparse ones so many at a time that they may be dense."""
    n, d = X.shape
    out = np.zeros((n, d, functions.coef.shape[1]))
    for part in row_slices(n, 8 * d, _BLOCK_BYTES):
        for term in terms:
            if term.is_flat and len(term.polynomial) <= 2:
                _add_linear(term, functions, X[part], background, weight, out[part])
            else:
                _add_term(term, functions, X[part], background, weight, n_threads, out[part])
    return out


def _add_linear(
    term: ProductTerm,
    functions: MachineFunctions,
    X: Any,
    background: Any,
    weight: FloatArray,
    out: FloatArray,
) -> None:
    """Of w'x the values are w_j (x_j - mean_j)."""
    if len(term.polynomial) < 2:
        return
    support = functions.rows
    near = support if functions.shift is None else moved(support, functions.shift)
    weights = np.asarray(near.T @ functions.coef, dtype=np.float64)
    mean = np.asarray(background.T @ weight, dtype=np.float64).ravel()
    rows = X.toarray() if sp.issparse(X) else np.asarray(X, dtype=np.float64)
    out += (term.polynomial[1] * (rows - mean))[:, :, None] * weights


def _add_term(
    term: ProductTerm,
    functions: MachineFunctions,
    X: Any,
    background: Any,
    weight: FloatArray,
    n_threads: int,
    out: FloatArray,
) -> None:
    columns = _used_columns(X, background)
    coef = functions.coef * _factor_of_others(term, functions.rows, columns)[:, None]
    rules = _rules(term, len(columns))
    powers = np.array([factorial(k) for k in range(len(term.polynomial))], dtype=np.float64)
    out[:, columns] += _core.shapley_values(
        rows=_dense(X, columns),
        background=_dense(background, columns),
        background_weight=weight,
        support=_dense(functions.rows, columns),
        coef=np.ascontiguousarray(coef),
        square=term.square[columns] / np.log(2.0),
        absolute=term.absolute[columns] / np.log(2.0),
        coefficients=term.polynomial * powers,
        offsets=rules.offsets,
        nodes=rules.nodes,
        ellipses=rules.ellipses,
        n_threads=n_threads,
    )


def _rules(term: ProductTerm, n_features: int) -> Rules:
    degree = len(term.polynomial) - 1
    if degree == 0:
        return rules_for(n_features)
    return exact_rule(min(degree, n_features) if term.is_flat else n_features)


def _used_columns(X: Any, background: Any) -> NDArray[np.intp]:
    """Features that are not 0 in all rows and the background: others can have no value."""
    if not sp.issparse(X):
        return np.arange(X.shape[1])
    used = np.zeros(X.shape[1], dtype=bool)
    used[X.indices] = True
    if sp.issparse(background):
        used[background.indices] = True
    else:
        used |= np.asarray(background).any(axis=0)
    return np.flatnonzero(used)


def _factor_of_others(term: ProductTerm, support: Any, columns: NDArray[np.intp]) -> FloatArray:
    """The product of the factors of all other features, where rows and background are 0."""
    others = np.ones(support.shape[1], dtype=bool)
    others[columns] = False
    if not others.any():
        return np.ones(count_rows(support))
    square, size = np.where(others, term.square, 0.0), np.where(others, term.absolute, 0.0)
    rows: Any = support if sp.issparse(support) else np.asarray(support, dtype=np.float64)
    exponent = (rows.multiply(rows) if sp.issparse(rows) else rows**2) @ square + abs(rows) @ size
    return np.exp(-np.asarray(exponent).ravel())


def _dense(rows: Any, columns: NDArray[np.intp]) -> FloatArray:
    if sp.issparse(rows):
        return np.ascontiguousarray(rows[:, columns].toarray(), dtype=np.float64)
    if len(columns) == rows.shape[1]:
        return np.ascontiguousarray(rows, dtype=np.float64)
    return np.ascontiguousarray(np.asarray(rows)[:, columns], dtype=np.float64)
