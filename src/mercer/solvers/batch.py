"""Many small problems on one Gram in one native call, each as :class:`Auto` would solve it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer.gram import Gram
from mercer.problem import Problem, Solution
from mercer.solvers.auto import LEAST_STEPS, SMO
from mercer.solvers.smo.solver import NEWTON_LIMIT, Smo, native_options

__all__ = ["Batch", "solve_batch"]

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Columns = dict[str, NDArray[Any]]

_NAMES = tuple(field.name for field in fields(Solution))  # in the order of a solution made singly
_U = 2.0**-53
_FEASIBLE = 1e-9  # infeasibility that is rounding of many steps
_ROUNDED = 1e-14  # infeasibility of sums that hold to the last digit
_WORTHLESS = 1e-10  # share of the objective that sums may be worth
_SMALL_GAP = 1e-7  # relative; a larger one may have to be explained
_NEGLIGIBLE = 0.1  # share of the tolerance that rounding may add to a violation
_KNOWN, _ACCURATE = 1e-5, 0.05  # error of slopes in units of the linear term, of the tolerance


@dataclass(frozen=True, eq=False)
class Batch:
    """What came of the problems of a batch.

    Attributes
    ----------
    coef, gradient : ndarray of shape (n_variables,)
        The points and their gradients, one after the other.
    offsets : ndarray of shape (n_problems + 1,)
        Where each of them begins, and where the last one ends.
    fields, counters : dict of ndarray of shape (n_problems,)
        What is known of each point, and what its run counted.
    multiplier : ndarray of shape (n_problems, n_groups)
        Multipliers of each point.
    squared_norm : list of float
        ``coef' K coef`` of each point.
    is_plain : ndarray of bool of shape (n_problems,)
        Whether a problem was solved to the tolerance, and nothing is left to decide, or ran out
        of time. All others are to be solved by :func:`mercer.solvers.solve`.
    definiteness : str
        That of the kernel.
    """

    coef: FloatArray
    gradient: FloatArray
    offsets: NDArray[np.intp]
    fields: Columns
    counters: Columns
    multiplier: FloatArray
    squared_norm: list[float]
    is_plain: BoolArray
    definiteness: str

    def solutions(self) -> list[Solution]:
        """All of them; those that are not plain have no status that means anything."""
        cuts = list(pairwise(self.offsets.tolist()))
        columns: dict[str, Any] = {
            "coef": [self.coef[begin:end] for begin, end in cuts],
            "gradient": [self.gradient[begin:end] for begin, end in cuts],
            "multiplier": self.multiplier,
            "trace": _records(_lists(self.counters)),
            **_lists(self.fields),
            "corrections": repeat(None, len(cuts)),
            "definiteness": repeat(self.definiteness, len(cuts)),
            "solver": repeat(Smo.name, len(cuts)),
        }
        return [_solution(record) for record in _records({name: columns[name] for name in _NAMES})]


def solve_batch(
    problem: Problem,
    offsets: NDArray[np.intp],
    gram: Gram,
    *,
    tol: float,
    shrinking: bool = True,
    max_time: float | None = None,
) -> Batch:
    """Solve problems that lie one after the other in the arrays of one.

    They read the whole kernel matrix in double precision, made once. Ctrl-C ends the call.

    Parameters
    ----------
    problem : Problem
        Variables ``offsets[k]`` to ``offsets[k + 1]`` are problem k, with these group sums; at
        most one group, and zero is feasible.
    offsets : ndarray of shape (n_problems + 1,)
        Ascending; no problem is empty.
    gram : Gram
        Values of a definite kernel, measured from the origin that the rows have.
    tol : float
        Largest KKT violation accepted.
    shrinking : bool, default=True
        As of :class:`Auto`.
    max_time : float, default=None
        Bound on the seconds of all of them together.

    Returns
    -------
    Batch
    """
    options = _core.SmoOptions(native_options(SMO[bool(shrinking)]))
    options.tolerance, options.max_iterations = tol, LEAST_STEPS
    options.newton_limit = NEWTON_LIMIT
    options.max_seconds = 1e300 if max_time is None else max_time
    coef, gradient = np.empty(problem.n_variables), np.empty(problem.n_variables)
    found: Any = _core.smo_solve_parts(
        problem._native, offsets, gram.native("double"), options, coef, gradient
    )
    raw, multiplier, counters = found
    known = _Known(problem, offsets, gram, raw, multiplier)
    present = np.logical_or(problem.lower, problem.upper)
    errors = gram.expansion_errors(coef, problem.index, present, offsets)
    raw["rounding"] = 4.0 * _U * raw["linear_size"] + errors
    is_good = known.is_good(tol)
    return Batch(
        coef=coef,
        gradient=gradient,
        offsets=offsets,
        fields=known.fields(is_good),
        counters={"iterations": raw["iterations"], **counters},
        multiplier=multiplier,
        squared_norm=raw["squared_norm"].tolist(),
        is_plain=is_good | raw["is_out_of_time"],
        definiteness=gram.definiteness,
    )


@dataclass
class _Known:
    """What the core says of all problems, and what follows from it for each."""

    problem: Problem
    offsets: NDArray[np.intp]
    gram: Gram
    raw: Columns
    multiplier: FloatArray

    def fields(self, is_good: BoolArray) -> Columns:
        """The fields of solutions, as :func:`mercer.problem.certify` has them."""
        raw, gap = self.raw, self._gap()
        return {
            "objective": raw["objective"],
            "primal": raw["objective"] + gap,
            "gap": gap,
            "violation": raw["violation"],
            "infeasibility": raw["infeasibility"],
            "error": raw["rounding"],
            "rounding": raw["rounding"],
            "n_iter": raw["iterations"],
            "n_kernel": raw["evaluations"],
            "seconds": raw["seconds"],
            "status": np.where(is_good, "converged", "max-time"),
        }

    def is_good(self, tol: float) -> BoolArray:
        """Whether a run that converged would end at once, by all that a certified run looks at."""
        raw = self.raw
        good: BoolArray = raw["is_converged"] & np.isfinite(raw["objective"])
        good &= (raw["violation"] <= tol) & (raw["infeasibility"] <= _FEASIBLE)
        # at most an eighth of the bound is likely, and counts twice
        good &= 0.25 * raw["rounding"] <= _NEGLIGIBLE * tol
        if self.gram.features() is not None:
            good &= raw["rounding"] <= np.minimum(_KNOWN * raw["linear_size"], _ACCURATE * tol)
        lost = self._worth_of_sums() > _WORTHLESS * np.abs(raw["objective"])
        good &= ~(lost & (raw["infeasibility"] > _ROUNDED))
        return good & self._has_small_gap()

    def _has_small_gap(self) -> BoolArray:
        """Whether there is no gap to explain; without bounds nothing would explain it."""
        gap, objective = self._gap(), self.raw["objective"]
        size = np.maximum(np.abs(objective), np.abs(objective + gap))
        bounded = np.isfinite(self.problem.lower) & np.isfinite(self.problem.upper)
        is_bounded = np.logical_and.reduceat(bounded, self.offsets[:-1])
        found: BoolArray = (gap <= _SMALL_GAP * size) | (~is_bounded & np.isfinite(gap))
        return found

    def _worth_of_sums(self) -> FloatArray:
        """What the group sums lack, times the multiplier."""
        if not self.problem.n_groups:
            return np.zeros(len(self.raw["objective"]))
        return np.abs(self.multiplier[:, 0]) * self.raw["missing_sum"]

    def _gap(self) -> FloatArray:
        raw, missing = self.raw, self.raw["missing_sum"]
        worth = self._worth_of_sums() + 0.5 * raw["curvature"] * missing * missing
        return np.where(raw["infeasibility"] > _ROUNDED, np.maximum(raw["gap"], worth), raw["gap"])


def _lists(columns: Columns) -> dict[str, list[Any]]:
    """As Python's own numbers."""
    return {name: values.tolist() for name, values in columns.items()}


def _records(columns: dict[str, Any]) -> list[dict[str, Any]]:
    """One mapping for each problem."""
    names = tuple(columns)
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _solution(record: dict[str, Any]) -> Solution:
    """A solution with these fields: there may be half a million of them."""
    made = object.__new__(Solution)
    object.__setattr__(made, "__dict__", record)
    return made
