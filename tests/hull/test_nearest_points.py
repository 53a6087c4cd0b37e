"""Nearest points, minimum norm and separability: laws, degenerate hulls, bad input."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from hull.hull_reference import distance_by_qp
from mercer.hull import (
    NearestPoints,
    enclosing_ball,
    min_norm_point,
    nearest_points,
    reduced_polygon,
    separable,
)
from mercer.kernels import Gaussian
from mercer.lab import Mdm

FloatArray = NDArray[np.float64]
seeds = st.integers(0, 2**32 - 1)


def clouds(seed: int, d: int, apart: float = 0.0) -> tuple[FloatArray, FloatArray]:
    """Two clouds of a few points each, on a grid now and then."""
    rng = np.random.default_rng(seed)
    A, B = (rng.normal(size=(int(rng.integers(1, 12)), d)) for _ in range(2))
    if rng.random() < 0.3:
        A, B = (3 * A).round(), (3 * B).round()
    A[:, 0] += apart
    return A, B


def check(found: NearestPoints, A: FloatArray, B: FloatArray) -> None:
    """Feasible, consistent, and optimal by the slab between the hulls."""
    assert found.point_a is not None
    assert found.point_b is not None
    for coef, rows, point in ((found.coef_a, A, found.point_a), (found.coef_b, B, found.point_b)):
        assert coef.min() >= 0
        assert coef.sum() == pytest.approx(1.0)
        np.testing.assert_allclose(coef @ rows, point, atol=1e-9 * (1 + np.abs(rows).max()))
    size = 1 + max(np.abs(A - A[0]).max(), np.abs(B - A[0]).max())
    if found.status == "overlap":
        np.testing.assert_allclose(found.point_a, found.point_b, atol=1e-12 * size)
        return
    assert found.direction is not None
    assert np.linalg.norm(found.point_a - found.point_b) == pytest.approx(found.distance)
    assert np.linalg.norm(found.direction) == pytest.approx(1.0)
    assert found.gap <= 1e-12 * size
    width = (A @ found.direction).min() - (B @ found.direction).max()
    assert width == pytest.approx(found.distance, abs=1e-11 * size)
    middle = 0.5 * (found.point_a + found.point_b)
    assert middle @ found.direction + found.offset == pytest.approx(0.0, abs=1e-11 * size)


@given(seed=seeds, d=st.integers(1, 6), apart=st.sampled_from([0.0, 2.0, 10.0]))
@settings(max_examples=60)
def test_nearest_points_agree_with_an_interior_point_method(
    seed: int, d: int, apart: float
) -> None:
    A, B = clouds(seed, d, apart)
    found = nearest_points(A, B)
    check(found, A, B)
    assert found.distance == pytest.approx(distance_by_qp(A, B), abs=2e-6)


@given(seed=seeds, d=st.integers(1, 5), share=st.floats(0.0, 1.0), weighted=st.booleans())
@settings(max_examples=40)
def test_reduced_hulls_agree_with_an_interior_point_method(
    seed: int, d: int, share: float, weighted: bool
) -> None:
    A, B = clouds(seed, d, 3.0)
    rng = np.random.default_rng(seed)
    w_a, w_b = (rng.integers(1, 4, len(X)).astype(float) if weighted else None for X in (A, B))
    sizes = [len(X) if w is None else w.sum() for X, w in ((A, w_a), (B, w_b))]
    mu = 1 / min(sizes) + share * (1 - 1 / min(sizes))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = nearest_points(A, B, mu=mu, weight_a=w_a, weight_b=w_b)
    cap_a, cap_b = (
        np.minimum(mu * (np.ones(len(X)) if w is None else w), 1.0) for X, w in ((A, w_a), (B, w_b))
    )
    assert (found.coef_a <= cap_a).all()
    assert (found.coef_b <= cap_b).all()
    assert found.distance == pytest.approx(distance_by_qp(A, B, cap_a, cap_b), abs=2e-6)
    assert found.gap <= 1e-9


@pytest.mark.parametrize("solver", ["auto", "smo", Mdm(), "active-set", "chunked"])
def test_every_solver_finds_the_same_distance(solver: Any) -> None:
    A, B = clouds(11, 4, 6.0)
    exact = nearest_points(A, B, mu=0.5)
    found = nearest_points(A, B, mu=0.5, solver=solver, tol=1e-8)
    assert found.distance == pytest.approx(exact.distance, rel=1e-7)
    np.testing.assert_allclose(found.point_a, exact.point_a, atol=1e-5)
    assert found.offset == pytest.approx(exact.offset, abs=1e-5)
    assert found.distance - found.gap <= exact.distance * (1 + 1e-12)


def test_weight_is_repetition_and_zero_is_absence() -> None:
    rng = np.random.default_rng(3)
    A, B = rng.normal(size=(9, 3)) + 4, rng.normal(size=(6, 3))
    w = np.resize([1.0, 2.0, 0.0], len(A))
    repeated = np.repeat(A, w.astype(int), axis=0)
    one = nearest_points(A, B, mu=0.4, weight_a=w)
    assert one.distance == pytest.approx(nearest_points(repeated, B, mu=0.4).distance, rel=1e-12)
    assert not one.coef_a[w == 0].any()


def test_the_distance_shrinks_as_hulls_grow() -> None:
    """Property 23, from the means (property 22) to the convex hulls."""
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(12, 3)) + 4, rng.normal(size=(12, 3))
    distance = [nearest_points(A, B, mu=mu).distance for mu in (1 / 12, 0.1, 0.2, 0.5, 1.0, 7.0)]
    assert np.diff(distance).max() <= 1e-12
    assert distance[0] == pytest.approx(np.linalg.norm(A.mean(axis=0) - B.mean(axis=0)))
    assert distance[-1] == pytest.approx(nearest_points(A, B).distance, rel=1e-14)


@pytest.mark.parametrize("far", [1e3, 1e6, 1e9])
def test_hulls_far_from_the_origin_lose_no_digits(far: float) -> None:
    rng = np.random.default_rng(1)
    A, B = rng.integers(-9, 10, (8, 3)) / 8 + 5, rng.integers(-9, 10, (8, 3)) / 8
    near, moved = nearest_points(A, B), nearest_points(A + far, B + far)
    assert moved.distance == pytest.approx(near.distance, rel=1e-14)
    np.testing.assert_allclose(moved.coef_a, near.coef_a, atol=1e-12)


@pytest.mark.parametrize("size", [1e-12, 1e-6, 1e6, 1e12])
def test_the_unit_does_not_matter(size: float) -> None:
    A, B = clouds(5, 3, 3.0)
    near, scaled = nearest_points(A, B), nearest_points(size * A, size * B)
    assert scaled.distance == pytest.approx(size * near.distance, rel=1e-12)
    assert scaled.status == near.status


def test_single_points_and_copies_of_them() -> None:
    one = nearest_points([[1.0, 2.0]], [[4.0, 6.0]])
    assert (one.distance, one.status) == (5.0, "converged")
    copies = nearest_points(np.tile([1.0, 2.0], (9, 1)), np.tile([4.0, 6.0], (7, 1)), mu=0.2)
    assert copies.distance == pytest.approx(5.0, rel=1e-15)
    same = nearest_points(np.ones((3, 2)), np.ones((4, 2)))
    assert (same.distance, same.status) == (0.0, "overlap")
    assert not same.direction.any()


def test_collinear_points_and_one_dimension() -> None:
    line = np.linspace(0, 1, 9)[:, None] * np.array([1.0, 2.0, 2.0])
    found = nearest_points(line, line + np.array([4.0, 8.0, 8.0]))
    assert found.distance == pytest.approx(9.0)
    flat = nearest_points([[0.0], [1.0], [0.25]], [[3.0], [7.0]])
    assert (flat.distance, flat.point_a[0], flat.point_b[0]) == (2.0, 1.0, 3.0)
    assert nearest_points([[0.0], [2.0]], [[1.0]]).status == "overlap"


def test_hulls_that_touch_have_distance_zero() -> None:
    square, aside = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1]]), np.array([1.0, 0.3])
    assert nearest_points(square, square + aside).status == "overlap"
    assert not separable(square, square + aside)
    assert separable(square, square + aside * (1 + 1e-9))


@given(seed=seeds, d=st.integers(1, 5), apart=st.sampled_from([0.0, 1.0, 4.0]))
@settings(max_examples=40)
def test_separable_is_a_positive_distance(seed: int, d: int, apart: float) -> None:
    A, B = clouds(seed, d, apart)
    assert separable(A, B) == (nearest_points(A, B).distance > 0)


def test_kernels_separate_what_rows_do_not() -> None:
    xor = np.array([[0.0, 0], [1, 1]]), np.array([[0.0, 1], [1, 0]])
    assert not separable(*xor)
    found = nearest_points(*xor, kernel=Gaussian(1.0))
    assert separable(*xor, kernel=Gaussian(1.0))
    assert (found.point_a, found.direction) == (None, None)
    # both sides have half of each row: |w|^2 = 1 + e^-2 - 2 e^-1
    assert found.distance == pytest.approx(1 - np.exp(-1.0), rel=1e-6)
    assert found.n_kernel > 0
    assert found.offset == pytest.approx(0.0, abs=1e-9)


def test_sparse_rows_and_many_features_go_to_a_solver() -> None:
    rng = np.random.default_rng(2)
    A, B = rng.normal(size=(20, 200)), rng.normal(size=(20, 200)) + 0.3
    wide, thin = nearest_points(A, B, tol=1e-8), nearest_points(sp.csr_array(A), B, tol=1e-8)
    exact = nearest_points(A, B, solver="wolfe")
    assert (exact.solver, wide.solver == "wolfe") == ("wolfe", False)
    assert wide.distance == pytest.approx(exact.distance, rel=1e-7)
    assert thin.distance == pytest.approx(exact.distance, rel=1e-7)
    np.testing.assert_allclose(thin.point_a, exact.point_a, atol=1e-4)


@pytest.mark.parametrize("kernel", [None, Gaussian(0.3)])
def test_scaled_hulls_are_those_of_rows_that_moved_to_their_mean(kernel: Any) -> None:
    A, B = clouds(9, 3, 2.0)
    shrunk = nearest_points(A, B, scale=0.4, kernel=kernel, solver="smo", tol=1e-9)
    assert shrunk.coef_a.sum() == pytest.approx(1.0)
    assert (shrunk.coef_a > 0).all()
    if kernel is None:
        rows = [0.4 * X + 0.6 * X.mean(axis=0) for X in (A, B)]
        assert shrunk.distance == pytest.approx(nearest_points(*rows).distance, rel=1e-9)
        assert nearest_points(A, B, scale=0.4).distance == pytest.approx(shrunk.distance, rel=1e-9)
    else:
        beta = np.concatenate([shrunk.coef_a, -shrunk.coef_b])
        X = np.vstack([A, B])
        assert shrunk.distance**2 == pytest.approx(beta @ kernel(X) @ beta, rel=1e-7)


def test_an_overlap_of_reduced_hulls_warns_and_advises() -> None:
    """Property 35."""
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(20, 2)), rng.normal(size=(20, 2))
    with pytest.warns(UserWarning, match=r"mu=0.5 overlap.* smaller mu"):
        assert nearest_points(A, B, mu=0.5).status == "overlap"
    with pytest.warns(UserWarning, match="overlap"):
        assert nearest_points(A, B, mu=0.5, solver="smo").status == "overlap"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert nearest_points(A, B).status == "overlap"


def test_a_mu_that_leaves_nothing_is_an_error_that_says_how_much_would() -> None:
    with pytest.raises(ValueError, match=r"reduced hull of A is empty.*at least 0.333"):
        nearest_points(np.eye(3), 2 + np.ones((5, 3)), mu=0.3)
    with pytest.raises(ValueError, match=r"reduced hull of X is empty.*at least 0.5"):
        min_norm_point(np.eye(2), mu=0.4)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"A": np.empty((0, 2))}, "A must have at least one row"),
        ({"A": [1.0, 2.0]}, "A must be two-dimensional"),
        ({"A": [[np.nan, 1.0]]}, r"A must be finite, got A\[0, 0\]=nan"),
        ({"B": [[1.0, np.inf]]}, r"B must be finite, got B\[0, 1\]=inf"),
        ({"B": [[1.0, 2.0, 3.0]]}, "same number of features, got 2 and 3"),
        ({"A": np.empty((2, 0)), "B": np.empty((2, 0))}, "at least one feature"),
        ({"A": [["a", "b"]]}, "A must be an array of numbers"),
        ({"mu": 0.0}, "mu must be positive"),
        ({"mu": np.nan}, "mu must be positive"),
        ({"scale": 1.5}, r"scale must lie in \(0, 1\]"),
        ({"tol": -1.0}, "tol must be"),
        ({"weight_a": [1.0]}, "weight_a must have one entry per row"),
        ({"weight_a": [1.0, -1.0]}, "weight_a must hold finite numbers"),
        ({"weight_b": [0.0, 0.0]}, "weight_b must have a positive entry"),
        ({"solver": "best"}, "solver must be one of"),
        ({"solver": "wolfe", "kernel": "rbf"}, "solver='wolfe' takes dense rows"),
        (
            {"kernel": "precomputed"},
            "a kernel value for each row of A, then each of B: 4 columns for 2 and 2 rows, got 2",
        ),
        ({"A": np.eye(2) + 1j}, "A must hold real numbers, got complex ones"),
        ({"A": sp.csr_array(np.eye(2) + 1j)}, "A must hold real numbers, got complex ones"),
        ({"weight_a": "ab"}, "weight_a must be an array of numbers"),
        ({"max_time": -1.0}, "max_time must be None or a number that is not negative"),
        ({"max_time": np.nan}, "max_time must be"),
        ({"n_threads": 0}, "n_threads must be at least 1"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], match: str) -> None:
    given = {"A": np.eye(2), "B": np.eye(2) + 3, **arguments}
    with pytest.raises(ValueError, match=match):
        nearest_points(given.pop("A"), given.pop("B"), **given)


@pytest.mark.parametrize("name", ["mu", "scale", "tol", "max_time"])
def test_what_is_no_number_is_a_type_error(name: str) -> None:
    with pytest.raises(TypeError, match=f"{name} must be None or a real number"):
        nearest_points(np.eye(2), np.eye(2) + 3, **{name: "much"})
    with pytest.raises(TypeError, match="n_threads must be an integer"):
        nearest_points(np.eye(2), np.eye(2) + 3, n_threads=1.5)  # type: ignore[arg-type]


@given(seed=seeds, d=st.integers(1, 5), mu=st.sampled_from([None, 0.5]))
@settings(max_examples=25)
def test_the_smallest_norm_is_the_distance_from_the_origin(
    seed: int, d: int, mu: float | None
) -> None:
    X = np.random.default_rng(seed).normal(size=(8, d)) + 1.0
    found = min_norm_point(X, mu=mu)
    cap = np.full(8, mu or 1.0)
    origin = np.zeros((1, d))
    assert found.norm == pytest.approx(distance_by_qp(X, origin, cap), abs=2e-6)
    assert np.linalg.norm(found.point) == pytest.approx(found.norm, abs=1e-12)
    if found.norm > 1e-3:
        other = min_norm_point(X, mu=mu, solver="smo", tol=1e-8)
        assert other.norm == pytest.approx(found.norm, rel=1e-6)


@given(seed=seeds, d=st.integers(1, 6), n=st.integers(1, 30))
@settings(max_examples=40)
def test_the_smallest_ball_holds_all_rows_and_no_smaller_one_does(
    seed: int, d: int, n: int
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) if rng.random() < 0.6 else rng.integers(-2, 3, (n, d)).astype(float)
    ball = enclosing_ball(X)
    apart = np.linalg.norm(X - ball.centre, axis=1)
    assert apart.max() == pytest.approx(ball.radius, abs=1e-12)
    # optimal: the centre is a combination of rows on the surface
    assert ball.coef.min() >= 0
    assert ball.coef.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(ball.coef @ X, ball.centre, atol=1e-9)
    np.testing.assert_allclose(apart[ball.coef > 1e-9], ball.radius, atol=1e-7)
    assert ball.gap <= 1e-9 * (1 + ball.radius)
    other = enclosing_ball(X, solver="smo", tol=1e-9)
    assert other.radius == pytest.approx(ball.radius, rel=1e-6, abs=1e-6)
    assert other.radius - other.gap <= ball.radius + 1e-9


def test_the_ball_of_a_kernel() -> None:
    X = np.random.default_rng(0).normal(size=(40, 3))
    ball = enclosing_ball(X, kernel=Gaussian(0.4), tol=1e-8)
    K = Gaussian(0.4)(X)
    square = np.diagonal(K) - 2 * K @ ball.coef + ball.coef @ K @ ball.coef
    assert np.sqrt(square.max()) == pytest.approx(ball.radius, abs=1e-6)
    assert (ball.centre, ball.status) == (None, "converged")


def test_the_outline_of_a_reduced_hull() -> None:
    """Every extreme point lies on it, and every corner is one."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(9, 2))
    for mu in (0.15, 0.4, 1.0):
        corners = reduced_polygon(X, mu)
        angles = np.linspace(0, 2 * np.pi, 60)
        for direction in np.column_stack([np.cos(angles), np.sin(angles)]):
            values = np.sort(X @ direction)[::-1]
            shares = np.clip(1.0 - mu * np.arange(9), 0.0, mu)
            assert (corners @ direction).max() == pytest.approx(shares @ values)
        turns = np.roll(corners, -1, axis=0) - corners
        nexts = np.roll(turns, -1, axis=0)
        assert (turns[:, 0] * nexts[:, 1] - turns[:, 1] * nexts[:, 0] > 0).all()
    assert len(reduced_polygon(np.ones((4, 2)))) == 1
    assert len(reduced_polygon([[0.0, 0], [1, 1], [2, 2]])) == 2
    with pytest.raises(ValueError, match="X must have 2 features, got 3"):
        reduced_polygon(np.eye(3))
    with pytest.raises(TypeError, match="X must be dense"):
        reduced_polygon(sp.csr_array(np.eye(2)))


@given(seed=seeds, d=st.integers(1, 4))
@settings(max_examples=60)
def test_rounding_is_no_support(seed: int, d: int) -> None:
    """On a grid weights of rows that are not needed vanish, to the last bit."""
    rng = np.random.default_rng(seed)
    A, B = (rng.integers(-3, 4, (7, d)) + shift for shift in (0.0, float(rng.integers(0, 4))))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [nearest_points(A, B), nearest_points(A, B, mu=0.5)]
    coef = [end for one in found for end in (one.coef_a, one.coef_b)]
    for numbers in (*coef, enclosing_ball(A).coef, min_norm_point(A).coef):
        assert numbers.sum() == pytest.approx(1.0, abs=1e-14)
        assert not ((numbers > 0) & (numbers < 1e-14)).any()


def test_clouds_of_many_rows_have_their_support_found_exactly() -> None:
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(20_000, 6)), rng.normal(size=(20_000, 6))
    A[:, 0] += 12.0
    found = nearest_points(A, B)
    check(found, A, B)
    assert np.count_nonzero(found.coef_a) + np.count_nonzero(found.coef_b) <= 8
    reduced = nearest_points(A, B, mu=1e-3)
    assert reduced.gap <= 1e-11
    free = (reduced.coef_a > 0) & (reduced.coef_a < 1e-3)
    assert np.count_nonzero(free) <= 7
