"""Machines that are asked for predictions only: many small problems, without certificates.

A search over C trains hundreds of machines, most of them small, and keeps none. All machines of a
kernel, those of every split, part of a scheme and C, are one native call (core/plan/follow.hpp).
Each starts from the solution of the C before, in single precision where that is enough. Where every
part learns from all rows, held-out rows have a box of [0, 0], so that their values can be read from
the gradient; else all C share the kernel values of their predictions. A machine that does not
converge is solved again, with its certificate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer.formulations import Formulation
from mercer.gram import Gram
from mercer.gram.native import Precision
from mercer.machines.svm.one_vs_one import ClassPairs
from mercer.machines.svm.subproblems import Subproblems
from mercer.problem import Problem
from mercer.problem.family import Family, Powers
from mercer.solvers import solve
from mercer.solvers.runs.deadline import Deadline, OutOfTime
from mercer.solvers.runs.progress import Callback, monitor

__all__ = [
    "MOST_DOUBT",
    "SURE",
    "Followed",
    "UncertifiedMachines",
    "joined_problem",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

MOST_DOUBT = 0.01  # of the held-out rows: with more, machines are trained again
SURE = 0.01  # of the tolerance, then
_MOST_ROWS = 4000  # of a whole matrix
_LEAST_TOL = 0.9999e-4  # that single precision reaches; 1e-4 may be rounded
_MOST_ERROR = 0.02
_NAMES = ("linear", "lower", "upper", "index", "ridge", "group")
# What became of a machine (core/plan/follow.hpp).
_NOT_REACHED, _NOT_CONVERGED = 0, 2


@dataclass(frozen=True, eq=False)
class Followed:
    """The machines of one kernel.

    Attributes
    ----------
    coef, gradient : ndarray of shape (n_C, n_variables)
        Those of all problems, one after the other.
    bias : ndarray of shape (n_C, n_problems)
        The multipliers, split by split; 0 without a bias.
    n_iter : ndarray of int, same shape
        Pair steps.
    is_reached : ndarray of bool, same shape
        False where the time or the callback came first: nothing else is known of such a machine.
    """

    coef: FloatArray
    gradient: FloatArray
    bias: FloatArray
    n_iter: NDArray[np.int64]
    is_reached: NDArray[np.bool_]


class UncertifiedMachines:
    """The machines of every split and part, for any kernel and ascending C.

    Parameters
    ----------
    formulations : sequence of sequences of Formulation
        What is solved at C = 1: for each split the problems of its parts, on the rows of a Gram.
    tests : sequence of ndarray
        The rows that each split tests with.
    powers : Powers
        How the problems change with C.
    tol : float
        Largest KKT violation.
    subproblems : Subproblems, default=None
        The parts: pairs of classes, or the columns of a code; None for one, of all rows.
    most_error : float, default=0.02
        Of a decision value, in units of the targets, that single precision may make.
    """

    def __init__(
        self,
        formulations: Sequence[Sequence[Formulation]],
        tests: Sequence[IntArray],
        powers: Powers,
        tol: float,
        *,
        subproblems: Subproblems | None = None,
        most_error: float = _MOST_ERROR,
    ) -> None:
        self.formulations, self.tests, self.powers, self.tol = formulations, tests, powers, tol
        self.subproblems, self.most_error = subproblems, most_error
        self.deadline = Deadline()
        self.callback: Callback | None = None

    def suit(self, gram: Gram) -> bool:
        """Whether the machines can be trained so."""
        first, size = self.formulations[0][0], self._largest
        return (
            self.tol >= _LEAST_TOL
            and size <= _MOST_ROWS
            and 4 * size**2 <= gram.cache_bytes
            and not (gram.form.reads_python or gram.form.reads_stored or gram.precision_is_given)
            and gram.shift is None
            and gram.definiteness == "known"
            and gram.carries_single
            and first.kind in ("intercept", "no_bias")
            and not (first.problem.group_sum.any() or first.problem.may_be_unbounded)
        )

    @property
    def _largest(self) -> int:
        """Rows of the largest whole matrix."""
        if isinstance(self.subproblems, ClassPairs):
            return int(np.sort(self.subproblems.class_sizes)[-2:].sum())
        return self.formulations[0][0].n_rows

    @cached_property
    def _have_all_rows(self) -> bool:
        """Whether every part learns from all rows."""
        return (
            self.subproblems is None
            or self.subproblems.fewest_rows == self.formulations[0][0].n_rows
        )

    def follow(self, gram: Gram, Cs: Sequence[float], accuracy: float = 1.0) -> Followed:
        """The machines of one kernel, as many as the time allows.

        ``Cs`` ascend. An ``accuracy`` below 1 is a factor of the tolerance, and needs double
        precision.
        """
        _, joined, offsets = self._problems
        shape = (len(Cs), joined.n_variables)
        coef, gradient = np.empty(shape), np.empty(shape)
        box, _, ridge = self.powers.at(np.array(Cs))
        bias, n_iter, state = _core.follow_parts(
            joined._native,
            offsets,
            gram.native("double"),
            gram.native("single"),
            box,
            ridge,
            self._options(accuracy),
            coef,
            gradient,
            monitor(self.callback),
        )
        found = Followed(coef, gradient, bias, n_iter, state != _NOT_REACHED)
        for j, k in zip(*np.nonzero(state == _NOT_CONVERGED), strict=True):
            self._certify(found, int(j), int(k), Cs[j], gram, accuracy)
        return found

    def values(
        self, gram: Gram, Cs: Sequence[float], accuracy: float = 1.0
    ) -> Iterator[FloatArray]:
        """Values at the held-out rows of each split, shape (n_test, n_C, n_parts)."""
        found = self.follow(gram, Cs, accuracy)
        if not found.is_reached.all():
            raise OutOfTime
        for s in range(len(self.formulations)):
            yield self.values_of(s, found, gram, Cs, accuracy)

    def values_of(
        self, s: int, found: Followed, gram: Gram, Cs: Sequence[float], accuracy: float = 1.0
    ) -> FloatArray:
        """Values at the held-out rows of split ``s``; those of machines not reached say nothing."""
        bias = found.bias[:, self.problems_of(s)]
        if self._have_all_rows:
            return self._held_out(s, found, Cs) + bias
        precision: Precision = "single" if accuracy == 1.0 else "double"
        if isinstance(self.subproblems, ClassPairs):
            return self._of_pairs(s, found, gram, precision) + bias
        return self._of_columns(s, found, gram, precision) + bias

    def problem(self, k: int) -> Problem:
        """Problem ``k`` at C = 1."""
        return self._problems[0][k]

    def problems_of(self, s: int) -> range:
        """Positions of the problems of split ``s``."""
        n_parts = len(self.formulations[0])
        return range(s * n_parts, (s + 1) * n_parts)

    def variables_of(self, k: int) -> slice:
        """Positions of the variables of problem ``k``."""
        offsets = self._problems[2]
        return slice(offsets[k], offsets[k + 1])

    @cached_property
    def _problems(self) -> tuple[list[Problem], Problem, IntArray]:
        """Those of all splits and parts at C = 1, all of them as one, and their offsets."""
        found = [one.problem for own in self.formulations for one in own]
        if self._have_all_rows:
            found = [_on_all_rows(problem, self.formulations[0][0].n_rows) for problem in found]
        return found, *joined_problem(found)

    def _options(self, accuracy: float) -> _core.FollowOptions:
        options = _core.FollowOptions()
        options.tolerance = accuracy * self.tol
        options.most_error = self.most_error if accuracy == 1.0 else 0.0
        options.max_seconds = self.deadline.seconds_left
        return options

    def _certify(
        self, found: Followed, j: int, k: int, C: float, gram: Gram, accuracy: float
    ) -> None:
        """Solve a problem that had not converged again, with its certificate."""
        problem, own = Family(self._problems[0][k], self.powers).at(C), self.variables_of(k)
        tol, left = accuracy * self.tol, self.deadline.seconds_left
        solution = solve(problem, gram, start=found.coef[j, own], tol=tol, max_time=left)
        found.coef[j, own], found.gradient[j, own] = solution.coef, solution.gradient
        found.bias[j, k] = solution.multiplier.sum()
        found.is_reached[j, k] = solution.status != "max-time"

    def _held_out(self, s: int, found: Followed, Cs: Sequence[float]) -> FloatArray:
        """Values without the bias: K beta = linear - gradient - ridge beta."""
        _, _, ridge = self.powers.at(np.array(Cs))
        values = []
        for k in self.problems_of(s):
            problem, own = self._problems[0][k], self.variables_of(k)
            # rows of a problem are in order, with several variables of some of them
            at = np.searchsorted(problem.index, self.tests[s])
            coef, gradient = found.coef[:, own][:, at], found.gradient[:, own][:, at]
            values.append(problem.linear[at] - gradient - np.outer(ridge, problem.ridge[at]) * coef)
        return np.stack(values, axis=-1).swapaxes(0, 1)

    def _coefficients_of(self, s: int, found: Followed) -> tuple[IntArray, IntArray, FloatArray]:
        """Of all variables of a split the row, the part and the coefficient for each C."""
        ks = self.problems_of(s)
        own = slice(self.variables_of(ks[0]).start, self.variables_of(ks[-1]).stop)
        sizes = [one.problem.n_variables for one in self.formulations[s]]
        part = np.repeat(np.arange(len(sizes)), sizes)
        return self._problems[1].index[own], part, found.coef[:, own].T

    def _of_columns(self, s: int, found: Followed, gram: Gram, precision: Precision) -> FloatArray:
        """Values of the columns of a code with zeros: all of them by one product."""
        index, part, coef = self._coefficients_of(s, found)
        spread = np.zeros((gram.n_rows, coef.shape[1], len(self.formulations[s])))
        spread[index, :, part] = coef
        rows, shape = np.flatnonzero(spread.any(axis=(1, 2))), spread.shape[1:]
        own = spread[rows].reshape(len(rows), -1)
        values = gram.product(rows, own, rows=self.tests[s], precision=precision)
        return values.reshape(-1, *shape)

    def _of_pairs(self, s: int, found: Followed, gram: Gram, precision: Precision) -> FloatArray:
        """Values of pairs of classes: from the rows of each class, by products."""
        assert isinstance(self.subproblems, ClassPairs)
        index, part, coef = self._coefficients_of(s, found)
        # the coefficients of a pair stand with the other class of each row
        first, second = self.subproblems.classes[part].T
        column = np.where(self.subproblems.class_index[index] == first, second - 1, first)
        spread = np.zeros((gram.n_rows, len(found.coef), self.subproblems.n_classes - 1))
        spread[index, :, column] = coef
        return self._expanded(gram, spread, self.tests[s], precision)

    def _expanded(
        self, gram: Gram, coef: FloatArray, test: IntArray, precision: Precision
    ) -> FloatArray:
        """The sum over the rows of both classes of a pair."""
        assert isinstance(self.subproblems, ClassPairs)
        n_C, classes = coef.shape[1], self.subproblems.classes
        out = np.zeros((len(test), n_C, len(classes)))
        used = coef.any(axis=(1, 2))
        for c in range(self.subproblems.n_classes):
            rows = np.flatnonzero(used & (self.subproblems.class_index == c))
            if not len(rows):
                continue
            own = coef[rows].reshape(len(rows), -1)
            found = gram.product(rows, own, rows=test, precision=precision)
            out[:, :, (classes == c).any(axis=1)] += found.reshape(len(test), n_C, -1)
        return out


def joined_problem(problems: Sequence[Problem]) -> tuple[Problem, IntArray]:
    """Problems of equal group sums, one after the other in the arrays of one, and their offsets."""
    arrays = {name: np.concatenate([getattr(p, name) for p in problems]) for name in _NAMES}
    offsets = np.cumsum([0, *(problem.n_variables for problem in problems)])
    return Problem(**arrays, group_sum=problems[0].group_sum), offsets


def _on_all_rows(problem: Problem, n_rows: int) -> Problem:
    """The problem with a variable that cannot move for each row that has none, by rows."""
    missing = np.setdiff1d(np.arange(n_rows), problem.index)
    index = np.concatenate([problem.index, missing])
    order = np.argsort(index, kind="stable")
    known = np.stack([problem.linear, problem.lower, problem.upper, problem.ridge])
    linear, lower, upper, ridge = np.pad(known, ((0, 0), (0, len(missing))))[:, order]
    group = np.concatenate([problem.group, np.full(len(missing), min(problem.n_groups, 1) - 1)])
    return Problem(linear, lower, upper, index[order], ridge, group[order], problem.group_sum)
