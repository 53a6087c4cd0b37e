"""Twonorm and ringnorm against the densities that define them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chi2, multivariate_normal, norm

from mercer.lab import Ringnorm, Twonorm, make_ringnorm, make_twonorm


@pytest.mark.parametrize("d", [1, 2, 20])
def test_log_odds_are_the_ratio_of_the_densities(d):
    X = 3.0 * np.random.default_rng(0).standard_normal((40, d))
    mean = np.full(d, 2.0 / np.sqrt(d))
    plus, minus = multivariate_normal(mean).logpdf(X), multivariate_normal(-mean).logpdf(X)
    np.testing.assert_allclose(Twonorm(n_features=d).log_odds(X), plus - minus, atol=1e-9)
    wide = multivariate_normal(np.zeros(d), 4.0 * np.eye(d)).logpdf(X)
    np.testing.assert_allclose(Ringnorm(n_features=d).log_odds(X), wide - plus, atol=1e-9)


@pytest.mark.parametrize("d", [1, 5, 20])
def test_twonorm_bayes_error_does_not_depend_on_dimension(d):
    assert Twonorm(n_features=d).bayes_error() == pytest.approx(0.0227501319481792, abs=1e-15)


def test_ringnorm_bayes_error_in_one_dimension():
    """On the line the Bayes error is an integral of the smaller density."""

    def smaller(x):
        return min(norm.pdf(x, 0.0, 2.0), norm.pdf(x, 2.0, 1.0)) / 2.0

    root = np.sqrt(16.0 / 9.0 + 8.0 / 3.0 * np.log(2.0))
    edges = [-30.0, 8.0 / 3.0 - root, 8.0 / 3.0 + root, 30.0]
    error = sum(quad(smaller, low, high, epsabs=1e-13)[0] for low, high in pairwise(edges))
    assert Ringnorm(n_features=1).bayes_error() == pytest.approx(error, abs=1e-11)


def test_ringnorm_bayes_error_by_slices():
    """In 20 dimensions: the ball cut across its axis, a normal times a central chi-square."""
    centre, square = 8.0 / 3.0, 16.0 / 9.0 + 8.0 / 3.0 * 20 * np.log(2.0)

    def inside(mean, width):
        def slice_mass(x):
            return norm.pdf(x, mean, width) * chi2.cdf((square - (x - centre) ** 2) / width**2, 19)

        reach = np.sqrt(square)
        return quad(slice_mass, centre - reach, centre + reach, epsabs=1e-12)[0]

    error = (inside(0.0, 2.0) + 1.0 - inside(2.0, 1.0)) / 2.0
    assert Ringnorm().bayes_error() == pytest.approx(error, abs=1e-9)


@pytest.mark.parametrize("make", [make_twonorm, make_ringnorm])
def test_class_means_and_widths(make):
    X, y = make(100_000, random_state=0)
    a = 2.0 / np.sqrt(20.0)
    ring = make is make_ringnorm
    for label, mean, width in ((1, 0.0 if ring else a, 2.0 if ring else 1.0), (-1, a, 1.0)):
        expected = mean if ring or label == 1 else -a
        rows = X[y == label]
        tolerance = 5.0 * width / np.sqrt(len(rows))
        np.testing.assert_allclose(rows.mean(axis=0), expected, atol=tolerance)
        np.testing.assert_allclose(rows.std(axis=0), width, atol=tolerance)


@pytest.mark.parametrize("make", [make_twonorm, make_ringnorm])
def test_dimension_is_checked(make):
    assert make(7, n_features=3, random_state=0)[0].shape == (7, 3)
    with pytest.raises(ValueError, match="n_features must be an integer >= 1, got 0"):
        make(10, n_features=0)
