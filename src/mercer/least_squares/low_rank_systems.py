"""The three low-rank machines of least squares, and their average (Rifkin 2002, section 3.7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.least_squares.features import FeatureSystem
from mercer.least_squares.leave_one_out import LeaveOneOutSystem
from mercer.solvers.linear_system.factors import linear_form
from mercer.solvers.linear_system.residual import dual_residual
from mercer.solvers.linear_system.system import System

__all__ = ["AverageSystem", "NystromSystem", "SubsetSystem"]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]


class SubsetSystem:
    """(K_mm + alpha) c = y_m: only the rows of the subset count.

    The leave-one-out value of any other row is its fitted value.

    Parameters
    ----------
    system : System
        Of all rows.
    subset : ndarray of shape (m,)
        The rows that count.
    inner : LeaveOneOutSystem
        The factored system of the subset.
    cross : callable
        From a slice of rows to their kernel values with the subset.
    among : callable
        The kernel values of the subset.
    """

    def __init__(
        self,
        system: System,
        subset: IndexArray,
        inner: LeaveOneOutSystem,
        cross: Callable[[slice], FloatArray],
        among: Callable[[], FloatArray],
    ) -> None:
        self.system, self.subset, self.inner, self.cross = system, subset, inner, cross
        self.among = among
        self.n_rows = system.n_rows
        self._place = np.full(system.n_rows, -1)
        self._place[subset] = np.arange(len(subset))
        self._known: tuple[FloatArray, Any, FloatArray] | None = None

    @property
    def largest(self) -> float:
        """Largest eigenvalue of the matrix of the subset."""
        return self.inner.largest

    @property
    def rounding(self) -> float:
        """That of the matrix of the subset."""
        return self.inner.rounding

    def condition(self, alpha: float) -> float:
        """Condition of the matrix solved with."""
        return self.inner.condition(alpha)

    def residual(self, alpha: float) -> float:
        """Relative residual of the system of the subset."""
        coef, intercept = self.solve(alpha)
        K = self.among()
        return dual_residual(
            self.inner.system, alpha, coef, intercept, lambda V: K @ V, np.diagonal(K)
        )

    def dof(self, alphas: FloatArray) -> FloatArray:
        """Effective degrees of freedom of the machine of the subset."""
        return self.inner.dof(alphas)

    def solve(self, alpha: float) -> tuple[FloatArray, FloatArray]:
        """Coefficients of the subset and intercepts."""
        return self.inner.solve(alpha)

    def evaluate(self, alphas: FloatArray, rows: slice) -> tuple[FloatArray, FloatArray]:
        """Fitted values, and leave-one-out values where leaving out changes anything."""
        solved, own = self._solved(alphas)
        block = self.cross(rows)
        fitted = np.array([block @ coef + intercept for coef, intercept in solved])
        held_out = fitted.copy()
        place = self._place[rows]
        inside = np.flatnonzero(place >= 0)
        held_out[:, inside] = own[:, place[inside]]
        return fitted, held_out

    def _solved(self, alphas: FloatArray) -> tuple[Any, FloatArray]:
        """Machines and leave-one-out values of the subset, kept for the next block of rows."""
        if self._known is None or not np.array_equal(self._known[0], alphas):
            solved = [self.solve(float(alpha)) for alpha in alphas]
            own = self.inner.evaluate(alphas, slice(0, self.inner.n_rows))[1]
            self._known = alphas.copy(), solved, own
        return self._known[1:]


class NystromSystem:
    """(K~ + alpha) c = y with the approximate kernel K~, evaluated with the true kernel K.

    With N the block of the inverse of the bordered matrix of K~ and g its border, leaving out
    row i changes c by -(c_i / N_ii) N_.i and b by -(c_i / N_ii) g_i, hence

        f_-i(x_i) = (K c)_i + b - (e_i / (1 - h_i)) ((K N)_ii + g_i),

    e_i and h_i the residual and leverage of the approximate machine. One product of K with
    the features gives all of these for every alpha.

    Parameters
    ----------
    inner : FeatureSystem
        The machine of the approximate kernel.
    product : callable
        From V to K V.
    diagonal : ndarray of shape (n_rows,)
        k(x, x).
    """

    def __init__(
        self,
        inner: FeatureSystem,
        product: Callable[[FloatArray], FloatArray],
        diagonal: FloatArray,
    ) -> None:
        self.inner, self.diagonal = inner, diagonal
        s, solver = inner.system, inner.solver
        self._T = np.vstack([solver.coordinates(inner.source(rows)) for rows in inner.blocks])
        centred = s.targets - solver.moments.target_mean
        weighted = s.weight[:, None] * np.hstack([self._T, np.ones((s.n_rows, 1)), centred])
        image = product(weighted)
        rank = self._T.shape[1]
        self._KT, self._Kw, self._Ky = image[:, :rank], image[:, rank], image[:, rank + 1 :]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.inner.n_rows

    @property
    def largest(self) -> float:
        """Largest eigenvalue of the approximate kernel matrix."""
        return self.inner.largest

    @property
    def rounding(self) -> float:
        """That of the features."""
        return self.inner.rounding

    def condition(self, alpha: float) -> float:
        """Condition of the matrix solved with."""
        return self.inner.condition(alpha)

    def residual(self, alpha: float) -> float:
        """Relative residual of the system of the features."""
        return self.inner.residual(alpha)

    def dof(self, alphas: FloatArray) -> FloatArray:
        """Effective degrees of freedom of the approximate machine."""
        return self.inner.dof(alphas)

    def solve(self, alpha: float) -> tuple[FloatArray, FloatArray]:
        """Coefficients c = w (y - f~) / alpha of all rows and intercepts."""
        s, (_, intercept) = self.inner.system, self.inner.solve(alpha)
        fitted = self._approximate(np.array([alpha]), slice(0, self.n_rows))[0]
        return s.weight[:, None] * (s.targets - fitted) / alpha, intercept

    def _approximate(self, alphas: FloatArray, rows: slice) -> FloatArray:
        solver = self.inner.solver
        filters = solver.factor.filters(alphas)
        return solver.moments.target_mean + linear_form(self._T[rows], filters, solver.z)

    def evaluate(self, alphas: FloatArray, rows: slice) -> tuple[FloatArray, FloatArray]:
        """Fitted and leave-one-out values of some rows, both with the true kernel."""
        s, solver = self.inner.system, self.inner.solver
        m, filters = solver.moments, solver.factor.filters(alphas)
        T, w, by_alpha = self._T[rows], s.weight[rows], alphas[:, None]
        residual = s.targets[rows] - self._approximate(alphas, rows)
        step = residual / solver.remainder(T, filters, w)[:, :, None]
        image = self._Ky[rows] - linear_form(self._KT[rows], filters, solver.z)
        bias = np.array([self.inner.solve(float(alpha))[1] for alpha in alphas])
        fitted = image / by_alpha[:, :, None] + bias[:, None]
        own = self.diagonal[rows] - (self._KT[rows] * T @ filters.T).T
        border = np.zeros_like(own)
        if m.bias:
            own = own - self._Kw[rows] / m.total
            shift = solver.factor.coordinates(m.mean[None])
            border = w * (1.0 / m.total - (T * shift @ filters.T).T)
        change = w * own / by_alpha + border
        return fitted, fitted - step * change[:, :, None]


class AverageSystem:
    """The average of several machines on the same rows; smoothers average as machines do."""

    def __init__(self, systems: Sequence[Any]) -> None:
        self.systems = systems
        self.n_rows = systems[0].n_rows

    @property
    def largest(self) -> float:
        """The largest of the machines'."""
        return max(system.largest for system in self.systems)

    @property
    def rounding(self) -> float:
        """The largest of the machines'."""
        return max(system.rounding for system in self.systems)

    def condition(self, alpha: float) -> float:
        """The worst of the machines'."""
        return max(system.condition(alpha) for system in self.systems)

    def residual(self, alpha: float) -> float:
        """The worst of the machines'."""
        return max(system.residual(alpha) for system in self.systems)

    def dof(self, alphas: FloatArray) -> FloatArray:
        """Mean of the degrees of freedom."""
        return np.mean([system.dof(alphas) for system in self.systems], axis=0)

    def evaluate(self, alphas: FloatArray, rows: slice) -> tuple[FloatArray, FloatArray]:
        """Mean of the values."""
        values = [system.evaluate(alphas, rows) for system in self.systems]
        fitted, held_out = zip(*values, strict=True)
        return np.mean(fitted, axis=0), np.mean(held_out, axis=0)
