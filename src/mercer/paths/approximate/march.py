"""Solutions along a line, as far apart as an accuracy allows.

From one solution to the next by a step; where the piece between them is not accurate enough a
solution in between is found first. The step follows the error of the last piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["Piece", "march"]

Node = TypeVar("Node")
_SHORTEST = 1e-9  # progress is made in any case
_MOST_MISSED = 50  # pieces in a row that are as short as that, and not accurate all the same
_ORDER = 1.0 / 3.0  # the error of a piece grows about as the third power of its length


@dataclass(frozen=True, eq=False)
class Piece(Generic[Node]):
    """Two neighbouring solutions, where the second one is, and the error between them."""

    left: Node
    right: Node
    end: float
    error: float


def march(
    first: Node,
    begin: float,
    end: float,
    *,
    solve: Callable[[float], Node | None],
    error: Callable[[Node, Node], float],
    accuracy: float,
    step: float,
) -> Iterator[Piece[Node]]:
    """Pieces from ``begin`` to ``end``, each with an error of at most ``accuracy``.

    Parameters
    ----------
    first : node
        The solution at ``begin``.
    begin, end : float
        Where to go, ascending.
    solve : callable
        The solution at a place; None ends the march.
    error : callable
        Error of the piece between two solutions.
    accuracy : float
        Largest error; exceeded only on pieces shorter than 1e-9. Where many of those follow
        each other rounding allows no better, and the march ends there.
    step : float
        Length of the first piece that is tried.
    """
    left, here = first, begin
    ahead: list[tuple[float, Node]] = []  # solved already, the nearest one last
    missed = 0
    while here < end and missed < _MOST_MISSED:
        if not ahead:
            place = min(here + step, end)
            node = solve(place)
            if node is None:
                return
            ahead.append((place, node))
        place, right = ahead[-1]
        length, found = place - here, error(left, right)
        if found <= accuracy or length <= 2.0 * _SHORTEST:  # which rounding may lengthen
            ahead.pop()
            missed = 0 if found <= accuracy else missed + 1
            yield Piece(left, right, place, found)
            left, here = right, place
            step = max(length * _factor(accuracy, found, 0.3, 3.0), _SHORTEST)
            continue
        between = here + max(length * _factor(accuracy, found, 0.1, 0.5), _SHORTEST)
        node = solve(between)
        if node is None:
            return
        ahead.append((between, node))


def _factor(accuracy: float, error: float, low: float, high: float) -> float:
    """How much longer a piece may be, with something to spare."""
    if not error > 0.0:
        return high
    return min(max((0.7 * accuracy / error) ** _ORDER, low), high)
