"""How a run of SMO begins, is watched, and ends."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from formulations.cases import ALL, Data, sample
from mercer import Gram, Problem, Smo, certify, solve
from mercer import formulations as fm
from mercer.kernels import Gaussian, Linear, Sigmoid
from mercer.solvers import Progress
from mercer.solvers.solving import resolve_solver

SELECTIONS = ("second-order", "most-violating")
selections = pytest.mark.parametrize("selection", SELECTIONS)


def hard_problem(n: int = 1000) -> tuple[Problem, Gram]:
    """One that keeps pair steps busy for longer than any test runs."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, 2)), np.where(rng.random(n) < 0.5, 1.0, -1.0)
    return fm.svc(y, 1e9).problem, Gram(Linear(), X)


def easy_problem() -> tuple[Problem, Gram, Data]:
    data = sample(1, 60)
    return ALL["svc"](data).problem, Gram(Linear(), data.features), data


@selections
@pytest.mark.parametrize("max_iter", [0, 1, 5])
def test_iterations_run_out(selection: Any, max_iter: int) -> None:
    problem, gram, _ = easy_problem()
    solution = solve(problem, gram, Smo(selection=selection), max_iter=max_iter)
    assert (solution.status, solution.n_iter) == ("max-iter", max_iter)
    certificate = certify(problem, gram, solution.coef)
    for name in ("objective", "gap", "violation", "infeasibility"):
        assert getattr(solution, name) == getattr(certificate, name)
    assert solution.violation > 1e-3
    assert solution.infeasibility < 1e-14


def test_iterations_are_shared_by_all_rounds_of_a_run() -> None:
    problem, _, data = easy_problem()
    gram = Gram(Linear(), data.features, precision="single")
    needed = solve(problem, gram, Smo(refine=False), tol=1e-9).n_iter
    solution = solve(problem, gram, Smo(refine=False), tol=1e-9, max_iter=needed - 10)
    assert (solution.status, solution.n_iter) == ("max-iter", needed - 10)


def test_time_runs_out() -> None:
    problem, gram = hard_problem()
    solution = solve(problem, gram, max_iter=10**12, max_time=0.02)
    assert solution.status == "max-time"
    assert solution.violation == certify(problem, gram, solution.coef).violation
    assert solution.seconds >= 0.02


def test_no_time_at_all() -> None:
    problem, gram, _ = easy_problem()
    solution = solve(problem, gram, max_time=0.0)
    assert (solution.status, solution.n_iter) == ("max-time", 0)
    assert not solution.coef.any()
    start = solve(problem, gram).coef
    warm = solve(problem, gram, max_time=0.0, start=start)
    np.testing.assert_array_equal(warm.coef, start)


@pytest.mark.parametrize("refine", [True, False])
@pytest.mark.parametrize("name", ALL)
def test_no_tolerance_at_all(name: str, refine: bool) -> None:
    """Pairs moved to and fro by the last bit until the iterations ran out."""
    for n in (2, 5, 20, 60):
        data = sample(1, max(n, 5) if name == "norm-reduced" else n)
        for kernel in (Linear(), Gaussian(0.5)):
            problem = ALL[name](data).problem
            solution = solve(problem, Gram(kernel, data.features), Smo(refine=refine), tol=0.0)
            assert solution.status in ("converged", "precision-limit")
            size = np.abs(problem.linear).max() + np.abs(solution.gradient).max() + 1
            assert solution.violation <= 1e-9 * size


def test_the_rounding_of_single_precision_is_not_followed() -> None:
    """Along a flat direction it took ten million steps, each as small as the rounding."""
    X = np.array([[2.0, -1.0, 1.0], [2.0, 1.0, 1.0], [2.0, -2.0, 1.0], [-2.0, 1.0, 1.0]])
    problem = Problem(
        np.zeros(4), [0, 0, 0, -2], [2, 2, 2, 0], group=[0, 0, 0, 1], group_sum=[2.6, -1.6]
    )  # type: ignore[arg-type]
    gram = Gram(Linear(), X, precision="single")
    solution = solve(problem, gram, Smo(refine=False), tol=1e-7)
    assert solution.converged
    assert solution.n_iter < 1000


def test_progress_is_reported_and_a_true_value_stops() -> None:
    problem, gram = hard_problem()
    seen: list[Progress] = []

    def callback(progress: Progress) -> bool:
        seen.append(progress)
        return len(seen) == 4

    solution = solve(problem, gram, max_iter=10**12, callback=callback, max_time=60)
    assert solution.status == "callback"
    assert len(seen) == 4
    iterations = [progress.iteration for progress in seen]
    assert iterations == sorted(iterations)
    assert solution.n_iter >= iterations[-1] > 0
    assert [p.objective for p in seen] == sorted(p.objective for p in seen)
    assert 0 < seen[-1].n_active <= problem.n_variables
    assert seen[-1].seconds <= solution.seconds
    assert solution.violation == certify(problem, gram, solution.coef).violation


def test_progress_does_not_tell_of_half_a_plan() -> None:
    """A planned step may lose more than the value so far; the next one brings it back."""
    problem, gram = hard_problem()
    seen: list[float] = []

    def callback(progress: Progress) -> bool:
        seen.append(progress.objective)
        return len(seen) == 25

    solve(problem, gram, Smo(step="planning-ahead"), max_iter=10**12, callback=callback)
    assert seen == sorted(seen)


def test_a_callback_that_returns_nothing_lets_the_run_go_on() -> None:
    problem, gram, _ = easy_problem()
    assert solve(problem, gram, callback=lambda progress: None).converged


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
@pytest.mark.parametrize("start", [None, 0.5])
def test_what_a_callback_raises_is_raised(error: type[BaseException], start: Any) -> None:
    problem, gram, data = easy_problem()

    def callback(progress: Progress) -> None:
        raise error("by the user")

    where = None if start is None else np.full(data.n, start)
    with pytest.raises(error, match="by the user"):
        solve(problem, gram, callback=callback, start=where)
    assert solve(problem, gram, start=where).converged


@selections
@pytest.mark.parametrize("name", ["svc", "svr", "svc-squared", "one-class", "nu-svc", "huber"])
def test_stopping_by_the_relative_gap(name: str, selection: Any) -> None:
    data = sample(2, 50)
    problem, gram = ALL[name](data).problem, Gram(Gaussian(0.5), data.features)
    for tol in (1e-2, 1e-4, 1e-7):
        solver = Smo(selection=selection, stopping="gap", refine=False)
        solution = solve(problem, gram, solver, tol=tol)
        assert solution.status == "converged"
        assert solution.relative_gap is not None
        assert solution.relative_gap <= tol


@pytest.mark.parametrize("kernel", [Linear(), Gaussian(0.1)], ids=repr)
def test_stopping_by_the_gap_where_hulls_overlap(kernel: Any) -> None:
    """The optimum is 0: no gap is small relative to that, and the run never stopped."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.where(rng.random(40) < 0.5, 1.0, -1.0)
    problem, gram = fm.nearest_points(y).problem, Gram(kernel, X)
    solution = solve(problem, gram, Smo(stopping="gap"), tol=1e-3)
    assert solution.status == "converged"
    assert solution.gap < 1e-8


@pytest.mark.parametrize("solver", ["smo", "active-set"])
def test_a_run_cut_short_after_it_has_converged_has_converged(solver: str) -> None:
    """Time or the callback may end the polish that follows: the tolerance is met."""
    problem, gram, _ = easy_problem()
    start = solve(problem, gram, solver, tol=1e-6).coef
    for limit in ({"max_time": 0.0}, {"callback": lambda progress: True}, {"max_iter": 0}):
        solution = solve(problem, gram, solver, start=start, tol=1e-3, **limit)
        assert solution.status == "converged"


@pytest.mark.parametrize("step", ["newton", "planning-ahead"])
def test_stopping_by_the_relative_change_of_the_dual_value(step: str) -> None:
    """The last step changes it by less than the tolerance, every one before by more."""
    data = sample(2, 80)
    problem, gram = ALL["svc"](data).problem, Gram(Gaussian(0.5), data.features)
    solver = Smo(step=step, stopping="relative-change", shrinking=False, trace=1)
    solution = solve(problem, gram, solver, tol=1e-4)
    points = solution.trace["points"]
    # the two halves of a planned step count as one
    value = points["objective"][np.r_[True, points["kind"][:-1] != "planned"]]
    change = np.abs(np.diff(value))[1:] / np.abs(value[1:-1])
    assert solution.status == "converged"
    assert change[-1] < 1e-4
    assert (change[:-1] >= 1e-4).all()
    assert solution.violation > 1e-4  # it proves nothing, and the certificate says so
    assert solution.gap > 0
    closer = solve(problem, gram, solver, tol=1e-9)
    assert closer.n_iter > solution.n_iter
    assert closer.objective >= solution.objective


def test_the_relative_change_does_not_depend_on_scale() -> None:
    """k times s and C over s: coefficients over s, and as many steps."""
    data = sample(2, 80)
    problem, X = ALL["svc"](data).problem, data.features
    scaled = replace(problem, lower=problem.lower / 64, upper=problem.upper / 64)
    solver = Smo(stopping="relative-change")
    one = solve(problem, Gram(Gaussian(0.5), X), solver, tol=1e-6)
    other = solve(scaled, Gram(64.0 * Gaussian(0.5), X), solver, tol=1e-6)
    assert one.n_iter == other.n_iter
    assert other.objective == pytest.approx(one.objective / 64, rel=1e-12)


def test_stopping_by_the_gap_without_one() -> None:
    """An indefinite kernel has no duality gap: the violation decides."""
    data = sample(2, 50)
    problem, gram = ALL["svc"](data).problem, Gram(Sigmoid(0.5, -1.0), data.features)
    solution = solve(problem, gram, Smo(stopping="gap"))
    assert (solution.gap, solution.relative_gap) == (None, None)
    assert solution.violation <= 1e-3


def test_a_warm_start_after_a_small_change_is_short() -> None:
    """Far fewer steps than from zero."""
    data = sample(6, 200)
    gram, solver = Gram(Gaussian(0.2), data.features), Smo(refine=False)
    first = solve(fm.svc(data.labels, 1.0).problem, gram, solver)
    other = fm.svc(data.labels, 1.001).problem
    cold, warm = (solve(other, gram, solver, start=start) for start in (None, first.coef))
    assert warm.n_iter < cold.n_iter / 2
    assert warm.objective == pytest.approx(cold.objective, rel=1e-4)


def test_with_memory_every_row_is_computed_once() -> None:
    """As many rows as variables ever moved; the certificate recomputes its own."""
    problem, gram, data = easy_problem()
    solve(problem, gram, Smo(selection="most-violating", refine=False))
    assert gram.native().n_misses <= data.n
    assert gram.native().n_hits > 0


def test_the_solution_tells_what_was_done() -> None:
    problem, gram, _ = easy_problem()
    began = time.perf_counter()
    solution = solve(problem, gram, "smo")
    assert 0 < solution.seconds <= time.perf_counter() - began
    assert solution.solver == "smo"
    assert solution.n_kernel == gram.n_evaluations > 0
    trace = solution.trace
    kinds = ("free_steps", "clipped_steps", "planned_steps")
    assert sum(trace[kind] for kind in kinds) == trace["iterations"] == solution.n_iter


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda p, g: Smo(selection="best"), ValueError, "selection must be one of .* got 'best'"),
        (lambda p, g: Smo(step="long"), ValueError, "step must be one of .* got 'long'"),
        (lambda p, g: Smo(stopping="now"), ValueError, "stopping must be one of .* got 'now'"),
        (lambda p, g: resolve_solver("simplex"), ValueError, "solver must be one of .*'simplex'"),
        (lambda p, g: resolve_solver(3), TypeError, "an object with a solve method, got int"),
        (lambda p, g: solve(p, g, tol=-1.0), ValueError, "tol must not be negative, got -1.0"),
        (lambda p, g: solve(p, g, tol=np.nan), ValueError, "tol must not be negative, got nan"),
        (lambda p, g: solve(p, g, start=[1.0]), ValueError, "start must have shape"),
        (
            lambda p, g: solve(p, Gram(Linear(), np.ones((5, 1)))),
            ValueError,
            "problem.index refers to row 59, but gram has 5 rows",
        ),
    ],
)
def test_nonsense_is_refused(call: Any, error: type[Exception], message: str) -> None:
    problem, gram, _ = easy_problem()
    with pytest.raises(error, match=message):
        call(problem, gram)
