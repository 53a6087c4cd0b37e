"""Directions that bend, tilt or leave the objective, and the gains that curvatures promise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer import Gram, Problem, Smo, certify, solve
from mercer import formulations as fm
from mercer.kernels import Gaussian, Linear
from mercer.lab import normal_form, pair_curvature


def case(seed: int, name: str) -> tuple[Problem, Gram]:
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (14, 2)).astype(float)
    y = np.where(rng.random(14) > 0.5, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    problem = {
        "svc": fm.svc(y, 2.0).problem,
        "no bias": fm.svc(y, 2.0, fit_intercept=False).problem,
        "weights": fm.svc(y, 2.0, rng.integers(0, 3, 14) + (np.arange(14) < 2)).problem,
        "nu": fm.nu_svc(y, 0.1).problem,
        "squared": fm.svc(y, 2.0, loss="squared_hinge").problem,
        "svr": fm.svr(X[:, 0], 1.0, 0.1).problem,
    }[name]
    return problem, Gram(Linear() if seed % 2 else Gaussian(0.5), X)


NAMES = ["svc", "no bias", "weights", "nu", "squared", "svr"]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**16))
def test_parts_are_orthonormal_and_do_what_they_say(name: str, seed: int) -> None:
    problem, gram = case(seed, name)
    form = normal_form(problem, gram)
    parts = np.hstack([form.curved, form.tilted, form.flat])
    np.testing.assert_allclose(parts.T @ parts, np.eye(parts.shape[1]), atol=1e-9)
    moves = problem.lower < problem.upper
    members = [(problem.group == g) & moves for g in range(problem.n_groups)]
    assert parts.shape[1] == moves.sum() - sum(m.any() for m in members)
    for m in members:
        np.testing.assert_allclose(parts[m].sum(axis=0), 0.0, atol=1e-9)
    zero = np.zeros(problem.n_variables)
    gradient = certify(problem, gram, zero).gradient
    for direction in form.flat.T:
        moved = certify(problem, gram, direction)
        change = moved.gradient - gradient
        assert parts.T @ change == pytest.approx(0.0, abs=1e-7)
        assert moved.objective == pytest.approx(0.0, abs=1e-7)
    for direction, bend in zip(form.curved.T, form.curvature, strict=True):
        change = gradient - certify(problem, gram, direction).gradient
        assert direction @ change == pytest.approx(bend, rel=1e-7)


def test_optima_differ_by_flat_directions_alone() -> None:
    distances = []
    for seed in range(1, 21, 2):
        problem, gram = case(seed, "svc")
        form, rng = normal_form(problem, gram), np.random.default_rng(0)
        assert not form.has_unique_optimum
        one, other = (
            solve(problem, gram, Smo(), tol=1e-12, start=rng.uniform(-2, 2, 14)).coef
            for _ in range(2)
        )
        inside = form.flat @ (form.flat.T @ (one - other))
        np.testing.assert_allclose(inside, one - other, atol=1e-6)
        distances.append(np.linalg.norm(inside))
    assert max(distances) > 1e-3


@pytest.mark.parametrize("selection", ["most-violating", "second-order"])
def test_selections_gain_what_their_sigma_promises(selection: str) -> None:
    """Free Newton steps gain at least sigma times the violation squared."""
    for seed in range(0, 20, 2):
        problem, gram = case(seed, "svc")
        bound = pair_curvature(problem, gram)
        sigma = bound.most_violating if selection == "most-violating" else bound.second_order
        smo = Smo(selection=selection, step="newton", refine=False, shrinking=False, trace=True)
        points: Any = solve(problem, gram, smo, tol=1e-6).trace["points"]
        gains = np.diff(points["objective"])
        free = points["kind"][:-1] == "free"
        promised = sigma * points["violation"][:-1][free] ** 2
        assert (gains[free] >= promised * (1 - 1e-6) - 1e-12).all()


def test_sizes_and_problems_without_pairs_are_refused() -> None:
    gram = Gram(Linear(), np.ones((2, 1)))
    with pytest.raises(ValueError, match="at most 3000 variables, got 3001"):
        normal_form(Problem(np.zeros(3001), 0.0, 1.0), gram)
    with pytest.raises(ValueError, match="pair of variables"):
        pair_curvature(Problem(np.zeros(2), 0.0, 1.0), gram)
