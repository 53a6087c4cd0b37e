"""A machine whose data-dependent parameters are fixed to those of all rows."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from mercer.machines import SVC
from mercer.machines.base import KernelMachine
from mercer.machines.least_squares.machine import LeastSquaresMachine
from mercer.machines.parameters import defaults_of
from mercer.machines.with_kernel import with_kernel
from mercer.paths import PathSVC

__all__ = ["fixed_machine"]

_TOL = 1e-6  # of what stands in for a path, which is exact


def fixed_machine(full: Any) -> Any:
    """An unfitted copy of a machine with the kernel, alpha or C that all rows determine."""
    if isinstance(full, PathSVC) and full.low_rank is None:
        return _at_chosen_C(full)
    copy = clone(full)
    if isinstance(full, KernelMachine):
        copy = with_kernel(copy, full.kernel_)
    if isinstance(full, LeastSquaresMachine):
        copy.set_params(alpha=full.alpha_)
    return _without_probabilities(copy)


def _at_chosen_C(full: PathSVC) -> SVC:
    """The machine that a path has chosen, of one C."""
    return SVC(
        C=full.C_,
        kernel=full.kernel_,
        class_weight=full.class_weight,
        n_threads=full.n_threads,
        precision=full.precision,
        tol=_TOL,
    )


def _without_probabilities(copy: Any) -> Any:
    """Values are asked for only, and probabilities would leave rows out once more."""
    defaults = defaults_of(type(copy)) if isinstance(copy, KernelMachine) else {}
    if "probability" in defaults:
        copy.set_params(probability=defaults["probability"])
    return copy
