"""The machines of a search that need no certificate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mercer.machines.svm.uncertified import UncertifiedMachines
from mercer.problem.family import Powers
from mercer.selection.training_task import TrainingTask
from mercer.training.splits import Split

__all__ = ["uncertified_machines"]


def uncertified_machines(
    task: TrainingTask, splits: Sequence[Split], machine: Any, powers: Powers, **options: Any
) -> UncertifiedMachines:
    """Those of every split and part of a task; ``machine`` is the one at C = 1.

    ``options`` are handed on to :class:`~mercer.machines.svm.uncertified.UncertifiedMachines`.
    """
    formulations = []
    for split in splits:
        weight = task.training_weight(split.times)
        formulations.append([task.formulate(machine, part, weight) for part in task.parts])
    subproblems = task.scheme.subproblems(task.class_index) if len(task.parts) > 1 else None
    tol = float(task.machine.tol) / task.target_scale
    tests = [split.test for split in splits]
    return UncertifiedMachines(formulations, tests, powers, tol, subproblems=subproblems, **options)
