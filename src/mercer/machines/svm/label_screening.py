"""Labels need signs only: single precision decides where its error bound lets it.

The other rows are decided in double precision, so the labels are those of double precision.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram.native import count_rows, take_rows
from mercer.machines.svm.one_vs_one import votes

__all__ = ["certain_winners", "label_rows"]

FloatArray = NDArray[np.float64]
Labels = NDArray[Any]
BoolArray = NDArray[np.bool_]

_FEW_ROWS = 512  # not worth a second copy of the support vectors
_BLOCK_ROWS = 8192
# A block is at most this share of all rows, so that one in vain costs a thirtieth of the time.
_BLOCK_SHARE = 16
_TOO_MANY = 0.25  # share of undecided rows of a block from which on double precision takes over


def label_rows(
    X: Any,
    decide: Callable[[Any], Labels],
    screen: Callable[[Any], tuple[Labels, BoolArray]] | None,
) -> Labels:
    """``decide(X)``, by way of ``screen`` where that is enough.

    Parameters
    ----------
    X : array, sparse matrix or sequence
        Rows.
    decide : callable
        Labels of rows, in double precision.
    screen : callable or None
        Labels of rows, in single precision, and which of them are certain.
    """
    n = count_rows(X)
    if screen is None or n < _FEW_ROWS:
        return decide(X)
    size = min(_BLOCK_ROWS, max(-(-n // _BLOCK_SHARE), _FEW_ROWS // _BLOCK_SHARE))
    parts, undecided = [], []
    for start in range(0, n, size):
        rows = np.arange(start, min(start + size, n))
        labels, is_certain = screen(take_rows(X, rows))
        parts.append(labels)
        undecided.append(rows[~is_certain])
        if len(undecided[-1]) > _TOO_MANY * len(rows):
            break
    found = np.concatenate(parts)
    rest = np.concatenate([*undecided, np.arange(len(found), n)])
    out = np.empty(n, dtype=found.dtype)
    out[: len(found)] = found
    if len(rest):
        out[rest] = decide(take_rows(X, rest))
    return out


def certain_winners(
    decisions: FloatArray, bound: FloatArray, n_classes: int
) -> tuple[Labels, BoolArray]:
    """The class that wins most pairs, and where that is certain.

    Certain means that all pairs are further than ``bound`` from a tie, and that no other class
    wins as many.
    """
    count = votes(decisions, n_classes)
    most = count.max(axis=1, keepdims=True)
    alone = (count == most).sum(axis=1) == 1
    return count.argmax(axis=1), alone & (np.abs(decisions) > bound).all(axis=1)
