"""Probabilities of all classes from those of their pairs (Wu et al. 2004, section 4.2).

r_ij being the probability of class i among i and j, the p with sum 1 that minimizes

    sum_i sum_{j != i} (r_ji p_i - r_ij p_j)^2

solves [[Q, e], [e', 0]] (p; b) = (0; 1), Q_ii = sum_{s != i} r_si^2, Q_ij = -r_ji r_ij; it is not
negative (their theorem 2).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["coupled"]

FloatArray = NDArray[np.float64]
_LEAST = 1e-7  # of the probability of a pair, which keeps Q regular (LIBSVM's number)
_BLOCK = 2**22  # numbers of the systems solved together


def coupled(first: FloatArray, n_classes: int) -> FloatArray:
    """Probabilities of classes, (n, n_classes).

    ``first`` are those of the first class of each pair, (n, n_pairs), in the order (0, 1),
    (0, 2), ..., (1, 2), ...

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.calibration.coupling import coupled
    >>> first = np.array([[0.9, 0.8, 0.5]])  # of 0 against 1, 0 against 2, 1 against 2
    >>> coupled(first, 3).round(3).tolist()
    [[0.735, 0.102, 0.163]]
    """
    out = np.empty((len(first), n_classes))
    size = max(1, _BLOCK // (n_classes + 1) ** 2)
    for begin in range(0, len(first), size):
        rows = slice(begin, begin + size)
        out[rows] = _solved(np.clip(first[rows], _LEAST, 1.0 - _LEAST), n_classes)
    np.maximum(out, 0.0, out=out)  # rounding
    return out / out.sum(axis=1, keepdims=True)


def _solved(first: FloatArray, k: int) -> FloatArray:
    i, j = np.triu_indices(k, 1)
    r = np.zeros((len(first), k, k))
    r[:, i, j], r[:, j, i] = first, 1.0 - first
    system = np.zeros((len(first), k + 1, k + 1))
    system[:, :k, :k] = -r * r.transpose(0, 2, 1)
    each = np.arange(k)
    system[:, each, each] = np.square(r).sum(axis=1)
    system[:, :k, k] = system[:, k, :k] = 1.0
    right = np.zeros((len(first), k + 1, 1))
    right[:, k] = 1.0
    return np.asarray(np.linalg.solve(system, right)[:, :k, 0], dtype=np.float64)
