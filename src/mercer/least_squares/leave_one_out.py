"""Leave-one-out values of all rows from one factorization: the exact formula in the dual."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mercer.solvers.linear_system.dual_system import DualSystem
from mercer.solvers.linear_system.factors import SpectralFactor, linear_form, quadratic_form

__all__ = ["LeaveOneOutSystem"]

FloatArray = NDArray[np.float64]


class LeaveOneOutSystem(DualSystem):
    """A factored system that knows the value of each row by the machine of all others.

    With B the bordered matrix of the system (docs/theory/least_squares.md#leave-one-out-values),

        y_i - f(x_i) = alpha c_i / weight_i,    y_i - f_-i(x_i) = c_i / [B^-1]_ii.

    The inverse is that of the factor: nothing of it is computed before it is asked for.
    """

    @cached_property
    def _z(self) -> FloatArray:
        return self.directions.T @ self.system.centred

    def evaluate(self, alphas: FloatArray, rows: slice) -> tuple[FloatArray, FloatArray]:
        """Fitted and leave-one-out values of some rows.

        In terms of U = c / s and M = s [B^-1] s both differences are divided by s_i.
        """
        filters = self.factor.filters(alphas)
        T, y = self.directions[rows], self.system.targets[rows]
        U = linear_form(T, filters, self._z) / self.system.scale[rows, None]
        M = quadratic_form(T, filters)[:, :, None]
        # a lone row with a bias: without it there is no machine, and its value counts as 0
        held_out = np.divide(U, M, out=np.broadcast_to(y, U.shape).copy(), where=M > 0)
        return y - alphas[:, None, None] * U, y - held_out

    def dof(self, alphas: FloatArray) -> FloatArray:
        """tr(S) = n - alpha tr(M)."""
        if isinstance(self.factor, SpectralFactor):
            return self.factor.shrinkage(alphas) + float(self.system.bias)
        return self.n_rows - alphas * np.vdot(self.directions, self.directions)
