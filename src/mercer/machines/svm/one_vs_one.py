"""Class against class: the pairs, their coefficients in LIBSVM's layout, and the votes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import _ovr_decision_function

from mercer.formulations import ReadOut

__all__ = [
    "Pair",
    "class_pairs",
    "dual_coefficients",
    "pair_bounds",
    "pair_decisions",
    "scores",
    "votes",
]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Pair:
    """Two classes, the rows that belong to them, and the sign each row has.

    With more than two classes the first class of a pair is positive, as in LIBSVM; with
    two the second is, so that positive decisions mean ``classes_[1]``.
    """

    first: int
    second: int
    rows: NDArray[np.intp]
    sign: FloatArray


def class_pairs(labels: NDArray[np.intp], n_classes: int) -> Iterator[Pair]:
    """All pairs of classes in LIBSVM's order: (0, 1), (0, 2), ..., (1, 2), ..."""
    if n_classes == 2:
        yield Pair(0, 1, np.arange(len(labels)), np.where(labels == 1, 1.0, -1.0))
        return
    members = [(labels == c).nonzero()[0] for c in range(n_classes)]
    for i, j in combinations(range(n_classes), 2):
        rows = np.concatenate([members[i], members[j]])
        sign = np.ones(len(rows))
        sign[len(members[i]) :] = -1.0
        if members[i][-1] > members[j][0]:
            order = np.argsort(rows, kind="stable")
            rows, sign = rows[order], sign[order]
        yield Pair(i, j, rows, sign)


def dual_coefficients(
    pairs: list[Pair], read_outs: list[ReadOut], labels: NDArray[np.intp], n_classes: int
) -> tuple[NDArray[np.intp], FloatArray]:
    """Support vectors (by class, then row) and their coefficients.

    Column s belongs to support vector s of class c; its row r holds the coefficient in the
    classifier of c against class r if r < c, else against class r + 1.
    """
    in_use = np.zeros(len(labels), dtype=bool)
    for read_out in read_outs:
        in_use |= read_out.coef != 0.0
    support = in_use.nonzero()[0]
    support = support[np.argsort(labels[support], kind="stable")]
    coef = np.zeros((n_classes - 1, len(support)))
    counts = np.bincount(labels[support], minlength=n_classes).tolist()
    own_columns = [slice(*ends) for ends in pairwise(accumulate(counts, initial=0))]
    for pair, read_out in zip(pairs, read_outs, strict=True):
        for own, other in ((pair.first, pair.second), (pair.second, pair.first)):
            columns = own_columns[own]
            row = other if other < own else other - 1
            coef[row, columns] = read_out.coef[support[columns]]
    return support, coef


def pair_decisions(by_class: FloatArray, intercept: FloatArray) -> FloatArray:
    """Decisions of all pairs from the expansions over each class's support vectors.

    ``by_class[c, :, r]`` is the sum over support vectors of class c with the coefficients
    of row r of :func:`dual_coefficients`.
    """
    n_classes = len(by_class)
    decisions = np.empty((by_class.shape[1], len(intercept)))
    for k, (i, j) in enumerate(combinations(range(n_classes), 2)):
        decisions[:, k] = by_class[i, :, j - 1] + by_class[j, :, i] + intercept[k]
    return decisions


def pair_bounds(by_class: FloatArray) -> FloatArray:
    """Error bounds of all pairs from those of the sums over each class's support vectors."""
    return np.stack([first + second for first, second in combinations(by_class, 2)], axis=1)


def scores(decisions: FloatArray, n_classes: int) -> FloatArray:
    """One score a class: votes, ties broken by summed decisions (scikit-learn's formula)."""
    return np.asarray(_ovr_decision_function(decisions < 0, -decisions, n_classes))


def votes(decisions: FloatArray, n_classes: int) -> NDArray[Any]:
    """How many pairs each class wins."""
    count = np.zeros((len(decisions), n_classes), dtype=np.intp)
    for k, (i, j) in enumerate(combinations(range(n_classes), 2)):
        second = decisions[:, k] < 0
        count[:, i] += ~second
        count[:, j] += second
    return count
