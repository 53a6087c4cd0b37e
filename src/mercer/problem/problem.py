"""The one quadratic program behind every machine.

In signed variables beta (docs/design.md, section 2):

    maximize    linear' beta - 1/2 beta' (K[index, index] + diag(ridge)) beta
    subject to  lower <= beta <= upper
                sum of beta over group g = group_sum[g]
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _core
from mercer._shown import shown

__all__ = ["Problem"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Problem:
    """The concave quadratic program every solver takes.

    Scalars are spread over all variables; arrays are kept as contiguous float64.

    Parameters
    ----------
    linear : array-like of shape (n_variables,)
        Linear term of the objective.
    lower, upper : array-like of shape (n_variables,) or float
        The box; entries may be infinite.
    index : array-like of shape (n_variables,), default=None
        The data row of each variable; ``None`` means variable i is row i.
        A row may own several variables, as in support vector regression.
    ridge : array-like of shape (n_variables,) or float, default=0.0
        Added to the diagonal of the *expanded* kernel matrix: two variables of one
        row share kernel values but not the ridge (docs/theory/problem.md#two-variables-of-one-row).
    group : array-like of shape (n_variables,) or int, default=0
        The group each variable's sum belongs to; -1 for none.
    group_sum : array-like of shape (n_groups,), default=(0.0,)
        The constant each group sums to. Empty if no variable has a group.

    Examples
    --------
    >>> from mercer import Gram, Problem, solve
    >>> from mercer.kernels import Linear
    >>> problem = Problem([-1.0, 1.0], lower=[-1.0, 0.0], upper=[0.0, 1.0])  # two rows, C = 1
    >>> solve(problem, Gram(Linear(), [[0.0], [1.0]])).coef.tolist()
    [-1.0, 1.0]
    """

    linear: FloatArray
    lower: FloatArray
    upper: FloatArray
    index: NDArray[np.intp] = None  # type: ignore[assignment]
    ridge: FloatArray = 0.0  # type: ignore[assignment]
    group: NDArray[np.int8] = 0  # type: ignore[assignment]
    group_sum: FloatArray = (0.0,)  # type: ignore[assignment]

    __repr__ = shown()

    def __post_init__(self) -> None:
        linear = np.ascontiguousarray(self.linear, dtype=np.float64)
        if linear.ndim != 1:
            raise ValueError(f"linear must be one-dimensional, got shape {linear.shape}")
        m = len(linear)
        index = np.arange(m) if self.index is None else self.index
        sums = np.asarray(self.group_sum, dtype=np.float64, order="C")
        vars(self).update(
            linear=linear,
            lower=_spread("lower", self.lower, m, np.float64),
            upper=_spread("upper", self.upper, m, np.float64),
            index=_spread("index", index, m, np.intp),
            ridge=_spread("ridge", self.ridge, m, np.float64),
            group=_spread("group", self.group, m, np.int8),
            group_sum=sums if sums.ndim else sums.reshape(1),
        )
        self._check()

    @classmethod
    def of_arrays(cls, **arrays: NDArray[Any]) -> Problem:
        """A problem of contiguous arrays that have their types and lengths already."""
        made = object.__new__(cls)
        vars(made).update(arrays)
        made._check()
        return made

    def _check(self) -> None:
        """One pass in the core tells whether all is well; the rest tells what is not."""
        if self._native.is_proper():
            return
        for name in ("linear", "ridge", "group_sum"):
            if not np.isfinite(getattr(self, name)).all():
                raise ValueError(f"{name} must be finite")
        if not (self.lower <= self.upper).all():
            self._refuse_box()
        if self.lower.max(initial=0.0) == np.inf or self.upper.min(initial=0.0) == -np.inf:
            raise ValueError("lower must be below +inf and upper above -inf")
        if self.ridge.min(initial=0.0) < 0:
            raise ValueError(f"ridge must not be negative, got {self.ridge.min()}")
        if len(self.index) and self.index.min() < 0:
            raise ValueError(f"index must not be negative, got {self.index.min()}")
        if len(self.group) and (self.group.min() < -1 or self.group.max() >= self.n_groups):
            raise ValueError(
                f"group must lie in -1..{self.n_groups - 1} (group_sum has {self.n_groups} "
                f"entries), got {self.group.min()}..{self.group.max()}"
            )
        for g, total in enumerate(self.group_sum):
            low, high = self.group_range(g)
            slack = 1e-9 * max(1.0, abs(total))
            if not low - slack <= total <= high + slack:
                raise ValueError(
                    f"group_sum[{g}]={total} cannot be reached: the box of the group "
                    f"allows sums in [{low}, {high}]"
                )

    def _refuse_box(self) -> None:
        if np.isnan(self.lower).any() or np.isnan(self.upper).any():
            raise ValueError("lower and upper must not be NaN")
        i = int(np.flatnonzero(self.lower > self.upper)[0])
        raise ValueError(
            f"lower must not exceed upper, got lower[{i}]={self.lower[i]} > "
            f"upper[{i}]={self.upper[i]}"
        )

    @cached_property
    def _native(self) -> _core.Problem:
        """As the core takes it."""
        return _core.Problem(
            self.index,
            self.linear,
            self.lower,
            self.upper,
            self.ridge,
            self.group,
            self.group_sum,
        )

    def __getstate__(self) -> dict[str, Any]:
        """The arrays; copies and other processes make what the core takes of their own."""
        return {name: value for name, value in vars(self).items() if name != "_native"}

    def on_rows(self, index: ArrayLike) -> Problem:
        """The same problem with its variables on other data rows."""
        rows = _spread("index", index, self.n_variables, np.intp)
        if len(rows) and rows.min() < 0:
            raise ValueError(f"index must not be negative, got {rows.min()}")
        moved = object.__new__(type(self))
        vars(moved).update(self.__getstate__(), index=rows)
        return moved

    @property
    def may_be_unbounded(self) -> bool:
        """Whether a variable has neither a bound nor a ridge to stop it.

        No other problem with a positive semi-definite kernel is unbounded.
        """
        return self._native.may_be_unbounded()

    @cached_property
    def present(self) -> NDArray[np.bool_] | slice:
        """Which variables may differ from zero; rows of weight 0 own none of them."""
        found = np.logical_or(self.lower, self.upper)
        return slice(None) if found.all() else found

    @cached_property
    def linear_size(self) -> float:
        """The largest linear term of a variable that is present."""
        return self._native.linear_size()

    @property
    def sums_vanish(self) -> bool:
        """Whether the coefficients of every feasible point add up to zero."""
        has_all = self.n_groups > 0 and self.group.min(initial=0) >= 0
        return bool(has_all and self.group_sum.sum() == 0.0)

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.linear)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.group_sum)

    def group_range(self, g: int) -> tuple[float, float]:
        """Smallest and largest sum the box of group ``g`` allows."""
        members = self.group == g
        return float(self.lower[members].sum()), float(self.upper[members].sum())

    def room(self, coef: FloatArray) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which variables may rise and which may fall: both are free.

        What the rounding of a sum left beside a bound counts as on it, as for multipliers.
        """
        rounding = 4.0 * np.finfo(np.float64).eps * float(np.abs(coef).sum())
        near = np.minimum(1e-9 * (self.upper - self.lower), rounding)
        return coef < self.upper - near, coef > self.lower + near

    def row_coef(self, coef: ArrayLike, n_rows: int) -> FloatArray:
        """Coefficient of each data row: the variables of one row added up."""
        return self._native.row_coef(np.asarray(coef, dtype=np.float64), n_rows)

    def group_sums(self, coef: ArrayLike) -> FloatArray:
        """Sum of the coefficients of each group."""
        weights = np.asarray(coef, dtype=np.float64)
        shifted = self.group + np.int8(1)
        total = np.bincount(shifted, weights=weights, minlength=self.n_groups + 1)
        return total[1:].astype(np.float64, copy=False)


def _spread(name: str, value: ArrayLike, m: int, dtype: type) -> NDArray[Any]:
    """``value`` as a contiguous array of length ``m``; a scalar is repeated."""
    try:
        array: NDArray[Any] = np.asarray(value, dtype=dtype, order="C")
    except OverflowError as error:
        raise ValueError(f"{name} must fit into {np.dtype(dtype)}: {error}") from error
    if array.ndim == 0:
        return np.full(m, array)
    if array.shape != (m,):
        raise ValueError(f"{name} must have shape ({m},) like linear, got {array.shape}")
    return array
