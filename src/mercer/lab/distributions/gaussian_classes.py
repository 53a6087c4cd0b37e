"""Two Gaussian classes: twonorm (equal widths, two means) and ringnorm (two widths)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr
from scipy.stats import ncx2

from mercer.lab.distributions.distribution import (
    Distribution,
    FloatArray,
    RandomSource,
    Sample,
    SeedLike,
    check_count,
    check_rows,
    draw_labels,
)

__all__ = ["Ringnorm", "Twonorm", "make_ringnorm", "make_twonorm"]

# The mean of a class is this far from the origin, along (1, ..., 1) (Breiman 1996).
MEAN_LENGTH = 2.0


@dataclass(frozen=True, kw_only=True)
class Twonorm(Distribution):
    """Class +1 is N(mu, I) and class -1 is N(-mu, I), mu = 2/sqrt(d) (1, ..., 1) (Breiman 1996).

    Parameters
    ----------
    n_features : int, default=20
        Dimension d.

    Examples
    --------
    >>> from mercer.lab import Twonorm
    >>> Twonorm(n_features=2).bayes_rule([[1.0, 1.0], [-1.0, -1.0]]).tolist()
    [1, -1]
    """

    n_features: int = 20

    def __post_init__(self) -> None:
        check_count("n_features", self.n_features, minimum=1)

    def _draw(self, n_samples: int, random: RandomSource) -> Sample:
        y = draw_labels(n_samples, random)
        X = random.standard_normal((n_samples, self.n_features))
        X += _mean_coordinate(self.n_features) * y[:, np.newaxis]
        return X, y

    def log_odds(self, X: ArrayLike) -> FloatArray:
        # (|x + mu|^2 - |x - mu|^2) / 2 = 2 mu'x
        rows = check_rows(X, self.n_features)
        return 2.0 * _mean_coordinate(self.n_features) * rows.sum(axis=1)

    def bayes_error(self) -> float:
        """Return the Bayes error, exactly ``Phi(-2) = 0.0227501...`` in every dimension."""
        return float(ndtr(-MEAN_LENGTH))


@dataclass(frozen=True, kw_only=True)
class Ringnorm(Distribution):
    """Class +1 is N(0, 4 I) and class -1 is N(mu, I), mu = 2/sqrt(d) (1, ..., 1) (Breiman 1996).

    Parameters
    ----------
    n_features : int, default=20
        Dimension d.

    Examples
    --------
    >>> from mercer.lab import Ringnorm
    >>> Ringnorm(n_features=2).bayes_rule([[1.4, 1.4], [-4.0, 0.0]]).tolist()
    [-1, 1]
    """

    n_features: int = 20

    def __post_init__(self) -> None:
        check_count("n_features", self.n_features, minimum=1)

    def _draw(self, n_samples: int, random: RandomSource) -> Sample:
        y = draw_labels(n_samples, random)
        X = random.standard_normal((n_samples, self.n_features))
        X *= np.where(y == 1, 2.0, 1.0)[:, np.newaxis]
        X += np.where(y == 1, 0.0, _mean_coordinate(self.n_features))[:, np.newaxis]
        return X, y

    def log_odds(self, X: ArrayLike) -> FloatArray:
        # |x - mu|^2 / 2 - |x|^2 / 8 - d log 2
        rows = check_rows(X, self.n_features)
        from_mean = np.square(rows - _mean_coordinate(self.n_features)).sum(axis=1)
        return from_mean / 2.0 - np.square(rows).sum(axis=1) / 8.0 - self.n_features * np.log(2.0)

    def bayes_error(self) -> float:
        """Return the Bayes error by two noncentral chi-square tails.

        The log odds are ``3/8 (|x - 4/3 mu|^2 - r^2)``, r^2 = 4/9 |mu|^2 + 8/3 d log 2: the
        Bayes rule says -1 inside a ball. The squared distance from its centre is noncentral
        chi-square, under +1 four times one of noncentrality 4/9 |mu|^2, under -1 one of
        noncentrality |mu|^2 / 9.
        """
        d, square = self.n_features, MEAN_LENGTH**2
        radius = 4.0 / 9.0 * square + 8.0 / 3.0 * d * np.log(2.0)
        missed = ncx2.cdf(radius / 4.0, d, 4.0 / 9.0 * square)
        false_alarm = ncx2.sf(radius, d, square / 9.0)
        return float(missed + false_alarm) / 2.0


def make_twonorm(
    n_samples: int = 100, *, n_features: int = 20, random_state: SeedLike = None
) -> Sample:
    """Draw rows of two Gaussian classes with opposite means.

    Parameters
    ----------
    n_samples : int, default=100
        Number of rows.
    n_features : int, default=20
        Dimension; the means keep length 2 and the Bayes error Phi(-2).
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The rows.
    y : ndarray of shape (n_samples,)
        The labels, -1 or +1.

    Examples
    --------
    >>> from mercer.lab import make_twonorm
    >>> X, y = make_twonorm(5, random_state=0)
    >>> X.shape, y.shape
    ((5, 20), (5,))
    """
    return Twonorm(n_features=n_features).sample(n_samples, random_state)


def make_ringnorm(
    n_samples: int = 100, *, n_features: int = 20, random_state: SeedLike = None
) -> Sample:
    """Draw rows of two Gaussian classes, a narrow one (-1) inside a wide one (+1).

    Parameters
    ----------
    n_samples : int, default=100
        Number of rows.
    n_features : int, default=20
        Dimension; the mean of the narrow class keeps length 2.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The rows.
    y : ndarray of shape (n_samples,)
        The labels, -1 or +1.

    Examples
    --------
    >>> from mercer.lab import make_ringnorm
    >>> X, y = make_ringnorm(5, random_state=0)
    >>> X.shape, y.shape
    ((5, 20), (5,))
    """
    return Ringnorm(n_features=n_features).sample(n_samples, random_state)


def _mean_coordinate(n_features: int) -> float:
    return MEAN_LENGTH / float(np.sqrt(n_features))
