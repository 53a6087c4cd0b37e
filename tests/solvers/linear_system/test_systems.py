"""Factored systems: the same machine by every route, and the algebra behind it."""

from __future__ import annotations

import importlib
import signal

import numpy as np
import pytest

from bordered import bordered
from mercer import RLSC, Gram
from mercer.formulations import least_squares, svc
from mercer.kernels import Gaussian
from mercer.kernels.blocks import row_slices
from mercer.lowrank import LowRank
from mercer.solvers import ConjugateGradient, Direct, solve
from mercer.solvers.linear_system import (
    System,
    conjugate_gradient,
    kernel_cg,
    preconditioner_features,
)
from mercer.solvers.linear_system.residual import column_norms


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("rank", [0, 20])
def test_preconditioned_cg_is_exact_and_a_good_factor_saves_steps(bias, rank):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(80, 2)), rng.normal(size=(80, 3))
    system = System(Y, rng.choice([0.5, 1.0, 4.0], 80), bias)
    gram = Gram(Gaussian(0.3), X, precision="double")
    features = preconditioner_features(LowRank(rank, random_state=0), gram, X) if rank else None
    coef, intercept, run = kernel_cg(gram, system, 0.01, features=features, tol=1e-12)
    expected, bias_value = bordered(system, Gaussian(0.3)(X), 0.01)
    assert run.converged
    np.testing.assert_allclose(coef, expected, atol=1e-8 * np.abs(expected).max())
    np.testing.assert_allclose(intercept, bias_value, atol=1e-8)
    assert run.n_iter < (45 if rank else 120)


MODULES = ("conjugate_gradient", "kernel_cg")


def test_a_preconditioner_made_of_many_blocks_is_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    X, system = rng.normal(size=(80, 2)), System(rng.normal(size=(80, 1)), np.ones(80), True)
    gram = Gram(Gaussian(0.3), X, precision="double")
    features = preconditioner_features(LowRank(20, random_state=0), gram, X)
    one, _, run = kernel_cg(gram, system, 0.01, features=features, tol=1e-12)
    for name in MODULES:
        module = importlib.import_module(f"mercer.solvers.linear_system.{name}")
        monkeypatch.setattr(module, "feature_blocks", lambda n, rank: list(row_slices(n, 1, 7)))
    other, _, again = kernel_cg(gram, system, 0.01, features=features, tol=1e-12)
    np.testing.assert_allclose(other, one, atol=1e-10 * np.abs(one).max())
    assert abs(again.n_iter - run.n_iter) <= 2


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("name", MODULES)
def test_ctrl_c_waits_for_one_block_of_the_preconditioner_of_cg(name, monkeypatch):
    """Products of all rows and features took seconds, in which nothing could end them."""
    seen = []

    def interrupted(n, rank):
        for rows in row_slices(n, 1, 7):
            seen.append(rows.start)
            if rows.start == 14:
                signal.raise_signal(signal.SIGINT)
            yield rows

    module = importlib.import_module(f"mercer.solvers.linear_system.{name}")
    monkeypatch.setattr(module, "feature_blocks", interrupted)
    X = np.random.default_rng(0).normal(size=(80, 2))
    with pytest.raises(KeyboardInterrupt):
        RLSC(solver=ConjugateGradient(rank=20)).fit(X, X[:, 0] > 0)
    assert seen == [0, 7, 14]


def test_cg_ends_after_as_many_steps_as_there_are_eigenvalues():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(60, 6))
    run = conjugate_gradient(lambda V: A @ (A.T @ V) + 2.0 * V, rng.normal(size=(60, 4)))
    assert run.converged
    assert run.n_iter <= 7


def test_cg_stops_where_it_is_told_and_says_so():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(60, 60))
    apply = lambda V: A @ (A.T @ V) + 1e-3 * V  # noqa: E731
    run = conjugate_gradient(apply, np.ones((60, 1)), max_iter=3)
    assert run.n_iter == 3
    assert not run.converged
    assert run.residual > 1e-3
    zero = conjugate_gradient(apply, np.zeros((60, 2)))
    assert zero.converged
    assert not zero.x.any()
    warm = conjugate_gradient(
        apply,
        np.ones((60, 1)),
        start=conjugate_gradient(apply, np.ones((60, 1)), tol=1e-10).x,
        tol=1e-8,
    )
    assert warm.n_iter == 0


@pytest.mark.parametrize("solver", [Direct(), ConjugateGradient(), "smo"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_general_problems_have_the_same_optimum(solver, fit_intercept):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    weight = rng.choice([0.0, 1.0, 3.0], 40)
    problem = least_squares(y, 0.3, weight, fit_intercept=fit_intercept).problem
    gram = Gram(Gaussian(0.3), X, precision="double")
    solution = solve(problem, gram, solver, tol=1e-10)
    assert solution.converged
    assert solution.violation <= 1e-10
    assert abs(solution.relative_gap) < 1e-12
    assert (solution.coef[weight == 0] == 0).all()


@pytest.mark.parametrize("solver", ["direct", "cg"])
def test_other_problems_are_refused_with_advice(solver):
    problem = svc([1, -1, 1], 1.0).problem
    with pytest.raises(ValueError, match="takes least squares problems"):
        solve(problem, Gram(Gaussian(0.3), np.eye(3)), solver)


def test_norms_of_huge_columns_do_not_overflow() -> None:
    found = column_norms(np.array([[3e200, 0.0, 3.0, np.inf], [4e200, 0.0, 4.0, 1.0]]))
    assert found == pytest.approx([5e200, 0.0, 5.0, np.inf])
