"""Leave-one-out values of rows of leverage near 1, where (y - f) / (1 - h) cancels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mercer.solvers.linear_system.blocked_cholesky import cholesky, triangular_inverse
from mercer.solvers.linear_system.factors import linear_form

if TYPE_CHECKING:
    from mercer.least_squares.features import FeatureSolver

__all__ = ["left_out_values"]

FloatArray = NDArray[np.float64]


def left_out_values(
    others: FeatureSolver,
    features: Any,
    targets: FloatArray,
    weight: FloatArray,
    alphas: FloatArray,
) -> FloatArray:
    """f_-i(x_i) of a few rows from the machine of all others: (n_alphas, n_rows, n_outputs).

    See docs/theory/least_squares.md#rows-of-high-leverage. With f_R, S_R and W_R those of the
    other rows, features centred at their mean and s = sqrt(w),

        B = I + s [1/W_R + Phi (S_R + alpha)^-1 Phi'] s,    r = s (y - f_R),
        y_i - f_-i(x_i) = [B^-1 r]_i / ([B^-1]_ii s_i):

    sums of positive terms in place of differences.
    """
    T, filters = others.coordinates(features), others.factor.filters(alphas)
    before = others.moments.target_mean + linear_form(T, filters, others.z)
    constant = 1.0 / others.moments.total if others.moments.bias else 0.0
    s = np.sqrt(weight)[:, None]
    values = np.empty(before.shape)
    for k in range(len(alphas)):
        B = s * (constant + (T * filters[k]) @ T.T) * s.T
        np.einsum("ii->i", B)[:] += 1.0
        inverse = triangular_inverse(cholesky(np.asfortranarray(B)))
        step = inverse.T @ (inverse @ (s * (targets - before[k])))
        values[k] = targets - step / (s * np.einsum("ij,ij->j", inverse, inverse)[:, None])
    return values
