"""Problems that differ in one number: their arrays are those at C = 1, times powers of C."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mercer._shown import shown
from mercer.problem.problem import Problem

__all__ = ["Family", "Powers"]

FloatArray = NDArray[np.float64]
Number = TypeVar("Number", float, FloatArray)


@dataclass(frozen=True)
class Powers:
    """By which power of a parameter the box, the group sums and the ridge of a problem change.

    C makes boxes wider and ridges smaller, the usual powers; nu makes sums larger.

    Examples
    --------
    >>> from mercer.problem.family import Powers
    >>> Powers().at(10.0)  # factors of box, group sums and ridge
    (10.0, 10.0, 0.1)
    """

    box: float = 1.0
    sums: float = 1.0
    ridge: float = -1.0

    def at(self, C: Number) -> tuple[Number, Number, Number]:
        """The factors of box, sums and ridge at ``C``, a number or many."""
        return _power(C, self.box), _power(C, self.sums), _power(C, self.ridge)


_OF_C, _NOTHING = Powers(), Powers(0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Family:
    """The problems for every C, or for every t = 1/C, along which paths go.

    Attributes
    ----------
    problem : Problem
        That at C = 1; of a line, that at t = 0 except for the linear term.
    powers : Powers
        How the others differ from it.
    sum_rate : float, default=0.0
        What t adds to the group sum.
    offset : ndarray of shape (n_variables,) or None, default=None
        What is added to t times the linear term; None for a linear term that stays.

    Examples
    --------
    >>> from mercer.formulations import svc
    >>> from mercer.problem.family import Family
    >>> family = Family(svc([-1, 1], C=1.0).problem)
    >>> family.at(10.0).upper.tolist()
    [0.0, 10.0]
    """

    problem: Problem
    powers: Powers = _OF_C
    sum_rate: float = 0.0
    offset: FloatArray | None = None

    __repr__ = shown()

    @classmethod
    def line(
        cls, problem: Problem, *, sum_rate: float = 0.0, offset: FloatArray | None = None
    ) -> Family:
        """Problems in a box that stays: a tube by its half-width t, one class by nu."""
        return cls(problem, _NOTHING, sum_rate, offset)

    @property
    def moves_box(self) -> bool:
        """Whether the box grows with C."""
        return self.powers.box != 0.0

    def at(self, C: float) -> Problem:
        """The problem at ``C``."""
        return self._moved(C, 1.0 / C)

    def at_inverse(self, t: float) -> Problem:
        """The problem at C = 1 / t."""
        return self._moved(1.0 / t, t)

    def coef_scale(self, t: float) -> float:
        """Coefficients at C = 1 / t over those in the box of ``problem``."""
        return _power(1.0 / t, self.powers.box)

    def _moved(self, C: float, t: float) -> Problem:
        """A copy with other arrays.

        What holds of the one holds of the other: nothing is checked again, thousands of times
        on an approximate path.
        """
        box, sums, ridge = self.powers.at(C)
        moved, base = copy(self.problem), self.problem
        vars(moved).update(
            lower=box * base.lower,
            upper=box * base.upper,
            group_sum=sums * base.group_sum + self.sum_rate * t,
            ridge=ridge * base.ridge,
        )
        if self.offset is not None:
            vars(moved).update(linear=self.offset + t * base.linear)
            vars(moved).pop("linear_size", None)
        return moved


def _power(C: Number, power: float) -> Number:
    """C ** power; its inverse as the quotient, which has one rounding."""
    return 1.0 / C if power == -1.0 else C**power
