"""All values of a kernel that only Python computes, asked for in one call."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram.rows import count_rows, take_rows
from mercer.kernels import Kernel
from mercer.kernels.form import Form, Opaque

__all__ = ["is_quick", "whole_matrix"]

_TRIAL_ROWS = 64


def whole_matrix(kernel: Kernel, form: Form, rows: Any) -> NDArray[Any]:
    """The kernel matrix of the rows, symmetric, by rows; maybe an array of the function's own."""
    has_own = isinstance(form, Opaque) and form.whole is not None
    values = form.whole(rows) if has_own else kernel(rows)  # type: ignore[union-attr,misc]
    return np.ascontiguousarray(values.T if values.flags.f_contiguous else values)


def is_quick(kernel: Kernel, rows: Any, seconds: float | None) -> bool:
    """Whether the matrix is likely to take at most half of ``seconds``, by values of some rows."""
    n = count_rows(rows)
    if seconds is None or n <= _TRIAL_ROWS:
        return True
    some = take_rows(rows, np.arange(_TRIAL_ROWS))
    began = time.perf_counter()
    kernel(some)
    return (time.perf_counter() - began) * (n / _TRIAL_ROWS) ** 2 <= 0.5 * seconds
