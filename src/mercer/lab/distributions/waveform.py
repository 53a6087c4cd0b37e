"""Waveform: rows are random mixtures of two out of three triangular waves, plus noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtr

from mercer.lab.distributions.distribution import (
    Distribution,
    FloatArray,
    RandomSource,
    Sample,
    SeedLike,
    check_rows,
)

__all__ = ["Waveform", "make_waveform"]

N_FEATURES = 21
# Triangular waves of height 6 centred at 7, 11 and 15 (Breiman et al. 1984).
LEFT, MIDDLE, RIGHT = (
    np.maximum(6.0 - np.abs(np.arange(1, N_FEATURES + 1) - centre), 0.0) for centre in (7, 11, 15)
)
# The two waves of each third of the rows; the first third is class +1.
STARTS = np.stack([MIDDLE, LEFT, LEFT])
ENDS = np.stack([RIGHT, MIDDLE, RIGHT])
# Quadrature of the Bayes error: finer steps change it by about 1e-15.
OUTER_STEP = 0.05
INNER_NODES = 64


@dataclass(frozen=True)
class Waveform(Distribution):
    """Rows ``(1 - u) g + u h + noise`` of 21 features (Breiman et al. 1984).

    u is uniform on [0, 1], the noise is N(0, I), and g, h are two of three triangular
    waves: middle and right for class +1 (a third of the rows), left and middle or left
    and right for class -1 (a third each).

    Examples
    --------
    >>> from mercer.lab import Waveform
    >>> X, y = Waveform().sample(10, random_state=0)
    >>> X.shape
    (10, 21)
    """

    def _draw(self, n_samples: int, random: RandomSource) -> Sample:
        pair = (3.0 * random.random(n_samples)).astype(np.intp)
        u = random.random(n_samples)[:, np.newaxis]
        X = random.standard_normal((n_samples, N_FEATURES))
        X += (1.0 - u) * STARTS[pair] + u * ENDS[pair]
        return X, np.where(pair == 0, 1, -1)

    def log_odds(self, X: ArrayLike) -> FloatArray:
        rows = check_rows(X, N_FEATURES)
        densities = [_log_density(rows, g, h) for g, h in zip(STARTS, ENDS, strict=True)]
        return densities[0] - np.logaddexp(densities[1], densities[2])

    def bayes_error(self) -> float:
        """Return the Bayes error, 0.0825885..., by quadrature to about 1e-12.

        The noise is isotropic, so the projection on the plane of the three waves is
        sufficient. Take coordinates (s, t) in it: s along the segment of class +1, t across
        it towards the left wave. The density of +1 is p(s) phi(t); that of -1 is an average
        of unit Gaussians at points (s0, t0) with t0 >= 0, hence phi(t) times an increasing
        function of t. The Bayes rule therefore says +1 below one curve t = c(s), and

            error = 1/3 integral ds [p(s) Phi(-c(s)) + integral of phi(s - s0) Phi(c(s) - t0)]

        The inner integral runs over the two segments of class -1 by Gauss-Legendre; the
        outer one, of an analytic function that decays like a Gaussian, by the trapezoidal rule.
        """
        along, across = _plane()
        length = along @ (RIGHT - MIDDLE)
        s0, t0, weight = _other_points(along, across)
        s = np.arange(s0.min() - 9.0, s0.max() + 9.0, OUTER_STEP)
        curve = self._boundary(s, along, across)
        missed = (ndtr(s) - ndtr(s - length)) / length * ndtr(-curve)
        bump = np.exp(-0.5 * np.square(s[:, np.newaxis] - s0)) / np.sqrt(2.0 * np.pi)
        false_alarm = (bump * ndtr(curve[:, np.newaxis] - t0)) @ weight
        return float(OUTER_STEP * (missed + false_alarm).sum() / 3.0)

    def _boundary(self, s: FloatArray, along: FloatArray, across: FloatArray) -> FloatArray:
        # The error is flat to first order in the curve, so bisection need not go to the last
        # bit; a root beyond +-20 has no mass on its far side and may stay at the end.
        low, high = np.full_like(s, -20.0), np.full_like(s, 20.0)
        foot = MIDDLE + s[:, np.newaxis] * along
        for _ in range(40):
            t = (low + high) / 2.0
            positive = self.log_odds(foot + t[:, np.newaxis] * across) > 0.0
            low, high = np.where(positive, t, low), np.where(positive, high, t)
        return (low + high) / 2.0


def make_waveform(n_samples: int = 100, *, random_state: SeedLike = None) -> Sample:
    """Draw rows that are random mixtures of two out of three waves, plus noise.

    Parameters
    ----------
    n_samples : int, default=100
        Number of rows.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness.

    Returns
    -------
    X : ndarray of shape (n_samples, 21)
        The rows.
    y : ndarray of shape (n_samples,)
        The labels, -1 or +1; a third are +1.

    Examples
    --------
    >>> from mercer.lab import make_waveform
    >>> X, y = make_waveform(5, random_state=0)
    >>> X.shape, y.shape
    ((5, 21), (5,))
    """
    return Waveform().sample(n_samples, random_state)


def _log_density(rows: FloatArray, start: FloatArray, end: FloatArray) -> FloatArray:
    # integral over u in [0, 1] of exp(-|x - g - u d|^2 / 2), d = h - g, by completing the
    # square: exp(-(|x - g|^2 - t^2) / 2) sqrt(2 pi) / |d| (Phi(|d| - t) - Phi(-t)),
    # t = d'(x - g) / |d|. The factor (2 pi)^(-21/2) common to all classes is left out.
    length = np.linalg.norm(end - start)
    centred = rows - start
    t = centred @ (end - start) / length
    height = -0.5 * (np.square(centred).sum(axis=1) - np.square(t))
    return height + np.log(np.sqrt(2.0 * np.pi) / length) + _log_normal_mass(-t, length - t)


def _log_normal_mass(low: FloatArray, high: FloatArray) -> FloatArray:
    # log(Phi(high) - Phi(low)), taken in the left tail, where the difference does not cancel.
    right = low + high > 0.0
    low, high = np.where(right, -high, low), np.where(right, -low, high)
    upper = log_ndtr(high)
    return upper + np.log1p(-np.exp(log_ndtr(low) - upper))


def _plane() -> tuple[FloatArray, FloatArray]:
    # Unit vectors from the middle to the right wave, and across that line to the left one.
    along = (RIGHT - MIDDLE) / np.linalg.norm(RIGHT - MIDDLE)
    across = (LEFT - MIDDLE) - along * (along @ (LEFT - MIDDLE))
    return along, across / np.linalg.norm(across)


def _other_points(
    along: FloatArray, across: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    # Quadrature nodes on the segments of class -1, in plane coordinates, and their weights.
    node, weight = np.polynomial.legendre.leggauss(INNER_NODES)
    u = (node[:, np.newaxis] + 1.0) / 2.0
    points = np.concatenate([(1.0 - u) * LEFT + u * end for end in (MIDDLE, RIGHT)]) - MIDDLE
    return points @ along, points @ across, np.tile(weight / 2.0, 2)
