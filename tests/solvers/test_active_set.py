"""The active-set method is exact on everything it takes, and refuses the rest."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer import SVC, SVR, Gram, OneClassSVM, Problem, solve
from mercer import formulations as fm
from mercer.kernels import Gaussian, Linear, Precomputed, Sigmoid
from mercer.problem import Certificate, Solution, certify
from mercer.solvers import ActiveSet, Basis
from reference import solve_qp
from solvers.active_set_cases import FORMULATIONS, formulate, random_case, slope_noise

GRID = (1e-3, 0.03, 1.0, 30.0, 1e3)


def is_optimal(found: Certificate | Solution, problem: Problem, gram: Gram, coef: object) -> bool:
    """A relative gap of 1e-10, or what rounding of the gradient alone makes of it.

    Where the hulls of two groups overlap the optimum is 0 and its terms cancel: the gap is then
    relative to what the coefficients could make of the kernel
    (docs/theory/problem.md#hulls-that-overlap).
    """
    widths = np.minimum(problem.upper - problem.lower, np.abs(np.asarray(coef)).max(initial=1.0))
    rounding = 10 * slope_noise(problem, gram, np.asarray(coef)) * widths.sum()
    size = abs(found.objective)
    if not problem.linear.any():
        size = max(size, np.abs(np.asarray(coef)).sum() ** 2 * np.abs(gram.diagonal()).max())
    return found.gap <= max(1e-10 * size, rounding)


def assert_optimal(solution: Solution, problem: Problem, gram: Gram) -> None:
    assert solution.status == "converged"
    assert is_optimal(solution, problem, gram, solution.coef)
    assert solution.infeasibility <= 1e-12 * max(1.0, np.abs(solution.coef).sum())


# Exactness.


@pytest.mark.parametrize("name", FORMULATIONS)
def test_every_formulation_is_solved_to_the_last_digits(name: str) -> None:
    for seed in range(120):
        case = random_case(seed)
        problem = formulate(case, name, GRID[seed % 5]).problem
        pricing = ("sprint", "full")[seed % 2]
        solution = solve(problem, case.gram, ActiveSet(pricing=pricing), tol=1e-3)
        assert_optimal(solution, problem, case.gram)


@pytest.mark.parametrize("name", FORMULATIONS)
def test_objectives_agree_with_an_interior_point_method(name: str) -> None:
    for seed in range(8):
        case = random_case(seed, max_rows=20)
        problem = formulate(case, name, 1.0).problem
        n = len(case.y)
        K = case.gram.block(np.arange(n), np.arange(n))
        wanted = certify(problem, case.gram, solve_qp(problem, K)).objective
        solution = solve(problem, case.gram, "active-set")
        assert solution.objective >= wanted - 1e-8 * max(1.0, abs(wanted))


@given(st.integers(0, 10**9))
@settings(max_examples=150)
def test_free_variables_are_affinely_independent(seed: int) -> None:
    case = random_case(seed)
    problem = fm.svc(case.y, 1.0, case.weight).problem
    gram = case.gram
    basis = Basis(problem, gram)
    basis.solve()
    free = basis.free
    assert 1 <= len(free) <= case.rank + 1
    K = gram.block(free, free)
    differences = K[1:, 1:] - K[1:, :1] - K[:1, 1:] + K[0, 0]
    values = np.linalg.eigvalsh(differences)
    assert (values > 0).all()


def test_the_rank_bounds_the_free_variables() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    y = np.where(rng.random(300) < 0.5, 1.0, -1.0)
    solution = solve(fm.svc(y, 1000.0).problem, Gram(Linear(), X), "active-set")
    assert solution.trace["n_free"] == 6
    assert solution.trace["largest_basis"] <= 6


# Simulated Gaussians (Sentelle 2014, table 5.5): inner iterations without partial pricing.


@pytest.mark.parametrize(
    ("d", "C", "iterations"), [(5, 10, 3301), (5, 1000, 3587), (50, 10, 3888), (50, 1000, 5240)]
)
def test_inner_iterations_are_those_of_the_source(d: int, C: float, iterations: int) -> None:
    rng = np.random.default_rng(d + int(C))
    X = rng.normal(size=(1000, d))
    X[500:] += 0.1
    y = np.repeat([1.0, -1.0], 500)
    solver = ActiveSet(pricing="full", shrinking=False, refine=False)
    solution = solve(fm.svc(y, C).problem, Gram(Linear(), X), solver, tol=1e-3)
    assert solution.status == "converged"
    assert 0.8 * iterations <= solution.n_iter <= 1.2 * iterations


# Degenerate problems.


def test_two_opposite_rows_at_one_place_reach_their_bounds() -> None:
    problem = fm.svc([1.0, -1.0], 2.0).problem
    solution = solve(problem, Gram(Gaussian(1.0), np.ones((2, 1))), "active-set")
    assert solution.coef.tolist() == [2.0, -2.0]


def test_a_kernel_of_zeros_is_solved() -> None:
    y = np.array([1.0, 1.0, 1.0, -1.0, -1.0])
    solution = solve(fm.svc(y, 1.0).problem, Gram(Linear(), np.zeros((5, 2))), "active-set")
    assert solution.objective == pytest.approx(4.0)
    assert solution.gap == 0.0


def test_a_single_class_rests_at_zero() -> None:
    problem = Problem(np.ones(4), 0.0, 1.0)
    solution = solve(problem, Gram(Linear(), np.eye(4)), "active-set")
    assert not solution.coef.any()
    assert solution.n_iter == 0


def test_fixed_variables_leave_nothing_to_do() -> None:
    problem = Problem(np.ones(3), 0.5, 0.5, group_sum=[1.5])
    solution = solve(problem, Gram(Linear(), np.eye(3)), "active-set")
    assert solution.coef.tolist() == [0.5] * 3
    assert solution.status == "converged"


def test_a_fixed_variable_outside_the_group_is_no_obstacle() -> None:
    problem = Problem([1.0, -1.0, 0.3], [0, -1, 0.7], [1, 0, 0.7], group=[0, 0, -1])
    gram = Gram(Linear(), np.eye(3))
    solution = solve(problem, gram, "active-set")
    assert_optimal(solution, problem, gram)


def test_an_unbounded_problem_is_reported() -> None:
    problem = Problem([1.0, 0.0], -np.inf, np.inf)
    solution = solve(problem, Gram(Linear(), np.zeros((2, 1))), "active-set")
    assert solution.status == "unbounded"


def test_variables_flip_from_bound_to_bound() -> None:
    flips = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2, size=(60, 6)).astype(float)
        y = np.where(rng.random(60) < 0.5, 1.0, -1.0)
        y[:2] = 1.0, -1.0
        gram, problem = Gram(Linear(), X), fm.svc(y, 0.05).problem
        solution = solve(problem, gram, "active-set")
        assert_optimal(solution, problem, gram)
        flips += solution.trace["flips"]
    assert flips > 0


# Invariances.


@given(st.integers(0, 10**6))
@settings(max_examples=40)
def test_pricing_and_shrinking_do_not_change_the_value(seed: int) -> None:
    case = random_case(seed)
    problem = fm.svc(case.y, 3.0, case.weight).problem
    solvers = (ActiveSet(), ActiveSet(pricing="full"), ActiveSet(shrinking=False))
    values = [solve(problem, case.gram, solver, tol=1e-9).objective for solver in solvers]
    assert np.ptp(values) <= 1e-9 * max(1.0, max(map(abs, values)))


@pytest.mark.parametrize("seed", range(12))
def test_it_agrees_with_smo(seed: int) -> None:
    case = random_case(seed, max_rows=20)
    problem = fm.svc(case.y, 1.0, case.weight).problem
    values = [
        solve(problem, case.gram, solver, tol=1e-8).objective for solver in ("smo", ActiveSet())
    ]
    assert np.ptp(values) <= 1e-8 * max(1.0, max(map(abs, values)))


def test_the_order_of_rows_and_their_origin_do_not_matter() -> None:
    case = random_case(6, max_rows=60)
    order = case.rng.permutation(len(case.y))
    value = solve(fm.svc(case.y, 2.0).problem, Gram(Linear(), case.X), "active-set").objective
    for X, y in ((case.X[order], case.y[order]), (case.X + 5.0, case.y), (case.X, -case.y)):
        other = solve(fm.svc(y, 2.0).problem, Gram(Linear(), X), "active-set")
        assert other.objective == pytest.approx(value, rel=1e-9)


def test_a_cache_of_one_row_changes_nothing() -> None:
    case = random_case(0, max_rows=60)
    problem = fm.svc(case.y, 2.0).problem
    small = Gram(case.kernel, case.X, cache_size=1e-4, precision="double")
    a, b = (solve(problem, gram, "active-set") for gram in (case.gram, small))
    assert np.array_equal(a.coef, b.coef)
    assert a.n_iter == b.n_iter


def test_a_gram_cut_into_segments_serves_a_part_of_its_rows() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(60, 3)), np.repeat([1.0, -1.0, 1.0], 20)
    whole = Gram(Gaussian(0.5), X, segments=[0, 20, 40, 60], precision="double")
    part = np.r_[0:20, 40:60]
    formulation = fm.svc(np.repeat([1.0, -1.0], 20), 1.0).on_rows(part, 60)
    solution = solve(formulation.problem, whole, "active-set")
    alone = solve(
        fm.svc(np.repeat([1.0, -1.0], 20), 1.0).problem, Gram(Gaussian(0.5), X[part]), "active-set"
    )
    assert solution.objective == pytest.approx(alone.objective, rel=1e-12)
    assert len(y) == whole.n_rows


# Machines.


def test_machines_take_it_by_name() -> None:
    rng = np.random.default_rng(1)
    X, labels = rng.normal(size=(80, 2)), rng.integers(0, 3, 80)
    machine = SVC(solver="active-set", C=5.0).fit(X, labels)
    assert machine.solver_ == "active-set"
    assert machine.dual_gap_ < 1e-10
    assert SVR(solver="active-set").fit(X, X[:, 0]).dual_gap_ < 1e-10
    assert OneClassSVM(solver="active-set", nu=0.2).fit(X).dual_gap_ < 1e-10


# Refusals.


def test_an_indefinite_kernel_is_refused_before_any_kernel_value() -> None:
    gram = Gram(Sigmoid(1.0, 0.0), np.eye(4))
    with pytest.raises(ValueError, match="positive semi-definite"):
        solve(fm.svc([1, 1, -1, -1], 0.5).problem, gram, "active-set")
    assert gram.n_evaluations == 0


def test_an_unknown_pricing_is_refused() -> None:
    with pytest.raises(ValueError, match="pricing must be one of"):
        ActiveSet(pricing="all")


def test_an_indefinite_matrix_said_to_be_definite_ends_with_a_status() -> None:
    rng = np.random.default_rng(3)
    A = rng.normal(size=(30, 30))
    problem = fm.svc(np.repeat([1.0, -1.0], 15), 1.0).problem
    solution = solve(problem, Gram(Precomputed(True), A + A.T), "active-set", max_iter=2000)
    assert solution.status in ("converged", "precision-limit", "max-iter")
    assert solution.infeasibility < 1e-9


# Status, interruption and progress.


def _large(n: int = 1500) -> tuple[Problem, Gram]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 10))
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    return fm.svc(y, 100.0).problem, Gram(Gaussian(0.1), X, precision="double")


def test_limits_end_the_run_with_a_feasible_point() -> None:
    problem, gram = _large()
    for limit, status in (({"max_iter": 7}, "max-iter"), ({"max_time": 0.05}, "max-time")):
        solution = solve(problem, gram, "active-set", **limit)
        assert solution.status == status
        assert solution.infeasibility < 1e-9
        assert solution.gap > 0
    assert solve(problem, gram, "active-set", max_iter=0).n_iter == 0


def test_the_callback_sees_progress_and_can_stop() -> None:
    problem, gram = _large()
    seen = []

    def callback(progress: object) -> bool:
        seen.append(progress)
        return len(seen) == 3

    solution = solve(problem, gram, "active-set", callback=callback)
    assert solution.status == "callback"
    assert len(seen) == 3
    assert seen[2].iteration > seen[0].iteration
    assert seen[2].objective > seen[1].objective


def test_errors_of_the_callback_come_out() -> None:
    problem, gram = _large(200)

    def callback(progress: object) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        solve(problem, gram, "active-set", callback=callback)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_ends_the_run() -> None:
    import _thread

    problem, gram = _large(3000)
    threading.Timer(0.3, _thread.interrupt_main).start()
    began = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        solve(problem, gram, "active-set")
    assert time.perf_counter() - began < 30
