"""Waveform against the integrals that define it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from mercer.lab import Waveform, make_waveform

POSITION = np.arange(1, 22)
WAVE = {c: np.clip(6.0 - np.abs(POSITION - c), 0.0, None) for c in (7, 11, 15)}


def density(row, first, second):
    def integrand(u):
        return np.exp(-0.5 * np.sum((row - u * WAVE[first] - (1.0 - u) * WAVE[second]) ** 2))

    return quad(integrand, 0.0, 1.0, epsabs=0.0, epsrel=1e-10, limit=200)[0]


def test_log_odds_are_the_integrals_over_the_mixing_weight():
    X, _ = make_waveform(25, random_state=0)
    expected = [
        np.log(density(x, 11, 15)) - np.log(density(x, 11, 7) + density(x, 15, 7)) for x in X
    ]
    np.testing.assert_allclose(Waveform().log_odds(X), expected, atol=1e-7)


def test_log_odds_stay_finite_far_away():
    X = 1e3 * np.random.default_rng(0).standard_normal((100, 21))
    assert np.isfinite(Waveform().log_odds(X)).all()


def test_log_odds_depend_on_the_plane_of_the_waves_only():
    X, _ = make_waveform(50, random_state=1)
    plane = np.stack([WAVE[11] - WAVE[15], WAVE[7] - WAVE[15]])
    step = np.random.default_rng(2).standard_normal(X.shape)
    step -= step @ np.linalg.pinv(plane) @ plane
    np.testing.assert_allclose(Waveform().log_odds(X + step), Waveform().log_odds(X), atol=1e-9)


def test_bayes_error_by_a_grid_over_the_plane():
    """The plain sum of the smaller density over a grid, with no use of the boundary curve."""
    basis = np.linalg.qr(np.stack([WAVE[15] - WAVE[11], WAVE[7] - WAVE[11]], axis=1))[0]
    corners = np.stack([WAVE[c] - WAVE[11] for c in (7, 11, 15)]) @ basis
    step = 0.1
    axes = [np.arange(c.min() - 6.0, c.max() + 6.0, step) for c in corners.T]
    grid = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    node, weight = np.polynomial.legendre.leggauss(48)
    masses = []
    for first, second in ((1, 2), (1, 0), (2, 0)):
        points = corners[first] + (node[:, None] + 1.0) / 2.0 * (corners[second] - corners[first])
        square = sum((grid[:, i, None] - points[:, i]) ** 2 for i in range(2))
        masses.append(np.exp(-0.5 * square) @ weight / (4.0 * np.pi))
    error = np.minimum(masses[0], masses[1] + masses[2]).sum() * step**2 / 3.0
    assert Waveform().bayes_error() == pytest.approx(error, abs=2e-5)


def test_bayes_error_does_not_depend_on_the_quadrature(monkeypatch):
    error = Waveform().bayes_error()
    monkeypatch.setattr("mercer.lab.distributions.waveform.OUTER_STEP", 0.031)
    monkeypatch.setattr("mercer.lab.distributions.waveform.INNER_NODES", 100)
    assert Waveform().bayes_error() == pytest.approx(error, abs=1e-12)


def test_class_means_are_the_mean_waves():
    X, y = make_waveform(100_000, random_state=0)
    positive = (WAVE[11] + WAVE[15]) / 2.0
    negative = (WAVE[11] + WAVE[15] + 2.0 * WAVE[7]) / 4.0
    for label, mean in ((1, positive), (-1, negative)):
        rows = X[y == label]
        tolerance = 4.5 * rows.std(axis=0) / np.sqrt(len(rows))
        assert (np.abs(rows.mean(axis=0) - mean) < tolerance).all()
