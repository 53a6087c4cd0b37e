"""Grids of more than two classes: a machine for each pair of them, which vote in every cell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import PredefinedSplit, StratifiedKFold, cross_val_score

from mercer import SVC, Gram, certify, formulations, svc_grid
from mercer.kernels import Gaussian
from mercer.machines.svm.one_vs_one import ClassPairs

COSTS, WIDTHS = [0.1, 1.0, 30.0], [0.05, 0.5]
PAIRS = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
CODES: Any
X, CODES = make_classification(
    220, 5, n_informative=4, n_redundant=0, n_classes=4, n_clusters_per_class=1, flip_y=0.1,
    random_state=0,
)  # fmt: skip
Y = np.array(["a", "b", "c", "d"])[CODES]
WEIGHT = np.random.default_rng(0).integers(0, 3, len(Y)).astype(float)


def grid_of(solver: str = "chunked", y: Any = Y, **options: Any) -> Any:
    return svc_grid(X, y, **{"Cs": COSTS, "gammas": WIDTHS, "solver": solver, **options})


def machine_of(i: int, j: int, **options: Any) -> SVC:
    return SVC(C=COSTS[j], gamma=WIDTHS[i], tol=1e-6, break_ties=False, **options)


def test_three_or_more_classes_make_a_grid() -> None:
    """They were refused: "y must hold two classes"."""
    grid = grid_of(sample_weight=WEIGHT)
    assert grid.solutions.shape == (2, 3, 6)
    assert grid.classes.tolist() == ["a", "b", "c", "d"]
    pairs = ClassPairs(CODES, 4)
    for (i, j, p), solution in np.ndenumerate(grid.solutions):
        pair = pairs[p]
        assert (pair.first, pair.second) == PAIRS[p]
        problem = formulations.svc(pair.sign, COSTS[j], WEIGHT[pair.rows]).problem
        gram = Gram(Gaussian(WIDTHS[i]), X[pair.rows], precision="double")
        exact = certify(problem, gram, solution.coef[pair.rows])
        assert solution.converged
        assert exact.violation <= 1e-3
        others = np.setdiff1d(np.arange(len(Y)), pair.rows)
        assert not solution.coef[others].any()


@pytest.mark.parametrize("solver", ["chunked", "active-set"])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_scores_of_several_classes_are_those_of_machines(solver: str, class_weight: Any) -> None:
    cv = StratifiedKFold(3)
    grid = grid_of(solver, cv=cv, tol=1e-6, class_weight=class_weight)
    for (i, j), score in np.ndenumerate(grid.scores):
        machine = machine_of(i, j, class_weight=class_weight)
        assert score == pytest.approx(cross_val_score(machine, X, Y, cv=cv).mean())


@pytest.mark.parametrize("solver", ["chunked", "active-set"])
def test_a_class_that_a_split_does_not_train_on_wins_no_vote(solver: str) -> None:
    fold = np.where(CODES == 2, 0, np.arange(len(Y)) % 3)  # all of one class are held out at once
    cv = PredefinedSplit(fold)
    grid = grid_of(solver, cv=cv, tol=1e-6)
    for (i, j), score in np.ndenumerate(grid.scores):
        assert score == pytest.approx(cross_val_score(machine_of(i, j), X, Y, cv=cv).mean())


def test_tiny_kernel_values_decide_where_biases_are_zero() -> None:
    """Values read from gradients lost them: 2.4 % were right, of machines refitted 3.7 %."""
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(240, 20)), np.arange(240) % 4
    grid = svc_grid(rows, y, Cs=[0.1, 10.0], gammas=[5.0], cv=4)
    for j, C in enumerate(grid.C):
        machine = SVC(C=C, gamma=5.0, break_ties=False)
        assert grid.scores[0, j] == pytest.approx(cross_val_score(machine, rows, y, cv=4).mean())


@pytest.mark.parametrize("y", [CODES, CODES > 1], ids=["pairs", "two classes"])
def test_all_machines_of_a_kernel_in_one_call_are_those_found_singly(y: Any) -> None:
    cv = StratifiedKFold(3)
    one, other = (grid_of(solver, y, cv=cv) for solver in ("auto", "chunked"))
    assert np.abs(one.scores - other.scores).max() <= 1.01 / len(y)
    for (i, j, *_), solution in np.ndenumerate(one.solutions):
        assert solution.converged
        assert solution.violation <= 1e-3
        twin = other.solutions[i, j, *_]
        assert abs(solution.objective - twin.objective) <= max(solution.gap, twin.gap) + 1e-9


def test_a_callback_or_the_time_ends_a_grid_in_one_call() -> None:
    seen: list[Any] = []
    grid = grid_of("auto", cv=3, callback=lambda p: seen.append(p) or len(seen) == 4)
    assert grid.status == "callback"
    assert 1 <= sum(solution is not None for solution in grid.solutions.flat) <= 4
    assert grid_of("auto", cv=3, max_time=1e-9).status == "max-time"


def test_cells_predict_as_machines_of_their_own() -> None:
    grid = grid_of(tol=1e-6)
    shares = grid.score(X, Y, sample_weight=WEIGHT)
    for i, j in np.ndindex(2, 3):
        machine = machine_of(i, j).fit(X, Y)
        np.testing.assert_array_equal(grid.predict(X, i, j), machine.predict(X))
        found, expected = grid.decision_function(X, i, j), machine.decision_function(X)
        np.testing.assert_allclose(found, expected, atol=1e-3)
        assert shares[i, j] == pytest.approx(machine.score(X, Y, sample_weight=WEIGHT))


def test_other_scores_of_several_classes_and_what_is_missing() -> None:
    grid = grid_of("active-set", cv=3, scoring="f1_macro", tol=1e-6)
    expected = cross_val_score(machine_of(1, 1), X, Y, cv=3, scoring="f1_macro").mean()
    assert grid.scores[1, 1] == pytest.approx(expected)
    assert "complete" in repr(grid)
    ended = grid_of(cv=3, max_time=1e-9)
    assert ended.status == "max-time"
    with pytest.raises(ValueError, match="there was no time"):
        ended.predict(X, 0, 0)
    assert np.isnan(ended.score(X, Y)).all()
    with pytest.raises(ValueError, match="two classes or more, got 1"):
        grid_of(y=np.ones(len(Y)))


@pytest.mark.parametrize("solver", ["chunked", "active-set"])
def test_a_callback_ends_a_grid_of_several_classes(solver: str) -> None:
    seen: list[Any] = []
    grid = grid_of(solver, n_threads=1, callback=lambda p: seen.append(p) or len(seen) == 4)
    assert grid.status == "callback"
    assert [progress.iteration for progress in seen] == [1, 2, 3, 4]
    done = [solution is not None for solution in grid.solutions[0].T.ravel()]
    assert done == [True] * 4 + [False] * 14


@pytest.mark.parametrize("solver", ["chunked", "active-set"])
def test_threads_change_no_byte_of_several_classes(solver: str) -> None:
    one, other = (grid_of(solver, cv=3, n_threads=n) for n in (1, 2))
    assert one.scores.tobytes() == other.scores.tobytes()
    for a, b in zip(one.solutions.flat, other.solutions.flat, strict=True):
        assert a.coef.tobytes() == b.coef.tobytes()


SCHEMES: list[dict[str, Any]] = [
    {"multiclass": "one-vs-all"},
    {"multiclass": "code"},
    {"multiclass": "code", "code": "sparse", "decoding": "hamming"},
]


@pytest.mark.parametrize("options", SCHEMES, ids=lambda own: " ".join(own.values()))
@pytest.mark.parametrize("solver", ["auto", "chunked", "active-set"])
def test_cells_of_every_scheme_are_the_machines_of_svc(options: Any, solver: str) -> None:
    random = np.random.default_rng(4)
    y = np.arange(90) % 4
    X = random.normal(size=(90, 3)) + 1.5 * np.eye(4, 3)[y]
    Cs = [0.3, 3.0]
    grid = svc_grid(X, y, Cs=Cs, gammas=[0.4], cv=3, solver=solver, tol=1e-5, **options)
    for j, C in enumerate(Cs):
        machine = SVC(C=C, gamma=0.4, tol=1e-5, **options).fit(X, y)
        np.testing.assert_array_equal(grid.predict(X, 0, j), machine.predict(X))
        found = grid.decision_function(X, 0, j)
        np.testing.assert_allclose(found, machine.decision_function(X), atol=5e-4)
        expected = cross_val_score(machine, X, y, cv=StratifiedKFold(3)).mean()
        assert grid.scores is not None
        assert grid.scores[0, j] == pytest.approx(expected, abs=1.001 / 90)


def test_one_problem_of_all_classes_is_refused_by_name() -> None:
    X, y = [[0.0], [1.0], [2.0]] * 2, [0, 1, 2] * 2
    with pytest.raises(ValueError, match="multiclass must be one of 'one-vs-one', 'one-vs-all'"):
        svc_grid(X, y, Cs=[1.0], multiclass="crammer-singer")


@pytest.mark.parametrize("multiclass", ["one-vs-one", "one-vs-all", "code"])
def test_a_split_without_a_class_is_told_by_the_other_machines(multiclass: str) -> None:
    X = np.array([[0.0], [0.1], [1.0], [1.1], [2.0], [2.1], [0.2], [1.2]])
    y = np.array([0, 0, 1, 1, 2, 2, 0, 1])
    splits = [(np.array([0, 1, 2, 3]), np.array([4, 6, 7]))]
    for solver in ("auto", "active-set"):
        grid = svc_grid(
            X, y, Cs=[10.0], gammas=[5.0], cv=splits, multiclass=multiclass, solver=solver
        )
        assert grid.scores is not None
        assert grid.scores[0, 0] == pytest.approx(2 / 3)
