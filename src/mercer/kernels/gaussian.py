"""The Gaussian kernel with one width, one per feature, or a full metric."""

from __future__ import annotations

from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from mercer.kernels import form
from mercer.kernels.base import Kernel
from mercer.kernels.parameters.gamma import (
    Metric,
    checked_gamma,
    checked_metric,
    distinct_squared_distances,
    resolve_gamma,
    resolved_gamma,
)
from mercer.kernels.parameters.hyperparameters import (
    POSITIVE_BOUNDS,
    Bounds,
    LogParameter,
    Parameter,
    check_bounds,
)
from mercer.kernels.parameters.metric import MetricParameter, chart_gradient, symmetric_root
from mercer.kernels.products import (
    difference_moment,
    difference_squares,
    scaled_columns,
    squared_distances,
)
from mercer.kernels.rows import FloatArray, RowKind, Rows, rows_in_place

__all__ = ["Gaussian"]


class Gaussian(Kernel):
    """``k(x, z) = exp(-(x - z)' G (x - z))`` (Glasmachers 2008, sections 2.1.3 and 10.1).

    Parameters
    ----------
    gamma : float, array-like of shape (d,) or (d, d), or {"scale", "auto", "median"}, default=1.0
        G as a multiple of the identity, as its diagonal, or as a symmetric positive definite
        matrix. The names are rules that :meth:`resolve` applies to the rows:
        ``1 / (d variance)``, ``1 / d`` and one over the median squared distance.
    metric : {"radial", "diagonal", "full"}, default=None
        What moves: one width, one per feature, the whole matrix. Taken from the shape
        of `gamma` if None. A number with "diagonal" or "full" is spread by :meth:`resolve`.
    gamma_bounds : pair of floats or "fixed", default=(1e-10, 1e10)
        Range of `gamma` for optimizers; a full metric is only ever free or fixed.

    Notes
    -----
    ``theta`` is ``log gamma`` for the first two metrics. A full metric lives in the chart of
    the current matrix: with ``G = B^2 / 2`` and B symmetric, a symmetric matrix A, given by its
    upper triangle row by row, leads to ``B(A) = exp(A) B exp(A)``. There ``theta`` is zero, and
    ``clone_with_theta`` and ``retract`` are the same map. On diagonal matrices a step ``a`` of it
    is a step ``4 a`` of ``log gamma``.

    Examples
    --------
    >>> from mercer.kernels import Gaussian
    >>> Gaussian(gamma=0.5)([[0.0]], [[0.0], [1.0], [2.0]]).round(3).tolist()
    [[1.0, 0.607, 0.135]]
    >>> Gaussian(gamma=[1.0, 0.0001])([[0.0, 0.0]], [[0.0, 9.0]]).round(2).tolist()
    [[0.99]]
    """

    is_positive_definite = True
    is_normalized = True
    row_kind: RowKind = "numeric"

    def __init__(
        self,
        gamma: float | ArrayLike | str = 1.0,
        metric: Metric | None = None,
        gamma_bounds: Bounds = POSITIVE_BOUNDS,
    ) -> None:
        check_bounds("gamma_bounds", gamma_bounds)
        # A copy, so that a caller who changes the array later does not change the kernel.
        own = checked_gamma(gamma)
        chosen = checked_metric(metric, own)
        # all at once: every fit makes two
        vars(self).update(
            gamma=gamma, metric=metric, gamma_bounds=gamma_bounds, _gamma=own, _metric=chosen
        )

    gamma: float | ArrayLike | str
    metric: Metric | None
    gamma_bounds: Bounds
    _gamma: float | str | FloatArray
    _metric: Metric

    @property
    def _is_spread(self) -> bool:
        """Whether gamma has the shape its metric moves."""
        return self._metric == "radial" or np.ndim(self._gamma) > 0

    def _parameters(self) -> tuple[Parameter, ...]:
        gamma = resolved_gamma(self._gamma, "Gaussian")
        if not self._is_spread:
            raise ValueError(
                f"the number of features of {self!r} is not known yet: use the kernel that "
                "resolve(X) returns"
            )
        kind = MetricParameter if self._metric == "full" else LogParameter
        return (kind("gamma", gamma, self.gamma_bounds),)

    def resolve(self, X: Rows, sample_weight: ArrayLike | None = None) -> Self:
        """Return the kernel with `gamma` as a number, or spread to the shape of its metric."""
        rows, gamma = rows_in_place(X), self._gamma
        if isinstance(gamma, str):
            gamma = resolve_gamma(gamma, rows, sample_weight, distinct_squared_distances)
            if self._metric == "radial":
                return self._with_width(gamma)
        elif np.ndim(gamma):
            self._check_features(rows)
        if self._metric == "diagonal" and not np.ndim(gamma):
            gamma = np.full(rows.shape[1], gamma)
        elif self._metric == "full" and not np.ndim(gamma):
            gamma = gamma * np.eye(rows.shape[1])
        if gamma is self._gamma:
            return self
        return type(self)(gamma, self.metric, self.gamma_bounds)

    def _with_width(self, gamma: float) -> Self:
        """The kernel with a number that a rule gave: there is nothing to check."""
        kernel = object.__new__(type(self))
        vars(kernel).update(vars(self), gamma=gamma, _gamma=gamma)
        return kernel

    def form(self) -> form.Form:
        """Return a gaussian leaf; other metrics than radial as a transform of the rows."""
        gamma = resolved_gamma(self._gamma, "Gaussian")
        if isinstance(gamma, float):
            return form.Leaf(kind="gaussian", gamma=gamma)
        transform = np.sqrt(gamma) if gamma.ndim == 1 else self._factor.copy()
        return form.Leaf(kind="gaussian", gamma=1.0, transform=transform)

    def _values(self, X: Rows, Z: Rows) -> FloatArray:
        values = self._scaled_distances(X, Z)
        np.negative(values, out=values)
        return np.exp(values, out=values)

    def _diagonal(self, X: Rows) -> FloatArray:
        return np.ones(X.shape[0])

    def _contract(self, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
        # dk/dlog gamma = -gamma |x-z|^2 k, per feature -gamma_d (x_d-z_d)^2 k
        distances = self._scaled_distances(X, Z)
        products = np.exp(-distances)
        products *= weights
        if self._metric == "radial":
            return self._gather({"gamma": -float(np.vdot(products, distances))})
        gamma = np.asarray(self._gamma)
        if self._metric == "diagonal":
            return self._gather({"gamma": -gamma * difference_squares(X, Z, products)})
        moment = difference_moment(X, Z, products)
        return self._gather({"gamma": chart_gradient(gamma, self._root, moment)})

    def _contract_diagonal(self, X: Rows, weights: FloatArray) -> FloatArray:
        return np.zeros(self.n_dims)

    def _scaled_distances(self, X: Rows, Z: Rows) -> FloatArray:
        """``(x - z)' G (x - z)`` as squared distances of mapped rows."""
        gamma = resolved_gamma(self._gamma, "Gaussian")
        distances = squared_distances(X, Z, None if isinstance(gamma, float) else self._mapped)
        if isinstance(gamma, float):
            distances *= gamma
        return distances

    def _mapped(self, X: Rows) -> Rows:
        gamma = np.asarray(self._gamma)
        self._check_features(X)
        return scaled_columns(X, np.sqrt(gamma)) if gamma.ndim == 1 else X @ self._factor

    def _check_features(self, X: Rows) -> None:
        size = len(np.asarray(self._gamma))
        if X.shape[1] != size:
            raise ValueError(f"gamma is for {size} features, but the rows have {X.shape[1]}")

    @cached_property
    def _factor(self) -> FloatArray:
        """M with ``G = M M'``."""
        return np.linalg.cholesky(np.asarray(self._gamma))

    @cached_property
    def _root(self) -> FloatArray:
        return symmetric_root(np.asarray(self._gamma))
