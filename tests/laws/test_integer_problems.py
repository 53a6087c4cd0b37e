"""Small integer problems, where planned steps of length zero, ties and flat directions abound."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from mercer import Gram, Problem, solve
from mercer import formulations as fm
from mercer.kernels import Linear
from mercer.solvers import Smo
from mercer.solvers.smo import PlanningAhead
from policies import POLICIES

SEEDS = range(24)


@cache
def sample(seed: int) -> tuple[Problem, Gram, float]:
    """A problem of classification and its optimal value, by another method."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 7))
    X, y = rng.integers(-2, 3, (n, 2)).astype(float), np.resize([1.0, -1.0], n)
    problem = fm.svc(y, float(rng.choice([0.5, 1.0, 10.0]))).problem
    gram = Gram(Linear(), X)
    return problem, gram, solve(problem, gram, "active-set", tol=1e-9).objective


def check(smo: Smo) -> None:
    for seed in SEEDS:
        problem, gram, best = sample(seed)
        found = solve(problem, gram, smo, tol=1e-6)
        assert found.status == "converged", (seed, found.status, found.violation)
        assert found.objective == pytest.approx(best, rel=1e-5, abs=1e-9), seed


@pytest.mark.parametrize(("selection", "step"), POLICIES)
def test_every_policy_reaches_the_optimum(selection: str, step: str) -> None:
    check(Smo(selection=selection, step=step, refine=False))


@pytest.mark.parametrize("recent", [1, 2, 3, 5])
def test_planning_with_several_pairs_stopped_far_from_the_optimum(recent: int) -> None:
    check(Smo(step=PlanningAhead(recent), refine=False))
    X = np.array([[0.0, -1.0], [-2.0, 0.0], [2.0, -1.0], [-1.0, -1.0]])
    problem = fm.svc(np.array([1.0, -1.0, -1.0, 1.0]), 10.0).problem
    found = solve(problem, Gram(Linear(), X), Smo(step=PlanningAhead(recent), refine=False))
    assert found.converged
    assert found.objective == pytest.approx(8.5, rel=1e-3)
