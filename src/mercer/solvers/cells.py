"""Cells of rows that lie near each other in the space of a kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.kernels.blocks import row_slices

__all__ = ["between_cells", "nested_cells"]

IntArray = NDArray[np.intp]
FloatArray = NDArray[np.float64]
_SAMPLE = 20  # rows that landmarks are drawn from, for each of them
_SEEN = 512  # rows that kernel values between cells are measured on


def nested_cells(
    gram: Gram, rows: IntArray, size: int, branches: int, rng: np.random.Generator
) -> list[list[IntArray]]:
    """Positions in ``rows``, cut into cells of at most ``size``, level by level.

    The first level is that of the smallest cells; each cell of a level is the union of some of
    the level before. A cell is cut by at most ``branches`` landmarks.
    """
    levels = [[np.arange(len(rows))]]
    while any(len(cell) > size for cell in levels[-1]):
        parts: list[IntArray] = []
        for cell in levels[-1]:
            parts += _cut(gram, rows, cell, size, branches, rng) if len(cell) > size else [cell]
        levels.append(parts)
    return levels[:0:-1]


def _cut(
    gram: Gram, rows: IntArray, cell: IntArray, size: int, branches: int, rng: np.random.Generator
) -> list[IntArray]:
    """A cell cut by the nearest of its landmarks, or anyhow where all rows are alike."""
    wanted = min(branches, -(-2 * len(cell) // size))
    landmarks = _landmarks(gram, rows[cell], wanted, rng)
    places = _nearest(gram, rows[cell], landmarks)
    parts = [cell[places == k] for k in range(len(landmarks))]
    parts = [part for part in parts if len(part)]
    return parts if len(parts) > 1 else np.array_split(cell, wanted)


def _landmarks(gram: Gram, rows: IntArray, count: int, rng: np.random.Generator) -> IntArray:
    """Rows far from each other, each drawn by its squared distance from those before.

    k-means++ with |x - z|^2 = k(x, x) - 2 k(x, z) + k(z, z).
    """
    drawn = rng.choice(rows, min(len(rows), _SAMPLE * count), replace=False)
    drawn.sort()
    values = np.asarray(gram.block(drawn, drawn), dtype=np.float64)
    own = values.diagonal()
    chosen = [int(rng.integers(len(drawn)))]
    distance = own - 2.0 * values[:, chosen[0]] + own[chosen[0]]
    while len(chosen) < count and distance.max(initial=0.0) > 0.0:
        distance = np.maximum(distance, 0.0)
        chosen.append(int(rng.choice(len(drawn), p=distance / distance.sum())))
        new = own - 2.0 * values[:, chosen[-1]] + own[chosen[-1]]
        distance = np.minimum(distance, new)
    return drawn[chosen]


def _nearest(gram: Gram, rows: IntArray, landmarks: IntArray) -> IntArray:
    """Which landmark each row is nearest to: the largest k(x, z) - k(z, z) / 2."""
    half = 0.5 * np.asarray(gram.block(landmarks, landmarks), dtype=np.float64).diagonal()
    parts = row_slices(len(rows), 8 * len(landmarks))
    found = [(gram.block(rows[part], landmarks) - half).argmax(axis=1) for part in parts]
    return np.concatenate(found)


def between_cells(
    gram: Gram, rows: IntArray, cells: list[IntArray], rng: np.random.Generator
) -> float:
    """Mean size of kernel values between cells as a share of those within, on some rows.

    Near 0 cells are problems of their own; near 1 they say nothing of each other's rows.
    """
    place = np.empty(len(rows), dtype=np.intp)
    for k, cell in enumerate(cells):
        place[cell] = k
    drawn = np.sort(rng.choice(len(rows), min(_SEEN, len(rows)), replace=False))
    values = np.abs(np.asarray(gram.block(rows[drawn], rows[drawn]), dtype=np.float64))
    np.fill_diagonal(values, 0.0)
    is_within = place[drawn][:, None] == place[drawn]
    np.fill_diagonal(is_within, False)
    outside = ~is_within & ~np.eye(len(drawn), dtype=bool)
    within = values[is_within].mean() if is_within.any() else 1.0
    between = values[outside].mean() if outside.any() else 0.0
    return float(between / within) if within > 0.0 else 1.0
