"""HullClassifier: the machine of NuSVC and SVC by another name, and its own parameters."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import SVC, HullClassifier, NuSVC
from mercer.hull import hull_classifier_like, nearest_points, nu_svc_like, svc_like
from mercer.io import load, save
from mercer.kernels import Gaussian
from mercer.lab import Gilbert, Gsk, Mdm

X, Y = make_classification(80, 4, flip_y=0.1, class_sep=0.7, random_state=3)
MU = 1.2 / np.bincount(Y).min()  # so small that a line separates the hulls
UNLIKE_SVC = "weights reduce hulls less, the classes' sums of coefficients stay the same"
EXACT: dict[str, Any] = {"tol": 1e-11, "precision": "double", "gamma": 0.3}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [HullClassifier()],
    expected_failed_checks=lambda _: {"check_class_weight_classifiers": UNLIKE_SVC},
)
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def same(one: Any, other: Any, rows: Any = X) -> None:
    np.testing.assert_allclose(
        one.decision_function(rows), other.decision_function(rows), rtol=1e-8, atol=1e-8
    )


@pytest.mark.parametrize("C", [0.5, 2.0, 20.0])
def test_svc_to_hulls_to_nu_svc_and_back(C: float) -> None:
    """Property 19, to 1e-8."""
    svc = SVC(C=C, **EXACT).fit(X, Y)
    hulls = hull_classifier_like(svc).fit(X, Y)
    nu_svc = nu_svc_like(hulls).fit(X, Y)
    again = svc_like(nu_svc).fit(X, Y)
    for machine in (hulls, nu_svc, again):
        same(svc, machine)
    assert pytest.approx(C, rel=1e-8) == again.C
    assert pytest.approx(C, rel=1e-8) == svc_like(hulls).C
    assert hull_classifier_like(nu_svc).mu == pytest.approx(hulls.mu, rel=1e-8)
    assert nu_svc_like(svc).nu == pytest.approx(nu_svc.nu, rel=1e-8)
    # the coefficients of the hulls sum to 1 on either side
    assert np.abs(hulls.dual_coef_).sum() * hulls.rho_[0] == pytest.approx(2.0, rel=1e-12)


def test_class_weights_are_factors_of_mu() -> None:
    """By class, in the hulls as in the weights of rows."""
    factor = {0: 1.0, 1: 3.0}
    found = HullClassifier(mu=MU, class_weight=factor, **EXACT).fit(X, Y)
    same(found, HullClassifier(mu=MU, **EXACT).fit(X, Y, [factor[y] for y in Y]))
    weight = np.full(np.count_nonzero(Y == 1), 3.0)
    kernel = Gaussian(EXACT["gamma"])
    hulls = nearest_points(X[Y == 1], X[Y == 0], mu=MU, weight_a=weight, kernel=kernel, tol=1e-10)
    assert found.distance_[0] == pytest.approx(hulls.distance, rel=1e-8)


def test_conversions_know_weights() -> None:
    weight = np.resize([1.0, 2.0, 0.5], len(X))
    svc = SVC(C=0.7, class_weight={0: 1.5}, **EXACT).fit(X, Y, sample_weight=weight)
    for machine in (hull_classifier_like(svc), nu_svc_like(svc)):
        same(svc, machine.fit(X, Y, sample_weight=weight))


def test_a_weight_of_two_is_a_row_given_twice() -> None:
    weight = np.resize([1, 2, 0], len(X))
    rows = np.repeat(np.arange(len(X)), weight)
    one = HullClassifier(**EXACT).fit(X, Y, sample_weight=weight)
    same(one, HullClassifier(**EXACT).fit(X[rows], Y[rows]))


def test_the_distance_is_that_of_the_reduced_hulls() -> None:
    machine = HullClassifier(kernel="linear", mu=MU, tol=1e-9).fit(X, Y)
    found = nearest_points(X[Y == 1], X[Y == 0], mu=MU)
    assert machine.distance_[0] == pytest.approx(found.distance, rel=1e-7)
    assert machine.mu_[0] == MU


def test_auto_is_the_sum_of_the_least_mu_of_each_pair() -> None:
    rows, labels = load_iris(return_X_y=True)
    keep = np.r_[0:50, 50:90, 100:130]
    machine = HullClassifier().fit(rows[keep], labels[keep])
    np.testing.assert_allclose(machine.mu_, [1 / 50 + 1 / 40, 1 / 50 + 1 / 30, 1 / 40 + 1 / 30])
    assert machine.score(rows, labels) > 0.95
    even = np.r_[np.flatnonzero(Y == 0)[:35], np.flatnonzero(Y == 1)[:35]]
    half, auto = (
        m.fit(X[even], Y[even]) for m in (NuSVC(nu=0.5, **EXACT), HullClassifier(**EXACT))
    )
    same(half, auto)


def test_the_bisecting_bias_halves_the_segment() -> None:
    """And is that of the KKT conditions for whole hulls."""
    machine = HullClassifier(kernel="linear", mu=MU, bias="bisecting", tol=1e-9).fit(X, Y)
    found = nearest_points(X[Y == 1], X[Y == 0], mu=MU)
    ends = machine.decision_function(np.array([found.point_a, found.point_b]))
    assert ends.sum() == pytest.approx(0.0, abs=1e-6)
    other = HullClassifier(kernel="linear", mu=MU, tol=1e-9).fit(X, Y)
    assert abs(machine.intercept_ - other.intercept_) > 1e-4
    np.testing.assert_array_equal(machine.dual_coef_, other.dual_coef_)
    A, B = X[:20] + 9.0, X[20:40]
    rows, labels = np.vstack([A, B]), np.repeat([1, 0], 20)
    kkt, bisect = (
        HullClassifier(kernel="linear", mu=1.0, bias=bias, tol=1e-9).fit(rows, labels)
        for bias in ("multiplier", "bisecting")
    )
    assert kkt.intercept_ == pytest.approx(bisect.intercept_, rel=1e-6)


@pytest.mark.parametrize("solver", ["auto", "smo", Mdm(), Gsk(), Gilbert(), "chunked"])
def test_every_solver_of_the_family_fits_it(solver: Any) -> None:
    reference = HullClassifier(**EXACT).fit(X, Y)
    machine = HullClassifier(gamma=0.3, solver=solver, tol=1e-2).fit(X, Y)
    assert solver == "auto" or machine.solver_ == getattr(solver, "name", solver)
    assert machine.objective_ == pytest.approx(reference.objective_, rel=2e-2)
    assert machine.fit_status_ == 0


def test_hulls_that_overlap_are_warned_of() -> None:
    """Property 35: the hulls of noise have no distance."""
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(60, 2)), np.resize([0, 1], 60)
    with pytest.warns(ConvergenceWarning, match=r"mu=1.0 is too large.*smaller mu"):
        HullClassifier(mu=1.0, kernel="linear").fit(rows, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        HullClassifier(mu=1 / 30, kernel="linear").fit(rows, labels)


def test_a_mu_that_leaves_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"mu must lie in \["):
        HullClassifier(mu=0.5 / len(X)).fit(X, Y)
    for wrong in (0.0, -1.0, "small"):
        with pytest.raises(ValueError, match="'mu' parameter of HullClassifier"):
            HullClassifier(mu=wrong).fit(X, Y)


def test_what_cannot_be_converted_is_named() -> None:
    iris = load_iris(return_X_y=True)
    cases: list[tuple[Any, Any, str]] = [
        (object(), TypeError, "machine must be an SVC"),
        (SVC().fit(*iris), ValueError, "two classes.*got 3 classes"),
        (SVC(loss="squared_hinge").fit(X, Y), ValueError, "loss='hinge'"),
        (SVC(fit_intercept=False).fit(X, Y), ValueError, "free bias"),
        (HullClassifier(bias="bisecting").fit(X, Y), ValueError, "bias='multiplier'"),
    ]
    for machine, error, match in cases:
        with pytest.raises(error, match=match):
            svc_like(machine)
    whole = HullClassifier(mu=np.inf, gamma=5.0).fit(X, Y)
    with pytest.raises(ValueError, match="finite mu or C"):
        nu_svc_like(whole)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("tol", [1e-3, 1e-10])
@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_what_is_noise_is_not_converted(kernel: str, tol: float) -> None:
    """Whether rounding left rho a little above 0 or below."""
    machines = (NuSVC(nu=nu, kernel=kernel, tol=tol) for nu in (0.1, 0.2, 0.3))
    hulls = (HullClassifier(mu=mu, kernel=kernel, tol=tol) for mu in (0.2, 0.5, 1.0))
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(120, 2)), np.resize([0, 1], 120)
    for machine in (*machines, *hulls):
        machine.fit(rows, labels)
        for like in (svc_like, nu_svc_like, hull_classifier_like):
            with pytest.raises(ValueError, match="must have a margin"):
                like(machine)


def test_it_survives_a_pickle_and_a_model_file(tmp_path: Any) -> None:
    machine = HullClassifier(mu=0.05).fit(X, Y)
    save(machine, tmp_path / "hull.mercer")
    for again in (pickle.loads(pickle.dumps(machine)), load(tmp_path / "hull.mercer")):
        np.testing.assert_array_equal(again.decision_function(X), machine.decision_function(X))
        np.testing.assert_array_equal(again.mu_, machine.mu_)


@pytest.mark.parametrize("bias", ["multiplier", "bisecting"])
def test_rows_far_from_the_origin_make_the_same_machine(bias: str) -> None:
    rows = np.round(64 * X) / 64
    near, far = (
        HullClassifier(kernel="linear", mu=MU, bias=bias, tol=1e-9).fit(rows + shift, Y)
        for shift in (0.0, 2.0**20)
    )
    np.testing.assert_allclose(
        far.decision_function(rows + 2.0**20), near.decision_function(rows), atol=1e-6
    )
