"""The certificate of a linear system: how far its two sides are apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mercer.solvers.linear_system.system import System

__all__ = ["dual_residual", "relative_residual", "target_sizes"]

FloatArray = NDArray[np.float64]


def relative_residual(rest: FloatArray, sizes: FloatArray) -> float:
    """Largest |rest| / size over the columns; of a column of size 0 the rest itself."""
    norms = column_norms(rest)
    return float(np.divide(norms, sizes, out=norms, where=sizes > 0).max(initial=0.0))


def target_sizes(system: System) -> FloatArray:
    """|P sY| of each output: what a bias alone explains does not count, unless it is all."""
    sizes = column_norms(system.centred)
    whole = column_norms(system.scale[:, None] * system.targets)
    return np.where(sizes > 0, sizes, whole)


def column_norms(matrix: FloatArray) -> FloatArray:
    """Length of each column, without overflow of squares; infinite if an entry is."""
    largest = np.abs(matrix).max(axis=0, initial=0.0)
    scale = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
    norms = scale * np.linalg.norm(matrix / scale, axis=0)
    return np.where(np.isfinite(largest), norms, np.inf)


def dual_residual(
    system: System,
    alpha: float,
    coef: FloatArray,
    intercept: FloatArray,
    product: Callable[[FloatArray], FloatArray],
    diagonal: FloatArray,
) -> float:
    """Largest |s (Y - K C - alpha C / w - 1 b')| / |P sY| over the outputs, for two scales s.

    One is that of the weights. In the other no weight is above alpha / max k(x, x): rows above
    are fitted rather than averaged, and a heavier one would hide what the others lack.

    ``product`` goes from V to K V, ``diagonal`` is that of K.
    """
    values = product(coef) + intercept
    largest = float(np.abs(diagonal).max(initial=0.0))
    cap = max(alpha / largest, np.finfo(float).tiny) if largest > 0 else np.inf
    even = replace(system, weight=np.minimum(system.weight, cap))
    parts = [_scaled_residual(part, system.weight, alpha, coef, values) for part in (system, even)]
    return float(np.max(parts))  # unlike max, NaN where one is


def _scaled_residual(
    system: System, weight: FloatArray, alpha: float, coef: FloatArray, values: FloatArray
) -> float:
    """The relative residual of the system of ``weight`` in the scale of ``system``."""
    s, w = system.scale[:, None], weight[:, None]
    rest = s * (system.targets - values) - alpha * (coef * (s / w))
    return relative_residual(rest, target_sizes(system))
