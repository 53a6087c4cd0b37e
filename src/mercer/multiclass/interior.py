"""A primal-dual interior point method for problems that steps of rows are slow on.

With variables x >= 0, slacks u = upper - G'x >= 0 (G adds up the variables that share a bound) and
multipliers z of x and w of u, points of the central path have

    Q x - margin - z + G w = 0,    x z = mu,    u w = mu.

Their number of Newton steps hardly depends on how large C k(x, x) is. Mehrotra 1992: a step towards
mu = 0 tells how far mu may fall, and its products of changes correct the step that is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from mercer.gram import Gram
from mercer.multiclass.directions import Directions, all_directions, curvatures
from mercer.multiclass.hessians import DenseHessian, Hessian, LowRankHessian, Solve
from mercer.multiclass.problem import MulticlassProblem

__all__ = ["interior_points"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
_Change = tuple[FloatArray, FloatArray, FloatArray, FloatArray]  # of x, u, z and w
_VAIN_STEPS = 5  # that do not close the gap
_BACK = 0.995  # share of the way to the boundary
_SMALL_GAP = 1e-15  # relative
_LITTLE = 1e-3  # of a margin, that rounding may cost
_SHORTEST = 1e-6  # step that is worth it


def interior_points(
    problem: MulticlassProblem,
    gram: Gram,
    may_go_on: Callable[[], bool],
    factor: FloatArray | None = None,
) -> list[FloatArray]:
    """Points near the solution: what tends to a bound is moved to it, in two ways.

    The kernel matrix is ``factor factor'``, if that is known.
    """
    along = all_directions(problem)
    if not len(along.rows):
        return []
    hessian, curvature = _hessian(problem, gram, along, factor)
    if not 0.0 < curvature < np.inf:
        return []
    path = _Path.of(problem, along, hessian, curvature)
    best, n_vain = path, 0
    # more threads would only wait for each other
    with threadpool_limits(1, user_api="blas"):
        while n_vain < _VAIN_STEPS and may_go_on():
            following = path.advanced()
            if following is None:
                break
            path, n_vain = following, n_vain + 1
            if path.excess < best.excess:
                best, n_vain = path, 0
    usual = float(best.x.mean())
    return [best.point(problem, along, curvature, size / problem.margin) for size in (1.0, usual)]


def _hessian(
    problem: MulticlassProblem, gram: Gram, along: Directions, factor: FloatArray | None
) -> tuple[Hessian, float]:
    """The Hessian in units of its largest curvature."""
    if factor is None:
        matrix = curvatures(problem, gram, along)
        curvature = float(np.diag(matrix).max())
        return DenseHessian(matrix / curvature if curvature > 0.0 else matrix), curvature
    present = np.flatnonzero(problem.upper > 0.0)
    curvature = 2.0 * float((factor[present] ** 2).sum(axis=1).max())
    scaled = factor[present] / np.sqrt(curvature) if curvature > 0.0 else factor[present]
    return LowRankHessian(problem.on_rows(present), scaled), curvature


@dataclass(frozen=True, eq=False)
class _Path:
    """Variables, slacks and multipliers; variables are in units of 1 / largest curvature."""

    hessian: Hessian
    margin: float
    group: IntArray  # of each variable, the slack it shares
    x: FloatArray
    u: FloatArray
    z: FloatArray
    w: FloatArray

    @classmethod
    def of(
        cls, problem: MulticlassProblem, along: Directions, hessian: Hessian, curvature: float
    ) -> _Path:
        """Where to start: in the middle, with multipliers that miss nothing."""
        n, margin = len(along.rows), problem.margin
        if problem.one_slack:
            used, group = np.unique(along.rows, return_inverse=True)
            upper = curvature * problem.upper[used]
        else:
            group, upper = np.arange(n), curvature * problem.upper[along.rows]
        x = (upper / (np.bincount(group) + 1.0))[group]
        u = upper - np.bincount(group, x)
        slope = hessian.product(x) - margin
        w = np.full(len(u), margin)
        np.maximum.at(w, group, margin - slope)
        return cls(hessian, margin, group, x, u, slope + w[group], w)

    @property
    def gap(self) -> float:
        """sum x z + sum u w."""
        return float(self.x @ self.z + self.u @ self.w)

    @property
    def missing(self) -> FloatArray:
        """What rounding leaves of Q x - margin - z + G w."""
        return self.hessian.product(self.x) - self.margin - self.z + self.w[self.group]

    @property
    def excess(self) -> float:
        """The gap, and what missing margins cost unless they are small."""
        missing = np.maximum(np.abs(self.missing) - _LITTLE * self.margin, 0.0)
        return self.gap + float(self.x @ missing)

    def advanced(self) -> _Path | None:
        """The path after a step of Mehrotra 1992; None if none is worth it."""
        missing = self.missing
        mu = self.gap / (len(self.x) + len(self.u))
        solve = self._solver()
        if solve is None or not self.gap > _SMALL_GAP * self.margin * float(self.x.sum()):
            return None
        change = self._changes(solve, missing, -self.x * self.z, -self.u * self.w)
        ahead = self._moved(change, self._length(change))
        target = mu * (ahead.gap / self.gap) ** 3
        dx, du, dz, dw = change
        corrected = self._changes(
            solve,
            missing,
            target - self.x * self.z - dx * dz,
            target - self.u * self.w - du * dw,
        )
        length = _BACK * self._length(corrected)
        return self._moved(corrected, length) if length > _SHORTEST else None

    def _solver(self) -> Solve | None:
        """Solves with Q + z/x + G (w/u) G'."""
        return self.hessian.solver(self.x, self.z / self.x, self.w / self.u, self.group)

    def _changes(
        self,
        solve: Solve,
        missing: FloatArray,
        xz: FloatArray,
        uw: FloatArray,
    ) -> _Change:
        """The Newton step that removes ``missing`` and changes x z by ``xz``, u w by ``uw``."""
        right = -missing + xz / self.x - (uw / self.u)[self.group]
        dx = solve(right)
        off = right - self.hessian.product(dx) - self.z / self.x * dx
        dx += solve(off - (self.w / self.u * self._sums(dx))[self.group])
        du = -self._sums(dx)
        return dx, du, (xz - self.z * dx) / self.x, (uw - self.w * du) / self.u

    def _sums(self, each: FloatArray) -> FloatArray:
        """What variables that share a slack add up to."""
        return np.bincount(self.group, each).astype(np.float64, copy=False)

    def _length(self, change: _Change) -> float:
        """The longest step, up to 1, that keeps all numbers positive."""
        length = 1.0
        for now, rise in zip((self.x, self.u, self.z, self.w), change, strict=True):
            falls = rise < 0.0
            length = min(length, float((-now[falls] / rise[falls]).min(initial=np.inf)))
        return length if all(np.isfinite(part).all() for part in change) else 0.0

    def _moved(self, change: _Change, length: float) -> _Path:
        parts = zip((self.x, self.u, self.z, self.w), change, strict=True)
        x, u, z, w = (now + length * rise for now, rise in parts)
        return replace(self, x=x, u=u, z=z, w=w)

    def point(
        self, problem: MulticlassProblem, along: Directions, curvature: float, size: float
    ) -> FloatArray:
        """All variables; what is smaller than ``size`` times its multiplier is at its bound."""
        amounts = np.where(self.x > size * self.z, self.x, 0.0) / curvature
        is_full = (self.u <= size * self.w)[self.group]
        upper = problem.upper[along.rows]
        if problem.one_slack:
            total = np.bincount(self.group, amounts)[self.group]
            amounts[is_full] *= (upper / np.where(total > 0.0, total, 1.0))[is_full]
        else:
            amounts[is_full] = upper[is_full]
        return problem.feasible(along.spread(amounts, problem.shape))
