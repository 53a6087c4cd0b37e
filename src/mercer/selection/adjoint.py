"""How a trained machine changes with C and its kernel: one linear system for all of them.

With free variables u and others g on their bounds, and groups e with multipliers m, a solution of
the general problem (docs/theory/problem.md#optimality) satisfies

    (K_uu + D_u) beta_u + E_u m = linear_u - K_ug beta_g,    E_u' beta_u = sums - E_g' beta_g.

A parameter t moves both sides, and with H = [[K_uu + D_u, E_u], [E_u', 0]]

    H (beta_u'; m') = (r_u; r_e),
    r_u = -(K' beta)_u - K_ug beta_g' - D_u' beta_u,    r_e = sums' - E_g' beta_g'

(Glasmachers 2008, section 9.3.1, for one group and no ridge). A criterion J with derivatives c by
the values F(x) = sum_i beta_i k(x_i, x) and c_e by the multipliers changes by

    J' = c' K'_x beta + c' K_xg beta_g' + d_u' r_u + d_e' r_e,    H (d_u; d_e) = (K_ux c; c_e):

d is found once, and each parameter costs a product with its K' only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lstsq
from scipy.linalg.lapack import dsysvx
from scipy.sparse.linalg import LinearOperator, minres

from mercer.formulations import FittedParameters, Formulation
from mercer.gram import Gram
from mercer.problem import Problem, Solution
from mercer.problem.family import Powers

__all__ = ["Trained"]

FloatArray = NDArray[np.float64]

_DIRECT = 3000  # free variables up to which the system is solved by a factor of it
_RANK = 1e-12  # singular values below this share of the largest count as zero
_CG_TOL = 1e-10
_BLOCK = 64  # columns that LAPACK factors together


@dataclass(frozen=True, eq=False)
class Trained:
    """A solved formulation, to be differentiated.

    Attributes
    ----------
    formulation : Formulation
        What was solved.
    solution : Solution
        Its solution.
    gram : Gram
        Its kernel values; ``gram.kernel`` is the kernel that moves.
    rows : array, sparse matrix or sequence
        The rows of the Gram.
    powers : Powers
        How the problem depends on the logarithm of C.
    """

    formulation: Formulation
    solution: Solution
    gram: Gram
    rows: Any
    powers: Powers

    @property
    def problem(self) -> Problem:
        """That of the formulation."""
        return self.formulation.problem

    @property
    def free(self) -> NDArray[np.intp]:
        """Variables between their bounds."""
        return np.flatnonzero(np.logical_and(*self.problem.room(self.solution.coef)))

    def values(self, at: NDArray[np.intp]) -> FloatArray:
        """f at some rows of the Gram."""
        fitted = self.fitted
        used = np.flatnonzero(fitted.coef)
        out = self.gram.product(used, fitted.coef[used], rows=at, precision="double")
        return out + self.bias

    @property
    def bias(self) -> float:
        """What is added to the kernel values; a penalized bias is part of the kernel."""
        return 0.0 if self.formulation.kind == "penalized" else self.fitted.intercept

    @property
    def fitted(self) -> FittedParameters:
        """Coefficients by row and the bias."""
        return self.formulation.fitted_parameters(self.solution)

    def pulled_back(self, at: NDArray[np.intp], slope: FloatArray) -> tuple[float, FloatArray]:
        """The derivative by the logarithm of C, and ``left``, one entry for each row.

        Of a criterion whose derivative by the values f at the rows ``at`` is ``slope``. That by a
        parameter of the kernel is ``left' K' beta``, beta being :attr:`row_coef`
        (:class:`mercer.selection.gradient_sum.GradientSum`).
        """
        weight, by_multiplier = self._slopes(at, slope)
        beta, problem = self.solution.coef, self.problem
        free = self.free
        d_free, d_group = self._adjoint(free, weight, by_multiplier)
        # d_free enters with the rows of its variables, and a minus sign, as r_u does
        left = weight - np.bincount(problem.index[free], d_free, self.gram.n_rows)
        moved = self.powers.box * beta
        moved[free] = 0.0
        by_C = float(left @ self._product(problem.row_coef(moved, self.gram.n_rows)))
        by_C -= self.powers.ridge * float(d_free @ (problem.ridge * beta)[free])
        sums = self.powers.sums * problem.group_sum - problem.group_sums(moved)
        return by_C + float(d_group @ sums), left

    @property
    def row_coef(self) -> FloatArray:
        """The coefficient of each row, as the problem has it."""
        return self.problem.row_coef(self.solution.coef, self.gram.n_rows)

    def _slopes(self, at: NDArray[np.intp], slope: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Derivatives by the values F of all rows, and by the multipliers.

        f = F + m for one group, (F + (m_0 + m_1) / 2) / rho with rho = (m_1 - m_0) / 2 for the nu
        family, F without a bias. A group without a free variable has its multiplier midway
        between the gradients, linear - F, of the two variables that limit it.
        """
        weight: FloatArray = np.bincount(at, slope, self.gram.n_rows).astype(np.float64)
        multiplier = self.solution.multiplier
        total = float(slope.sum())
        by_multiplier = np.full(len(multiplier), total / max(len(multiplier), 1))
        if self.formulation.kind in ("no_bias", "penalized"):
            by_multiplier[:] = 0.0
        scale = self.fitted.scale
        if scale is not None and self.formulation.kind == "nu":
            by_half = -scale * float(slope @ self.values(at))
            by_multiplier = scale * by_multiplier + by_half * np.array([-0.5, 0.5])
            weight *= scale
        for group in np.flatnonzero(by_multiplier):
            if not (self.problem.group[self.free] == group).any():
                ends = self._ends(int(group))
                np.subtract.at(weight, self.problem.index[ends], by_multiplier[group] / len(ends))
                by_multiplier[group] = 0.0
        return weight, by_multiplier

    def _ends(self, group: int) -> NDArray[np.intp]:
        """The variables whose gradients limit the multiplier of a group from both sides."""
        problem, gradient = self.problem, self.solution.gradient
        rises, falls = problem.room(self.solution.coef)
        up = np.flatnonzero((problem.group == group) & rises)
        down = np.flatnonzero((problem.group == group) & falls)
        ends = [
            side[best(gradient[side])]
            for side, best in ((up, np.argmax), (down, np.argmin))
            if len(side)
        ]
        return np.asarray(ends, dtype=np.intp)

    def _adjoint(
        self, free: NDArray[np.intp], weight: FloatArray, by_multiplier: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """d of the module's formula: of the free variables, and of the groups."""
        problem = self.problem
        border = np.zeros((len(free), problem.n_groups))
        grouped = problem.group[free] >= 0
        border[grouped, problem.group[free][grouped]] = 1.0
        right = np.concatenate([self._product(weight)[problem.index[free]], by_multiplier])
        if not len(free):
            return np.empty(0), np.zeros(problem.n_groups)
        solve = self._by_factor if len(free) <= _DIRECT else self._by_iteration
        found = solve(free, border, right)
        return found[: len(free)], found[len(free) :]

    def _by_factor(
        self, free: NDArray[np.intp], border: FloatArray, right: FloatArray
    ) -> FloatArray:
        """The shortest solution: rows given twice make the system singular, but not F.

        A factor of the symmetric system takes a tenth of the time; it serves if the system is
        regular.
        """
        rows = self.problem.index[free]
        n, m = border.shape
        system = np.zeros((n + m, n + m))
        system[:n, :n] = self.gram.block(rows, rows, precision="double")
        system[np.arange(n), np.arange(n)] += self.problem.ridge[free]
        system[:n, n:], system[n:, :n] = border, border.T
        # without room for blocks LAPACK takes three to six times as long
        *_, found, condition, _, _, info = dsysvx(system, right, lwork=_BLOCK * len(system))
        if info == 0 and condition > _RANK:
            return np.asarray(found[:, 0] if found.ndim == 2 else found)
        return np.asarray(lstsq(system, right, cond=_RANK)[0])

    def _by_iteration(
        self, free: NDArray[np.intp], border: FloatArray, right: FloatArray
    ) -> FloatArray:
        """By minimum residuals, for systems too large to be stored."""
        rows, ridge = self.problem.index[free], self.problem.ridge[free]
        n, m = border.shape

        def apply(vector: FloatArray) -> FloatArray:
            top, bottom = vector[:n], vector[n:]
            values = self.gram.product(rows, top, rows=rows, precision="double")
            return np.concatenate([values + ridge * top + border @ bottom, border.T @ top])

        operator = LinearOperator((n + m, n + m), matvec=apply, dtype=np.float64)
        return np.asarray(minres(operator, right, rtol=_CG_TOL)[0])

    def _product(self, weight: FloatArray) -> FloatArray:
        """K times one weight for each row."""
        used = np.flatnonzero(weight)
        if not len(used):
            return np.zeros(self.gram.n_rows)
        return self.gram.product(used, weight[used], precision="double")
