"""Solutions of many problems, kept in columns: there may be half a million of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.kernels.definiteness import Definiteness
from mercer.problem.solution import Solution

__all__ = ["Solutions", "column", "relative_gaps"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Solutions(Sequence[Solution]):
    """Solutions that lie one after the other; each is made when it is asked for.

    Attributes
    ----------
    coef, gradient : ndarray of shape (n_variables,)
        The points and their gradients, one after the other.
    offsets : ndarray of shape (n_problems + 1,)
        Where each of them begins, and where the last one ends.
    multiplier : ndarray of shape (n_problems, n_groups)
        Multipliers of each point.
    fields : dict of ndarray of shape (n_problems,)
        All else that is known of each point.
    counters : dict of ndarray of shape (n_problems,)
        What each run counted.
    definiteness, solver : str
        That of the kernel, and the name of the solver.
    others : mapping of int to Solution
        Solutions of some problems that were solved singly; the columns are theirs, too.

    Examples
    --------
    >>> from mercer import SVC
    >>> X, y = [[0.0], [1.0], [4.0], [5.0], [8.0], [9.0]], [0, 0, 1, 1, 2, 2]
    >>> solutions = SVC().fit(X, y).solutions_  # one for each pair of classes
    >>> [solution.status for solution in solutions]
    ['converged', 'converged', 'converged']
    """

    coef: FloatArray
    gradient: FloatArray
    offsets: NDArray[np.intp]
    multiplier: FloatArray
    fields: dict[str, NDArray[Any]]
    counters: dict[str, NDArray[Any]]
    definiteness: Definiteness
    solver: str
    others: Mapping[int, Solution]

    def __repr__(self) -> str:
        return f"<{len(self)} solutions by {self.solver}>"

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, k: Any) -> Any:
        """Solution ``k``, or a tuple of those of a slice."""
        if isinstance(k, slice):
            return tuple(self[i] for i in range(*k.indices(len(self))))
        k = range(len(self))[k]
        if k in self.others:
            return self.others[k]
        own = slice(self.offsets[k], self.offsets[k + 1])
        return Solution(
            coef=self.coef[own],
            gradient=self.gradient[own],
            multiplier=self.multiplier[k],
            corrections=None,
            definiteness=self.definiteness,
            solver=self.solver,
            trace={name: values.item(k) for name, values in self.counters.items()},
            **{name: values.item(k) for name, values in self.fields.items()},
        )

    def replaced(self, others: Mapping[int, Solution]) -> Solutions:
        """The same with some solutions that were found otherwise."""
        if not others:
            return self
        coef, multiplier = self.coef.copy(), self.multiplier.copy()
        fields = {name: values.copy() for name, values in self.fields.items()}
        for k, solution in others.items():
            coef[self.offsets[k] : self.offsets[k + 1]] = solution.coef
            multiplier[k] = solution.multiplier
            for name, values in fields.items():
                values[k] = getattr(solution, name)
        both = {**self.others, **others}
        return replace(self, coef=coef, multiplier=multiplier, fields=fields, others=both)


def column(solutions: Sequence[Solution], name: str) -> NDArray[Any]:
    """One field of all solutions."""
    if isinstance(solutions, Solutions) and name in solutions.fields:
        return solutions.fields[name]
    return np.array([getattr(solution, name) for solution in solutions])


def relative_gaps(solutions: Sequence[Solution]) -> list[float | None]:
    """The relative gap of each solution."""
    if not isinstance(solutions, Solutions):
        return [solution.relative_gap for solution in solutions]
    gap, objective = solutions.fields["gap"], solutions.fields["objective"]
    size = np.maximum(np.abs(objective), np.abs(solutions.fields["primal"]))
    is_known = np.isfinite(gap) & (size > 0.0)
    ratio = np.divide(gap, size, out=np.where(np.isinf(gap), np.inf, 0.0), where=is_known)
    found: list[float | None] = ratio.tolist()
    for k, solution in solutions.others.items():
        found[k] = solution.relative_gap
    return found
