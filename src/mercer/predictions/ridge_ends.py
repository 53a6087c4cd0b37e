"""Ends of intervals of least squares machines in closed form, for every new row.

The machine on rows X solves (K + alpha/W) c + b 1 = y, 1' c = 0. With G the block of its inverse
that belongs to the rows, U = U(x) the weights of the targets in f(x) = U' y, and

    sigma = k(x, x) + alpha - (k(x)' U + U_b)

what is left of a new row once all others are known (U_b belongs to the bias), one more row (x, y)
changes coefficients by the same t = (y - f(x)) / sigma (docs/theory/predictions.md#ridge):

    c_new = t,  c_i(t) = c_i - U_i t,  residuals alpha c / w.

Full conformal: row i is at least as strange as the new one where |c_i - U_i t| / w_i >= |t|,
which is the interval between c_i / (w_i + U_i) and -c_i / (w_i - U_i), t = 0 in it, unless
|U_i| >= w_i, when it is taken for the whole line (Nouretdinov et al. 2001).

Jackknife+ (Barber et al. 2021): without row i, f_-i(x) = f(x) - U_i c_i / G_ii and
y_i - f_-i(x_i) = c_i / G_ii.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from mercer._memory import require_memory
from mercer.gram import Gram
from mercer.gram.native import count_rows, take_rows
from mercer.gram.shift import shift_of_far_rows
from mercer.kernels import Constant, Kernel
from mercer.machines import LSSVR
from mercer.machines.kernel_values import resolve_kernel
from mercer.predictions.fixed_kernel import has_fixed_kernel
from mercer.predictions.stacked_rows import stacked
from mercer.training.rows import read_new_rows

__all__ = ["Ridge", "RidgeEnds", "is_ridge"]

FloatArray = NDArray[np.float64]
Ends = tuple[FloatArray, FloatArray]


def is_ridge(machine: Any) -> bool:
    """Whether a machine is linear in its targets: exact least squares with alpha given."""
    if not isinstance(machine, LSSVR) or not np.isscalar(machine.alpha):
        return False
    plain = machine.low_rank is None and machine.sparse is None and machine.robust is None
    return plain and machine.penalty == "norm" and not isinstance(machine.alpha, str)


@dataclass(frozen=True, eq=False)
class _NewRows:
    """f(x), U(x) and sigma(x) of new rows."""

    values: FloatArray
    weights: FloatArray
    sigma: FloatArray


class Ridge:
    """The system of a least squares machine, solved for its targets and for new rows.

    Parameters
    ----------
    machine : LSSVR
        Says alpha, the kind of bias, precision and threads.
    kernel : Kernel
        Its kernel, all parameters numbers.
    X : rows of shape (n_rows, n_features)
        Training rows.
    y, weight : ndarray of shape (n_rows,)
        Targets; weights, which are positive.
    """

    def __init__(
        self, machine: LSSVR, kernel: Kernel, X: Any, y: FloatArray, weight: FloatArray
    ) -> None:
        self._X, self._weight, self._alpha = X, weight, float(machine.alpha)
        self._has_bias = machine.fit_intercept is True
        may_move = self._has_bias and not kernel.is_normalized
        self._shift = shift_of_far_rows(kernel.form(), X, weight) if may_move else None
        if machine.fit_intercept == "penalized":
            kernel = kernel + Constant(1.0, value_bounds="fixed")
        self._kernel, self._threads = kernel, machine.n_threads
        self._y = y
        self._factor()

    def _gram(self, X: Any) -> Gram:
        options: dict[str, Any] = {"n_threads": self._threads, "shift": self._shift}
        return Gram(self._kernel, X, precision="double", **options).check_values()

    def _factor(self) -> None:
        n = len(self._y)
        require_memory(8.0 * n * n, f"a system of {n} rows", "use kind='split' or 'cv+'")
        rows = np.arange(n)
        matrix = np.array(self._gram(self._X).block(rows, rows), dtype=np.float64)
        matrix[rows, rows] += self._alpha / self._weight
        self._cholesky = cho_factor(matrix, lower=True, overwrite_a=True, check_finite=False)
        self._ones = self._solve(np.ones(n)) if self._has_bias else np.zeros(n)
        # of no bias nothing is subtracted
        self._sum = float(self._ones.sum()) if self._has_bias else 1.0
        plain = self._solve(self._y)
        self.bias = float(self._ones @ self._y) / self._sum
        self.coef = plain - self.bias * self._ones

    def _solve(self, right: FloatArray) -> FloatArray:
        return np.asarray(cho_solve(self._cholesky, right, check_finite=False))

    def _new_rows(self, Z: Any) -> _NewRows:
        n, m = len(self._y), count_rows(Z)
        gram = self._gram(stacked(self._X, Z))
        new = np.arange(n, n + m)
        k = np.asarray(gram.block(np.arange(n), new), dtype=np.float64)
        through = (self._ones @ k - float(self._has_bias)) / self._sum
        weights = self._solve(k) - np.outer(self._ones, through)
        known = np.einsum("ij,ij->j", k, weights) + self._has_bias * through
        sigma = np.asarray(gram.diagonal()[new]) + self._alpha - known
        # it is at least alpha up to rounding
        sigma = np.maximum(sigma, self._alpha)
        return _NewRows(k.T @ self.coef + self.bias, weights.T, sigma)

    def full_ends(self, Z: Any) -> Ends:
        """Ends of the values of each new row for which each old row is as strange: (m, n) each."""
        new, c, w = self._new_rows(Z), self.coef, self._weight
        with np.errstate(divide="ignore", invalid="ignore"):
            first, second = c / (w + new.weights), -c / (w - new.weights)
        is_whole = np.abs(new.weights) >= w
        low = np.where(is_whole, -np.inf, np.minimum(first, second))
        high = np.where(is_whole, np.inf, np.maximum(first, second))
        value, sigma = new.values[:, None], new.sigma[:, None]
        return value + sigma * low, value + sigma * high

    def left_out_residuals(self) -> FloatArray:
        """y_i - f_-i(x_i) = c_i / G_ii."""
        inverse = self._solve(np.eye(len(self._y)))
        diagonal = np.diag(inverse) - self._ones**2 / self._sum
        return np.asarray(self.coef / diagonal)

    def jackknife_ends(self, Z: Any, residuals: FloatArray) -> Ends:
        """f_-i(x) less and plus the size of the left-out residual: (m, n) each."""
        new = self._new_rows(Z)
        values = new.values[:, None] - new.weights * residuals
        return values - np.abs(residuals), values + np.abs(residuals)


@dataclass(frozen=True, eq=False)
class RidgeEnds:
    """Full conformal or jackknife+ intervals of a least squares machine.

    Attributes
    ----------
    machine : LSSVR
        Fitted to the rows: its kernel is that of all of them.
    X, y, weight : rows, targets and weights
        What it was fitted to.
    scores : ndarray of shape (n_rows,) or None
        Sizes of the left-out residuals for jackknife+; None for full conformal.
    """

    machine: LSSVR
    X: Any
    y: FloatArray
    weight: FloatArray
    scores: FloatArray | None

    @cached_property
    def _of_all_rows(self) -> Ridge:
        return Ridge(self.machine, self.machine.kernel_, self.X, self.y, self.weight)

    @cached_property
    def _residuals(self) -> FloatArray:
        return self._of_all_rows.left_out_residuals()

    def __getstate__(self) -> dict[str, Any]:
        """The fields; what was computed from them is computed again."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def jackknife(cls, machine: LSSVR, X: Any, y: FloatArray, weight: FloatArray) -> RidgeEnds:
        """Jackknife+."""
        made = cls(machine, X, y, weight, None)
        return replace(made, scores=np.abs(made._residuals))

    def ends(self, Z: Any) -> Ends:
        """Lower and upper ends of new rows, one for each old row: (m, n) each."""
        Z = read_new_rows(self.machine, Z)
        if self.scores is not None:
            return self._of_all_rows.jackknife_ends(Z, self._residuals)
        if has_fixed_kernel(self.machine, self.X):
            return self._of_all_rows.full_ends(Z)
        rows = (take_rows(Z, np.array([j])) for j in range(count_rows(Z)))
        each = [self._with(row).full_ends(row) for row in rows]
        return np.concatenate([low for low, _ in each]), np.concatenate([high for _, high in each])

    def _with(self, row: Any) -> Ridge:
        """The system with the kernel that the rows and a new one ask for."""
        weight = np.append(self.weight, 1.0)
        kernel = resolve_kernel(self.machine, stacked(self.X, row), weight)
        return Ridge(self.machine, kernel, self.X, self.y, self.weight)
