"""A constant, and a kernel times a constant."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mercer.kernels import form
from mercer.kernels.base import Kernel
from mercer.kernels.combined.composite import Composite
from mercer.kernels.parameters.hyperparameters import (
    POSITIVE_BOUNDS,
    Bounds,
    LogParameter,
    Parameter,
    check_bounds,
    check_positive,
)
from mercer.kernels.rows import FloatArray, RowKind, Rows, count_rows

__all__ = ["Constant", "Scaled"]


class Constant(Kernel):
    """``k(x, z) = value`` for rows of any kind.

    Parameters
    ----------
    value : float, default=1.0
        Positive; in ``theta`` by its logarithm.
    value_bounds : pair of floats or "fixed", default=(1e-10, 1e10)
        Range for optimizers.

    Examples
    --------
    >>> from mercer.kernels import Constant, Linear
    >>> kernel = Linear() + Constant(2.0)
    >>> float(kernel([[3.0]], [[4.0]])[0, 0])
    14.0
    """

    is_positive_definite = True
    row_kind: RowKind = "any"

    def __init__(self, value: float = 1.0, value_bounds: Bounds = POSITIVE_BOUNDS) -> None:
        self.value = value
        self.value_bounds = value_bounds
        check_positive("value", value)
        check_bounds("value_bounds", value_bounds)

    @property
    def is_normalized(self) -> bool:
        """Whether the value is 1."""
        return bool(self.value == 1)

    def _parameters(self) -> tuple[Parameter, ...]:
        return (LogParameter("value", float(self.value), self.value_bounds),)

    def form(self) -> form.Form:
        """Return a constant leaf."""
        return form.Constant(float(self.value))

    def _values(self, X: Rows, Z: Rows) -> FloatArray:
        return np.full((count_rows(X), count_rows(Z)), float(self.value))

    def _diagonal(self, X: Rows) -> FloatArray:
        return np.full(count_rows(X), float(self.value))

    def _contract(self, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
        return self._gather({"value": self.value * float(weights.sum())})

    def _contract_diagonal(self, X: Rows, weights: FloatArray) -> FloatArray:
        return self._gather({"value": self.value * float(weights.sum())})


class Scaled(Composite):
    """``k(x, z) = factor kernel(x, z)``.

    Parameters
    ----------
    kernel : Kernel
        The part.
    factor : float, default=1.0
        Positive; in ``theta`` by its logarithm, after the parameters of the part.
    factor_bounds : pair of floats or "fixed", default=(1e-10, 1e10)
        Range for optimizers.

    Examples
    --------
    >>> from mercer.kernels import Linear, Scaled
    >>> Scaled(Linear(), 0.5)([[1.0, 2.0]], [[3.0, 4.0]]).tolist()
    [[5.5]]
    >>> Scaled(Linear(), 0.5) == 0.5 * Linear()
    True
    """

    def __init__(
        self, kernel: Kernel, factor: float = 1.0, factor_bounds: Bounds = POSITIVE_BOUNDS
    ) -> None:
        self.kernel = kernel
        self.factor = factor
        self.factor_bounds = factor_bounds
        check_positive("factor", factor)
        check_bounds("factor_bounds", factor_bounds)
        self._check_parts()

    def _parts(self) -> Mapping[str, Kernel]:
        return {"kernel": self.kernel}

    def _parameters(self) -> tuple[Parameter, ...]:
        return (LogParameter("factor", float(self.factor), self.factor_bounds),)

    @property
    def is_normalized(self) -> bool:
        """Whether the part is and the factor is 1."""
        return self.kernel.is_normalized and bool(self.factor == 1)

    def form(self) -> form.Form:
        """Return the scaled form of the part."""
        return form.Scaled(float(self.factor), self.kernel.form())

    def _values(self, X: Rows, Z: Rows) -> FloatArray:
        values = self._part_values(self.kernel, X, Z)
        values *= self.factor
        return values

    def _diagonal(self, X: Rows) -> FloatArray:
        return self.factor * self._part_diagonal(self.kernel, X)

    def _contract(self, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
        # dk/dlog factor = k
        inner = self.factor * self._part_contract(self.kernel, X, Z, weights)
        own = self._gather({"factor": float(np.vdot(weights, self._values(X, Z)))})
        return np.concatenate([inner, own])

    def _contract_diagonal(self, X: Rows, weights: FloatArray) -> FloatArray:
        inner = self.factor * self._part_contract_diagonal(self.kernel, X, weights)
        own = self._gather({"factor": float(weights @ self._diagonal(X))})
        return np.concatenate([inner, own])
