"""Many pairs of polytopes at once: as each pair alone, from any start, with any threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer.hull import NearestPointsMany, nearest_points, nearest_points_many

seeds = st.integers(0, 2**32 - 1)


def polytopes(seed: int, n: int, d: int, apart: float = 2.0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [
        rng.normal(size=(int(rng.integers(1, 20)), d)) + apart * rng.normal(size=d)
        for _ in range(n)
    ]


@given(seed=seeds, d=st.integers(1, 5))
@settings(max_examples=20)
def test_each_pair_is_as_if_it_were_alone(seed: int, d: int) -> None:
    A, B = polytopes(seed, 12, d), polytopes(seed + 1, 12, d)
    many = nearest_points_many(A, B)
    for k in range(12):
        one = nearest_points(A[k], B[k])
        assert many.distance[k] == pytest.approx(one.distance, rel=1e-12, abs=1e-13)
        assert bool(many.overlap[k]) == (one.status == "overlap")
        assert many.status[k] == one.status
        np.testing.assert_allclose(many.direction[k], one.direction, atol=1e-9)
        assert many.offset[k] == pytest.approx(one.offset, abs=1e-9)
        used = many.vertex_a[k] >= 0
        np.testing.assert_allclose(
            many.weight[k, used] @ A[k][many.vertex_a[k, used]], many.point_a[k], atol=1e-12
        )
        np.testing.assert_allclose(
            many.weight[k, used] @ B[k][many.vertex_b[k, used]], many.point_b[k], atol=1e-12
        )


def test_arrays_lists_and_pairs_mean_the_same() -> None:
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(4, 9, 3)) + 3, rng.normal(size=(5, 7, 3))
    every = np.array([(i, j) for i in range(4) for j in range(5)])
    crossed = nearest_points_many(A, B, pairs=every)
    assert len(crossed) == 20
    plain = nearest_points_many(list(A[every[:, 0]]), list(B[every[:, 1]]))
    np.testing.assert_array_equal(crossed.distance, plain.distance)
    np.testing.assert_array_equal(crossed.point_a, plain.point_a)


def test_the_number_of_threads_changes_no_bit() -> None:
    A, B = polytopes(1, 2000, 3), polytopes(2, 2000, 3)
    one, four = (nearest_points_many(A, B, n_threads=n) for n in (1, 4))
    for name in ("distance", "gap", "point_a", "weight", "vertex_b", "n_iter"):
        assert getattr(one, name).tobytes() == getattr(four, name).tobytes()


def test_a_start_from_the_last_frame_gives_the_same_answer_sooner() -> None:
    rng = np.random.default_rng(3)
    A, B = rng.normal(size=(300, 30, 3)) + 3, rng.normal(size=(300, 30, 3))
    last = nearest_points_many(A, B)
    for frame in range(5):
        A = A + 0.01 * rng.normal(size=(300, 1, 3))
        cold, warm = nearest_points_many(A, B), nearest_points_many(A, B, start=last)
        np.testing.assert_allclose(warm.distance, cold.distance, atol=1e-13, err_msg=str(frame))
        assert warm.n_iter.sum() < 0.4 * cold.n_iter.sum()
        last = warm


def test_a_start_that_has_nothing_to_do_with_the_pair_does_no_harm() -> None:
    A, B = polytopes(5, 200, 3), polytopes(6, 200, 3)
    cold = nearest_points_many(A, B)
    other = nearest_points_many(polytopes(7, 200, 3), polytopes(8, 200, 3))
    warm = nearest_points_many(A, B, start=other)
    np.testing.assert_allclose(warm.distance, cold.distance, atol=1e-13)


@given(seed=seeds)
@settings(max_examples=30)
def test_flat_and_repeated_polytopes_end_with_a_certificate(seed: int) -> None:
    """Grids, copies and coplanar points, where simplices degenerate."""
    rng, aside = np.random.default_rng(seed), np.array([3.0, 0.0, 0.0])
    shapes = [rng.integers(-2, 3, (int(rng.integers(1, 30)), 3)).astype(float) for _ in range(40)]
    for shape in shapes[::3]:
        shape[:, 2] = 0.0
    many = nearest_points_many(shapes[:20], [s + aside for s in shapes[20:]])
    assert (many.gap <= 1e-13).all()
    for k in range(20):
        if many.overlap[k]:
            continue
        normal = many.direction[k]
        width = (shapes[k] @ normal).min() - ((shapes[20 + k] + aside) @ normal).max()
        assert width == pytest.approx(many.distance[k], abs=1e-13)


def test_no_pairs_are_no_error() -> None:
    found = nearest_points_many(np.ones((1, 4, 3)), np.ones((1, 4, 3)), pairs=np.empty((0, 2), int))
    assert isinstance(found, NearestPointsMany)
    assert len(found) == 0
    assert len(nearest_points_many(np.ones((1, 4, 3)), np.ones((1, 4, 3)), pairs=[])) == 0


@pytest.mark.parametrize(
    ("A", "B", "options", "match"),
    [
        ([], [np.eye(3)], {}, "A must hold at least one polytope"),
        ([np.eye(3)], [np.eye(3), np.eye(3)], {}, "equally many polytopes"),
        ([np.eye(3)], [np.eye(2)], {}, "same number of features, got 3 and 2"),
        ([np.eye(3), np.eye(2)], [np.eye(3)] * 2, {}, r"A\[1\] has 2 features"),
        ([np.empty((0, 3))], [np.eye(3)], {}, r"A\[0\] must have shape"),
        (np.ones((2, 3)), np.ones((2, 3)), {}, "A must have shape"),
        ([np.eye(3), [[np.nan, 0, 0]]], [np.eye(3)] * 2, {}, r"infinity in A\[1\]"),
        ([np.eye(3)], [np.eye(3)], {"pairs": [[0, 1]]}, r"pairs\[:, 1\] must lie in 0..0"),
        ([np.eye(3)], [np.eye(3)], {"pairs": [[0.5, 0.0]]}, "pairs must be integers"),
        ([np.eye(3)], [np.eye(3)], {"tol": -1.0}, "tol must be"),
        ([np.eye(3) + 1j], [np.eye(3)], {}, r"A\[0\] must hold real numbers"),
        (np.ones((1, 3, 3)) + 1j, [np.eye(3)], {}, "A must hold real numbers"),
    ],
)
def test_wrong_arguments_are_named(A: Any, B: Any, options: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        nearest_points_many(A, B, **options)


@pytest.mark.parametrize(
    ("A", "options", "match"),
    [
        (None, {}, "A must be an array or a sequence of arrays, got NoneType"),
        ("ab", {}, "A must be an array or a sequence of arrays, got str"),
        ([sp.csr_array(np.eye(3))], {}, r"A\[0\] must be dense"),
        ([np.eye(3)], {"tol": "x"}, "tol must be None or a real number"),
        ([np.eye(3)], {"n_threads": 1.5}, "n_threads must be an integer"),
    ],
)
def test_wrong_types_are_named(A: Any, options: Any, match: str) -> None:
    with pytest.raises(TypeError, match=match):
        nearest_points_many(A, [np.eye(3)], **options)


def test_a_start_of_other_pairs_is_refused() -> None:
    found = nearest_points_many([np.eye(3)] * 2, [np.eye(3) + 1] * 2)
    with pytest.raises(ValueError, match="start must be the result for 1 pairs"):
        nearest_points_many([np.eye(3)], [np.eye(3)], start=found)
    with pytest.raises(TypeError, match="start must be a NearestPointsMany"):
        nearest_points_many([np.eye(3)], [np.eye(3)], start=found.distance)  # type: ignore[arg-type]


@pytest.mark.parametrize("flat", [2.0**-10, 2.0**-30])
def test_flat_polytopes_meet_where_those_of_full_height_do(flat: float) -> None:
    """A change of scale along one axis takes hulls apart as little as it joins them."""
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(500, 9, 3)), rng.normal(size=(500, 9, 3))
    B[:, :, 0] += rng.uniform(0, 4, (500, 1))
    factor = np.array([1.0, 1.0, flat])
    whole, low = nearest_points_many(A, B), nearest_points_many(factor * A, factor * B)
    assert 0.2 < whole.overlap.mean() < 0.8
    np.testing.assert_array_equal(whole.overlap, low.overlap)
    assert (low.gap <= 2e-14).all()
    # the slab between them is as wide as they are apart, though that may be next to nothing
    apart = ~low.overlap
    normal = low.direction[apart, :, None]
    width = ((factor * A)[apart] @ normal).min(axis=1) - ((factor * B)[apart] @ normal).max(axis=1)
    np.testing.assert_allclose(width[:, 0], low.distance[apart], atol=2e-15)


def test_pairs_of_any_size_have_their_own_unit() -> None:
    """Squares of some would vanish, of others overflow; the pair at 1 is not changed by them."""
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(20, 3)) + 4, rng.normal(size=(20, 3))
    sizes = np.array([1e-300, 1e-200, 1e-160, 1.0, 1e160, 1e200, 1e300])
    one = nearest_points_many([A], [B])
    cold = nearest_points_many([s * A for s in sizes], [s * B for s in sizes])
    warm = nearest_points_many([s * A for s in sizes], [s * B for s in sizes], start=cold)
    for found in (cold, warm):
        assert not found.overlap.any()
        np.testing.assert_allclose(found.distance / sizes, one.distance[0], rtol=1e-12)
        assert (found.gap / sizes <= 1e-13).all()
        for pair, size in enumerate(sizes):
            np.testing.assert_allclose(found.point_a[pair] / size, one.point_a[0], rtol=1e-9)
            np.testing.assert_allclose(found.direction[pair], one.direction[0], rtol=1e-9)
    assert cold.distance[3] == one.distance[0]
    tiny = nearest_points_many([np.zeros((1, 2))], [[[5e-324, 0.0]]])
    assert (tiny.distance[0], tiny.status[0]) == (5e-324, "converged")
