"""How an exporter computes distances and the diagonal of a kernel, and rounds numbers."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mercer.kernels import form as shapes

__all__ = [
    "UNIT",
    "diagonal",
    "equal_diagonal",
    "goes_by_differences",
    "inverse_lengths",
    "narrowed",
    "transformed",
]

FloatArray = NDArray[np.float64]
Precision = Literal["double", "single"]

UNIT: dict[str, float] = {"double": 2.0**-53, "single": 2.0**-24}
# What exponents from norms and inner products may be off by, before differences are taken.
_MOST_LOST: dict[str, float] = {"double": 2.0e-13, "single": 1.0e-7}


def narrowed(values: Any, dtype: Any) -> NDArray[Any]:
    """Numbers in another floating type; ValueError if one becomes infinite there."""
    given = np.asarray(values, dtype=np.float64)
    with np.errstate(over="ignore"):
        found = given.astype(dtype)
    if np.isinf(found).sum() > np.isinf(given).sum():
        raise ValueError(
            f"precision='single' has no numbers of {np.abs(given[np.isfinite(given)]).max():.3g}, "
            "which this machine needs: use precision='double', or scale the rows and targets"
        )
    return found


def transformed(leaf: shapes.Leaf, rows: FloatArray) -> FloatArray:
    """The rows that a kernel is computed from."""
    if leaf.transform is None:
        return rows
    return rows * leaf.transform if leaf.transform.ndim == 1 else rows @ leaf.transform


def goes_by_differences(leaf: shapes.Leaf, centred: FloatArray, precision: Precision) -> bool:
    """Whether |x|^2 + |z|^2 - 2 x'z loses digits that exp(-gamma t) needs.

    It is off by up to 4 u gamma |z|^2, z being the longest of the rows expanded over, measured
    from their mean. Rows that lie farther out lose no more (docs/theory/rounding.md).
    """
    with np.errstate(over="ignore"):
        longest = float(np.einsum("ij,ij->i", centred, centred).max(initial=0.0))
        return not 4.0 * UNIT[precision] * leaf.gamma * longest <= _MOST_LOST[precision]


def diagonal(form: shapes.Form, rows: FloatArray) -> FloatArray:
    """k(x, x) of each row."""
    match form:
        case shapes.Leaf():
            return _leaf_diagonal(form, rows)
        case shapes.Constant():
            return np.full(len(rows), form.value)
        case shapes.Scaled():
            return form.factor * diagonal(form.part, rows)
        case shapes.Sum():
            return np.sum([diagonal(part, rows) for part in form.parts], axis=0)
        case shapes.Product():
            return np.prod([diagonal(part, rows) for part in form.parts], axis=0)
    return np.ones(len(rows))


def equal_diagonal(form: shapes.Form) -> float | None:
    """k(x, x) if it is the same for all rows."""
    match form:
        case shapes.Leaf():
            return 1.0 if form.kind in shapes.EXPONENTIALS else None
        case shapes.Constant():
            return form.value
        case shapes.Scaled():
            part = equal_diagonal(form.part)
            return None if part is None else form.factor * part
        case shapes.Sum() | shapes.Product():
            parts = [level for part in form.parts if (level := equal_diagonal(part)) is not None]
            if len(parts) < len(form.parts):
                return None
            return float(np.sum(parts) if isinstance(form, shapes.Sum) else np.prod(parts))
    return 1.0


def inverse_lengths(form: shapes.Form, rows: FloatArray) -> FloatArray:
    """1 / sqrt(k(x, x)), zero where there is no length."""
    lengths = np.sqrt(diagonal(form, rows))
    return np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)


def _leaf_diagonal(leaf: shapes.Leaf, rows: FloatArray) -> FloatArray:
    if leaf.kind in shapes.EXPONENTIALS:
        return np.ones(len(rows))
    near = transformed(leaf, rows)
    squares = np.einsum("ij,ij->i", near, near)
    inner = leaf.gamma * squares + leaf.coef0
    match leaf.kind:
        case "linear":
            return squares
        case "polynomial":
            return inner**leaf.degree
        case "sigmoid":
            return np.tanh(inner)
    raise TypeError(f"no diagonal is known for kernels of kind {leaf.kind!r}")
