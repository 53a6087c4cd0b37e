"""The metric a kernel makes of the space of rows."""

from __future__ import annotations

import numpy as np

from mercer.kernels.base import Kernel
from mercer.kernels.rows import FloatArray, Rows

__all__ = ["kernel_distance"]

# Share of k(x, x) + k(z, z) below which a negative square is rounding.
_ROUNDING = 1e-6


def kernel_distance(kernel: Kernel, X: Rows, Z: Rows | None = None) -> FloatArray:
    """Distances in feature space, d(x, z) = sqrt(k(x, x) + k(z, z) - 2 k(x, z)).

    A metric (up to rows that are different but have the same features) if the kernel is positive
    semi-definite. Squares carry the rounding of kernel values: a distance below some 1e-8 of
    sqrt(k(x, x)) may come out as 0.

    Parameters
    ----------
    kernel : Kernel
        Positive semi-definite, with all its parameters numbers.
    X, Z : rows
        `Z` is `X` if None, and the distance of a row to itself exactly 0.

    Returns
    -------
    ndarray of shape (n, m)

    Examples
    --------
    >>> from mercer.kernels import Linear, kernel_distance
    >>> kernel_distance(Linear(), [[0.0, 0.0]], [[3.0, 4.0]])
    array([[5.]])
    """
    if kernel.definiteness == "refuted":
        raise ValueError(f"a distance needs a positive semi-definite kernel, got {kernel!r}")
    own = kernel.diag(X)
    other = own if Z is None or Z is X else kernel.diag(Z)
    sums = np.add.outer(own, other)
    squares = sums - 2.0 * kernel(X, Z)
    if Z is None or Z is X:
        np.fill_diagonal(squares, 0.0)
    if (squares < -_ROUNDING * np.abs(sums)).any():
        raise ValueError(
            f"a distance needs a positive semi-definite kernel, got {kernel!r} with a square of "
            f"{float(squares.min()):.3g}"
        )
    return np.sqrt(np.maximum(squares, 0.0))
