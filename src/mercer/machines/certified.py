"""The certificate of a fitted machine as plain values, and how a notebook shows it."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import numpy as np

__all__ = ["certificate", "certificate_html", "number_or_none", "table_html"]

LONGEST = 120


def certificate(machine: Any) -> dict[str, Any] | None:
    """How good the solution is; None for machines that have none, or come from elsewhere."""
    if hasattr(machine, "alpha_"):
        return {
            "kind": "linear system",
            "solver": str(getattr(machine, "solver_", "")),
            "condition": number_or_none(getattr(machine, "condition_", None)),
            "loo_error": number_or_none(getattr(machine, "loo_error_", None)),
            "is_converged": True,
        }
    solutions = getattr(machine, "solutions_", None)
    if not solutions:
        return None
    statuses = sorted({str(solution.status) for solution in solutions})
    return {
        "kind": "quadratic program",
        "statuses": statuses,
        "is_converged": statuses == ["converged"],
        "n_problems": len(solutions),
        "violation": number_or_none(machine.violation_),
        "tolerance": number_or_none(machine.tol),
        "objective": number_or_none(machine.objective_),
        "relative_gap": number_or_none(machine.dual_gap_),
        "n_iterations": sum(int(solution.n_iter) for solution in solutions),
        "n_kernel_values": sum(int(solution.n_kernel) for solution in solutions),
    }


def number_or_none(value: Any) -> float | None:
    """A finite number as JSON can hold it."""
    if value is None or np.ndim(value) != 0 or not np.isfinite(value):
        return None
    return float(value)


def certificate_html(machine: Any) -> str:
    """A small table of the kernel and the certificate; empty before the fit."""
    if not hasattr(machine, "kernel_"):
        return ""
    found = {"kernel": repr(machine.kernel_)}
    support = getattr(machine, "support_", None)
    if support is not None:
        found["support vectors"] = f"{len(support):,}"
    return table_html(found | _in_words(certificate(machine)))


def _in_words(found: dict[str, Any] | None) -> dict[str, str]:
    if found is None:
        return {}
    if found["kind"] == "linear system":
        names = {"condition": "condition", "loo_error": "leave-one-out error"}
        words = {"solved by": found["solver"]}
    else:
        names = {"violation": "KKT violation", "relative_gap": "relative duality gap"}
        words = {"status": ", ".join(found["statuses"])}
    return words | {
        name: f"{found[key]:.3g}" for key, name in names.items() if found[key] is not None
    }


def table_html(found: Mapping[str, str]) -> str:
    """Names and values, one a line."""
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(value[:LONGEST])}</td></tr>"
        for name, value in found.items()
    )
    return f"<table>{rows}</table>"
