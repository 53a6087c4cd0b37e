"""Expansions in single precision, with a bound of how far they are from double precision.

Below, u = 2^-24 is the unit roundoff, d the number of terms of an inner product, a and b the
lengths of the two rows as they are packed (centred, scaled). An inner product of d fused steps
errs by at most d u a b, rounding the entries of the rows themselves adds 2 u a b. Nothing is
estimated: every constant covers the worst case, and the few operations that are not listed one
by one are counted generously. Where a bound would leave the range in which these terms are
small, it is infinite.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram.expansion import Expansion
from mercer.gram.native import build_kernel, is_centred
from mercer.kernels import form as shapes

__all__ = ["BoundedExpansion", "LazyExpansion", "has_bound"]

FloatArray = NDArray[np.float64]

_U = 2.0**-24
_U_DOUBLE = 2.0**-53
# Numbers below 2^-126 are flushed to zero; this many times u is more than d + 8 such losses take.
_FLUSHED = 2.0**-100
_LOST = 2.0**-120  # of a kernel value or weight flushed, or of a sum of up to 24 of them
_MARGIN = 1.01  # for products of small terms, and for lengths that are rounded themselves
# Kernel values are weighted and up to 24 of them added in single precision, then in double.
_SUMMING = 32 * _U
_TOO_LARGE = 1e30
_BOUNDED = shapes.EXPONENTIALS | {"polynomial", "sigmoid"}


def has_bound(exact: Expansion) -> bool:
    """Whether single precision is bounded and pays.

    That is for built-in kernels that are not linear; rows of bytes are as fast in double.
    """
    form = exact.form
    is_known = isinstance(form, shapes.Leaf) and form.kind in _BOUNDED
    return is_known and exact.left.byte_type is None


class BoundedExpansion:
    """An expansion in single precision that knows how wrong it may be.

    Parameters
    ----------
    exact : Expansion
        The expansion in double precision; ``has_bound`` of it holds.
    """

    def __init__(self, exact: Expansion) -> None:
        self._exact = exact

    @cached_property
    def _single(self) -> Expansion:
        """The functions, and as one more the sum of the largest |weight| k(x, z)."""
        exact = self._exact
        size = np.abs(exact.weights).max(axis=1, keepdims=True, initial=0.0)
        return Expansion(
            exact.kernel,
            exact.rows,
            np.hstack([exact.weights, size]),
            parts=[part.start for part in exact.parts] + [len(size)],
            precision="single",
            n_threads=exact.n_threads,
        )

    @property
    def is_single(self) -> bool:
        """Whether single precision carries the kernel values; else it saves no time."""
        return self._single.left.precision == "single"

    @cached_property
    def _sizes(self) -> FloatArray:
        """Sum of the largest |weight| of each part, infinite if one leaves single precision."""
        size = self._single.weights[:, -1]
        if not size.max(initial=0.0) < _TOO_LARGE:
            return np.full((len(self._exact.parts), 1), np.inf)
        return np.array([[size[part].sum()] for part in self._exact.parts])

    def evaluate(self, X: Any) -> tuple[FloatArray, FloatArray]:
        """Values at the rows of ``X`` and bounds of their distance from double precision.

        Shapes (n_parts, n_rows, n_functions) and (n_parts, n_rows). A value without a bound,
        which may be no number in single precision, is 0. All rows are packed at once: callers
        come with blocks of them.
        """
        form, left = self._exact.form, self._single.left
        assert isinstance(form, shapes.Leaf)
        right = left.like(X)
        values = np.stack(list(self._single.part_values(build_kernel(form, left, right))))
        packed = [side.packed(form.transform, is_centred(form, left)) for side in (left, right)]
        d = max(rows.longest for rows in packed)
        # a squared length of d terms errs by d u of itself
        b, a = (np.sqrt(_MARGIN * rows.squared_norms() + d * _FLUSHED) for rows in packed)
        with np.errstate(over="ignore", invalid="ignore"):
            bound = self._bound(form, values[:, -1], a, float(b.max(initial=0.0)), d)
        in_range = d * _U < 0.001 and 1 / _TOO_LARGE < form.gamma < _TOO_LARGE
        known = np.isfinite(bound) & (in_range and abs(form.coef0) < _TOO_LARGE)
        found = np.where(known[:, None], values[:, :-1], 0.0)
        return found.transpose(0, 2, 1), np.where(known, bound, np.inf)

    def _bound(
        self, form: shapes.Leaf, sizes: FloatArray, a: FloatArray, b: float, d: int
    ) -> FloatArray:
        """``sizes`` is the sum of |weight| k(x, z) over the rows, in single precision."""
        lost = (self._sizes + len(self._exact.weights)) * _LOST
        match form.kind:
            case "gaussian" | "laplacian":
                error = np.expm1(self._exponent_error(form, a, b, d)) + _SUMMING
                # the sizes err likewise
                bound = _MARGIN * error * sizes / (1.0 - error) + lost
                return np.where(error < 0.1, bound, np.inf)
            case "sigmoid":
                # tanh is nowhere steeper than 1; ours is within 8 u
                t = _largest_base(form, a, b, d)
                error = np.where(t < _TOO_LARGE, (d + 6) * _U * t + 8 * _U, np.inf)
                return _MARGIN * (error + _SUMMING) * self._sizes + lost
            case "polynomial":
                # (t + (d + 5) u t)^p (1 + u)^p - t^p, t being the largest base
                t, p = _largest_base(form, a, b, d), form.degree
                power = np.maximum(t, 1.0) ** p
                error = np.expm1(p * (d + 6) * _U) + _SUMMING
                bound = _MARGIN * error * t**p * self._sizes
                return np.where(power < _TOO_LARGE, bound + max(p, 1) * power * lost, np.inf)
            case _:
                raise TypeError(f"no bound is known for kernels of kind {form.kind!r}")

    def _exponent_error(self, form: shapes.Leaf, a: FloatArray, b: float, d: int) -> FloatArray:
        """Of gamma |x - z|^2, computed from |x|^2 + |z|^2 - 2 x'z, or gamma |x - z|_1.

        Each of the three errs by d u times at most its share of (a + b)^2; their sum, rounded
        rows and the exponent of 2 add eight more. The same holds for double precision, which
        need not be centred: rows are then longer by the shift.
        """
        shift = self._single.left.shift if is_centred(form, self._single.left) else None
        if shift is not None and form.transform is not None:
            shift = shift * form.transform if form.transform.ndim == 1 else shift @ form.transform
        away = 0.0 if shift is None else float(np.linalg.norm(shift))
        reach, double_reach = a + b, a + b + 2.0 * away
        if shapes.COMPUTED_FROM[form.kind] == "squares":
            length, double_length = reach**2, double_reach**2
        else:
            length, double_length = np.sqrt(d) * reach, np.sqrt(d) * double_reach
        rounding = _U * (length + (1.0 + reach) * _FLUSHED) + _U_DOUBLE * double_length
        return np.asarray(form.gamma * (d + 8) * rounding, dtype=np.float64)


def _largest_base(form: shapes.Leaf, a: FloatArray, b: float, d: int) -> FloatArray:
    """|gamma x'z + coef0|, which is off by (d + 5) u of that."""
    return form.gamma * (a * b + d * (1.0 + a + b) * _FLUSHED) + abs(form.coef0) + _FLUSHED


class LazyExpansion:
    """An expansion, exact and bounded, made when first asked for: a small fit need not wait.

    Parameters are those of :class:`~mercer.gram.expansion.Expansion`.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        self._args, self._options = args, options

    @cached_property
    def exact(self) -> Expansion:
        """The expansion in the precision asked for."""
        return Expansion(*self._args, **self._options)

    @cached_property
    def bounded(self) -> BoundedExpansion:
        """The same in single precision, with a bound of its error."""
        return BoundedExpansion(self.exact)

    @cached_property
    def is_bounded(self) -> bool:
        """Whether single precision is bounded and pays."""
        return has_bound(self.exact) and self.bounded.is_single
