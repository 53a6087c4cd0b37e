"""What machines learn, for splits to share kernel values."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.machines import LSSVC, LSSVR, RLSC, SVC, SVR, NuSVC, NuSVR, OneClassSVM
from mercer.machines.svm.kernel_classifier import is_all_in_one
from mercer.selection.training_task import TrainingTask

__all__ = ["SchemeTask", "can_share"]

FloatArray = NDArray[np.float64]


def can_share(machine: Any, full: Any) -> bool:
    """Whether the machines of all splits can be made from the kernel values of all rows.

    Not if all classes are one problem, if a squared nu tube may have to be solved again, if
    landmarks or pruning depend on the rows, or if every fit has a time of its own.
    """
    rule = _RULES.get(type(machine))
    return rule is not None and machine.max_time is None and bool(rule(machine, full))


def _is_plain_system(machine: Any, full: Any) -> bool:
    """Whether there is one system of all rows, one class against all others."""
    is_exact = machine.low_rank is None and machine.sparse is None and machine.penalty == "norm"
    is_flat = not getattr(full, "multilabel_", False)
    is_flat &= hasattr(full, "classes_") or len(full.intercept_) == 1
    scheme = getattr(full, "multiclass_", "one-vs-all")
    is_robust = getattr(machine, "robust", None) is not None
    return is_exact and is_flat and scheme == "one-vs-all" and not is_robust


def _has_subproblems(machine: Any, full: Any) -> bool:
    return not is_all_in_one(full)


_RULES: dict[type, Any] = {
    **dict.fromkeys((RLSC, LSSVC, LSSVR), _is_plain_system),
    **dict.fromkeys((SVC, NuSVC), _has_subproblems),
    **dict.fromkeys((SVR, OneClassSVM), lambda machine, full: True),
    NuSVR: lambda machine, full: not machine.loss.startswith("squared"),
}


class SchemeTask(TrainingTask):
    """A task whose kernel values are those of one kernel.

    Parameters
    ----------
    estimator, X, y, sample_weight
        As for :class:`~mercer.selection.training_task.TrainingTask`; all parameters of the
        kernel are numbers.
    """

    @cached_property
    def shared_gram(self) -> Gram:
        """Kernel values of all rows."""
        return self.gram(self.machine.kernel)

    def weights_change(self) -> bool:
        """Whether a row that is left out changes the boxes of others, or their sums."""
        is_balanced = isinstance(getattr(self.machine, "class_weight", None), str)
        return is_balanced or hasattr(self.machine, "nu")
