"""Regression for every C: the same engine on two variables for each row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer import SVR, Gram, svr_path
from mercer.kernels import Linear
from paths.path_cases import some_C, violation
from solvers.active_set_cases import Case, random_case


def targets(case: Case, seed: int) -> np.ndarray:
    """Ties and exact fits, or noise."""
    n = len(case.y)
    if seed % 2:
        return np.round(case.rng.normal(size=n), 1)
    return case.X[:, 0] + case.rng.normal(0.0, 0.3, n)


@given(st.integers(0, 10**9), st.sampled_from([0.0, 0.1, 0.5]))
@settings(max_examples=60, deadline=None)
def test_kkt_holds_at_breakpoints_and_between(seed: int, epsilon: float) -> None:
    case = random_case(seed)
    y = targets(case, seed)
    path = svr_path(case.X, y, epsilon=epsilon, kernel=case.kernel, sample_weight=case.weight)
    assert path.status in ("complete", "C_max", "trivial")
    for C in some_C(path, case.rng, 4):
        assert violation(path, C) <= 1e-8


@given(st.integers(0, 10**9))
@settings(max_examples=15, deadline=None)
def test_approximate_paths_keep_their_gap(seed: int) -> None:
    case = random_case(seed)
    path = svr_path(case.X, targets(case, seed), kernel=case.kernel, accuracy=0.01)
    for C in some_C(path, case.rng, 3):
        assert path.certificate(C).relative_gap <= 0.01 + 1e-9


def test_it_agrees_with_machines() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(60, 1))
    y = np.sin(X[:, 0]) + rng.normal(0, 0.1, 60)
    path = svr_path(X, y, gamma=0.5)
    assert path.classes is None
    for C in (0.1, 2.0, 40.0):
        machine = SVR(C=C, gamma=0.5, epsilon=0.1, solver="active-set", tol=1e-8).fit(X, y)
        assert path.predict(X, C) == pytest.approx(machine.predict(X), abs=1e-6)


@pytest.mark.parametrize("seed", [2, 7, 13, 14])
def test_targets_of_one_decimal_gave_a_path_without_events(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(35, 2))
    y = np.round(X[:, 0] + rng.normal(size=35), 1)
    path = svr_path(X, y, gamma=0.5, C_max=50.0)
    assert path.first_event > 1e-6
    for C in (0.01, 1.0, 50.0):
        assert violation(path, C) <= 1e-8


def test_a_wide_tube_makes_a_trivial_path() -> None:
    X, y = np.arange(5.0)[:, None], np.zeros(5)
    path = svr_path(X, y, epsilon=1.0, kernel="linear")
    assert path.status == "trivial"
    assert path.predict(X, 3.0) == pytest.approx(np.full(5, path.intercept(3.0)))
    assert np.abs(path.predict(X, 3.0)).max() <= 1.0


def test_a_gram_can_be_shared_and_leaving_out_is_for_classifiers() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(20, 2)), rng.normal(size=20)
    path = svr_path(Gram(Linear(), X, precision="double"), y, C_max=5.0)
    assert path.end >= 5.0
    with pytest.raises(ValueError, match="for classifiers"):
        path.leave_one_out()
    with pytest.raises(ValueError, match="epsilon"):
        svr_path(X, y, epsilon=-1.0)


# Errors along the path.


@pytest.mark.parametrize("loss", [None, "absolute_error"])
@pytest.mark.parametrize("options", [{}, {"C_min": 0.5}, {"accuracy": 0.01}, {"low_rank": 8}])
def test_the_error_is_that_of_predictions_at_every_c(loss: str | None, options: dict) -> None:
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(50, 3)), rng.normal(size=(30, 3))
    t, z, weight = np.sin(X[:, 0]), np.sin(Z[:, 0]), rng.integers(0, 3, 30)
    path = svr_path(X, t, gamma=0.3, C_max=50.0, **options)
    error = path.error(Z, z, weight, loss=loss)
    many = np.r_[np.geomspace(max(path.begin, 1e-3), 50.0, 300), path.C[path.C <= 50.0]]
    for C in many[::11]:
        residual = path.predict(Z, C) - z
        size = residual**2 if loss is None else np.abs(residual)
        assert error(C) == pytest.approx(weight @ size / weight.sum(), rel=1e-8)
    assert error(error.best) == pytest.approx(error.minimum)
    assert error.minimum <= error(many).min() + 1e-12
    with pytest.raises(ValueError, match="x must lie in"):
        error(-1.0)


def test_errors_of_constant_and_complete_paths() -> None:
    X = np.linspace(-1, 1, 20)[:, None]
    wide = svr_path(X, X[:, 0], epsilon=5.0)
    assert wide.error(X, X[:, 0])(3.0) == pytest.approx((wide.predict(X, 3.0) - X[:, 0]) @ (
        wide.predict(X, 3.0) - X[:, 0]) / 20)  # fmt: skip
    path = svr_path(X, X[:, 0], epsilon=0.1, kernel="linear", C_max=np.inf)
    assert path.status == "complete"
    for loss, power in (("squared_error", 2), ("absolute_error", 1)):
        error = path.error(X, X[:, 0], loss=loss)
        for C in (0.01, 1e9):
            wanted = (np.abs(path.predict(X, C) - X[:, 0]) ** power).mean()
            assert error(C) == pytest.approx(wanted)


def test_a_loss_that_is_none_of_the_path_is_named() -> None:
    X = np.linspace(-1, 1, 20)[:, None]
    with pytest.raises(ValueError, match="loss must be one of"):
        svr_path(X, X[:, 0]).error(X, X[:, 0], loss="hinge")
    with pytest.raises(ValueError, match="y must have shape"):
        svr_path(X, X[:, 0]).error(X, X[:3, 0])
    with pytest.raises(ValueError, match="y must be finite, got nan"):
        svr_path(X, X[:, 0]).error(X, np.full(20, np.nan))


@pytest.mark.parametrize("epsilon", [0.0, 0.5])
@pytest.mark.parametrize("n", [2, 5])
def test_equal_targets_divided_by_zero(epsilon: float, n: int) -> None:
    X = np.random.default_rng(0).normal(size=(n, 2))
    path = svr_path(X, np.full(n, 3.0), epsilon=epsilon)
    assert path.status == "trivial"
    for C in (1e-3, 1.0, 1e3):
        low, high = path.intercept_interval(C)
        assert low <= path.intercept(C) <= high
        assert low <= 3.0 <= high
        assert np.abs(path.predict(X, C) - 3.0).max() <= epsilon
        assert path.certificate(C).relative_gap == 0.0
