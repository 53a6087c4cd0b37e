"""Derivatives of a criterion that looks at many machines with one kernel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.selection.adjoint import Trained
from mercer.selection.shared import some_rows

__all__ = ["GradientSum"]

FloatArray = NDArray[np.float64]


class GradientSum:
    """Derivatives by the values of many machines, summed.

    Each machine adds ``left' K' beta`` (:mod:`mercer.selection.adjoint`). The kernel's derivative
    is contracted once, with ``sum_n left_n beta_n'``: that costs little more than for one machine.
    """

    def __init__(self) -> None:
        self.by_C = 0.0
        self._machine: Trained | None = None
        self._left: list[FloatArray] = []
        self._right: list[FloatArray] = []

    def add(self, machine: Trained, at: NDArray[np.intp], slope: FloatArray) -> None:
        """A machine, and the derivative of the criterion by its values at some rows."""
        by_C, left = machine.pulled_back(at, slope)
        self.by_C += by_C
        self._machine = machine
        self._left.append(left)
        self._right.append(machine.row_coef)

    def gradient(self, n_dims: int) -> FloatArray:
        """By the logarithm of C and the kernel's ``theta``, ``n_dims`` in all."""
        out = np.zeros(n_dims)
        out[0] = self.by_C
        machine = self._machine
        if machine is None or n_dims == 1:
            return out
        left, right = np.column_stack(self._left), np.column_stack(self._right)
        used = np.flatnonzero(left.any(axis=1) | right.any(axis=1))
        if len(used):
            # all against all: K' is symmetric, which halves the work
            kernel = machine.gram.kernel
            rows = some_rows(kernel, machine.rows, used)
            out[1:] = kernel.gradient(rows, None, left[used], right[used])
        return out
