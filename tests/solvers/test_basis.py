"""A basis survives changes: another start, C, kernel, and rows that come and go."""

from __future__ import annotations

import itertools
import sys

import numpy as np
import pytest
import sklearn.svm
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer import Gram, solve
from mercer import formulations as fm
from mercer.kernels import Gaussian, Linear, Polynomial
from mercer.problem import certify
from mercer.solvers import Basis
from solvers.active_set_cases import FORMULATIONS, Case, formulate, random_case


def near(a: float, b: float, tolerance: float = 1e-9) -> bool:
    return abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


def inner_point(case: Case, C: float) -> np.ndarray:
    """As far inside the box as the balance of the classes allows."""
    w = np.array([case.weight[case.y == label].sum() for label in (1, -1)])
    share = 0.5 * C * w.min() / w
    return case.y * case.weight * np.where(case.y > 0, share[0], share[1])


# Purification (docs/theory/active_set.md#from-a-point-to-a-basis).


@given(st.integers(0, 10**6))
@settings(max_examples=80)
def test_any_feasible_point_becomes_a_basis_without_loss(seed: int) -> None:
    case = random_case(seed)
    problem, gram = fm.svc(case.y, 2.0, case.weight).problem, case.gram
    start = inner_point(case, 2.0)
    before = certify(problem, gram, start)
    basis = Basis(problem, gram, start)
    after = certify(problem, gram, basis.coef)
    assert after.objective >= before.objective - 1e-9 * max(1.0, abs(before.objective))
    assert after.infeasibility < 1e-9
    assert len(basis.free) <= case.rank + 1
    assert near(basis.solve().objective, solve(problem, gram, "active-set").objective)


@pytest.mark.parametrize("name", FORMULATIONS)
def test_the_optimum_of_another_solver_is_kept(name: str) -> None:
    for seed in range(10):
        case = random_case(seed, max_rows=20)
        problem, gram = formulate(case, name, 1.0).problem, case.gram
        exact = solve(problem, gram, "active-set")
        start = solve(problem, gram, "smo", tol=1e-8, max_iter=100_000).coef
        solution = solve(problem, gram, "active-set", start=start)
        assert near(solution.objective, exact.objective)
        assert solution.n_iter <= 3


def test_a_model_of_libsvm_on_duplicated_rows_is_continued() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))[rng.integers(0, 60, 240)]
    y = np.where(X[:, 0] + rng.normal(size=240) > 0, 1.0, -1.0)
    problem, gram = fm.svc(y, 10.0).problem, Gram(Gaussian(0.5), X, precision="double")
    model = sklearn.svm.SVC(C=10.0, gamma=0.5, tol=1e-3).fit(X, y)
    start = np.zeros(240)
    start[model.support_] = model.dual_coef_[0]
    cold, warm = solve(problem, gram, "active-set"), solve(problem, gram, "active-set", start=start)
    assert near(warm.objective, cold.objective)
    assert warm.n_iter < 0.2 * cold.n_iter
    assert warm.trace["n_free"] <= 61


def test_a_kernel_that_loses_rank_keeps_the_point() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(150, 3))
    y = np.where(rng.random(150) < 0.5, 1.0, -1.0)
    problem = fm.svc(y, 5.0).problem
    start = None
    for degree, rank in ((3, 20), (2, 10), (1, 4)):
        gram = Gram(Polynomial(degree, 1.0, 1.0), X, precision="double")
        basis = Basis(problem, gram, start)
        solution = basis.solve()
        assert near(solution.objective, solve(problem, gram, "active-set").objective)
        assert len(basis.free) <= rank
        start = solution.coef


# Another C (Sentelle 2014, algorithm 4).


@given(st.integers(0, 10**6))
@settings(max_examples=30)
def test_c_can_go_up_and_down(seed: int) -> None:
    case = random_case(seed)
    gram = case.gram
    values = [0.01, 0.3, 1.0, 20.0, 500.0, 20.0, 1.0, 0.05]
    basis = Basis(fm.svc(case.y, values[0], case.weight).problem, gram)
    basis.solve()
    for old, new in itertools.pairwise(values):
        problem = fm.svc(case.y, new, case.weight).problem
        basis.rescale(problem, new / old)
        assert near(basis.solve().objective, solve(problem, gram, "active-set").objective)


def test_a_warm_start_is_much_shorter() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 8))
    y = np.where(X[:, 0] + rng.normal(size=300) > 0, 1.0, -1.0)
    gram = Gram(Linear(), X, precision="double")
    grid = 2.0 ** np.arange(-9, 11, 2)
    basis = Basis(fm.svc(y, grid[0]).problem, gram)
    warm = basis.solve().n_iter
    for old, new in itertools.pairwise(grid):
        basis.rescale(fm.svc(y, new).problem, new / old)
        warm += basis.solve().n_iter
    cold = sum(solve(fm.svc(y, C).problem, gram, "active-set").n_iter for C in grid)
    assert warm < 0.25 * cold


# Rows come and go (docs/theory/active_set.md#rows-come-and-go).


@pytest.mark.parametrize("name", ["svc", "svc-squared", "svc-no-bias", "svr"])
def test_without_a_row_it_is_the_solution_without_that_row(name: str) -> None:
    for seed in range(12):
        case = random_case(seed, max_rows=16)
        problem, gram = formulate(case, name, 2.0).problem, case.gram
        basis = Basis(problem, gram)
        whole = basis.solve().objective
        row = int(case.rng.integers(1, len(case.y) - 1)) if len(case.y) > 2 else 0
        variables = problem.index == row
        basis.remove(row)
        found = basis.solve()
        wanted = solve(basis.problem, gram, "active-set")
        assert near(found.objective, wanted.objective)
        assert not found.coef[variables].any()
        basis.add(row, problem.lower[variables], problem.upper[variables])
        assert near(basis.solve().objective, whole)


def test_the_last_row_of_a_class_can_be_removed() -> None:
    gram = Gram(Linear(), np.array([[0.0], [1.0], [3.0]]))
    basis = Basis(fm.svc([1.0, 1.0, -1.0], 1.0).problem, gram)
    basis.solve()
    basis.remove(2)
    solution = basis.solve()
    assert not solution.coef.any()
    assert solution.violation <= 1e-12


def test_a_row_the_group_sum_needs_is_not_removed() -> None:
    problem = fm.one_class(3, 1.0).problem
    basis = Basis(problem, Gram(Linear(), np.eye(3)))
    basis.solve()
    with pytest.raises(ValueError, match="row 1 cannot be removed"):
        basis.remove(1)


def test_a_box_without_the_present_value_is_refused() -> None:
    basis = Basis(fm.svc([1.0, -1.0], 1.0).problem, Gram(Linear(), np.eye(2)))
    with pytest.raises(ValueError, match="must contain the value"):
        basis.add(0, 1.0, 2.0)


@pytest.mark.parametrize("seed", range(6))
def test_leave_one_out_equals_training_without_each_row(seed: int) -> None:
    case = random_case(seed, max_rows=18)
    gram = Gram(Gaussian(0.7), case.X, precision="double")
    y = case.y
    basis = Basis(fm.svc(y, 3.0).problem, gram)
    basis.solve()
    values = basis.leave_one_out()
    for i in range(len(y)):
        rest = np.delete(np.arange(len(y)), i)
        if len(np.unique(y[rest])) < 2:
            continue
        formulation = fm.svc(y[rest], 3.0).on_rows(rest, len(y))
        solution = solve(formulation.problem, gram, "active-set")
        column = gram.row(i) @ formulation.fitted_parameters(solution).coef
        low, high = bias_interval(formulation.problem, solution)
        assert low - 1e-7 <= values[i] - column <= high + 1e-7


def bias_interval(problem: object, solution: object) -> tuple[float, float]:
    """Every bias that is optimal: between the gradients that may still rise and fall."""
    rise, fall = solution.coef < problem.upper, solution.coef > problem.lower
    return (
        solution.gradient[rise].max(initial=-np.inf),
        solution.gradient[fall].min(initial=np.inf),
    )


def test_a_copy_keeps_the_kernel_rows_it_shares() -> None:
    """It gave them back to a Gram that was gone: memory was read after it was freed."""
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.tile([1.0, -1.0], 10)
    gram = Gram(Gaussian(1.0), X)
    basis = Basis(fm.svc(y, 1.0).problem, gram)
    native = gram.native("double")
    before = sys.getrefcount(native)
    other = basis.copy()._native
    assert sys.getrefcount(native) == before + 1
    del other
    assert sys.getrefcount(native) == before
