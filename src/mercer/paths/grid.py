"""Support vector classifiers on a grid of C and gamma, each from its neighbour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._floating import without_warnings
from mercer.codes.decoding import decoding_named
from mercer.codes.making import as_code
from mercer.gram import Gram
from mercer.machines.svm.schemes import (
    MULTICLASS,
    CodeScheme,
    PairScheme,
    one_against_all,
)
from mercer.paths.grids.cells import Cells, Column
from mercer.paths.grids.columns import columns, takes_active_set
from mercer.paths.grids.watch import Watch
from mercer.paths.inputs.data import KernelChoice, ValuePrecision, read_inputs
from mercer.paths.inputs.kernel_values import KernelValues
from mercer.paths.inputs.limits import Limits, check_callback
from mercer.paths.results.grid import Grid
from mercer.paths.validation.scoring import Scoring
from mercer.solvers import Solver
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.progress import Callback
from mercer.solvers.solving import resolve_solver
from mercer.training.numbers import plain, positive_vector, real
from mercer.training.splits import two_class_splits
from mercer.training.training_set import TrainingSet
from mercer.training.weights import check_bounds

__all__ = ["svc_grid"]

FloatArray = NDArray[np.float64]


@without_warnings
def svc_grid(
    X: Any,
    y: ArrayLike,
    *,
    Cs: ArrayLike,
    gammas: ArrayLike | None = None,
    kernel: Any = "rbf",
    degree: int = 3,
    coef0: float = 0.0,
    cv: Any = None,
    groups: ArrayLike | None = None,
    scoring: Any = None,
    multiclass: str = "one-vs-one",
    code: Any = "dense",
    decoding: str = "auto",
    class_weight: Any = None,
    sample_weight: ArrayLike | None = None,
    solver: str | Solver = "auto",
    tol: float = 1e-3,
    cache_size: float = 100.0,
    n_threads: int | None = None,
    max_time: float | None = None,
    callback: Callback | None = None,
    verbose: bool | int = False,
) -> Grid:
    """Support vector classifiers for all pairs of C and gamma (Sentelle 2014, chapter 7).

    For each gamma C goes up, and each solution begins with the one before it. The kernel values
    of a gamma are computed once, for all rows, every C, every split and its predictions; splits
    and values of gamma share the threads. The result does not depend on their number.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_features)
        Training rows; for ``kernel="precomputed"`` the kernel matrix.
    y : array-like of shape (n_rows,)
        Labels of two classes or more.
    Cs : array-like of shape (n_C,)
        Values of C, positive; sorted.
    gammas : array-like of shape (n_gamma,), default=None
        Widths of a kernel given by name; None for one gamma, "scale", or a kernel without.
    kernel, degree, coef0
        As in :class:`SVC`; the kernel must be positive semi-definite.
    cv : int, cross-validation generator or iterable, default=None
        How ``scores`` are found: on held-out rows of machines trained on exactly the rows that
        a split says. All splits share the kernel values of a gamma; "scale" is resolved once,
        on all rows.
    groups : array-like of shape (n_rows,), default=None
        Groups of rows, handed to ``cv``.
    scoring : str or callable, default=None
        What ``scores`` are, as in scikit-learn; None for the share of right predictions.
    multiclass : {"one-vs-one", "one-vs-all", "code"}, default="one-vs-one"
        The machines of more than two classes: every pair has one, and these vote; ties go to the
        first class, as in :class:`PathSVC` and :class:`SVC` with ``break_ties=False``. Or each
        class has one, against all others, and the largest value wins; or the columns of ``code``.
    code, decoding
        With ``multiclass="code"``, as in :class:`SVC`.
    class_weight : dict or "balanced", default=None
        As in :class:`SVC`; "balanced" means the training rows of each split.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights, of rows and of their scores.
    solver : str or Solver, default="auto"
        "chunked" for many free rows, "active-set" for few of them, or any other that
        :func:`solve` takes; "auto" chooses by the number of rows, ``tol`` and the kernel. Up to
        4,000 rows it solves all machines of a gamma in one call, and certifies ``solutions``.
    tol : float, default=1e-3
        Largest KKT violation.
    cache_size : float, default=100.0
        Memory for the kernel values of a gamma, in MB, and for those that certificates need
        again as much. The full matrix is kept in single precision if it fits (up to 4,000 rows,
        64 MB), else as many rows as do. There may be as many values of gamma at work as threads.
    n_threads : int, default=None
        Threads; None means ``OMP_NUM_THREADS`` or all CPUs.
    max_time : float, default=None
        Seconds after which the grid is returned as far as it is filled.
    callback : callable, default=None
        Called with a :class:`~mercer.solvers.Progress` after each solution of all rows, in the
        order of gamma, machines and C; ``iteration`` counts these solutions. A true value ends the
        grid, which is returned as far as it is filled. If a solution takes long, the callback is
        also called in between, from any thread.
    verbose : bool, default=False
        Whether to show the progress.

    Returns
    -------
    Grid

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mercer import svc_grid
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = (X - X.mean(0)) / X.std(0)
    >>> grid = svc_grid(X, y, Cs=[0.1, 1, 10], gammas=[0.01, 0.1], cv=5)
    >>> grid.scores.shape
    (2, 3)
    """
    deadline = Deadline.after(max_time)
    costs = positive_vector("Cs", Cs)
    widths = ["scale"] if gammas is None else positive_vector("gammas", gammas).tolist()
    if not 0 <= real("tol", tol) < np.inf:
        raise ValueError(f"tol must not be negative, and finite, got {plain(tol)!r}")
    if isinstance(X, Gram):
        raise TypeError("X must be rows, got a Gram: each gamma has kernel values of its own")
    resolve_solver(solver)
    inputs = read_inputs(X, y, sample_weight, kernel, class_weight, takes_more=True)
    check_bounds("Cs", float(costs[-1]), inputs.full_weight())
    measure = None if scoring is None else Scoring.read(scoring)
    scheme = _scheme(multiclass, code, decoding, len(inputs.classes), max_time)
    splits = two_class_splits(inputs, cv, groups)
    cells = Cells(inputs, costs, splits, float(tol), scheme, measure)
    choices = [
        KernelChoice(kernel, degree, gamma, coef0, None, cache_size, n_threads) for gamma in widths
    ]
    kernel = choices[0].made(inputs.rows, inputs.weight)
    precision: ValuePrecision = "double" if takes_active_set(solver, cells, kernel) else "auto"
    sources: list[KernelValues] = []
    grams = _grams(choices, X, inputs, precision, sources)
    asked = Limits(deadline=deadline, callback=check_callback(callback))
    with asked.shown(verbose) as limits:
        watch = Watch(limits)
        found = columns(cells, grams, solver, kernel, watch)
        solutions, scores = _filled(cells, found, sources, len(choices))
    for _ in grams:
        sources[-1].forget()
    is_full = None not in solutions.ravel().tolist()
    is_full = is_full and not (cells.splits and np.isnan(scores).any())
    return Grid(
        gamma=np.array([getattr(v.kernel, "gamma", np.nan) for v in sources], dtype=np.float64),
        C=costs,
        solutions=solutions[:, :, 0] if len(inputs.classes) == 2 else solutions,
        scores=scores if cells.splits else None,
        status="complete" if is_full else watch.status or "max-time",
        classes=inputs.classes,
        kernel_values=tuple(sources),
        code=scheme.code if isinstance(scheme, CodeScheme) else None,
        decoding=_decoding_of(scheme),
    )


def _grams(
    choices: list[KernelChoice],
    X: Any,
    inputs: TrainingSet,
    precision: ValuePrecision,
    sources: list[KernelValues],
) -> Iterator[Gram]:
    """The kernel values of each gamma, made when there is a thread for them, and kept."""
    for choice in choices:
        sources.append(
            choice.values(X, inputs.rows, inputs.weight, inputs.training, precision=precision)
        )
        yield sources[-1].gram


def _filled(
    cells: Cells, found: Iterable[Column], sources: list[KernelValues], n_gammas: int
) -> tuple[NDArray[np.object_], FloatArray]:
    """Solutions and scores of all cells, None and NaN where the time did not suffice."""
    solutions = np.full((n_gammas, len(cells.costs), len(cells.parts)), None, dtype=object)
    scores = np.full(solutions.shape[:2], np.nan)
    for i, column in enumerate(found):
        for p, own in enumerate(column.solutions):
            solutions[i, : len(own), p] = own
        scores[i] = column.mean_scores if cells.splits else np.nan
        sources[i].forget()
    return solutions, scores


def _scheme(
    multiclass: str, code: Any, decoding: str, n_classes: int, max_time: float | None
) -> PairScheme | CodeScheme:
    if multiclass not in MULTICLASS:
        names = ", ".join(map(repr, MULTICLASS))
        raise ValueError(f"multiclass must be one of {names} on a grid, got {multiclass!r}")
    chosen = decoding_named("hinge" if decoding == "auto" else decoding)
    known = as_code(code, n_classes, max_time) if multiclass == "code" else None
    if n_classes == 2 or multiclass == "one-vs-one":
        return PairScheme(n_classes)
    return one_against_all(n_classes) if known is None else CodeScheme(known, chosen)


def _decoding_of(scheme: PairScheme | CodeScheme) -> str | None:
    """None for pairs, and where the largest value is taken."""
    is_decoded = isinstance(scheme, CodeScheme) and scheme.decoding is not None
    return scheme.decoding.name if is_decoded else None  # type: ignore[union-attr]
