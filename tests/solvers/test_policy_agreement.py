"""All convergent policies end at the same value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mercer import Gram, Smo, solve
from mercer.formulations import svc
from mercer.kernels import Gaussian, Linear, Polynomial
from policies import POLICIES

Sample = tuple[Any, Any, float, Any]


def noisy_labels(X: Any, rng: np.random.Generator) -> Any:
    y = np.where(X[:, 0] + rng.normal(size=len(X)) > 0, 1.0, -1.0)
    y[:2] = [1.0, -1.0]
    return y


def with_copies(rng: np.random.Generator, n: int) -> Sample:
    X = rng.normal(size=(n, 2))
    X[n // 2 :] = X[: n - n // 2]
    y = noisy_labels(X, rng)
    y[n // 2 :] = y[: n - n // 2]
    return X, y, 10.0, Gaussian(1.0)


def with_contradictions(rng: np.random.Generator, n: int) -> Sample:
    """Rows on a small grid, there several times with both labels."""
    X = rng.integers(-1, 2, (n, 2)).astype(float)
    return X, noisy_labels(X, rng), float(rng.choice([0.1, 1.0, 100.0])), Gaussian(0.5)


def with_a_hard_margin(rng: np.random.Generator, n: int) -> Sample:
    """Two classes with room between them, and C infinite."""
    X = rng.uniform(-2, 2, (n, 2))
    X[:2, 0] = 1.0, -1.0
    X[:, 0] += np.where(X[:, 0] > 0, 0.5, -0.5)
    kernel = [Linear(), Gaussian(0.5)][rng.integers(2)]
    return X, np.where(X[:, 0] > 0, 1.0, -1.0), np.inf, kernel


def with_a_kernel_of_low_rank(rng: np.random.Generator, n: int) -> Sample:
    X = np.round(rng.normal(size=(n, 2)), 1)
    kernel = [Linear(), Polynomial(degree=2, gamma=1.0, coef0=1.0)][rng.integers(2)]
    return X, noisy_labels(X, rng), float(rng.choice([0.1, 1.0, 10.0])), kernel


MAKERS = (with_copies, with_contradictions, with_a_hard_margin, with_a_kernel_of_low_rank)


@pytest.mark.parametrize("seed", range(50))
@pytest.mark.parametrize("make", MAKERS)
def test_all_policies_agree_on_small_problems(
    make: Callable[[np.random.Generator, int], Sample], seed: int
) -> None:
    """200 problems, a fifth of the policies on each; values agree to the tolerance, 1e-6."""
    rng = np.random.default_rng(seed)
    X, y, C, kernel = make(rng, int(rng.integers(4, 25)))
    problem, gram = svc(y, C).problem, Gram(kernel, X)
    best = solve(problem, gram, Smo(), tol=1e-9).objective
    for selection, step in POLICIES[seed % 5 :: 5]:
        solver = Smo(selection=selection, step=step, refine=False)
        found = solve(problem, gram, solver, tol=1e-6)
        assert (found.status, selection, step) == ("converged", selection, step)
        assert found.objective == pytest.approx(best, rel=1e-6), (selection, step)
