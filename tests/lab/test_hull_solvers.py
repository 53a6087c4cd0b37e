"""Gilbert, GSK and MDM: the optimum of the hull family, with certificates, and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formulations.cases import HULLS, WEIGHTED, Data, optimum, sample, separable
from hull.hull_reference import tao_step, vertices
from mercer import Gram, Problem, certify, solve
from mercer import formulations as fm
from mercer.kernels import Gaussian, Linear
from mercer.lab import Gilbert, Gsk, Mdm, resolve_solver
from mercer.lab.hull_solvers.family import barycentres

MDM_STEPS = ("plain", "momentum", "cycle-breaking", "four-vector", "gradient-projection")
SOLVERS = {
    **{
        f"mdm-{order}-{step}": Mdm(order=order, step=step) for order in (1, 2) for step in MDM_STEPS
    },
    "mdm-sparse": Mdm(begin="sparse"),
    "gsk": Gsk(),
    "gsk-sparse": Gsk(begin="sparse"),
    "gilbert": Gilbert(),
}
FAMILY = {**HULLS, **{name: WEIGHTED[name] for name in ("one-class", "nu-svc", "nu-svr")}}
DATA = sample(5, n=24, weights=(1, 2))
APART = separable(5, n=24)


def data_for(name: str) -> Data:
    return APART if name in ("nearest", "nearest-reduced", "norm") else DATA


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", FAMILY)
def test_every_problem_of_the_family_reaches_its_optimum(name: str, solver: str) -> None:
    data = data_for(name)
    formulation = FAMILY[name](data)
    is_slow = not solver.startswith("mdm")
    gram = Gram(Linear(), data.features)
    solution = solve(formulation.problem, gram, SOLVERS[solver], tol=1e-3 if is_slow else 1e-6)
    assert solution.converged
    assert solution.solver == SOLVERS[solver].name
    proof = certify(formulation.problem, gram, solution.coef)
    assert proof.infeasibility <= 1e-12
    assert (solution.coef >= formulation.problem.lower).all()
    assert (solution.coef <= formulation.problem.upper).all()
    best = optimum(formulation, data)
    assert proof.objective == pytest.approx(best, rel=2e-3 if is_slow else 1e-6)
    assert proof.objective <= best + 1e-7 * abs(best) + 1e-9
    assert solution.gap is not None
    assert best <= proof.objective + solution.gap + 1e-7 * abs(best)


@given(seed=st.integers(0, 10_000), mu=st.floats(0.15, 1.2), joint=st.booleans())
@settings(max_examples=25)
def test_the_gap_of_the_extreme_points_bounds_the_distance_to_the_optimum(
    seed: int, mu: float, joint: bool
) -> None:
    """Property 24: D* - D <= sum of both promises <= 2 times the larger."""
    data = sample(seed, n=16)
    mu = max(mu, 1.0 / min((data.labels > 0).sum(), (data.labels < 0).sum()))
    formulation = fm.nearest_points(data.labels, mu)
    solver = (Gilbert if joint else Gsk)(trace=True)
    gram = Gram(Linear(), data.features)
    points = solve(formulation.problem, gram, solver, tol=1e-2, max_iter=300).trace["points"]
    best = optimum(formulation, data)
    assert (best - points["objective"] <= points["gap"] + 1e-7).all()
    assert (np.diff(points["objective"]) >= -1e-12).all()


@given(seed=st.integers(0, 10_000), mu=st.floats(0.2, 1.0), weighted=st.booleans())
@settings(max_examples=25)
def test_no_extreme_point_promises_more_than_the_one_found(
    seed: int, mu: float, weighted: bool
) -> None:
    """Property 33: against all extreme points of a hull of six rows, by brute force."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (6, 2)).astype(float)
    weight = rng.integers(1, 4, 6).astype(float) if weighted else np.ones(6)
    formulation = fm.minimum_norm(6, mu, weight)
    problem = formulation.problem
    solution = solve(problem, Gram(Linear(), X), Gsk(trace=True), max_iter=0)
    start = barycentres(problem)
    gradient = -X @ (start @ X)
    promise = (vertices(problem.upper) @ gradient).max() - start @ gradient
    assert solution.trace["points"]["gap"][0] == pytest.approx(promise, abs=1e-9)


@pytest.mark.parametrize("solver", [Mdm(), Gsk(), Gilbert()])
def test_the_most_reduced_hulls_need_no_step(solver: Any) -> None:
    """Property 22: mu = 1/n of both classes leaves the means."""
    labels = np.repeat([1.0, -1.0], 7)
    rows = DATA.features[:14]
    formulation = fm.nearest_points(labels, 1 / 7)
    solution = solve(formulation.problem, Gram(Linear(), rows), solver, tol=1e-9)
    assert (solution.n_iter, solution.status) == (0, "converged")
    apart = rows[:7].mean(axis=0) - rows[7:].mean(axis=0)
    assert formulation.fitted_parameters(solution).norm_squared == pytest.approx(apart @ apart)


@pytest.mark.parametrize("solver", [Mdm(), Gsk(), Gilbert()])
def test_a_weight_of_two_is_a_row_given_twice(solver: Any) -> None:
    data = sample(8, n=14, weights=(0, 1, 2))
    twice = data.repeated()
    mu = 1.0 / min(data.weight[data.labels > 0].sum(), data.weight[data.labels < 0].sum()) * 1.7
    one, two = (
        solve(fm.nearest_points(d.labels, mu, d.weight).problem, Gram(Linear(), d.features), solver)
        for d in (data, twice)
    )
    assert one.objective == pytest.approx(two.objective, rel=2e-3)
    assert not one.coef[data.weight == 0].any()


def test_the_method_of_tao_stalls_where_mdm_needs_one_step() -> None:
    """Property 25 (Lopez Lazaro 2011, section 4.2.3.2)."""
    A = np.array([[0.0, 6.0], [3.0, 7.0], [-1.0, 2.0], [2.5, 2.6], [2.0, 1.5]])
    B = np.array([[0.0, -4.0], [0.2, -4.0], [1.0, -6.0], [-1.0, -6.0]])
    coef, other = np.array([0, 0, 0, 0.5, 0.5]), np.array([0.5, 0.5, 0, 0])
    stuck = tao_step(A, coef, other @ B, 0.5)
    assert stuck.length == 0.0
    assert stuck.objective == pytest.approx(20.6125)
    problem = fm.nearest_points(np.repeat([1.0, -1.0], [5, 4]), 0.5).problem
    start = np.concatenate([coef, -other])
    solution = solve(problem, Gram(Linear(), np.vstack([A, B])), Mdm(), start=start, tol=1e-9)
    assert solution.n_iter == 1
    assert solution.objective == pytest.approx(-16.61125)


@pytest.mark.parametrize("name", ["gilbert", "gsk", "mdm"])
@pytest.mark.parametrize("case", ["svc", "svr", "least-squares", "svc-no-bias", "pinball"])
def test_other_problems_are_refused_by_name(name: str, case: str) -> None:
    problem = WEIGHTED[case](DATA).problem
    with pytest.raises(ValueError, match=rf"solver='{name}' takes problems about points of hulls"):
        solve(problem, Gram(Linear(), DATA.features), resolve_solver(name))


def test_a_box_on_the_wrong_side_is_named() -> None:
    problem = Problem(np.zeros(2), [-1.0, 0.0], [1.0, 1.0], group_sum=[1.0])
    with pytest.raises(ValueError, match=r"lower\[0\]=-1.0 and upper\[0\]=1.0"):
        solve(problem, Gram(Linear(), np.eye(2)), Mdm())


@pytest.mark.parametrize("solver", [Mdm(), Gsk(), Gilbert()])
def test_limits_and_callbacks_end_a_run(solver: Any) -> None:
    problem, gram = fm.nearest_points(DATA.labels).problem, Gram(Linear(), DATA.features)
    assert solve(problem, gram, solver, tol=1e-12, max_iter=3).n_iter == 3
    assert solve(problem, gram, solver, tol=1e-12, max_time=0.0).status == "max-time"
    assert solve(problem, gram, solver, tol=1e-12, callback=lambda p: True).status == "callback"


@pytest.mark.parametrize(
    "solver", [Mdm(stopping="relative-change"), Gsk(stopping="relative-change")]
)
def test_a_small_change_ends_a_run_that_is_told_so(solver: Any) -> None:
    formulation = fm.nearest_points(DATA.labels, DATA.mu)
    solution = solve(formulation.problem, Gram(Linear(), DATA.features), solver, tol=1e-3)
    assert solution.converged
    assert solution.objective == pytest.approx(optimum(formulation, DATA), rel=0.2)


def test_kernel_values_are_counted() -> None:
    """Of extreme points with k members a step asks for k rows; cached ones are not computed."""
    formulation = fm.nearest_points(DATA.labels, DATA.mu)
    gram = Gram(Gaussian(0.3), DATA.features)
    found = solve(formulation.problem, gram, Gsk(), tol=1e-2)
    members = int(np.floor(1 / DATA.mu)) + 1
    assert 0 < found.trace["extreme_rows"] <= members * found.n_iter
    assert 0 < found.n_kernel <= 6 * DATA.n**2
    plain = solve(formulation.problem, Gram(Gaussian(0.3), DATA.features), Mdm(), tol=1e-3)
    rows = plain.trace["rows_computed"] + plain.trace["rows_hit"]
    assert rows == 2 * plain.n_iter


def test_hulls_in_feature_space_of_many_rows_in_single_precision() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3200, 3)), np.resize([1.0, -1.0], 3200)
    X[:, 0] += 2 * y
    problem = fm.nearest_points(y, 0.004).problem
    gram = Gram(Gaussian(0.5), X)
    assert gram.precision == "single"
    fast, slow = (
        solve(problem, gram, s, tol=1e-2) for s in (Mdm(begin="sparse"), Gsk(begin="sparse"))
    )
    assert fast.converged
    assert slow.converged
    assert slow.objective == pytest.approx(fast.objective, rel=2e-2)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: Mdm(order=3), "order must be 1 or 2"),
        (lambda: Mdm(step="long"), "step must be one of"),
        (lambda: Mdm(begin="here"), "begin must be one of"),
        (lambda: Mdm(stopping="never"), "stopping must be one of"),
        (lambda: Gsk(stopping="margin"), "stopping must be 'gap' or"),
        (lambda: Gilbert(trace=-1), "trace must be"),
    ],
)
def test_wrong_options_are_named(make: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        make()
