"""Random landmarks: uniform, spread out (k-means++), or by leverage."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.kernels.blocks import row_slices
from mercer.lowrank.features import FeatureMap

__all__ = ["leverage_landmarks", "leverage_scores", "spread_landmarks", "uniform_landmarks"]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]


def uniform_landmarks(n_rows: int, rank: int, rng: np.random.Generator) -> IndexArray:
    """Rows drawn uniformly, none twice; all of them in their order if they are not more."""
    if rank >= n_rows:
        return np.arange(n_rows)
    return rng.choice(n_rows, rank, replace=False)


def spread_landmarks(
    gram: Gram, rank: int, rng: np.random.Generator, deadline: float = np.inf
) -> IndexArray:
    """Seeds of k-means++ in feature space.

    A row is drawn with probability proportional to its squared distance
    k(x, x) - 2 k(x, c) + k(c, c) from the nearest row c drawn before.
    """
    diagonal = gram.diagonal()
    first = int(rng.integers(gram.n_rows))
    chosen = [first]
    nearest = np.full(gram.n_rows, np.inf)
    everything = np.arange(gram.n_rows)
    while len(chosen) < min(rank, gram.n_rows):
        last = chosen[-1]
        values = gram.block([last], everything)[0]
        np.minimum(nearest, diagonal - 2.0 * values + diagonal[last], out=nearest)
        nearest[last] = 0.0
        np.maximum(nearest, 0.0, out=nearest)
        total = nearest.sum()
        if not total > 0 or time.perf_counter() > deadline:
            break
        chosen.append(int(rng.choice(gram.n_rows, p=nearest / total)))
    return np.array(chosen, dtype=np.intp)


def leverage_landmarks(
    gram: Gram, X: Any, rank: int, rng: np.random.Generator, deadline: float = np.inf
) -> IndexArray:
    """Rows drawn without repetition with probability proportional to their leverage."""
    pilot = uniform_landmarks(gram.n_rows, rank, rng)
    scores = leverage_scores(gram, X, pilot, deadline)
    if scores is None:
        return pilot
    positive = int((scores > 0).sum())
    if not positive:
        return uniform_landmarks(gram.n_rows, rank, rng)
    return rng.choice(gram.n_rows, min(rank, positive), replace=False, p=scores / scores.sum())


def leverage_scores(
    gram: Gram, X: Any, pilot: IndexArray, deadline: float = np.inf
) -> FloatArray | None:
    """Estimates of the ridge leverages diag(K (K + t)^-1) from pilot landmarks.

    With the features F of the pilot and t = tr(K - FF') / rank, never below the leverages of
    the approximate matrix FF':

        l_i = (K_ii - |F_i|^2) / t + F_i' (F'F + t)^-1 F_i,    at most 1.

    None where the deadline is over before the rows were passed over twice.
    """
    features = FeatureMap(gram.kernel, X, pilot, n_threads=gram.n_threads, shift=gram.shift)
    diagonal = gram.diagonal()
    inner = np.zeros((features.rank, features.rank))
    left = np.empty(gram.n_rows)
    blocks = list(row_slices(gram.n_rows, 8 * max(features.rank, 1)))
    for rows in blocks:
        if time.perf_counter() > deadline:
            return None
        values = features(X[rows])
        inner += values.T @ values
        left[rows] = np.maximum(diagonal[rows] - np.einsum("ij,ij->i", values, values), 0.0)
    spectrum, directions = np.linalg.eigh(inner)
    ridge = max(left.sum() / max(features.rank, 1), 1e-12 * diagonal.max(initial=0.0))
    if not ridge > 0:
        return np.zeros(gram.n_rows)
    scores = left / ridge
    shrunk = 1.0 / (np.maximum(spectrum, 0.0) + ridge)
    for rows in blocks:
        if time.perf_counter() > deadline:
            return None
        scores[rows] += (features(X[rows]) @ directions) ** 2 @ shrunk
    return np.minimum(scores, 1.0)
