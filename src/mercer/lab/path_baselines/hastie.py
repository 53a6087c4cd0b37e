"""The path algorithm of Hastie, Rosset, Tibshirani and Zhu (Hastie et al. 2004).

Every point on the margin is in E, whose linear system is solved afresh at each breakpoint; all
points that meet a breakpoint move together. On semi-definite kernels the system becomes singular,
and stretches of the path are skipped when E empties: that is what :func:`mercer.svc_path` mends.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._shown import shown
from mercer.formulations import svc
from mercer.gram import Gram
from mercer.kernels import Precomputed
from mercer.paths.exact.start import exact_start

__all__ = ["BaselinePath", "PathState", "hastie_path"]

FloatArray = NDArray[np.float64]
Mask = NDArray[np.bool_]
Status = Literal["complete", "C_max", "trivial", "singular", "stuck", "max-events"]
_TIE = 1e-9  # relative distance of breakpoints that count as one
_ROUNDING = 1e-12
_SINGULAR = 1e12


@dataclass(eq=False)
class BaselinePath:
    """Breakpoints with their solutions, all of them stored.

    Attributes
    ----------
    parameter : list of float
        1/C of each breakpoint, falling.
    share : list of ndarray of shape (n_rows,)
        |coef| / C of each row there.
    bias : list of float
        The bias divided by C.
    status : str
        How it ended; "singular" and "stuck" are failures.
    restarts : int
        How often a solution was computed afresh; of :func:`ong_path` only.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.lab import hastie_path
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [-1, -1, 1, 1]
    >>> path = hastie_path(X @ X.T, y)
    >>> path.status, len(path.parameter) == len(path.bias)
    ('complete', True)
    """

    parameter: list[float] = field(default_factory=list)
    share: list[FloatArray] = field(default_factory=list)
    bias: list[float] = field(default_factory=list)
    status: Status = "max-events"
    restarts: int = 0

    __repr__ = shown()

    def record(self, parameter: float, share: FloatArray, bias: float) -> None:
        """One more breakpoint."""
        self.parameter.append(parameter)
        self.share.append(share.copy())
        self.bias.append(bias)

    def coef(self, C: float, y: ArrayLike) -> FloatArray:
        """Signed coefficients at ``C``, between the breakpoints around it."""
        t, at = 1.0 / C, np.array(self.parameter)
        k = int(np.clip(np.searchsorted(-at, -t, "right") - 1, 0, len(at) - 1))
        share = self.share[k]
        if k + 1 < len(at) and t < at[k]:
            part = (at[k] - t) / (at[k] - at[k + 1])
            share = share + part * (self.share[k + 1] - share)
        return np.asarray(np.asarray(y, dtype=float) * share * C)


def hastie_path(
    K: ArrayLike,
    y: ArrayLike,
    *,
    C_max: float = 1e3,
    max_events: int = 100_000,
    together: bool = True,
) -> BaselinePath:
    """Follow the path on a kernel matrix; labels are -1 and +1.

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
    together : bool, default=True
        Whether all points that meet a breakpoint move at once; else the first one.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.lab import hastie_path
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> hastie_path(X @ X.T, [-1, -1, 1, 1], C_max=10.0).status
    'complete'
    """
    state = PathState(np.asarray(K, dtype=float), np.asarray(y, dtype=float))
    return state.follow(1.0 / C_max, together, max_events)


class PathState:
    """One solution and its three sets: E on the margin, L at the bound, R at zero."""

    def __init__(self, K: FloatArray, y: FloatArray) -> None:
        self.K, self.y = K, y
        self.E: Mask
        self.L: Mask
        self.moved = -1

    def follow(self, last: float, together: bool, max_events: int) -> BaselinePath:
        """The path down to 1/C = ``last``."""
        out = BaselinePath()
        if not self.begin():
            out.status = "trivial"
            return out
        status: Status | None = None
        while status is None and len(out.parameter) < max_events:
            out.record(self.t, self.a, self.bias)
            status = self.step(last, together)
        if status == "C_max":
            out.record(self.t, self.a, self.bias)
        out.status = status or "max-events"
        return out

    def begin(self) -> bool:
        """The solution for small C; False if it is that of every C."""
        problem = svc(self.y, 1.0).problem
        start = exact_start(problem, Gram(Precomputed(), self.K, precision="double"))
        self.a, self.t, self.bias = np.abs(start.coef), start.parameter, start.bias
        if start.is_trivial:
            return False
        self.f = (self.K @ (self.y * self.a) + self.bias) / self.t
        on_margin = np.abs(self.y * self.f - 1.0) < 1e-8
        self.E, self.L = on_margin, (self.a == 1.0) & ~on_margin
        return True

    def step(self, last: float, together: bool) -> Status | None:
        """To the next breakpoint; how the path ended, if it did."""
        if not self.L.any():
            return "complete"
        if not self.E.any():
            return None if self._reenter() else "stuck"
        solved = self._direction()
        if solved is None:
            return "singular"
        delta, delta_bias = solved
        h = self.K[:, self.E] @ (delta * self.y[self.E]) + delta_bias
        meets = self._candidates(delta, h)
        # one at a time: others may still be due at the same place, but not the one just moved
        limit = self.t * (1.0 - _TIE if together else 1.0 + _ROUNDING)
        due = (meets < limit) & (together or np.arange(len(meets)) != self.moved)
        following = min(float(meets[due].max(initial=-np.inf)), self.t)
        if following <= last:
            self._move(last, delta, delta_bias, h)
            return "C_max"
        moving = due & (meets >= following - _TIE * self.t)
        if not together:
            self.moved = int(np.argmax(np.where(due, meets, -np.inf)))
            moving = np.arange(len(meets)) == self.moved
        self._move(following, delta, delta_bias, h)
        self._transfer(moving)
        return None

    def _direction(self) -> tuple[FloatArray, float] | None:
        """[Q y; y' 0] (delta, delta_0) = (1, 0) on E; None if singular.

        Sentelle 2014, equation 6.33.
        """
        sign = self.y[self.E]
        m = len(sign)
        matrix = np.zeros((m + 1, m + 1))
        matrix[:m, :m] = self.K[np.ix_(self.E, self.E)] * np.outer(sign, sign)
        matrix[m, :m] = matrix[:m, m] = sign
        if np.linalg.cond(matrix) > _SINGULAR:
            return None
        solution = np.linalg.solve(matrix, np.append(np.ones(m), 0.0))
        return solution[:m], float(solution[m])

    def _candidates(self, delta: FloatArray, h: FloatArray) -> FloatArray:
        """Where each point would change sets."""
        with np.errstate(divide="ignore", invalid="ignore"):
            meets = np.asarray(self.t * (self.f - h) / (self.y - h))
            own = self.a[self.E]
            falls, rises = self.t - own / delta, self.t + (1.0 - own) / delta
        meets[self.E] = np.where(delta > 0, falls, np.where(delta < 0, rises, -np.inf))
        meets[~np.isfinite(meets)] = -np.inf
        return meets

    def _move(self, t: float, delta: FloatArray, delta_bias: float, h: FloatArray) -> None:
        self.a[self.E] += (t - self.t) * delta
        self.bias += (t - self.t) * delta_bias
        self.f = self.t / t * (self.f - h) + h
        self.t = t

    def _transfer(self, moving: Mask) -> None:
        enters, leaves = moving & ~self.E, moving & self.E
        self.E = (self.E | enters) & ~leaves
        self.L = (self.L & ~enters) | (leaves & (self.a > 0.5))
        self.a[leaves] = np.round(self.a[leaves])

    def _reenter(self) -> bool:
        """E is empty: the outermost points of L take its place (Sentelle 2014, equation 6.71)."""
        g = self.K @ (self.y * self.a)
        upper = np.flatnonzero(self.L & (self.y > 0))
        lower = np.flatnonzero(self.L & (self.y < 0))
        if not len(upper) or not len(lower):
            return False
        pair = upper[np.argmax(g[upper])], lower[np.argmin(g[lower])]
        t = 0.5 * float(g[pair[0]] - g[pair[1]])
        if not 0.0 < t < self.t:
            return False
        self.t, self.bias = t, -0.5 * float(g[pair[0]] + g[pair[1]])
        self.f = (g + self.bias) / t
        self.E[list(pair)], self.L[list(pair)] = True, False
        return True
