"""Machines at the ends of their parameters (docs/theory/active_set.md#limits-of-a-machine)."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import Gram, formulations, solve, svc_path
from mercer.kernels import Gaussian, Linear
from mercer.solvers import Basis


def classes(n_positive: int, n_negative: int, shift: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n_positive)
    y = np.repeat([1.0, -1.0], [n_positive, n_negative])
    return rng.normal(size=(len(y), 3)) + shift * y[:, None], y


def test_for_small_c_equal_classes_are_at_their_bounds() -> None:
    X, y = classes(15, 15)
    path = svc_path(X, y)
    C = 0.3 * path.first_event
    assert path.coef(C) == pytest.approx(C * y)
    gram = Gram(path.kernel, X, precision="double")
    assert solve(formulations.svc(y, C).problem, gram, "active-set").coef == pytest.approx(C * y)


def test_for_small_c_the_larger_class_balances_the_smaller_one() -> None:
    X, y = classes(9, 25)
    path = svc_path(X, y)
    for C in (1e-3 * path.first_event, 0.9 * path.first_event):
        coef = path.coef(C)
        assert coef[y > 0] == pytest.approx(np.full(9, C))
        assert coef[y < 0].sum() == pytest.approx(-9 * C)


def test_for_small_c_one_row_is_free_if_the_classes_are_equal() -> None:
    X, y = classes(12, 12)
    path = svc_path(X, y)
    basis = Basis(formulations.svc(y, 1e-3 * path.first_event).problem, path.gram)
    basis.solve()
    assert len(basis.free) == 1


def test_for_large_c_a_separable_problem_stands_still() -> None:
    X, y = classes(12, 17, shift=3.0)
    path = svc_path(X, y, kernel="linear", C_max=np.inf)
    assert path.status == "complete"
    assert np.array_equal(path.coef(1e3 * path.C[-1]), path.coef(np.inf))
    margin = y * path.decision_function(X, np.inf)
    assert margin.min() == pytest.approx(1.0)
    assert path.certificate(np.inf).relative_gap < 1e-9
    low, high = path.intercept_interval(np.inf)
    assert low <= path.intercept(np.inf) <= high
    assert high - low < 1e-6


def test_for_large_c_as_many_rows_are_free_as_the_rank_allows() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 4)), np.where(rng.random(200) < 0.5, 1.0, -1.0)
    path = svc_path(X, y, kernel="linear", C_max=1e4)
    assert path.segments.n_free.max() == 5
    assert path.events["n_free"][-1] == 5


@pytest.mark.parametrize("n_negative", [20, 35])
def test_for_small_gamma_the_decision_is_constant(n_negative: int) -> None:
    X, y = classes(20, n_negative)
    gram = Gram(Gaussian(1e-9), X, precision="double")
    solution = solve(formulations.svc(y, 1.0).problem, gram, "active-set")
    # w vanishes, and the smaller class is on the wrong side of its margin by 2
    assert solution.objective == pytest.approx(2.0 * 20, rel=1e-6)
    values = gram.product(None, solution.coef)
    assert np.ptp(values) < 1e-5


def test_for_small_gamma_it_is_the_linear_machine_with_2_gamma_c() -> None:
    X, y = classes(20, 30, shift=0.4)
    linear = solve(formulations.svc(y, 0.7).problem, Gram(Linear(), X), "active-set").objective
    gamma = 1e-6
    gram = Gram(Gaussian(gamma), X, precision="double")
    problem = formulations.svc(y, 0.7 / (2 * gamma)).problem
    assert 2 * gamma * solve(problem, gram, "active-set").objective == pytest.approx(
        linear, rel=1e-4
    )


def test_for_large_gamma_every_row_is_free_and_known() -> None:
    X, y = classes(20, 30)
    gram = Gram(Gaussian(1e4), X, precision="double")
    solution = solve(formulations.svc(y, 5.0).problem, gram, "active-set")
    # K is the identity: coef_i = y_i - b, and the coefficients add up to zero
    bias = (20 - 30) / 50
    assert solution.multiplier[0] == pytest.approx(bias)
    assert solution.coef == pytest.approx(y - bias)
    assert solution.trace["n_free"] == 50


@pytest.mark.parametrize("C_max", [1e5, 49.0, 0.3, 1e-3, 7e7])
def test_the_C_that_was_asked_for_is_on_the_path(C_max: float) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
    path = svc_path(X, y, C_max=C_max)
    assert np.isfinite(path.decision_function(X, C_max)).all()
