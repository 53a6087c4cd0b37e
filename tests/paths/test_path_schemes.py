"""Paths of one-vs-all machines and of codes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import SVC, PathSVC, io
from mercer.codes import OutputCode, make_code
from mercer.paths import CodePaths, PairPaths
from mercer.paths.curves.upper_lines import best_along

RANDOM = np.random.default_rng(0)
Y = np.arange(72) % 4
X = RANDOM.normal(size=(72, 2)) + np.array([[0.0, 0.0], [1.5, 0.0], [0.0, 1.5], [1.5, 1.5]])[Y]
NAMES = np.array(["a", "b", "c", "d"])[Y]
SCHEMES: dict[str, dict[str, Any]] = {
    "one-vs-all": {"multiclass": "one-vs-all"},
    "dense": {"multiclass": "code"},
    "sparse": {"multiclass": "code", "code": make_code("sparse", 4, n_columns=8)},
    "matrix": {"multiclass": "code", "code": [[1, 1], [1, -1], [-1, 1], [-1, -1]]},
    "hamming": {"multiclass": "code", "decoding": "hamming"},
}
SAMPLED = {"multiclass": "code", "decoding": "squared_hinge", "code": "one-vs-all"}
GIVEN: dict[str, Any] = {"gamma": 0.5, "cv": 3, "C_max": 30.0}


def refitted(machine: PathSVC, C: float, rows: Any = slice(None), **more: Any) -> SVC:
    """SVC at this C."""
    names = ("gamma", "multiclass", "code", "decoding", "class_weight")
    given = {name: getattr(machine, name) for name in names}
    return SVC(C=C, tol=1e-9, break_ties=False, **given).fit(X[rows], Y[rows], **more)


def middles(machine: PathSVC) -> Any:
    """Some C between the breakpoints of the error, where no label changes."""
    curve = machine.cv_error_
    assert curve is not None
    ends = np.append(curve.x, curve.end)
    inside = np.sqrt(ends[1:-1] * ends[2:])[ends[2:] / ends[1:-1] > 1.0 + 1e-6]
    return RANDOM.choice(inside[inside > 1e-3], 8)


@pytest.fixture(scope="module", params=SCHEMES)
def fitted(request: pytest.FixtureRequest) -> PathSVC:
    return PathSVC(**GIVEN, **SCHEMES[request.param]).fit(X, Y)


def test_the_machine_at_every_C_is_that_of_svc(fitted: PathSVC) -> None:
    for C in [*middles(fitted), fitted.C_]:
        svc = refitted(fitted, C)
        values = fitted.decision_function(X, C=C)
        np.testing.assert_allclose(values, svc.decision_function(X), atol=1e-7)
        top = np.sort(values, axis=1)
        is_clear = top[:, -1] - top[:, -2] > 1e-6  # rows on margins may tie
        np.testing.assert_array_equal(fitted.predict(X, C=C)[is_clear], svc.predict(X)[is_clear])
    np.testing.assert_array_equal(fitted.predict(X), fitted.predict(X, C=fitted.C_))
    np.testing.assert_allclose(fitted.dual_coef_ != 0, svc.dual_coef_ != 0)
    assert fitted.machine_decisions(X).shape == svc.machine_decisions(X).shape


def test_the_error_on_held_out_rows_is_that_of_refits(fitted: PathSVC) -> None:
    splits = list(StratifiedKFold(3).split(X, Y))
    for C in middles(fitted):
        found = [np.mean(refitted(fitted, C, a).predict(X[b]) != Y[b]) for a, b in splits]
        assert fitted.cv_error_(C) == pytest.approx(np.mean(found), abs=1e-12)
    assert fitted.cv_error_(fitted.C_) == fitted.cv_error_.minimum


def test_errors_on_other_rows_are_those_of_every_prediction(fitted: PathSVC) -> None:
    paths = fitted.path_
    assert isinstance(paths, CodePaths)
    Z = RANDOM.normal(size=(40, 2))
    curve = paths.error(Z, Y[:40])
    for begin, end, error in curve.pieces():
        C = np.sqrt(begin * min(end, 100.0)) if begin else 0.5 * min(end, 1.0)
        if begin < C * (1 - 1e-9) and end > C * (1 + 1e-9):
            assert np.mean(paths.predict(Z, C) != Y[:40]) == pytest.approx(error)


def test_no_change_of_a_class_is_missed(fitted: PathSVC) -> None:
    """At many C the class that was followed is the one of the values there."""
    paths = fitted.path_
    values = paths.paths[0]._known_values()
    labels = paths.labels(lambda rows: lambda other: values.block(X[rows], other), len(X))
    for C in np.geomspace(1e-6, paths.end, 100):
        followed = labels.first.copy()
        for at, row, becomes in zip(labels.C, labels.row, labels.becomes, strict=True):
            if at <= C:
                followed[row] = becomes
        decisions = paths.decide(X, C)
        differs = followed != paths.winners(decisions)
        top = np.sort(paths.scores(decisions)[differs], axis=1)
        # what differs is a tie within rounding
        assert (top[:, -1] - top[:, -2] < 1e-9).all()


def test_a_code_of_one_class_against_all_is_one_vs_all() -> None:
    whole = PathSVC(**GIVEN, multiclass="one-vs-all").fit(X, NAMES)
    coded = PathSVC(**GIVEN, multiclass="code", code="one-vs-all").fit(X, NAMES)
    np.testing.assert_allclose(whole.cv_error_.x, coded.cv_error_.x, rtol=1e-9)
    np.testing.assert_array_equal(whole.predict(X), coded.predict(X))
    assert set(whole.predict(X)) <= set("abcd")


def test_two_classes_are_one_pair_in_every_scheme() -> None:
    rows = Y < 2
    alone = PathSVC(**GIVEN).fit(X[rows], Y[rows])
    for scheme in ({"multiclass": "one-vs-all"}, {"multiclass": "code"}):
        machine = PathSVC(**GIVEN, **scheme).fit(X[rows], Y[rows])
        assert machine.C_ == alone.C_
        np.testing.assert_array_equal(machine.cv_error_.x, alone.cv_error_.x)


def test_other_losses_are_evaluated_at_some_C() -> None:
    machine = PathSVC(**GIVEN, **SAMPLED).fit(X, Y)
    assert machine.C_ in machine.path_.sampled
    splits = list(StratifiedKFold(3).split(X, Y))
    for C in machine.path_.sampled[::25]:
        found = [np.mean(refitted(machine, C, a).predict(X[b]) != Y[b]) for a, b in splits]
        assert machine.cv_error_(C) == pytest.approx(np.mean(found))
    wrong = np.mean(machine.predict(X) != Y)
    assert machine.path_.error(X, Y)(machine.C_) == pytest.approx(wrong)


@pytest.mark.parametrize("name", ["one-vs-all", "sparse"])
def test_weights_splits_scores_and_other_kernels(name: str) -> None:
    scheme = SCHEMES[name]
    weight = RANDOM.integers(1, 3, 72)
    balanced = PathSVC(**GIVEN, **scheme, class_weight="balanced").fit(X[6:], Y[6:], weight[6:])
    doubled = np.repeat(np.arange(6, 72), weight[6:])
    again = SVC(C=balanced.C_, gamma=0.5, tol=1e-9, class_weight="balanced", **scheme)
    again.fit(X[doubled], Y[doubled])
    np.testing.assert_allclose(balanced.decision_function(X), again.decision_function(X), atol=1e-6)
    for scoring in ("f1_macro", lambda machine, X, y: -machine.decision_function(X).var()):
        machine = PathSVC(**GIVEN, **scheme, scoring=scoring).fit(X, Y)
        assert machine.cv_score_ is not None
    low = PathSVC(C_max=30.0, cv=2, **scheme, low_rank=20).fit(X, Y)
    assert low.score(X, Y) > 0.5
    approximate = PathSVC(**GIVEN, **scheme, accuracy=1e-3).fit(X, Y)
    assert abs(approximate.cv_error_.minimum - balanced.cv_error_.minimum) < 0.1


@pytest.mark.parametrize("name", ["one-vs-all", "hamming"])
def test_single_rows_are_left_out(name: str) -> None:
    rows = np.arange(20)
    machine = PathSVC(gamma=0.5, cv="loo", C_max=5.0, **SCHEMES[name]).fit(X[rows], Y[rows])
    wrong = 0
    for row in rows:
        others = np.delete(rows, row)
        wrong += int(refitted(machine, machine.C_, others).predict(X[[row]])[0] != Y[row])
    assert machine.cv_error_(machine.C_) == pytest.approx(wrong / 20)


@pytest.mark.parametrize("name", SCHEMES)
def test_a_split_without_a_class_never_predicts_it(name: str) -> None:
    train = np.flatnonzero((Y != 3) & (np.arange(72) >= 12))
    splits = [(train, np.arange(12)), (np.arange(24, 72), np.arange(24))]
    machine = PathSVC(gamma=0.5, cv=splits, C_max=30.0, **SCHEMES[name]).fit(X, Y)
    share = np.mean(Y[:12] == 3)
    assert machine.cv_errors_[0].minimum >= share
    if name == "one-vs-all":
        alone = refitted(machine, machine.C_, train)
        expected = np.mean(alone.predict(X[:12]) != Y[:12])
        assert machine.cv_errors_[0](machine.C_) == pytest.approx(expected)


def test_machines_of_one_problem_have_no_path() -> None:
    for name in ("weston-watkins", "crammer-singer", "lee-lin-wahba"):
        with pytest.raises(ValueError, match=f"got '{name}'.*TunedSVC chooses its C"):
            PathSVC(multiclass=name).fit(X, Y)
    with pytest.raises(ValueError, match="multiclass"):
        PathSVC(multiclass="pairs").fit(X, Y)
    with pytest.raises(ValueError, match="code must have a row for each of the 4 classes"):
        PathSVC(multiclass="code", code=np.eye(3) * 2 - 1).fit(X, Y)


@pytest.mark.parametrize("scheme", [*SCHEMES.values(), SAMPLED])
def test_paths_of_schemes_are_saved(scheme: dict[str, Any], tmp_path: Path) -> None:
    machine = PathSVC(**GIVEN, **scheme).fit(X, NAMES)
    io.save(machine, tmp_path / "m")
    again = io.load(tmp_path / "m")
    np.testing.assert_array_equal(again.predict(X, C=0.7), machine.predict(X, C=0.7))
    np.testing.assert_array_equal(again.decision_function(X), machine.decision_function(X))
    assert repr(again.path_) == repr(machine.path_)
    io.save(again, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()
    io.save(machine.path_, tmp_path / "paths")
    assert isinstance(io.load(tmp_path / "paths"), CodePaths)


def test_a_fit_by_pairs_forgets_the_code() -> None:
    machine = PathSVC(**GIVEN, multiclass="code").fit(X, Y)
    assert isinstance(machine.code_, OutputCode)
    machine.set_params(multiclass="one-vs-one").fit(X, Y)
    assert isinstance(machine.path_, PairPaths)
    assert not hasattr(machine, "code_")


def test_too_little_time_keeps_what_is_known() -> None:
    with pytest.warns(match="ended early"):
        machine = PathSVC(**GIVEN, multiclass="one-vs-all", callback=lambda progress: True).fit(
            np.tile(X, (12, 1)) + 0.1 * RANDOM.normal(size=(864, 2)), np.tile(Y, 12)
        )
    assert machine.predict(X).shape == (72,)


def test_plot_of_a_scheme(fitted: PathSVC) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    assert fitted.plot()[0].get_xscale() == "log"
    plt.close("all")


def test_a_class_that_is_best_inside_a_segment_only_is_found() -> None:
    """Lines 1 - x, x and 0.6: the last one is the largest from 0.4 to 0.6."""
    begin, end = (np.array([1.0, 0.0, 0.6]), 1.0), (np.array([0.0, 1.0, 0.6]), 1.0)
    found = list(best_along(begin, end, lambda values: values, ()))
    assert [label for _, label in found] == [0, 2, 1]
    np.testing.assert_allclose([place for place, _ in found], [0.0, 0.4, 0.6])


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([PathSVC(C_max=5.0, cv=2, multiclass="one-vs-all")])
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("multiclass", ["one-vs-all", "code"])
def test_a_path_that_begins_at_C_min_has_the_errors_of_the_whole_one(multiclass: str) -> None:
    """All rows counted as the first class: the values of machines at C = 0 were NaN."""
    rows, labels = load_iris(return_X_y=True)
    options = {"kernel": "linear", "multiclass": multiclass, "C_max": 10.0, "cv": 3}
    part = PathSVC(C_min=0.1, **options).fit(rows[::2], labels[::2])
    whole = PathSVC(**options).fit(rows[::2], labels[::2])
    Cs = np.geomspace(0.11, 9.9, 50)
    np.testing.assert_allclose(part.cv_error_(Cs), whole.cv_error_(Cs), atol=1e-12)
