"""A row on the boundary of two classes is of the one that comes first, wherever pairs vote."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from mercer import RLSC, SVC, PathSVC
from mercer.machines.svm.one_vs_one import positive_wins, votes
from mercer.paths import PairPaths
from mercer.selection.training_task import TrainingTask

# Two classes at -1 and 1, the third as far from both; the origin is on the first boundary.
CORNERS = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, 8.0]])
X = np.repeat(CORNERS, 2, axis=0)
Y = np.repeat(["a", "b", "c"], 2)
MIDDLE = np.array([[0.0, 0.0]])


def by_hand(decisions):
    """Votes as one says it: of the pair i < j the values >= 0 are for i."""
    count = np.zeros((len(decisions), 3), int)
    for row, values in enumerate(decisions):
        for (i, j), value in zip(combinations(range(3), 2), values, strict=True):
            count[row, j if value < 0 else i] += 1
    return count


ALL = np.array(list(product([-1.0, 0.0, 1.0], repeat=3)))


def test_every_vote_with_ties_is_counted_by_one_rule():
    assert np.array_equal(votes(ALL, 3), by_hand(ALL))
    path = PairPaths(np.array(["a", "b", "c"]), tuple(combinations(range(3), 2)), ())
    assert np.array_equal(path.winners(ALL), by_hand(ALL).argmax(axis=1))
    clear = np.sort(by_hand(ALL), axis=1)[:, -1] == 2
    task = TrainingTask(SVC(), X, Y)
    assert np.array_equal(task.predicted(ALL)[clear], by_hand(ALL)[clear].argmax(axis=1))


def test_of_two_classes_the_boundary_belongs_to_the_first():
    values = np.array([[-1.0], [0.0], [1.0]])
    path = PairPaths(np.array(["a", "b"]), ((1, 0),), ())
    assert path.winners(values).tolist() == [0, 0, 1]
    assert positive_wins(values[:, 0], positive_is_first=False).tolist() == [False, False, True]


def test_where_a_split_knows_two_of_three_classes_the_boundary_belongs_to_the_first():
    path = PairPaths(np.array(["a", "b", "c"]), ((0, 2),), ())
    assert path.winners(np.array([[-1.0], [0.0], [1.0]])).tolist() == [2, 0, 0]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_row_between_two_classes_is_given_to_the_first(n_classes):
    """Paths gave it to the second class of the pair, machines to the first."""
    rows, labels = X[: 2 * n_classes], Y[: 2 * n_classes]
    machine = SVC(kernel="linear", C=1.0, break_ties=False).fit(rows, labels)
    path = PathSVC(kernel="linear", cv=2, C_max=4.0).fit(rows, labels)
    assert machine.machine_decisions(MIDDLE)[0, 0] == 0.0
    assert path._decisions(MIDDLE, 1.0)[0, 0] == 0.0
    assert machine.predict(MIDDLE) == path.predict(MIDDLE, C=1.0) == "a"
    error = path.path_.error(MIDDLE, ["a"])
    assert error(1.0) == 0.0
    assert path.path_.error(MIDDLE, ["b"])(1.0) == 1.0
    squares = RLSC(kernel="linear", multiclass="one-vs-one", fit_intercept=True)
    assert squares.fit(rows, labels).predict(MIDDLE) == "a"


def test_rows_that_tell_nothing_are_all_of_the_first_class():
    path = PathSVC(kernel="linear", cv=2).fit(0.0 * X, Y).path_
    assert path.status == "trivial"
    assert set(path.predict(X, 1.0)) == {"a"}
    assert path.error(X, Y)(1.0) == pytest.approx(2 / 3)
