"""Balls with weights, and soft ones: repeated rows, outliers, and the value that is certified."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from mercer import OneClassSVM
from mercer.hull import EnclosingBall, enclosing_ball
from mercer.kernels import Gaussian


def rows(n: int = 40) -> Any:
    rng = np.random.default_rng(0)
    return np.vstack([rng.normal(size=(n - 2, 2)), [[9.0, 0.0], [0.0, 9.0]]])


def value(X: Any, ball: EnclosingBall, mu: float, weight: Any) -> float:
    """R^2 + mu sum_i weight_i max(|x_i - c|^2 - R^2, 0)."""
    excess = ((X - ball.centre) ** 2).sum(axis=1) - ball.radius**2
    return float(ball.radius**2 + mu * (weight * np.maximum(excess, 0.0)).sum())


def test_rows_of_weight_zero_are_left_out_and_other_weights_change_no_whole_ball() -> None:
    X = rows()
    weight = np.r_[np.full(38, 3.0), 0.0, 0.0]
    found, expected = enclosing_ball(X, weight=weight), enclosing_ball(X[:38])
    assert found.radius == expected.radius
    np.testing.assert_array_equal(found.coef, np.r_[expected.coef, 0.0, 0.0])
    by_smo = enclosing_ball(sp.csr_array(X), weight=weight)
    assert by_smo.radius == pytest.approx(expected.radius, rel=1e-5)
    assert enclosing_ball(X, mu=1.0).radius == enclosing_ball(X).radius


@pytest.mark.parametrize("mu", [0.03, 0.1, 0.4])
def test_a_soft_ball_has_the_least_value_and_leaves_few_rows_outside(mu: float) -> None:
    X, n = rows(), 40
    ball = enclosing_ball(X, mu=mu, tol=1e-9)
    distances = np.linalg.norm(X - ball.centre, axis=1)
    assert np.count_nonzero(distances > ball.radius * (1 + 1e-6)) < 1 / mu
    assert ball.radius < enclosing_ball(X).radius
    assert ball.coef.max() <= mu
    assert ball.coef.sum() == pytest.approx(1.0)
    least = value(X, ball, mu, np.ones(n))
    assert 0 <= ball.gap <= 1e-6
    rng = np.random.default_rng(1)
    for _ in range(200):  # no ball near by is better
        other = EnclosingBall(
            ball.radius * np.exp(0.05 * rng.normal()),
            0.0,
            ball.centre + 0.05 * rng.normal(size=2),  # type: ignore[operator]
            ball.coef,
            "",
        )
        assert value(X, other, mu, np.ones(n)) >= least * (1 - 1e-9)


def test_a_weight_of_two_is_the_row_given_twice() -> None:
    X = rows()
    twice = np.r_[np.arange(40), np.arange(10)]
    weight = np.bincount(twice)
    found = enclosing_ball(X, mu=0.05, weight=weight, tol=1e-10)
    expected = enclosing_ball(X[twice], mu=0.05, tol=1e-10)
    assert found.radius == pytest.approx(expected.radius, rel=1e-6)
    np.testing.assert_allclose(found.centre, expected.centre, atol=1e-5)


def test_the_soft_ball_of_a_gaussian_kernel_is_a_one_class_machine() -> None:
    """All rows have length 1 in its feature space (Schoelkopf et al. 2001)."""
    X, kernel = rows(), Gaussian(0.2)
    ball = enclosing_ball(X, mu=1 / (0.2 * 40), kernel=kernel, tol=1e-10)
    machine = OneClassSVM(nu=0.2, kernel=kernel, tol=1e-10).fit(X)
    coef = np.zeros(40)
    coef[machine.support_] = machine.dual_coef_[0] / machine.dual_coef_.sum()
    np.testing.assert_allclose(ball.coef, coef, atol=1e-6)


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ValueError, match=r"mu=0\.01 is too small: the reduced hull of X is empty"):
        enclosing_ball(rows(), mu=0.01)
    with pytest.raises(ValueError, match="solver='wolfe' takes balls around all rows"):
        enclosing_ball(rows(), mu=0.1, solver="wolfe")
    with pytest.raises(ValueError, match="weight must have one entry per row"):
        enclosing_ball(rows(), weight=[1.0])
