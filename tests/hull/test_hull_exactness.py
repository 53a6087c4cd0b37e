"""Distances of hulls against rational arithmetic: they lie in [distance - gap, distance]."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hull.hull_reference import exact_square
from mercer.hull import (
    enclosing_ball,
    min_norm_point,
    nearest_points,
    nearest_points_many,
    separable,
)

seeds = st.integers(0, 2**32 - 1)


def holds(distance: float, gap: float, square: Fraction) -> bool:
    """Whether [distance - gap, distance] has the root of ``square``."""
    least = max(Fraction(distance) - Fraction(gap), Fraction(0))
    return least**2 <= square <= Fraction(distance) ** 2


def points_and_segments(rng: np.random.Generator, n: int, d: int) -> tuple[Any, Any]:
    """Ordinary ones, grids, points next to the segment, all far from the origin, a long segment."""
    points, segments = rng.normal(size=(n, 1, d)), rng.normal(size=(n, 2, d))
    kind = np.arange(n) % 5
    segments[kind == 1], points[kind == 1] = (
        np.round(4 * some[kind == 1]) / 4 for some in (segments, points)
    )
    inside = segments.mean(axis=1, keepdims=True)
    near = inside + 10.0 ** -rng.integers(3, 17, (n, 1, 1)) * points
    points[kind == 2] = near[kind == 2]
    segments[kind == 3] += 1e6
    points[kind == 3] += 1e6
    segments[kind == 4, 1] *= 1e8
    return points, segments


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_the_exact_distance_of_point_and_segment_is_within_the_gap(d: int) -> None:
    points, segments = points_and_segments(np.random.default_rng(d), 200, d)
    found = nearest_points_many(points, segments)
    for k in range(len(found)):
        square = exact_square(points[k], segments[k])
        assert bool(found.overlap[k]) == (square == 0)
        assert found.overlap[k] or holds(found.distance[k], found.gap[k], square)
        assert found.gap[k] <= 1e-6 * found.distance[k] or found.overlap[k]


def thin_pair(seed: int) -> tuple[Any, Any]:
    """Points of a grid, some equal or in line, flat along two axes; some turned or moved."""
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 4))
    A, B = (rng.integers(-2, 3, (int(rng.integers(1, 4)), d)) for _ in range(2))
    flat = np.array([1.0, 2.0**-10, 2.0**-30])[:d]
    A, B = A * flat, B * flat
    how = rng.integers(4)
    if how == 1:
        B = B + 10.0 ** -float(rng.integers(1, 17))
    elif how == 2:
        turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
        A, B = A @ turn, B @ turn
    elif how == 3:
        A, B = A + 100.1, B + 100.1
    return A, B


@given(seed=seeds)
@settings(max_examples=150)
def test_thin_hulls_with_ties_are_as_exact_alone_as_among_many(seed: int) -> None:
    A, B = thin_pair(seed)
    square = exact_square(A, B)
    one, many = nearest_points(A, B), nearest_points_many([A], [B])
    assert (one.distance, one.gap) == (many.distance[0], many.gap[0])
    assert one.status == many.status[0] == ("overlap" if square == 0 else "converged")
    assert separable(A, B) == (square > 0)
    assert square == 0 or holds(one.distance, one.gap, square)
    assert square == 0 or one.gap <= 1e-6 * one.distance + 1e-24
    norm = min_norm_point(A)
    assert norm.status == "overlap" or holds(
        norm.norm, norm.gap, exact_square(A, np.zeros((1, A.shape[1])))
    )


@pytest.mark.parametrize("apart", [3.552713678800501e-15, 5e-17, 1e-25])
def test_a_point_next_to_a_segment_of_one_dimension_does_not_overlap_with_it(apart: float) -> None:
    A, B = [[0.0]], [[apart], [1.0 + apart]]
    found = nearest_points(A, B)
    assert (found.distance, found.status) == (apart, "converged")
    assert found.lower_bound > 0.99 * apart
    assert separable(A, B)


@given(seed=seeds, d=st.integers(1, 4))
@settings(max_examples=40)
def test_the_exact_radius_of_two_points_is_within_the_gap(seed: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(2, d)) + 10.0 ** rng.integers(-3, 6)
    ball = enclosing_ball(rows)
    assert holds(ball.radius, ball.gap, exact_square(rows[:1], rows[1:]) / 4)
    assert ball.gap <= 1e-8 * ball.radius


def test_lists_tuples_and_arrays_of_polytopes_are_read_alike() -> None:
    rng = np.random.default_rng(0)
    arrays = [rng.integers(-9, 9, (int(rng.integers(1, 6)), 3)) for _ in range(20)]
    lists = [points.tolist() for points in arrays]
    mixed = [points if k % 2 else points.tolist() for k, points in enumerate(arrays)]
    other = rng.normal(size=(20, 4, 3)) + 9
    expected = nearest_points_many([points.astype(float) for points in arrays], other)
    for A in (arrays, lists, tuple(map(tuple, lists)), mixed, iter(arrays)):
        found = nearest_points_many(A, list(other))
        np.testing.assert_array_equal(found.distance, expected.distance)
