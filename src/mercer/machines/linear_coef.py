"""Weights of the features of a machine with a linear kernel."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.gram.shift import moved, shift_of_far_rows
from mercer.kernels import Kernel, Linear, Polynomial, Scaled, Sum

__all__ = ["linear_coef", "linear_factor", "near_vectors"]


def linear_coef(machine: Any, class_cuts: NDArray[np.intp]) -> Any:
    """``dual_coef_ @ support_vectors_``, one row a decision function; read-only.

    ``class_cuts`` are the places that separate the support vectors of one class from the
    next.
    """
    factor = linear_factor(machine.kernel_)
    if factor is None:
        raise AttributeError("coef_ is only available when using a linear kernel")
    vectors = near_vectors(machine)
    if len(class_cuts) <= 1:
        coef = machine.dual_coef_ @ vectors
    else:
        coef = _pair_coef(machine.dual_coef_, vectors, class_cuts)
    coef = coef if factor == 1.0 else factor * coef
    if sp.issparse(coef):
        coef.data.flags.writeable = False
    else:
        coef.flags.writeable = False
    return coef


def near_vectors(machine: Any) -> Any:
    """The support vectors, measured from their mean if they are far from zero and may be."""
    vectors = machine.support_vectors_
    shift = shift_of_far_rows(machine.kernel_.form(), vectors) if machine._sums_vanish() else None
    return vectors if shift is None else moved(vectors, shift)


def linear_factor(kernel: Kernel) -> float | None:
    """The factor of x'z if that is all the kernel is, else None."""
    if isinstance(kernel, Linear):
        return 1.0
    if isinstance(kernel, Scaled):
        part = linear_factor(kernel.kernel)
        return None if part is None else float(kernel.factor) * part
    if isinstance(kernel, Sum):
        left, right = linear_factor(kernel.left), linear_factor(kernel.right)
        return None if left is None or right is None else left + right
    if isinstance(kernel, Polynomial) and kernel.degree == 1 and kernel.coef0 == 0:
        return float(kernel.gamma)
    return None


def _pair_coef(dual_coef: Any, vectors: Any, class_cuts: NDArray[np.intp]) -> Any:
    """Each pair of classes has its own coefficients on the two classes' support vectors."""
    cuts = [0, *class_cuts.tolist(), vectors.shape[0]]
    part = [slice(cuts[c], cuts[c + 1]) for c in range(len(cuts) - 1)]
    rows = [
        dual_coef[[j - 1], part[i]] @ vectors[part[i]] + dual_coef[[i], part[j]] @ vectors[part[j]]
        for i, j in combinations(range(len(part)), 2)
    ]
    return sp.vstack(rows).tocsr() if sp.issparse(rows[0]) else np.vstack(rows)
