"""The factor equals the factor from scratch after any sequence of changes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mercer._core import NullSpaceFactor

FloatArray = NDArray[np.float64]


class Shadow:
    """The same free set in plain NumPy: the reference first, then one entry a column."""

    def __init__(self, K: FloatArray) -> None:
        self.K, self.factor, self.members = K, NullSpaceFactor(), []

    def differences(self) -> FloatArray:
        """Z'KZ: inner products of differences to the reference (Sentelle 2014, equation 5.53)."""
        first, rest = self.members[0], self.members[1:]
        K = self.K
        cross = K[np.ix_(rest, rest)] - K[rest, first][:, None] - K[rest, first] + K[first, first]
        return np.asarray(cross)

    def append(self, i: int) -> float:
        self.members.append(i)
        if len(self.members) == 1:
            return np.inf
        column = self.differences()[:, -1]
        pivot = self.factor.append(np.ascontiguousarray(column[:-1]), float(column[-1]))
        if pivot <= 0:
            self.members.pop()
        return pivot

    def remove(self, position: int) -> None:
        if position > 0:
            self.factor.remove(position - 1)
        elif len(self.members) > 1:
            self.factor.remove_reference(0, range(1, self.factor.size))
        self.members.pop(position)


def gram_matrix(seed: int, n: int) -> FloatArray:
    X = np.random.default_rng(seed).normal(size=(n, n + 2))
    return X @ X.T


def error(shadow: Shadow) -> float:
    R, wanted = shadow.factor.matrix(), shadow.differences()
    return float(np.abs(R.T @ R - wanted).max(initial=0.0) / np.abs(wanted).max(initial=1.0))


@given(st.integers(0, 10**6), st.lists(st.integers(0, 10**6), min_size=1, max_size=60))
def test_changes_leave_the_factor_of_the_members(seed: int, changes: list[int]) -> None:
    shadow = Shadow(gram_matrix(seed, 24))
    for change in changes:
        outside = sorted(set(range(24)) - set(shadow.members))
        if shadow.members and (change % 5 < 2 or not outside):
            shadow.remove(change % len(shadow.members))
        else:
            shadow.append(outside[change % len(outside)])
        if not shadow.members:
            continue
        R = shadow.factor.matrix()
        assert (np.diagonal(R) > 0).all()
        assert np.array_equal(R, np.triu(R))
        assert error(shadow) < 1e-13


def test_thousands_of_changes_do_not_add_up() -> None:
    rng, n = np.random.default_rng(0), 80
    shadow = Shadow(gram_matrix(1, n))
    for _ in range(4000):
        outside = sorted(set(range(n)) - set(shadow.members))
        if outside and (len(shadow.members) < 20 or rng.random() < 0.5):
            shadow.append(int(rng.choice(outside)))
        else:
            shadow.remove(int(rng.integers(len(shadow.members))))
    assert error(shadow) < 1e-12


@pytest.mark.parametrize("position", [0, 1, 7, 8, 9, 30])
def test_a_column_can_leave_from_everywhere(position: int) -> None:
    shadow = Shadow(gram_matrix(2, 31))
    for i in range(31):
        shadow.append(i)
    shadow.remove(position)
    assert error(shadow) < 1e-13


def test_the_pivot_is_the_squared_distance_to_the_affine_hull() -> None:
    X = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 3.0], [5.0, 5.0]])
    shadow = Shadow(X @ X.T)
    shadow.append(0)
    assert shadow.append(1) == pytest.approx(4.0)
    assert shadow.append(2) == pytest.approx(9.0)
    # three points span the plane affinely; a fourth depends on them
    assert shadow.append(3) == pytest.approx(0.0, abs=1e-12)


def test_solve_is_the_inverse() -> None:
    shadow = Shadow(gram_matrix(3, 12))
    for i in range(12):
        shadow.append(i)
    x = np.arange(11.0)
    assert shadow.factor.solve(shadow.differences() @ x) == pytest.approx(x, abs=1e-9)


def test_the_condition_shows_nearly_dependent_points() -> None:
    X = np.eye(6)
    X[5] = X[4] + 1e-5 * X[5]
    shadow = Shadow(X @ X.T)
    for i in range(5):
        shadow.append(i)
    before = shadow.factor.condition
    shadow.append(5)
    assert before < 10
    assert shadow.factor.condition > 1e9


@given(st.integers(0, 10**6), st.permutations([0] * 5 + [1] * 6))
def test_two_references_are_replaced_each_by_the_first_of_its_group(
    seed: int, groups: list[int]
) -> None:
    K, group = gram_matrix(seed, 13), np.array(groups)
    members = np.arange(2, 13)

    def differences(reference: FloatArray, rows: FloatArray) -> FloatArray:
        Z = np.eye(13)[rows] - np.eye(13)[reference]
        return np.asarray(Z @ K @ Z.T)

    factor, wanted = NullSpaceFactor(), differences(group, members)
    for a in range(11):
        factor.append(np.ascontiguousarray(wanted[a, :a]), float(wanted[a, a]))
    own = np.flatnonzero(group == 1)
    factor.remove_reference(int(own[0]), own[1:].tolist())
    left = np.delete(np.arange(11), own[0])
    reference = np.where(group == 1, members[own[0]], 0)[left]
    R, wanted = factor.matrix(), differences(reference, members[left])
    assert np.abs(R.T @ R - wanted).max() < 1e-12 * np.abs(wanted).max()
