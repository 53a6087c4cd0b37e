"""Moments of rows seen block by block."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer.least_squares.features import FeatureSolver
from mercer.least_squares.moments import Moments


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), cuts=st.lists(st.integers(0, 30), max_size=4))
def test_moments_do_not_depend_on_the_blocks(seed, cuts):
    rng = np.random.default_rng(seed)
    features = np.asfortranarray(rng.normal(size=(30, 3)) + 1e6)
    targets, weight = rng.normal(size=(30, 2)) + 1e3, rng.choice([0.0, 1.0, 2.5], 30)
    weight[0] = 1.0
    whole, parts = Moments(3, 2, True), Moments(3, 2, True)
    whole.add(features.copy(order="F"), targets, weight)
    ends = [0, *sorted(cuts), 30]
    for start, end in pairwise(ends):
        parts.add(features[start:end].copy(order="F"), targets[start:end], weight[start:end])
    # a block is centred on its own: an offset of 1e6 costs no digits
    np.testing.assert_allclose(np.tril(parts.inner), np.tril(whole.inner), rtol=1e-8, atol=1e-7)
    np.testing.assert_allclose(parts.cross, whole.cross, rtol=1e-8, atol=1e-7)
    np.testing.assert_allclose(parts.square, whole.square, rtol=1e-9)
    theta, _ = FeatureSolver(parts, 0.5).solve(0.5)
    centred = features - weight @ features / weight.sum()
    y = targets - weight @ targets / weight.sum()
    expected = np.linalg.solve(
        centred.T @ (weight[:, None] * centred) + 0.5 * np.eye(3),
        centred.T @ (weight[:, None] * y),
    )
    np.testing.assert_allclose(theta, expected, rtol=1e-6, atol=1e-8)
