"""A Cholesky factor between free variables that keep their sum."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, solve_triangular

__all__ = ["CentredFactor", "Entry"]

FloatArray = NDArray[np.float64]
_SINGULAR = 1e-10  # of the squared distance of two variables


class Entry(NamedTuple):
    """What a variable that is let in does to the others.

    ``direction`` is how each free variable answers when the new one grows by 1 such that their
    gradients stay equal, and ``curvature`` is that of the objective along it, 0 if it is flat.
    """

    direction: FloatArray
    curvature: float
    row: FloatArray


class CentredFactor:
    """L L' = (h_ab - h_1a - h_1b + h_11), a and b free variables except for the first of them.

    h is the kernel matrix plus the ridge. On vectors that add up to zero it is the quadratic
    form; the first variable takes what the others leave (Sentelle 2014, equations 5.53 to 5.73).
    """

    def __init__(self) -> None:
        self.members: list[int] = []
        self.values = np.empty((0, 0))  # h between the members
        self.lower = np.empty((0, 0))

    def entry(self, row: FloatArray, own: float) -> Entry:
        """Of a variable with the values ``row`` with the members, and ``own`` with itself."""
        first, h = self.values[0], self.values[0, 0]
        mixed = row[1:] - row[0] - first[1:] + h
        distance = own - 2.0 * row[0] + h
        part = solve_triangular(self.lower, mixed, lower=True, check_finite=False)
        pivot = distance - float(part @ part)
        answer = -cho_solve((self.lower, True), mixed, check_finite=False)
        direction = np.append(-1.0 - answer.sum(), answer)
        size = max(distance, abs(own) + abs(h))
        return Entry(direction, pivot if pivot > _SINGULAR * size else 0.0, row)

    def append(self, variable: int, row: FloatArray, own: float) -> None:
        """Let a variable in, along whose entry the objective is curved."""
        n = len(self.members)
        if n:
            mixed = row[1:] - row[0] - self.values[0, 1:] + self.values[0, 0]
            part = solve_triangular(self.lower, mixed, lower=True, check_finite=False)
            pivot = own - 2.0 * row[0] + self.values[0, 0] - float(part @ part)
            lower = np.zeros((n, n))
            lower[:-1, :-1], lower[-1, :-1] = self.lower, part
            lower[-1, -1] = np.sqrt(pivot)
            self.lower = lower
        values = np.empty((n + 1, n + 1))
        values[:n, :n], values[n, :n], values[:n, n], values[n, n] = self.values, row, row, own
        self.values = values
        self.members.append(variable)

    def remove(self, place: int) -> None:
        """Take a member out."""
        del self.members[place]
        self.values = np.delete(np.delete(self.values, place, axis=0), place, axis=1)
        if place == 0:
            self.lower = self._factored()
        else:
            self.lower = _without(self.lower, place - 1)

    def _factored(self) -> FloatArray:
        if len(self.members) < 2:
            return np.empty((0, 0))
        first = self.values[0]
        centred = self.values - first[:, None] - first + first[0]
        return np.asarray(np.linalg.cholesky(centred[1:, 1:]))


def _without(lower: FloatArray, k: int) -> FloatArray:
    """The factor without row and column ``k``, by rotations of the columns behind."""
    rest = np.delete(lower, k, axis=0)
    for j in range(k, len(rest)):
        a, b = rest[j, j], rest[j, j + 1]
        r = np.hypot(a, b)
        left, right = rest[j:, j].copy(), rest[j:, j + 1]
        rest[j:, j] = (a * left + b * right) / r
        rest[j:, j + 1] = (a * right - b * left) / r
    return rest[:, :-1]
