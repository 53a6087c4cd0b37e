"""A remedy against singular systems: a little randomness on the diagonal (Dai et al. 2013)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mercer.lab.path_baselines.hastie import BaselinePath, hastie_path

__all__ = ["random_ridge_path"]


def random_ridge_path(
    K: ArrayLike,
    y: ArrayLike,
    *,
    ridge: float = 1e-6,
    C_max: float = 1e3,
    max_events: int = 100_000,
    random_state: int = 0,
) -> BaselinePath:
    """The path of K + ridge diag(u), u uniform on [0, 1], one point moving at a time.

    Fewer ties and no singular system, but the solutions are those of another kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.lab import random_ridge_path
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> random_ridge_path(X @ X.T, [-1, -1, 1, 1], C_max=10.0).status
    'complete'
    """
    matrix = np.array(K, dtype=float)
    draws = np.random.default_rng(random_state).random(len(matrix))
    matrix[np.diag_indices_from(matrix)] += ridge * draws
    return hastie_path(matrix, y, C_max=C_max, max_events=max_events, together=False)
