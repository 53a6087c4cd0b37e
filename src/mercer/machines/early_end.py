"""The warning of a fit that ended early: why, how far it came, and what helps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer.problem import Solution
from mercer.problem.solutions import column, relative_gaps

__all__ = ["early_end", "is_done"]

_PROVEN = 1e-7  # relative gap of a point that no solver could better
_USABLE = 0.1  # violation relative to the largest gradient

_ADVICE = {
    # the words of scikit-learn first: its users look for them
    "max-iter": " Consider pre-processing your data with StandardScaler or MinMaxScaler. Or raise "
    "max_iter or tol{smaller}.",
    "max-time": "Raise max_time or tol{smaller}.{resume}",
    "callback": "The callback returned a true value.{resume}",
    "precision-limit": "The digits of a double allow no better: raise tol{smaller}, or scale the "
    "features (StandardScaler, MinMaxScaler).",
    "unbounded": "The objective has no bound: no function meets all demands{infinite}.",
    "stuck": "The selection of the solver found no pair to move: choose another one.",
    "underflow": "Coefficients are so small that their products underflow: {larger}.",
}
_TO_INSPECT = ("stuck", "precision-limit")
_SMALL = 1e-150  # largest coefficient whose products with others may underflow


def is_done(solution: Solution) -> bool:
    """Whether it converged or, where coefficients have no more digits, is proven optimal."""
    if solution.converged or solution.status != "precision-limit":
        return solution.converged
    gap = solution.relative_gap
    is_proven = gap is not None and gap <= _PROVEN and solution.has_digits
    # the gap may be that of w with more digits than the machine has
    is_usable = solution.violation <= _USABLE * np.abs(solution.gradient).max(initial=0.0)
    return is_proven and bool(is_usable)


def early_end(machine: Any, solutions: Sequence[Solution], problems: str) -> str:
    """The warning of a machine with solutions that are not done; ``problems`` names them all."""
    endings = _endings(machine, solutions)
    found = set(endings.values())
    statuses = [status for status in _ADVICE if status in found]
    reasons = ", ".join(_reason(machine, status) for status in statuses)
    advice = " ".join(_advice(machine, status) for status in statuses)
    count = f" {len(endings)} of {len(solutions)} {problems} are unfinished."
    return (
        f"Solver terminated early ({reasons}).{count if len(solutions) > 1 else ''} {advice} The "
        f"best iterate is kept: status {', '.join(statuses)}, "
        f"{_reached(machine, solutions, list(endings))}."
    )


def _endings(machine: Any, solutions: Sequence[Solution]) -> dict[int, str]:
    """Positions of the solutions that are not done, and how each ended.

    There may be half a million of them: only those that need a closer look are made.
    """
    out = {}
    for k, status in enumerate(column(solutions, "status").tolist()):
        if status == "converged":
            continue
        if status not in _TO_INSPECT:
            out[k] = status
        elif not machine._is_done(solutions[k]):
            out[k] = _ending(solutions[k])
    return out


def _ending(solution: Solution) -> str:
    """The status, or "underflow" where that is why the solver could not go on."""
    is_small = 0.0 < np.abs(solution.coef).max(initial=0.0) < _SMALL
    return "underflow" if is_small else solution.status


def _reason(machine: Any, status: str) -> str:
    limit = {"max-iter": "max_iter", "max-time": "max_time"}.get(status)
    return status if limit is None else f"{limit}={getattr(machine, limit)}"


def _advice(machine: Any, status: str) -> str:
    """What helps, by parameters that the machine has."""
    names = machine.get_params(deep=False)
    resume = " With warm_start=True the next fit goes on from here."
    infinite = " of an infinite C: choose a finite one"
    return _ADVICE[status].format(
        smaller=", choose a smaller C" if "C" in names else "",
        larger="give larger sample_weight or a larger C" if "C" in names else "raise nu",
        resume=resume if "warm_start" in names else "",
        infinite=infinite if names.get("C") == np.inf else "",
    )


def _reached(machine: Any, solutions: Sequence[Solution], open_ones: list[int]) -> str:
    """The worst of the solutions that are not done."""
    violation = float(column(solutions, "violation")[open_ones].max())
    all_gaps = relative_gaps(solutions)
    gaps = [all_gaps[k] for k in open_ones]
    known = [gap for gap in gaps if gap is not None]
    gap = f"{max(known):.3g}" if len(known) == len(gaps) else "unknown"
    return f"KKT violation {violation:.3g} (tol={machine.tol:g}), relative duality gap {gap}"
