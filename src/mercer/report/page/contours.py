"""Lines of one value on a grid, as SVG draws them."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mercer.report.page.charts import Frame

__all__ = ["contour"]

FloatArray = NDArray[np.float64]


def contour(
    frame: Frame, x: Sequence[float], y: Sequence[float], values: Sequence[float], level: float
) -> str:
    """Where values on a grid (rows of y, columns of x) reach a level, as the ``d`` of a path.

    Each cell is two triangles; in one whose corners lie on both sides of the level one corner is
    alone on its side, and the line joins the crossings on the two edges that meet there. Between
    corners the values are taken for linear.
    """
    nodes = np.stack(np.meshgrid(np.asarray(x), np.asarray(y)), axis=-1)
    above = np.asarray(values, dtype=np.float64).reshape(len(y), len(x)) - level
    corners = _triangles(nodes), _triangles(above)
    n_above = (corners[1] > 0).sum(axis=1)
    is_cut = (n_above == 1) | (n_above == 2)
    points, heights = (own[is_cut] for own in corners)
    is_alone = (heights > 0) == (n_above[is_cut] == 1)[:, None]
    alone = is_alone.argmax(axis=1)
    ends = [_crossing(points, heights, alone, (alone + k) % 3) for k in (1, 2)]
    places = ([frame.at(*point) for point in end.tolist()] for end in ends)
    return "".join(f"M{'L'.join(line)}" for line in _joined(list(zip(*places, strict=True))))


def _joined(pieces: list[tuple[str, str]]) -> list[list[str]]:
    """Pieces that share ends as lines: dashes run on, and the page is half as large."""
    meeting = defaultdict(list)
    for k, ends in enumerate(pieces):
        for place in ends:
            meeting[place].append(k)
    is_used, lines = [False] * len(pieces), []
    for k, (first, second) in enumerate(pieces):
        if is_used[k]:
            continue
        is_used[k], line = True, deque([first, second])
        for go_on, end in ((line.append, -1), (line.appendleft, 0)):
            while (following := _next(meeting[line[end]], is_used)) is not None:
                is_used[following] = True
                a, b = pieces[following]
                go_on(b if a == line[end] else a)
        lines.append(list(line))
    return lines


def _next(candidates: list[int], is_used: list[bool]) -> int | None:
    return next((k for k in candidates if not is_used[k]), None)


def _triangles(grid: FloatArray) -> FloatArray:
    """The three corners of the two triangles of each cell."""
    corner, right, up, over = grid[:-1, :-1], grid[:-1, 1:], grid[1:, :-1], grid[1:, 1:]
    both = [np.stack(own, axis=2) for own in ((corner, right, over), (corner, over, up))]
    return np.concatenate([own.reshape(-1, 3, *grid.shape[2:]) for own in both])


def _crossing(
    points: FloatArray, heights: FloatArray, first: NDArray[np.intp], second: NDArray[np.intp]
) -> FloatArray:
    """Where the line between two corners of each triangle is at height 0."""
    each = np.arange(len(points))
    low, high = heights[each, first], heights[each, second]
    share = (low / (low - high))[:, None]
    return (1 - share) * points[each, first] + share * points[each, second]
