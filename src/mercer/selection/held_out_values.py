"""The machines of all splits on one Gram: rows that are held out have no box.

Three ways, the first that suits: of few rows all problems in one native call that brings them to
their last digits, so that weights are repetitions to as many; of more rows all in one call to the
tolerance; else one after the other with certificates
(docs/theory/predictions.md#out-of-sample-values).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from mercer._warning import warn
from mercer.machines.svm.uncertified import joined_problem
from mercer.problem.family import Powers
from mercer.selection.adjoint import Trained
from mercer.selection.all_in_one import all_in_one_values
from mercer.selection.objectives.validation import values_at
from mercer.selection.scheme_task import SchemeTask
from mercer.selection.uncertified import uncertified_machines
from mercer.solvers import solve
from mercer.solvers.parts import solve_parts, suits_parts
from mercer.training.splits import Split

__all__ = ["held_out_values", "tell_unfinished"]

FloatArray = NDArray[np.float64]

_FEW_ROWS = 300
_LAST_DIGITS = 1e-9  # tolerance of few rows


def held_out_values(task: SchemeTask, splits: list[Split]) -> list[FloatArray]:
    """Values of the test rows of each split, (n_test, n_parts), by the machine of the others."""
    if task.is_all_in_one:
        return [
            all_in_one_values(task, [task.machine], task.shared_gram, split)[0] for split in splits
        ]
    return _few(task, splits) or _quickly(task, splits) or _certified(task, splits)


def _few(task: SchemeTask, splits: list[Split]) -> list[FloatArray] | None:
    """All machines of few rows; None if there are more, or other problems than plain ones."""
    gram, machine = task.shared_gram, task.machine
    if task.n_rows > _FEW_ROWS or machine.solver != "auto" or not suits_parts(gram):
        return None
    weights = [task.training_weight(split.times) for split in splits]
    made = [task.formulate(machine, part, weight) for weight in weights for part in task.parts]
    problems = [formulation.problem for formulation in made]
    if any(p.n_groups > 1 or p.group_sum.any() or p.may_be_unbounded for p in problems):
        return None
    joined, offsets = joined_problem(problems)
    parts = solve_parts(joined, offsets, gram, tol=machine.tol, max_iter=machine.max_iter)
    solutions = [
        parts.solutions[k] if is_final else solve(problem, gram, tol=machine.tol)
        for k, (problem, is_final) in enumerate(zip(problems, parts.is_final, strict=True))
    ]
    trained = [
        Trained(formulation, solution, gram, task.rows, Powers())
        for formulation, solution in zip(made, solutions, strict=True)
    ]
    tell_unfinished(trained)
    size = len(task.parts)
    return [
        values_at(trained[size * k : size * (k + 1)], split.test) for k, split in enumerate(splits)
    ]


def _quickly(task: SchemeTask, splits: list[Split]) -> list[FloatArray] | None:
    """All machines in one native call, to their tolerance; None if they do not suit it."""
    tol = float(task.machine.tol)
    machines = uncertified_machines(task, splits, task.machine, Powers(), most_error=tol)
    if task.machine.solver != "auto" or not machines.suit(task.shared_gram):
        return None
    return [own[:, 0] for own in machines.values(task.shared_gram, [1.0])]


def _certified(task: SchemeTask, splits: list[Split]) -> list[FloatArray]:
    weights = [task.training_weight(split.times) for split in splits]
    machine = task.machine
    if task.n_rows <= _FEW_ROWS and machine.solver == "auto":
        machine = clone(machine).set_params(tol=min(machine.tol, _LAST_DIGITS))
    trained = task.train_series([machine], task.shared_gram, weights, Powers())
    assert trained is not None  # there is no deadline
    tell_unfinished([machine for own in trained[0] for machine in own])
    return [values_at(own, split.test) for own, split in zip(trained[0], splits, strict=True)]


def tell_unfinished(machines: list[Trained]) -> None:
    """Warn of machines that missed their tolerance."""
    count = sum(not machine.solution.converged for machine in machines)
    if count:
        warn(
            f"{count} of {len(machines)} machines without held-out rows have not converged: their "
            "values may be off by more than tol",
            ConvergenceWarning,
        )
