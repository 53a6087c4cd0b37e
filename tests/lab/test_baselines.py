"""The trainers kept for comparison: the same optimum, by their own ways."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer import Gram, Problem, Smo, certify, solve
from mercer import formulations as fm
from mercer.kernels import Gaussian, Linear, Precomputed
from mercer.lab import Osuna, Platt, SvmFu, SvmLight, SvmQp, compare
from mercer.lab.baselines.centred_factor import CentredFactor
from mercer.lab.baselines.column_cache import ColumnCache
from mercer.lab.baselines.linear_weights import LinearWeights
from mercer.lab.baselines.svmlight import steepest_direction

SOLVERS = {
    "osuna": Osuna(chunk_size=12),
    "osuna-narrow": Osuna(chunk_size=2, lookahead=3, max_new=1),
    "platt": Platt(),
    "svmfu": SvmFu(),
    "svmfu-narrow": SvmFu(
        chunk_size=4, free_after=2, keep_extra=1, min_swap=1, lookahead=3, n_outside=5
    ),
    "svmfu-shrinking": SvmFu(chunk_size=12, min_swap=3, keep_extra=2, lookahead=2, shrink_after=1),
    "svmlight": SvmLight(),
    "svmlight-4": SvmLight(set_size=4),
    "svmlight-2": SvmLight(set_size=2),
    "svmlight-shrinking": SvmLight(set_size=4, shrink_after=1),
    "svm-qp": SvmQp(),
    "svm-qp-narrow": SvmQp(list_size=2),
    "svm-qp-full": SvmQp(list_size=None),
}
NAMES = ("osuna", "platt", "svmfu", "svmlight", "svm-qp")


def rows(seed: int = 0, n: int = 40) -> tuple[Any, Any]:
    """Rows on a grid, copies and contradictions among them."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (n, 2)).astype(float)
    y = np.where(X[:, 0] + rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = [1.0, -1.0]
    return X, y


def problems(seed: int = 0, n: int = 40) -> dict[str, Problem]:
    X, y = rows(seed, n)
    return {
        "svc": fm.svc(y, 3.0).problem,
        "squared": fm.svc(y, 3.0, loss="squared_hinge").problem,
        "svr": fm.svr(X[:, 1], 2.0, 0.1).problem,
        "quantile": fm.quantile(X[:, 1], 2.0, 0.3).problem,
        "one-class": fm.one_class(n, 0.4).problem,
        "squares": fm.least_squares(X[:, 1], 0.5).problem,
    }


@pytest.mark.parametrize("name", SOLVERS)
@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 40),
    problem=st.sampled_from(sorted(problems())),
    kernel=st.sampled_from([Gaussian(0.5), Linear()]),
)
def test_all_reach_the_optimum(name: str, seed: int, n: int, problem: str, kernel: Any) -> None:
    """Any chunk, any set; the values agree to the tolerance."""
    X, _ = rows(seed, n)
    p = problems(seed, n)[problem]
    found = solve(p, Gram(kernel, X), SOLVERS[name], tol=1e-6)
    best = solve(p, Gram(kernel, X), Smo(), tol=1e-9)
    certificate = certify(p, Gram(kernel, X), found.coef)
    assert found.status == "converged"
    assert certificate.violation <= 1e-6 * (1 + 1e-9)
    assert certificate.infeasibility <= 1e-12 * (np.abs(found.coef).sum() + 1)
    assert found.objective == pytest.approx(best.objective, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("name", SOLVERS)
def test_machines_agree_where_they_decide(name: str) -> None:
    """f of all rows to the order of the tolerance, from any start."""
    X, y = rows(n=60)
    p, gram = fm.svc(y, 3.0).problem, Gram(Gaussian(0.5), X)
    best = solve(p, gram, Smo(), tol=1e-10)
    start = np.random.default_rng(1).normal(size=60)
    found = solve(p, gram, SOLVERS[name], tol=1e-5, start=start)
    values = [gram.product(None, s.coef) + s.multiplier[0] for s in (best, found)]
    np.testing.assert_allclose(*values, atol=1e-3)


@pytest.mark.parametrize("problem", ["svc", "squared", "svr", "one-class"])
def test_svmlight_with_two_variables_is_most_violating(problem: str) -> None:
    """The same pairs, until two are equally violating but for rounding."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 2))
    p = problems()[problem]
    one = solve(p, Gram(Gaussian(0.5), X), SvmLight(set_size=2, trace=True), tol=1e-4)
    solver = Smo(
        selection="most-violating",
        step="newton",
        refine=False,
        shrinking=False,
        stopping="violation",
        trace=True,
    )
    other = solve(p, Gram(Gaussian(0.5), X), solver, tol=1e-4)
    ours, theirs = (s.trace["points"][: min(one.n_iter, other.n_iter)] for s in (one, other))
    differ = np.flatnonzero((ours["up"] != theirs["up"]) | (ours["down"] != theirs["down"]))
    same = differ[0] + 1 if len(differ) else len(ours)
    assert same > 10
    np.testing.assert_allclose(ours["violation"][:same], theirs["violation"][:same], rtol=1e-9)
    assert one.objective == pytest.approx(other.objective, rel=1e-6)


def steepest_by_search(gradient: Any, can_grow: Any, can_fall: Any, set_size: int) -> float:
    """The best slope over all ways to raise k variables and to lower k others.

    The vertices of the directions with entries in [-1, 1] and sum zero have entries -1, 0, 1.
    """
    best = 0.0
    for k in range(1, set_size // 2 + 1):
        for up in combinations(np.flatnonzero(can_grow), k):
            for down in combinations(np.flatnonzero(can_fall), k):
                if not set(up) & set(down):
                    best = max(best, gradient[list(up)].sum() - gradient[list(down)].sum())
    return best


@settings(max_examples=100, deadline=None)
@given(
    sides=st.lists(st.sampled_from(["grow", "fall", "both"]), min_size=1, max_size=7),
    seed=st.integers(0, 2**32 - 1),
    set_size=st.sampled_from([2, 4, 6]),
)
def test_svmlight_takes_the_steepest_direction(sides: list[str], seed: int, set_size: int) -> None:
    """The sorted ends are the optimum of the direction problem."""
    gradient = np.random.default_rng(seed).integers(-3, 4, len(sides)).astype(float)
    can_grow, can_fall = (
        np.array([s in (side, "both") for s in sides]) for side in ("grow", "fall")
    )
    up, down = steepest_direction(gradient, can_grow, can_fall, set_size)
    assert can_grow[up].all()
    assert can_fall[down].all()
    assert not set(up) & set(down)
    slope = gradient[up].sum() - gradient[down].sum()
    assert slope == steepest_by_search(gradient, can_grow, can_fall, set_size)


@pytest.mark.parametrize("solver", [SvmLight(2), SvmFu(chunk_size=12, lookahead=2)])
def test_shrinking_without_a_final_check_claims_nothing_false(solver: Any) -> None:
    """Rifkin 2002: without it optimality is not guaranteed, and the status must say so."""
    statuses = set()
    for seed in range(30):
        X, _ = rows(seed)
        hasty = replace(solver, shrink_after=1, final_check=False)
        found = solve(problems(seed)["svc"], Gram(Gaussian(0.5), X), hasty, tol=1e-6)
        statuses.add(found.status)
        assert (found.status == "converged") == (found.violation <= 1e-6)
    assert "stuck" in statuses


@pytest.mark.parametrize("container", [np.asarray, sp.csr_matrix])
def test_platt_keeps_the_weights_of_a_linear_machine(container: Any) -> None:
    """The same optimum (Rifkin 2002, section 2.3.2), with far fewer kernel values."""
    X = np.random.default_rng(3).normal(size=(60, 3))
    y = np.where(X[:, 0] > 0.2 * X[:, 1] ** 2, 1.0, -1.0)
    p = fm.svc(y, 0.5).problem
    linear = solve(p, Gram(Linear(), container(X), precision="double"), Platt(), tol=1e-4)
    stored = solve(p, Gram(Precomputed(), X @ X.T, precision="double"), Platt(), tol=1e-4)
    assert linear.objective == pytest.approx(stored.objective, rel=1e-6)
    assert linear.n_kernel < 0.5 * stored.n_kernel
    weights = LinearWeights(container(X), p.index, linear.coef)
    assert weights.value(7) == pytest.approx(float(X[7] @ X.T @ linear.coef))


def test_svm_qp_goes_on_where_the_kernel_matrix_is_singular() -> None:
    """Two features: no more than three rows are free, and every further one is a flat step."""
    X, y = rows(seed=1, n=60)
    p, gram = fm.svc(y, 5.0).problem, Gram(Linear(), X)
    found = solve(p, gram, SvmQp(list_size=None), tol=1e-8)
    assert found.trace["flat_steps"] > 5
    assert found.status == "converged"
    assert 0 < found.n_kernel <= 60 * 61


def test_a_centred_factor_is_that_of_its_members() -> None:
    """Members come and go, the first of them too."""
    rng = np.random.default_rng(2)
    A = rng.normal(size=(12, 20))
    H, factor = A @ A.T, CentredFactor()
    for variable in range(10):
        factor.append(variable, H[variable, factor.members], H[variable, variable])
    for place in (4, 0, 7, 0, 2):
        factor.remove(place)
        inside = H[np.ix_(factor.members, factor.members)]
        centred = inside - inside[0] - inside[0][:, None] + inside[0, 0]
        np.testing.assert_allclose(factor.lower @ factor.lower.T, centred[1:, 1:], rtol=1e-9)
    entry = factor.entry(H[11, factor.members], H[11, 11])
    moved = H[np.ix_(factor.members, [*factor.members, 11])] @ np.append(entry.direction, 1.0)
    assert entry.direction.sum() == pytest.approx(-1.0)
    np.testing.assert_allclose(moved, moved[0])


def test_columns_of_fewer_rows_are_more_columns() -> None:
    X, _ = rows(n=40)
    native = Gram(Gaussian(0.5), X, precision="double").native()
    cache, some = ColumnCache(native, 40, budget=80), np.arange(0, 40, 4)
    assert cache.capacity == 2
    cache.restrict(some)
    assert cache.capacity == 8
    for i in (3, 5, 3, 7):
        np.testing.assert_array_equal(cache.column(i), native.row(i)[some])
    assert cache.n_computed == 3
    cache.restrict(some[::2])
    np.testing.assert_array_equal(cache.column(5), native.row(5)[some[::2]])
    assert cache.n_computed == 3


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("case", ["no group", "two groups", "partly"])
def test_other_groups_are_refused_before_any_kernel_value(name: str, case: str) -> None:
    X, y = rows()
    problem = {
        "no group": fm.svc(y, 1.0, fit_intercept=False).problem,
        "two groups": fm.nu_svc(y, 0.3).problem,
        "partly": Problem(y, -1.0, 1.0, group=np.where(y > 0, 0, -1)),
    }[case]
    gram = Gram(Gaussian(1.0), X)
    with pytest.raises(ValueError, match=f"{name}.*one group.*'smo' and 'chunked'"):
        solve(problem, gram, SOLVERS[name])
    assert gram.n_evaluations == 0


@pytest.mark.parametrize("name", NAMES)
def test_limits_end_a_run_with_a_feasible_point(name: str) -> None:
    X, y = rows(n=200)
    p, gram = fm.svc(y, 10.0).problem, Gram(Gaussian(0.5), X)
    solver = Osuna(chunk_size=20) if name == "osuna" else SOLVERS[name]
    few = solve(p, gram, solver, tol=1e-6, max_iter=3)
    assert (few.status, few.n_iter) == ("max-iter", 3)
    late = solve(p, gram, solver, tol=1e-6, max_time=0.0)
    assert late.status == "max-time"
    seen: list[Any] = []
    stopped = solve(p, gram, solver, tol=1e-6, callback=lambda state: seen.append(state) or True)
    assert stopped.status == "callback"
    assert seen[0].iteration == 0
    for solution in (few, late, stopped):
        assert solution.infeasibility <= 1e-12


@pytest.mark.parametrize("name", SOLVERS)
def test_hard_margins_and_unbounded_problems(name: str) -> None:
    """An infinite box is fine as long as the kernel bends the objective."""
    X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
    separable = solve(fm.svc(y, np.inf).problem, Gram(Linear(), X), SOLVERS[name], tol=1e-8)
    assert separable.objective == pytest.approx(0.5)
    same = Gram(Linear(), np.ones((4, 1)))
    assert solve(fm.svc(y, np.inf).problem, same, SOLVERS[name]).status == "unbounded"


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("n", [0, 1])
def test_nothing_to_do(name: str, n: int) -> None:
    gram = Gram(Precomputed(), np.ones((1, 1)))
    solution = solve(Problem(np.ones(n), 0.0, 1.0), gram, SOLVERS[name])
    assert (solution.status, solution.n_iter) == ("converged", 0)


@pytest.mark.parametrize("name", NAMES)
def test_values_never_fall_and_the_trace_is_true(name: str) -> None:
    X, y = rows(n=80)
    solver = {
        "osuna": Osuna(chunk_size=20, trace=True),
        "platt": Platt(True),
        "svmfu": SvmFu(chunk_size=20, min_swap=5, keep_extra=5, free_after=5, trace=True),
        "svmlight": SvmLight(trace=True),
        "svm-qp": SvmQp(trace=True),
    }[name]
    solution = solve(fm.svc(y, 10.0).problem, Gram(Gaussian(0.5), X), solver, tol=1e-6)
    points = solution.trace["points"]
    assert len(points) == solution.n_iter + 1
    assert (np.diff(points["objective"]) >= -1e-10).all()
    assert points["objective"][-1] == pytest.approx(solution.objective, rel=1e-10)


def test_baselines_take_part_in_comparisons() -> None:
    X, y = rows(n=60)
    result = compare(
        fm.svc(y, 3.0).problem, Gram(Gaussian(0.5), X), ["smo", *NAMES], permutations=2
    )
    assert all(row.converged == 1.0 for row in result.table)
    assert all(result.traces[name] is not None for name in NAMES)
    values = [row.objective for row in result.table]
    np.testing.assert_allclose(values, values[0], rtol=1e-4)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: SvmLight(set_size=3), "even"),
        (lambda: SvmLight(set_size=0), "even"),
        (lambda: SvmLight(shrink_after=0), "shrink_after"),
        (lambda: Osuna(chunk_size=1), "chunk_size"),
        (lambda: Osuna(lookahead=0), "lookahead"),
        (lambda: Osuna(max_new=0), "max_new"),
        (lambda: SvmQp(list_size=1), "list_size"),
        (lambda: SvmFu(chunk_size=1), "chunk_size"),
        (lambda: SvmFu(free_after=0), "free_after"),
        (lambda: SvmFu(shrink_after=0), "shrink_after"),
        (lambda: SvmFu(n_outside=-1), "n_outside"),
        (lambda: Platt(trace=-1), "trace"),
    ],
)
def test_parameters_are_checked(build: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()
