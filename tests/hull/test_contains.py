"""Points in hulls: on the boundary, next to it, of reduced hulls and in feature spaces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from hull.hull_reference import exact_square
from mercer.hull import contains, nearest_points, separable
from mercer.kernels import Gaussian, Polynomial


def test_means_and_corners_are_inside_and_the_mirror_of_a_corner_is_not() -> None:
    rng = np.random.default_rng(0)
    for d in (1, 2, 3, 6):
        X = rng.normal(size=(30, d))
        shares = rng.dirichlet(np.ones(30), 50)
        assert np.all(contains(X, shares @ X))
        assert np.all(contains(X, X))
        assert not np.any(contains(X, X + 10 * np.sign(X.sum(axis=1))[:, None]))


def test_a_point_next_to_the_boundary_is_where_exact_arithmetic_has_it() -> None:
    """Thirds of a segment are rounded to either side of it."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3, 2))
    share = rng.dirichlet(np.ones(2), 300)
    points = share @ X[:2]
    expected = [exact_square(X, point[None]) == 0 for point in points]
    assert 0.1 < np.mean(expected) < 0.9
    np.testing.assert_array_equal(contains(X, points), expected)


def test_one_point_gives_a_bool_and_several_give_an_array() -> None:
    square = [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert contains(square, [1, 1]) is True
    assert contains(square, (1, 1.5)) is False
    assert contains(square, [[1, 1], [2, 2]]).tolist() == [True, False]  # type: ignore[union-attr]


@pytest.mark.parametrize("how", ["dense", "sparse"])
def test_reduced_and_scaled_hulls_contain_less(how: str) -> None:
    X = np.array([[0.0, 0], [4, 0], [0, 4], [4, 4]])
    rows: Any = X if how == "dense" else sp.csr_array(X)
    points = np.array([[2.0, 2], [2, 0.9], [2, 0.1], [1.5, 3.0]])
    others: Any = points if how == "dense" else sp.csr_array(points)
    assert np.all(contains(rows, others))
    assert np.asarray(contains(rows, others, mu=0.25)).tolist() == [True, False, False, False]
    assert np.asarray(contains(rows, others, mu=0.5)).tolist() == [True, True, True, True]
    assert np.asarray(contains(rows, others, scale=0.6)).tolist() == [True, True, False, True]
    weight = [1, 1, 0, 0]
    assert not np.any(contains(rows, others, weight=weight))


def test_the_feature_space_of_a_kernel() -> None:
    rng = np.random.default_rng(0)
    X, points = rng.normal(size=(20, 2)), rng.normal(size=(6, 2))
    assert not np.any(contains(X, points, kernel=Gaussian(1.0)))
    assert np.all(contains(X, X[:3], kernel=Gaussian(1.0)))
    squares = Polynomial(degree=1, gamma=1.0, coef0=1.0)
    np.testing.assert_array_equal(contains(X, points, kernel=squares), contains(X, points))


@pytest.mark.parametrize("mu", [None, 0.3])
def test_a_precomputed_matrix_is_as_good_as_its_kernel(mu: float | None) -> None:
    rng = np.random.default_rng(0)
    A, B, kernel = rng.normal(size=(9, 3)), rng.normal(size=(7, 3)) + 1, Gaussian(0.3)
    K = kernel(np.vstack([A, B]))
    found = nearest_points(K[:9], K[9:], kernel="precomputed", mu=mu)
    expected = nearest_points(A, B, kernel=kernel, mu=mu)
    assert found.distance == pytest.approx(expected.distance, rel=1e-9)
    np.testing.assert_allclose(found.coef_b, expected.coef_b, atol=1e-5)
    assert separable(K[:9], K[9:], kernel="precomputed")
    with pytest.raises(ValueError, match="must be symmetric"):
        nearest_points(K[9:], K[:9], kernel="precomputed")


@pytest.mark.parametrize(
    ("points", "options", "match"),
    [
        ([[1.0, 2.0, 3.0]], {}, "points must have the 2 features of X, got 3"),
        ([np.nan, 1.0], {}, "points must be finite"),
        ([1.0, 2.0], {"kernel": "precomputed"}, "kernel must not be precomputed"),
        ([1.0, 2.0], {"mu": 0.1}, "mu=0.1 is too small"),
    ],
)
def test_wrong_arguments_are_named(points: Any, options: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        contains(np.eye(2), points, **options)
