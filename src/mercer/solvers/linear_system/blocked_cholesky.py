"""Cholesky factors and their inverses, block by block: Ctrl-C waits for one block only.

A call of LAPACK cannot be interrupted. Matrices up to ``ONE_CALL`` rows take a fraction of a
second and go there in one piece; larger ones go in blocks of ``BLOCK`` columns, at about the
same cost.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from scipy.linalg.blas import dtrsm
from scipy.linalg.lapack import dpotrf, dtrtri

__all__ = ["cholesky", "triangular_inverse"]

FloatArray = NDArray[np.float64]

ONE_CALL, BLOCK = 3_000, 1_000


def cholesky(A: FloatArray) -> FloatArray:
    """L of A = L L', in place of A; its upper triangle becomes zero.

    Parameters
    ----------
    A : ndarray of shape (n, n), in Fortran order
        Its lower triangle is read; overwritten.

    Raises
    ------
    LinAlgError
        If A is not positive definite.
    """
    if len(A) <= ONE_CALL:
        return _factor(A) if len(A) else A
    for part in _blocks(len(A)):
        panel = A[part.start :, part].copy(order="F")
        # A_pJ - sum_{K < J} L_pK L_JK'
        for left in _blocks(part.start):
            panel -= A[part.start :, left] @ A[part, left].T
        width = panel.shape[1]
        panel[:width] = top = _factor(panel[:width])
        if len(panel) > width:
            panel[width:] = dtrsm(1.0, top, panel[width:], side=1, lower=1, trans_a=1)
        A[: part.start, part] = 0.0
        A[part.start :, part] = panel
    return A


def triangular_inverse(L: FloatArray) -> FloatArray:
    """The inverse of a lower triangle, a new array in Fortran order.

    X_II = L_II^-1 and X_IJ = -L_II^-1 sum_{J <= K < I} L_IK X_KJ for J < I.
    """
    if len(L) <= ONE_CALL:
        return dtrtri(L, lower=1)[0] if len(L) else L.copy(order="F")
    X = np.zeros(L.shape, order="F")
    for part in _blocks(len(L)):
        own = dtrtri(L[part, part], lower=1)[0]
        X[part, part] = own
        for left in _blocks(part.start):
            between = slice(left.start, part.start)
            X[part, left] = -own @ (L[part, between] @ X[between, left])
    return X


def _blocks(n: int) -> Iterator[slice]:
    return (slice(start, min(start + BLOCK, n)) for start in range(0, n, BLOCK))


def _factor(A: FloatArray) -> FloatArray:
    lower, info = dpotrf(A, lower=1, clean=1, overwrite_a=1)
    if info:
        raise LinAlgError("the matrix is not positive definite")
    return lower
