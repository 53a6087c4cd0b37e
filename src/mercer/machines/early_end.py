"""What a warning says of a fit that ended early: why, how far it came, and what helps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mercer.problem import Solution

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
    "underflow": "Coefficients are so small that their products underflow: give larger "
    "sample_weight{larger}.",
}
_SMALL = 1e-150  # largest coefficient whose products with others may underflow


def is_done(solution: Solution) -> bool:
    """Whether it converged or, where coefficients have no more digits, is proven optimal."""
    gap = solution.relative_gap
    at_limit = solution.status == "precision-limit"
    is_proven = gap is not None and gap <= _PROVEN and solution.has_digits
    # the gap may be that of w with more digits than the machine has
    is_usable = solution.violation <= _USABLE * np.abs(solution.gradient).max(initial=0.0)
    return solution.converged or (at_limit and is_proven and is_usable)


def early_end(machine: Any, solutions: Sequence[Solution], problems: str) -> str:
    """The warning of a machine with solutions that are not done; ``problems`` names them all."""
    open_ones = [s for s in solutions if not machine._is_done(s)]
    found = {_ending(solution) for solution in open_ones}
    statuses = [status for status in _ADVICE if status in found]
    reasons = ", ".join(_reason(machine, status) for status in statuses)
    advice = " ".join(_advice(machine, status) for status in statuses)
    count = f" {len(open_ones)} of {len(solutions)} {problems} are unfinished."
    return (
        f"Solver terminated early ({reasons}).{count if len(solutions) > 1 else ''} {advice} The "
        f"best iterate is kept: status {', '.join(statuses)}, {_reached(machine, open_ones)}."
    )


def _ending(solution: Solution) -> str:
    """The status, or "underflow" where that is why the solver could not go on."""
    is_small = 0.0 < np.abs(solution.coef).max(initial=0.0) < _SMALL
    can_go_on = solution.status not in ("stuck", "precision-limit")
    return "underflow" if is_small and not can_go_on else solution.status


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
        larger=" or a larger C" if "C" in names else "",
        resume=resume if "warm_start" in names else "",
        infinite=infinite if names.get("C") == np.inf else "",
    )


def _reached(machine: Any, open_ones: list[Solution]) -> str:
    """The worst of the solutions that are not done."""
    violation = max(s.violation for s in open_ones)
    gaps = [s.relative_gap for s in open_ones]
    known = [gap for gap in gaps if gap is not None]
    gap = f"{max(known):.3g}" if len(known) == len(gaps) else "unknown"
    return f"KKT violation {violation:.3g} (tol={machine.tol:g}), relative duality gap {gap}"
