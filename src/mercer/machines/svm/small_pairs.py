"""Pairs of small classes, solved many at a time: each takes the core less time than its call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.formulations import Formulation
from mercer.gram import Gram
from mercer.machines.solving import FEW_ROWS, Solved
from mercer.machines.svm.one_vs_one import ClassPairs
from mercer.machines.svm.tasks import Formulations
from mercer.solvers import resolve_solver
from mercer.solvers.auto import Auto
from mercer.solvers.batch import solve_batch
from mercer.solvers.runs.deadline import Deadline

__all__ = ["SmallPairs", "small_pairs"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

_FEWEST = 3  # pairs: three classes of 50 rows then take 1.4 and not 2.0 ms
_MOST_ROWS = 3000  # of a kernel matrix that pairs share, if the cache has room for it
# Formulations with one variable for each row, which knows nothing of the others.
_KINDS = ("intercept", "origin", "penalized")


def small_pairs(machine: Any, formulations: Formulations) -> SmallPairs | None:
    """The problems of a machine as a batch takes them; None if one after the other is the way.

    That is what nothing but its time tells from a batch, of pairs of classes.
    """
    pairs, first = formulations.tasks, formulations[0]
    if not isinstance(pairs, ClassPairs) or len(pairs) < _FEWEST:
        return None
    is_watched = machine.callback is not None or machine.verbose
    if is_watched or machine.warm_start or machine.max_iter >= 0 or machine.precision == "single":
        return None
    is_plain = first.kind in _KINDS and first.bias == "multiplier" and first.fallback is None
    if not is_plain or not isinstance(resolve_solver(machine.solver), Auto):
        return None
    return SmallPairs(machine, pairs, formulations.weight, formulations.formulate)


@dataclass(frozen=True, eq=False)
class SmallPairs:
    """The pairs of classes with few rows.

    Attributes
    ----------
    machine : KernelClassifier
        Says how exactly to solve.
    pairs : ClassPairs
        All pairs.
    weight : ndarray of shape (n_rows,)
        Weight of each row.
    formulate : callable
        Makes a formulation of signs and weights, row by row.
    """

    machine: Any
    pairs: ClassPairs
    weight: FloatArray
    formulate: Callable[[FloatArray, FloatArray], Formulation]

    def solve(self, gram: Gram, deadline: Deadline) -> dict[int, Solved]:
        """What came of each; pairs that ask for a closer look are left out."""
        found: dict[int, Solved] = {}
        if self._suits(gram) and self._has_weights():
            most = min(_MOST_ROWS, isqrt(gram.cache_bytes // 8))
            for which in self._parts(most):
                found.update(self._solve_part(which, gram, deadline))
        return found

    @staticmethod
    def _suits(gram: Gram) -> bool:
        """Whether kernel values can be shared, and nothing is to be found out about them."""
        if gram.origin is not None or gram.form.reads_python or gram.form.reads_stored:
            return False
        return gram.definiteness in ("known", "stated")

    def _has_weights(self) -> bool:
        """Whether every class weighs something; other weights are refused pair by pair."""
        return bool(np.bincount(self.pairs.labels, weights=self.weight).all())

    def _parts(self, most: int) -> Iterator[IntArray]:
        """Positions of pairs that have about as many rows together, at the ``most``."""
        sizes, classes = self.pairs.class_sizes, self.pairs.classes
        few = np.flatnonzero(sizes[classes].sum(axis=1) <= FEW_ROWS)
        in_use = np.zeros(len(sizes), dtype=bool)
        in_use[classes[few]] = True
        end = np.cumsum(np.where(in_use, sizes, 0))
        if end[-1] <= most:
            yield from [few] if len(few) else []
            return
        # a part has the classes of two ranges, or of one
        piece = end // max(most // 2, 1)
        ranges = piece[classes[few]] @ np.array([piece[-1] + 1, 1])
        order = np.argsort(ranges, kind="stable")
        cuts = np.flatnonzero(np.diff(ranges[order])) + 1
        yield from (part for part in np.split(few[order], cuts) if len(part))

    def _solve_part(self, which: IntArray, gram: Gram, deadline: Deadline) -> dict[int, Solved]:
        lists, machine = self.pairs.row_lists(which), self.machine
        place = np.zeros(gram.n_rows, dtype=np.intp)
        place[lists.rows] = 1
        rows = place.nonzero()[0]
        place[rows] = np.arange(len(rows))
        if len(rows) < gram.n_rows:
            gram = gram.reordered(rows, precision="double")
        formulation = self.formulate(lists.sign, self.weight[lists.rows])
        batch = solve_batch(
            formulation.problem.on_rows(place[lists.rows]),
            lists.offsets,
            gram,
            tol=machine.tol,
            shrinking=machine.shrinking,
            max_time=None if machine.max_time is None else deadline.seconds_left,
        )
        are_plain = batch.is_plain.tolist()
        found = zip(which.tolist(), are_plain, batch.solutions(), batch.squared_norm, strict=True)
        return {
            k: _solved(formulation, solution, norm)
            for k, is_plain, solution, norm in found
            if is_plain
        }


def _solved(formulation: Formulation, solution: Any, norm: float) -> Solved:
    """The solution of a part of a formulation, and what it says."""
    read_out = formulation.interpret(solution.coef, norm, solution.multiplier)
    return Solved(solution, read_out, read_out.intercept)
