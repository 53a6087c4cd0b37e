"""The course of a run, walked again in NumPy from the pairs and lengths of its trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import Gram, Problem, Smo, Solution, solve
from mercer.kernels import Precomputed
from mercer.solvers.runs.start import feasible_start

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class State:
    """A point of a problem with dense H = K + ridge, and all its pairs in one group."""

    problem: Problem
    H: FloatArray
    coef: FloatArray

    @property
    def gradient(self) -> FloatArray:
        return self.problem.linear - self.H @ self.coef

    @property
    def value(self) -> float:
        return float(self.coef @ (self.problem.linear + self.gradient)) / 2

    @property
    def may_grow(self) -> NDArray[np.bool_]:
        return self.coef < self.problem.upper

    @property
    def may_fall(self) -> NDArray[np.bool_]:
        return self.coef > self.problem.lower

    @property
    def violation(self) -> float:
        """psi = max over what may grow - min over what may fall."""
        G = self.gradient
        return float(G[self.may_grow].max() - G[self.may_fall].min())

    @property
    def slopes(self) -> FloatArray:
        """l_ij = G_i - G_j of all ordered pairs, 0 where the box forbids the direction."""
        G = self.gradient
        return np.where(np.outer(self.may_grow, self.may_fall), G[:, None] - G[None, :], 0.0)

    @property
    def curvatures(self) -> FloatArray:
        """Q_ij = H_ii + H_jj - 2 H_ij."""
        d = np.diagonal(self.H)
        return d[:, None] + d[None, :] - 2 * self.H

    @property
    def steps(self) -> FloatArray:
        """The best feasible step of every ordered pair, 0 where it does not violate."""
        room = np.minimum(
            (self.problem.upper - self.coef)[:, None], (self.coef - self.problem.lower)[None, :]
        )
        newton = np.maximum(self.slopes, 0.0) / np.maximum(self.curvatures, 1e-12)
        return np.where(self.slopes > 0, np.minimum(newton, room), 0.0)

    @property
    def gains(self) -> FloatArray:
        """g = step (l - Q step / 2)."""
        return self.steps * (self.slopes - self.curvatures * self.steps / 2)


@dataclass(frozen=True, eq=False)
class Step:
    """The state before a step, the step, and the point of the trace."""

    state: State
    up: int
    down: int
    length: float
    point: Any

    @property
    def slope(self) -> float:
        return float(self.state.gradient[self.up] - self.state.gradient[self.down])

    @property
    def curvature(self) -> float:
        return float(self.state.curvatures[self.up, self.down])

    @property
    def newton_gain(self) -> float:
        """Of the maximum along the pair, box ignored."""
        return self.slope**2 / (2 * self.curvature)


def traced(
    problem: Problem, K: FloatArray, selection: Any, step: Any = "newton", tol: float = 1e-6
) -> Solution:
    """A run of pair steps alone, every one of them recorded."""
    solver = Smo(
        selection=selection,
        step=step,
        refine=False,
        shrinking=False,
        stopping="violation",
        trace=True,
    )
    return solve(problem, Gram(Precomputed(), K), solver, tol=tol)


def replay(problem: Problem, K: FloatArray, solution: Solution) -> Iterator[Step]:
    """All steps of pairs; coefficients within rounding of a bound are on it."""
    H = K[np.ix_(problem.index, problem.index)] + np.diag(problem.ridge)
    coef = feasible_start(problem)
    for point in solution.trace["points"]:
        if point["up"] < 0:  # the last of a native run
            continue
        up, down, length = int(point["up"]), int(point["down"]), float(point["length"])
        yield Step(State(problem, H, coef.copy()), up, down, length, point)
        coef[up] += length
        coef[down] -= length
        for bound in (problem.lower, problem.upper):
            near = np.abs(coef - bound) <= 1e-13 * (1 + np.abs(coef))
            coef[near] = bound[near]
