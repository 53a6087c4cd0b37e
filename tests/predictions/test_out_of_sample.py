"""Out-of-sample values are those of copies refitted on the rows of each split."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut, ShuffleSplit

from mercer import (
    LSSVC,
    LSSVR,
    RLSC,
    SVC,
    SVR,
    CalibratedSVC,
    ConformalSVC,
    ConformalSVR,
    HullClassifier,
    NuSVC,
    NuSVR,
    OneClassSVM,
    OnlineSVC,
    PathSVC,
    ReducedSVC,
    out_of_sample,
)
from mercer.kernels.convert import DEFAULTS
from mercer.predictions import OutOfSample
from mercer.predictions.values import values_of
from sampling import some_of_each

RNG = np.random.default_rng(0)
X = RNG.normal(size=(45, 3))
X[38:] = X[:7]  # rows given twice
NOISE = RNG.normal(size=45)
TWO = np.where(X[:, 0] + 0.5 * NOISE > 0, "b", "a")
THREE = np.digitize(X[:, 0] + 0.4 * NOISE, [-0.5, 0.5])
TARGET = np.sin(X[:, 0]) + 0.1 * NOISE
WEIGHT = RNG.integers(0, 3, size=45).astype(float)
TIGHT = {"tol": 1e-8}

MACHINES = {
    "two classes": (SVC(**TIGHT), TWO),
    "three classes": (SVC(C=3.0, **TIGHT), THREE),
    "one-vs-all": (SVC(multiclass="one-vs-all", **TIGHT), THREE),
    "code": (SVC(multiclass="code", code="sparse", **TIGHT), THREE),
    "all in one": (SVC(multiclass="crammer-singer", **TIGHT), THREE),
    "balanced": (SVC(class_weight="balanced", **TIGHT), THREE),
    "squared": (SVC(loss="squared_hinge", fit_intercept="penalized", **TIGHT), TWO),
    "nu": (NuSVC(nu=0.3, **TIGHT), TWO),
    "SVR": (SVR(**TIGHT), TARGET),
    "NuSVR": (NuSVR(**TIGHT), TARGET),
    "squared NuSVR": (NuSVR(loss="squared_epsilon_insensitive", **TIGHT), TARGET),
    "one class": (OneClassSVM(nu=0.3, tol=1e-9), None),
    "RLSC": (RLSC(), TWO),
    "RLSC by a grid": (RLSC(alpha="loo"), THREE),
    "LSSVC": (LSSVC(class_weight="balanced"), THREE),
    "LSSVR": (LSSVR(), TARGET),
    "pairs of RLSC": (RLSC(multiclass="one-vs-one"), THREE),
    "all in one, gamma given": (SVC(gamma=0.5, multiclass="crammer-singer", **TIGHT), THREE),
    "a time limit, coef0 given": (SVC(kernel="poly", coef0=1.0, max_time=60.0, **TIGHT), TWO),
}


def refitted(
    machine: Any, y: Any, found: OutOfSample, weight: NDArray[Any] | None
) -> NDArray[np.float64]:
    """The law: values of a copy for each fold, with what was read off all rows."""
    values = found.values.copy()
    named = {name: value for name, value in DEFAULTS.items() if hasattr(machine, name)}
    fixed = clone(machine).set_params(kernel=found.full.kernel_, **named)
    if hasattr(found.full, "alpha_"):
        fixed.set_params(alpha=found.full.alpha_)
    for k in np.unique(found.fold):
        test = found.fold == k
        copy = found.full
        if k >= 0:
            train = ~test & (found.fold >= 0)
            options = {} if weight is None else {"sample_weight": weight[train]}
            copy = clone(fixed).fit(X[train], None if y is None else y[train], **options)
        values[test] = values_of(copy, X[test])
    return values


WAYS = {
    "loo": ("loo", None),
    "weighted loo": ("loo", WEIGHT),
    "weighted folds": (4, WEIGHT),
    "folds": (4, None),
}


@pytest.mark.parametrize(("name", "way"), some_of_each(MACHINES, WAYS, 2))
def test_values_are_those_of_refits(name: str, way: str) -> None:
    cv, weight = WAYS[way]
    machine, y = MACHINES[name]
    found = out_of_sample(machine, X, y, cv, weight)
    np.testing.assert_allclose(found.values, refitted(machine, y, found, weight), atol=1e-6)


@pytest.mark.parametrize("y", [TWO, THREE])
def test_quick_values_are_within_the_tolerance(y: Any) -> None:
    found = out_of_sample(SVC(), X, y)
    np.testing.assert_allclose(found.values, refitted(SVC(), y, found, None), atol=3e-3)


@pytest.mark.parametrize("machine", [SVC(**TIGHT), RLSC()])
def test_groups_stay_together(machine: Any) -> None:
    groups = np.repeat(np.arange(9), 5)
    found = out_of_sample(machine, X, TWO, GroupKFold(3), WEIGHT, groups)
    whole = [np.unique(found.fold[(groups == g) & (WEIGHT > 0)]) for g in range(9)]
    assert all(len(folds) == 1 for folds in whole)
    np.testing.assert_allclose(found.values, refitted(machine, TWO, found, WEIGHT), atol=1e-6)


def test_a_splitter_of_single_rows_is_leave_one_out() -> None:
    one, other = (out_of_sample(SVC(**TIGHT), X, TWO, cv) for cv in ("loo", LeaveOneOut()))
    np.testing.assert_allclose(one.values, other.values, atol=1e-6)
    assert (one.fold == other.fold).all()


@pytest.mark.parametrize("cv", ["loo", 4])
def test_a_kernel_matrix_and_sparse_rows_give_the_same(cv: Any) -> None:
    machine = SVC(kernel="linear", **TIGHT)
    found = out_of_sample(machine, X, TWO, cv)
    stored = out_of_sample(SVC(kernel="precomputed", **TIGHT), X @ X.T, TWO, cv)
    packed = out_of_sample(machine, sparse.csr_matrix(X), TWO, cv)
    for other in (stored, packed):
        np.testing.assert_allclose(other.values, found.values, atol=1e-6)


def test_other_estimators_are_refitted() -> None:
    found = out_of_sample(Ridge(), X, TARGET, KFold(3))
    train = found.fold != 1
    expected = Ridge().fit(X[train], TARGET[train]).predict(X[~train])
    np.testing.assert_allclose(found.values[~train], expected)


@pytest.mark.parametrize(
    ("machine", "y"),
    [
        (ReducedSVC(gamma=0.5), THREE),
        (HullClassifier(gamma=0.5), TWO),
        (OnlineSVC(gamma=0.5, probability=True), THREE),
        (RLSC(gamma=0.5, class_weight="balanced"), THREE),
        (RLSC(gamma=0.5, multiclass="code", code="sparse"), THREE),
        (LSSVC(gamma=0.5, low_rank=10), TWO),
        (OneClassSVM(gamma=0.5, max_time=60.0), None),
        (PathSVC(gamma=0.5, low_rank=10), TWO),
    ],
)
def test_a_gamma_that_was_given_does_not_stop_refits(machine: Any, y: Any) -> None:
    found = out_of_sample(machine, X, y, 3)
    test = found.fold == 1
    copy = clone(machine).fit(X[~test], None if y is None else y[~test])
    np.testing.assert_allclose(found.values[test], values_of(copy, X[test]), atol=1e-6)


@pytest.mark.parametrize(
    "variant", [{"robust": "huber"}, {"sparse": "prune"}, {"penalty": "coefficients"}]
)
def test_left_out_values_of_robust_pruned_and_proximal_machines_are_refits(variant: Any) -> None:
    machine, rows, target = LSSVR(alpha=0.3, gamma=0.4, **variant), X[:15], TARGET[:15]
    found = out_of_sample(machine, rows, target, "loo").values
    for i in range(0, 15, 5):
        copy = clone(machine).fit(np.delete(rows, i, axis=0), np.delete(target, i))
        np.testing.assert_allclose(found[i], copy.predict(rows[i : i + 1])[0], atol=1e-8)


def test_a_gamma_that_was_given_does_not_stop_probabilities() -> None:
    limited = {"gamma": 0.5, "max_time": 60.0}
    machine = CalibratedSVC(SVC(**limited)).fit(X, TWO)
    with pytest.warns(FutureWarning, match="probability"):
        flagged = SVC(**limited, probability=True).fit(X, TWO)
    np.testing.assert_allclose(flagged.predict_proba(X), machine.predict_proba(X))


@pytest.mark.parametrize("y", [TWO, THREE])
@pytest.mark.parametrize("cv", ["loo", 4])
def test_a_path_is_left_out_at_the_C_it_has_chosen(y: Any, cv: Any) -> None:
    found = out_of_sample(PathSVC(gamma=0.5, class_weight="balanced"), X, y, cv, WEIGHT)
    machine = SVC(C=found.full.C_, gamma=0.5, class_weight="balanced", **TIGHT)
    expected = out_of_sample(machine, X, y, cv, WEIGHT).values
    np.testing.assert_allclose(found.values, expected, atol=1e-5)


LEAK = [(np.arange(45), np.arange(20)), (np.arange(45), np.arange(20, 45))]


def test_splits_that_train_on_their_test_rows_are_refused() -> None:
    for fit in (
        lambda: out_of_sample(SVC(), X, TWO, LEAK),
        lambda: CalibratedSVC(SVC(), cv=LEAK).fit(X, TWO),
        lambda: ConformalSVC(SVC(), kind="cross", cv=LEAK).fit(X, TWO),
        lambda: ConformalSVR(SVR(), kind="cv+", cv=LEAK).fit(X, TARGET),
    ):
        with pytest.raises(ValueError, match="cv must not train on the rows it tests with"):
            fit()


@pytest.mark.filterwarnings("ignore:The least populated class")
def test_more_folds_than_rows_are_as_many_as_there_can_be() -> None:
    most = max(np.bincount(TWO == "b"))
    for fit in (
        lambda: out_of_sample(RLSC(), X, TWO, 100),
        lambda: ConformalSVC(RLSC(), kind="cross", cv=100).fit(X, TWO),
    ):
        with pytest.warns(UserWarning, match=f"{most} folds instead of cv=100"):
            fit()
    for fit in (
        lambda: out_of_sample(LSSVR(), X, TARGET, 100),
        lambda: ConformalSVR(LSSVR(), kind="cv+", cv=100).fit(X, TARGET),
    ):
        with pytest.warns(UserWarning, match="45 folds instead of cv=100"):
            fit()


def test_splits_that_are_no_partition_are_refused() -> None:
    with pytest.raises(ValueError, match="cv must leave every row out exactly once"):
        out_of_sample(SVC(), X, TWO, ShuffleSplit(2, random_state=0))
    with pytest.raises(ValueError, match="cv must be 'loo'"):
        out_of_sample(SVC(), X, TWO, "jackknife")
