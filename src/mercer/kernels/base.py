"""The kernel: values, diagonal, and derivatives contracted with weights."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from mercer.kernels.blocks import SUM_BYTES, block_slices, triangle_slices
from mercer.kernels.definiteness import Definiteness
from mercer.kernels.form import Form
from mercer.kernels.parameters.parametrized import Parametrized
from mercer.kernels.rows import FloatArray, RowKind, Rows, as_rows, common_kind, count_rows

__all__ = ["Kernel"]


class Kernel(Parametrized, ABC):
    """A similarity of rows, and how it changes with its parameters.

    Kernels are values: equal if their type and parameters are, hashable, printable as an
    expression that builds them. ``k1 + k2``, ``k1 * k2``, ``k + 1.0`` and ``2.0 * k`` combine
    them. All values are computed in float64, for all rows stored in.

    A kernel computes on prepared rows (``as_rows`` of mercer.kernels.rows), so that the
    methods with an underscore may slice them; those return new arrays.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Gaussian, Linear
    >>> kernel = Gaussian(gamma=0.5) + 2.0 * Linear()
    >>> kernel([[1.0]], [[1.0], [2.0]]).round(3).tolist()
    [[3.0, 4.607]]
    >>> kernel.clone_with_theta(kernel.theta + np.log(2.0))
    Sum(left=Gaussian(), right=Scaled(kernel=Linear(), factor=4.0))
    """

    # NumPy scalars on the left of an operator hand over to the kernel.
    __array_ufunc__ = None

    @property
    @abstractmethod
    def is_positive_definite(self) -> bool | None:
        """Whether the matrix of values is positive semi-definite for every set of rows.

        None if that is not known.
        """

    @property
    def definiteness(self) -> Definiteness:
        """How that is known.

        "known" by construction, "stated" by the caller, "unknown", or "refuted": it is not.
        """
        known = self.is_positive_definite
        if known is None:
            return "unknown"
        return "known" if known else "refuted"

    @property
    def is_normalized(self) -> bool:
        """Whether k(x, x) = 1 for every row x."""
        return False

    @abstractmethod
    def form(self) -> Form:
        """Return the tree of values by which the native core knows the kernel."""

    @abstractmethod
    def _values(self, X: Rows, Z: Rows) -> FloatArray: ...

    @abstractmethod
    def _diagonal(self, X: Rows) -> FloatArray: ...

    @abstractmethod
    def _contract(self, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
        """``sum_ij weights_ij dk(x_i, z_j)/dtheta`` for one block."""

    @abstractmethod
    def _contract_diagonal(self, X: Rows, weights: FloatArray) -> FloatArray:
        """``sum_i weights_i dk(x_i, x_i)/dtheta``."""

    def _parts(self) -> Mapping[str, Kernel]:
        return {}

    @property
    def row_kind(self) -> RowKind:
        return common_kind([part.row_kind for part in self._parts().values()])

    @property
    def entry_arrays(self) -> int:
        """Arrays of one number per entry alive at once while a block is contracted."""
        return 4 + sum(part.entry_arrays for part in self._parts().values())

    def resolve(self, X: Rows, sample_weight: ArrayLike | None = None) -> Self:
        """Return the kernel with everything that depends on the data turned into numbers.

        Parameters
        ----------
        X : rows
            All training rows.
        sample_weight : array-like of shape (n_rows,), default=None
            A row of weight 2 counts as two copies of it.
        """
        parts = self._parts()
        resolved = {name: part.resolve(X, sample_weight) for name, part in parts.items()}
        unchanged = all(resolved[name] is part for name, part in parts.items())
        return self if unchanged else self._replace(**resolved)

    def __call__(self, X: Rows, Z: Rows | None = None) -> FloatArray:
        """Return the values k(x_i, z_j), shape (n, m); `Z` is `X` if not given."""
        return self._values(*self._row_pair(X, Z))

    def diag(self, X: Rows) -> FloatArray:
        """Return the values k(x_i, x_i), shape (n,)."""
        return self._diagonal(as_rows(X, self.row_kind))

    def gradient(
        self,
        X: Rows,
        Z: Rows | None,
        left: ArrayLike,
        right: ArrayLike,
        *,
        block_bytes: int = SUM_BYTES,
    ) -> FloatArray:
        """Return ``sum_ij left_i right_j dk(x_i, z_j)/dtheta`` for all parameters at once.

        Parameters
        ----------
        X, Z : rows
            `Z` is `X` if None.
        left, right : array-like of shape (n,) and (m,), or (n, r) and (m, r)
            With r columns the weights are ``left @ right.T``, any matrix of rank r.
        block_bytes : int
            Memory for the blocks the sum is computed in.

        Returns
        -------
        gradient : array of shape (p,)
            In the coordinates of ``theta``.
        """
        rows, other = self._row_pair(X, Z)
        factors = _as_factor("left", left, count_rows(rows))
        others = _as_factor("right", right, count_rows(other))
        if factors.shape[1] != others.shape[1]:
            raise ValueError(
                f"left and right must have as many columns as each other, "
                f"got {factors.shape[1]} and {others.shape[1]}"
            )
        return self._sum_of_blocks(rows, other, lambda i, j: factors[i] @ others[j].T, block_bytes)

    def gradient_weighted(
        self, X: Rows, Z: Rows | None, weights: ArrayLike, *, block_bytes: int = SUM_BYTES
    ) -> FloatArray:
        """Return ``sum_ij weights_ij dk(x_i, z_j)/dtheta`` for a given (n, m) weight matrix."""
        rows, other = self._row_pair(X, Z)
        matrix = np.asarray(weights, dtype=np.float64)
        if matrix.shape != (count_rows(rows), count_rows(other)):
            raise ValueError(
                f"weights must have shape ({count_rows(rows)}, {count_rows(other)}), "
                f"got {matrix.shape}"
            )
        return self._sum_of_blocks(rows, other, lambda i, j: matrix[i, j], block_bytes)

    def diag_gradient(self, X: Rows, weights: ArrayLike) -> FloatArray:
        """Return ``sum_i weights_i dk(x_i, x_i)/dtheta``."""
        rows = as_rows(X, self.row_kind)
        vector = np.asarray(weights, dtype=np.float64)
        if vector.shape != (count_rows(rows),):
            raise ValueError(f"weights must have shape ({count_rows(rows)},), got {vector.shape}")
        return self._contract_diagonal(rows, vector) if self.n_dims else np.empty(0)

    def _row_pair(self, X: Rows, Z: Rows | None) -> tuple[Rows, Rows]:
        kind = self.row_kind
        rows = as_rows(X, kind, "X")
        if Z is None or Z is X:
            return rows, rows
        other = as_rows(Z, kind, "Z")
        if kind == "numeric" and rows.shape[1] != other.shape[1]:
            raise ValueError(
                f"X and Z must have as many features as each other, "
                f"got {rows.shape[1]} and {other.shape[1]}"
            )
        return rows, other

    def _sum_of_blocks(
        self,
        X: Rows,
        Z: Rows,
        weights: Callable[[slice, slice], FloatArray],
        block_bytes: int,
    ) -> FloatArray:
        gradient = np.zeros(self.n_dims)
        n, m = count_rows(X), count_rows(Z)
        if not gradient.size or not n or not m:
            return gradient
        if self.row_kind == "stored":
            # The rows are the whole matrix already, and column j is known by its place only.
            return gradient + self._contract(X, Z, weights(slice(n), slice(m)))
        size = 8 * self.entry_arrays
        if Z is X:
            # k(x, z) = k(z, x): one of two blocks with the weights of both
            for rows, columns in triangle_slices(n, size, block_bytes):
                block = weights(rows, columns)
                if rows != columns:
                    block = block + weights(columns, rows).T
                gradient += self._contract(X[rows], X[columns], block)
            return gradient
        for rows, columns in block_slices(n, m, size, block_bytes):
            gradient += self._contract(X[rows], Z[columns], weights(rows, columns))
        return gradient

    def __add__(self, other: Any) -> Kernel:
        return _combined("sum", self, other)

    def __radd__(self, other: Any) -> Kernel:
        return _combined("sum", other, self)

    def __mul__(self, other: Any) -> Kernel:
        return _combined("product", self, other)

    def __rmul__(self, other: Any) -> Kernel:
        return _combined("product", other, self)


def _as_factor(name: str, values: ArrayLike, n_rows: int) -> FloatArray:
    factor = np.asarray(values, dtype=np.float64)
    if factor.ndim not in (1, 2) or factor.shape[0] != n_rows:
        raise ValueError(f"{name} must have shape ({n_rows},) or ({n_rows}, r), got {factor.shape}")
    return factor[:, None] if factor.ndim == 1 else factor


def _combined(operation: str, left: Any, right: Any) -> Kernel:
    # Imported here because the composite kernels are made of this class.
    from mercer.kernels.combined.composite import Product, Sum
    from mercer.kernels.combined.scaled import Constant, Scaled

    sides = (left, right)
    is_number = [isinstance(side, Real) and not isinstance(side, bool) for side in sides]
    if sum(is_number) + sum(isinstance(side, Kernel) for side in sides) < 2:
        return NotImplemented
    if operation == "sum":
        return Sum(*(side if isinstance(side, Kernel) else Constant(side) for side in sides))
    if any(is_number):
        return Scaled(right, left) if is_number[0] else Scaled(left, right)
    return Product(left, right)
