"""Osuna's decomposition: a chunk of fixed size, and violators brought in from outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.lab.baselines.baseline import Baseline
from mercer.lab.baselines.part import solve_part
from mercer.lab.baselines.run import BaselineRun, check_trace
from mercer.problem import Problem

__all__ = ["Osuna"]

FloatArray = NDArray[np.float64]
Variables = NDArray[np.intp]


@dataclass(frozen=True)
class Osuna(Baseline):
    """A chunk is solved, others are looked at in turn, violators replace members at a bound.

    Osuna et al. 1997. Accepts problems with one group that holds every variable. In double
    precision; kernel values are kept for the chunk only. A chunk too small for the free
    variables grows.

    Parameters
    ----------
    chunk_size : int, default=2000
        Variables solved together.
    lookahead : int, default=None
        Variables looked at between two chunks, more if none of them violates; None means
        ``chunk_size``.
    max_new : int, default=None
        Most violators brought in at a time; None means a quarter of ``chunk_size``.
    trace : bool or int, default=False
        Whether to record every chunk, or every so many.

    Examples
    --------
    >>> from mercer import Gram, solve
    >>> from mercer.formulations import svc
    >>> from mercer.kernels import Linear
    >>> from mercer.lab import Osuna
    >>> gram = Gram(Linear(), [[0.0], [1.0], [2.0], [3.0]])
    >>> solve(svc([-1, -1, 1, 1], C=1.0).problem, gram, Osuna(chunk_size=2)).status
    'converged'
    """

    chunk_size: int = 2000
    lookahead: int | None = None
    max_new: int | None = None
    trace: bool | int = False

    def __post_init__(self) -> None:
        if not self.chunk_size >= 2:
            raise ValueError(f"chunk_size must be at least 2, got {self.chunk_size!r}")
        for name in ("lookahead", "max_new"):
            value = getattr(self, name)
            if value is not None and not value >= 1:
                raise ValueError(f"{name} must be at least 1, got {value!r}")
        check_trace(self.trace)

    name = "osuna"

    def _run(self, problem: Problem, gram: Gram, **limits: Any) -> BaselineRun:
        return _Run(self, problem, gram, **limits)


class _Run(BaselineRun):
    solver: Osuna

    def prepare(self, gradient: FloatArray) -> None:
        p, size = self.problem, self.solver.chunk_size
        self.bounded = np.zeros(p.n_variables)  # coefficients that `outside` accounts for
        self.outside = np.zeros(p.n_variables)  # their part of K coef
        self._account_for_bounded()
        free = np.flatnonzero((self.coef > p.lower) & (self.coef < p.upper))
        first = np.concatenate([free, np.setdiff1d(np.arange(p.n_variables), free)])
        self.members = first[: max(size, len(free))]
        self.matrix = self.kernel.block(p.index[self.members], p.index[self.members])
        self.inner = gradient[self.members]
        self.cursor = 0

    def step(self) -> bool:
        self.violation = self._spread(self.members, self.inner)
        if self.violation > 0.1 * self.tol:
            if not self.may_step():
                return False
            self.record()
            if not self._solve_chunk():
                return False
        new, gradient = self._violators()
        if not len(new):
            return False
        self._exchange(new, gradient)
        return True

    def _solve_chunk(self) -> bool:
        p, members, before = self.problem, self.members, self.coef[self.members]
        part = solve_part(
            p, self.coef, members, self.inner, self.matrix, 0.1 * self.tol, self.seconds_left()
        )
        if part.status == "unbounded":
            self.status = "unbounded"
            return False
        change = part.coef - before
        # the gain of a quadratic: half the slope at either end
        self.objective += 0.5 * float(change @ (self.inner + part.gradient))
        self.coef[members], self.inner = part.coef, part.gradient
        self.iterations += 1
        self._account_for_bounded()
        if not change.any():
            self.status = "precision-limit"
        return bool(change.any())

    def _account_for_bounded(self) -> None:
        """Bring ``outside`` up to date with what reached or left a bound."""
        p = self.problem
        at_bound = (self.coef == p.lower) | (self.coef == p.upper)
        wanted = np.where(at_bound, self.coef, 0.0)
        changed = np.flatnonzero(wanted != self.bounded)
        if len(changed):
            weights = (wanted - self.bounded)[changed][:, None]
            self.outside += self.kernel.product(p.index[changed], weights, None)[0][p.index]
            self.bounded = wanted

    def _gradient_of(self, variables: Variables) -> FloatArray:
        """From the sum over bounded variables, kept, and that over the free ones."""
        p, free = self.problem, np.flatnonzero(self.coef != self.bounded)
        values = self.outside[variables]
        if len(free):
            weights = self.coef[free][:, None]
            values = values + self.kernel.product(p.index[free], weights, p.index[variables])[0]
        gradient: FloatArray = (
            p.linear[variables] - p.ridge[variables] * self.coef[variables] - values
        )
        return gradient

    def _violators(self) -> tuple[Variables, FloatArray]:
        """The next variables, in turn, that violate by more than half the tolerance."""
        p, n = self.problem, self.problem.n_variables
        lookahead = self.solver.lookahead or self.solver.chunk_size
        limit = self.solver.max_new or max(self.solver.chunk_size // 4, 1)
        threshold = self._threshold()
        inside = np.zeros(n, dtype=bool)
        inside[self.members] = True
        for seen in range(0, n, lookahead):
            ahead = (self.cursor + np.arange(min(lookahead, n - seen))) % n
            ahead = ahead[~inside[ahead]]
            gradient = self._gradient_of(ahead)
            grows, falls = self.coef[ahead] < p.upper[ahead], self.coef[ahead] > p.lower[ahead]
            excess = np.maximum(
                np.where(grows, gradient - threshold, 0.0),
                np.where(falls, threshold - gradient, 0.0),
            )
            found = np.flatnonzero(excess > 0.5 * self.tol)[:limit]
            self.cursor = (self.cursor + lookahead) % n
            if len(found):
                self.cursor = int(ahead[found[-1]] + 1) % n
                return ahead[found], gradient[found]
            if not self.may_go_on():
                break
        return np.empty(0, dtype=np.intp), np.empty(0)

    def _threshold(self) -> float:
        """The bias: mean gradient of the free members, else the middle of what they allow."""
        p, coef = self.problem, self.coef[self.members]
        grows, falls = coef < p.upper[self.members], coef > p.lower[self.members]
        if (grows & falls).any():
            return float(self.inner[grows & falls].mean())
        sides = self.inner[grows].max(initial=-np.inf), self.inner[falls].min(initial=np.inf)
        known = [value for value in sides if np.isfinite(value)]
        return float(sum(known) / len(known)) if known else 0.0

    def _spread(self, variables: Variables, gradient: FloatArray) -> float:
        p, coef = self.problem, self.coef[variables]
        high = gradient[coef < p.upper[variables]].max(initial=-np.inf)
        return max(float(high - gradient[coef > p.lower[variables]].min(initial=np.inf)), 0.0)

    def _exchange(self, new: Variables, gradient: FloatArray) -> None:
        """Let the new ones take the places of members at a bound; the rest is added."""
        index = self.problem.index
        places = self._bounded_places()[: len(new)]
        self.members[places], self.inner[places] = new[: len(places)], gradient[: len(places)]
        rows = self.kernel.block(index[new[: len(places)]], index[self.members])
        self.matrix[places], self.matrix[:, places] = rows, rows.T
        more = new[len(places) :]
        if not len(more) or len(places):
            return
        # No member may leave: the free variables fill the chunk.
        rows = self.kernel.block(index[more], index[np.append(self.members, more)])
        n = len(self.members)
        self.matrix = np.block([[self.matrix, rows[:, :n].T], [rows]])
        self.members = np.append(self.members, more)
        self.inner = np.append(self.inner, gradient[len(places) :])

    def _bounded_places(self) -> Variables:
        """Places of members at a bound, zero coefficients first, without those of the threshold."""
        p, coef = self.problem, self.coef[self.members]
        grows, falls = coef < p.upper[self.members], coef > p.lower[self.members]
        free = grows & falls
        kept = free.copy()
        if not free.any():
            if grows.any():
                kept[np.flatnonzero(grows)[np.argmax(self.inner[grows])]] = True
            if falls.any():
                kept[np.flatnonzero(falls)[np.argmin(self.inner[falls])]] = True
        places = np.flatnonzero(~kept)
        return places[np.argsort(coef[places] != 0.0, kind="stable")]
