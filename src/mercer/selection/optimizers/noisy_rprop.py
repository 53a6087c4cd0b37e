"""NoisyRprop: Rprop for gradients that are draws (Glasmachers 2008, chapter 11).

With a fixed step size a coordinate walks at random around the minimum, and the laws of random
walks tell whether steps are too long or too short. After an episode of N moves with M gradients
averaged in each, three statistics are compared with their quantiles for a walk without drift:

    S1 = |end| / sqrt(N)                      large: drift, longer steps; small: shorter ones
    S2 = (largest - smallest place) / sqrt(N) small: episodes are longer than needed; large: shorter
    S3 = N^(3/2) |R/r - L/l| / (R + L)        large: mean and median differ, average more

R and L are the sums of the gradients to the right and to the left, r and l the moves. The printed
rules for S1 and S2 do not converge; these are corrected (docs/theory/model_selection.md#errata).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mercer.selection.history import Watched

__all__ = ["Coordinate", "NoisyRprop"]

FloatArray = NDArray[np.float64]

_SHORTEST = 40  # episode, in moves
_SAMPLES = 100  # places of an episode that its range is taken from
_END = (0.25, 1.64)  # 20 % and 90 % quantiles of |N(0, 1)|
_RANGE = (0.95, 1.77)  # 10 % and 75 % of the range of a Wiener process at 100 places
_BIAS = (0.29, 2.5)  # 15 % and 90 %


@dataclass
class Coordinate:
    """One parameter: its step size and the statistics of its episode."""

    step: float
    length: int = _SHORTEST
    n_averaged: int = 1
    total: float = 0.0
    n_summed: int = 0
    moves: int = 0
    place: int = 0
    lowest: int = 0
    highest: int = 0
    sums: list[float] = field(default_factory=lambda: [0.0, 0.0])  # to the left, to the right
    counts: list[int] = field(default_factory=lambda: [0, 0])

    def take(self, gradient: float) -> float:
        """How far to move for one more gradient: 0 unless enough of them are averaged."""
        self.total += gradient
        self.n_summed += 1
        if self.n_summed < self.n_averaged:
            return 0.0
        total, self.total, self.n_summed = self.total, 0.0, 0
        direction = -int(np.sign(total))
        if direction:
            side = int(direction > 0)
            self.sums[side] += abs(total)
            self.counts[side] += 1
        self.place += direction
        self.moves += 1
        if self._is_sampled():
            self.lowest, self.highest = min(self.lowest, self.place), max(self.highest, self.place)
        move = direction * self.step
        if self.moves >= self.length:
            self._end_episode()
        return move

    def _is_sampled(self) -> bool:
        """Whether this move is one of 100 at equal distances, or of all if there are fewer."""
        n, k = self.length, self.moves
        return n <= _SAMPLES or (k * _SAMPLES) // n != ((k - 1) * _SAMPLES) // n

    def _end_episode(self) -> None:
        self._adapt(*self._statistics())
        self.moves = self.place = self.lowest = self.highest = 0
        self.sums, self.counts = [0.0, 0.0], [0, 0]

    def _statistics(self) -> tuple[float, float, float | None]:
        """S1, S2 and S3."""
        root = np.sqrt(self.length)
        return abs(self.place) / root, (self.highest - self.lowest) / root, self._bias()

    def _adapt(self, end: float, reach: float, bias: float | None) -> None:
        """Step size, length of the next episode and gradients in a move, by the statistics."""
        length = float(self.length)
        if end > _END[1]:
            self.step *= 2.0
            length /= 2
        else:
            if end < _END[0]:
                self.step /= 2.0
                length *= 2
            if reach < _RANGE[0]:
                length /= 2
            elif reach > _RANGE[1]:
                length *= 2
            if bias is not None and bias < _BIAS[0] and self.n_averaged >= 2:
                self.n_averaged //= 2
                length *= 2
            elif bias is not None and bias > _BIAS[1]:
                self.n_averaged *= 2
                length /= 2
        self.length = max(_SHORTEST, int(length))

    def _bias(self) -> float | None:
        """S3: how far the mean gradients to both sides differ; None if one side has none."""
        (left, right), (n_left, n_right) = self.sums, self.counts
        if not n_left or not n_right or left + right == 0.0:
            return None
        return float(self.length**1.5 * abs(right / n_right - left / n_left) / (left + right))


@dataclass(frozen=True)
class NoisyRprop:
    """Rprop for stochastic criteria; values are never compared.

    The result is where the search ends, the mean of its last tenth.

    Attributes
    ----------
    step : float
        First step size, in units of theta: logarithms.
    n_iterations : int or None
        Gradients; None means ``10000 sqrt(n)`` for n parameters.
    smallest, largest : float
        Limits of step sizes; when all are below the smallest the search has converged.
    """

    step: float = 0.1
    n_iterations: int | None = None
    smallest: float = 1e-4
    largest: float = 2.0

    takes_last = True  # of draws: where a walk ends is the result, not the best draw

    def minimize(self, watched: Watched, theta: FloatArray) -> str:
        """Search from ``theta``; returns the status."""
        n = len(theta)
        count = int(np.ceil(1e4 * np.sqrt(n))) if self.n_iterations is None else self.n_iterations
        coordinates = [Coordinate(self.step) for _ in range(n)]
        low, high = watched.bounds.T
        for _ in range(count):
            gradient = watched.gradient(theta)[1]
            moves = np.array([c.take(float(g)) for c, g in zip(coordinates, gradient, strict=True)])
            moved = theta + moves
            # a move that leaves the range is undone
            moved = np.where((moved < low) | (moved > high), theta, moved)
            theta = watched.move_chart(moved) if moves.any() else theta
            for coordinate in coordinates:
                coordinate.step = min(coordinate.step, self.largest)
            if all(coordinate.step < self.smallest for coordinate in coordinates):
                return "converged"
        return "max-evals"
