"""The Laplacian kernel."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from mercer.kernels import form
from mercer.kernels.base import Kernel
from mercer.kernels.parameters.gamma import (
    check_gamma,
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
from mercer.kernels.products import absolute_distances
from mercer.kernels.rows import FloatArray, RowKind, Rows, rows_in_place

__all__ = ["Laplacian"]


class Laplacian(Kernel):
    """``k(x, z) = exp(-gamma sum_d |x_d - z_d|)``.

    Parameters
    ----------
    gamma : float or {"scale", "auto", "median"}, default=1.0
        Positive; in ``theta`` by its logarithm. The names are rules that :meth:`resolve`
        applies to the rows: ``1 / (d variance)``, ``1 / d``, one over the median distance.
    gamma_bounds : pair of floats or "fixed", default=(1e-10, 1e10)
        Range for optimizers.

    Examples
    --------
    >>> from mercer.kernels import Laplacian
    >>> Laplacian(gamma=0.5)([[0.0, 0.0]], [[1.0, 1.0]]).round(3).tolist()
    [[0.368]]
    """

    is_positive_definite = True
    is_normalized = True
    row_kind: RowKind = "numeric"

    def __init__(self, gamma: float | str = 1.0, gamma_bounds: Bounds = POSITIVE_BOUNDS) -> None:
        self.gamma = gamma
        self.gamma_bounds = gamma_bounds
        check_gamma(gamma)
        check_bounds("gamma_bounds", gamma_bounds)

    @property
    def _gamma(self) -> float:
        return resolved_gamma(self.gamma, "Laplacian")

    def _parameters(self) -> tuple[Parameter, ...]:
        return (LogParameter("gamma", self._gamma, self.gamma_bounds),)

    def resolve(self, X: Rows, sample_weight: ArrayLike | None = None) -> Self:
        """Return the kernel with `gamma` as a number."""
        if not isinstance(self.gamma, str):
            return self
        gamma = resolve_gamma(self.gamma, rows_in_place(X), sample_weight, absolute_distances)
        return self._replace(gamma=gamma)

    def form(self) -> form.Form:
        """Return a laplacian leaf."""
        return form.Leaf(kind="laplacian", gamma=self._gamma)

    def _values(self, X: Rows, Z: Rows) -> FloatArray:
        values = absolute_distances(X, Z)
        values *= -self._gamma
        return np.exp(values, out=values)

    def _diagonal(self, X: Rows) -> FloatArray:
        return np.ones(X.shape[0])

    def _contract(self, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
        # dk/dlog gamma = -gamma |x-z|_1 k
        exponents = absolute_distances(X, Z)
        exponents *= -self._gamma
        products = np.exp(exponents)
        products *= weights
        return self._gather({"gamma": float(np.vdot(products, exponents))})

    def _contract_diagonal(self, X: Rows, weights: FloatArray) -> FloatArray:
        return np.zeros(self.n_dims)
