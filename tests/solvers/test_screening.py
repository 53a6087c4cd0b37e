"""Certificates that recompute only what can matter."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import Gram, certify
from mercer.formulations import svc
from mercer.kernels import Gaussian
from mercer.solvers.screening import Origin, screened_certificate


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
    origin = Origin(np.zeros(3000))
    screened = screened_certificate(problem, gram, coef, full.gradient + error, origin)
    assert screened.error > 0.0
    assert screened.objective == pytest.approx(full.objective, rel=1e-6)


def test_gradients_that_are_no_numbers_are_recomputed():
    """A sample without a number must not pass for one without errors."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    problem, gram = svc(np.where(X[:, 0] > 0, 1.0, -1.0), 1.0).problem, Gram(Gaussian(0.3), X)
    coef = np.zeros(600)
    spoiled = np.where(np.arange(600) < 300, np.nan, problem.linear)
    full = certify(problem, gram, coef)
    screened = screened_certificate(problem, gram, coef, spoiled, Origin())
    np.testing.assert_array_equal(screened.gradient, full.gradient)
