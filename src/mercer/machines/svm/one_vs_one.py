"""Class against class: the pairs, their coefficients in LIBSVM's layout, and the votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import _ovr_decision_function

__all__ = [
    "ClassPairs",
    "Pair",
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


class ClassPairs(Sequence[Pair]):
    """All pairs of classes in LIBSVM's order: (0, 1), (0, 2), ..., (1, 2), ...

    Made when they are asked for: of many classes there are more pairs than memory for them.
    """

    def __init__(self, labels: NDArray[np.intp], n_classes: int) -> None:
        self._labels, self._n_classes = labels, n_classes
        self._pairs = list(combinations(range(n_classes), 2))

    @cached_property
    def _members(self) -> list[NDArray[np.intp]]:
        return [(self._labels == c).nonzero()[0] for c in range(self._n_classes)]

    @cached_property
    def _both(self) -> Pair:
        """The one pair of two classes."""
        labels = self._labels
        return Pair(0, 1, np.arange(len(labels)), np.where(labels == 1, 1.0, -1.0))

    def __len__(self) -> int:
        return len(self._pairs)

    def __getitem__(self, k: Any) -> Any:
        i, j = self._pairs[k]
        if self._n_classes == 2:
            return self._both
        first, second = self._members[i], self._members[j]
        rows = np.concatenate([first, second])
        sign = np.ones(len(rows))
        sign[len(first) :] = -1.0
        if first[-1] > second[0]:
            order = np.argsort(rows, kind="stable")
            rows, sign = rows[order], sign[order]
        return Pair(i, j, rows, sign)


def dual_coefficients(
    pairs: Sequence[Pair], coefs: list[FloatArray], labels: NDArray[np.intp], n_classes: int
) -> tuple[NDArray[np.intp], FloatArray]:
    """Support vectors (by class, then row) and their coefficients.

    ``coefs`` are those of the rows of each pair. Column s belongs to support vector s of class
    c; its row r holds the coefficient in the classifier of c against class r if r < c, else
    against class r + 1.
    """
    if n_classes == 2:
        support = coefs[0].nonzero()[0]
        support = support[np.argsort(labels[support], kind="stable")]
        return support, coefs[0][support][None]
    in_use = np.zeros(len(labels), dtype=bool)
    for pair, coef in zip(pairs, coefs, strict=True):
        in_use[pair.rows[coef != 0.0]] = True
    support = in_use.nonzero()[0]
    support = support[np.argsort(labels[support], kind="stable")]
    place = np.empty(len(labels), dtype=np.intp)
    place[support] = np.arange(len(support))
    out = np.zeros((n_classes - 1, len(support)))
    for pair, coef in zip(pairs, coefs, strict=True):
        used = coef.nonzero()[0]
        rows = pair.rows[used]
        other = np.where(labels[rows] == pair.first, pair.second - 1, pair.first)
        out[other, place[rows]] = coef[used]
    return support, out


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
