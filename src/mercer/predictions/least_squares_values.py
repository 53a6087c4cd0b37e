"""Held-out values of least squares machines: by formula, nothing is fitted again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.predictions.splits import Splits
from mercer.predictions.values import values_of
from mercer.selection.objectives.left_out_blocks import LeftOutBlocks
from mercer.selection.scheme_task import SchemeTask

__all__ = ["least_squares_values"]

FloatArray = NDArray[np.float64]


def least_squares_values(full: Any, task: SchemeTask | None, splits: Splits) -> FloatArray | None:
    """Values of the splits; None where machines have to be fitted.

    Single rows: ``loo_values_``, of low rank as well, the landmarks being those of all rows
    (docs/theory/least_squares.md#leave-one-out-values). Blocks of rows:
    docs/theory/least_squares.md#left-out-blocks.
    """
    if splits.are_single and full.loo_values_ is not None and _has_formula(full):
        return np.array(full.loo_values_)
    if task is None:
        return None
    gram = task.shared_gram
    blocks = LeftOutBlocks.of(task, splits.each())
    if blocks is None or gram.definiteness not in ("known", "stated"):
        return None
    out = values_of(full, task.rows).reshape(task.n_rows, -1).copy()
    found = blocks.left_out(gram, float(full.alpha_))
    for split, values in zip(splits.each(), found.values, strict=True):
        out[split.test] = values
    return out[:, 0] if out.shape[1] == 1 else out


def _has_formula(full: Any) -> bool:
    """Whether ``loo_values_`` are those of refits.

    They are not for classes in pairs or codes, nor where a left-out row changes the machine of the
    others: balanced or robust weights, pruning, the penalty "coefficients".
    """
    is_plain = full.sparse is None and full.penalty == "norm"
    is_one_vs_all = getattr(full, "multiclass_", "one-vs-all") == "one-vs-all"
    is_balanced = isinstance(getattr(full, "class_weight", None), str)
    return is_plain and is_one_vs_all and not is_balanced and getattr(full, "robust", None) is None
