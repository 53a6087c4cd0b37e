"""The machines of support vector regression without each row, for jackknife+.

Barber et al. 2021; docs/theory/predictions.md#jackknife-and-cv.

A row without a coefficient leaves the machine as it is. Each other one is solved again on the
same kernel values with its box collapsed, from the solution with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from mercer.gram import Gram
from mercer.gram.native import count_rows
from mercer.kernels import Constant, Kernel
from mercer.machines.kernel_values import make_gram
from mercer.machines.solving import Problems, Solved
from mercer.machines.svm.regressors import KernelRegressor
from mercer.predictions.stacked_rows import stacked
from mercer.solvers.runs.deadline import Deadline
from mercer.training.rows import is_precomputed, read_new_rows

__all__ = ["LeftOutEnds", "LeftOutMachines", "can_leave_out", "left_out_machines"]

FloatArray = NDArray[np.float64]


def can_leave_out(machine: Any) -> bool:
    """Whether a machine is one function of one problem on rows of numbers."""
    return isinstance(machine, KernelRegressor) and not is_precomputed(machine.kernel)


@dataclass(frozen=True, eq=False)
class LeftOutMachines:
    """Functions on the same rows: that of all rows, and those without some.

    Attributes
    ----------
    kernel : Kernel
        The kernel, with the constant of a penalized bias.
    shift : ndarray of shape (n_features,) or None
        Where rows are measured from.
    coef : sparse array of shape (n_machines, n_rows)
        Coefficients, first of the machine of all rows.
    bias : ndarray of shape (n_machines,)
        Biases there.
    member : ndarray of shape (n_rows,)
        Which machine has not seen each row.
    """

    kernel: Kernel
    shift: FloatArray | None
    coef: Any
    bias: FloatArray
    member: NDArray[np.intp]

    def predict(self, X: Any, Z: Any) -> FloatArray:
        """Values of new rows by the machine without each row of ``X``: (n_new, n_rows)."""
        n, m = count_rows(X), count_rows(Z)
        gram = Gram(self.kernel, stacked(X, Z), precision="double", shift=self.shift)
        block = np.asarray(gram.block(np.arange(n, n + m), np.arange(n)), dtype=np.float64)
        return np.asarray((self.coef @ block.T).T + self.bias)[:, self.member]

    def left_out(self, X: Any) -> FloatArray:
        """Value of each row by the machine without it."""
        gram = Gram(self.kernel, X, precision="double", shift=self.shift)
        values = np.empty(len(self.member))
        for k in np.unique(self.member):
            rows, used = np.flatnonzero(self.member == k), self.coef[[k]]
            block = np.asarray(gram.block(rows, used.indices), dtype=np.float64)
            values[rows] = block @ used.data + self.bias[k]
        return values


def left_out_machines(machine: Any, X: Any, y: FloatArray, weight: FloatArray) -> LeftOutMachines:
    """The machine fitted to all rows, and those without each of its support vectors.

    The kernel is that of all rows: a width taken from them ("scale") is not taken anew.
    """
    warm = clone(machine).fit(X, y, sample_weight=weight)
    X = read_new_rows(warm, X)
    warm.warm_start = True
    gram = make_gram(warm, warm.kernel_, X, weight)
    found = [_solved(warm, y, weight, gram)]
    support = np.flatnonzero(found[0].fitted.coef)
    # from here on each solve starts from the machine of all rows
    for i in support:
        without = weight.copy()
        without[i] = 0.0
        found.append(_solved(warm, y, without, gram))
    member = np.zeros(len(y), dtype=np.intp)
    member[support] = np.arange(1, len(found))
    is_penalized = getattr(machine, "fit_intercept", True) == "penalized"
    return LeftOutMachines(
        kernel=warm.kernel_ + Constant(1.0, value_bounds="fixed") if is_penalized else warm.kernel_,
        shift=gram.shift,
        coef=sp.csr_array(np.array([one.fitted.coef for one in found])),
        bias=np.array([0.0 if is_penalized else one.near for one in found]),
        member=member,
    )


def _solved(warm: Any, y: FloatArray, weight: FloatArray, gram: Gram) -> Solved:
    problems = Problems(warm, [warm._formulate(y, weight)], gram, Deadline.after(None))
    return problems.solve(0, None)


@dataclass(frozen=True, eq=False)
class LeftOutEnds:
    """Jackknife+ of machines of one function, or of two at the quantiles alpha/2, 1 - alpha/2.

    Attributes
    ----------
    machine : regressor
        Checks new rows.
    X : rows
        Training rows.
    bands : list of LeftOutMachines
        One, or the lower and the upper one.
    scores, weight : ndarray of shape (n_rows,)
        How far each row is off when left out, and how often it counts.
    """

    machine: Any
    X: Any
    bands: list[LeftOutMachines]
    scores: FloatArray
    weight: FloatArray

    def ends(self, Z: Any) -> tuple[FloatArray, FloatArray]:
        """Lower and upper ends of new rows by the machine without each row: (m, n) each."""
        Z = read_new_rows(self.machine, Z)
        values = [band.predict(self.X, Z) for band in self.bands]
        return values[0] - self.scores, values[-1] + self.scores
