"""The reference solvers agree with each other, and exactly so in rational arithmetic."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer import formulations as fm
from mercer.problem import Problem, certify
from reference import DenseGram, feasible_start, minimize_qp, smo, solve_qp
from test_problem import random_problem


def integer_data(seed: int, n: int = 9) -> tuple[list[list[int]], np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, size=(n, 3))
    labels = np.where(np.arange(n) % 2, -1.0, 1.0)
    return (X @ X.T).tolist(), labels


def hulls(labels: np.ndarray, largest: Fraction, total: Fraction) -> SimpleNamespace:
    """Reduced hulls in exact numbers: boxes of size ``largest``, classes that sum to ``total``."""
    n = len(labels)
    return SimpleNamespace(
        linear=[0] * n,
        lower=[Fraction(0) if y > 0 else -largest for y in labels],
        upper=[largest if y > 0 else Fraction(0) for y in labels],
        ridge=[0] * n,
        index=range(n),
        group=[0 if y > 0 else 1 for y in labels],
        group_sum=[total, -total],
    )


@given(seed=st.integers(0, 100_000), order=st.sampled_from([1, 2]))
@settings(deadline=None, max_examples=40)
def test_smo_and_interior_point_find_the_same_optimum(seed: int, order: int) -> None:
    problem, K = random_problem(seed)
    gram = DenseGram(K)
    one = certify(problem, gram, smo(problem, K, order=order).coef)
    other = certify(problem, gram, solve_qp(problem, K))
    assert one.objective == pytest.approx(other.objective, rel=1e-8, abs=1e-8)
    assert one.infeasibility <= 1e-12


@given(seed=st.integers(0, 100_000))
@settings(deadline=None, max_examples=30)
def test_start_is_feasible(seed: int) -> None:
    problem, K = random_problem(seed)
    assert certify(problem, DenseGram(K), feasible_start(problem)).infeasibility <= 1e-12


@pytest.mark.parametrize("order", [1, 2])
def test_objective_never_decreases(order: int) -> None:
    K, labels = integer_data(3)
    problem = fm.svc(labels, 2.0).problem
    gram = DenseGram(np.array(K, float))
    values = [
        certify(problem, gram, smo(problem, K, order=order, max_iter=k).coef).objective
        for k in range(15)
    ]
    assert np.diff(values).min() >= -1e-12


def test_last_index_wins_ties() -> None:
    problem = Problem([1, 1, -1, -1], [0, 0, -1, -1], [1, 1, 0, 0])
    for order in (1, 2):
        assert smo(problem, np.eye(4), order=order, max_iter=1).pairs == [(1, 3)]


def test_second_order_prefers_the_larger_gain() -> None:
    problem = Problem([1, -1, -1], [0, -9, -9], [9, 0, 0])
    K = np.diag([1.0, 1.0, 5.0])
    assert smo(problem, K, order=1, max_iter=1).pairs == [(0, 2)]
    assert smo(problem, K, order=2, max_iter=1).pairs == [(0, 1)]


def test_unbounded_problem_is_noticed() -> None:
    problem = fm.svc([1, -1], np.inf).problem
    with pytest.raises(ValueError, match="unbounded"):
        smo(problem, np.ones((2, 2)))


def test_interior_point_failure_is_noticed() -> None:
    with pytest.raises(RuntimeError, match="interior point"):
        minimize_qp(np.zeros((1, 1)), [1.0], np.array([[1.0]]), [0.0], n_equal=0)


# Rational arithmetic: no rounding, hence identity (Lopez Lazaro 2011, proposition 5.7).


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_rational_run_keeps_constraints_and_gradient_exactly(seed: int, order: int) -> None:
    K, labels = integer_data(seed)
    problem: Any = hulls(labels, Fraction(2, 5), Fraction(1))
    point = smo(problem, K, order=order, max_iter=15, number=Fraction)
    assert all(isinstance(value, (Fraction, int)) for value in point.coef)
    for g, total in enumerate(problem.group_sum):
        assert sum(b for b, h in zip(point.coef, problem.group, strict=True) if h == g) == total
    for i, slope in enumerate(point.gradient):
        assert slope == -sum(K[i][j] * b for j, b in enumerate(point.coef))


@pytest.mark.parametrize("seed", range(4))
def test_nu_svc_takes_the_steps_of_reduced_hulls_scaled(seed: int) -> None:
    K, labels = integer_data(seed)
    nu, n = Fraction(2, 3), len(labels)
    share = nu * n / 2
    nu_svc: Any = hulls(labels, Fraction(1), share)
    reduced: Any = hulls(labels, 1 / share, Fraction(1))
    one = smo(reduced, K, order=1, max_iter=25, number=Fraction)
    start = [share * b for b in feasible_start(reduced, Fraction)]
    other = smo(nu_svc, K, order=1, max_iter=25, start=start, number=Fraction)
    assert one.pairs == other.pairs
    assert [share * b for b in one.coef] == list(other.coef)


@pytest.mark.parametrize("seed", range(4))
def test_float_and_rational_runs_reach_the_same_optimum(seed: int) -> None:
    """Not pair by pair: rounding decides the structural ties (docs/theory/smo.md#rounding)."""
    K, labels = integer_data(seed, n=6)
    problem = fm.svc(labels, 0.5, loss="squared_hinge").problem
    exact = smo(problem, K, number=Fraction, tol=Fraction(1, 10**5))
    rounded = smo(problem, K, tol=1e-5)
    assert exact.pairs[0] == rounded.pairs[0]
    assert np.array(exact.coef, float) == pytest.approx(rounded.coef, abs=1e-4)
