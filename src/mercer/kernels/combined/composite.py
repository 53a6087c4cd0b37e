"""Sums and products of kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mercer.kernels import form
from mercer.kernels.base import Kernel
from mercer.kernels.definiteness import Definiteness, weakest
from mercer.kernels.rows import FloatArray, Rows, as_rows

__all__ = ["Composite", "Product", "Sum"]


class Composite(Kernel):
    """A kernel whose values are made of the values of its parts.

    Each part gets the rows in the kind it computes with: beside a kernel of arbitrary
    objects, a numeric part converts them itself.
    """

    def _check_parts(self) -> None:
        for name, part in self._parts().items():
            if not isinstance(part, Kernel):
                raise TypeError(f"{name} must be a Kernel, got {part!r}")
        _ = self.row_kind

    @property
    def is_positive_definite(self) -> bool | None:
        """Whether all parts are."""
        known = self.definiteness
        return None if known == "unknown" else known != "refuted"

    @property
    def definiteness(self) -> Definiteness:
        """What is known of the part least is known of; no part may be refuted."""
        return weakest(part.definiteness for part in self._parts().values())

    @staticmethod
    def _part_values(part: Kernel, X: Rows, Z: Rows) -> FloatArray:
        return part._values(*part._row_pair(X, Z))

    @staticmethod
    def _part_diagonal(part: Kernel, X: Rows) -> FloatArray:
        return part._diagonal(as_rows(X, part.row_kind))

    @staticmethod
    def _part_contract(part: Kernel, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
        if not part.n_dims:
            return np.empty(0)
        return part._contract(*part._row_pair(X, Z), weights)

    @staticmethod
    def _part_contract_diagonal(part: Kernel, X: Rows, weights: FloatArray) -> FloatArray:
        if not part.n_dims:
            return np.empty(0)
        return part._contract_diagonal(as_rows(X, part.row_kind), weights)


class _Pair(Composite):
    """Two kernels under one operation."""

    def __init__(self, left: Kernel, right: Kernel) -> None:
        self.left = left
        self.right = right
        self._check_parts()

    def _parts(self) -> Mapping[str, Kernel]:
        return {"left": self.left, "right": self.right}

    def _flat_forms(self, node: Any) -> tuple[form.Form, ...]:
        """Forms of both sides, those of the same operation opened."""
        forms = (self.left.form(), self.right.form())
        return sum((part.parts if isinstance(part, node) else (part,) for part in forms), ())


class Sum(_Pair):
    """``k(x, z) = left(x, z) + right(x, z)``.

    Parameters
    ----------
    left, right : Kernel
        The parts.

    Examples
    --------
    >>> from mercer.kernels import Gaussian, Linear
    >>> kernel = Gaussian(gamma=0.5) + Linear()
    >>> kernel([[1.0]], [[2.0]]).round(3).tolist()
    [[2.607]]
    """

    def form(self) -> form.Form:
        """Return the sum of the forms of all summands."""
        return form.Sum(self._flat_forms(form.Sum))

    def _values(self, X: Rows, Z: Rows) -> FloatArray:
        values = self._part_values(self.left, X, Z)
        values += self._part_values(self.right, X, Z)
        return values

    def _diagonal(self, X: Rows) -> FloatArray:
        return self._part_diagonal(self.left, X) + self._part_diagonal(self.right, X)

    def _contract(self, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
        parts = self._parts().values()
        return np.concatenate([self._part_contract(part, X, Z, weights) for part in parts])

    def _contract_diagonal(self, X: Rows, weights: FloatArray) -> FloatArray:
        parts = self._parts().values()
        return np.concatenate([self._part_contract_diagonal(part, X, weights) for part in parts])


class Product(_Pair):
    """``k(x, z) = left(x, z) right(x, z)``.

    Parameters
    ----------
    left, right : Kernel
        The parts.

    Examples
    --------
    >>> from mercer.kernels import Gaussian, Linear
    >>> kernel = Gaussian(gamma=0.5) * Linear()
    >>> kernel([[1.0]], [[2.0]]).round(3).tolist()
    [[1.213]]
    """

    @property
    def is_normalized(self) -> bool:
        """Whether both parts are."""
        return self.left.is_normalized and self.right.is_normalized

    def form(self) -> form.Form:
        """Return the product of the forms of all factors."""
        return form.Product(self._flat_forms(form.Product))

    def _values(self, X: Rows, Z: Rows) -> FloatArray:
        values = self._part_values(self.left, X, Z)
        values *= self._part_values(self.right, X, Z)
        return values

    def _diagonal(self, X: Rows) -> FloatArray:
        return self._part_diagonal(self.left, X) * self._part_diagonal(self.right, X)

    def _contract(self, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
        # d(k1 k2) = k2 dk1 + k1 dk2
        parts = []
        for part, other in ((self.left, self.right), (self.right, self.left)):
            if part.n_dims:
                products = self._part_values(other, X, Z)
                products *= weights
                parts.append(self._part_contract(part, X, Z, products))
        return np.concatenate([np.empty(0), *parts])

    def _contract_diagonal(self, X: Rows, weights: FloatArray) -> FloatArray:
        by_left = weights * self._part_diagonal(self.right, X)
        by_right = weights * self._part_diagonal(self.left, X)
        return np.concatenate(
            [
                self._part_contract_diagonal(self.left, X, by_left),
                self._part_contract_diagonal(self.right, X, by_right),
            ]
        )
