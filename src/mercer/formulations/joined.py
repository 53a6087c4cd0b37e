"""Formulations of one kind whose problems lie one after the other, as there may be very many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mercer._shown import shown
from mercer.formulations.bias_and_rho import FittedParameters, Formulation
from mercer.problem.solutions import Solutions

__all__ = ["JoinedFormulations", "JoinedParameters"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class JoinedParameters:
    """What solutions say about their machines, in columns.

    Attributes
    ----------
    coef : ndarray of shape (n_coefficients,)
        Coefficients of the rows of each machine, one machine after the other.
    offsets : ndarray of shape (n_machines + 1,)
        Where those of each machine begin, and where those of the last one end.
    intercept, rho, scale : ndarray of shape (n_machines,)
        As those of :class:`FittedParameters`; where a kind has none, rho is 0 and scale 1.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.formulations import FittedParameters
    >>> from mercer.formulations.joined import JoinedParameters
    >>> two = FittedParameters(np.array([1.0, -1.0]), 0.5, 2.0)
    >>> single = [two, FittedParameters(np.array([3.0]), -1.0, 9.0)]
    >>> JoinedParameters.of(single).offsets.tolist()
    [0, 2, 3]
    """

    coef: FloatArray
    offsets: IntArray
    intercept: FloatArray
    rho: FloatArray
    scale: FloatArray

    __repr__ = shown("offsets intercept")

    @classmethod
    def of(cls, parameters: Sequence[FittedParameters]) -> JoinedParameters:
        """Those of single machines."""
        return cls(
            coef=np.concatenate([one.coef for one in parameters]),
            offsets=np.cumsum([0, *(len(one.coef) for one in parameters)]),
            intercept=np.array([one.intercept for one in parameters]),
            rho=np.array([one.rho or 0.0 for one in parameters]),
            scale=np.array([one.scale or 1.0 for one in parameters]),
        )

    def replaced(self, others: Mapping[int, FittedParameters]) -> JoinedParameters:
        """The same with some machines that were found otherwise."""
        if not others:
            return self
        found = JoinedParameters(**{name: values.copy() for name, values in vars(self).items()})
        which, single = list(others), JoinedParameters.of(list(others.values()))
        for name in ("intercept", "rho", "scale"):
            getattr(found, name)[which] = getattr(single, name)
        for k, one in others.items():
            found.coef[self.offsets[k] : self.offsets[k + 1]] = one.coef
        return found


@dataclass(frozen=True, eq=False)
class JoinedFormulations:
    """Formulations of one kind, with one variable for each row.

    Attributes
    ----------
    formulation : Formulation
        That of all rows; its sums are those of all problems together.
    offsets : ndarray of shape (n_problems + 1,)
        Where each problem begins, and where the last one ends.
    group_sums : ndarray of shape (n_problems, n_groups) or None
        Those of each problem; None if all have those of ``formulation``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.formulations import svc
    >>> from mercer.formulations.joined import JoinedFormulations
    >>> joined = JoinedFormulations(svc([-1, 1, -1, 1], C=1.0), np.array([0, 2, 4]))
    >>> joined.on_rows(np.array([5, 6, 7, 8])).formulation.problem.index.tolist()
    [5, 6, 7, 8]
    """

    formulation: Formulation
    offsets: IntArray
    group_sums: FloatArray | None = None

    __repr__ = shown("formulation offsets")

    def on_rows(self, rows: IntArray) -> JoinedFormulations:
        """The same formulations, their variables on these ``rows`` of a larger set."""
        problem = self.formulation.problem.on_rows(rows)
        return replace(self, formulation=replace(self.formulation, problem=problem))

    def interpret(self, solutions: Solutions) -> JoinedParameters:
        """What solutions say, as :meth:`Formulation.fitted_parameters` has it.

        Kinds "no_bias", "penalized", "intercept" and "nu".
        """
        kind, coef, multiplier = self.formulation.kind, solutions.coef, solutions.multiplier
        n = len(self.offsets) - 1
        intercept, rho, scale = np.zeros(n), np.zeros(n), np.ones(n)
        if kind == "nu":
            rho = (multiplier[:, 1] - multiplier[:, 0]) / 2
            np.divide(1.0, rho, out=scale, where=rho > 0)
            coef = coef * np.repeat(scale, np.diff(self.offsets))
            intercept = multiplier.sum(axis=1) / 2 * scale
        elif kind == "penalized":
            intercept = np.add.reduceat(coef, self.offsets[:-1])
        elif kind == "intercept":
            intercept = multiplier[:, 0].copy()
        return JoinedParameters(coef, self.offsets, intercept, rho, scale)
