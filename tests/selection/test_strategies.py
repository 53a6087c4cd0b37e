"""Strategies on distributions whose Bayes error is known (Glasmachers 2008, section 12.2)."""

from __future__ import annotations

from mercer import TunedSVC
from mercer.kernels import Gaussian
from mercer.lab import make_chessboard, make_sparse_coordinates

BAYES = 0.1404


def test_the_posterior_comes_close_to_the_bayes_error_of_sparse_coordinates() -> None:
    X, y = make_sparse_coordinates(200, n_ones=3, random_state=0)
    machine = TunedSVC(
        kernel=Gaussian(metric="diagonal"), objective="posterior", max_evals=300, random_state=0
    ).fit(X, y)
    error = 1.0 - machine.score(*make_sparse_coordinates(20_000, n_ones=3, random_state=10_000))
    assert error - BAYES < 0.02


def test_the_likelihood_beats_the_span_bound_on_the_chess_board() -> None:
    X, y = make_chessboard(200, random_state=0)
    errors = {}
    for objective, evals in (("likelihood", 150), ("span_like", 6)):
        machine = TunedSVC(objective=objective, max_evals=evals, random_state=0).fit(X, y)
        errors[objective] = 1.0 - machine.score(*make_chessboard(5000, random_state=10_000))
    assert errors["likelihood"] < errors["span_like"] - 0.2


def test_the_posterior_of_a_chess_board_does_not_end_where_all_rows_are_at_a_bound():
    """There the likelihood does not depend on C, and the prior alone led C to its lower end."""
    X, y = make_chessboard(200, random_state=3)
    X_test, y_test = make_chessboard(2000, random_state=4)
    machine = TunedSVC(objective="posterior", max_evals=100, random_state=3).fit(X, y)
    assert machine.score(X_test, y_test) > 0.85
    assert len(machine.history_) == 2
