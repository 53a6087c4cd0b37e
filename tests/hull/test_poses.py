"""Polytopes with a pose are those whose vertices were moved."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from hull.hull_reference import exact_square
from mercer.hull import nearest_points_many


def poses(rng: np.random.Generator, n: int, d: int) -> tuple[Any, Any]:
    return np.linalg.qr(rng.normal(size=(n, d, d)))[0], 3 * rng.normal(size=(n, d))


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_a_pose_is_as_good_as_moved_vertices(d: int) -> None:
    rng = np.random.default_rng(d)
    A, B = rng.normal(size=(300, 9, d)), rng.normal(size=(300, 7, d))
    here, there = poses(rng, 300, d), poses(rng, 300, d)
    found = nearest_points_many(A, B, pose_a=here, pose_b=there)
    moved = [
        np.einsum("kij,knj->kni", rotation, points) + translation[:, None]
        for points, (rotation, translation) in ((A, here), (B, there))
    ]
    expected = nearest_points_many(*moved)
    np.testing.assert_allclose(found.distance, expected.distance, atol=1e-13)
    np.testing.assert_allclose(found.point_a, expected.point_a, atol=1e-9)
    np.testing.assert_allclose(found.direction, expected.direction, atol=1e-9)
    assert (found.gap <= 1e-12).all()
    one_side = nearest_points_many(A, moved[1], pose_a=here)
    np.testing.assert_allclose(one_side.distance, expected.distance, atol=1e-13)


def test_the_exact_distance_of_turned_polytopes_is_within_the_gap() -> None:
    """Also where they nearly touch: the rotation is the matrix of doubles that is given."""
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(60, 3, 2)), rng.normal(size=(60, 2, 2))
    rotation, translation = poses(rng, 60, 2)
    touching = np.einsum("kij,kj->ki", rotation, A[:, 0]) + translation
    B[::2] = touching[::2, None] + 10.0 ** -rng.integers(8, 17, (30, 1, 1)) * B[::2]
    found = nearest_points_many(A, B, pose_a=(rotation, translation))
    for k in range(60):
        turned = [
            [_by_wolfe(row, shift, point) for row, shift in zip(*place, strict=True)]
            for point in A[k]
            for place in [(rotation[k], translation[k])]
        ]
        square = exact_square(turned, B[k])
        assert bool(found.overlap[k]) == (square == 0)
        low = max(Fraction(found.distance[k]) - Fraction(found.gap[k]), Fraction(0))
        assert found.overlap[k] or low**2 <= square <= Fraction(found.distance[k]) ** 2


def _by_wolfe(row: Any, shift: float, point: Any) -> Fraction:
    products = (Fraction(x) * Fraction(z) for x, z in zip(row, point, strict=True))
    return sum(products, Fraction(shift))


def test_rotations_of_scipy_and_parts_of_a_pose_are_taken() -> None:
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(20, 8, 3)), rng.normal(size=(20, 8, 3)) + 5
    turn = Rotation.from_rotvec(rng.normal(size=(20, 3)))
    by_matrix = nearest_points_many(A, B, pose_a=(turn.as_matrix(), np.zeros((20, 3))))
    by_object = nearest_points_many(A, B, pose_a=(turn, None))
    np.testing.assert_array_equal(by_matrix.distance, by_object.distance)
    moved = nearest_points_many(A, B, pose_b=(None, np.ones((20, 3))))
    np.testing.assert_allclose(moved.distance, nearest_points_many(A, B + 1).distance, rtol=1e-12)


def test_the_last_frame_starts_the_next_one() -> None:
    rng = np.random.default_rng(3)
    A, B = rng.normal(size=(100, 30, 3)), rng.normal(size=(100, 30, 3))
    place = 3 + rng.normal(size=(100, 3))
    last = nearest_points_many(A, B, pose_a=(None, place))
    place = place + 0.01 * rng.normal(size=(100, 3))
    cold = nearest_points_many(A, B, pose_a=(None, place))
    warm = nearest_points_many(A, B, pose_a=(None, place), start=last)
    np.testing.assert_allclose(warm.distance, cold.distance, atol=1e-13)
    assert warm.n_iter.sum() < 0.5 * cold.n_iter.sum()


@pytest.mark.parametrize(
    ("pose", "error", "match"),
    [
        (np.eye(3), TypeError, r"pose_a must be a tuple \(rotation, translation\), got ndarray"),
        ((np.eye(3), None), ValueError, r"the rotation of pose_a must have shape \(2, 3, 3\)"),
        (
            (None, np.ones((3, 3))),
            ValueError,
            r"translation of pose_a must have shape \(2, 3\)",
        ),
        ((None, np.full((2, 3), np.nan)), ValueError, "the translation of pose_a must be finite"),
        (("ab", None), ValueError, "the rotation of pose_a must be an array of numbers"),
    ],
)
def test_wrong_poses_are_named(pose: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        nearest_points_many([np.eye(3)] * 2, [np.eye(3)] * 2, pose_a=pose)
