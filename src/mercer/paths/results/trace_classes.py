"""The paths of all two-class machines of a scheme."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.formulations import svc
from mercer.gram import Gram
from mercer.machines.svm.one_vs_one import Pair
from mercer.machines.svm.schemes import CodeScheme, PairScheme, SubproblemScheme
from mercer.paths.inputs.kernel_values import KernelValues
from mercer.paths.inputs.limits import Limits
from mercer.paths.results.class_paths import ClassPaths
from mercer.paths.results.code_paths import CodePaths
from mercer.paths.results.pair_paths import PairPaths
from mercer.paths.results.path import Path
from mercer.paths.svc import trace
from mercer.training.training_set import TrainingSet

__all__ = ["trace_classes"]

FloatArray = NDArray[np.float64]
_SIGNS = np.array([-1, 1])  # what the paths of a code tell apart


def trace_classes(
    inputs: TrainingSet,
    weight: FloatArray,
    gram: Gram,
    limits: Limits,
    *,
    scheme: SubproblemScheme | None = None,
    values: KernelValues | None = None,
    C_min: float | None = None,
    accuracy: float = 0.0,
    known: ClassPaths | None = None,
) -> ClassPaths:
    """The paths of all machines of a scheme that there are rows of both signs for.

    Parameters
    ----------
    inputs : TrainingSet
        Rows and classes.
    weight : ndarray of shape (n_rows,)
        Weight of each row, that of its class included; 0 leaves it out.
    gram : Gram
        Kernel values of all rows.
    limits : Limits
        Where the paths stop; those behind one that ran out of time are not begun.
    scheme : PairScheme or CodeScheme, default=None
        The machines; None means the pairs of classes.
    values, C_min, accuracy
        As in :func:`trace`.
    known : ClassPaths, default=None
        Paths of all rows, which serve again where nothing of a machine has changed.
    """
    scheme = scheme or PairScheme(len(inputs.classes))
    parts = scheme.subproblems(inputs.class_index)
    traced, paths = [], []
    for k in range(len(parts)):
        part = parts[k]
        own = weight[part.rows]
        if not (own[part.sign > 0].any() and own[part.sign < 0].any()):
            continue
        problem = svc(part.sign, 1.0, own).on_rows(part.rows, len(weight)).problem
        path = _unchanged(known, k, problem)
        if path is None:
            path = trace(
                problem, gram, limits, classes=_sides(inputs.classes, part), values=values,
                C_min=C_min, accuracy=accuracy,
            )  # fmt: skip
        traced.append(k)
        paths.append(path)
    if isinstance(scheme, CodeScheme):
        there = np.unique(inputs.class_index[weight > 0])
        return CodePaths(
            inputs.classes, scheme.code, scheme.decoding, tuple(traced), tuple(there.tolist()),
            tuple(paths),
        )  # fmt: skip
    pairs = tuple(_winners(parts[k], len(inputs.classes)) for k in traced)
    return PairPaths(inputs.classes, pairs, tuple(paths))


def _sides(classes: NDArray[Any], part: Any) -> NDArray[Any]:
    """What negative and positive values of a machine mean."""
    if not isinstance(part, Pair):
        return _SIGNS
    positive, negative = _winners(part, len(classes))
    return np.asarray(classes[[negative, positive]])


def _winners(pair: Pair, n_classes: int) -> tuple[int, int]:
    """The class of positive values, then the other; of two classes the second is positive."""
    return (pair.second, pair.first) if n_classes == 2 else (pair.first, pair.second)


def _unchanged(known: ClassPaths | None, k: int, problem: Any) -> Path | None:
    """The path of machine ``k`` of all rows, if that is the same problem."""
    if known is None:
        return None
    path = known.paths[k]
    same = np.array_equal(path.problem.lower, problem.lower) and np.array_equal(
        path.problem.upper, problem.upper
    )
    return path if same else None
