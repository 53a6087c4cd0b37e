"""Signs of badly chosen parameters in least squares machines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mercer.diagnostics.finding import NEARLY_ALL, Finding, percent

__all__ = ["of_least_squares"]

_ROUNDING = 1e-8  # relative residual that a direct solver may leave


def of_least_squares(machine: Any) -> Iterator[Finding]:
    """Find what the linear system, its degrees of freedom and the choice of alpha tell."""
    n_rows = int(machine.shape_fit_[0])
    condition, residual = machine.condition_, machine.residual_
    if condition is not None and condition * n_rows > 1.0 / np.finfo(np.float64).eps:
        yield Finding(
            "ill-conditioned",
            f"the condition of the system is {condition:.2g}: no digit of the coefficients is sure",
            "Raise alpha",
        )
    elif not residual <= max(machine.tol, _ROUNDING):
        yield Finding(
            "not-converged",
            f"the relative residual of the system is {residual:.2g}, above tol={machine.tol:g}",
            "Raise max_iter, max_time or alpha",
        )
    dof = machine.dof_
    if dof is not None and dof >= NEARLY_ALL * n_rows:
        yield Finding(
            "interpolation",
            f"{dof:.4g} degrees of freedom, {percent(dof / n_rows)} of the rows: the machine "
            "repeats its targets",
            "Raise alpha, lower gamma, or scale the features",
        )
    yield from _of_choice(machine)


def _of_choice(machine: Any) -> Iterator[Finding]:
    alphas = np.asarray(machine.alphas_)
    ends = {"smallest": alphas.min(), "largest": alphas.max()}
    for end, alpha in ends.items():
        if len(alphas) > 1 and machine.alpha_ == alpha:
            yield Finding(
                "alpha-boundary",
                f"alpha is the {end} of those tried, {alpha:.3g}",
                f"Give {'smaller' if end == 'smallest' else 'larger'} ones, too",
            )
