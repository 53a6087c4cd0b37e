"""The factor of the positions free while they change: laws against fresh solves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer import _core


def gaussian(rng, n, gamma, copies=0):
    X = rng.normal(size=(n, 4))
    if copies:
        X[-copies:] = X[:copies]
    return np.exp(-gamma * ((X[:, None] - X[None]) ** 2).sum(-1))


def walk(rng, n, size, n_sets, moved):
    """Sets of which each differs from the one before by some that left and some that entered."""
    free = rng.random(n) < size
    out = []
    for _ in range(n_sets):
        out.append(np.flatnonzero(free).tolist())
        flips = rng.permutation(n)[: rng.integers(0, moved + 1)]
        free[flips] ^= True
    return out


def residuals(H, proximal, sets, b, dtype):
    """What is left of b_F, beside the sizes of the terms it is made of."""
    stored = H.astype(dtype)
    for free, x in zip(sets, _core.solve_free(stored, proximal, sets, b), strict=True):
        part = stored[np.ix_(free, free)].astype(float) + proximal * np.eye(len(free))
        assert len(x) == len(free)
        size = np.abs(part) @ np.abs(x) + np.abs(b[free])
        yield np.abs(part @ x - b[free]).max(initial=0.0) / size.max(initial=1e-300)


@settings(deadline=None, max_examples=100)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 150),
    size=st.sampled_from([0.1, 0.5, 0.95]),
    moved=st.sampled_from([1, 5, 15]),
    gamma=st.sampled_from([0.001, 0.1, 3.0]),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_sets_that_come_and_go_are_solved_as_if_factorized_anew(seed, n, size, moved, gamma, dtype):
    """Backward stable, whatever the condition, copies included."""
    rng = np.random.default_rng(seed)
    H = gaussian(rng, n, gamma, copies=n // 5)
    epsilon = float(np.finfo(dtype).eps)
    sets = walk(rng, n, size, 12, moved)
    for residual in residuals(H, 4 * n * epsilon, sets, H @ rng.normal(size=n), dtype):
        assert residual <= 100 * epsilon


def worst_residual():
    """Of sets of hundreds, where rows are appended and solved in whole vectors and what is left."""
    rng = np.random.default_rng(1)
    H, worst = gaussian(rng, 401, 0.01), 0.0
    for dtype in (np.float32, np.float64):
        epsilon = float(np.finfo(dtype).eps)
        sets = walk(rng, 401, 0.8, 25, 31)
        found = residuals(H, 400 * epsilon, sets, H @ rng.normal(size=401), dtype)
        worst = max(worst, max(found) / epsilon)
    return worst


def test_large_sets_are_solved():
    """On every instruction set: test_instruction_sets.py."""
    assert worst_residual() <= 100


def test_a_matrix_that_is_not_positive_is_told_and_left_behind():
    H = np.eye(8)
    H[2, 5] = H[5, 2] = 2.0
    b = np.arange(8.0)
    sets = [[0, 1, 2], [0, 1, 2, 5], [0, 1, 5], [5]]
    first, none, third, last = _core.solve_free(H, 0.0, sets, b)
    assert none == []
    assert first == pytest.approx(b[[0, 1, 2]])
    assert third == pytest.approx(b[[0, 1, 5]])
    assert last == pytest.approx(b[[5]])


def test_positions_out_of_range_are_refused():
    with pytest.raises(IndexError):
        _core.solve_free(np.eye(3), 0.0, [[3]], np.zeros(3))
