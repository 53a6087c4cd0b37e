"""Which solver goes through the cells of a grid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.gram.native import count_rows
from mercer.kernels import Kernel
from mercer.kernels.form import Leaf
from mercer.paths.grids.active_set import columns_by_active_set, scores_by_active_set
from mercer.paths.grids.cells import Cells, Column
from mercer.paths.grids.plan import Plan
from mercer.paths.grids.series import columns_by_series
from mercer.paths.grids.watch import Watch
from mercer.paths.inputs.data import KernelChoice, ValuePrecision
from mercer.paths.inputs.limits import Limits
from mercer.solvers import Solver
from mercer.solvers.runs.deadline import Deadline

__all__ = ["columns", "mean_scores", "takes_active_set"]

FloatArray = NDArray[np.float64]
# Milliseconds a fit of the active set and of chunks on the full matrix, both from C to C, one
# thread, tol=1e-3, five folds (data sets of the benchmark):
#
#     kernel  rows x features        active set  chunks
#     rbf      100 x 18                    0.2     0.4
#     rbf      200 x 57                    0.7     0.7
#     rbf      400 x 18                    1.4     0.8
#     linear   600 x 60                    1.5     3.0
#     linear  1000 x 57                    2.6     9.8
#
# One call for all of a kernel, where it can be had, takes 0.07 to 0.15 at 100 to 200 rows.
_FEW_ROWS = 200
_SMALL_TOL = 1e-6  # needs double precision, where single steps take the longer the smaller it is
_ROWS_PER_FEATURE = 8  # of a linear kernel, which has no more free rows than features


def takes_active_set(solver: str | Solver, cells: Cells, kernel: Kernel) -> bool:
    """Whether the active set goes through the grid.

    "auto" takes it where few rows are free for sure, kernel values cost much, or pair steps would
    be many for the accuracy.
    """
    if not (isinstance(solver, str) and solver == "auto"):
        return isinstance(solver, str) and solver == "active-set"
    rows, form = cells.inputs.rows, kernel.form()
    if cells.tol < _SMALL_TOL or form.reads_python:
        return True
    if isinstance(form, Leaf) and form.kind == "linear":
        return count_rows(rows) >= _ROWS_PER_FEATURE * rows.shape[1]
    return count_rows(rows) <= _FEW_ROWS and not Plan.may_suit(cells)


def columns(
    cells: Cells, grams: Iterable[Gram], solver: str | Solver, kernel: Kernel, watch: Watch
) -> Iterator[Column]:
    """The results for each kernel, in their order; fewer once the time is over.

    ``kernel`` is any of them: they differ in their parameters only.
    """
    if takes_active_set(solver, cells, kernel):
        return columns_by_active_set(cells, grams, watch)
    if solver == "auto" and Plan.may_suit(cells):
        return _columns_by_plan(cells, grams, watch)
    return columns_by_series(cells, grams, solver, watch)


def _columns_by_plan(
    cells: Cells, grams: Iterable[Gram], watch: Watch, *, has_full: bool = True
) -> Iterator[Column]:
    """One native call for each kernel that allows it."""
    plan = Plan(cells, watch, has_full=has_full)
    for gram in grams:
        if plan.suits(gram):
            yield plan.column(gram)
        else:
            yield from columns_by_series(cells, [gram], "auto", watch, has_full=has_full)
        if watch.is_over:
            return


def mean_scores(
    cells: Cells, kernels: Sequence[Kernel], choice: KernelChoice, deadline: Deadline
) -> FloatArray:
    """Mean scores over the splits, for each kernel and C; NaN where there was no time."""
    scores = np.full((len(kernels), len(cells.costs)), np.nan)
    if not len(kernels):
        return scores
    by_active_set = takes_active_set("auto", cells, kernels[0])
    precision: ValuePrecision = "double" if by_active_set else "auto"
    grams = (choice.gram(kernel, cells.inputs.rows, None, precision) for kernel in kernels)
    if by_active_set:
        for i, gram in enumerate(grams):
            scores[i] = scores_by_active_set(cells, gram, deadline).mean(axis=0)
        return scores
    watch = Watch(Limits(deadline=deadline))
    by_series = partial(columns_by_series, solver="auto")
    way = _columns_by_plan if Plan.may_suit(cells) else by_series
    for i, column in enumerate(way(cells, grams, watch=watch, has_full=False)):
        scores[i] = column.mean_scores
    return scores
