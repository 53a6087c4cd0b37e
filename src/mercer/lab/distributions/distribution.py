"""What an artificial distribution can do: draw a sample, state its Bayes rule and Bayes error."""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_random_state

__all__ = [
    "Distribution",
    "FloatArray",
    "Labels",
    "RandomSource",
    "Sample",
    "SeedLike",
    "check_count",
    "check_probability",
    "check_rows",
    "draw_labels",
    "random_source",
]

FloatArray = NDArray[np.float64]
Labels = NDArray[np.int_]
Sample = tuple[NDArray[Any], Labels]
RandomSource = np.random.RandomState | np.random.Generator
SeedLike = int | RandomSource | None


class Distribution(ABC):
    """A joint distribution of rows and labels in {-1, +1} that is known exactly.

    Subclasses are small frozen dataclasses; the ``make_*`` functions are short for
    building one and calling :meth:`sample`.

    Examples
    --------
    >>> from mercer.lab import Twonorm
    >>> twonorm = Twonorm(n_features=2)
    >>> X, y = twonorm.sample(5, random_state=0)
    >>> X.shape, round(twonorm.bayes_error(), 4)
    ((5, 2), 0.0228)
    """

    def sample(self, n_samples: int = 100, random_state: SeedLike = None) -> Sample:
        """Draw independent labelled rows.

        Parameters
        ----------
        n_samples : int, default=100
            Number of rows.
        random_state : int, RandomState, Generator or None, default=None
            Source of randomness; an int gives the same sample each time.

        Returns
        -------
        X : ndarray of shape (n_samples, ...)
            The rows.
        y : ndarray of shape (n_samples,)
            The labels, -1 or +1.
        """
        check_count("n_samples", n_samples, minimum=1)
        return self._draw(int(n_samples), random_source(random_state))

    def bayes_rule(self, X: ArrayLike) -> Labels:
        """Return the label with the smallest error probability for each row; ties give -1."""
        return np.where(self.log_odds(X) > 0.0, 1, -1)

    @abstractmethod
    def log_odds(self, X: ArrayLike) -> FloatArray:
        """Return log P(y = +1 | x) - log P(y = -1 | x) of each row."""

    @abstractmethod
    def bayes_error(self) -> float:
        """Return the error probability of the Bayes rule, the least any rule can have."""

    @abstractmethod
    def _draw(self, n_samples: int, random: RandomSource) -> Sample: ...


def random_source(random_state: SeedLike) -> RandomSource:
    """Turn a seed into a source of randomness; a NumPy ``Generator`` is taken as it is.

    Callers use only ``random`` and ``standard_normal``, which both kinds of source have.
    """
    if isinstance(random_state, np.random.Generator):
        return random_state
    return check_random_state(random_state)


def draw_labels(n_samples: int, random: RandomSource) -> Labels:
    """Draw labels -1 and +1 by a fair coin."""
    return np.where(random.random(n_samples) < 0.5, -1, 1)


def check_count(name: str, value: int, *, minimum: int, maximum: int | None = None) -> None:
    """Raise unless the value is an integer between minimum and maximum."""
    allowed = f">= {minimum}" if maximum is None else f"in [{minimum}, {maximum}]"
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise TypeError(f"{name} must be an integer {allowed}, got {value!r}")
    if value < minimum or (maximum is not None and value > maximum):
        raise ValueError(f"{name} must be an integer {allowed}, got {value!r}")


def check_probability(name: str, value: float, *, minimum: float = 0.0) -> None:
    """Raise unless the value is a number between minimum and 1."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise TypeError(f"{name} must be a number in [{minimum:g}, 1], got {value!r}")
    if not minimum <= value <= 1.0:
        raise ValueError(f"{name} must be a number in [{minimum:g}, 1], got {value!r}")


def check_rows(X: ArrayLike, n_features: int) -> FloatArray:
    """Return the rows as a finite float64 array with the right number of features."""
    rows: FloatArray = check_array(X, dtype=np.float64, input_name="X")
    if rows.shape[1] != n_features:
        raise ValueError(f"X must have {n_features} features, got {rows.shape[1]}")
    return rows
