"""Solvers side by side on one problem, over random orders of its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.lab.baselines.pair import move_pair
from mercer.lab.comparison.result import Comparison, Measurement
from mercer.lab.solver_names import resolve_solver
from mercer.problem import Problem, Solution, certify
from mercer.solvers import Solver
from mercer.solvers.runs.start import feasible_start
from mercer.solvers.smo.solver import Smo

__all__ = ["compare", "first_step", "permuted", "variable_order"]

Order = NDArray[np.intp]
GramFactory = Callable[[Order, float | None], Gram]

_TRACE_POINTS = 400  # enough for a smooth curve


def compare(
    problem: Problem,
    gram: Gram | GramFactory,
    solvers: Iterable[str | Solver] | Mapping[str, str | Solver],
    *,
    permutations: int = 10,
    cache_size: float | None = None,
    tol: float = 1e-3,
    max_iter: int = -1,
    max_time: float | None = None,
    first_pair: tuple[int, int] | None = None,
    random_state: int = 0,
) -> Comparison:
    """Solve a problem with several solvers, in several orders of its rows.

    The order decides about ties, above all about the first pair, and so changes the number
    of iterations a lot: medians over orders compare solvers, single runs do not. Every run
    starts with an empty cache, and all solvers see the same orders.

    Parameters
    ----------
    problem : Problem
        What to solve.
    gram : Gram or callable
        Kernel values of its rows, or a function that makes them: called with an order of the
        rows and ``cache_size``, it returns a new :class:`Gram` of the rows in that order.
    solvers : iterable or mapping of names to solvers
        Names or solver objects; the others are tested against the first.
    permutations : int, default=10
        Number of orders; the first is the given one.
    cache_size : float, default=None
        Memory for kernel rows in MB, for the regimes where they do not fit; None means that
        of ``gram``.
    tol, max_iter, max_time
        Of each run, as for :func:`~mercer.solve`.
    first_pair : tuple of two int, default=None
        Variables to raise and to lower in a first step that all runs have in common, whatever
        the order: half of what orders change is the first pair (Glasmachers & Igel 2006,
        section 5). The step is not counted.
    random_state : int, default=0
        Seed of the orders.

    Returns
    -------
    Comparison
        Medians and p-values: print it, show it in a notebook, or ``plot()`` it.

    Examples
    --------
    >>> from mercer import Gram
    >>> from mercer.formulations import svc
    >>> from mercer.kernels import Linear
    >>> from mercer.lab import compare
    >>> problem = svc([-1, -1, 1, 1], C=1.0).problem
    >>> gram = Gram(Linear(), [[0.0], [1.0], [2.0], [3.0]])
    >>> found = compare(problem, gram, ["smo", "platt"], permutations=3)
    >>> found.values("platt", "converged").tolist()
    [1.0, 1.0, 1.0]
    """
    if permutations < 1:
        raise ValueError(f"permutations must be at least 1, got {permutations!r}")
    make = _factory(gram)
    limits: dict[str, Any] = {"tol": tol, "max_iter": max_iter, "max_time": max_time}
    orders = _orders(problem, gram, permutations, random_state)
    limits["start"] = first_step(problem, make(orders[0], cache_size), first_pair)
    measured, traces = {}, {}
    for name, solver in _named(solvers).items():
        solutions = [
            _solve_in_order(solver, problem, order, make(order, cache_size), limits)
            for order in orders
        ]
        measured[name] = tuple(map(Measurement.of, solutions))
        traces[name] = _points(problem, solver, make(orders[0], cache_size), limits, solutions[0])
    return Comparison(measured, traces)


def _solve_in_order(
    solver: Solver, problem: Problem, order: Order, gram: Gram, limits: dict[str, Any]
) -> Solution:
    start = limits["start"]
    if start is not None:
        start = start[variable_order(problem, order)]
    return solver.solve(permuted(problem, order), gram, **(limits | {"start": start}))


def first_step(
    problem: Problem, gram: Gram, pair: tuple[int, int] | None
) -> NDArray[np.float64] | None:
    """The point after a step along a pair from the solvers' start; None without a pair."""
    if pair is None:
        return None
    up, down = pair
    n = problem.n_variables
    if (
        up == down
        or not (0 <= up < n and 0 <= down < n)
        or problem.group[up] != problem.group[down]
    ):
        raise ValueError(f"first_pair must be two of the {n} variables, of one group, got {pair!r}")
    coef = feasible_start(problem, None)
    gradient = certify(problem, gram, coef).gradient
    i, j = problem.index[up], problem.index[down]
    block = gram.block([i, j], [i, j], precision="double")
    values = np.array([block[0, 0], block[1, 1], block[0, 1]])
    slope = float(gradient[up] - gradient[down])
    move = move_pair(problem, coef, up, down, slope, values)
    if not 0.0 < move.step < np.inf:
        raise ValueError(f"first_pair={pair!r} is no pair with room for a step upwards")
    return coef


def permuted(problem: Problem, order: Order) -> Problem:
    """The problem on the rows in another order, its variables in the order of their rows.

    Where rows have several variables the first variables of all rows come first, as in
    support vector regression.
    """
    variables = variable_order(problem, order)
    place = np.argsort(order)
    arrays = {field.name: getattr(problem, field.name) for field in fields(problem)}
    moved = {name: arrays[name][variables] for name in arrays if name != "group_sum"}
    index = place[problem.index[variables]]
    return Problem(**(moved | {"index": index, "group_sum": problem.group_sum}))


def variable_order(problem: Problem, order: Order) -> NDArray[np.intp]:
    """The variables as :func:`permuted` orders them."""
    place = np.argsort(order)
    by_row = np.argsort(problem.index, kind="stable")
    first = np.searchsorted(problem.index[by_row], problem.index[by_row])
    copy = np.empty_like(by_row)
    copy[by_row] = np.arange(len(by_row)) - first
    index = place[problem.index]
    return np.lexsort((index, copy))


def _factory(gram: Gram | GramFactory) -> GramFactory:
    if isinstance(gram, Gram):
        return lambda order, cache_size: gram.reordered(order, cache_size=cache_size)
    if not callable(gram):
        raise TypeError(f"gram must be a Gram or a function that makes one, got {gram!r}")
    return gram


def _orders(
    problem: Problem, gram: Gram | GramFactory, count: int, random_state: int
) -> list[Order]:
    n_rows = gram.n_rows if isinstance(gram, Gram) else int(problem.index.max(initial=-1)) + 1
    rng = np.random.default_rng(random_state)
    return [np.arange(n_rows), *(rng.permutation(n_rows) for _ in range(count - 1))]


def _named(solvers: Iterable[str | Solver] | Mapping[str, str | Solver]) -> dict[str, Solver]:
    if isinstance(solvers, Mapping):
        named = {name: resolve_solver(solver) for name, solver in solvers.items()}
    else:
        listed = list(solvers)
        named = {_label(solver): resolve_solver(solver) for solver in listed}
        if len(named) < len(listed):
            raise ValueError("solvers must differ; give a mapping of names to tell them apart")
    if not named:
        raise ValueError("solvers must name at least one solver")
    return named


def _label(solver: str | Solver) -> str:
    """The name of a solver, or what is not default about it."""
    if isinstance(solver, str):
        return solver
    if not isinstance(solver, Smo):
        return solver.name
    default = Smo()
    parts = [_policy_label(solver.selection), _policy_label(solver.step)]
    if solver.step == default.step:
        parts.pop()
    for name in ("stopping", "shrinking", "refine"):
        if getattr(solver, name) != getattr(default, name):
            parts.append(f"{name}={getattr(solver, name)}")
    return ", ".join(parts)


def _policy_label(policy: Any) -> str:
    if isinstance(policy, str):
        return policy
    values = (f"{field.name}={getattr(policy, field.name)}" for field in fields(policy))
    return f"{policy.name}({', '.join(values)})"


def _points(
    problem: Problem, solver: Solver, gram: Gram, limits: dict[str, Any], solution: Solution
) -> NDArray[Any] | None:
    """The course of one more run; it is recorded apart because recording takes time."""
    if not hasattr(solver, "trace"):
        return None
    stride = max(1, solution.n_iter // _TRACE_POINTS)
    traced: Solver = replace(solver, trace=stride)  # type: ignore[type-var]
    points: NDArray[Any] = traced.solve(problem, gram, **limits).trace["points"]
    return points
