"""Certificates that recompute only what can matter."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import Gram, certify, solve
from mercer.formulations import svc
from mercer.kernels import Gaussian
from mercer.solvers import solve_many
from mercer.solvers.runs.selective_certificate import Anchor, selective_certificate


def test_the_objective_is_right_where_no_coefficient_is_in_the_sample():
    """Errors at the only two coefficients went into it unseen."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    X[7] = X[5] + 0.03
    y = np.where(np.arange(3000) % 2, 1.0, -1.0)
    y[7] = -1.0
    problem, gram = svc(y, 1e5).problem, Gram(Gaussian(0.3), X, precision="single")
    coef = np.zeros(3000)
    coef[5], coef[7] = 100.0, -100.0
    full = certify(problem, gram, coef)
    error = np.where(np.arange(3000) % 2, 2e-4, -2e-4)
    error[7] = -2e-4
    anchor = Anchor(np.zeros(3000))
    found = selective_certificate(problem, gram, coef, full.gradient + error, anchor)
    assert found.error > 0.0
    assert found.objective == pytest.approx(full.objective, rel=1e-6)


@pytest.mark.parametrize("seed", [1, 3])
def test_the_objective_is_right_where_the_sample_has_only_small_coefficients(seed):
    """Rows far out, of which there are many in the sample, have coefficients but no errors."""
    rng = np.random.default_rng(seed)
    X = rng.standard_t(3, size=(4000, 3)).astype(np.float32)
    y = np.where(X[:, 0] + 0.3 * X[:, 1] ** 2 > 2.0, 1.0, -1.0)
    problem, gram = svc(y, 1e3).problem, Gram(Gaussian(1 / 3), X, precision="single")
    solution = solve(problem, gram, "chunked")
    full = certify(problem, gram, solution.coef)
    assert solution.error > 0.0
    assert solution.objective == pytest.approx(full.objective, rel=2e-6)
    assert solution.violation == pytest.approx(full.violation, rel=1e-9)


def test_errors_do_not_add_up_unseen_along_a_sequence():
    """The sample was corrected at every problem, and then said little about the others."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 8))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=1200) > 0, 1.0, -1.0)
    gram = Gram(Gaussian(0.02), X)
    sequence = [svc(y, C).problem for C in np.logspace(-2, 4, 10)]
    for problem, solution in zip(sequence, solve_many([sequence], gram)[0], strict=True):
        full = certify(problem, gram, solution.coef)
        assert np.abs(full.gradient - solution.gradient).max() <= solution.error
        assert full.violation <= solution.violation * (1 + 1e-9)
        assert solution.objective == pytest.approx(full.objective, rel=2e-6)


def test_gradients_that_are_no_numbers_are_recomputed():
    """A sample without a number must not pass for one without errors."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    problem, gram = svc(np.where(X[:, 0] > 0, 1.0, -1.0), 1.0).problem, Gram(Gaussian(0.3), X)
    coef = np.zeros(600)
    spoiled = np.where(np.arange(600) < 300, np.nan, problem.linear)
    full = certify(problem, gram, coef)
    found = selective_certificate(problem, gram, coef, spoiled, Anchor())
    np.testing.assert_array_equal(found.gradient, full.gradient)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("seed", range(4))
def test_the_optimum_lies_between_both_values(loss, seed):
    """The objective of single precision was off by more than the gap."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rng.integers(201, 900), 6))
    y = np.where(np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.4 * rng.normal(size=len(X)) > 0, 1.0, -1.0)
    problem, gram = svc(y, 10.0, loss=loss).problem, Gram(Gaussian(0.2), X)
    found = solve(problem, gram)
    exact = certify(problem, gram, found.coef)
    assert abs(found.objective - exact.objective) <= found.gap + 1e-13 * abs(exact.objective)
    optimum = solve(problem, Gram(Gaussian(0.2), X, precision="double"), tol=1e-10).objective
    assert optimum <= found.primal * (1 + 1e-13)
