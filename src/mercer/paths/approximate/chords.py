"""Approximate paths: solutions where they are needed, chords between.

See docs/theory/paths.md#approximate-paths.

The source extrapolates from one solution until the KKT conditions are violated by a tolerance,
leaving the box on the way. Here the next solution is found first, and the path is the chord
between the two: it stays feasible and continuous, and its distance to the optimum is bounded on
its whole length. A chord that is too far off gets a solution in between.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.paths.approximate.chord_gap import Node, chord_gap, read_node
from mercer.paths.approximate.march import march
from mercer.paths.approximate.moving import MovingSolution
from mercer.paths.exact.follow import Run
from mercer.paths.exact.start import Start
from mercer.paths.inputs.limits import Limits
from mercer.paths.results.segments import FREE, LOWER, UPPER, Segments
from mercer.problem import Problem

__all__ = ["approximate"]

FloatArray = NDArray[np.float64]
Sides = NDArray[np.int8]
_FARTHEST = 1e11  # times the first C; rounding is all there is beyond
_FIRST_STEP = 0.1  # of log C
_VERIFY = 50  # solutions between exact recomputations
_TOLERANCE = 1e-9
_ENDED = ("max-time", "callback")


def approximate(
    problem: Problem, gram: Gram, start: Start, limits: Limits, accuracy: float
) -> tuple[Run, float]:
    """The path of ``problem`` (its box at C = 1) with a relative duality gap of at most
    ``accuracy`` everywhere; and the bound of the gap that was found.
    """
    begin, far = 1.0 / start.parameter, min(limits.C_max, _FARTHEST / start.parameter)
    nodes = _Nodes(problem, gram, begin, start.coef, limits)
    first = nodes.read()
    record, worst, here, end = _Record(problem), 0.0, -np.inf, float(np.log(far))
    pieces = march(
        first, float(np.log(begin)), end, solve=nodes.solve,
        error=lambda left, right: chord_gap(problem, left, right),
        accuracy=accuracy, step=_FIRST_STEP,
    )  # fmt: skip
    last, status = first, "complete" if _is_last(problem, first) else ""
    while not status:
        piece = next(pieces, None)
        if piece is None:
            status = nodes.status or ("C_max" if here >= end else "precision-limit")
            break
        record.add(piece.left, piece.right)
        last, worst, here = piece.right, max(worst, piece.error), piece.end
        status = _status(problem, last, record, limits)
    limits.tally.done += len(record.parameter)
    segments = record.finish(last, is_complete=status == "complete")
    coef, free = last.coef, nodes.moving.basis.free
    return Run(segments, status, 0.0, coef, free, last.parameter), worst


def _status(problem: Problem, last: Node, record: _Record, limits: Limits) -> str:
    """Why the path ends here, if it does."""
    if _is_last(problem, last):
        return "complete"
    if len(record.parameter) >= limits.max_events:
        return "max-events"
    if limits.callback is None:
        return ""
    limits.tally.note(len(record.parameter), int((record.sides == FREE).sum()))
    width = float((problem.upper - problem.lower).sum())
    limits.tally.share = float(np.abs(last.coef).sum()) / width
    stops = limits.callback(limits.tally.report(1.0 / last.parameter, "C"))
    return "callback" if stops else ""


def _is_last(problem: Problem, node: Node) -> bool:
    """Whether nothing is at a bound that grows with C: the solution stays.

    See docs/theory/paths.md#the-end-of-a-path.
    """
    bound = (node.coef == problem.lower) | (node.coef == problem.upper)
    return not (bound & (node.coef != 0)).any()


class _Nodes:
    """Solutions at one C after the other, verified now and then."""

    def __init__(
        self, problem: Problem, gram: Gram, C: float, coef: FloatArray, limits: Limits
    ) -> None:
        self.deadline = limits.deadline
        self.problem, self.limits, self.count, self.status = problem, limits, 0, ""
        self.moving = MovingSolution(problem, gram, C, coef)
        # a solution already: what is left to do is rounding
        self.moving.basis.solve(tol=_TOLERANCE, max_time=self.deadline.seconds_left)

    def read(self) -> Node:
        """The present solution."""
        return read_node(self.problem, self.moving.basis, self.moving.C)

    def solve(self, place: float) -> Node | None:
        """The solution at C = exp(place); None if there was no time for it."""
        C, left = float(np.exp(place)), self.deadline.seconds_left
        status = self.moving.to(C, max_time=left, callback=self.limits.watch(C))
        self.count += 1
        if self.count % _VERIFY == 0 and status not in _ENDED:
            left = self.deadline.seconds_left
            status = self.moving.basis.solve(tol=_TOLERANCE, max_time=left).status
        if status in _ENDED:
            self.status = status
            return None
        return self.read()


@dataclass(eq=False)
class _Record:
    """Segments as they come: the moving variables of each chord, and who changed sides."""

    problem: Problem
    parameter: list[float] = field(default_factory=list)
    bias: list[tuple[float, float]] = field(default_factory=list)
    first_side: Sides | None = None
    sides: Sides = field(default_factory=lambda: np.zeros(0, np.int8))
    changed: list[NDArray[np.intp]] = field(default_factory=list)
    side: list[Sides] = field(default_factory=list)
    values: list[FloatArray] = field(default_factory=list)
    rates: list[FloatArray] = field(default_factory=list)

    def add(self, left: Node, right: Node) -> None:
        """The chord between two solutions."""
        length = left.parameter - right.parameter
        rates = (left.coef - right.coef) / length
        self._append(left, rates, (left.bias - right.bias) / length, left.coef != right.coef)

    def _append(self, node: Node, rates: FloatArray, bias_rate: float, moves: Any) -> None:
        lower, upper = self.problem.lower, self.problem.upper
        sides = np.where(node.coef == upper, UPPER, LOWER).astype(np.int8)
        sides[lower == upper] = LOWER
        sides[moves | ((node.coef > lower) & (node.coef < upper))] = FREE
        if self.first_side is None:
            self.first_side = self.sides = sides
        changed = np.flatnonzero(sides != self.sides)
        self.changed.append(changed)
        self.side.append(sides[changed])
        self.sides = sides
        free = sides == FREE
        self.parameter.append(node.parameter)
        self.bias.append((node.bias, bias_rate))
        self.values.append(node.coef[free])
        self.rates.append(rates[free])

    def finish(self, last: Node, *, is_complete: bool) -> Segments:
        """The path, which ends at ``last`` or, if it is complete, never."""
        if is_complete or not self.parameter:
            # the coefficients stay what they are: a = t coef
            t = last.parameter
            self._append(last, last.coef / t, last.bias / t, np.zeros(len(last.coef), bool))
        assert self.first_side is not None
        bias = np.array(self.bias)
        return Segments(
            self.problem.lower,
            self.problem.upper,
            self.first_side,
            np.array(self.parameter),
            np.ascontiguousarray(bias[:, 0]),
            np.ascontiguousarray(bias[:, 1]),
            np.cumsum([len(x) for x in self.changed]),
            np.cumsum([len(x) for x in self.values]),
            np.concatenate(self.changed),
            np.concatenate(self.side),
            np.concatenate(self.values),
            np.concatenate(self.rates),
            0.0 if is_complete else last.parameter,
        )
