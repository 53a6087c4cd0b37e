"""Weighted moments of features and targets, gathered block by block."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg.blas import dsyrk

__all__ = ["Moments"]

FloatArray = NDArray[np.float64]

# Relative error of a sum.
ROUNDING = 10 * np.finfo(float).eps


class Moments:
    """What least squares needs to know of all rows: O(rank^2) numbers.

    With a bias everything is centred at the weighted mean. Blocks are centred on their own and
    merged with the difference of the means, so that no digits cancel:

        S_12 = S_1 + S_2 + (W_1 W_2 / W_12) (m_1 - m_2)(m_1 - m_2)'.

    Parameters
    ----------
    rank, n_outputs : int
        Number of features and of targets.
    bias : bool
        Whether there is a free bias.

    Attributes
    ----------
    n_rows : int
        Rows of positive weight seen.
    total : float
        Sum of the weights.
    mean, target_mean : ndarray of shape (rank,) and (n_outputs,)
        Weighted means; zero without a bias.
    inner : ndarray of shape (rank, rank), in Fortran order
        sum_i w_i (phi_i - mean)(phi_i - mean)', lower triangle.
    cross : ndarray of shape (rank, n_outputs)
        sum_i w_i (phi_i - mean)(y_i - target_mean)'.
    square : float
        sum_i w_i |y_i - target_mean|^2.
    rounding : float
        Eigenvalue of ``inner`` that centring may make of zero.
    """

    def __init__(self, rank: int, n_outputs: int, bias: bool) -> None:
        self.bias = bias
        self.n_rows = 0
        self.total = 0.0
        self.mean = np.zeros(rank)
        self.target_mean = np.zeros(n_outputs)
        self.inner = np.zeros((rank, rank), order="F")
        self.cross = np.zeros((rank, n_outputs))
        self.square = 0.0
        self.rounding = 0.0

    def add(self, features: Any, targets: FloatArray, weight: FloatArray) -> None:
        """Add a block of rows; dense features in Fortran order are overwritten."""
        total = float(weight.sum())
        if not total > 0:
            return
        mean, target_mean = np.zeros_like(self.mean), np.zeros_like(self.target_mean)
        if self.bias:
            mean, target_mean = weight @ features / total, weight @ targets / total
            targets = targets - target_mean
        if sp.issparse(features):
            self._add_sparse(features, targets, weight, mean)
        else:
            self._add_dense(features, targets, np.sqrt(weight), mean)
        self.square += float(weight @ np.einsum("ij,ij->i", targets, targets))
        self._merge_means(total, mean, target_mean)
        self.n_rows += int(np.count_nonzero(weight))

    def merged(self, other: Moments) -> Moments:
        """The moments of both sets of rows; neither is changed."""
        both = copy(self)
        both.mean, both.target_mean = self.mean.copy(), self.target_mean.copy()
        both.inner = np.add(self.inner, other.inner, order="F")
        both.cross = self.cross + other.cross
        both.square = self.square + other.square
        both.rounding = self.rounding + other.rounding
        both.n_rows = self.n_rows + other.n_rows
        if other.total > 0:
            both._merge_means(other.total, other.mean, other.target_mean)
        return both

    def _add_dense(
        self, features: FloatArray, targets: FloatArray, scale: FloatArray, mean: FloatArray
    ) -> None:
        if self.bias:
            features -= mean
            # every feature is off by the rounding of its mean
            self.rounding += float(scale @ scale) * float(mean @ mean) * ROUNDING**2
        features *= scale[:, None]
        if features.size:
            self.inner = dsyrk(
                1.0, features, beta=1.0, c=self.inner, trans=1, lower=1, overwrite_c=1
            )
        self.cross += features.T @ (scale[:, None] * targets)

    def _add_sparse(
        self, features: Any, targets: FloatArray, weight: FloatArray, mean: FloatArray
    ) -> None:
        """Sparse rows are not centred one by one: sum w x x' - W m m' instead."""
        weighted = features.multiply(weight[:, None]).tocsr()
        inner = (features.T @ weighted).toarray()
        if self.bias:
            self.rounding += float(np.trace(inner)) * ROUNDING
            inner -= weight.sum() * np.outer(mean, mean)
        self.inner += inner
        # the targets are centred, so the features need not be
        self.cross += weighted.T @ targets

    def _merge_means(self, total: float, mean: FloatArray, target_mean: FloatArray) -> None:
        before, self.total = self.total, self.total + total
        if not self.bias:
            return
        share = before * total / self.total
        step, target_step = mean - self.mean, target_mean - self.target_mean
        if share > 0:
            self.inner += share * np.outer(step, step)
            self.cross += share * np.outer(step, target_step)
            self.square += share * float(target_step @ target_step)
        self.mean += (total / self.total) * step
        self.target_mean += (total / self.total) * target_step
