"""Class against class: the pairs, their coefficients in LIBSVM's layout, and the votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer.machines.svm.subproblems import RowLists

__all__ = [
    "ClassPairs",
    "Pair",
    "dual_coefficients",
    "most_voted",
    "pair_bounds",
    "pair_classes",
    "pair_decisions",
    "positive_wins",
    "scores",
    "votes",
    "winners",
]

FloatArray = NDArray[np.float64]
_MOST_ROWS = 2**20  # rows of pairs looked at together
# Rows of a class, and of all classes, up to which pairs share all kernel values.
_TINY_CLASS, _MOST_TINY = 24, 5000


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

    def __init__(self, class_index: NDArray[np.intp], n_classes: int) -> None:
        self.class_index, self.n_classes = class_index, n_classes
        self._pairs = list(combinations(range(n_classes), 2))

    @cached_property
    def _members(self) -> list[NDArray[np.intp]]:
        return [(self.class_index == c).nonzero()[0] for c in range(self.n_classes)]

    def __len__(self) -> int:
        return len(self._pairs)

    @cached_property
    def classes(self) -> NDArray[np.intp]:
        """First and second class of every pair, one row each."""
        return np.array(self._pairs, dtype=np.intp)

    @cached_property
    def class_sizes(self) -> NDArray[np.intp]:
        """Number of rows of every class."""
        return np.bincount(self.class_index, minlength=self.n_classes)

    @property
    def blocks(self) -> NDArray[np.intp] | None:
        """Offsets of the classes, if rows are sorted by class; tiny ones are one block.

        Pairs of tiny classes ask for nearly all values, each of them for a few.
        """
        n = len(self.class_index)
        if n <= min(_TINY_CLASS * self.n_classes, _MOST_TINY):
            return np.array([0, n])
        return np.concatenate([[0], np.cumsum(self.class_sizes)]) if self._is_sorted else None

    @property
    def fewest_rows(self) -> int:
        """Rows of the smallest pair."""
        return int(np.sort(self.class_sizes)[:2].sum())

    def row_lists(self, which: NDArray[np.intp]) -> RowLists:
        """What :class:`Pair` says of these pairs, one after the other, of more than two classes."""
        classes = self.classes[which].ravel()
        lengths = self.class_sizes[classes]
        begin = (np.cumsum(self.class_sizes) - self.class_sizes)[classes]
        total = np.cumsum(lengths)
        place = np.arange(total[-1]) + np.repeat(begin - (total - lengths), lengths)
        sign = np.repeat(np.where(np.arange(len(lengths)) % 2, -1.0, 1.0), lengths)
        offsets = np.concatenate([[0], total[1::2]])
        if self._is_sorted:
            return RowLists(place, sign, offsets)
        rows = self._by_class[place]
        order = np.lexsort((rows, np.repeat(np.arange(len(which)), np.diff(offsets))))
        return RowLists(rows[order], sign[order], offsets)

    @cached_property
    def _is_sorted(self) -> bool:
        return bool((np.diff(self.class_index) >= 0).all())

    @cached_property
    def _by_class(self) -> NDArray[np.intp]:
        return np.argsort(self.class_index, kind="stable")

    def __getitem__(self, k: Any) -> Any:
        i, j = self._pairs[k]
        if self.n_classes == 2:
            class_index = self.class_index
            return Pair(i, j, np.arange(len(class_index)), np.where(class_index == 1, 1.0, -1.0))
        first, second = self._members[i], self._members[j]
        rows = np.concatenate([first, second])
        sign = np.ones(len(rows))
        sign[len(first) :] = -1.0
        if first[-1] > second[0]:
            order = np.argsort(rows, kind="stable")
            rows, sign = rows[order], sign[order]
        return Pair(i, j, rows, sign)


def dual_coefficients(
    pairs: ClassPairs, coef: FloatArray, class_index: NDArray[np.intp], n_classes: int
) -> tuple[NDArray[np.intp], FloatArray]:
    """Support vectors (by class, then row) and their coefficients.

    ``coef`` are those of the rows of each pair, one pair after the other. Column s belongs to
    support vector s of class c; its row r holds the coefficient in the classifier of c against
    class r if r < c, else against class r + 1.
    """
    entries, begin = [], 0
    for which in _runs_of_pairs(pairs, class_index):
        lists = pairs.row_lists(which)
        end = begin + len(lists.rows)
        entries.append(_nonzero_entries(pairs.classes[which], lists, coef[begin:end], class_index))
        begin = end
    in_use = np.zeros(len(class_index), dtype=bool)
    for rows, _, _ in entries:
        in_use[rows] = True
    support = in_use.nonzero()[0]
    support = support[np.argsort(class_index[support], kind="stable")]
    place = np.empty(len(class_index), dtype=np.intp)
    place[support] = np.arange(len(support))
    out = np.zeros((n_classes - 1, len(support)))
    for rows, other, values in entries:
        out[other, place[rows]] = values
    return support, out


def _runs_of_pairs(pairs: ClassPairs, class_index: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Pairs that follow each other, so many that their rows take little memory."""
    rows_of_all = max(len(pairs.class_sizes) - 1, 1) * len(class_index)
    every = np.arange(len(pairs))
    n_runs = -(-rows_of_all // _MOST_ROWS)
    return [every] if n_runs == 1 else np.array_split(every, n_runs)


def _nonzero_entries(
    classes: NDArray[np.intp], lists: RowLists, coef: FloatArray, class_index: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]:
    """Rows, rows of the layout and values of the coefficients of some pairs."""
    used = coef.nonzero()[0]
    rows = lists.rows[used]
    first, second = classes[np.searchsorted(lists.offsets, used, side="right") - 1].T
    return rows, np.where(class_index[rows] == first, second - 1, first), coef[used]


def pair_decisions(by_class: FloatArray, intercept: FloatArray) -> FloatArray:
    """Decisions of all pairs from the expansions over each class's support vectors.

    ``by_class[c, :, r]`` is the sum over support vectors of class c with the coefficients
    of row r of :func:`dual_coefficients`.
    """
    return _core.pair_decisions(np.ascontiguousarray(by_class), np.ascontiguousarray(intercept))


def pair_classes(by_class: FloatArray, intercept: FloatArray, break_ties: bool) -> NDArray[np.intp]:
    """The class that the values of all pairs decide for, which are not kept.

    :func:`winners` of :func:`pair_decisions` or, if ties need not be broken, :func:`most_voted`.
    """
    sums, bias = np.ascontiguousarray(by_class), np.ascontiguousarray(intercept)
    return _core.pair_classes(sums, bias, break_ties)


def pair_bounds(by_class: FloatArray) -> FloatArray:
    """Error bounds of all pairs from those of the sums over each class's support vectors."""
    return np.concatenate(
        [by_class[i] + by_class[i + 1 :] for i in range(len(by_class) - 1)], axis=0
    ).T


def scores(decisions: FloatArray, n_classes: int) -> FloatArray:
    """One score a class: votes, and s / (3 (|s| + 1)) of summed decisions s to break ties.

    scikit-learn's formula, with sums in its order.
    """
    return _core.pair_scores(np.ascontiguousarray(decisions), n_classes)


def winners(decisions: FloatArray, n_classes: int) -> NDArray[np.intp]:
    """The class of the largest score; ties go to the first."""
    return _core.pair_winners(np.ascontiguousarray(decisions), n_classes)


def votes(decisions: FloatArray, n_classes: int) -> NDArray[np.intp]:
    """How many pairs each class wins; a value of 0 is a vote for the first class of its pair."""
    return _core.pair_votes(np.ascontiguousarray(decisions), n_classes)


def most_voted(decisions: FloatArray, n_classes: int) -> NDArray[np.intp]:
    """The class that wins most pairs; ties go to the first. Two classes go by the sign."""
    if n_classes == 2:
        return positive_wins(decisions[:, 0], positive_is_first=False).astype(np.intp)
    return np.asarray(votes(decisions, n_classes).argmax(axis=1))


def positive_wins(decisions: FloatArray, positive_is_first: bool = True) -> NDArray[np.bool_]:
    """Which values are a vote for the class of a pair that positive values mean.

    The boundary itself, 0, belongs to the class that comes first in ``classes_``. Positive values
    mean that one, unless there are two classes only: then they mean ``classes_[1]``.
    """
    return decisions >= 0 if positive_is_first else decisions > 0
