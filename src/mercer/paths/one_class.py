"""One-class machines for every nu at once.

The coefficients lie in [0, weight] and add up to nu times the total weight; the linear term is
zero. With t = nu W for the parameter it is the sum that moves, and the engine of the
regularization path follows it from nu = 1, where every row is at its bound, down.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mercer._floating import without_warnings
from mercer.gram import Gram
from mercer.gram.spot_check import require_definite
from mercer.lowrank import LowRank
from mercer.paths.exact.follow import Run, coef_sizes, follow
from mercer.paths.exact.start import Start, expansion_in_time, unfinished
from mercer.paths.inputs.data import KernelChoice, read_rows
from mercer.paths.inputs.limits import Limits, read_limits
from mercer.paths.results.one_class_solutions import OneClassSolutions
from mercer.paths.results.path import Path
from mercer.problem import Problem
from mercer.problem.family import Family
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.progress import Callback
from mercer.training.numbers import plain, real

__all__ = ["one_class_path"]


@without_warnings
def one_class_path(
    X: Any,
    *,
    kernel: Any = "rbf",
    degree: int = 3,
    gamma: float | str = "scale",
    coef0: float = 0.0,
    nu_min: float = 0.01,
    sample_weight: ArrayLike | None = None,
    low_rank: int | LowRank | None = None,
    cache_size: float | str = "auto",
    n_threads: int | None = None,
    max_events: int = -1,
    max_time: float | None = None,
    callback: Callback | None = None,
    verbose: bool | int = False,
) -> Path:
    """One-class machines for every nu from 1 down to ``nu_min``.

    Parameters
    ----------
    X : array-like, sparse matrix or sequence of shape (n_rows, n_features)
        Training rows; for ``kernel="precomputed"`` the kernel matrix; a :class:`Gram` to
        share its kernel values.
    kernel, degree, gamma, coef0
        As in :class:`OneClassSVM`; the kernel must be positive semi-definite.
    nu_min : float, default=0.01
        Where to end.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights; a weight of 2 is the same as the row given twice.
    low_rank, cache_size, n_threads, max_events, max_time, verbose
        As in :func:`svc_path`.
    callback : callable, default=None
        As in :func:`svc_path`; the value it is given is nu.

    Returns
    -------
    Path
        Over nu, from 1 down.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import one_class_path
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> path = one_class_path(X, nu_min=0.05)
    >>> bool((path.decision_function(X, 0.1) < -1e-9).mean() <= 0.1)  # nu bounds the outliers
    True
    """
    deadline = Deadline.after(max_time)
    if not 0 < real("nu_min", nu_min) < 1:
        raise ValueError(f"nu_min must lie in (0, 1), got {plain(nu_min)!r}")
    limits = read_limits(np.inf, max_events, deadline, callback)
    rows, _, weight, training = read_rows(X, None, sample_weight, kernel, has_y=False)
    choice = KernelChoice(kernel, degree, gamma, coef0, low_rank, cache_size, n_threads, deadline)
    values = choice.values(X, rows, weight, training, sums_vanish=False)
    gram = values.gram
    require_definite(gram, "a path")
    gram.check_values()
    problem = Problem(np.zeros_like(weight), np.zeros_like(weight), weight)
    least = nu_min * float(weight.sum())
    if not least >= np.finfo(np.float64).tiny:
        raise ValueError(
            f"nu_min={plain(nu_min)!r} times the sum of sample_weight must not underflow, got "
            f"{least!r}"
        )
    limits, total = replace(limits, C_max=1.0 / least), float(weight.sum())
    with limits.shown(verbose) as shown_limits:
        # the path follows t = nu times the total weight, and 1/t is what it tells
        told = shown_limits.reporting("nu", lambda C: min(1.0 / (C * total), 1.0) if C > 0 else 1.0)
        run = _follow(problem, gram, told)
    gram.inspect(coef_sizes(problem, gram, run))
    status = "nu_min" if run.status == "C_max" else run.status
    solutions = OneClassSolutions(run.segments, problem, status)
    return Path(solutions, kernel_values=values, violation=run.violation)


def _follow(problem: Problem, gram: Gram, limits: Limits) -> Run:
    """From every row at its bound: the one deepest inside is the first to leave it."""
    family, weight = Family.line(problem, sum_rate=1.0), problem.upper
    total = float(weight.sum())
    value = expansion_in_time(problem, gram, weight, limits.deadline)
    if value is None:
        return follow(family, gram, unfinished(problem, "max-time"), limits)
    used = np.flatnonzero(weight > 0)
    free = used[[np.argmax(value[used])]]
    start = Start(weight, free, total, -float(value[free[0]]), 0.0, False, expansion=value)
    return follow(family, gram, start, limits)
