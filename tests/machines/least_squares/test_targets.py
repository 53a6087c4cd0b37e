"""Every solver gives the same machine, whatever the targets have to do with each other."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

from machines.least_squares.test_solvers import (
    BIASES,
    KERNEL_SOLVERS,
    LINEAR_SOLVERS,
    bordered_values,
)
from mercer import LSSVC, LSSVR
from mercer.solvers import ConjugateGradient

N_ROWS = 40


def one_against_all(rng, k):
    labels = rng.integers(k, size=N_ROWS)
    return np.where(labels[:, None] == np.arange(k), 1.0, -1.0)


def duplicate(rng, k):
    return np.repeat(rng.normal(size=(N_ROWS, 1)), k, axis=1)


def dependent(rng, k):
    few = max(k // 3, 1)
    return rng.normal(size=(N_ROWS, few)) @ rng.normal(size=(few, k))


def with_constants(rng, k):
    Y = rng.normal(size=(N_ROWS, k))
    Y[:, ::2] = 3.7
    return Y


def with_zeros(rng, k):
    Y = rng.normal(size=(N_ROWS, k))
    Y[:, ::2] = 0.0
    return Y


def of_many_sizes(rng, k):
    return rng.normal(size=(N_ROWS, k)) * 10.0 ** rng.integers(-12, 12, k)


def far_from_zero(rng, k):
    return rng.normal(size=(N_ROWS, k)) + 1e6


KINDS = [
    *(one_against_all, duplicate, dependent, with_constants),
    *(with_zeros, of_many_sizes, far_from_zero),
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("n_outputs", [1, 3, 30])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_solvers_agree_on_targets_that_depend_on_each_other(kernel, n_outputs, kind):
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(N_ROWS, 4)) + 1.0, rng.choice([0.0, 0.5, 1.0, 3.0], N_ROWS)
    Y = kind(rng, n_outputs)
    size = np.abs(Y).max(axis=0)
    size[size == 0] = 1.0
    K = X @ X.T if kernel == "linear" else np.exp(-0.2 * ((X[:, None] - X) ** 2).sum(axis=2))
    for bias in BIASES:
        expected = bordered_values(K, Y, weight, 0.1, bias)
        for solver in LINEAR_SOLVERS if kernel == "linear" else KERNEL_SOLVERS:
            if n_outputs > 3 and "smo" in str(solver).lower():
                continue
            machine = LSSVR(alpha=0.1, kernel=kernel, gamma=0.2, fit_intercept=bias, tol=1e-10)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                machine.set_params(solver=solver).fit(X, Y, weight)
            error = np.abs(machine.predict(X) - expected) / size
            assert error.max() < 1e-8, (solver, bias)


@pytest.mark.parametrize("solver", ["cg", ConjugateGradient()], ids=str)
@pytest.mark.parametrize("load", [load_iris, load_digits])
def test_conjugate_gradients_knew_no_third_class(load, solver):
    X, y = load(return_X_y=True)
    X, y = X[::4], y[::4]
    by_factor = LSSVC(alpha=0.1, solver="direct").fit(X, y)
    machine = LSSVC(alpha=0.1, solver=solver).fit(X, y)
    assert machine.score(X, y) == by_factor.score(X, y) > 0.9
    expected = by_factor.decision_function(X)
    np.testing.assert_allclose(machine.decision_function(X), expected, atol=1e-4)
