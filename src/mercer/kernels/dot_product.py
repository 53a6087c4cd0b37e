"""Kernels of the inner product: linear, polynomial, sigmoid."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Integral
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
    check_finite,
)
from mercer.kernels.products import inner_products, squared_norms
from mercer.kernels.rows import FloatArray, RowKind, Rows, rows_in_place

__all__ = ["Linear", "Polynomial", "Sigmoid"]


class Linear(Kernel):
    """``k(x, z) = x'z``.

    Examples
    --------
    >>> from mercer.kernels import Linear
    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]]).tolist()
    [[11.0]]
    """

    is_positive_definite = True
    row_kind: RowKind = "numeric"

    def form(self) -> form.Form:
        """Return a linear leaf."""
        return form.Leaf(kind="linear")

    def _values(self, X: Rows, Z: Rows) -> FloatArray:
        return inner_products(X, Z)

    def _diagonal(self, X: Rows) -> FloatArray:
        return squared_norms(X)

    def _contract(self, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
        return np.empty(0)

    def _contract_diagonal(self, X: Rows, weights: FloatArray) -> FloatArray:
        return np.empty(0)


class _OuterFunction(Kernel):
    """A function of ``gamma x'z + coef0``, entry by entry."""

    gamma: float | str
    coef0: float

    row_kind: RowKind = "numeric"

    def resolve(self, X: Rows, sample_weight: ArrayLike | None = None) -> Self:
        """Return the kernel with `gamma` as a number."""
        if not isinstance(self.gamma, str):
            return self
        return self._replace(gamma=resolve_gamma(self.gamma, rows_in_place(X), sample_weight))

    @property
    def _gamma(self) -> float:
        return resolved_gamma(self.gamma, type(self).__name__)

    @abstractmethod
    def _function(self, arguments: FloatArray) -> FloatArray:
        """The function of each argument."""

    @abstractmethod
    def _slope(self, arguments: FloatArray) -> FloatArray:
        """Its derivative."""

    def _slopes(self, weights: FloatArray, slopes: FloatArray, products: FloatArray) -> FloatArray:
        """Derivatives by ``log gamma`` and the coordinate of `coef0`."""
        weighted = weights * slopes
        by_gamma = self._gamma * float(np.vdot(weighted, products))
        return self._gather({"gamma": by_gamma, "coef0": self._coef0_rate * float(weighted.sum())})

    @property
    def _coef0_rate(self) -> float:
        """How fast `coef0` moves with its coordinate."""
        return 1.0

    def _values(self, X: Rows, Z: Rows) -> FloatArray:
        return self._function(self._gamma * inner_products(X, Z) + self.coef0)

    def _diagonal(self, X: Rows) -> FloatArray:
        return self._function(self._gamma * squared_norms(X) + self.coef0)

    def _contract(self, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
        products = inner_products(X, Z)
        return self._slopes(weights, self._slope(self._gamma * products + self.coef0), products)

    def _contract_diagonal(self, X: Rows, weights: FloatArray) -> FloatArray:
        products = squared_norms(X)
        return self._slopes(weights, self._slope(self._gamma * products + self.coef0), products)


class Polynomial(_OuterFunction):
    """``k(x, z) = (gamma x'z + coef0)^degree``.

    Parameters
    ----------
    degree : int, default=3
        Not negative, and no part of ``theta``.
    gamma : float or {"scale", "auto"}, default=1.0
        Positive; in ``theta`` by its logarithm.
    coef0 : float, default=0.0
        In ``theta`` by its logarithm if positive, fixed otherwise: zero is the edge of the
        positive semi-definite kernels, beyond it the kernel is indefinite.
    gamma_bounds, coef0_bounds : pair of floats or "fixed", default=(1e-10, 1e10)
        Ranges for optimizers.

    Examples
    --------
    >>> from mercer.kernels import Polynomial
    >>> Polynomial(degree=2, coef0=1.0)([[1.0, 2.0]], [[3.0, 4.0]]).round(6).tolist()
    [[144.0]]
    """

    def __init__(
        self,
        degree: int = 3,
        gamma: float | str = 1.0,
        coef0: float = 0.0,
        gamma_bounds: Bounds = POSITIVE_BOUNDS,
        coef0_bounds: Bounds = POSITIVE_BOUNDS,
    ) -> None:
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.gamma_bounds = gamma_bounds
        self.coef0_bounds = coef0_bounds
        if not isinstance(degree, Integral) or isinstance(degree, bool) or degree < 0:
            raise ValueError(f"degree must be an integer, zero or more, got {degree!r}")
        check_gamma(gamma, median=False)
        check_finite("coef0", coef0)
        check_bounds("gamma_bounds", gamma_bounds)
        check_bounds("coef0_bounds", coef0_bounds)

    @property
    def is_positive_definite(self) -> bool:
        """Whether no coefficient of the polynomial is negative."""
        return self.coef0 >= 0 or self.degree == 0

    @property
    def is_normalized(self) -> bool:
        """Whether the polynomial is the constant 1."""
        return self.degree == 0

    def _parameters(self) -> tuple[Parameter, ...]:
        gamma = LogParameter("gamma", self._gamma, self.gamma_bounds)
        if self.coef0 > 0:
            return gamma, LogParameter("coef0", self.coef0, self.coef0_bounds)
        return gamma, Parameter("coef0", self.coef0, "fixed")

    @property
    def _coef0_rate(self) -> float:
        return self.coef0

    def form(self) -> form.Form:
        """Return a polynomial leaf."""
        return form.Leaf(
            kind="polynomial",
            gamma=self._gamma,
            coef0=float(self.coef0),
            degree=int(self.degree),
        )

    def _function(self, arguments: FloatArray) -> FloatArray:
        return arguments**self.degree

    def _slope(self, arguments: FloatArray) -> FloatArray:
        if self.degree == 0:
            return np.zeros_like(arguments)
        return self.degree * arguments ** (self.degree - 1)


class Sigmoid(_OuterFunction):
    """``k(x, z) = tanh(gamma x'z + coef0)``, an indefinite kernel.

    Parameters
    ----------
    gamma : float or {"scale", "auto"}, default=1.0
        Positive; in ``theta`` by its logarithm.
    coef0 : float, default=0.0
        Any number; in ``theta`` as it is.
    gamma_bounds : pair of floats or "fixed", default=(1e-10, 1e10)
        Range for optimizers.
    coef0_bounds : pair of floats or "fixed", default=(-10.0, 10.0)
        Range for optimizers.

    Examples
    --------
    >>> from mercer.kernels import Sigmoid
    >>> Sigmoid(gamma=0.1, coef0=-1.0)([[1.0, 2.0]], [[3.0, 4.0]]).round(3).tolist()
    [[0.1]]
    """

    is_positive_definite = False

    def __init__(
        self,
        gamma: float | str = 1.0,
        coef0: float = 0.0,
        gamma_bounds: Bounds = POSITIVE_BOUNDS,
        coef0_bounds: Bounds = (-10.0, 10.0),
    ) -> None:
        self.gamma = gamma
        self.coef0 = coef0
        self.gamma_bounds = gamma_bounds
        self.coef0_bounds = coef0_bounds
        check_gamma(gamma, median=False)
        check_finite("coef0", coef0)
        check_bounds("gamma_bounds", gamma_bounds)
        check_bounds("coef0_bounds", coef0_bounds, positive=False)

    def _parameters(self) -> tuple[Parameter, ...]:
        gamma = LogParameter("gamma", self._gamma, self.gamma_bounds)
        return gamma, Parameter("coef0", self.coef0, self.coef0_bounds)

    def form(self) -> form.Form:
        """Return a sigmoid leaf."""
        return form.Leaf(kind="sigmoid", gamma=self._gamma, coef0=float(self.coef0))

    def _function(self, arguments: FloatArray) -> FloatArray:
        return np.tanh(arguments)

    def _slope(self, arguments: FloatArray) -> FloatArray:
        return 1.0 - np.tanh(arguments) ** 2
