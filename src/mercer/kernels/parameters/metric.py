"""The manifold of symmetric positive definite matrices (Glasmachers & Igel 2005).

The kernel is ``exp(-1/2 |B (x - z)|^2)`` with B symmetric positive definite. A symmetric
matrix A moves it to ``B(A) = exp(A) B exp(A)``, so that A = 0 is the current point and no step
leaves the manifold. Kernels here are written ``exp(-(x - z)' G (x - z))``, hence ``G = B^2 / 2``.
The coordinates of A are its entries on and above the diagonal, row by row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm, expm_frechet, solve_continuous_lyapunov

from mercer.kernels.parameters.hyperparameters import Parameter
from mercer.kernels.rows import FloatArray

__all__ = [
    "MetricParameter",
    "chart_gradient",
    "chart_pullback",
    "exponential_step",
    "symmetric_root",
]


def symmetric_root(metric: FloatArray) -> FloatArray:
    """``B = (2 G)^(1/2)``."""
    values, vectors = np.linalg.eigh(2.0 * metric)
    return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T


def exponential_step(metric: FloatArray, step: FloatArray) -> FloatArray:
    """G after ``B <- exp(A) B exp(A)``, A given by its upper triangle.

    Eigenvalues that float64 cannot tell from zero beside the largest one are raised to where
    it can, so that the matrix is positive definite in numbers too, for every step.
    """
    values, vectors = np.linalg.eigh(_symmetric(step, len(metric)))
    with np.errstate(over="ignore", invalid="ignore"):
        exponential = (vectors * np.exp(values)) @ vectors.T
        moved = exponential @ symmetric_root(metric) @ exponential
    if not 1e-150 < np.abs(moved).max() < 1e150:
        raise ValueError(f"step is too long for float64: its eigenvalues are {values}")
    roots, vectors = np.linalg.eigh((moved + moved.T) / 2.0)
    floor = np.sqrt(64.0 * len(metric) * np.finfo(np.float64).eps)
    roots = np.maximum(roots, floor * roots[-1])
    result = (vectors * (roots**2 / 2.0)) @ vectors.T
    return (result + result.T) / 2.0


def chart_gradient(metric: FloatArray, root: FloatArray, moment: FloatArray) -> FloatArray:
    """``sum w k d/da_ij``-gradient at A = 0 from ``moment = sum w k (x-z)(x-z)'``.

    With d = x - z, e = B d, h = B e (Glasmachers 2008, section 10.1):
    ``-k (d_i h_j + d_j h_i + 2 e_i e_j)`` off the diagonal, ``-k (d_i h_i + e_i^2)`` on it.
    """
    turned = 2.0 * metric @ moment
    gradient = -(turned + turned.T) - 2.0 * root @ moment @ root
    gradient[np.diag_indices_from(gradient)] /= 2.0
    return gradient[np.triu_indices_from(gradient)]


def chart_pullback(metric: FloatArray, step: FloatArray, gradient: FloatArray) -> FloatArray:
    """A gradient in the chart of B = exp(A) B_0 exp(A), in the chart of B_0 at A.

    A step E in the chart of B moves it by E B + B E: with Q the derivative by B, the gradient
    there is M = Q B + B Q, which gives Q. A step E in the chart of B_0 moves exp(A) by its
    derivative D(E), symmetric as a map, so that the gradient is D(B_0 exp(A) Q + Q exp(A) B_0).
    """
    size = len(metric)
    start, A = symmetric_root(metric), _symmetric(step, size)
    halved = _symmetric(gradient, size)
    halved[~np.eye(size, dtype=bool)] /= 2.0  # an entry off the diagonal stands for two
    exponential = expm(A)
    Q = solve_continuous_lyapunov(exponential @ start @ exponential, halved)
    half = start @ exponential @ Q
    moved = expm_frechet(A, half + half.T, compute_expm=False)
    moved += np.triu(moved, 1) + np.tril(moved, -1)
    return np.asarray(moved[np.triu_indices(size)])


@dataclass(frozen=True)
class MetricParameter(Parameter):
    """A symmetric positive definite matrix, at the origin of its own chart."""

    @property
    def coordinates(self) -> FloatArray:
        """Zero: the chart starts at the current matrix."""
        size = len(np.asarray(self.value))
        return np.zeros(size * (size + 1) // 2)

    @property
    def bounds(self) -> FloatArray:
        """None: every step ends on the manifold."""
        return np.tile([-np.inf, np.inf], (self.coordinates.size, 1))

    @property
    def element_names(self) -> list[str]:
        """``name[i,j]`` for i <= j."""
        rows, columns = np.triu_indices(len(np.asarray(self.value)))
        return [f"{self.name}[{i},{j}]" for i, j in zip(rows, columns, strict=True)]

    def moved(self, coordinates: FloatArray) -> FloatArray:
        """Return the matrix the exponential map leads to."""
        return exponential_step(np.asarray(self.value), coordinates)

    def pulled_back(self, coordinates: FloatArray, gradient: FloatArray) -> FloatArray:
        """The gradient in the chart of the matrix moved to, brought to this one."""
        return chart_pullback(np.asarray(self.value), coordinates, gradient)


def _symmetric(upper: FloatArray, size: int) -> FloatArray:
    matrix = np.zeros((size, size))
    matrix[np.triu_indices(size)] = upper
    return matrix + np.triu(matrix, 1).T
