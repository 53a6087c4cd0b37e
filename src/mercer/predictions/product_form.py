"""Kernels as sums of polynomials of x'z times products of one-feature factors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.kernels import (
    Constant,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Polynomial,
    Product,
    Scaled,
    Sum,
)

__all__ = ["MOST_DEGREES", "ProductTerm", "product_terms"]

FloatArray = NDArray[np.float64]
# Of the polynomial of x'z: beyond it rounding of its powers would be seen.
MOST_DEGREES = 10


@dataclass(frozen=True, eq=False)
class ProductTerm:
    """``p(x'z) exp(-sum_l square_l (x_l - z_l)^2 + absolute_l |x_l - z_l|)``.

    Attributes
    ----------
    square, absolute : ndarray of shape (n_features,)
        Rates of the exponent, not negative.
    polynomial : ndarray of shape (degree + 1,)
        Coefficients of p, the constant first.
    """

    square: FloatArray
    absolute: FloatArray
    polynomial: FloatArray

    @property
    def is_flat(self) -> bool:
        """Whether there is no exponential."""
        return not self.square.any() and not self.absolute.any()

    def times(self, other: ProductTerm) -> ProductTerm:
        """The product of both."""
        return ProductTerm(
            self.square + other.square,
            self.absolute + other.absolute,
            np.convolve(self.polynomial, other.polynomial),
        )

    def scaled(self, factor: float) -> ProductTerm:
        """A multiple."""
        return ProductTerm(self.square, self.absolute, factor * self.polynomial)


def product_terms(kernel: Kernel, n_features: int) -> list[ProductTerm]:
    """The terms of a kernel, those with equal exponents in one.

    Raises
    ------
    ValueError
        If the kernel, or a part of it, has no such form.
    """
    terms = _gathered(_terms(kernel, n_features))
    degree = max(len(term.polynomial) for term in terms) - 1
    if degree > MOST_DEGREES:
        raise ValueError(
            f"the polynomials of the kernel must have a degree of at most {MOST_DEGREES} to be "
            f"explained, got {degree} in {kernel!r}"
        )
    return terms


def _terms(kernel: Kernel, d: int) -> list[ProductTerm]:
    reader = _READERS.get(type(kernel))
    if reader is None:
        raise ValueError(_refusal(kernel))
    found: list[ProductTerm] = reader(kernel, d)
    return found


def _refusal(kernel: Kernel) -> str:
    return (
        "machine must have a kernel that is a product of one function for each feature to be "
        "explained exactly: Gaussian with one width or one for each feature, Laplacian, Linear, "
        f"Polynomial, and sums, products and multiples of these; got {kernel!r}"
    )


def _flat(polynomial: Any, d: int) -> list[ProductTerm]:
    return [ProductTerm(np.zeros(d), np.zeros(d), np.asarray(polynomial, dtype=np.float64))]


def _of_gaussian(kernel: Gaussian, d: int) -> list[ProductTerm]:
    gamma = np.asarray(kernel.gamma, dtype=np.float64)
    if gamma.ndim == 2:
        raise ValueError(
            "machine must not have a kernel with a full metric to be explained: it mixes "
            "features, and no product over them is left; got a Gaussian with metric='full'"
        )
    return [ProductTerm(np.broadcast_to(gamma, d).copy(), np.zeros(d), np.ones(1))]


def _of_laplacian(kernel: Laplacian, d: int) -> list[ProductTerm]:
    return [ProductTerm(np.zeros(d), np.full(d, float(kernel.gamma)), np.ones(1))]


def _of_polynomial(kernel: Polynomial, d: int) -> list[ProductTerm]:
    # (gamma p + c)^n = sum_k binomial(n, k) gamma^k c^(n - k) p^k
    n, c, gamma = int(kernel.degree), float(kernel.coef0), float(kernel.gamma)
    if n > MOST_DEGREES:
        raise ValueError(
            f"degree of the kernel must be at most {MOST_DEGREES} to be explained, got {n}"
        )
    return _flat([comb(n, k) * gamma**k * c ** (n - k) for k in range(n + 1)], d)


def _of_product(kernel: Product, d: int) -> list[ProductTerm]:
    right = _terms(kernel.right, d)
    return [one.times(other) for one in _terms(kernel.left, d) for other in right]


_READERS: dict[type, Callable[[Any, int], list[ProductTerm]]] = {
    Constant: lambda kernel, d: _flat([kernel.value], d),
    Linear: lambda kernel, d: _flat([0.0, 1.0], d),
    Polynomial: _of_polynomial,
    Gaussian: _of_gaussian,
    Laplacian: _of_laplacian,
    Scaled: lambda kernel, d: [t.scaled(kernel.factor) for t in _terms(kernel.kernel, d)],
    Sum: lambda kernel, d: _terms(kernel.left, d) + _terms(kernel.right, d),
    Product: _of_product,
}


def _gathered(terms: list[ProductTerm]) -> list[ProductTerm]:
    """Terms of equal exponents added up."""
    found: dict[bytes, ProductTerm] = {}
    for term in terms:
        key = term.square.tobytes() + term.absolute.tobytes()
        known = found.get(key)
        if known is not None:
            total = np.polynomial.polynomial.polyadd(known.polynomial, term.polynomial)
            term = ProductTerm(term.square, term.absolute, np.asarray(total))
        found[key] = term
    return list(found.values())
