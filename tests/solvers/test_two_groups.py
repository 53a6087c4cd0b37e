"""The active set with two groups: the nu family and nearest points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from mercer import Gram, NuSVC, NuSVR, Problem, certify, solve
from mercer import formulations as fm
from mercer.kernels import Gaussian, Linear
from mercer.solvers import Basis
from solvers.active_set_cases import TWO_GROUPS, Case, formulate, random_case
from solvers.test_active_set import assert_optimal


def matrix(case: Case) -> NDArray[np.float64]:
    rows = np.arange(len(case.y))
    return case.gram.block(rows, rows)


@given(st.integers(0, 10**4), st.sampled_from(TWO_GROUPS), st.sampled_from([0.03, 1.0, 1e3, 1e5]))
@settings(deadline=None, max_examples=150)
def test_the_differences_of_free_variables_are_independent(seed: int, name: str, C: float) -> None:
    case = random_case(seed)
    problem = formulate(case, name, C).problem
    basis = Basis(problem, case.gram)
    basis.solve()
    free = basis.free
    group, index = problem.group[free], problem.index[free]
    first = np.array([np.flatnonzero(group == g)[0] for g in group])
    Z = (np.eye(len(free)) - np.eye(len(free))[first])[first != np.arange(len(free))]
    H = matrix(case)[np.ix_(index, index)] + np.diag(problem.ridge[free])
    assert (np.linalg.eigvalsh(Z @ H @ Z.T) > 0).all()
    assert basis.coef @ (problem.group == 0) == pytest.approx(problem.group_sum[0], rel=1e-12)


@given(st.integers(0, 10**6), st.sampled_from(TWO_GROUPS))
@settings(deadline=None, max_examples=60)
def test_pair_steps_find_nothing_better(seed: int, name: str) -> None:
    case = random_case(seed, max_rows=20)
    problem = formulate(case, name, 2.0).problem
    exact = solve(problem, case.gram, "active-set")
    pairs = solve(problem, case.gram, "smo", max_iter=20_000)
    reach = np.abs(exact.coef).sum() ** 2 * np.abs(case.gram.diagonal()).max()
    assert exact.objective >= pairs.objective - 1e-12 * (abs(pairs.objective) + reach)


def test_a_class_without_free_variables_rests_at_its_bounds() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = np.repeat([1.0, -1.0], [10, 30])
    problem, gram = fm.nu_svc(y, 0.5).problem, Gram(Gaussian(1.0), X, precision="double")
    solution = solve(problem, gram, "active-set")
    assert solution.coef[:10].tolist() == [1.0] * 10
    assert_optimal(solution, problem, gram)


def test_a_removed_row_is_as_if_it_had_never_been_there() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 3)), np.where(rng.random(30) < 0.5, 1.0, -1.0)
    gram, problem = Gram(Linear(), X, precision="double"), fm.nu_svc(y, 0.4).problem
    basis = Basis(problem, gram)
    basis.solve()
    for row in np.flatnonzero(basis.coef)[:8]:
        other = basis.copy()
        other.remove(int(row))
        gone = np.arange(30) == row
        lower, upper = np.where(gone, 0, problem.lower), np.where(gone, 0, problem.upper)
        without = Problem(
            problem.linear, lower, upper, group=problem.group, group_sum=problem.group_sum
        )
        wanted = solve(without, gram, "active-set").objective
        assert other.solve().objective == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_a_learned_tube_at_large_C_is_finished_by_newton_steps(kernel: str) -> None:
    rng = np.random.default_rng(2)
    X = rng.integers(-3, 4, size=(120, 4)).astype(float)
    y = X[:, 0] + 0.5 * X[:, 1] * (kernel == "poly") + np.round(rng.normal(size=120), 1)
    machine = NuSVR(kernel=kernel, C=1e5, nu=0.4, tol=1e-6).fit(X, y)
    assert machine.solver_ == "smo"
    assert machine.n_iter_ < 100_000
    problem = fm.nu_svr(y, 1e5, 0.4).problem
    gram = Gram(machine.kernel_, X, precision="double")
    assert certify(problem, gram, machine.solutions_[0].coef).relative_gap <= 1e-6


def test_machines_take_it_by_name() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    machine = NuSVC(nu=0.3, solver="active-set").fit(X, y)
    assert machine.solver_ == "active-set"
    assert all(solution.converged for solution in machine.solutions_)
