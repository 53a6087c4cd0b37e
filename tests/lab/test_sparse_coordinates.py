"""Sparse coordinates: number of ones, and the Bayes error against enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer.lab import SparseCoordinates, make_sparse_coordinates


@st.composite
def distributions(draw):
    n_informative, n_noise = draw(st.integers(1, 3)), draw(st.integers(0, 4))
    n_ones = draw(st.integers(1, 2 * n_informative + n_noise))
    return SparseCoordinates(n_informative=n_informative, n_noise=n_noise, n_ones=n_ones)


def class_probabilities(distribution, ones):
    """P(x | +1), P(x | -1) by walking through the draw: telling coordinate, then the rest."""
    n, features = distribution.n_informative, distribution.n_features
    rest = len(list(combinations(range(features - 1), distribution.n_ones - 1)))
    blocks = (range(n), range(n, 2 * n))
    return [sum(i in block for i in ones) / n / rest for block in blocks]


@pytest.mark.parametrize(("n_ones", "error"), [(3, 144 / 1026), (5, 5262 / 23256)])
def test_published_bayes_errors(n_ones, error):
    assert SparseCoordinates(n_ones=n_ones).bayes_error() == pytest.approx(error, abs=1e-15)
    assert round(error, 5) in (0.14035, 0.22626)


@settings(deadline=None, max_examples=40)
@given(distributions())
def test_bayes_error_and_rule_equal_enumeration(distribution):
    error, total = 0.0, 0.0
    for ones in combinations(range(distribution.n_features), distribution.n_ones):
        positive, negative = class_probabilities(distribution, ones)
        error += min(positive, negative) / 2.0
        total += (positive + negative) / 2.0
        row = np.zeros((1, distribution.n_features))
        row[0, list(ones)] = 1.0
        assert distribution.bayes_rule(row)[0] == (1 if positive > negative else -1)
    assert total == pytest.approx(1.0)
    assert distribution.bayes_error() == pytest.approx(error, abs=1e-14)


@settings(deadline=None, max_examples=40)
@given(distributions(), st.integers(0, 2**32 - 1))
def test_every_row_has_its_ones_and_one_in_its_block(distribution, seed):
    X, y = distribution.sample(50, seed)
    n = distribution.n_informative
    assert X.shape == (50, distribution.n_features)
    assert set(np.unique(X)) <= {0.0, 1.0}
    assert (X.sum(axis=1) == distribution.n_ones).all()
    block = np.where((y == 1)[:, np.newaxis], X[:, :n], X[:, n : 2 * n])
    assert (block.sum(axis=1) >= 1).all()


def test_frequencies_of_coordinates():
    """A coordinate of the own block is one with probability 1/3 + 2/3 * 2/19, others 2/19."""
    X, y = make_sparse_coordinates(100_000, random_state=0)
    other = 2.0 / 19.0
    expected = np.full(20, other)
    expected[:3] = 1.0 / 3.0 + 2.0 / 3.0 * other
    positive = X[y == 1]
    sigma = np.sqrt(expected * (1.0 - expected) / len(positive))
    assert (np.abs(positive.mean(axis=0) - expected) < 4.5 * sigma).all()


def test_rows_that_tell_nothing_are_ties():
    assert SparseCoordinates().log_odds(np.zeros((1, 20)))[0] == 0.0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n_informative": 0}, ValueError, "n_informative must be an integer >= 1, got 0"),
        ({"n_noise": -1}, ValueError, "n_noise must be an integer >= 0, got -1"),
        ({"n_ones": 21}, ValueError, r"n_ones must be an integer in \[1, 20\], got 21"),
        ({"n_ones": 0}, ValueError, r"n_ones must be an integer in \[1, 20\], got 0"),
        ({"n_ones": 2.5}, TypeError, r"n_ones must be an integer in \[1, 20\], got 2.5"),
    ],
)
def test_bad_arguments_are_named(arguments, error, message):
    with pytest.raises(error, match=message):
        make_sparse_coordinates(10, **arguments)
