"""What every solver owes to every problem: an end, a certificate, and the optimum."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from formulations.cases import ALL, Data
from mercer import Chunked, Gram, Problem, Smo, Solution, certify, solve
from mercer import formulations as fm
from mercer.kernels import Gaussian, Kernel, Linear, Precomputed, Scaled
from reference import smo, solve_qp

FloatArray = NDArray[np.float64]
KERNELS: dict[str, Kernel] = {"linear": Linear(), "gaussian": Gaussian(0.5)}
ONE_ROW = [name for name in ALL if "svr" in name or "one-class" in name or "squares" in name]
seeds = st.integers(0, 2**32 - 1)
smo_solvers = st.builds(
    Smo,
    selection=st.sampled_from(["second-order", "most-violating"]),
    shrinking=st.booleans(),
    refine=st.booleans(),
)
chunked_solvers = st.builds(
    Chunked,
    chunk_size=st.sampled_from([2, 3, 5, 9, 1024]),
    keep=st.sampled_from([0.0, 0.5, 0.9]),
    shrinking=st.booleans(),
    kernel_rows=st.sampled_from(["auto", "kept", "computed"]),
)
solvers = st.one_of(smo_solvers, chunked_solvers)
AnySolver = Smo | Chunked


def refines(solver: AnySolver) -> bool:
    """Whether small problems in double precision are finished to rounding."""
    return isinstance(solver, Smo) and solver.refine


@dataclass(frozen=True, eq=False)
class Case:
    """A problem, its rows, and their matrix computed apart."""

    problem: Problem
    kernel: Kernel
    X: FloatArray

    @property
    def K(self) -> FloatArray:
        return self.kernel(self.X)

    def gram(self, **options: Any) -> Gram:
        return Gram(self.kernel, self.X, **options)

    @property
    def optimum(self) -> float:
        try:
            coef = solve_qp(self.problem, self.K)
        except RuntimeError:  # no interior to speak of
            coef = smo(self.problem, self.K, tol=1e-9).coef
        return certify(self.problem, self.gram(precision="double"), coef).objective


def crowded(seed: int, n: int) -> Data:
    """Rows on a small grid: copies, some with the other label, and ties everywhere."""
    rng = np.random.default_rng(seed)
    features = np.column_stack([rng.integers(-2, 3, (n, rng.integers(1, 4))), np.ones(n)])
    labels = np.where(features[:, 0] + rng.integers(-1, 2, n) > 0, 1.0, -1.0)
    labels[:2] = [1.0, -1.0][:n]
    weight = rng.choice([[1.0], [0.0, 1.0, 2.0]][rng.integers(2)], n)
    weight[:2] = 1.0
    return Data(features, labels, features[:, 0] + rng.integers(-1, 2, n), weight)


@st.composite
def cases(draw: st.DrawFn, names: Any = tuple(ALL)) -> Case:
    """Any formulation on any crowded data."""
    name = draw(st.sampled_from(names))
    fewest = 5 if name == "norm-reduced" else 1 if name in ONE_ROW else 2
    data = crowded(draw(seeds), draw(st.integers(fewest, 40)))
    kernel = KERNELS[draw(st.sampled_from(sorted(KERNELS)))]
    problem = ALL[name](data).problem
    if name == "ball":
        problem = fm.enclosing_ball(kernel.diag(data.features)).problem
    return Case(problem, kernel, data.features)


@st.composite
def wild_cases(draw: st.DrawFn) -> Case:
    """Groups or none, ridges or none, shared rows, and every sort of bound."""
    rng = np.random.default_rng(draw(seeds))
    n, m, n_groups = rng.integers(1, 13), rng.integers(0, 25), rng.integers(0, 4)
    lower, upper = rng.integers(-3, 1, m).astype(float), rng.integers(0, 4, m).astype(float)
    ridge = rng.choice([0.0, 0.5], m)
    # without a ridge an infinite box may make the problem unbounded
    upper[(rng.random(m) < 0.2) & (ridge > 0)] = np.inf
    lower[(rng.random(m) < 0.2) & (ridge > 0)] = -np.inf
    group = rng.integers(-1, n_groups, m) if n_groups else np.full(m, -1)
    inner = np.clip(rng.uniform(-1, 1, m).round(1), lower, upper)
    sums = np.array([inner[group == g].sum() for g in range(n_groups)])
    index = rng.integers(0, n, m)
    problem = Problem(rng.integers(-4, 5, m), lower, upper, index, ridge, group, sums)
    return Case(problem, Linear(), rng.integers(-2, 3, (n, 2)).astype(float))


def assert_solved(case: Case, solution: Solution, tol: float) -> None:
    """Converged and certified: the certificate is recomputed, and feasible to rounding."""
    p, beta = case.problem, solution.coef
    certificate = certify(p, case.gram(precision="double"), beta)
    assert solution.status == "converged"
    assert certificate.violation <= tol * (1 + 1e-9)
    assert (solution.violation, solution.gap) == (certificate.violation, certificate.gap)
    assert (beta >= p.lower).all()
    assert (beta <= p.upper).all()
    assert certificate.infeasibility <= 1e-12 * (np.abs(beta).sum() + 1)
    assert certificate.gap is not None
    assert certificate.gap >= 0


def assert_close(value: float, optimum: float, tolerance: float = 1e-6) -> None:
    assert value == pytest.approx(optimum, rel=tolerance, abs=tolerance)


@settings(max_examples=150)
@given(
    case=cases(),
    solver=solvers,
    precision=st.sampled_from(["single", "double"]),
    cache_rows=st.sampled_from([3, 1000]),
)
def test_every_formulation_reaches_its_optimum(
    case: Case, solver: AnySolver, precision: Any, cache_rows: int
) -> None:
    megabytes = cache_rows * len(case.X) * 8 / 2**20
    solution = solve(
        case.problem, case.gram(precision=precision, cache_size=megabytes), solver, tol=1e-6
    )
    assert_solved(case, solution, 1e-6)
    refined = refines(solver) and precision == "double"
    assert_close(solution.objective, case.optimum, 1e-8 if refined else 1e-6)


@settings(max_examples=150)
@given(case=wild_cases(), solver=solvers)
def test_problems_of_no_formulation_reach_their_optimum(case: Case, solver: AnySolver) -> None:
    solution = solve(case.problem, case.gram(), solver, tol=1e-6)
    assert_solved(case, solution, 1e-6)
    assert_close(solution.objective, case.optimum, 1e-8 if refines(solver) else 1e-6)


@settings(max_examples=60)
@given(case=st.one_of(cases(), wild_cases()), solver=solvers, seed=seeds)
def test_every_start_leads_to_the_same_value(case: Case, solver: AnySolver, seed: int) -> None:
    start = np.random.default_rng(seed).normal(size=case.problem.n_variables)
    cold = solve(case.problem, case.gram(), solver, tol=1e-7)
    warm = solve(case.problem, case.gram(), solver, tol=1e-7, start=start)
    assert_solved(case, warm, 1e-7)
    assert_close(warm.objective, cold.objective)


@settings(max_examples=60)
@given(case=st.one_of(cases(), wild_cases()), solver=solvers)
def test_a_solution_needs_no_further_step(case: Case, solver: AnySolver) -> None:
    gram = case.gram()
    first = solve(case.problem, gram, solver, tol=1e-4)
    again = solve(case.problem, gram, solver, tol=1e-4, start=first.coef)
    # refinement may still polish a digit or two
    assert refines(solver) or again.n_iter == 0
    assert again.objective >= first.objective - 1e-12 * max(1.0, abs(first.objective))
    assert_close(again.objective, first.objective, 1e-9 if refines(solver) else 1e-15)


@settings(max_examples=40)
@given(case=st.one_of(cases(), wild_cases()), solver=solvers)
def test_values_rise_step_by_step_and_bound_the_optimum(case: Case, solver: AnySolver) -> None:
    """Feasible after every step, never falling, optimum <= value + gap.

    Steps that plan ahead may fall for one step: their law is in test_policy_laws.
    """
    if isinstance(solver, Smo):
        solver = replace(solver, step="newton")
    gram, optimum, before = case.gram(), case.optimum, -np.inf
    for steps in (0, 1, 2, 3, 5, 8, 13):
        point = solve(case.problem, gram, solver, tol=1e-9, max_iter=steps)
        slack = 1e-9 * max(1.0, abs(point.objective))
        assert point.infeasibility <= 1e-12 * (np.abs(point.coef).sum() + 1)
        assert before - slack <= point.objective <= optimum + slack
        assert point.gap is not None
        assert point.objective + point.gap >= optimum - slack
        before = point.objective


@settings(max_examples=40)
@given(case=cases(), solver=solvers, seed=seeds)
def test_the_order_of_the_rows_does_not_matter(case: Case, solver: AnySolver, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(case.X))
    place = np.argsort(order)
    moved = replace(case.problem, index=place[case.problem.index])
    solution = solve(moved, Gram(case.kernel, case.X[order]), solver, tol=1e-7)
    assert_close(solution.objective, solve(case.problem, case.gram(), solver, tol=1e-7).objective)


@settings(max_examples=40)
@given(case=cases(), solver=solvers, seed=seeds)
def test_the_order_of_the_variables_does_not_matter(
    case: Case, solver: AnySolver, seed: int
) -> None:
    p = case.problem
    order = np.random.default_rng(seed).permutation(p.n_variables)
    fields = ("linear", "lower", "upper", "index", "ridge", "group")
    moved = replace(p, **{name: getattr(p, name)[order] for name in fields})
    solution = solve(moved, case.gram(), solver, tol=1e-7)
    assert_close(solution.objective, solve(p, case.gram(), solver, tol=1e-7).objective)


@settings(max_examples=40)
@given(case=cases(), solver=solvers)
def test_a_problem_and_its_mirror_image(case: Case, solver: AnySolver) -> None:
    """Labels and targets negated: coefficients and multipliers are, values are not."""
    p = case.problem
    sides = {"linear": -p.linear, "lower": -p.upper, "upper": -p.lower, "group_sum": -p.group_sum}
    plain = solve(p, case.gram(), solver, tol=1e-7)
    mirror = solve(replace(p, **sides), case.gram(), solver, tol=1e-7)
    assert_close(mirror.objective, plain.objective)
    certificate = certify(p, case.gram(), -mirror.coef)
    assert certificate.violation <= 1e-7 * (1 + 1e-9)


@settings(max_examples=40)
@given(
    case=cases(["svc", "svr", "svc-squared", "huber", "quantile", "least-squares", "svc-no-bias"]),
    solver=solvers,
    scale=st.sampled_from([1e-3, 0.5, 7.0, 1e3]),
)
def test_kernel_and_box_scale_against_each_other(
    case: Case, solver: AnySolver, scale: float
) -> None:
    """Kernel times s, C divided by s: coefficients divided by s, the same f."""
    p = case.problem
    scaled = replace(p, lower=p.lower / scale, upper=p.upper / scale, ridge=p.ridge * scale)
    gram = Gram(Scaled(case.kernel, scale), case.X)
    plain = solve(p, case.gram(), solver, tol=1e-8)
    other = solve(scaled, gram, solver, tol=1e-8)
    assert_close(scale * other.objective, plain.objective)
    certificate = certify(p, case.gram(), np.clip(scale * other.coef, p.lower, p.upper))
    assert_close(certificate.objective, plain.objective)


@settings(max_examples=40)
@given(
    case=cases(["svc", "svr", "svc-squared", "huber", "least-squares"]), solver=solvers, seed=seeds
)
def test_a_row_held_out_is_a_row_left_out(case: Case, solver: AnySolver, seed: int) -> None:
    """Its box collapsed to a point, on the Gram of all rows."""
    p = case.problem
    out = np.random.default_rng(seed).integers(0, len(case.X))
    held = p.index == out
    collapsed = replace(p, lower=np.where(held, 0, p.lower), upper=np.where(held, 0, p.upper))
    fields = ("linear", "lower", "upper", "index", "ridge", "group")
    shorter = replace(p, **{name: getattr(p, name)[~held] for name in fields})
    gram = case.gram()
    one, other = (solve(problem, gram, solver, tol=1e-7) for problem in (collapsed, shorter))
    assert_close(one.objective, other.objective)
    assert (one.coef[held] == 0).all()


@settings(max_examples=30)
@given(case=cases(["svr", "svr-squared", "svr-no-bias"]), solver=solvers, seed=seeds)
def test_no_row_pulls_both_ways(case: Case, solver: AnySolver, seed: int) -> None:
    """Even if it starts so."""
    above, below = np.random.default_rng(seed).uniform(0, 0.3, (2, len(case.X)))
    start = np.concatenate([above, -below])
    solution = solve(case.problem, case.gram(), solver, tol=1e-6, start=start)
    up, down = np.split(solution.coef, 2)
    np.testing.assert_allclose(up * down, 0.0, atol=1e-12)


@settings(max_examples=30)
@given(case=cases(["svc-squared"]), solver=solvers)
def test_squared_loss_is_the_hard_margin_of_another_kernel(case: Case, solver: AnySolver) -> None:
    """Ridge in the problem or on the matrix (Lopez Lazaro 2011, section 3.1.2)."""
    p = case.problem
    other = Gram(Precomputed(), case.K + np.diag(p.ridge))
    hard = replace(p, ridge=np.zeros(p.n_variables))
    one, two = solve(p, case.gram(), solver, tol=1e-8), solve(hard, other, solver, tol=1e-8)
    np.testing.assert_allclose(one.coef, two.coef, atol=1e-6)


def test_the_example_that_misleads_maximum_gain() -> None:
    """One pair of four violates, at a corner (docs/theory/smo.md#the-counter-example)."""
    r = np.sqrt(3)
    K = np.array([[2, r, -1, -r], [r, 4, -r, -3], [-1, -r, 2, r], [-r, -3, r, 4]])
    problem = fm.svc([-1, -1, 1, 1], 0.1).problem
    for selection in ("second-order", "most-violating"):
        solution = solve(problem, Gram(Precomputed(), K), Smo(selection=selection), tol=1e-10)
        assert solution.objective == pytest.approx(0.2310257, abs=1e-7)
        expected = [-0.1, -0.09337, 0.1, 0.09337]
        np.testing.assert_allclose(solution.coef, expected, atol=1e-6)
