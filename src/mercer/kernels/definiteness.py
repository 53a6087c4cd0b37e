"""Whether kernel matrices are positive semi-definite, and how that is known.

Duality gaps, paths and leave-one-out formulas hold for positive semi-definite kernels only. Of a
Python function or a given matrix that is not known in advance; a few of its values can refute it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigvalsh

from mercer import _core

__all__ = ["SAMPLE_ROWS", "Definiteness", "as_statement", "refutation", "stated", "weakest"]

Definiteness = Literal["known", "stated", "unknown", "refuted"]
# Rows worth looking at together: a factorization of their matrix takes a millisecond.
SAMPLE_ROWS = 256
# From what proves least to what proves most.
_ORDER: tuple[Definiteness, ...] = ("refuted", "unknown", "stated", "known")


def as_statement(value: Any) -> bool | None:
    """The statement of a caller about a kernel: True, False, or None."""
    if value is None or isinstance(value, (bool, np.bool_)):
        return None if value is None else bool(value)
    raise TypeError(f"positive_definite must be True, False or None, got {value!r}")


def stated(statement: bool | None) -> Definiteness:
    """The word for a kernel of which only a statement is known."""
    if statement is None:
        return "unknown"
    return "stated" if statement else "refuted"


def weakest(words: Iterable[Definiteness]) -> Definiteness:
    """The word for a sum or a product of kernels."""
    return min(words, key=_ORDER.index)


def refutation(values: NDArray[Any]) -> str | None:
    """Why the kernel matrix of some rows is not positive semi-definite; None if it may be.

    Values that were rounded to single precision refute nothing by that: their errors, at most
    eps/2 of the largest value s each, move no eigenvalue of m rows further than about
    eps s sqrt(m).
    """
    matrix = np.ascontiguousarray(values, dtype=np.float64)
    is_finite, size, skew, _ = _core.matrix_facts(matrix, np.zeros(len(matrix)))
    if size == 0.0 or not is_finite:
        return None
    if skew > 1e-5 * size:
        return f"k(x, z) and k(z, x) differ by up to {skew:.3g}"
    slack = 2.0 * float(np.finfo(np.float32).eps) * np.sqrt(len(matrix))
    if _core.is_nearly_definite(matrix, size, slack):
        return None
    matrix = 0.5 * (matrix / size + (matrix / size).T)
    least = float(eigvalsh(matrix, check_finite=False, subset_by_index=(0, 0))[0])
    if least >= -slack:
        return None
    return f"the kernel matrix of {len(matrix)} rows has the eigenvalue {least * size:.3g}"
