"""Sparse binary rows of which a few coordinates tell the class and the rest are noise."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike

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

__all__ = ["SparseCoordinates", "make_sparse_coordinates"]


@dataclass(frozen=True, kw_only=True)
class SparseCoordinates(Distribution):
    """Rows in {0, 1} with a fixed number of ones (Glasmachers 2008, section 3.4).

    One one falls into the block of the row's class, uniformly; the others fall uniformly
    on the coordinates left. The first ``n_informative`` coordinates are the block of +1,
    the next ``n_informative`` that of -1. A Gaussian kernel should be narrow on these two
    blocks and flat on the noise coordinates.

    Parameters
    ----------
    n_informative : int, default=3
        Coordinates in the block of each class.
    n_noise : int, default=14
        Coordinates that tell nothing.
    n_ones : int, default=3
        Ones in each row.

    Examples
    --------
    >>> from mercer.lab import SparseCoordinates
    >>> X, y = SparseCoordinates(n_noise=4).sample(5, random_state=0)
    >>> X.shape, X.sum(axis=1).tolist()
    ((5, 10), [3.0, 3.0, 3.0, 3.0, 3.0])
    """

    n_informative: int = 3
    n_noise: int = 14
    n_ones: int = 3

    def __post_init__(self) -> None:
        check_count("n_informative", self.n_informative, minimum=1)
        check_count("n_noise", self.n_noise, minimum=0)
        check_count("n_ones", self.n_ones, minimum=1, maximum=self.n_features)

    @property
    def n_features(self) -> int:
        """Number of coordinates, ``2 * n_informative + n_noise``."""
        return 2 * self.n_informative + self.n_noise

    def _draw(self, n_samples: int, random: RandomSource) -> Sample:
        y = draw_labels(n_samples, random)
        telling = (self.n_informative * random.random(n_samples)).astype(np.intp)
        telling += np.where(y == 1, 0, self.n_informative)
        # The coordinates of the smallest keys are a uniform draw without replacement;
        # the telling coordinate is always among them.
        keys = random.random((n_samples, self.n_features))
        np.put_along_axis(keys, telling[:, np.newaxis], -1.0, axis=1)
        ones = np.argpartition(keys, self.n_ones - 1, axis=1)[:, : self.n_ones]
        X = np.zeros((n_samples, self.n_features))
        np.put_along_axis(X, ones, 1.0, axis=1)
        return X, y

    def log_odds(self, X: ArrayLike) -> FloatArray:
        # P(x | +1) is proportional to a, P(x | -1) to b, the ones in either block.
        rows = check_rows(X, self.n_features)
        a = rows[:, : self.n_informative].sum(axis=1)
        b = rows[:, self.n_informative : 2 * self.n_informative].sum(axis=1)
        with np.errstate(divide="ignore"):
            return np.where(a == b, 0.0, np.log(a) - np.log(np.where(a == b, 1.0, b)))

    def bayes_error(self) -> float:
        """Return the Bayes error by its exact finite sum.

        ``sum over a, b of C(n,a) C(n,b) C(m,k-a-b) min(a,b) / (2n C(2n+m-1,k-1))``
        (Glasmachers 2008, section 3.4): n informative coordinates per class, m of noise, k ones.
        """
        n, m, k = int(self.n_informative), int(self.n_noise), int(self.n_ones)
        overlap = sum(
            comb(n, a) * comb(n, b) * comb(m, k - a - b) * min(a, b)
            for a in range(1, min(n, k) + 1)
            for b in range(1, min(n, k - a) + 1)
        )
        return overlap / (2 * n * comb(2 * n + m - 1, k - 1))


def make_sparse_coordinates(
    n_samples: int = 100,
    *,
    n_informative: int = 3,
    n_noise: int = 14,
    n_ones: int = 3,
    random_state: SeedLike = None,
) -> Sample:
    """Draw sparse binary rows of which a few coordinates tell the class.

    Parameters
    ----------
    n_samples : int, default=100
        Number of rows.
    n_informative : int, default=3
        Coordinates in the block of each class.
    n_noise : int, default=14
        Coordinates that tell nothing.
    n_ones : int, default=3
        Ones in each row.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness.

    Returns
    -------
    X : ndarray of shape (n_samples, 2 * n_informative + n_noise)
        The rows, of zeros and ones.
    y : ndarray of shape (n_samples,)
        The labels, -1 or +1.

    Examples
    --------
    >>> from mercer.lab import make_sparse_coordinates
    >>> X, y = make_sparse_coordinates(5, random_state=0)
    >>> X.shape, y.shape
    ((5, 20), (5,))
    """
    distribution = SparseCoordinates(n_informative=n_informative, n_noise=n_noise, n_ones=n_ones)
    return distribution.sample(n_samples, random_state)
