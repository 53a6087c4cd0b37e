"""What pairs of classes vote for, as a function of C.

Every pair's sign at a row changes at known C only, so the class with most votes does too: the
label of a row is a step function of C. Ties go to the first class, as in LIBSVM.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mercer.paths.curves.crossings import SignChanges
from mercer.paths.curves.step_function import StepFunction

__all__ = ["LabelChanges", "PairOutcome", "count_votes"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class PairOutcome:
    """One pair of classes: who wins where its machine is positive, and where it is not."""

    positive: int
    negative: int
    changes: SignChanges


@dataclass(frozen=True, eq=False)
class LabelChanges:
    """The class that rows are given, for every C.

    Attributes
    ----------
    first : ndarray of shape (n_rows,)
        The class of each row where the paths begin.
    C, row, becomes : ndarray of shape (n_changes,)
        Where the class of a row changes, ascending, and what it is then.
    begin, end : float
        The C for which all paths are known.
    """

    first: IntArray
    C: FloatArray
    row: IntArray
    becomes: IntArray
    begin: float
    end: float

    @classmethod
    def constant(cls, code: int, n_rows: int) -> LabelChanges:
        """The same class for every row and every C."""
        nothing = np.zeros(0, np.intp)
        return cls(np.full(n_rows, code), np.zeros(0), nothing, nothing, 0.0, np.inf)

    @classmethod
    def joined(cls, parts: list[LabelChanges]) -> LabelChanges:
        """Those of rows one after the other."""
        offsets = np.cumsum([0, *(len(part.first) for part in parts)])
        C = np.concatenate([part.C for part in parts])
        row = np.concatenate([part.row + k for part, k in zip(parts, offsets, strict=False)])
        becomes = np.concatenate([part.becomes for part in parts])
        order = np.argsort(C, kind="stable")
        first = np.concatenate([part.first for part in parts])
        ends = parts[0].begin, parts[0].end
        return cls(first, C[order], row[order], becomes[order], *ends)

    def renamed(self, names: IntArray) -> LabelChanges:
        """The same with other numbers for the classes."""
        return replace(self, first=names[self.first], becomes=names[self.becomes])

    def error(self, class_index: IntArray, weight: FloatArray) -> StepFunction:
        """Weighted share of the rows whose class is not ``class_index``."""
        share = weight / weight.sum()
        truth = class_index[self.row]
        by = (self.becomes != truth) * 1.0 - (self._before() != truth)
        wrong = float(share[self.first != class_index].sum())
        return StepFunction.from_jumps(self.begin, wrong, self.C, by * share[self.row], self.end)

    def _before(self) -> IntArray:
        """The class that each change ends."""
        order = np.argsort(self.row, kind="stable")
        row, becomes = self.row[order], self.becomes[order]
        before = self.first[row]
        again = np.flatnonzero(row[1:] == row[:-1]) + 1
        before[again] = becomes[again - 1]
        out = np.empty_like(before)
        out[order] = before
        return out

    def score(self, measure: Callable[[IntArray], float]) -> StepFunction:
        """Any function of the classes of all rows."""
        labels = self.first.copy()
        early = self.begin >= self.C
        labels[self.row[early]] = self.becomes[early]
        x, value = [self.begin], [measure(labels)]
        inside = np.flatnonzero(~early & (self.end >= self.C))
        at = self.C[inside]
        for k, is_last in zip(inside, np.r_[at[1:] > at[:-1], True][: len(at)], strict=True):
            labels[self.row[k]] = self.becomes[k]
            if is_last:
                x.append(float(self.C[k]))
                value.append(measure(labels))
        return StepFunction(np.array(x), np.array(value), self.end)


def count_votes(outcomes: list[PairOutcome], n_classes: int, n_rows: int) -> LabelChanges:
    """The class that wins most pairs at each row, for every C that all paths know."""
    begin = max(outcome.changes.begin for outcome in outcomes)
    end = min(outcome.changes.end for outcome in outcomes)
    if len(outcomes) == 1:
        return _of_one_pair(outcomes[0])
    votes = np.zeros((n_rows, n_classes), dtype=np.intp)
    for outcome in outcomes:
        winner = np.where(outcome.changes.first, outcome.positive, outcome.negative)
        np.add.at(votes, (np.arange(n_rows), winner), 1)
    label = votes.argmax(axis=1)
    first, kept = label.copy(), []
    for C, row, wins, loses in _swings(outcomes):
        votes[row, wins] += 1
        votes[row, loses] -= 1
        most = int(votes[row].argmax())
        if most != label[row]:
            label[row] = most
            kept.append((C, row, most))
    changes = np.array(kept, dtype=np.dtype("f8, i8, i8"))
    return LabelChanges(first, changes["f0"], changes["f1"], changes["f2"], begin, end)


def _of_one_pair(outcome: PairOutcome) -> LabelChanges:
    """Two classes: the sign is the label."""
    changes = outcome.changes
    order = np.argsort(changes.C, kind="stable")
    first = np.where(changes.first, outcome.positive, outcome.negative)
    becomes = np.where(changes.becomes, outcome.positive, outcome.negative)[order]
    return LabelChanges(
        first, changes.C[order], changes.row[order], becomes, changes.begin, changes.end
    )


def _swings(outcomes: list[PairOutcome]) -> list[tuple[float, int, int, int]]:
    """Every change of a vote by ascending C: the row, who wins and who loses it."""
    out = []
    for outcome in outcomes:
        changes = outcome.changes
        wins = np.where(changes.becomes, outcome.positive, outcome.negative)
        loses = np.where(changes.becomes, outcome.negative, outcome.positive)
        out += list(
            zip(
                changes.C.tolist(), changes.row.tolist(), wins.tolist(), loses.tolist(),
                strict=True,
            )
        )  # fmt: skip
    return sorted(out, key=lambda swing: swing[0])
