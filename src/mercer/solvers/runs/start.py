"""Feasible points to start from."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _core
from mercer.problem import Certificate, Problem

__all__ = ["are_sums_worth", "feasible_start", "full_start"]

FloatArray = NDArray[np.float64]


def feasible_start(problem: Problem, start: ArrayLike | None = None) -> FloatArray:
    """A feasible point to start from: ``start`` repaired, or a sparse default.

    The default is zero, clipped to the box; what a group's sum then lacks is filled
    into its variables one after the other (docs/theory/smo.md#where-to-start: fewer steps than
    spreading it evenly). A given point is repaired the same way.

    Examples
    --------
    >>> from mercer.formulations import one_class
    >>> from mercer.solvers.runs.start import feasible_start
    >>> feasible_start(one_class(4, nu=0.5).problem).tolist()
    [1.0, 1.0, 0.0, 0.0]
    """
    if start is None:
        coef = np.zeros(problem.n_variables)
        if problem._native.is_zero_feasible():
            return coef
    else:
        coef = np.array(start, dtype=np.float64)
        if coef.shape != (problem.n_variables,):
            raise ValueError(f"start must have shape ({problem.n_variables},), got {coef.shape}")
        if problem._native.is_feasible(coef):
            return coef
        if not np.isfinite(coef).all():
            raise ValueError("start must be finite")
    np.maximum(coef, problem.lower, out=coef)
    np.minimum(coef, problem.upper, out=coef)
    problem._native.fill_sums(coef)
    if start is not None:
        # A start far outside leaves rounding of its own size behind.
        problem._native.fill_sums(coef)
    return coef


def full_start(problem: Problem) -> FloatArray | None:
    """Every variable at the bound its linear term points to, as far as the group sums allow.

    Small boxes are full at the optimum: it differs in a few variables from this point. None if
    a bound is infinite or zero is not feasible.
    """
    if not problem._native.is_zero_feasible():
        return None
    full = np.where(problem.linear > 0.0, problem.upper, problem.lower)
    return feasible_start(problem, full) if np.isfinite(full).all() else None


def are_sums_worth(problem: Problem, coef: FloatArray, found: Certificate) -> bool:
    """Whether what rounding took from the group sums of ``coef`` is worth something.

    A sum that is off by s changes the objective by its multiplier times s, which is large where
    rows lie far from the origin.
    """
    if found.infeasibility <= _core.ROUNDED or not problem.n_groups:
        return False
    missing = problem.group_sum - problem.group_sums(coef)
    worth = float(np.abs(found.multiplier * missing).sum())
    return worth > _core.WORTHLESS * abs(found.objective)
