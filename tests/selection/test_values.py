"""Values of criteria against what they mean, computed the long way."""

from __future__ import annotations

import warnings
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneOut, ShuffleSplit, TimeSeriesSplit, cross_val_score

from mercer import LSSVR, RLSC, SVC, SVR, OneClassSVM
from mercer.kernels import Gaussian, Polynomial
from mercer.selection import make_objective
from mercer.selection.objectives import OBJECTIVES
from mercer.selection.objectives.likelihood import fit_slope

RNG = np.random.default_rng(1)
X = RNG.normal(size=(40, 2))
Y = (X[:, 0] + 0.8 * RNG.normal(size=40) > 0).astype(int)
THREE = np.digitize(X[:, 0] + 0.5 * RNG.normal(size=40), [-0.5, 0.5])
TARGET = X[:, 0] + 0.3 * RNG.normal(size=40)
MACHINE = SVC(C=2.0, kernel=Gaussian(0.5), solver="active-set", tol=1e-10)


def value(name: str, estimator: Any = MACHINE, y: Any = Y, **options: Any) -> float:
    objective = make_objective(name, estimator, X, y, **options)
    return objective.value(objective.space.start)


@pytest.mark.parametrize("labels", [Y, THREE], ids=["two", "three"])
@pytest.mark.parametrize(
    "cv", [4, TimeSeriesSplit(3), ShuffleSplit(4, train_size=0.5, random_state=0)]
)
def test_cross_validation_is_that_of_scikit_learn(cv: Any, labels: Any) -> None:
    expected = cross_val_score(MACHINE, X, labels, cv=cv)
    assert value("cv", y=labels, cv=cv, loss="accuracy") == pytest.approx(expected.mean())
    assert value("cv", y=labels, cv=cv) == pytest.approx(1.0 - expected.mean())


def test_balanced_classes_are_those_of_each_split() -> None:
    machine = SVC(kernel=Gaussian(0.5), class_weight="balanced", tol=1e-10)
    expected = cross_val_score(machine, X, Y, cv=TimeSeriesSplit(3), scoring="roc_auc").mean()
    assert value("cv", machine, cv=TimeSeriesSplit(3), loss="roc_auc") == pytest.approx(expected)


def test_regression_goes_by_the_squared_error() -> None:
    machine = SVR(kernel=Gaussian(0.5), tol=1e-10)
    expected = -cross_val_score(machine, X, TARGET, cv=4, scoring="neg_mean_squared_error").mean()
    assert value("cv", machine, TARGET, cv=4) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("bias", [True, False, "penalized"])
@pytest.mark.parametrize(
    "machine", [SVR(solver="active-set", tol=1e-10), LSSVR(alpha=0.3)], ids=["SVR", "LSSVR"]
)
def test_any_bias_counts_once(machine: Any, bias: Any) -> None:
    machine.set_params(kernel=Gaussian(0.5), fit_intercept=bias)
    target = TARGET + 3.0
    expected = -cross_val_score(machine, X, target, cv=4, scoring="neg_mean_squared_error").mean()
    assert value("cv", machine, target, cv=4) == pytest.approx(expected, rel=1e-8)


def test_costs_are_counted_by_class() -> None:
    costs = np.array([[0.0, 3.0], [1.0, 0.0]])
    found = value("cv", cv=5, loss=costs)
    assert found == pytest.approx(value("cv", cv=5, loss=3.0 * costs) / 3.0)
    assert value("cv", cv=5, loss=[[0, 1], [1, 0]]) == pytest.approx(value("cv", cv=5))


def test_leave_one_out_trains_without_each_row() -> None:
    expected = 1.0 - cross_val_score(MACHINE, X, Y, cv=LeaveOneOut()).mean()
    assert value("loo") == pytest.approx(expected)


def test_bounds_lie_above_what_they_bound() -> None:
    machine = MACHINE.fit(X, Y)
    errors = 40 * value("loo")
    assert value("n_support") == len(machine.support_)
    assert errors <= 40 * value("span_like") + 1e-9 <= len(machine.support_) + 1e-6
    # exact but for rows that become or cease to be free
    assert abs(40 * value("span") - errors) <= 4


def test_all_subsets_are_the_mean_of_draws() -> None:
    rows, labels = X[:8], np.array([0, 1] * 4)
    options = {"train_size": 0.75, "loss": "squared"}
    objective = make_objective("bootstrap", MACHINE, rows, labels, n_draws="all", **options)
    full = objective.value(objective.space.start)
    splits = [
        (np.array(train), np.setdiff1d(np.arange(8), train)) for train in combinations(range(8), 6)
    ]
    given = make_objective("cv", MACHINE, rows, labels, cv=splits, loss="squared")
    assert full == pytest.approx(given.value(given.space.start))
    draws = make_objective(
        "bootstrap", MACHINE, rows, labels, n_draws=400, random_state=0, **options
    )
    assert draws.value(draws.space.start) == pytest.approx(full, rel=0.1)
    assert draws.is_stochastic


def test_draws_are_those_of_the_seed() -> None:
    one, two = (make_objective("likelihood", MACHINE, X, Y, random_state=3) for _ in range(2))
    first = [one.value(one.space.start) for _ in range(3)]
    assert first == [two.value(two.space.start) for _ in range(3)]
    assert len(set(first)) == 3


def test_alignment_is_scale_free_and_weighted_by_repetition() -> None:
    labels = np.where(Y == 1, 1.0, -1.0)
    K = Gaussian(0.5)(X)
    expected = labels @ K @ labels / (40 * np.linalg.norm(K))
    assert value("alignment") == pytest.approx(expected)
    centred = labels - labels.mean()
    assert value("polarization") == pytest.approx(centred @ K @ centred)
    scaled = SVC(kernel=3.0 * Gaussian(0.5))
    assert value("alignment", scaled) == pytest.approx(expected)
    weights = RNG.integers(0, 3, size=40)
    place = np.repeat(np.arange(40), weights)
    found = [
        make_objective("alignment", MACHINE, X, THREE, sample_weight=weights),
        make_objective("alignment", MACHINE, X[place], THREE[place]),
    ]
    assert found[0].value([0.0, 0.0]) == pytest.approx(found[1].value([0.0, 0.0]))


def test_least_squares_leave_one_out_is_that_of_the_machine() -> None:
    weight = RNG.uniform(0.5, 2.0, size=40)
    for machine, y in ((RLSC(alpha=0.3), Y), (LSSVR(alpha=0.3), TARGET)):
        machine.set_params(kernel=Gaussian(0.5)).fit(X, y, sample_weight=weight)
        signs = np.where(Y == 1, 1.0, -1.0) if y is Y else TARGET
        left_out = np.ravel(machine.loo_values_)
        expected = np.average((signs - left_out) ** 2, weights=weight)
        for name, wanted in (("loo", expected), ("gcv", machine.gcv_)):
            objective = make_objective("gcv", machine, X, y, sample_weight=weight, method=name)
            found = objective.value(objective.space.start)
            assert found == pytest.approx(float(np.ravel(wanted)[0]), rel=1e-8)


def test_the_slope_of_the_sigmoid_is_the_best_one() -> None:
    signs, values = np.where(Y == 1, 1.0, -1.0), X[:, 0]
    weight = np.ones(40)
    grid = -np.linspace(0.0, 6.0, 2001)
    losses = [np.logaddexp(0.0, s * signs * values).sum() for s in grid]
    assert fit_slope(signs, values, weight) == pytest.approx(grid[np.argmin(losses)], abs=0.004)
    assert fit_slope(signs, -values, weight) == pytest.approx(0.0, abs=1e-9)
    assert fit_slope(signs, np.zeros(40), weight) == 0.0
    assert np.isfinite(fit_slope(signs, signs, weight))


@pytest.mark.parametrize(
    ("name", "estimator", "y", "message"),
    [
        ("likelihood", SVR(), TARGET, "needs classes"),
        ("alignment", SVR(), TARGET, "needs classes"),
        ("radius_margin", RLSC(), Y, "needs an SVC"),
        ("radius_margin", SVC(loss="huber"), Y, "squared_hinge"),
        ("loo", SVR(), TARGET, "needs an SVC"),
        ("gcv", SVC(), Y, "needs RLSC"),
        ("cv", OneClassSVM(), None, "needs targets"),
        ("everything", SVC(), Y, "name must be one of"),
    ],
)
def test_a_criterion_that_does_not_fit_says_so(
    name: str, estimator: Any, y: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        make_objective(name, estimator, X, y)


def test_classes_that_no_kernel_separates_have_no_hard_margin() -> None:
    rows, labels = np.repeat(X[:5], 2, axis=0), np.array([0, 1] * 5)
    objective = make_objective("radius_margin", SVC(kernel=Gaussian(1.0)), rows, labels)
    with pytest.raises(ValueError, match="separates"):
        objective.value(objective.space.start)


@pytest.mark.parametrize("name", OBJECTIVES)
def test_a_gradient_is_given_or_refused(name: str) -> None:
    machine: Any = SVC(loss="squared_hinge", kernel=Polynomial(2))
    machine = {"gcv": RLSC(), "rejection": OneClassSVM(), "detection": OneClassSVM()}.get(
        name, machine
    )
    objective = make_objective(name, machine, X, Y)
    if objective.has_gradient:
        assert np.isfinite(objective(objective.space.start)[1]).all()
    else:
        with pytest.raises(ValueError, match="has no gradient"):
            objective(objective.space.start)


def test_theta_is_checked() -> None:
    objective = make_objective("cv", SVC(), X, Y)
    for wrong in ([0.0], [np.nan, 0.0], [[0.0, 0.0]]):
        with pytest.raises(ValueError, match="theta"):
            objective.value(wrong)
    with pytest.raises(TypeError, match="options"):
        make_objective("cv", SVC(), X, Y, folds=3)


@pytest.mark.parametrize(
    "name", [name for name in OBJECTIVES if name not in ("gcv", "rejection", "detection")]
)
def test_extreme_weights_are_refused_by_name(name: str) -> None:
    for weight in (1e300, 5e-324):
        with pytest.raises(ValueError, match="sample_weight must be"):
            make_objective(name, SVC(), X, Y, sample_weight=np.full(40, weight))


@pytest.mark.parametrize("name", ["bootstrap", "likelihood", "posterior"])
def test_rows_to_test_with_need_weight(name: str) -> None:
    weight = np.zeros(40)
    weight[[Y.argmax(), Y.argmin()]] = 1.0

    def evaluate() -> float:
        objective = make_objective(name, SVC(), X, Y, sample_weight=weight, random_state=0)
        return objective.value(objective.space.start)

    with pytest.raises(ValueError, match=r"sample_weight|positive weight"):
        evaluate()


def test_infinite_rows_raise_no_warning_of_numpy() -> None:
    rows = X.copy()
    rows[0] = [np.inf, -np.inf]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="X"):
            make_objective("cv", SVC(), rows, Y)
