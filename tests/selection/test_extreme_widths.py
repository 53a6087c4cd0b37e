"""Criteria and machines of a Gaussian kernel at the ends of its width.

Glasmachers 2008, section 9.4: limits for gamma to infinity, and the sign of the slope there.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from mercer import SVC, Gram
from mercer.formulations import enclosing_ball, svc
from mercer.kernels import Gaussian
from mercer.selection import make_objective
from mercer.solvers import ActiveSet, solve

NARROW = 1e6


def sample(seed: int, n_positive: int = 7, n_negative: int = 5) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(seed).normal(size=(n_positive + n_negative, 2))
    return X, np.where(np.arange(len(X)) < n_positive, 1.0, -1.0)


def telling_gamma(X: np.ndarray) -> float:
    """So large that the two nearest rows decide, so small that their kernel value is no zero."""
    nearest, second = np.sort(pdist(X, "sqeuclidean"))[:2]
    return float(min(8.0 / (second - nearest), 600.0 / nearest))


def test_radius_and_margin_of_a_narrow_kernel() -> None:
    X, y = sample(0)
    n, positive, negative = 12, 7, 5
    gram = Gram(Gaussian(NARROW), X, precision="double")
    hard = solve(svc(y, np.inf).problem, gram, tol=1e-10)
    expected = np.where(y > 0, 2 * negative / n, -2 * positive / n)
    np.testing.assert_allclose(hard.coef, expected, rtol=1e-8)
    assert 2 * hard.objective == pytest.approx(4 * positive * negative / n)
    ball = solve(enclosing_ball(gram.diagonal(precision="double")).problem, gram, tol=1e-10)
    np.testing.assert_allclose(ball.coef, 1 / n, rtol=1e-8)
    assert 2 * ball.objective == pytest.approx(1 - 1 / n)
    objective = make_objective("radius_margin", SVC(tol=1e-10), X, y)
    value = objective.value([0.0, np.log(NARROW)])
    assert value == pytest.approx((1 - 1 / n) * 4 * positive * negative / n)


def test_polarization_of_a_narrow_kernel_is_the_spread_of_the_labels() -> None:
    X, y = sample(0)
    value = make_objective("polarization", SVC(), X, y).value([0.0, np.log(NARROW)])
    assert value == pytest.approx(np.square(y - y.mean()).sum())


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", ["radius_margin", "polarization"])
def test_the_nearest_pair_decides_the_slope_at_narrow_kernels(name: str, seed: int) -> None:
    X, y = sample(seed, 4, 4)
    distances = squareform(pdist(X))
    np.fill_diagonal(distances, np.inf)
    p, q = np.unravel_index(distances.argmin(), distances.shape)
    machine = SVC(tol=1e-14, solver=ActiveSet())
    objective = make_objective(name, machine, X, y)
    _, gradient = objective([0.0, np.log(telling_gamma(X))])
    # the quotient falls towards infinity, the polarization grows, if the classes differ
    slope = gradient[1] if name == "radius_margin" else -gradient[1]
    assert np.sign(slope) == y[p] * y[q]


def test_a_wide_kernel_predicts_the_majority() -> None:
    X, y = sample(3)
    machine = SVC(gamma=1e-9, C=0.1).fit(X, y)
    values = machine.decision_function(X)
    assert np.ptp(values) < 1e-6
    assert (machine.predict(X) == 1.0).all()


def test_the_bias_of_a_narrow_kernel_is_the_difference_of_the_shares() -> None:
    X, y = sample(4)
    machine = SVC(gamma=NARROW, C=2 * 7 / 12 + 0.1, tol=1e-10).fit(X, y)
    assert machine.intercept_[0] == pytest.approx((7 - 5) / 12)
    assert len(machine.support_) == 12


@pytest.mark.parametrize("seed", range(5))
def test_a_narrow_kernel_of_balanced_classes_is_the_nearest_neighbour(seed: int) -> None:
    X, y = sample(seed, 6, 6)
    near = X + 0.2 * np.random.default_rng(seed).normal(size=X.shape)
    squares = ((near[:, None] - X) ** 2).sum(axis=2)
    ordered = np.sort(squares, axis=1)
    gamma = 300.0 / ordered[:, 0].max()
    # rows whose two nearest are told apart by the kernel
    clear = gamma * (ordered[:, 1] - ordered[:, 0]) > 5.0
    machine = SVC(gamma=gamma, C=1.5, tol=1e-12).fit(X, y)
    values = machine.decision_function(near) - machine.intercept_[0]
    seen = clear & (np.abs(values) > 0)
    assert seen.any()
    assert np.array_equal(np.sign(values[seen]), y[squares.argmin(axis=1)][seen])
