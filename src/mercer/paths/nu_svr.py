"""Nu-SVR for every nu: the path of the tube, read by another name.

The solution of the epsilon-SVR has, for its positive and for its negative coefficients, sums of
C nu W / 2 for nu = sum |coef| / (C W): it is the solution of the nu-SVR with that nu, and epsilon
is the tube that it learns (Chang & Lin 2002). With C fixed the coefficients are
piecewise affine in epsilon, because the linear term is: y - epsilon and y + epsilon. The path
begins where the tube holds all targets and ends where it has no width; nu never falls on the way.
So two group sums that move together need no engine of their own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._floating import without_warnings
from mercer.formulations import svr
from mercer.gram import Gram
from mercer.gram.spot_check import require_definite
from mercer.lowrank import LowRank
from mercer.paths.exact.box_scale import scaled_limits, unscaled
from mercer.paths.exact.follow import Run, coef_sizes, follow
from mercer.paths.exact.start import Start
from mercer.paths.exact.step_over import step_over
from mercer.paths.inputs.data import KernelChoice, read_rows
from mercer.paths.inputs.limits import Limits, read_limits
from mercer.paths.results.nu_svr_solutions import NuSVRSolutions
from mercer.paths.results.path import Path
from mercer.problem import Problem
from mercer.problem.family import Family
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.progress import Callback
from mercer.training.numbers import plain, positive, real
from mercer.training.weights import check_bounds

__all__ = ["nu_svr_path"]

FloatArray = NDArray[np.float64]
_TIE = 1e-9  # relative distance of targets that count as equal


@without_warnings
def nu_svr_path(
    X: Any,
    y: ArrayLike,
    *,
    C: float = 1.0,
    epsilon_min: float = 0.0,
    kernel: Any = "rbf",
    degree: int = 3,
    gamma: float | str = "scale",
    coef0: float = 0.0,
    sample_weight: ArrayLike | None = None,
    low_rank: int | LowRank | None = None,
    cache_size: float | str = "auto",
    n_threads: int | None = None,
    max_events: int = -1,
    max_time: float | None = None,
    callback: Callback | None = None,
    verbose: bool | int = False,
) -> Path:
    """Nu support vector regression for every nu at once, C being fixed.

    Parameters
    ----------
    X : array-like, sparse matrix or sequence of shape (n_rows, n_features)
        Training rows; for ``kernel="precomputed"`` the kernel matrix; a :class:`Gram` to
        share its kernel values.
    y : array-like of shape (n_rows,)
        Targets.
    C : float, default=1.0
        Regularization parameter, as in :class:`NuSVR`.
    epsilon_min : float, default=0.0
        Where to end, as the half-width of the tube; 0 for all nu.
    kernel, degree, gamma, coef0
        As in :class:`NuSVR`; the kernel must be positive semi-definite.
    sample_weight, low_rank, cache_size, n_threads, max_events, max_time, verbose
        As in :func:`svc_path`.
    callback : callable, default=None
        As in :func:`svc_path`; the value it is given is nu.

    Returns
    -------
    Path
        Over nu; ``path.solutions.epsilon_at(nu)`` is the half-width of the tube.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import nu_svr_path
    >>> X, y = load_diabetes(return_X_y=True)
    >>> path = nu_svr_path(X[:100], y[:100], C=100.0)
    >>> outside = abs(path.predict(X[:100], 0.3) - y[:100]) > path.solutions.epsilon_at(0.3) + 1e-6
    >>> bool(outside.mean() <= 0.3)  # nu bounds the share of rows outside the tube
    True
    """
    deadline = Deadline.after(max_time)
    positive("C", C, is_finite=True)
    if not 0 <= real("epsilon_min", epsilon_min) < np.inf:
        raise ValueError(
            f"epsilon_min must not be negative, and finite, got {plain(epsilon_min)!r}"
        )
    end = np.inf if epsilon_min == 0 else 1.0 / float(epsilon_min)
    limits = read_limits(end, max_events, deadline, callback)
    rows, targets, weight, training = read_rows(X, y, sample_weight, kernel, y_numeric=True)
    check_bounds("C", C, weight)
    choice = KernelChoice(kernel, degree, gamma, coef0, low_rank, cache_size, n_threads, deadline)
    values = choice.values(X, rows, weight, training)
    require_definite(values.gram, "a path")
    problem = svr(targets, float(C), 0.0, weight).problem
    used = targets[weight > 0]
    middle = 0.5 * float(used.min()) + 0.5 * float(used.max())
    box_scale = _scale_of_tube(problem, float(np.abs(used - middle).max()))
    with limits.shown(verbose) as shown_limits:
        # of the two variables of a row one is zero: they fill half of their boxes at most
        told = shown_limits.reporting("nu", lambda C: min(2.0 * limits.tally.share, 1.0))
        run = _follow(problem, values.gram, middle, box_scale, scaled_limits(told, box_scale))
    values.gram.inspect(coef_sizes(problem, values.gram, run))
    status = run.status
    if status == "C_max":
        status = "complete" if epsilon_min == 0 else "epsilon_min"
    segments = unscaled(run.segments, problem, box_scale)
    solutions = NuSVRSolutions(segments, problem, float(C), middle, status)
    return Path(solutions, kernel_values=values, violation=run.violation)


def _scale_of_tube(problem: Problem, size: float) -> float:
    """The power of two that brings targets of a size near 1, and no bound to 0 or infinity."""
    bounds = problem.upper[problem.upper > 0]
    exponent = -int(np.frexp(size)[1])
    least, largest = (int(np.frexp(x)[1]) for x in (bounds.min(), bounds.sum()))
    return float(np.ldexp(1.0, max(min(exponent, 1000, 1000 - largest), -1000, -1000 - least)))


def _follow(problem: Problem, gram: Gram, middle: float, box_scale: float, limits: Limits) -> Run:
    """The path over the half-width of the tube, targets and bounds times ``box_scale``."""
    tube = replace(
        problem,
        linear=np.repeat([-1.0, 1.0], problem.n_variables // 2),
        lower=box_scale * problem.lower,
        upper=box_scale * problem.upper,
    )
    family = Family.line(tube, offset=box_scale * (problem.linear - middle))
    start, n_tied = _start(family)
    if start.is_trivial or n_tied <= 2 or start.parameter * limits.C_max <= 1.0:
        return follow(family, gram, start, limits)
    opening, there = step_over(family, gram, start, limits)
    run = follow(family, gram, there, limits)
    if opening is None:
        return run
    return replace(run, segments=opening.followed_by(run.segments))


def _start(family: Family) -> tuple[Start, int]:
    """The narrowest tube around all targets, and how many rows are on its boundary.

    The row with the largest target is the first to move: its slope, offset - t - bias, vanishes,
    and so does that of the smallest target, offset + t - bias, where t is half of their distance.
    """
    problem, offset = family.problem, family.offset
    assert offset is not None
    n = problem.n_variables // 2
    targets = offset[:n]
    used = np.flatnonzero(problem.upper[:n] > 0)
    top, bottom = used[np.argmax(targets[used])], used[np.argmin(targets[used])]
    t = 0.5 * float(targets[top] - targets[bottom])
    bias = float(targets[top]) - t
    n_tied = int((np.abs(targets[used] - bias) >= t * (1.0 - _TIE)).sum())
    nothing = np.zeros(problem.n_variables)
    return Start(nothing, np.array([top]), t, bias, -1.0, t == 0.0, expansion=nothing), n_tied
