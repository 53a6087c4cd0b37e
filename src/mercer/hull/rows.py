"""Rows of hulls, their weights and bounds: checked, and explained where they are wrong."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from mercer._threads import resolve_threads
from mercer.gram.gram import Gram
from mercer.gram.native import check_finite, count_rows
from mercer.gram.shift import shift_of_far_rows
from mercer.kernels import Kernel, Linear, as_kernel

__all__ = [
    "Cloud",
    "as_numbers",
    "check_limits",
    "check_mu",
    "check_rows",
    "check_scale",
    "check_tol",
    "make_gram",
    "resolve",
    "takes_objects",
]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Cloud:
    """The rows of one hull, with a weight for each (None: all 1)."""

    name: str
    rows: Any
    weight: FloatArray | None

    @property
    def n(self) -> int:
        return count_rows(self.rows)

    @property
    def weights(self) -> FloatArray:
        return np.ones(self.n) if self.weight is None else self.weight

    def caps(self, mu: float | None) -> FloatArray:
        """The largest coefficient of each row."""
        is_there = self.weights > 0.0
        if mu is None or mu == np.inf:
            return np.where(is_there, 1.0, 0.0)
        return np.where(is_there, np.minimum(mu * self.weights, 1.0), 0.0)


def check_rows(name: str, rows: Any, weight: ArrayLike | None, *, any_rows: bool = False) -> Cloud:
    """Rows as the core takes them: finite numbers in two dimensions; objects for a function."""
    if any_rows:
        taken: Any = rows if hasattr(rows, "shape") else list(rows)
    elif sp.issparse(rows):
        _check_real(name, rows)
        taken = rows.tocsr().astype(np.float64, copy=False)
    else:
        taken = as_numbers(name, rows)
    if not count_rows(taken):
        raise ValueError(f"{name} must have at least one row, got 0")
    if not any_rows:
        if taken.shape[1] == 0:
            raise ValueError(f"{name} must have at least one feature, got shape {taken.shape}")
        _check_finite(name, taken)
    return Cloud(name, taken, _check_weight(name, weight, count_rows(taken)))


def as_numbers(name: str, rows: Any) -> FloatArray:
    """Rows of real numbers, dense and two-dimensional."""
    if sp.issparse(rows):
        raise TypeError(f"{name} must be dense, got a sparse matrix")
    try:
        array = np.asarray(rows)
        taken = np.ascontiguousarray(array if array.dtype.kind != "c" else array.real, np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array of numbers: {error}") from error
    _check_real(name, array)
    if taken.ndim != 2:
        raise ValueError(
            f"{name} must be two-dimensional, one row for each point, got shape {np.shape(rows)}"
        )
    return taken


def _check_real(name: str, rows: Any) -> None:
    if rows.dtype.kind == "c":
        raise ValueError(f"{name} must hold real numbers, got complex ones")


def _check_finite(name: str, rows: Any) -> None:
    values = rows.data if sp.issparse(rows) else rows
    if np.isfinite(values).all():
        return
    if sp.issparse(rows):
        raise ValueError(f"{name} must be finite, got NaN or infinity")
    i, j = (int(k[0]) for k in np.nonzero(~np.isfinite(rows)))
    raise ValueError(f"{name} must be finite, got {name}[{i}, {j}]={rows[i, j]}")


def _check_weight(name: str, weight: ArrayLike | None, n: int) -> FloatArray | None:
    if weight is None:
        return None
    own = f"weight_{name.lower()}" if name in ("A", "B") else "weight"
    try:
        array = np.asarray(weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{own} must be an array of numbers: {error}") from error
    if array.shape != (n,):
        raise ValueError(f"{own} must have one entry per row ({n},), got shape {array.shape}")
    if not np.isfinite(array).all() or array.min() < 0.0:
        worst = array[~(np.isfinite(array) & (array >= 0.0))][0]
        raise ValueError(f"{own} must hold finite numbers that are not negative, got {worst}")
    if not array.any():
        raise ValueError(f"{own} must have a positive entry, got only zeros")
    return array


def check_mu(mu: float | None, clouds: tuple[Cloud, ...]) -> float | None:
    """``mu`` if the reduced hull of every cloud has a point; rounding is forgiven."""
    if mu is None:
        return None
    if isinstance(mu, (bool, np.bool_)) or not np.isscalar(mu) or not np.isreal(mu):
        raise TypeError(f"mu must be None or a real number, got {mu!r}")
    value = float(mu)  # type: ignore[arg-type]
    if not value > 0.0:
        raise ValueError(f"mu must be positive, got {mu!r}")
    lightest = min(clouds, key=lambda cloud: float(cloud.weights.sum()))
    least = 1.0 / float(lightest.weights.sum())
    if value < least * (1.0 - 1e-12):
        raise ValueError(
            f"mu={mu!r} is too small: the reduced hull of {lightest.name} is empty, because its "
            f"coefficients cannot sum to 1; mu must be at least {least!r} (one divided by the "
            "number of rows, or by the sum of their weights)"
        )
    return max(value, least)


def check_scale(scale: float | None) -> float | None:
    """``scale`` if it lies in (0, 1]."""
    if scale is None:
        return None
    if isinstance(scale, (bool, np.bool_)) or not np.isscalar(scale) or not np.isreal(scale):
        raise TypeError(f"scale must be None or a real number, got {scale!r}")
    if not 0.0 < float(scale) <= 1.0:  # type: ignore[arg-type]
        raise ValueError(f"scale must lie in (0, 1], got {scale!r}")
    return float(scale)  # type: ignore[arg-type]


def check_tol(tol: float | None) -> None:
    """Refuse tolerances that are negative or not numeric."""
    _check_not_negative("tol", tol)


def check_limits(tol: float | None, max_time: float | None, n_threads: int | None) -> None:
    """Check tolerance, time and number of threads, also where a solver ignores them."""
    check_tol(tol)
    _check_not_negative("max_time", max_time)
    if n_threads is not None and not isinstance(n_threads, Integral):
        raise TypeError(f"n_threads must be an integer of at least 1 or None, got {n_threads!r}")
    resolve_threads(n_threads)


def _check_not_negative(name: str, number: float | None) -> None:
    if number is None:
        return
    if isinstance(number, (bool, np.bool_)) or not isinstance(number, Real):
        raise TypeError(f"{name} must be None or a real number, got {number!r}")
    if not number >= 0.0:
        raise ValueError(f"{name} must be None or a number that is not negative, got {number!r}")


def takes_objects(kernel: Kernel | None) -> bool:
    """Whether a kernel reads Python objects in place of rows of numbers."""
    return kernel is not None and kernel.row_kind == "object"


def resolve(kernel: Any) -> Kernel | None:
    """The kernel object that ``kernel`` stands for, None for the rows themselves."""
    if kernel is None or (isinstance(kernel, str) and kernel == "linear"):
        return None
    found = as_kernel(kernel)
    return None if found == Linear() else found


def make_gram(kernel: Kernel | None, rows: Any, *, n_threads: int | None, balanced: bool) -> Gram:
    """Kernel values of the rows, from their mean where that keeps digits and changes nothing.

    ``balanced`` says that the coefficients add up to zero.
    """
    resolved = (kernel or Linear()).resolve(rows)
    shift = None
    if balanced and not resolved.is_normalized:
        shift = shift_of_far_rows(resolved.form(), rows)
    if not resolved.form().reads_python:
        check_finite(rows)
    return Gram(resolved, rows, n_threads=n_threads, shift=shift).check_values()
