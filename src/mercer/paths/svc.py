"""The function people call: data in, path out."""

from __future__ import annotations

import time
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.formulations import svc
from mercer.gram import Gram
from mercer.kernels import Kernel, Linear
from mercer.lowrank import LowRank
from mercer.paths.approximate import approximate
from mercer.paths.artificial import artificial_start
from mercer.paths.display import shown
from mercer.paths.follow import Limits, PathCallback, follow
from mercer.paths.inputs import approximate_kernel, make_kernel, read_inputs
from mercer.paths.path import Path
from mercer.paths.start import Start, exact_start, start_at
from mercer.problem import Problem

__all__ = ["check_range", "svc_path", "trace"]


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
    sample_weight: ArrayLike | None = None,
    low_rank: int | LowRank | None = None,
    cache_size: float = 100.0,
    n_threads: int | None = None,
    max_events: int = -1,
    max_time: float | None = None,
    callback: PathCallback | None = None,
    verbose: bool | int = False,
) -> Path:
    """Support vector classifiers for every C at once (Simple SVMPath, Sentelle 2014, algorithm 3).

    The coefficients are piecewise affine in C; the path finds every breakpoint. It works
    with any positive semi-definite kernel, linear ones, duplicates and contradictory labels
    included. Time grows with the number of breakpoints (about 0.5 to 5 per row) times rows
    times *free* rows; memory with rows times free rows.

    Parameters
    ----------
    X : array-like, sparse matrix or sequence of shape (n_rows, n_features)
        Training rows; for ``kernel="precomputed"`` the kernel matrix; a :class:`Gram` to
        share its kernel values.
    y : array-like of shape (n_rows,)
        Labels of two classes.
    kernel, degree, gamma, coef0
        As in :class:`SVC`; not looked at if ``X`` is a Gram.
    C_min : float, default=None
        Where to begin; None means from the smallest C, where the solution is known.
    C_max : float, default=1000.0
        Where to end; infinite follows the path until nothing changes any more.
    accuracy : float, default=0.0
        0 for the exact path. Else an approximate one, with fewer breakpoints: at every C the
        relative duality gap (:attr:`Certificate.relative_gap`) is at most this.
    start : {"exact", "artificial"}, default="exact"
        How classes of unequal weight begin: by solving for the first solution, or by an
        artificial point that balances the classes and leaves (Sentelle 2014, chapter 6).
    sample_weight : array-like of shape (n_rows,), default=None
        Weights; a weight of 2 is the same as the row given twice.
    low_rank : int, LowRank or None, default=None
        Follow the path of a low-rank approximation of the kernel, in memory n times the rank:
        the rank of a pivoted incomplete Cholesky factor, or a description of the basis. The
        share of the trace that is missing is ``path.low_rank.trace_error_``.
    cache_size : float, default=100.0
        Memory for kernel rows that are not free, in MB.
    n_threads : int, default=None
        Threads; None means ``OMP_NUM_THREADS`` or all CPUs.
    max_events : int, default=-1
        Largest number of breakpoints; -1 for no limit.
    max_time : float, default=None
        Seconds after which the path so far is returned.
    callback : callable, default=None
        Called with a :class:`PathProgress` about every 50 ms; a true value ends the path,
        which is returned as far as it is known.
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
    began = time.perf_counter()
    check_range(C_min, C_max, accuracy, start)
    inputs = read_inputs(X, y, sample_weight, kernel)
    rows, fitted = inputs.rows, None
    if isinstance(X, Gram):
        made: Kernel = X.kernel
    else:
        made = make_kernel(kernel, rows, inputs.weight, degree=degree, gamma=gamma, coef0=coef0)
    if low_rank is not None:
        fitted, rows = approximate_kernel(low_rank, made, rows, n_threads)
        made = Linear()
    if isinstance(X, Gram) and fitted is None:
        gram = X
    else:
        gram = Gram(made, rows, cache_size=cache_size, precision="double", n_threads=n_threads)
    deadline = np.inf if max_time is None else began + max_time
    problem = svc(inputs.sign, 1.0, inputs.weight).problem
    with shown(verbose, callback) as report:
        limits = Limits(C_max, 10**7 if max_events < 0 else max_events, deadline, report)
        return trace(
            problem, gram, limits, classes=inputs.classes, rows=rows, C_min=C_min,
            start=start, accuracy=accuracy, low_rank=fitted,
        )  # fmt: skip


def trace(
    problem: Problem,
    gram: Gram,
    limits: Limits,
    *,
    classes: NDArray[Any] | None = None,
    rows: Any = None,
    C_min: float | None = None,
    start: str = "exact",
    accuracy: float = 0.0,
    low_rank: LowRank | None = None,
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
    classes, rows, C_min, start, accuracy
        As in :func:`svc_path`.
    low_rank : LowRank, default=None
        What ``rows`` are the features of.
    """
    began = time.perf_counter()
    if not gram.is_positive_definite:
        raise ValueError(f"a path needs a positive semi-definite kernel, got {gram.kernel!r}")
    begin, method = _begin(problem, gram, limits, C_min, start)
    if accuracy > 0 and begin.parameter * limits.C_max > 1.0 and not begin.is_trivial:
        run, accuracy = approximate(problem, gram, begin, limits, accuracy)
    else:
        run, accuracy = follow(problem, gram, begin, limits), 0.0
    return Path(
        segments=run.segments,
        problem=problem,
        status=run.status,
        classes=classes,
        start=method,
        start_rate=begin.bias_rate,
        C_begin=begin.begin,
        violation=run.violation,
        accuracy=accuracy,
        seconds=time.perf_counter() - began,
        kernel=gram.kernel,
        rows=rows,
        gram=gram,
        low_rank=low_rank,
    )


def _begin(
    problem: Problem, gram: Gram, limits: Limits, C_min: float | None, start: str
) -> tuple[Start, str]:
    if C_min is not None:
        return start_at(problem, gram, C_min), "exact"
    if start == "artificial":
        return artificial_start(problem, gram, limits)
    return exact_start(problem, gram), "exact"


def check_range(C_min: float | None, C_max: float, accuracy: float, start: str = "exact") -> None:
    """Refuse limits of a path that make no sense."""
    for name, value in (("C_max", C_max), ("C_min", 1.0 if C_min is None else C_min)):
        if not value > 0:
            raise ValueError(f"{name} must be positive, got {value!r}")
    if C_min is not None and not C_min < C_max:
        raise ValueError(f"C_min must be below C_max={C_max!r}, got {C_min!r}")
    if start not in ("exact", "artificial"):
        raise ValueError(f"start must be 'exact' or 'artificial', got {start!r}")
    if not accuracy >= 0:
        raise ValueError(f"accuracy must not be negative, got {accuracy!r}")
