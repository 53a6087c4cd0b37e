"""A kernel scaled to ones on the diagonal."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mercer.kernels import form
from mercer.kernels.base import Kernel
from mercer.kernels.combined.composite import Composite
from mercer.kernels.rows import FloatArray, Rows

__all__ = ["Normalized"]


class Normalized(Composite):
    """``k(x, z) / sqrt(k(x, x) k(z, z))``.

    A row with k(x, x) = 0 has no direction. All such rows share one of their own: value 1
    among them, 0 with all others. So the kernel stays positive semi-definite, with ones on
    the diagonal.

    Parameters
    ----------
    kernel : Kernel
        With no k(x, x) below zero.

    Examples
    --------
    >>> from mercer.kernels import Linear, Normalized
    >>> cosine = Normalized(Linear())
    >>> cosine([[1.0, 0.0]], [[5.0, 0.0], [3.0, 4.0]]).round(3).tolist()
    [[1.0, 0.6]]
    """

    is_normalized = True

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self._check_parts()

    def _parts(self) -> Mapping[str, Kernel]:
        return {"kernel": self.kernel}

    def form(self) -> form.Form:
        """Return the normalization of the part's form."""
        return form.Normalized(self.kernel.form())

    def _inverse_lengths(self, X: Rows) -> FloatArray:
        """``1 / sqrt(k(x, x))``, zero for rows of length zero."""
        diagonal = self._part_diagonal(self.kernel, X)
        if np.any(diagonal < 0):
            raise ValueError(
                f"Normalized needs k(x, x) >= 0 on every row, but {self.kernel!r} "
                f"gives {diagonal.min()}"
            )
        lengths = np.sqrt(diagonal)
        return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)

    def _values(self, X: Rows, Z: Rows) -> FloatArray:
        rows = self._inverse_lengths(X)
        columns = rows if Z is X else self._inverse_lengths(Z)
        values = self._part_values(self.kernel, X, Z)
        values *= rows[:, None]
        values *= columns
        values[np.ix_(rows == 0, columns == 0)] = 1.0
        return values

    def _diagonal(self, X: Rows) -> FloatArray:
        return np.ones_like(self._inverse_lengths(X))

    def _contract(self, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
        # d = k'_xz / sqrt(k_xx k_zz) - 1/2 k_norm (k'_xx / k_xx + k'_zz / k_zz), the quotient
        # form, which also holds where k_xz = 0 (docs/theory/kernels.md#normalized-kernels)
        rows, columns = self._inverse_lengths(X), self._inverse_lengths(Z)
        scaled = weights * rows[:, None]
        scaled *= columns
        gradient = self._part_contract(self.kernel, X, Z, scaled)
        scaled *= self._part_values(self.kernel, X, Z)
        for side, lengths, axis in ((X, rows, 1), (Z, columns, 0)):
            shares = scaled.sum(axis=axis) * lengths**2
            gradient -= 0.5 * self._part_contract_diagonal(self.kernel, side, shares)
        return gradient

    def _contract_diagonal(self, X: Rows, weights: FloatArray) -> FloatArray:
        return np.zeros(self.n_dims)
