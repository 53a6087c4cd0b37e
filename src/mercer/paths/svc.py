"""The function people call: data in, path out."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._floating import without_warnings
from mercer.formulations import svc
from mercer.gram import Gram
from mercer.gram.spot_check import require_definite
from mercer.lowrank import LowRank
from mercer.paths.approximate.chords import approximate
from mercer.paths.exact.artificial import artificial_start
from mercer.paths.exact.box_scale import scaled_limits, unscaled
from mercer.paths.exact.follow import coef_sizes, follow
from mercer.paths.exact.middle_bias import with_middle_bias
from mercer.paths.exact.start import Start, exact_start, scale_of_box, start_at
from mercer.paths.inputs.data import KernelChoice, read_inputs
from mercer.paths.inputs.kernel_values import KernelValues
from mercer.paths.inputs.limits import Limits, read_limits
from mercer.paths.results.c_solutions import CSolutions
from mercer.paths.results.path import Path
from mercer.problem import Problem
from mercer.problem.family import Family
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.progress import Callback
from mercer.training.numbers import plain, positive, real

__all__ = ["check_range", "path_over_C", "svc_path", "trace"]


@without_warnings
def svc_path(
    X: Any,
    y: ArrayLike,
    *,
    kernel: Any = "rbf",
    degree: int = 3,
    gamma: float | str = "scale",
    coef0: float = 0.0,
    C_min: float | None = None,
    C_max: float = 1e3,
    accuracy: float = 0.0,
    start: Literal["exact", "artificial"] = "exact",
    class_weight: Any = None,
    sample_weight: ArrayLike | None = None,
    low_rank: int | LowRank | None = None,
    cache_size: float | str = "auto",
    n_threads: int | None = None,
    max_events: int = -1,
    max_time: float | None = None,
    callback: Callback | None = None,
    verbose: bool | int = False,
) -> Path:
    """Support vector classifiers for every C at once (Simple SVMPath, Sentelle 2014, algorithm 3).

    The coefficients are piecewise affine in C; the path finds every breakpoint. It works with any
    positive semi-definite kernel, including linear ones, and with duplicates and contradictory
    labels. Time grows with the number of breakpoints (about 0.5 to 5 per row) times rows times
    *free* rows; memory with rows times free rows.

    Parameters
    ----------
    X : array-like, sparse matrix or sequence of shape (n_rows, n_features)
        Training rows; for ``kernel="precomputed"`` the kernel matrix; a :class:`Gram` to
        share its kernel values.
    y : array-like of shape (n_rows,)
        Labels of two classes.
    kernel, degree, gamma, coef0
        As in :class:`SVC`; ignored if ``X`` is a Gram.
    C_min : float, default=None
        The first C; None begins at the smallest one, where the solution is known.
    C_max : float, default=1000.0
        The last C; infinite follows the path until the solution no longer changes.
    accuracy : float, default=0.0
        0 for the exact path. Otherwise the path is approximate, with fewer breakpoints: at every C
        the relative duality gap (:attr:`Certificate.relative_gap`) is at most this.
    start : {"exact", "artificial"}, default="exact"
        How the path of classes of unequal weight begins: by solving for the first solution, or with
        an artificial point that balances the classes and then leaves (Sentelle 2014, chapter 6).
    class_weight : dict or "balanced", default=None
        Weights of the classes, as in :class:`SVC`.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights; a weight of 2 is the same as the row given twice.
    low_rank : int, LowRank or None, default=None
        Follow the path of a low-rank approximation of the kernel, in memory n times the rank:
        the rank of a pivoted incomplete Cholesky factor, or a description of the basis. The
        share of the trace that is missing is ``path.low_rank.trace_error_``.
    cache_size : float or "auto", default="auto"
        Memory for kernel rows that are not free, in MB; "auto" takes up to a quarter of what is
        available.
    n_threads : int, default=None
        Threads; None means ``OMP_NUM_THREADS`` or all CPUs.
    max_events : int, default=-1
        Largest number of breakpoints; -1 for no limit.
    max_time : float, default=None
        Seconds after which the path so far is returned; ``path.end`` is 0 if even the first
        solution was not found by then.
    callback : callable, default=None
        Called with a :class:`~mercer.solvers.Progress` about every 50 ms; a true value ends the
        path, which is returned as far as it is known.
    verbose : bool, default=False
        Whether to show the progress.

    Returns
    -------
    Path

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mercer import svc_path
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = svc_path((X - X.mean(0)) / X.std(0), y, kernel="linear", C_max=1.0)
    >>> path.status
    'C_max'
    """
    return path_over_C(
        X, y, kernel=kernel, degree=degree, gamma=gamma, coef0=coef0, C_min=C_min, C_max=C_max,
        accuracy=accuracy, start=start, class_weight=class_weight, sample_weight=sample_weight,
        low_rank=low_rank, cache_size=cache_size, n_threads=n_threads, max_events=max_events,
        max_time=max_time, callback=callback, verbose=verbose,
    )  # fmt: skip


def path_over_C(
    X: Any,
    y: ArrayLike,
    *,
    kernel: Any,
    degree: int,
    gamma: float | str,
    coef0: float,
    C_min: float | None,
    C_max: float,
    accuracy: float,
    start: str,
    class_weight: Any,
    sample_weight: ArrayLike | None,
    low_rank: int | LowRank | None,
    cache_size: float | str,
    n_threads: int | None,
    max_events: int,
    max_time: float | None,
    callback: Callback | None,
    verbose: bool | int,
    told: Callable[[Limits], Limits] | None = None,
) -> Path:
    """The path of :func:`svc_path`; ``told`` changes what the callback hears."""
    deadline = Deadline.after(max_time)
    check_range(C_min, C_max, accuracy, start)
    limits = read_limits(C_max, max_events, deadline, callback)
    inputs = read_inputs(X, y, sample_weight, kernel, class_weight)
    choice = KernelChoice(kernel, degree, gamma, coef0, low_rank, cache_size, n_threads, deadline)
    values = choice.values(X, inputs.rows, inputs.weight, inputs.training)
    problem = svc(inputs.sign, 1.0, inputs.full_weight()).problem
    with limits.shown(verbose) as shown_limits:
        return trace(
            problem, values.gram, told(shown_limits) if told else shown_limits,
            classes=inputs.classes, values=values, C_min=C_min, start=start, accuracy=accuracy,
        )  # fmt: skip


def trace(
    problem: Problem,
    gram: Gram,
    limits: Limits,
    *,
    classes: NDArray[Any] | None = None,
    values: KernelValues | None = None,
    C_min: float | None = None,
    start: str = "exact",
    accuracy: float = 0.0,
) -> Path:
    """The path of any problem with one group of sum zero whose box grows with C.

    Parameters
    ----------
    problem : Problem
        The problem at C = 1.
    gram : Gram
        Kernel values.
    limits : Limits
        Where to stop.
    classes, C_min, start, accuracy
        As in :func:`svc_path`.
    values : KernelValues, default=None
        What the path predicts with.
    """
    began = time.perf_counter()
    require_definite(gram, "a path")
    box_scale = scale_of_box(problem)
    near = problem if box_scale == 1.0 else Family(problem).at(box_scale)
    limits = limits if box_scale == 1.0 else scaled_limits(limits, box_scale)
    begin, method = _begin(near, gram, limits, C_min and C_min / box_scale, start)
    is_open = not begin.status and not begin.is_trivial
    if accuracy > 0 and is_open and begin.parameter * limits.C_max > 1.0:
        run, accuracy = approximate(near, gram, begin, limits, accuracy)
        segments, start_rate = run.segments, begin.bias_rate
    else:
        run, accuracy = follow(Family(near), gram, begin, limits), 0.0
        segments, start_rate = with_middle_bias(near, gram, run.segments, begin)
    gram.inspect(coef_sizes(near, gram, run))
    segments = segments if box_scale == 1.0 else unscaled(segments, problem, box_scale)
    return Path(
        CSolutions(segments, problem, run.status, start_rate, begin.begin * box_scale),
        classes=classes,
        kernel_values=values,
        violation=run.violation,
        accuracy=accuracy,
        start=method,
        seconds=time.perf_counter() - began,
    )


def _begin(
    problem: Problem, gram: Gram, limits: Limits, C_min: float | None, start: str
) -> tuple[Start, str]:
    if C_min is not None:
        return start_at(problem, gram, C_min, limits), "exact"
    if start == "artificial":
        return artificial_start(problem, gram, limits)
    return exact_start(problem, gram, limits), "exact"


def check_range(C_min: float | None, C_max: float, accuracy: float, start: str = "exact") -> None:
    """Refuse limits of a path that make no sense."""
    positive("C_max", C_max)
    if C_min is not None and not positive("C_min", C_min) < C_max:
        raise ValueError(f"C_min must be below C_max={plain(C_max)!r}, got {plain(C_min)!r}")
    if start not in ("exact", "artificial"):
        raise ValueError(f"start must be 'exact' or 'artificial', got {start!r}")
    if not 0 <= real("accuracy", accuracy) < np.inf:
        raise ValueError(f"accuracy must not be negative, and finite, got {plain(accuracy)!r}")
