"""Leave-one-out values of support vector machines.

A row without a coefficient changes nothing when it is left out, as long as boxes and sums of the
others stay. Every other one is taken out of the basis of the machine of all rows, which is solved
on (docs/theory/active_set.md#rows-come-and-go). With "balanced" classes and in the nu family,
every row changes the boxes or sums of all; there the machine without a row is trained, starting
from that of all rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.predictions.values import values_of
from mercer.problem.family import Powers
from mercer.selection.adjoint import Trained
from mercer.selection.held_out_values import tell_unfinished
from mercer.selection.scheme_task import SchemeTask
from mercer.selection.training_task import Part
from mercer.solvers import solve
from mercer.solvers.active_set.basis import Basis
from mercer.solvers.auto import MOST_FREE
from mercer.solvers.runs.start import feasible_start

__all__ = ["single_row_values"]

FloatArray = NDArray[np.float64]


def single_row_values(task: SchemeTask, full: Any) -> FloatArray:
    """Value of each row by the machine of all others; of weight 0 by that of all."""
    out = values_of(full, task.rows).reshape(task.n_rows, len(task.parts)).copy()
    weight = task.training_weight()
    trained = task.train_series([task.machine], task.shared_gram, [weight], Powers())
    assert trained is not None  # there is no deadline
    for k, (part, machine) in enumerate(zip(task.parts, trained[0][0], strict=True)):
        if _suits_basis(task, machine):
            own = _by_basis(machine, task.machine.tol)
            rows = part.rows[weight[part.rows] > 0]
            out[rows, k] = own[rows]
        else:
            _one_by_one(task, k, part, machine, weight, out)
    return out[:, 0] if out.shape[1] == 1 else out


def _suits_basis(task: SchemeTask, machine: Trained) -> bool:
    if task.weights_change() or machine.problem.group_sum.any() or machine.problem.may_be_unbounded:
        return False
    return len(machine.free) <= MOST_FREE and machine.gram.is_positive_definite


def _by_basis(machine: Trained, tol: float) -> FloatArray:
    basis = Basis(machine.problem, machine.gram, machine.solution.coef)
    basis.solve(tol=tol, refine=False)
    return basis.leave_one_out()


def _one_by_one(
    task: SchemeTask, k: int, part: Part, machine: Trained, weight: FloatArray, out: FloatArray
) -> None:
    """Values of part ``k`` by a machine for each row that matters to it."""
    changes_all = task.weights_change()
    in_use = machine.problem.row_coef(machine.solution.coef, task.n_rows) != 0.0
    rows = np.flatnonzero((weight > 0) & (in_use | changes_all))
    found = []
    for row in rows:
        if row not in part.rows and not changes_all:
            continue
        found.append(_without(task, part, machine, int(row)))
        out[row, k] = found[-1].values(np.array([row]))[0]
    tell_unfinished(found)


def _without(task: SchemeTask, part: Part, machine: Trained, row: int) -> Trained:
    """The machine of all rows but one, from that of all rows."""
    times = np.ones(task.n_rows, dtype=np.intp)
    times[row] = 0
    formulation = task.formulate(task.machine, part, task.training_weight(times))
    problem, before = formulation.problem, machine.problem
    start = None
    if np.array_equal(before.index[before.index != row], problem.index):
        start = feasible_start(problem, machine.solution.coef[before.index != row])
    options = {"tol": task.machine.tol, "max_iter": task.machine.max_iter}
    found = solve(problem, machine.gram, task.machine.solver, start=start, **options)
    return Trained(formulation, found, machine.gram, machine.rows, machine.powers)
