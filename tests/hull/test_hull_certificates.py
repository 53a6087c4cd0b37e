"""What is certified of hulls holds: near ones, far ones, in any unit, with any kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import make_moons

from mercer.hull import enclosing_ball, min_norm_point, nearest_points, separable
from mercer.kernels import Gaussian, Polynomial, Sigmoid
from mercer.lab import Gsk, Mdm

FloatArray = NDArray[np.float64]
UNITS = [1e-300, 1e-200, 1e-160, 1e160, 1e200, 1e300]


def clouds() -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(20, 2)) + np.array([5.0, 3.0]), rng.normal(size=(20, 2))


@pytest.mark.parametrize("apart", [1e-3, 1e-5, 1e-6])
@pytest.mark.parametrize("how", ["sparse", "smo", Gsk(), "function"])
def test_hulls_that_nearly_touch_are_not_said_to_overlap(apart: float, how: Any) -> None:
    A, B = np.array([[0.0, 0], [1, 0]]), np.array([[1 + apart, 0], [2, 0]])
    options: dict[str, Any] = {}
    if how == "sparse":
        A, B = sp.csr_array(A), sp.csr_array(B)
    elif how == "function":
        options["kernel"] = lambda X, Z: X @ Z.T
    else:
        options["solver"] = how
    found = nearest_points(A, B, **options)
    assert found.status == "converged"
    assert found.distance - found.gap <= apart * (1 + 1e-9)
    assert found.distance == pytest.approx(apart, rel=1e-3)
    options.pop("solver", None)
    assert separable(A, B, **options)


def test_a_gaussian_kernel_separates_rows_that_differ() -> None:
    X, y = make_moons(200, noise=0.3, random_state=0)
    found = nearest_points(X[y > 0], X[y < 1], kernel=Gaussian(1.0))
    assert found.status == "converged"
    assert 0 < found.gap < 0.1 * found.distance < 1e-6
    assert separable(X[y > 0], X[y < 1], kernel=Gaussian(1.0))


def test_an_indefinite_kernel_has_no_hulls_and_nothing_is_proved_of_them() -> None:
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(30, 3)), rng.normal(size=(30, 3)) + 1
    kernel = Sigmoid(0.5, 0.3)
    near = nearest_points(A, B, kernel=kernel)
    assert (near.gap, near.lower_bound) == (np.inf, 0.0)
    assert near.status != "overlap"
    assert min_norm_point(A, kernel=kernel).gap == np.inf
    assert enclosing_ball(A, kernel=kernel).gap == np.inf
    with pytest.raises(ValueError, match="kernel must be positive semi-definite"):
        separable(A, B, kernel=kernel)


@pytest.mark.parametrize("solver", ["wolfe", Mdm(), "smo"])
@pytest.mark.parametrize("unit", UNITS)
def test_squares_that_are_no_numbers_do_no_harm(unit: float, solver: Any) -> None:
    A, B = clouds()
    near, here = nearest_points(A, B), nearest_points(unit * A, unit * B, solver=solver)
    assert here.status == "converged"
    assert here.distance / unit == pytest.approx(near.distance, rel=1e-12)
    assert here.gap / unit <= 1e-12
    assert here.point_a is not None
    assert here.direction is not None
    np.testing.assert_allclose(here.point_a / unit, near.point_a, rtol=1e-9)
    np.testing.assert_allclose(here.direction, near.direction, rtol=1e-9)
    assert here.offset / unit == pytest.approx(near.offset, rel=1e-9)
    ball = enclosing_ball(unit * A, solver=solver)
    assert ball.radius / unit == pytest.approx(enclosing_ball(A).radius, rel=1e-6)
    np.testing.assert_allclose(ball.centre / unit, enclosing_ball(A).centre, rtol=1e-3)
    norm = min_norm_point(unit * A, solver=solver)
    assert norm.norm / unit == pytest.approx(min_norm_point(A).norm, rel=1e-9)


@pytest.mark.parametrize("unit", UNITS)
def test_separability_has_no_unit(unit: float) -> None:
    A, B = clouds()
    assert separable(unit * A, unit * B)
    assert separable(sp.csr_array(unit * A), sp.csr_array(unit * B))
    assert not separable(unit * A, unit * (A + 0.1))
    shrunk = nearest_points(unit * A, unit * B, mu=0.2, scale=0.5)
    expected = nearest_points(A, B, mu=0.2, scale=0.5).distance
    assert shrunk.distance / unit == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("sparse", [False, True])
def test_the_ball_of_wide_rows_far_from_the_origin(sparse: bool) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(-8, 9, (20, 150)) / 8
    near, rows = enclosing_ball(X), X + 2.0**27
    far = enclosing_ball(sp.csr_array(rows) if sparse else rows)
    assert far.radius == pytest.approx(near.radius, rel=1e-9)
    assert far.gap <= 1e-6
    np.testing.assert_allclose(far.centre, near.centre + 2.0**27, atol=1e-6)


def test_gaps_know_the_rounding_of_kernel_values() -> None:
    A, B = clouds()
    kernel = Polynomial(degree=3)
    found = nearest_points(1e3 * A, 1e3 * B, kernel=kernel)
    coef, rows = np.concatenate([found.coef_a, -found.coef_b]), 1e3 * np.vstack([A, B])
    assert found.gap > 0
    assert found.distance == pytest.approx(np.sqrt(coef @ kernel(rows) @ coef), rel=1e-9)


@given(seed=st.integers(0, 2**32 - 1), d=st.integers(1, 4))
@settings(max_examples=60)
def test_means_that_are_equal_but_for_rounding_overlap_with_the_warning(seed: int, d: int) -> None:
    """The extreme points of such hulls are next to nothing, their rounding that of the rows."""
    rng = np.random.default_rng(seed)
    A, B = (rng.normal(size=(int(rng.integers(2, 40)), d)) for _ in range(2))
    B += A.mean(axis=0) - B.mean(axis=0)
    with pytest.warns(UserWarning, match="overlap"):
        found = nearest_points(A, B, mu=1 / min(len(A), len(B)))
    assert (found.status, found.distance) == ("overlap", 0.0)


@pytest.mark.parametrize("apart", [1e-6, 1e-9, 1e-12])
def test_a_row_far_away_does_not_make_others_overlap(apart: float) -> None:
    found = nearest_points([[0.0, 0], [1, 0], [1e6, 3]], [[-apart, 0], [-1, 0.3]], mu=1.0)
    assert found.distance == pytest.approx(apart, rel=1e-3)
    assert found.status == "converged"
