"""The kernel of a machine with its parameters as numbers, and its values on rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.gram import Gram
from mercer.gram.shift import shift_of_far_rows
from mercer.gram.spot_check import warn_of_indefinite
from mercer.kernels import Constant, Kernel, Precomputed, as_kernel
from mercer.kernels.convert import flat_kernel
from mercer.kernels.precomputed import check_kernel_matrix
from mercer.training.rows import is_precomputed

__all__ = ["make_gram", "resolve_kernel"]


def resolve_kernel(machine: Any, X: Any, weight: NDArray[np.float64]) -> Kernel:
    """The kernel with all parameters numbers; a kernel matrix is looked at once, here."""
    given, gamma = machine.kernel, machine.gamma
    if isinstance(given, str) and given not in ("linear", "precomputed") and gamma == 0.0:
        kernel: Kernel = flat_kernel(given, machine.coef0, machine.degree)
    else:
        kernel = as_kernel(given, gamma=gamma, degree=machine.degree, coef0=machine.coef0)
    kernel = kernel.resolve(X, sample_weight=weight)
    if is_precomputed(given):
        facts = check_kernel_matrix(X)
        if facts.is_surely_indefinite and kernel == Precomputed():
            kernel = Precomputed(positive_definite=False)
    if kernel.definiteness == "refuted":
        warn_of_indefinite(kernel)
    return kernel


def make_gram(
    machine: Any,
    kernel: Kernel,
    X: Any,
    weight: NDArray[np.float64],
    segments: ArrayLike | None = None,
    bias: Any = None,
) -> Gram:
    """The kernel values of the rows; ``bias`` may stand in for ``fit_intercept``.

    A precomputed kernel was resolved for the rows, which has checked them.
    """
    sums_vanish = machine._sums_vanish() if bias is None else bias is True
    if (getattr(machine, "fit_intercept", True) if bias is None else bias) == "penalized":
        kernel = kernel + Constant(1.0, value_bounds="fixed")
    may_move = sums_vanish and not kernel.is_normalized
    shift = shift_of_far_rows(kernel.form(), X, weight) if may_move else None
    gram = Gram(
        kernel,
        X,
        cache_size=getattr(machine, "cache_size", "auto"),
        precision=machine.precision,
        n_threads=machine.n_threads,
        segments=segments,
        shift=shift,
        is_checked=is_precomputed(machine.kernel),
    )
    return gram.gather(machine.max_time).check_values()
