"""What machines for all classes tend to where classes overlap (Rifkin 2002, section 4.2.1).

All rows are at one place, so that class shares are probabilities there, and regularization is
next to nothing: the machine is the minimizer of the expected loss.
"""

from __future__ import annotations

import numpy as np
import pytest

from mercer import RLSC, SVC

# No class has half of the rows in the first two.
SHARES = [(8, 6, 6), (5, 7, 4, 4), (3, 12, 5)]


def rows(shares: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    y = np.repeat(np.arange(len(shares)), shares)
    return np.ones((len(y), 1)), y


@pytest.mark.parametrize("shares", SHARES)
def test_lee_lin_wahba_tends_to_the_most_probable_class(shares: tuple[int, ...]) -> None:
    """Value k - 1 for it and -1 for every other, with margins of 1 and values that sum to 0."""
    X, y = rows(shares)
    machine = SVC(kernel="linear", C=1e4, multiclass="lee-lin-wahba", tol=1e-6).fit(X, y)
    expected = np.full(len(shares), -1.0)
    expected[np.argmax(shares)] = len(shares) - 1.0
    np.testing.assert_allclose(machine.decision_function(X[:1])[0], expected, atol=1e-3)


@pytest.mark.parametrize("shares", SHARES)
def test_the_square_loss_tends_to_the_probabilities(shares: tuple[int, ...]) -> None:
    """2 p - 1 for every class, one against all."""
    X, y = rows(shares)
    values = RLSC(kernel="linear", alpha=1e-8).fit(X, y).decision_function(X[:1])[0]
    np.testing.assert_allclose(values, 2.0 * np.array(shares) / len(y) - 1.0, atol=1e-6)


@pytest.mark.parametrize("shares", SHARES[:2])
def test_the_hinge_one_against_all_says_no_to_every_class_without_a_majority(
    shares: tuple[int, ...],
) -> None:
    X, y = rows(shares)
    machine = SVC(kernel="linear", C=1e4, multiclass="one-vs-all", tol=1e-6).fit(X, y)
    np.testing.assert_allclose(machine.decision_function(X[:1])[0], -1.0, atol=1e-3)
