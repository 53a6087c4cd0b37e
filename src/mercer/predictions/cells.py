"""Voronoi cells of landmarks: rows near each other, learned by a machine of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.cluster import kmeans_plusplus
from sklearn.metrics.pairwise import euclidean_distances

from mercer.gram.native import count_rows
from mercer.kernels.blocks import row_slices
from mercer.predictions.stacked_rows import some_rows

__all__ = ["MOST", "Cells", "make_cells"]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

# Rows that landmarks are drawn from, for each cell and at most.
SEEN, MOST = 200, 20_000
# A cell of more rows than this share of the mean is halved, so often at most.
LARGE, ROUNDS = 2.0, 12
# One of fewer is given to its neighbours.
SMALL = 0.1


@dataclass(frozen=True, eq=False)
class Cells:
    """A row belongs to the nearest centre.

    Attributes
    ----------
    centers : ndarray of shape (n_cells, n_features)
        The landmarks.
    """

    centers: FloatArray

    def places(self, X: Any) -> IndexArray:
        """The cell of each row; ties go to the first."""
        found = [distances.argmin(axis=1) for _, distances in self._distances(X)]
        return np.concatenate(found) if found else np.empty(0, dtype=np.intp)

    def rows(self, X: Any, overlap: float) -> list[IndexArray]:
        """Rows that each cell learns from.

        With an overlap a cell takes in a row as well if its centre is at most 1 + overlap times
        as far as the nearest one.
        """
        own: list[list[IndexArray]] = [[] for _ in self.centers]
        for part, distances in self._distances(X):
            limit = distances.min(axis=1, keepdims=True) * (1.0 + overlap)
            near = distances <= limit
            if not overlap:
                near = distances.argmin(axis=1)[:, None] == np.arange(len(self.centers))
            for cell, rows in enumerate(own):
                rows.append(part.start + np.flatnonzero(near[:, cell]))
        return [np.concatenate(rows) for rows in own]

    def _distances(self, X: Any) -> Iterator[tuple[slice, FloatArray]]:
        """Distances of some rows at a time from all centres."""
        for part in row_slices(count_rows(X), 8 * max(len(self.centers), np.shape(X)[1])):
            yield part, euclidean_distances(numbers(X, part), self.centers)


def numbers(X: Any, part: slice) -> Any:
    """Some rows as numbers."""
    if sp.issparse(X):
        return X[part]
    rows = X.iloc[part] if hasattr(X, "iloc") else X[part]
    return np.asarray(rows, dtype=np.float64)


def make_cells(X: Any, n_cells: int, rng: np.random.RandomState) -> Cells:
    """About so many cells of about as many rows.

    Landmarks are drawn from a sample, far from each other (k-means++). Cells that are too large are
    halved by two landmarks of their own until none is, and those of few rows are left out.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n_rows, n_features)
        Rows of numbers.
    n_cells : int
        Cells that are asked for.
    rng : RandomState
        Draws the landmarks.
    """
    if not (sp.issparse(X) or hasattr(X, "iloc") or np.ndim(X) == 2):
        raise ValueError("partition='cells' needs rows of numbers, got objects")
    n = count_rows(X)
    size = min(n, max(MOST, n_cells), SEEN * n_cells)
    drawn = some_rows(X, np.sort(rng.choice(n, size, replace=False)))
    sample = numbers(drawn, slice(None))
    centers = _far_apart(sample, min(n_cells, size), rng)
    for _ in range(ROUNDS):
        places = Cells(centers).places(sample)
        counts = np.bincount(places, minlength=len(centers))
        large = np.flatnonzero(counts > max(LARGE * size / n_cells, 2.0))
        halves = [_far_apart(sample[places == cell], 2, rng) for cell in large]
        if not any(len(np.unique(pair, axis=0)) == 2 for pair in halves):
            break
        kept = np.delete(centers, large, axis=0)
        centers = np.vstack([kept, *(np.unique(pair, axis=0) for pair in halves)])
    return Cells(_without_small(Cells(centers), sample, n_cells))


def _far_apart(rows: Any, n: int, rng: np.random.RandomState) -> FloatArray:
    found = kmeans_plusplus(rows, n, random_state=rng)[0]
    return np.asarray(found.toarray() if sp.issparse(found) else found, dtype=np.float64)


def _without_small(cells: Cells, sample: Any, n_cells: int) -> FloatArray:
    """The centres of cells that have enough rows; of the largest if none has."""
    counts = np.bincount(cells.places(sample), minlength=len(cells.centers))
    enough = counts >= min(max(SMALL * len(cells.places(sample)) / n_cells, 1.0), counts.max())
    return cells.centers[enough]
