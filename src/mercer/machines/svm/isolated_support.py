"""Machines whose support vectors are similar to themselves only: they are the nearest neighbour."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.kernels import Kernel, Normalized
from mercer.training.rows import is_precomputed

__all__ = ["is_support_isolated"]

_ALONE = 0.05  # normalized kernel value of the nearest other row: each sees hardly but itself
_SAMPLE = 256  # support vectors looked at


def is_support_isolated(machine: Any) -> bool:
    """Whether support vectors are similar to themselves only."""
    vectors = machine.support_vectors_
    n = vectors.shape[0] if hasattr(vectors, "shape") else len(vectors)
    if is_precomputed(machine.kernel) or n < 2:
        return False
    kernel: Kernel = Normalized(machine.kernel_)
    step = -(-n // _SAMPLE)
    try:
        values = kernel(vectors[::step], vectors)
    except ValueError:
        # k(x, x) < 0: the kernel is no similarity
        return False
    sample = np.arange(0, n, step)
    values[np.arange(len(sample)), sample] = -np.inf
    return bool(np.median(values.max(axis=1)) < _ALONE)
