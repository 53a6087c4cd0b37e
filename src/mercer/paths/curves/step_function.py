"""Piecewise constant functions of C."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._shown import shown

__all__ = ["StepFunction"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StepFunction:
    """A function that is ``value[i]`` on ``[x[i], x[i + 1])``, the last piece up to ``end``.

    Attributes
    ----------
    x : ndarray of shape (n_pieces,)
        Where the pieces begin, ascending.
    value : ndarray of shape (n_pieces,)
        What the function is there.
    end : float
        Where the last piece ends, inclusive; may be infinite.

    Examples
    --------
    >>> from mercer import svc_path
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 0, 1]
    >>> error = svc_path(X, y, gamma=1.0).error(X, y)  # of every C
    >>> error.value.tolist(), float(error(1.0)), error.minimum
    ([0.4, 0.2, 0.0], 0.2, 0.0)
    """

    x: FloatArray
    value: FloatArray
    end: float = np.inf

    __repr__ = shown()

    def __post_init__(self) -> None:
        x, value = np.asarray(self.x, np.float64), np.asarray(self.value, np.float64)
        if x.ndim != 1 or not len(x) or value.shape != x.shape:
            raise ValueError(
                f"x and value must be vectors of one length, got shapes {x.shape}, {value.shape}"
            )
        if not (np.diff(x) > 0).all() or not self.end >= x[-1]:
            raise ValueError("x must ascend strictly, up to end")
        if np.isnan(value).any():
            raise ValueError("value must be numbers, got NaN")
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "value", value)

    def __call__(self, x: ArrayLike) -> FloatArray:
        """Value at ``x``, which must lie in ``[x[0], end]``."""
        try:
            points = np.asarray(x, dtype=np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"x must be numbers, got {x!r}") from None
        outside = ~((points >= self.x[0]) & (points <= self.end))
        if outside.any():
            raise ValueError(
                f"x must lie in [{self.x[0]}, {self.end}], got {points[outside].flat[0]}"
            )
        return np.asarray(self.value[np.searchsorted(self.x, points, side="right") - 1])

    @property
    def minimum(self) -> float:
        """The smallest value."""
        return float(self.value.min())

    def pieces(self) -> Iterable[tuple[float, float, float]]:
        """``(begin, end, value)`` of each piece."""
        return zip(self.x.tolist(), [*self.x[1:].tolist(), self.end], self.value, strict=True)

    @classmethod
    def from_jumps(
        cls, start: float, first: float, at: ArrayLike, by: ArrayLike, end: float
    ) -> StepFunction:
        """The function that begins as ``first`` and changes ``by[k]`` at ``at[k]``.

        Jumps at one place are added up; jumps at or before the start count there.
        """
        places, first_of = np.unique(np.maximum(at, start), return_inverse=True)
        jumps = np.bincount(first_of, weights=np.asarray(by, float), minlength=len(places))
        if not len(places) or places[0] > start:
            places, jumps = np.r_[start, places], np.r_[0.0, jumps]
        value = first + np.cumsum(jumps)
        # rounding of the sums must not leave steps of 1e-17
        changes = np.abs(np.diff(value)) > 1e-12 * max(1.0, float(np.abs(value).max()))
        keep = np.r_[True, changes]
        inside = keep & (places <= end)
        return cls(places[inside], value[inside], end)

    @classmethod
    def mean(
        cls, functions: Iterable[StepFunction], weights: ArrayLike | None = None
    ) -> StepFunction:
        """Weighted mean, on the range all of them share."""
        parts = list(functions)
        if not parts:
            raise ValueError("functions must hold at least one, got none")
        share = np.ones(len(parts)) if weights is None else np.asarray(weights, float)
        if share.shape != (len(parts),) or not (share >= 0).all() or not 0 < share.sum() < np.inf:
            raise ValueError(
                f"weights must be {len(parts)} numbers, not negative and not all zero, got "
                f"{share.tolist()}"
            )
        share = share / share.sum()
        start, end = max(f.x[0] for f in parts), min(f.end for f in parts)
        at = np.concatenate([f.x[1:] for f in parts])
        by = np.concatenate([w * np.diff(f.value) for f, w in zip(parts, share, strict=True)])
        first = sum(w * f.value[0] for f, w in zip(parts, share, strict=True))
        return cls.from_jumps(start, float(first), at, by, end)
