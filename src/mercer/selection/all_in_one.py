"""Held-out values of machines that learn all classes in one problem."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.multiclass import AllInOne, multiclass_problem
from mercer.selection.training_task import TrainingTask
from mercer.solvers.runs.deadline import Deadline, OutOfTime
from mercer.training.splits import Split

__all__ = ["all_in_one_values"]

FloatArray = NDArray[np.float64]
_NEVER = Deadline()


def all_in_one_values(
    task: TrainingTask,
    machines: Sequence[Any],
    gram: Gram,
    split: Split,
    deadline: Deadline = _NEVER,
) -> list[FloatArray]:
    """Values at the test rows of a split, (n_test, n_classes), of machines with ascending C.

    Rows that are held out have no weight, so that all splits share the kernel values, and each
    machine starts from the one before. The kernel of ``gram`` has the bias in it.
    """
    weight = task.training_weight(split.times)
    coef: FloatArray | None = None
    found = []
    for machine in machines:
        problem = multiclass_problem(
            machine.multiclass, task.class_index, task.n_classes, machine.C, weight
        )
        solver = machine.solver if isinstance(machine.solver, AllInOne) else AllInOne()
        left = deadline.seconds_left if np.isfinite(deadline.moment) else None
        solution = solver.solve(
            problem, gram, start=coef, tol=machine.tol, max_iter=machine.max_iter, max_time=left
        )
        if solution.status == "max-time":
            raise OutOfTime
        coef = np.asarray(solution.coef)
        own = problem.coefficients(coef)
        used = np.flatnonzero(own.any(axis=0))
        columns = np.ascontiguousarray(own[:, used].T)
        found.append(gram.product(used, columns, rows=split.test, precision="double"))
    return found
