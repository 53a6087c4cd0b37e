"""A point together with its free variables: solved, changed, and solved on."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _core
from mercer._shown import shown
from mercer.gram import Gram
from mercer.gram.spot_check import require_definite
from mercer.problem import Certificate, Problem, Solution, certify
from mercer.problem.certificate import assess
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.margin import violation_scale
from mercer.solvers.runs.progress import Callback, monitor
from mercer.solvers.runs.start import feasible_start

__all__ = ["Basis", "check_active_set_problem"]

FloatArray = NDArray[np.float64]

_COUNTERS = (
    "iterations",
    "outer_iterations",
    "flips",
    "zero_steps",
    "bland_steps",
    "full_pricings",
    "priced",
    "rebuilds",
    "largest_basis",
)
_ROUNDS = 4  # runs from recomputed gradients before the accuracy of the arithmetic is reached
_RELATIVE_GAP = 1e-13


def check_active_set_problem(problem: Problem, gram: Gram) -> None:
    """Refuse what the factor cannot hold, as far as that can be known before it is made."""
    require_definite(gram, "solver='active-set'", "; solver='smo' takes any kernel")
    gram.check_values()


class Basis:
    """The state of the active-set method on one problem.

    Its free variables are affinely independent in feature space (with several groups: their
    differences to one free variable of each), so that the small linear system behind every
    step is regular for a kernel of any rank (Sentelle 2014, chapter 5). It survives changes
    of the box: another C, rows that come and go.

    Parameters
    ----------
    problem : Problem
        Any groups, any box, any ridge.
    gram : Gram
        Kernel values, positive semi-definite; used in double precision.
    start : array-like of shape (n_variables,), default=None
        Any feasible point (others are repaired): it is purified into a basis without
        loss (docs/theory/active_set.md#from-a-point-to-a-basis).
    gradient : array-like of shape (n_variables,), default=None
        Gradient of ``start`` if it is known and ``start`` is feasible.

    Examples
    --------
    >>> from mercer import Gram
    >>> from mercer.formulations import svc
    >>> from mercer.kernels import Linear
    >>> from mercer.solvers import Basis
    >>> problem = svc([-1, -1, 1, 1], C=1.0).problem
    >>> basis = Basis(problem, Gram(Linear(), [[0.0], [1.0], [2.0], [3.0]]))
    >>> _ = basis.solve()
    >>> basis.coef.round(6).tolist()
    [0.0, -1.0, 1.0, 0.0]
    """

    __repr__ = shown("coef free multiplier")

    def __init__(
        self,
        problem: Problem,
        gram: Gram,
        start: ArrayLike | None = None,
        *,
        gradient: ArrayLike | None = None,
    ) -> None:
        check_active_set_problem(problem, gram)
        self.problem, self.gram = problem, gram
        coef = feasible_start(problem, start)
        self._native = _core.Simplex(
            problem._native,
            gram.native("double"),
            coef,
            None if gradient is None else np.ascontiguousarray(gradient, dtype=np.float64),
        )

    @property
    def coef(self) -> FloatArray:
        """The point."""
        return np.asarray(self._native.coef())

    @property
    def free(self) -> NDArray[np.intp]:
        """The variables in the factor, in its order; some may lie on a bound."""
        return np.array(self._native.basic(), dtype=np.intp)

    @property
    def multiplier(self) -> FloatArray:
        """The common gradient of the free variables of each group: with one group, the bias."""
        return np.asarray(self._native.multiplier())

    @property
    def gradient(self) -> FloatArray:
        """Gradient of the objective."""
        return np.asarray(self._native.gradient())

    @property
    def values(self) -> FloatArray:
        """Value of the machine, multiplier included, at the row of each variable.

        A group without a free variable has its multiplier in the middle of those that are
        optimal, as :func:`certify` says.
        """
        p, coef = self.problem, self.coef
        expansion = p.linear - self.gradient - p.ridge * coef
        multiplier = self.multiplier
        is_free = np.logical_and(*p.room(coef))  # not so of every member of the factor
        if len(np.unique(p.group[is_free])) < p.n_groups:
            multiplier = assess(p, coef, expansion).multiplier
        # a variable without a group has group -1, the last entry
        return np.asarray(expansion + np.append(multiplier, 0.0)[p.group])

    @property
    def n_iterations(self) -> int:
        """Steps since the basis was made."""
        return int(self._native.counters.iterations)

    def copy(self) -> Basis:
        """An independent copy; kernel rows are shared."""
        other = object.__new__(Basis)
        other.problem, other.gram = self.problem, self.gram
        other._native = self._native.copy(self.gram.native("double"))
        return other

    def solve(
        self,
        *,
        tol: float = 1e-3,
        refine: bool = True,
        sprint: int = 100,
        shrinking: bool = True,
        max_iter: int = -1,
        max_time: float | None = None,
        callback: Callback | None = None,
    ) -> Solution:
        """Go on to the optimum; the arguments are those of :class:`ActiveSet`."""
        began, evaluations = time.perf_counter(), self.gram.n_evaluations
        left = max(10**7, 100 * self.problem.n_variables) if max_iter < 0 else max_iter
        deadline = Deadline.after(max_time)
        options = _core.SimplexOptions()
        options.tolerance = 0.0 if refine else 0.5 * tol
        options.sprint, options.shrinking = sprint, shrinking
        before = self._counts()
        best: Certificate | None = None
        for _ in range(_ROUNDS):
            options.max_iterations = max(left + before["iterations"] - self.n_iterations, 0)
            options.max_seconds = deadline.seconds_left
            taken = self.n_iterations - before["iterations"]
            status = self._native.run(options, monitor(callback, taken, began))
            certificate = certify(self.problem, self.gram, self.coef)
            aim = tol * violation_scale(self.problem, self.gram, self.coef, certificate)
            if status not in ("converged", "precision-limit"):
                break
            if _is_good(certificate, aim, refine) or not _is_better(certificate, best):
                break
            best = certificate
            self._native.set_gradient(certificate.gradient)
        if status == "unbounded" and not self.problem.may_be_unbounded:
            status = "precision-limit"  # rounding has hidden the curvature of the ridge
        if status != "unbounded" and certificate.is_within(aim) and certificate.is_feasible:
            status = "converged"
        elif status == "converged":
            status = "precision-limit"
        after = self._counts()
        trace = {name: after[name] - before[name] for name in _COUNTERS[:-1]}
        trace |= {"largest_basis": after["largest_basis"], "n_free": len(self._native.basic())}
        return Solution(
            coef=self.coef,
            **vars(certificate),
            n_iter=trace["iterations"],
            n_kernel=self.gram.n_evaluations - evaluations,
            seconds=time.perf_counter() - began,
            status=status,  # type: ignore[arg-type]
            solver="active-set",
            trace=trace,
        )

    def rescale(self, problem: Problem, factor: float) -> None:
        """Take the box of ``problem``, ``factor`` times as large, and keep the basis."""
        self.problem = problem
        self._native.rescale(problem.lower, problem.upper, problem.group_sum, factor)

    def add(self, row: int, lower: ArrayLike, upper: ArrayLike) -> None:
        """Give the variables of a removed row a box again.

        See docs/theory/active_set.md#rows-come-and-go.

        Parameters
        ----------
        row : int
            The row of the gram.
        lower, upper : array-like
            The box of each variable of the row; it must contain the present value.
        """
        variables = np.flatnonzero(self.problem.index == row)
        bounds = np.broadcast_arrays(np.asarray(lower, float), np.asarray(upper, float), variables)
        for low, high, v in zip(*bounds, strict=True):
            value = self._native.coef()[v]
            if not low <= value <= high:
                raise ValueError(f"the box [{low}, {high}] must contain the value {value}")
            self._native.set_box(int(v), low, high)
        self.problem = _with_box(self.problem, variables, bounds[0], bounds[1])

    def remove(self, row: int) -> None:
        """Drive the variables of a row to zero and fix them there.

        The others answer; see docs/theory/active_set.md#rows-come-and-go.
        """
        variables = np.flatnonzero(self.problem.index == row)
        for v in variables:
            if not self._native.retire(int(v), 0.0):
                total = self.problem.group_sum[self.problem.group[v]]
                raise ValueError(
                    f"row {row} cannot be removed: the group sum {total} cannot be reached "
                    "without it"
                )
        zeros = np.zeros(len(variables))
        self.problem = _with_box(self.problem, variables, zeros, zeros)

    def leave_one_out(self) -> FloatArray:
        """Value at each row of the machine trained without that row, to full accuracy.

        The basis must be solved. Rows that the machine does not use cost nothing; each
        other row is removed from a copy, which is solved on
        (docs/theory/active_set.md#rows-come-and-go).

        Returns
        -------
        ndarray of shape (n_rows,)
            ``sum_j coef_j k(x_j, x_i) + multiplier``; rows without a variable give NaN.
        """
        values = np.full(self.gram.n_rows, np.nan)
        values[self.problem.index] = self.values
        used = np.unique(self.problem.index[self.coef != 0])
        for row in used:
            other = self.copy()
            other.remove(row)
            other.improve()
            v = np.flatnonzero(self.problem.index == row)[0]
            values[row] = other.values[v]
        return values

    def improve(
        self,
        *,
        tol: float = 0.0,
        max_iter: int | None = None,
        max_time: float = np.inf,
        callback: Callback | None = None,
    ) -> str:
        """The optimum again after a small change, without a certificate; how it ended."""
        options = _core.SimplexOptions()
        options.tolerance = 0.5 * tol
        if max_iter is not None:
            options.max_iterations = max_iter
        options.max_seconds = min(max(max_time, 0.0), 1e300)
        return str(self._native.run(options, monitor(callback)))

    def _counts(self) -> Mapping[str, Any]:
        counters = self._native.counters
        return {name: getattr(counters, name) for name in _COUNTERS}


def _is_good(certificate: Certificate, tol: float, refine: bool) -> bool:
    if not refine:
        return certificate.is_within(tol)
    gap = certificate.relative_gap
    return certificate.is_within(tol) and gap is not None and gap <= _RELATIVE_GAP


def _is_better(certificate: Certificate, best: Certificate | None) -> bool:
    return best is None or certificate.violation < 0.5 * best.violation


def _with_box(
    problem: Problem, variables: NDArray[np.intp], lower: ArrayLike, upper: ArrayLike
) -> Problem:
    low, high = problem.lower.copy(), problem.upper.copy()
    low[variables], high[variables] = lower, upper
    return Problem(
        problem.linear, low, high, problem.index, problem.ridge, problem.group, problem.group_sum
    )
