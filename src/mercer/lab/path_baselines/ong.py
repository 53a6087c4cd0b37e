"""The path algorithm of Ong, Shao and Yang, which goes on where the system is singular (2010).

As Hastie's, with one point moving at a time. Where the system of E is singular, or its solution
leaves the box at once, the next breakpoint is the optimum of a linear program: the smallest t for
which a solution with these three sets exists (Sentelle 2014, section 6.5, equation 6.116),

    minimize    t
    subject to  Q_EE a_E + Q_EL 1 + y_E bias = t 1,    y_E' a_E + y_L' 1 = 0,    0 <= a_E <= 1,
                Q_i. a + y_i bias <= t on L,  >= t on R,    t <= where we are.

Where that brings no progress, or rounding has broken the optimality conditions, a solution a little
further on is computed afresh: what the authors call the backup routine. It has the program start
at a tiny C by SMO; here it starts where mercer's path does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

from mercer.formulations import svc
from mercer.gram import Gram
from mercer.kernels import Precomputed
from mercer.lab.path_baselines.hastie import BaselinePath, PathState, Status
from mercer.solvers import solve

__all__ = ["ong_path"]

FloatArray = NDArray[np.float64]
_AT = 1e-8  # relative distance at which a point is on the margin, or a share at its bound
_FURTHER = 1e-4  # relative distance of a solution that is computed afresh
_VIOLATION = 1e-6
_MOST_RESTARTS = 1000


def ong_path(
    K: ArrayLike, y: ArrayLike, *, C_max: float = 1e3, max_events: int = 100_000
) -> BaselinePath:
    """Follow the path on a semi-definite kernel matrix; labels are -1 and +1.

    Parameters
    ----------
    K : array-like of shape (n_rows, n_rows)
        The kernel matrix.
    y : array-like of shape (n_rows,)
        Labels.
    C_max : float, default=1000.0
        Where to end.
    max_events : int, default=100000
        Largest number of breakpoints.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.lab import ong_path
    >>> X = np.array([[0.0], [0.0], [2.0], [2.0]])  # every row twice
    >>> ong_path(X @ X.T, [-1, -1, 1, 1], C_max=10.0).status
    'complete'
    """
    state = _MarginSet(np.asarray(K, dtype=float), np.asarray(y, dtype=float))
    out = state.follow(1.0 / C_max, False, max_events)
    out.restarts = state.restarts
    return out


class _MarginSet(PathState):
    """E holds every point on the margin, whether the system has one solution or many."""

    restarts, idle = 0, 0

    def step(self, last: float, together: bool) -> Status | None:
        """To the next breakpoint, by the program or afresh if need be."""
        before = self.a.copy(), self.f, self.bias, self.t, self.E, self.L
        status = super().step(last, together)
        if status == "singular" or self._outside() > _VIOLATION:
            self.a, self.f, self.bias, self.t, self.E, self.L = before
            status = self._by_program(last)
        self.idle = self.idle + 1 if self.t > before[3] * (1.0 - 1e-12) else 0
        is_lost = status == "stuck" or self.idle > 2 * self.E.sum() + 10
        if status is None and not is_lost:
            is_lost = self._violation() > _VIOLATION
        if not is_lost:
            return status
        if self.restarts >= _MOST_RESTARTS:
            return "stuck"
        return self._afresh(last)

    def _by_program(self, last: float) -> Status | None:
        """The last solution with these sets; its points change sides."""
        E, L, y = np.flatnonzero(self.E), self.L, self.y
        R = ~self.E & ~L
        Q = self.K * y[:, None]  # the label of the column is still to come
        columns = np.column_stack([Q[:, E] * y[E], y, -np.ones(len(y))])
        fixed = Q[:, L] @ y[L]
        balance = np.append(y[E], [0.0, 0.0])
        found = linprog(
            np.append(np.zeros(len(E) + 1), 1.0),
            A_ub=np.vstack([columns[L], -columns[R]]) / self.t,
            b_ub=np.append(-fixed[L], fixed[R]) / self.t,
            A_eq=np.vstack([columns[E] / self.t, balance]),
            b_eq=np.append(-fixed[E] / self.t, -y[L].sum()),
            bounds=[(0.0, 1.0)] * len(E) + [(None, None), (last, self.t)],
            method="highs",
        )
        if found.status != 0:
            return "stuck"
        self.a[E] = np.clip(found.x[: len(E)], 0.0, 1.0)
        self.bias, self.t = float(found.x[-2]), float(found.x[-1])
        self._assign(self.E)
        return "C_max" if self.t <= last * (1.0 + 1e-12) else None

    def _afresh(self, last: float) -> Status | None:
        """A solution a little further on, and its sets."""
        self.restarts, self.idle, self.moved = self.restarts + 1, 0, -1
        t = max(self.t * (1.0 - _FURTHER), last)
        gram = Gram(Precomputed(), self.K, precision="double")
        found = solve(svc(self.y, 1.0 / t).problem, gram, "active-set", tol=1e-9)
        self.a = np.clip(np.abs(found.coef) * t, 0.0, 1.0)
        self.t, self.bias = t, float(found.multiplier[0]) * t
        self._assign(np.zeros(len(self.y), dtype=bool))
        return "C_max" if t <= last else None

    def _assign(self, was_inside: NDArray[np.bool_]) -> None:
        """The three sets of a solution; of what was on the margin only the free points stay."""
        self.a[self.a < _AT], self.a[self.a > 1.0 - _AT] = 0.0, 1.0
        self.f = (self.K @ (self.y * self.a) + self.bias) / self.t
        is_free = (self.a > 0.0) & (self.a < 1.0)
        on_margin = np.abs(self.y * self.f - 1.0) < _AT
        self.E = is_free | (on_margin & ~was_inside)
        self.L = (self.a == 1.0) & ~self.E
        self.moved = -1

    def _outside(self) -> float:
        """How far a share is out of the box."""
        return max(float(-self.a.min()), float(self.a.max()) - 1.0)

    def _violation(self) -> float:
        """Of the optimality conditions, as margins."""
        margin = self.y * self.f
        R = ~self.E & ~self.L
        off = np.abs(margin[self.E] - 1.0).max(initial=0.0)
        return max(off, (margin[self.L] - 1.0).max(initial=0.0), (1.0 - margin[R]).max(initial=0.0))
