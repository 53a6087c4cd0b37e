"""Rprop and iRprop+: steps by the sign of each derivative (Riedmiller & Braun 1993).

A step size grows while its derivative keeps its sign and shrinks when it changes. iRprop+ takes
back a step after which the sign changed and the value grew (Igel & Huesken 2003). Monotone
transformations of the criterion change nothing; noise lets step sizes shrink too early, see
:mod:`mercer.selection.optimizers.noisy_rprop`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.selection.history import Watched

__all__ = ["IRpropPlus", "Rprop"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Rprop:
    """Steps by the sign of each derivative.

    Attributes
    ----------
    step : float
        First step size, in units of theta: logarithms.
    n_iterations : int or None
        Steps; None means ``100 sqrt(n)`` for n parameters.
    smallest, largest : float
        Limits of step sizes; when all are below the smallest the search has converged.
    fixed_size : bool
        Whether a metric, full or diagonal, keeps its determinant.
    fixed_C : bool
        Whether C stays as it is.
    """

    step: float = 0.1
    n_iterations: int | None = None
    smallest: float = 1e-6
    largest: float = 2.0
    fixed_size: bool = False
    fixed_C: bool = False

    takes_back = False
    takes_last = True

    def minimize(self, watched: Watched, theta: FloatArray) -> str:
        """Search from ``theta``; returns the status."""
        n = len(theta)
        count = int(np.ceil(100 * np.sqrt(n))) if self.n_iterations is None else self.n_iterations
        sizes = np.full(n, self.step)
        last, moves, value = np.zeros(n), np.zeros(n), np.inf
        for _ in range(count):
            new_value, gradient = watched.gradient(theta)
            if not np.isfinite(new_value):
                # back, and go on in smaller steps; exp(-A) undoes exp(A)
                theta, sizes = watched.move_chart(theta - moves), 0.5 * sizes
                last, moves = np.zeros(n), np.zeros(n)
                if (sizes <= self.smallest).all():
                    return "converged"
                continue
            gradient = projected(watched, gradient) if self.fixed_size else gradient
            gradient[0] *= not self.fixed_C
            if not gradient.any() and not last.any():
                return "flat"
            same, other = last * gradient > 0, last * gradient < 0
            sizes = np.where(same, np.minimum(1.2 * sizes, self.largest), sizes)
            sizes = np.where(other, np.maximum(0.5 * sizes, self.smallest), sizes)
            steps = -np.sign(gradient) * sizes
            if self.takes_back:
                steps = np.where(other, -moves if new_value > value else 0.0, steps)
                gradient = np.where(other, 0.0, gradient)
            steps = projected(watched, steps) if self.fixed_size else steps
            moved = np.clip(theta + steps, *watched.bounds.T)
            moves, last, value = moved - theta, gradient, new_value
            theta = watched.move_chart(moved)
            if (sizes <= self.smallest).all():
                return "converged"
        return "max-evals"


@dataclass(frozen=True)
class IRpropPlus(Rprop):
    """Rprop that takes back steps that made things worse."""

    takes_back = True


def projected(watched: Watched, vector: FloatArray) -> FloatArray:
    """The part of a step, or gradient, of a metric that leaves its determinant alone.

    The determinant of exp(A) B exp(A) grows by exp(2 tr A): the mean of the diagonal goes. That of
    widths of features is their product.
    """
    out = vector.copy()
    diagonal = _diagonal_entries(watched)
    out[diagonal] -= out[diagonal].mean()
    return out


def _diagonal_entries(watched: Watched) -> NDArray[np.intp]:
    """Entries of theta that change the determinant of the metric that is searched."""
    kernel = watched.objective.space.kernel
    gamma = np.asarray(getattr(kernel, "gamma", 0.0))
    if gamma.ndim == 0:
        raise ValueError(f"fixed_size needs a Gaussian kernel of several widths, got {kernel!r}")
    if gamma.ndim == 1:
        return np.arange(1, 1 + len(gamma))
    return 1 + np.flatnonzero(np.equal(*np.triu_indices(len(gamma))))
