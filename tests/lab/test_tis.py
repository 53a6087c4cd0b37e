"""Synthetic translation starts: form of the windows, and the Bayes rule."""

from __future__ import annotations

import numpy as np
import pytest

from mercer.lab import TranslationStarts, make_tis


def brute_odds(window, conservation):
    """P(x | +1) / P(x | -1), position by position for each spacing."""
    total = 0.0
    for spacing in range(5, 10):
        start = 32 - spacing - 6
        agree = [a == b for a, b in zip(window[start : start + 6], "AGGAGG", strict=True)]
        total += np.prod([4 * conservation if a else 4 * (1 - conservation) / 3 for a in agree])
    return total / 5.0


def test_windows_are_fifty_letters_with_a_codon():
    X, _ = make_tis(5000, random_state=0)
    assert set("".join(X)) == set("ACGT")
    assert {len(window) for window in X} == {50}
    codons, counts = np.unique([window[32:35] for window in X], return_counts=True)
    assert list(codons) == ["ATG", "GTG", "TTG"]
    np.testing.assert_allclose(counts / 5000, [0.83, 0.14, 0.03], atol=0.025)


def test_conserved_motif_stands_before_the_codon_of_every_positive():
    X, y = make_tis(3000, conservation=1.0, random_state=0)
    has_motif = np.array(["AGGAGG" in window[17:27] for window in X])
    assert has_motif[y == 1].all()
    assert has_motif[y == -1].mean() < 0.01
    spacing = [32 - 6 - window.index("AGGAGG", 17) for window in X[y == 1]]
    assert set(spacing) == {5, 6, 7, 8, 9}


def test_background_is_uniform():
    X, _ = make_tis(20_000, random_state=0)
    letters = np.array([list(window[:17] + window[35:]) for window in X])
    for letter in "ACGT":
        share = (letters == letter).mean(axis=0)
        assert (np.abs(share - 0.25) < 4.5 * np.sqrt(0.25 * 0.75 / 20_000)).all()


@pytest.mark.parametrize("conservation", [0.25, 0.6, 0.9])
def test_log_odds_are_the_ratio_of_the_probabilities(conservation):
    X, _ = make_tis(200, conservation=conservation, random_state=0)
    expected = np.log([brute_odds(window, conservation) for window in X])
    odds = TranslationStarts(conservation=conservation).log_odds(X)
    np.testing.assert_allclose(odds, expected, atol=1e-12)


def test_bayes_error_of_a_conserved_motif():
    """Errors are chance motifs: 5 places, less the two overlaps AGGAGGAGG counted twice."""
    error = (5 / 4**6 - 2 / 4**9) / 2
    assert TranslationStarts(conservation=1.0).bayes_error() == pytest.approx(error, abs=1e-15)


def test_bayes_error_without_a_motif_is_one_half():
    assert TranslationStarts(conservation=0.25).bayes_error() == pytest.approx(0.5)


def test_bayes_error_falls_with_conservation():
    errors = [TranslationStarts(conservation=c).bayes_error() for c in np.linspace(0.25, 1.0, 7)]
    assert (np.diff(errors) < 0.0).all()


def test_windows_may_come_as_a_list():
    X, _ = make_tis(10, random_state=0)
    distribution = TranslationStarts()
    np.testing.assert_array_equal(distribution.bayes_rule(list(X)), distribution.bayes_rule(X))


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (["ACGT"], "X must hold strings of 50 letters, got one of 4"),
        (["ACGTN" * 10], "X must hold the letters ACGT only, got 'N'"),
        (["ACGTZ" * 10], "X must hold the letters ACGT only, got 'Z'"),
        ([["ACGT"]], r"X must be a one-dimensional array of strings, got shape \(1, 1\)"),
    ],
)
def test_bad_windows_are_named(X, message):
    with pytest.raises(ValueError, match=message):
        TranslationStarts().bayes_rule(X)


@pytest.mark.parametrize("conservation", [0.2, 1.2, float("nan")])
def test_bad_conservation_is_named(conservation):
    with pytest.raises(ValueError, match=r"conservation must be a number in \[0.25, 1\], got"):
        make_tis(10, conservation=conservation)
