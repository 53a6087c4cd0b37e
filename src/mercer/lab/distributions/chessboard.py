"""Chess boards: fields of alternating label, optionally noisy and linearly distorted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import ortho_group

from mercer._shown import shown
from mercer.lab.distributions.distribution import (
    Distribution,
    FloatArray,
    Labels,
    RandomSource,
    Sample,
    SeedLike,
    check_count,
    check_probability,
    check_rows,
    draw_labels,
    random_source,
)

__all__ = ["Chessboard", "make_chessboard", "random_distortion"]


# eq=False: the distortion is an array, and == of arrays is no truth value.
@dataclass(frozen=True, kw_only=True, eq=False)
class Chessboard(Distribution):
    """Rows uniform on a chess board; the field at the origin is +1 (Glasmachers 2008, section 3.4).

    Parameters
    ----------
    size : int, default=4
        Fields per side, at least 2.
    n_features : int, default=2
        Dimension of the board.
    noise : float, default=0.0
        Probability that a label is replaced by a fair coin; the Bayes error is half of it.
    distortion : array-like of shape (n_features, n_features), default=None
        Invertible matrix B; the rows are ``B u`` with u on the board. In the Gaussian
        kernel ``exp(-|A (x - z)|^2 / 2)`` the ideal A is a multiple of the *inverse* of B.

    Examples
    --------
    >>> from mercer.lab import Chessboard
    >>> board = Chessboard(noise=0.1)
    >>> board.bayes_rule([[0.5, 0.5], [1.5, 0.5]]).tolist(), board.bayes_error()
    ([1, -1], 0.05)
    """

    size: int = 4
    n_features: int = 2
    noise: float = 0.0
    distortion: ArrayLike | None = None

    __repr__ = shown()

    def __post_init__(self) -> None:
        check_count("size", self.size, minimum=2)
        check_count("n_features", self.n_features, minimum=1)
        check_probability("noise", self.noise)
        if self.distortion is not None:
            matrix = _check_distortion(self.distortion, self.n_features)
            object.__setattr__(self, "distortion", matrix)

    def _draw(self, n_samples: int, random: RandomSource) -> Sample:
        board = self.size * random.random((n_samples, self.n_features))
        y = _field_labels(board)
        # Drawn whatever the noise, so that one seed gives the same rows at every noise level.
        replaced = random.random(n_samples) < self.noise
        y = np.where(replaced, draw_labels(n_samples, random), y)
        if self.distortion is None:
            return board, y
        return board @ np.asarray(self.distortion).T, y

    def log_odds(self, X: ArrayLike) -> FloatArray:
        # A field's own label has probability 1 - noise/2. The pattern continues outside the board.
        rows = check_rows(X, self.n_features)
        if self.distortion is not None:
            rows = np.linalg.solve(np.asarray(self.distortion), rows.T).T
        wrong = self.bayes_error()
        height = math.log((1.0 - wrong) / wrong) if wrong > 0.0 else math.inf
        return np.float64(height) * _field_labels(rows)

    def bayes_error(self) -> float:
        """Return the Bayes error, exactly ``noise / 2``."""
        return float(self.noise) / 2.0


def make_chessboard(
    n_samples: int = 100,
    *,
    size: int = 4,
    n_features: int = 2,
    noise: float = 0.0,
    distortion: ArrayLike | str | None = None,
    random_state: SeedLike = None,
    return_distortion: bool = False,
) -> tuple[Any, ...]:
    """Draw rows uniform on a chess board.

    Parameters
    ----------
    n_samples : int, default=100
        Number of rows.
    size : int, default=4
        Fields per side, at least 2.
    n_features : int, default=2
        Dimension of the board.
    noise : float, default=0.0
        Probability that a label is replaced by a fair coin; the Bayes error is half of it.
    distortion : "random" or array-like of shape (n_features, n_features), default=None
        Matrix B applied to the board; "random" draws it by :func:`random_distortion`.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness.
    return_distortion : bool, default=False
        Whether to return B as well.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features)
        The rows.
    y : ndarray of shape (n_samples,)
        The labels, -1 or +1.
    distortion : ndarray of shape (n_features, n_features)
        B, the identity if there was no distortion. Only if ``return_distortion``.

    Examples
    --------
    >>> from mercer.lab import make_chessboard
    >>> X, y = make_chessboard(5, random_state=0)
    >>> X.shape, y.shape
    ((5, 2), (5,))
    """
    random = random_source(random_state)
    if isinstance(distortion, str):
        if distortion != "random":
            raise ValueError(f"distortion must be None, 'random' or a matrix, got {distortion!r}")
        distortion = random_distortion(n_features, random_state=random)
    board = Chessboard(size=size, n_features=n_features, noise=noise, distortion=distortion)
    X, y = board.sample(n_samples, random)
    if not return_distortion:
        return X, y
    return X, y, np.eye(n_features) if distortion is None else np.array(distortion, dtype=float)


def random_distortion(n_features: int = 2, *, random_state: SeedLike = None) -> FloatArray:
    """Draw a distortion of a chess board that keeps its volume.

    ``B = D' diag(s) D`` with D Haar-distributed in the orthogonal group
    (Glasmachers 2008, section 10.2). The stretches s fall geometrically from 3 to 1/3; in the plane
    they are 3 and 1/3.

    Parameters
    ----------
    n_features : int, default=2
        Dimension of the board, at least 2.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness.

    Returns
    -------
    distortion : ndarray of shape (n_features, n_features)
        Symmetric, positive definite, of determinant 1.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.lab import random_distortion
    >>> round(float(np.linalg.det(random_distortion(2, random_state=0))), 6)
    1.0
    """
    check_count("n_features", n_features, minimum=2)
    rotation = ortho_group.rvs(n_features, random_state=random_source(random_state))
    stretch = np.geomspace(3.0, 1.0 / 3.0, n_features)
    return (rotation.T * stretch) @ rotation


def _field_labels(board: FloatArray) -> Labels:
    # y = (-1)^(sum of floor(x_i)) (Glasmachers 2008, section 3.4)
    parity = np.floor(board).sum(axis=1) % 2.0
    return np.where(parity == 0.0, 1, -1)


def _check_distortion(distortion: ArrayLike, n_features: int) -> FloatArray:
    if isinstance(distortion, str):
        raise TypeError(f"distortion must be None or a matrix, got {distortion!r}")
    matrix = np.array(distortion, dtype=np.float64)
    if matrix.shape != (n_features, n_features):
        raise ValueError(
            f"distortion must have shape {(n_features, n_features)}, got {matrix.shape}"
        )
    if not np.isfinite(matrix).all() or np.linalg.matrix_rank(matrix) < n_features:
        raise ValueError(f"distortion must be a finite invertible matrix, got {distortion!r}")
    matrix.flags.writeable = False
    return matrix
