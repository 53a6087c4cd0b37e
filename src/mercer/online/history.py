"""All examples seen, for machines that keep them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram.native import take_rows
from mercer.online.kept_rows import Ids, stacked

__all__ = ["Examples", "History"]

# Rows, targets, weights and ids.
Examples = tuple[Any, NDArray[Any], NDArray[np.float64], Ids]


class History:
    """Rows with their targets, weights and ids, ids ascending."""

    def __init__(self) -> None:
        self._parts: list[Examples] = []

    def add(self, rows: Any, targets: NDArray[Any], weight: NDArray[np.float64], ids: Ids) -> None:
        """Keep copies of some more examples, whose ids follow those of all others."""
        if len(ids):
            everything = np.arange(len(ids))
            self._parts.append((take_rows(rows, everything), targets.copy(), weight.copy(), ids))

    def all(self) -> Examples:
        """Rows, targets, weights and ids of all examples."""
        if len(self._parts) > 1:
            columns = list(zip(*self._parts, strict=True))
            rows = stacked(list(columns[0]))
            rest = (np.concatenate(column) for column in columns[1:])
            self._parts = [(rows, *rest)]
        return self._parts[0]

    def places_of(self, ids: Ids) -> NDArray[np.intp]:
        """Where examples are; -1 for those that are not there."""
        if not len(self):
            return np.full(len(ids), -1)
        own = self.all()[3]
        places = np.minimum(np.searchsorted(own, ids), len(own) - 1)
        return np.where(own[places] == ids, places, -1)

    def without(self, places: NDArray[np.intp]) -> History:
        """The other examples."""
        rows, targets, weight, ids = self.all()
        left = np.setdiff1d(np.arange(len(ids)), places)
        other = History()
        other._parts = [(take_rows(rows, left), targets[left], weight[left], ids[left])]
        return other

    def relabelled(self, places: NDArray[np.intp]) -> History:
        """The same examples, with other numbers for their classes."""
        other = History()
        other._parts = [(rows, places[labels], *rest) for rows, labels, *rest in self._parts]
        return other

    def followed_by(
        self, rows: Any, targets: NDArray[Any], weight: NDArray[np.float64], ids: Ids, *, most: int
    ) -> History:
        """The last ``most`` of these and some more; this one stays as it is."""
        other = History()
        other._parts = list(self._parts)
        other.add(rows, targets, weight, ids)
        return other if len(other) <= most else other.without(np.arange(len(other) - most))

    def __len__(self) -> int:
        return sum(len(part[3]) for part in self._parts)

    def __getstate__(self) -> dict[str, Any]:
        return {"parts": [self.all()] if self._parts else []}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._parts = list(state["parts"])
