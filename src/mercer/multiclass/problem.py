"""All classes in one quadratic program (docs/theory/multiclass.md#all-classes-in-one-machine).

    maximize    margin sum_ip alpha_ip - 1/2 sum_ij k(x_i, x_j) <c_i, c_j>
    subject to  alpha_ip >= 0,  alpha_ip <= upper_i  or  sum_p alpha_ip <= upper_i

over the classes p other than that of row i, with c_i = sum_p alpha_ip nu_p and
f_c(x) = sum_i c_ic k(x_i, x).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _core
from mercer._shown import shown

__all__ = ["MulticlassProblem"]

FloatArray = NDArray[np.float64]
Margins = Literal["relative", "absolute"]


@dataclass(frozen=True, eq=False)
class MulticlassProblem:
    """The concave quadratic program of a machine that learns all classes at once.

    Arrays of variables, slopes and coefficients have shape (n_classes, n_rows).

    Parameters
    ----------
    labels : array-like of shape (n_rows,)
        Class of each row, from 0 to ``n_classes - 1``.
    n_classes : int
        Number of classes, at least 2.
    upper : array-like of shape (n_rows,)
        Bound of the variables of each row: C times its weight. 0 leaves a row out.
    margin : float, default=1.0
        What margins are measured against.
    margins : {"relative", "absolute"}, default="relative"
        ``f_y - f_p >= margin``, or ``-f_p >= margin`` with functions that add up to zero.
    one_slack : bool, default=False
        Whether a row has one slack for all its margins, so that ``upper`` bounds the sum of its
        variables, or one for each.
    scale : float, default=1.0
        What the objective is multiplied by.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.multiclass import MulticlassProblem
    >>> problem = MulticlassProblem(np.array([0, 1, 2]), 3, np.ones(3))
    >>> problem.coefficients(np.array([[0.0, 1, 0], [0, 0, 0], [1, 0, 0]])).astype(int).tolist()
    [[1, -1, 0], [0, 1, 0], [-1, 0, 0]]
    """

    labels: NDArray[np.intp]
    n_classes: int
    upper: FloatArray
    margin: float = 1.0
    margins: Margins = "relative"
    one_slack: bool = False
    scale: float = 1.0

    __repr__ = shown()

    def __post_init__(self) -> None:
        labels = np.ascontiguousarray(self.labels, dtype=np.int64)
        upper = np.ascontiguousarray(self.upper, dtype=np.float64)
        if not isinstance(self.n_classes, Integral) or self.n_classes < 2:
            raise ValueError(f"n_classes must be an integer of at least 2, got {self.n_classes}")
        if not np.array_equal(labels, self.labels):
            raise ValueError("labels must be integers")
        if labels.ndim != 1 or upper.shape != labels.shape:
            raise ValueError(
                "labels and upper must have one entry for each row, got shapes "
                f"{labels.shape} and {upper.shape}"
            )
        if len(labels) and not 0 <= labels.min() <= labels.max() < self.n_classes:
            raise ValueError(
                f"labels must lie in 0..{self.n_classes - 1}, got {labels.min()}..{labels.max()}"
            )
        if not (np.isfinite(upper).all() and (upper >= 0.0).all()):
            raise ValueError("upper must be finite and not negative")
        for name in ("margin", "scale"):
            if not 0.0 < getattr(self, name) < np.inf:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)!r}")
        if self.margins not in ("relative", "absolute"):
            raise ValueError(f"margins must be 'relative' or 'absolute', got {self.margins!r}")
        vars(self).update(labels=labels, upper=upper)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.labels)

    @property
    def shape(self) -> tuple[int, int]:
        """That of the variables."""
        return self.n_classes, self.n_rows

    @cached_property
    def own(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Where the entries of the rows' own classes are."""
        return self.labels, np.arange(self.n_rows)

    @property
    def loss(self) -> _core.MulticlassLoss:
        """As the core takes it."""
        is_relative = self.margins == "relative"
        return _core.MulticlassLoss(self.n_classes, self.margin, is_relative, self.one_slack)

    def on_rows(self, rows: NDArray[np.intp]) -> MulticlassProblem:
        """The problem of some of the rows."""
        return replace(self, labels=self.labels[rows], upper=self.upper[rows])

    def feasible(self, start: ArrayLike | None = None) -> FloatArray:
        """Zero, or variables moved into their bounds."""
        if start is None:
            return np.zeros(self.shape)
        alpha = np.array(start, dtype=np.float64, order="C")
        if alpha.shape != self.shape or not np.isfinite(alpha).all():
            raise ValueError(f"start must be finite, of shape {self.shape}, got {alpha.shape}")
        alpha[self.own] = 0.0
        np.clip(alpha, 0.0, self.upper, out=alpha)
        if self.one_slack:
            total = alpha.sum(axis=0)
            over = total > self.upper
            alpha[:, over] *= self.upper[over] / total[over]
        return alpha

    def coefficients(self, alpha: FloatArray) -> FloatArray:
        """The coefficients c of the functions.

        c_i = sum_p alpha_ip nu_p, nu_p = e_y - e_p for relative margins and (1 ... 1)/N - e_p,
        the part of -e_p that adds up to zero, for absolute ones.
        """
        coef = -alpha
        total = alpha.sum(axis=0)
        if self.margins == "relative":
            coef[self.own] = total
        else:
            coef += total / self.n_classes
        return coef

    def slopes(self, values: FloatArray) -> FloatArray:
        """Slopes of the objective at values f: the margins that are missing; 0 for own classes."""
        slope = values + self.margin
        if self.margins == "relative":
            slope -= values[self.own]
        slope[self.own] = 0.0
        return slope

    def row_losses(self, slope: FloatArray) -> FloatArray:
        """The loss of each row: the sum of what its margins miss, or the largest."""
        missing = np.maximum(slope, 0.0)
        return np.asarray(missing.max(axis=0) if self.one_slack else missing.sum(axis=0))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "own"}
