"""Weights of the features of a machine with a linear kernel."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.kernels import Linear

__all__ = ["linear_coef"]


def linear_coef(machine: Any, class_cuts: NDArray[np.intp]) -> Any:
    """``dual_coef_ @ support_vectors_``, one row a decision function; read-only.

    ``class_cuts`` are the places that separate the support vectors of one class from the
    next.
    """
    if not isinstance(machine.kernel_, Linear):
        raise AttributeError("coef_ is only available when using a linear kernel")
    if len(class_cuts) <= 1:
        coef = machine.dual_coef_ @ machine.support_vectors_
    else:
        coef = _pair_coef(machine.dual_coef_, machine.support_vectors_, class_cuts)
    if sp.issparse(coef):
        coef.data.flags.writeable = False
    else:
        coef.flags.writeable = False
    return coef


def _pair_coef(dual_coef: Any, vectors: Any, class_cuts: NDArray[np.intp]) -> Any:
    """Each pair of classes has its own coefficients on the two classes' support vectors."""
    cuts = [0, *class_cuts.tolist(), vectors.shape[0]]
    part = [slice(cuts[c], cuts[c + 1]) for c in range(len(cuts) - 1)]
    rows = [
        dual_coef[[j - 1], part[i]] @ vectors[part[i]] + dual_coef[[i], part[j]] @ vectors[part[j]]
        for i, j in combinations(range(len(part)), 2)
    ]
    return sp.vstack(rows).tocsr() if sp.issparse(rows[0]) else np.vstack(rows)
