"""SMO on boxes without end, on kernels that are none, and where there is nothing to choose."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from formulations.cases import sample, separable
from mercer import Gram, Problem, Smo, certify, solve
from mercer import formulations as fm
from mercer.kernels import Linear, Polynomial, Precomputed, Sigmoid
from reference import solve_qp

SELECTIONS = ("second-order", "most-violating")
selections = pytest.mark.parametrize("selection", SELECTIONS)


@selections
@pytest.mark.parametrize("n", [2, 3, 10, 40])
def test_hard_margin_of_separable_rows(selection: Any, n: int) -> None:
    data = separable(n, n)
    problem, gram = fm.svc(data.labels, np.inf).problem, Gram(Linear(), data.features)
    solution = solve(problem, gram, Smo(selection=selection), tol=1e-8)
    assert solution.status == "converged"
    optimum = certify(problem, gram, solve_qp(problem, data.K)).objective
    assert solution.objective == pytest.approx(optimum, rel=1e-7)
    # at the optimum y'a = a'Ka = 1 / margin^2
    assert data.labels @ solution.coef == pytest.approx(2 * solution.objective, rel=1e-6)


def mixed(seed: int, n: int, d: int, copies: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows of two classes that no plane separates: two of either sit between the others."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 3.0
    X[: n // 2] = X[n // 2 : 2 * (n // 2)] if copies else X[: n // 2]
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    corner = np.zeros(d)
    corner[0] = 1.0
    X[:4], y[:4] = [corner, -corner, 2 * corner, 0 * corner], [1, 1, -1, -1]
    return X, y


@settings(max_examples=40)
@given(
    seed=st.integers(0, 1000),
    n=st.integers(4, 60),
    d=st.integers(1, 5),
    copies=st.booleans(),
    selection=st.sampled_from(SELECTIONS),
)
def test_hard_margin_of_mixed_rows_is_unbounded(
    seed: int, n: int, d: int, copies: bool, selection: Any
) -> None:
    X, y = mixed(seed, n, d, copies)
    solution = solve(fm.svc(y, np.inf).problem, Gram(Linear(), X), Smo(selection=selection))
    assert solution.status == "unbounded"
    assert solution.gap == np.inf
    assert np.isfinite(solution.coef).all()


@pytest.mark.parametrize("n", [300, 1000])
def test_hard_margin_of_many_mixed_rows_is_unbounded(n: int) -> None:
    X, y = mixed(0, n, 2, copies=False)
    assert solve(fm.svc(y, np.inf).problem, Gram(Linear(), X)).status == "unbounded"


def test_a_large_box_is_not_taken_for_an_endless_one() -> None:
    """With C = 1e10 a bounded problem was called unbounded."""
    X, y = mixed(3, 20, 2, copies=False)
    for C in (1e8, 1e10, 1e12):
        solution = solve(fm.svc(y, C).problem, Gram(Linear(), X), max_iter=10**5)
        assert solution.status != "unbounded"
        assert solution.gap is not None
        assert np.isfinite(solution.gap)


@selections
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_least_squares_is_a_linear_system(selection: Any, fit_intercept: bool) -> None:
    data = sample(4, 30)
    problem = fm.least_squares(data.targets, 0.5, fit_intercept=fit_intercept).problem
    solution = solve(problem, Gram(Linear(), data.features), Smo(selection=selection), tol=1e-9)
    n = data.n
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = data.K + 0.5 * np.eye(n)
    system[n, :n] = system[:n, n] = fit_intercept
    system[n, n] = not fit_intercept
    exact = np.linalg.solve(system, np.append(data.targets, 0.0))
    np.testing.assert_allclose(solution.coef, exact[:n], atol=1e-8)
    if fit_intercept:
        assert solution.multiplier[0] == pytest.approx(exact[n], abs=1e-8)


@selections
def test_problems_without_choice(selection: Any) -> None:
    gram, solver = Gram(Linear(), np.arange(6.0).reshape(3, 2)), Smo(selection=selection)
    none = solve(Problem(np.zeros(0), 0.0, 1.0), gram, solver)  # type: ignore[arg-type]
    assert (none.status, none.objective, none.coef.shape) == ("converged", 0.0, (0,))
    fixed = Problem(np.ones(3), [1, 2, -3], [1, 2, -3])  # type: ignore[arg-type]
    solution = solve(fixed, gram, solver)
    np.testing.assert_array_equal(solution.coef, [1, 2, -3])
    assert (solution.status, solution.violation) == ("converged", 0.0)
    one = Problem(np.ones(1), 0.0, 5.0, group_sum=2.0)  # type: ignore[arg-type]
    assert solve(one, gram, solver).coef == [2.0]


@selections
def test_one_variable_alone(selection: Any) -> None:
    """max b - b^2 (k + ridge) / 2 on a box, without a group."""
    gram = Gram(Precomputed(), np.array([[2.0]]))
    for upper, expected in [(0.1, 0.1), (np.inf, 0.4)]:
        problem = Problem(np.ones(1), 0.0, upper, ridge=0.5, group=-1, group_sum=())  # type: ignore[arg-type]
        solution = solve(problem, gram, Smo(selection=selection), tol=1e-12)
        assert solution.coef[0] == pytest.approx(expected, abs=1e-12)
    free = Problem(np.ones(1), -np.inf, np.inf, group=-1, group_sum=())  # type: ignore[arg-type]
    assert solve(free, Gram(Precomputed(), np.zeros((1, 1)))).status == "unbounded"


@selections
@pytest.mark.parametrize("C", [1.0, 1e3, np.inf])
@pytest.mark.parametrize("kernel", [Sigmoid(1.0, -1.0), Polynomial(3, 1.0, -2.0)])
def test_indefinite_kernels_end(kernel: Any, C: float, selection: Any) -> None:
    data = sample(5, 80)
    gram = Gram(kernel, data.features)
    solution = solve(fm.svc(data.labels, C).problem, gram, Smo(selection=selection), max_iter=10**6)
    assert solution.status in ("converged", "precision-limit", "unbounded")
    assert solution.gap is None
    assert np.isfinite(solution.coef).all()


def test_rows_that_contradict_each_other_end_at_the_bound() -> None:
    """All such coefficients at C, without a gap."""
    X = np.repeat(np.random.default_rng(0).normal(size=(10, 2)), 2, axis=0)
    y = np.tile([1.0, -1.0], 10)
    solution = solve(fm.svc(y, 0.7).problem, Gram(Linear(), X), tol=1e-8)
    np.testing.assert_array_equal(solution.coef, 0.7 * y)
    assert solution.gap == pytest.approx(0.0, abs=1e-12)


def test_fixed_variables_are_never_moved() -> None:
    """But count in the gradient of the others."""
    data = sample(1, 60)
    problem, gram = fm.svc(data.labels, 0.7).problem, Gram(Linear(), data.features)
    lower, upper = problem.lower.copy(), problem.upper.copy()
    lower[:10] = upper[:10] = 0.3 * data.labels[:10]
    pinned = Problem(problem.linear, lower, upper)
    solution = solve(pinned, gram, tol=1e-8)
    np.testing.assert_array_equal(solution.coef[:10], lower[:10])
    optimum = certify(pinned, gram, solve_qp(pinned, data.K)).objective
    assert solution.objective == pytest.approx(optimum, rel=1e-8)
