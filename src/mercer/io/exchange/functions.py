"""The function of a fitted machine: kernel, rows, coefficients and bias as plain arrays."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram.expansion import Expansion
from mercer.io.exchange.model import Function
from mercer.kernels import Kernel
from mercer.kernels import form as shapes
from mercer.machines.linear_coef import linear_factor

__all__ = ["function_of"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


def function_of(machine: Any) -> Function:
    """The function of a fitted machine; ValueError names a kernel that cannot be exported."""
    if "coef_" in vars(machine):
        return _of_weights(machine)
    check_kernel(machine.kernel_)
    expansion = _expansion_of(machine)
    pairs = _pair_columns(len(expansion.parts))
    found = Function(
        form=expansion.form,
        rows=_dense(expansion.rows if expansion.shift is None else expansion._near_rows),
        weights=expansion.weights,
        cuts=(0, *(part.stop for part in expansion.parts)),
        pairs=pairs,
        bias=_bias_of(machine, expansion, pairs),
        shift=expansion.shift,
    )
    factor = linear_factor(machine.kernel_)
    return found if factor is None else _collapsed(found, factor)


def check_kernel(kernel: Kernel) -> None:
    """Raise ValueError for kernels that are Python functions or read a stored matrix."""
    form = kernel.form()
    if form.reads_python or form.reads_stored:
        raise ValueError(
            f"a machine with the kernel {kernel!r} cannot be exported; linear, polynomial, "
            "Gaussian, Laplacian and sigmoid kernels, their sums, products, scaled and normalized "
            "ones can"
        )


def _of_weights(machine: Any) -> Function:
    """A linear machine that has weights of features in place of coefficients."""
    weights = _dense(machine.coef_)
    shift = vars(machine).get("_shift")
    bias = np.asarray(machine._bias, dtype=np.float64)
    return Function(shapes.Leaf("linear"), weights, None, (0, len(weights)), None, bias, shift)


def _expansion_of(machine: Any) -> Expansion:
    if hasattr(machine, "_expanded"):
        return machine._expanded.exact
    coef = _dense(machine.dual_coef_).T
    return Expansion(machine.kernel_, machine.support_vectors_, coef, sums_vanish=True)


def _pair_columns(n_parts: int) -> tuple[IntArray, IntArray] | None:
    """Columns of the parts side by side that make up the pair (i, j): j - 1 of i, and i of j."""
    if n_parts == 1:
        return None
    width = n_parts - 1
    pairs = list(combinations(range(n_parts), 2))
    first = np.array([i * width + j - 1 for i, j in pairs], dtype=np.intp)
    return first, np.array([j * width + i for i, j in pairs], dtype=np.intp)


def _bias_of(
    machine: Any, expansion: Expansion, pairs: tuple[IntArray, IntArray] | None
) -> FloatArray:
    """The bias, with what the values lack because of a shift that the machine does not know."""
    bias = np.asarray(getattr(machine, "_bias", machine.intercept_), dtype=np.float64)
    if expansion.shift is None or expansion._given_shift is not None:
        return bias
    offsets = expansion._shift_offsets.ravel()
    return bias + (offsets if pairs is None else offsets[pairs[0]] + offsets[pairs[1]])


def _collapsed(found: Function, factor: float) -> Function:
    """A linear kernel: one vector of weights for each machine, f(x) = w'x + b."""
    assert found.weights is not None
    cuts = zip(found.cuts[:-1], found.cuts[1:], strict=True)
    parts = [found.weights[i:j].T @ found.rows[i:j] for i, j in cuts]
    weights = factor * np.vstack(parts)
    if found.pairs is not None:
        weights = weights[found.pairs[0]] + weights[found.pairs[1]]
    cut = (0, len(weights))
    return Function(shapes.Leaf("linear"), weights, None, cut, None, found.bias, found.shift)


def _dense(rows: Any) -> FloatArray:
    dense = rows.toarray() if hasattr(rows, "toarray") else rows
    return np.ascontiguousarray(dense, dtype=np.float64)
