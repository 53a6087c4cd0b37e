"""The least squares problem: rows, weights, outputs, with or without a bias."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["System"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class System:
    """Several outputs fitted on the same rows.

        minimize  1/2 |w|^2 + 1/(2 alpha) sum_i weight_i |y_i - f(x_i)|^2,   f = <w, .> + b

    In the dual, with one column of coefficients for each output (Rifkin 2002, section 3.5.3),

        (K + alpha diag(1/weight)) C + 1 b' = Y,    1'C = 0 (no bias: b = 0 instead).

    With s = sqrt(weight) and C = s U this is (sKs + alpha) U + s b' = sY, s'U = 0: weights
    scale rows, and a bias removes the direction s.

    Attributes
    ----------
    targets : ndarray of shape (n_rows, n_outputs)
        Y.
    weight : ndarray of shape (n_rows,)
        Positive weights; weight 2 is the same as the row given twice.
    bias : bool
        Whether there is a free bias.
    """

    targets: FloatArray
    weight: FloatArray
    bias: bool

    def __post_init__(self) -> None:
        if self.targets.ndim != 2 or self.weight.shape != self.targets.shape[:1]:
            raise ValueError(
                "targets must have shape (n_rows, n_outputs) and weight (n_rows,), got "
                f"{self.targets.shape} and {self.weight.shape}"
            )
        if not (self.weight > 0).all():
            raise ValueError(f"weight must be positive, got {self.weight.min()!r}")

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.targets)

    @cached_property
    def scale(self) -> FloatArray:
        """``s``, the square roots of the weights."""
        return np.sqrt(self.weight)

    @cached_property
    def total(self) -> float:
        """Sum of the weights: the number of rows, copies counted."""
        return float(self.weight.sum())

    @cached_property
    def unit(self) -> FloatArray:
        """``s / |s|``, the direction a bias removes."""
        return self.scale / np.sqrt(self.total)

    @cached_property
    def target_mean(self) -> FloatArray:
        """Weighted means of the outputs, which a bias takes; zero without a bias."""
        if not self.bias:
            return np.zeros(self.targets.shape[1])
        return self.weight @ self.targets / self.total

    @cached_property
    def centred(self) -> FloatArray:
        """``P sY``, P without the direction a bias removes: s (Y - 1 mean').

        What rounding leaves of a constant output is nothing to be solved for.
        """
        scaled = self.scale[:, None] * self.targets
        # twice: the first time leaves the rounding of a long sum
        out = self.project(self.project(scaled))
        rounding = 4 * np.finfo(float).eps * np.linalg.norm(scaled, axis=0)
        out[:, np.linalg.norm(out, axis=0) <= rounding] = 0.0
        return out

    def project(self, V: FloatArray) -> FloatArray:
        """``V`` without its part along s if there is a bias; columns."""
        return V - np.outer(self.unit, self.unit @ V) if self.bias else V

    def intercept(self, U: FloatArray, row_sums: FloatArray) -> FloatArray:
        """b = s'(sY - sKs U) / s's, given ``row_sums`` = sKs s; zero without a bias."""
        if not self.bias:
            return np.zeros(self.targets.shape[1])
        return (self.weight @ self.targets - row_sums @ U) / self.total

    def on_rows(self, rows: NDArray[np.intp]) -> System:
        """The same problem on some of the rows."""
        return System(self.targets[rows], self.weight[rows], self.bias)
