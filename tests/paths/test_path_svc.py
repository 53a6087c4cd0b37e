"""PathSVC: a scikit-learn classifier that chooses C on its path."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import (
    KFold,
    LeaveOneOut,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
)
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import SVC, PathSVC, kernel_path, svc_grid, svc_path


@parametrize_with_checks([PathSVC(C_max=20.0)])
def test_estimator_checks(estimator: PathSVC, check: object) -> None:
    check(estimator)


def sample(n: int = 80, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(
        n, 4, n_informative=3, n_redundant=0, flip_y=0.1, weights=[0.6], random_state=seed
    )


def test_the_error_is_that_of_refitted_machines() -> None:
    X, y = sample()
    cv = StratifiedKFold(4)
    machine = PathSVC(gamma=0.3, cv=4, C_max=100.0).fit(X, y)
    for C in (0.02, 0.3, 2.0, 50.0):
        wrong = 0
        for train, test in cv.split(X, y):
            other = SVC(C=C, gamma=0.3, tol=1e-8).fit(X[train], y[train])
            wrong += (other.predict(X[test]) != y[test]).sum()
        assert machine.cv_error_(C) == pytest.approx(wrong / len(y))


def test_the_chosen_machine_is_the_one_fitted_at_c() -> None:
    X, y = sample()
    machine = PathSVC(gamma=0.3).fit(X, y)
    assert machine.cv_error_(machine.C_) == machine.cv_error_.minimum
    other = SVC(C=machine.C_, gamma=0.3, solver="active-set").fit(X, y)
    assert machine.decision_function(X) == pytest.approx(other.decision_function(X), abs=1e-7)
    assert machine.decision_function(X, C=7.0) == pytest.approx(
        SVC(C=7.0, gamma=0.3, solver="active-set").fit(X, y).decision_function(X), abs=1e-7
    )
    assert np.array_equal(machine.predict(X), machine.predict(X, machine.C_))


def test_leave_one_out_equals_as_many_folds_as_rows() -> None:
    X, y = sample(30)
    loo = PathSVC(gamma=0.3, cv="loo", C_max=50.0).fit(X, y)
    folds = PathSVC(gamma=0.3, cv=KFold(30), C_max=50.0).fit(X, y)
    C = np.exp(
        np.random.default_rng(0).uniform(np.log(0.5 * loo.path_.first_event), np.log(50), 200)
    )
    assert loo.cv_error_(C) == pytest.approx(folds.cv_error_(C))


def test_weights_count_in_rows_and_errors() -> None:
    X, y = sample(40)
    weight = np.random.default_rng(0).integers(0, 3, 40)
    rows = np.repeat(np.arange(40), weight)
    groups = np.arange(40) % 3
    splits = [(np.flatnonzero(groups != g), np.flatnonzero(groups == g)) for g in range(3)]
    copied = [
        (np.flatnonzero(groups[rows] != g), np.flatnonzero(groups[rows] == g)) for g in range(3)
    ]
    a = PathSVC(gamma=0.3, cv=splits, C_max=20.0).fit(X, y, sample_weight=weight)
    b = PathSVC(gamma=0.3, cv=copied, C_max=20.0).fit(X[rows], y[rows])
    C = np.geomspace(0.05, 19, 50)
    assert a.cv_error_(C) == pytest.approx(b.cv_error_(C))
    assert abs(a.C_ - b.C_) < 1e-9


def test_a_class_of_one_row_cannot_be_split() -> None:
    X = np.arange(10.0)[:, None]
    y = np.repeat([0, 1], [9, 1])
    with (
        pytest.warns(UserWarning, match="least populated"),
        pytest.raises(ValueError, match="cv must train on at least two classes"),
    ):
        PathSVC(kernel="linear", C_max=10.0).fit(X, y)
    machine = PathSVC(kernel="linear", C_max=10.0, cv="loo").fit(X, y)
    assert machine.cv_error_.minimum == pytest.approx(0.1)


def test_class_weights_are_those_of_svc() -> None:
    X, y = sample()
    machine = PathSVC(gamma=0.3, class_weight="balanced").fit(X, y)
    other = SVC(C=5.0, gamma=0.3, class_weight="balanced", solver="active-set").fit(X, y)
    assert machine.decision_function(X, 5.0) == pytest.approx(other.decision_function(X), abs=1e-7)


def test_a_precomputed_kernel_works() -> None:
    X, y = sample(40)
    K = X @ X.T
    a = PathSVC(kernel="precomputed", C_max=5.0).fit(K, y)
    b = PathSVC(kernel="linear", C_max=5.0).fit(X, y)
    assert a.decision_function(K) == pytest.approx(b.decision_function(X), abs=1e-8)
    assert a.decision_function(K, 0.1) == pytest.approx(b.decision_function(X, 0.1), abs=1e-8)


def test_it_survives_pickling_and_cloning() -> None:
    X, y = sample(40)
    machine = PathSVC(gamma=0.2).fit(X, y)
    again = pickle.loads(pickle.dumps(machine))
    assert np.array_equal(again.decision_function(X), machine.decision_function(X))
    assert np.array_equal(again.decision_function(X, 3.0), machine.decision_function(X, 3.0))
    assert again.path_.intercept_interval(2.0) == machine.path_.intercept_interval(2.0)
    assert clone(machine).get_params() == machine.get_params()


# More than two classes.


def several(n: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(
        n, 4, n_informative=3, n_redundant=0, n_classes=3, n_clusters_per_class=1, flip_y=0.1,
        weights=[0.5, 0.3], random_state=seed,
    )  # fmt: skip
    return X, np.array(["a", "b", "c"])[y]


def voting(C: float, **options: object) -> SVC:
    return SVC(C=C, gamma=0.3, tol=1e-9, solver="active-set", break_ties=False, **options)


@pytest.mark.parametrize("cv", [StratifiedKFold(3), TimeSeriesSplit(3), "loo"])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_the_vote_of_several_classes_is_followed_exactly(cv: object, class_weight: object) -> None:
    X, y = several(24)
    machine = PathSVC(gamma=0.3, cv=cv, C_max=30.0, class_weight=class_weight).fit(X, y)
    splits = LeaveOneOut() if cv == "loo" else cv
    for C in (1.4, 25.0):
        wanted = 1 - cross_val_score(voting(C, class_weight=class_weight), X, y, cv=splits)
        assert [error(C) for error in machine.cv_errors_] == pytest.approx(wanted)
        assert machine.cv_error_(C) == pytest.approx(wanted.mean())


def test_several_classes_are_told_apart_as_svc_does() -> None:
    X, y = several(90)
    machine = PathSVC(gamma=0.3, C_max=30.0).fit(X[:60], y[:60])
    assert machine.paths_ == machine.path_.paths
    assert "3 classes" in repr(machine.path_)
    for C in (None, 2.0, 20.0):
        other = voting(machine.C_ if C is None else C).fit(X[:60], y[:60])
        wanted = other.decision_function(X)
        assert machine.decision_function(X, C) == pytest.approx(wanted, abs=1e-6)
        assert np.array_equal(machine.predict(X, C), other.predict(X))
        if C is not None:
            assert machine.path_.decision_function(X, C) == pytest.approx(wanted, abs=1e-6)
            error = machine.path_.error(X[60:], y[60:])(C)
            assert error == pytest.approx(1 - other.score(X[60:], y[60:]))
    assert machine.n_support_.sum() == len(machine.support_)
    again = pickle.loads(pickle.dumps(machine))
    assert np.array_equal(again.predict(X), machine.predict(X))


def test_a_class_that_is_missing_in_training_rows_gets_no_vote() -> None:
    X, y = several(36)
    train = np.flatnonzero(y != "b")
    machine = PathSVC(gamma=0.3, cv=[(train, np.arange(36))], C_max=30.0).fit(X, y)
    other = voting(5.0).fit(X[train], y[train])
    assert machine.cv_error_(5.0) == pytest.approx(1 - other.score(X, y))


@pytest.mark.parametrize("make", [sample, several])
def test_rows_without_weight_are_not_there(make: object) -> None:
    X, y = make(30)
    weight = np.r_[np.ones(22), np.zeros(8)]
    for class_weight in (None, "balanced"):
        options = {"gamma": 0.3, "cv": "loo", "C_max": 20.0, "class_weight": class_weight}
        a = PathSVC(**options).fit(X, y, sample_weight=weight)
        b = PathSVC(**options).fit(X[:22], y[:22])
        C = np.geomspace(0.5, 20.0, 40)
        assert a.cv_error_(C) == pytest.approx(b.cv_error_(C))
        assert pytest.approx(b.C_) == a.C_


@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("make", [sample, several])
def test_leaving_out_rows_of_three_classes_ignored_their_weights(
    make: object, class_weight: object
) -> None:
    X, y = make(30)
    weight = np.random.default_rng(0).integers(0, 3, 30).astype(float)
    options = {"gamma": 0.3, "class_weight": class_weight}
    path = PathSVC(cv="loo", C_max=20.0, **options).fit(X, y, sample_weight=weight)
    wrong = np.zeros(30)
    for i in np.flatnonzero(weight):
        others = np.delete(np.arange(30), i)
        one = SVC(C=2.0, tol=1e-9, solver="active-set", break_ties=False, **options)
        one.fit(X[others], y[others], sample_weight=weight[others])
        wrong[i] = one.predict(X[[i]])[0] != y[i]
    assert path.cv_error_(2.0) == pytest.approx(weight @ wrong / weight.sum())


@pytest.mark.parametrize("make", [sample, several])
def test_a_linear_machine_has_its_weights(make: object) -> None:
    X, y = make(40)
    machine = PathSVC(kernel="linear", C_max=5.0).fit(X, y)
    values = X @ machine.coef_.T + machine.intercept_
    wanted = SVC(C=machine.C_, kernel="linear", tol=1e-9, solver="active-set").fit(X, y)
    assert values == pytest.approx(X @ wanted.coef_.T + wanted.intercept_, abs=1e-6)


# Scores.


@pytest.mark.parametrize("scoring", ["f1_macro", "balanced_accuracy", "matthews_corrcoef"])
@pytest.mark.parametrize("make", [sample, several])
def test_scores_of_labels_are_exact_at_every_c(scoring: str, make: object) -> None:
    X, y = make(48)
    machine = PathSVC(gamma=0.3, cv=3, scoring=scoring, C_max=30.0).fit(X, y)
    for C in (1.3, 5.0, 22.0):
        wanted = cross_val_score(voting(C), X, y, cv=3, scoring=scoring).mean()
        assert machine.cv_score_(C) == pytest.approx(wanted)
    assert machine.cv_score_(machine.C_) == pytest.approx(machine.cv_score_.value.max())


def test_scores_of_values_are_right_where_they_are_evaluated() -> None:
    X, y = sample(60)
    machine = PathSVC(gamma=0.3, cv=3, scoring="roc_auc", C_max=30.0).fit(X, y)
    score = machine.cv_score_
    for C in score.x[[len(score.x) // 3, -2]]:
        wanted = cross_val_score(voting(C), X, y, cv=3, scoring="roc_auc").mean()
        assert score(C) == pytest.approx(wanted)
    assert score(machine.C_) == score.value.max()


@pytest.mark.parametrize(("seed", "choice"), [(0, "best"), (1, "one-standard-error"), (2, "best")])
def test_the_score_of_the_chosen_c_is_the_one_reported(seed: int, choice: str) -> None:
    """C_ was the middle between two values of C, where the area was never evaluated."""
    X, y = sample(60, seed=seed)
    options = {"cv": 3, "scoring": "roc_auc"}
    machine = PathSVC(gamma=0.3, C_max=30.0, choice=choice, **options).fit(X, y)
    wanted = cross_val_score(voting(machine.C_), X, y, **options).mean()
    assert machine.cv_score_(machine.C_) == pytest.approx(wanted, abs=1e-12)


def test_a_function_can_score() -> None:
    X, y = sample(60)

    def rare(machine: object, rows: object, labels: np.ndarray) -> float:
        return float((machine.predict(rows)[labels == 1] == 1).mean())

    machine = PathSVC(gamma=0.3, cv=3, scoring=rare, C_max=30.0).fit(X, y)
    C = machine.cv_score_.x[-1]
    wanted = cross_val_score(voting(C), X, y, cv=3, scoring="recall").mean()
    assert machine.cv_score_(C) == pytest.approx(wanted)


def test_grids_and_kernel_paths_take_scores() -> None:
    X, y = sample(60)
    for scoring in ("roc_auc", "f1"):
        options = {"cv": 3, "scoring": scoring}
        grid = svc_grid(X, y, Cs=[2.0], gammas=[0.3], tol=1e-9, **options)
        wanted = cross_val_score(voting(2.0), X, y, **options).mean()
        assert grid.scores[0, 0] == pytest.approx(wanted)
        path = kernel_path(X, y, C=2.0, gamma_min=0.3, gamma_max=0.9, accuracy=0.9, **options)
        assert path.scores[0] == pytest.approx(wanted, abs=1e-6)


def test_scores_that_cannot_be_are_named() -> None:
    X, y = sample(40)
    with pytest.raises(ValueError, match="scoring='best' cannot be used"):
        PathSVC(scoring="best").fit(X, y)
    with pytest.raises(ValueError, match="scoring must be None with cv='loo'"):
        PathSVC(scoring="f1", cv="loo").fit(X, y)
    with pytest.raises(ValueError, match="scoring must give a finite number"):
        PathSVC(scoring=lambda machine, rows, labels: np.nan).fit(X, y)


# The choice.


def test_one_standard_error_takes_the_smallest_c_that_is_as_good() -> None:
    X, y = sample()
    best = PathSVC(gamma=0.3).fit(X, y)
    careful = PathSVC(gamma=0.3, choice="one-standard-error").fit(X, y)
    assert careful.C_ < best.C_
    errors = np.array([error(best.C_) for error in best.cv_errors_])
    limit = best.cv_error_.minimum + errors.std(ddof=1) / np.sqrt(len(errors))
    assert careful.cv_error_(careful.C_) <= limit
    low = 0.5 * min(best.path_.first_event, best.cv_error_.x[1])
    for begin, end, value in careful.cv_error_.pieces():
        if begin > low and end < careful.C_:
            assert value > limit
    loo = PathSVC(gamma=0.3, cv="loo", choice="one-se").fit(X, y)
    assert loo.cv_error_(loo.C_) <= loo.cv_error_.minimum + np.sqrt(0.25 / len(y))


def test_a_low_rank_machine_is_that_of_its_path() -> None:
    X, y = sample()
    machine = PathSVC(gamma=0.3, low_rank=10, C_max=20.0).fit(X, y)
    path = svc_path(X, y, gamma=0.3, low_rank=10, C_max=20.0)
    values = path.decision_function(X, machine.C_)
    assert machine.decision_function(X) == pytest.approx(values, abs=1e-9)
    assert machine.path_.low_rank.trace_error_ == path.low_rank.trace_error_
    three = PathSVC(gamma=0.3, low_rank=10, C_max=20.0).fit(*several())
    assert set(three.predict(X)) <= {"a", "b", "c"}
