"""Factored systems: the same machine by every route, and the algebra behind it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer import Gram
from mercer.formulations import least_squares, svc
from mercer.kernels import Gaussian
from mercer.least_squares import FeatureSolver, Moments
from mercer.lowrank import LowRank
from mercer.solvers import ConjugateGradient, Direct, solve
from mercer.solvers.linear_system import (
    DualSystem,
    System,
    conjugate_gradient,
    kernel_cg,
    preconditioner_features,
)
from mercer.solvers.linear_system.residual import column_norms


def random_system(seed: int) -> tuple[System, np.ndarray, float]:
    """Any size from one row, repeated rows, weights of any scale."""
    rng = np.random.default_rng(seed)
    n, q = int(rng.integers(1, 12)), int(rng.integers(1, 4))
    rows = rng.normal(size=(n, 3))[rng.integers(n, size=n)]
    weight = rng.choice([0.1, 1.0, 2.0, 30.0], n)
    system = System(rng.normal(size=(n, q)), weight, bool(rng.integers(2)))
    return system, Gaussian(0.5)(rows), float(10.0 ** rng.uniform(-3, 2))


def bordered(system: System, K: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """[[K + alpha/w, 1], [1', 0]] solved as it stands."""
    n = system.n_rows
    B = np.zeros((n + 1, n + 1))
    B[:n, :n] = K + alpha * np.diag(1 / system.weight)
    B[n, n] = 0.0 if system.bias else 1.0
    if system.bias:
        B[n, :n] = B[:n, n] = 1.0
    right = np.vstack([system.targets, np.zeros((1, system.targets.shape[1]))])
    solved = np.linalg.solve(B, right)
    return solved[:n], solved[n]


@settings(max_examples=80)
@given(seed=st.integers(0, 10**6), spectral=st.booleans())
def test_reflected_system_is_the_bordered_one(seed, spectral):
    system, K, alpha = random_system(seed)
    factored = DualSystem(system, K.copy(), None if spectral else alpha)
    coef, intercept = factored.solve(alpha)
    expected, bias = bordered(system, K, alpha)
    np.testing.assert_allclose(coef, expected, atol=1e-9 * np.abs(expected).max(initial=1))
    np.testing.assert_allclose(intercept, bias, atol=1e-9)
    fitted, _ = factored.evaluate(np.array([alpha]), slice(0, system.n_rows))
    np.testing.assert_allclose(fitted[0], K @ expected + bias, atol=1e-9)
    smoother = np.column_stack(
        [
            (K @ c + b)[:, 0]
            for c, b in (
                bordered(System(e[:, None], system.weight, system.bias), K, alpha)
                for e in np.eye(system.n_rows)
            )
        ]
    )
    np.testing.assert_allclose(factored.dof(np.array([alpha]))[0], np.trace(smoother), rtol=1e-7)


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), cuts=st.lists(st.integers(0, 30), max_size=4))
def test_moments_do_not_depend_on_the_blocks(seed, cuts):
    rng = np.random.default_rng(seed)
    features = np.asfortranarray(rng.normal(size=(30, 3)) + 1e6)
    targets, weight = rng.normal(size=(30, 2)) + 1e3, rng.choice([0.0, 1.0, 2.5], 30)
    weight[0] = 1.0
    whole, parts = Moments(3, 2, True), Moments(3, 2, True)
    whole.add(features.copy(order="F"), targets, weight)
    ends = [0, *sorted(cuts), 30]
    for start, end in pairwise(ends):
        parts.add(features[start:end].copy(order="F"), targets[start:end], weight[start:end])
    # a block is centred on its own: an offset of 1e6 costs no digits
    np.testing.assert_allclose(np.tril(parts.inner), np.tril(whole.inner), rtol=1e-8, atol=1e-7)
    np.testing.assert_allclose(parts.cross, whole.cross, rtol=1e-8, atol=1e-7)
    np.testing.assert_allclose(parts.square, whole.square, rtol=1e-9)
    theta, _ = FeatureSolver(parts, 0.5).solve(0.5)
    centred = features - weight @ features / weight.sum()
    y = targets - weight @ targets / weight.sum()
    expected = np.linalg.solve(
        centred.T @ (weight[:, None] * centred) + 0.5 * np.eye(3),
        centred.T @ (weight[:, None] * y),
    )
    np.testing.assert_allclose(theta, expected, rtol=1e-6, atol=1e-8)


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
