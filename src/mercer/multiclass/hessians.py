"""Systems of a problem's central path: H + D + G g G', H being the Hessian of all variables.

D is diagonal; G adds up the variables that share a bound, one by one or all of a row. H is a
matrix, or of a low rank: with K = F F', rows f_i of F, H = V V' where V has the rows nu_ip (x) f_i,
and (Fine & Scheinberg 2001)

    (E + V V')^-1 = E^-1 - E^-1 V (I + V'E^-1 V)^-1 V'E^-1,    V'E^-1 V = sum_i M_i (x) f_i f_i',

where E = D + G g G' has a block for each row, and M_i = sum_pq (E_i^-1)_pq nu_p nu_q'. That is a
system of n_classes times the rank of K, for any number of rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from mercer.multiclass.problem import MulticlassProblem

__all__ = ["DenseHessian", "Hessian", "LowRankHessian"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
Solve = Callable[[FloatArray], FloatArray]


class Hessian(Protocol):
    """Of the variables of a problem, row by row."""

    def product(self, x: FloatArray) -> FloatArray:
        """H x."""
        ...

    def solver(
        self, x: FloatArray, diagonal: FloatArray, shared: FloatArray, group: IntArray
    ) -> Solve | None:
        """Solves with H + D + G g G' at x; None if rounding has made it indefinite."""
        ...


@dataclass(frozen=True, eq=False)
class DenseHessian:
    """A matrix."""

    matrix: FloatArray

    def product(self, x: FloatArray) -> FloatArray:
        return np.asarray(self.matrix @ x)

    def solver(
        self, x: FloatArray, diagonal: FloatArray, shared: FloatArray, group: IntArray
    ) -> Solve | None:
        """The last part may be so large that nothing of the first two is left in the sum.

        So the system is that of new variables: of each bound the largest variable stands for the
        sum of all, and the others for exchanges with it. Only the diagonal of the sums is large.
        """
        system = self.matrix.copy()
        system[np.diag_indices_from(system)] += diagonal
        order = np.lexsort((-x, group))
        leads = order[np.searchsorted(group[order], np.arange(len(shared)))]
        others = np.setdiff1d(order, leads)
        lead_of = leads[group[others]]
        system[others] -= system[lead_of]
        system[:, others] -= system[:, lead_of]
        system[leads, leads] += shared
        factor = _factor(system)
        if factor is None:
            return None

        def solve(right: FloatArray) -> FloatArray:
            turned = right.copy()
            turned[others] -= right[lead_of]
            found = factor(turned)
            found[leads] -= np.bincount(group[others], found[others], len(shared))
            return found

        return solve


@dataclass(frozen=True, eq=False)
class LowRankHessian:
    """That of a kernel matrix ``factor factor'``; all rows of the problem have variables.

    Columns of the factor should be orthogonal: then the condition of the system is that of its
    rows' weights, however small some columns are. Functions add up to zero, and a basis of those
    that do takes the place of the classes: along their sum the system would be all rounding.
    """

    problem: MulticlassProblem
    factor: FloatArray  # (n_rows, rank)

    def product(self, x: FloatArray) -> FloatArray:
        return self._margins(self._weights(x))

    def solver(
        self, x: FloatArray, diagonal: FloatArray, shared: FloatArray, group: IntArray
    ) -> Solve | None:
        rows = _RowBlocks.of(self.problem, diagonal, shared)
        factor = _factor(self._system(rows))
        if factor is None:
            return None

        def solve(right: FloatArray) -> FloatArray:
            first = rows.solve(right)
            weights = factor((self._basis @ self._weights(first)).ravel())
            of_classes = self._basis.T @ weights.reshape(len(self._basis), -1)
            return first - rows.solve(self._margins(of_classes))

        return solve

    @cached_property
    def _basis(self) -> FloatArray:
        """Orthonormal vectors of classes that add up to zero, as rows."""
        return np.asarray(scipy.linalg.helmert(self.problem.n_classes))

    def _weights(self, x: FloatArray) -> FloatArray:
        """V'x: the weights of all functions, a row for each class."""
        alpha = _square(self.problem, x)
        return np.asarray(self.problem.coefficients(alpha) @ self.factor)

    def _margins(self, weights: FloatArray) -> FloatArray:
        """V times weights: <nu_p, f> of each variable."""
        p = self.problem
        return _flat(p, p.margin - p.slopes(weights @ self.factor.T))

    def _system(self, rows: _RowBlocks) -> FloatArray:
        """I + sum_i M_i (x) f_i f_i'."""
        n, rank = self.problem.n_classes, self.factor.shape[1]
        blocks = np.empty((n, rank, n, rank))
        for a in range(n):
            weights = rows.products(a)
            for b in range(a + 1):
                blocks[a, :, b] = self.factor.T @ (weights[b][:, None] * self.factor)
                blocks[b, :, a] = blocks[a, :, b].T
        turned = np.tensordot(self._basis, blocks, (1, 0))
        turned = np.moveaxis(np.tensordot(turned, self._basis, (2, 1)), 3, 2)
        system = turned.reshape((n - 1) * rank, -1)
        system[np.diag_indices_from(system)] += 1.0
        return system


@dataclass(frozen=True, eq=False)
class _RowBlocks:
    """E of each row: diag(1/b) + g 1 1', so that E^-1 = diag(b) - g/(1 + g sum b) b b'."""

    problem: MulticlassProblem
    inverse: FloatArray  # b, of shape (n_classes, n_rows), 0 for own classes
    shrinkage: FloatArray  # g / (1 + g sum b)

    @classmethod
    def of(cls, problem: MulticlassProblem, diagonal: FloatArray, shared: FloatArray) -> _RowBlocks:
        each = diagonal if problem.one_slack else diagonal + shared
        inverse = _square(problem, 1.0 / each)
        if not problem.one_slack:
            return cls(problem, inverse, np.zeros(problem.n_rows))
        return cls(problem, inverse, shared / (1.0 + shared * inverse.sum(axis=0)))

    def solve(self, right: FloatArray) -> FloatArray:
        found = self.inverse * _square(self.problem, right)
        found -= self.inverse * (self.shrinkage * found.sum(axis=0))
        return _flat(self.problem, found)

    def products(self, a: int) -> FloatArray:
        """Row a of every M_i: of shape (n_classes, n_rows).

        With s = E^-1 1 and nu_p = e_y - e_p that is E^-1 - e_y s' - s e_y' + sum(s) e_y e_y', and
        with nu_p = 1/N - e_p it is E^-1 - (1 s' + s 1')/N + sum(s)/N^2.
        """
        p, b = self.problem, self.inverse
        s = b * (1.0 - self.shrinkage * b.sum(axis=0))
        found = -self.shrinkage * b[a] * b
        found[a] += b[a]
        if p.margins == "absolute":
            found -= (s + s[a]) / p.n_classes
            return np.asarray(found + s.sum(axis=0) / p.n_classes**2)
        is_own = p.labels == a
        found[:, is_own] -= s[:, is_own]
        found[p.own] -= s[a]
        found[a, is_own] += s.sum(axis=0)[is_own]
        return found


def _square(problem: MulticlassProblem, x: FloatArray) -> FloatArray:
    """Variables, given row by row, as an array of shape (n_classes, n_rows)."""
    full = np.zeros((problem.n_rows, problem.n_classes))
    full[_is_other(problem)] = x
    return np.ascontiguousarray(full.T)


def _flat(problem: MulticlassProblem, alpha: FloatArray) -> FloatArray:
    return np.asarray(alpha.T[_is_other(problem)])


def _is_other(problem: MulticlassProblem) -> NDArray[np.bool_]:
    return np.asarray(np.arange(problem.n_classes) != problem.labels[:, None])


def _factor(system: FloatArray) -> Solve | None:
    """Solves with a positive definite system, a little more of it if rounding asks for that."""
    size = float(np.diag(system).mean())
    for more in (0.0, 1e-15, 1e-13):
        changed = system.copy()
        changed[np.diag_indices_from(changed)] += more * size
        try:
            factor = scipy.linalg.cho_factor(
                changed, lower=True, overwrite_a=True, check_finite=False
            )
        except scipy.linalg.LinAlgError:
            continue
        return lambda right: np.asarray(scipy.linalg.cho_solve(factor, right, check_finite=False))
    return None
