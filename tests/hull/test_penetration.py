"""How deep hulls overlap: as all facets of the differences say, in any unit, thin or flat."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from mercer.hull import nearest_points, penetration_depth, separable

seeds = st.integers(0, 2**32 - 1)
CUBE = np.array(list(product([0.0, 1.0], repeat=3)))
BESIDE = CUBE + np.array([1.0, 0.0, 0.0])


@given(seed=seeds, d=st.integers(2, 4))
@settings(max_examples=30)
def test_the_depth_is_that_of_the_nearest_facet_of_all_differences(seed: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(int(rng.integers(d + 1, 15)), d))
    B = rng.normal(size=(int(rng.integers(d + 1, 15)), d)) + 0.5 * rng.normal(size=d)
    found = penetration_depth(A, B)
    assert (found.status == "separate") == separable(A, B)
    if found.status == "converged":
        facets = ConvexHull((A[:, None] - B).reshape(-1, d)).equations
        assert found.depth == pytest.approx(-facets[:, -1].max(), abs=1e-12)
        assert found.gap <= 1e-12
        assert np.linalg.norm(found.direction) == pytest.approx(1.0)


@given(seed=seeds, d=st.integers(1, 4))
@settings(max_examples=40)
def test_hulls_moved_by_their_depth_touch_though_they_are_thin(seed: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    thin = np.array([1.0, 2.0**-10, 2.0**-30, 1.0])[:d]
    A, B = (thin * rng.normal(size=(int(rng.integers(1, 12)), d)) for _ in range(2))
    found = penetration_depth(A, B)
    if found.status == "separate":
        assert separable(A, B)
        return
    assert found.status == "converged"
    more = found.gap + 1e-12
    assert separable(A + (found.depth + more) * found.direction, B)
    if found.depth > 2 * more:
        assert not separable(A + (found.depth - 2 * more) * found.direction, B)


@pytest.mark.parametrize("unit", [1e-300, 1.0, 1e300])
def test_cubes(unit: float) -> None:
    moved = unit * (CUBE + np.array([0.75, 0.1, 0.0]))
    found = penetration_depth(unit * CUBE, moved)
    assert found.depth / unit == pytest.approx(0.25, rel=1e-14)
    np.testing.assert_allclose(found.direction, [-1, 0, 0], atol=1e-14)
    back = penetration_depth(moved, unit * CUBE)
    assert back.depth / unit == pytest.approx(0.25, rel=1e-14)
    np.testing.assert_allclose(back.direction, [1, 0, 0], atol=1e-14)
    assert penetration_depth(unit * CUBE, unit * CUBE).depth / unit == pytest.approx(1.0)
    inside = penetration_depth(unit * CUBE, unit * np.array([[0.5, 0.5, 0.9]]))
    assert inside.depth / unit == pytest.approx(0.1)


def test_what_touches_or_crosses_in_a_plane_is_not_deep() -> None:
    touching = penetration_depth(CUBE, BESIDE)
    assert (touching.depth, touching.status) == (0.0, "converged")
    crossing = penetration_depth([[0, 0, 0], [1, 1, 1]], [[0, 1, 0], [1, 0, 1]])
    assert (crossing.depth, crossing.status) == (0.0, "converged")
    assert separable(CUBE + 1e-9 * touching.direction, BESIDE)
    same = penetration_depth([[1.0, 2.0]], [[1.0, 2.0]])
    assert (same.depth, same.status) == (0.0, "converged")
    apart = penetration_depth(CUBE, CUBE + 2)
    assert (apart.depth, apart.status, apart.direction.tolist()) == (0.0, "separate", [0, 0, 0])
    assert nearest_points(CUBE, CUBE + 2).distance > 1


@pytest.mark.parametrize(
    ("A", "B", "error", "match"),
    [
        (np.eye(3), np.eye(2), ValueError, "same number of features, got 3 and 2"),
        (np.eye(9), np.eye(9), ValueError, "at most 8 features, got 9"),
        ([[np.nan]], [[1.0]], ValueError, "A must be finite"),
        (np.eye(2), sp.csr_array(np.eye(2)), TypeError, "B must be dense"),
    ],
)
def test_wrong_arguments_are_named(A: Any, B: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        penetration_depth(A, B)
