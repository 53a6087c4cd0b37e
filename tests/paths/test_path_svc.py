"""PathSVC: a scikit-learn classifier that chooses C on its path."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import SVC, PathSVC


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
    C = np.exp(np.random.default_rng(0).uniform(np.log(0.5 * loo.path_.C_start), np.log(50), 200))
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


def test_three_classes_are_refused() -> None:
    with pytest.raises(ValueError, match="Only binary classification"):
        PathSVC().fit(np.eye(6), [0, 0, 1, 1, 2, 2])
