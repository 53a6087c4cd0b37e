"""How much the functions of a machine move with each feature."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram.native import count_rows, take_rows
from mercer.kernels.blocks import row_slices
from mercer.kernels.row_slopes import has_row_slopes, row_slopes
from mercer.machines.base import KernelMachine
from mercer.machines.functions import functions_of, kernel_machine
from mercer.training.rows import read_new_rows

__all__ = ["sensitivity", "sensitivity_at"]

FloatArray = NDArray[np.float64]
_MOST_ROWS = 200
_BLOCK_BYTES = 2**24


def sensitivity(machine: Any, X: Any) -> FloatArray:
    """Root mean square of the derivative of the machine's functions by each feature.

    Parameters
    ----------
    machine : fitted machine
        With a differentiable kernel: any of mercer's but those of strings, functions or a stored
        matrix.
    X : array-like or sparse matrix of shape (n_rows, n_features)
        Where to look; of more than 200 rows that many are taken, evenly spaced.

    Returns
    -------
    ndarray of shape (n_features,)
        In units of the function for each unit of the feature: times the deviations of the features
        the numbers can be compared.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.predictions import sensitivity
    >>> X = [[0.0, 5.0], [1.0, 5.0], [2.0, 5.0], [3.0, 5.0]]
    >>> sensitivity(SVC(kernel="linear").fit(X, [0, 0, 1, 1]), X).round(3).tolist()
    [1.0, 0.0]
    """
    own = kernel_machine(machine)
    return sensitivity_at(own, read_new_rows(own, X))


def sensitivity_at(own: KernelMachine, rows: Any) -> FloatArray:
    """The same for rows that are checked: those that a search was given have no names any more."""
    functions = functions_of(own)
    if not has_row_slopes(functions.kernel):
        raise ValueError(
            f"machine must have a differentiable kernel, got {functions.kernel!r}, whose "
            "derivatives by the rows are not known"
        )
    count = count_rows(rows)
    index = np.linspace(0, count - 1, min(count, _MOST_ROWS)).round().astype(np.intp)
    rows = take_rows(rows, index)
    total = np.zeros(rows.shape[1])
    size = 8 * functions.kernel.entry_arrays * len(functions.coef)
    for part in row_slices(len(index), size, _BLOCK_BYTES):
        block = rows[part]
        for coef in functions.coef.T:
            weights = np.broadcast_to(coef, (block.shape[0], len(coef)))
            total += (row_slopes(functions.kernel, block, functions.rows, weights) ** 2).sum(axis=0)
    return np.sqrt(total / (len(index) * functions.coef.shape[1]))
