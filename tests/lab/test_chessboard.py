"""The chess board: label rule, noise and distortion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer.lab import Chessboard, make_chessboard, random_distortion

seeds = st.integers(0, 2**32 - 1)


def test_label_rule():
    board = Chessboard()
    corners = [[0.0, 0.0], [1.0, 0.0], [0.5, 1.5], [1.5, 1.5], [3.9, 3.9], [3.9, 2.9]]
    np.testing.assert_array_equal(board.bayes_rule(corners), [1, -1, -1, 1, 1, -1])


@settings(deadline=None, max_examples=30)
@given(size=st.integers(2, 9), n_features=st.integers(1, 4), seed=seeds)
def test_rows_lie_on_the_board_and_follow_the_rule(size, n_features, seed):
    X, y = make_chessboard(200, size=size, n_features=n_features, random_state=seed)
    assert X.shape == (200, n_features)
    assert X.min() >= 0.0
    assert X.max() < size
    np.testing.assert_array_equal(y, (-1) ** np.floor(X).sum(axis=1).astype(int))


@settings(deadline=None, max_examples=30)
@given(n_features=st.integers(2, 5), seed=seeds)
def test_random_distortion_stretches_by_three_and_keeps_volume(n_features, seed):
    B = random_distortion(n_features, random_state=seed)
    np.testing.assert_allclose(B, B.T, atol=1e-14)
    stretch = np.linalg.eigvalsh(B)
    np.testing.assert_allclose([stretch[0], stretch[-1], stretch.prod()], [1 / 3, 3, 1], rtol=1e-12)


@settings(deadline=None, max_examples=30)
@given(n_features=st.integers(2, 4), seed=seeds)
def test_distortion_is_undone_by_its_inverse(n_features, seed):
    X, y, B = make_chessboard(
        100, n_features=n_features, distortion="random", random_state=seed, return_distortion=True
    )
    board = X @ np.linalg.inv(B).T
    assert board.min() > -1e-12
    assert board.max() < 4.0 + 1e-12
    rule = Chessboard(n_features=n_features, distortion=B).bayes_rule(X)
    np.testing.assert_array_equal(rule, y)


def test_random_distortion_has_no_preferred_direction():
    """E[B] is a multiple of the identity when D is Haar distributed."""
    random = np.random.default_rng(0)
    mean = np.mean([random_distortion(random_state=random) for _ in range(2000)], axis=0)
    # The entries of B vary by +-4/3 about their means.
    np.testing.assert_allclose(mean, 5.0 / 3.0 * np.eye(2), atol=4.0 * 4.0 / 3.0 / np.sqrt(2000))


def test_given_distortion_is_applied_and_returned():
    B = np.array([[1.0, 2.0], [0.0, 1.0]])
    X, y = make_chessboard(30, random_state=1)
    X_bent, y_bent, B_used = make_chessboard(
        30, distortion=B, random_state=1, return_distortion=True
    )
    np.testing.assert_allclose(X_bent, X @ B.T)
    np.testing.assert_array_equal(y, y_bent)
    np.testing.assert_array_equal(B_used, B)
    assert B_used.flags.writeable


def test_no_distortion_is_returned_as_identity():
    *_, B = make_chessboard(5, random_state=1, return_distortion=True)
    np.testing.assert_array_equal(B, np.eye(2))


def test_noise_flips_half_of_its_share_and_leaves_the_rows():
    X, y = make_chessboard(100_000, random_state=0)
    X_noisy, y_noisy = make_chessboard(100_000, noise=0.2, random_state=0)
    np.testing.assert_array_equal(X, X_noisy)
    assert abs(np.mean(y != y_noisy) - 0.1) < 4.0 * np.sqrt(0.1 * 0.9 / 100_000)


@pytest.mark.parametrize(("noise", "log_odds"), [(0.0, np.inf), (1.0, 0.0), (0.5, np.log(3.0))])
def test_log_odds_of_a_white_field(noise, log_odds):
    np.testing.assert_allclose(Chessboard(noise=noise).log_odds([[0.5, 0.5]]), [log_odds])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"size": 1}, ValueError, "size must be an integer >= 2, got 1"),
        ({"size": 4.0}, TypeError, "size must be an integer >= 2, got 4.0"),
        ({"n_features": 0}, ValueError, "n_features must be an integer >= 1, got 0"),
        ({"noise": 1.1}, ValueError, r"noise must be a number in \[0, 1\], got 1.1"),
        ({"noise": float("nan")}, ValueError, r"noise must be .*, got nan"),
        ({"noise": "much"}, TypeError, "noise must be .*, got 'much'"),
        ({"distortion": "bent"}, ValueError, "distortion must be None, 'random' .* got 'bent'"),
        ({"distortion": np.eye(3)}, ValueError, r"shape \(2, 2\), got \(3, 3\)"),
        ({"distortion": np.ones((2, 2))}, ValueError, "distortion must be .* invertible"),
        ({"distortion": np.full((2, 2), np.inf)}, ValueError, "distortion must be a finite"),
        ({"distortion": "random", "n_features": 1}, ValueError, "n_features must be .* >= 2"),
    ],
)
def test_bad_arguments_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        make_chessboard(10, **arguments)


def test_a_board_itself_takes_no_random_distortion():
    with pytest.raises(TypeError, match="distortion must be None or a matrix, got 'random'"):
        Chessboard(distortion="random")


def test_later_changes_of_the_matrix_do_not_reach_the_board():
    B = np.eye(2)
    board = Chessboard(distortion=B)
    B[:] = 0.0
    np.testing.assert_array_equal(board.distortion, np.eye(2))
