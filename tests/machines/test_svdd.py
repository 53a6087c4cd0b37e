"""The soft smallest ball as a detector of outliers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import SVDD, CalibratedOneClassSVM, OneClassSVM
from mercer.hull import enclosing_ball
from mercer.io import load, save
from mercer.kernels import Gaussian, Polynomial

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3)) * [1.0, 2.0, 0.5] + 5.0
NEW = RNG.normal(size=(30, 3)) * 4.0 + 5.0
KERNELS: list[Any] = ["linear", Polynomial(2, 0.1, 1.0), Gaussian(0.3), "laplacian"]


@parametrize_with_checks([SVDD()])
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("nu", [0.05, 0.3, 1.0])
def test_values_are_squared_distances_from_the_centre(kernel: Any, nu: float) -> None:
    machine = SVDD(kernel=kernel, nu=nu, tol=1e-8).fit(X)
    k, alpha = machine.kernel_, machine.dual_coef_[0]
    centre = machine.support_vectors_
    square = k.diag(NEW) - 2.0 * k(NEW, centre) @ alpha + alpha @ k(centre) @ alpha
    wanted = machine.radius_**2 - square
    scale = 1e-8 * k.diag(X).max()
    np.testing.assert_allclose(machine.decision_function(NEW), wanted, atol=20 * scale)
    np.testing.assert_allclose(machine.score_samples(NEW), -square, atol=20 * scale)
    assert alpha.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("nu", [0.11, 0.37])
def test_it_is_the_soft_enclosing_ball(nu: float) -> None:
    machine = SVDD(kernel="linear", nu=nu, tol=1e-9).fit(X)
    ball = enclosing_ball(X, mu=1.0 / (nu * len(X)), tol=1e-10)
    assert machine.radius_ == pytest.approx(ball.radius, rel=1e-6)
    assert (machine.predict(X) == -1).mean() <= nu


def test_with_equal_squares_it_agrees_with_the_one_class_machine() -> None:
    for nu in (0.1, 0.5):
        ball = SVDD(gamma=0.2, nu=nu, tol=1e-9).fit(X)
        plane = OneClassSVM(gamma=0.2, nu=nu, tol=1e-9).fit(X)
        np.testing.assert_array_equal(ball.predict(NEW), plane.predict(NEW))


def test_weights_are_repetitions() -> None:
    weight = RNG.integers(0, 3, len(X))
    one = SVDD(kernel="linear", nu=0.2, tol=1e-9).fit(X, sample_weight=weight)
    other = clone(one).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(
        one.decision_function(NEW), other.decision_function(NEW), rtol=1e-6, atol=1e-6
    )


def test_rows_may_lie_anywhere() -> None:
    near = SVDD(kernel="linear", nu=0.2, tol=1e-7).fit(X - 5.0)
    far = SVDD(kernel="linear", nu=0.2, tol=1e-7).fit(X + 1e3)
    assert far.radius_ == pytest.approx(near.radius_, rel=1e-3)


def test_a_stored_matrix_must_tell_the_squares_of_new_rows() -> None:
    k = Gaussian(0.2)
    machine = SVDD(kernel="precomputed", nu=0.2).fit(k(X))
    same = SVDD(kernel=k, nu=0.2).fit(X)
    np.testing.assert_allclose(
        machine.decision_function(k(NEW, X)), same.decision_function(NEW), atol=1e-6
    )
    with pytest.raises(ValueError, match="diagonal"):
        SVDD(kernel="precomputed").fit(X @ X.T)


def test_saved_and_calibrated(tmp_path: Any) -> None:
    machine = CalibratedOneClassSVM(SVDD(gamma=0.3, nu=0.2), cv=3).fit(X)
    values = machine.p_values(NEW)
    assert ((values > 0) & (values <= 1)).all()
    save(machine, tmp_path / "m")
    np.testing.assert_array_equal(load(tmp_path / "m").p_values(NEW), values)
    save(machine.estimator_, tmp_path / "ball")
    loaded = load(tmp_path / "ball")
    np.testing.assert_array_equal(
        loaded.decision_function(NEW), machine.estimator_.decision_function(NEW)
    )
