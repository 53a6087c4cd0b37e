"""Scans in vectors: no number of variables, and no place of their rows, makes a difference."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mercer.formulations as fm
from mercer import Gram, Smo, certify, solve
from mercer.kernels import Gaussian


@settings(deadline=None, max_examples=60)
@given(
    n=st.integers(2, 75),
    precision=st.sampled_from(["single", "double"]),
    order=st.sampled_from(["neighbours", "two parts", "scattered"]),
    seed=st.integers(0, 2**16),
)
def test_rows_among_others_are_solved_as_if_they_were_alone(
    n: int, precision: str, order: str, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(3 * n, 2)), 1)
    rows = {
        "neighbours": np.arange(n) + n,
        "two parts": np.r_[np.arange(n // 2), np.arange(n // 2, n) + n],
        "scattered": rng.permutation(3 * n)[:n],
    }[order]
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    formulation = fm.svc(y, 5.0, rng.integers(1, 3, n).astype(float))
    among = Gram(Gaussian(0.7), X, precision=precision)
    alone = Gram(Gaussian(0.7), X[rows], precision=precision)
    found = solve(formulation.on_rows(rows, 3 * n).problem, among, "smo", tol=1e-6)
    wanted = solve(formulation.problem, alone, "smo", tol=1e-6)
    assert found.violation <= 1e-6
    assert found.objective == pytest.approx(wanted.objective, rel=1e-5)


@pytest.mark.parametrize("n", [1, 3, 16, 17, 40])
@pytest.mark.parametrize("groups", [0, 1, 2])
def test_two_variables_of_every_row_are_two_runs(n: int, groups: int) -> None:
    rng = np.random.default_rng(n)
    y = np.round(rng.normal(size=n), 1)
    if groups == 2:
        problem = fm.nu_svr(y, 3.0, 0.5).problem
    else:
        problem = fm.svr(y, 3.0, 0.1, fit_intercept=bool(groups)).problem
    gram = Gram(Gaussian(1.0), rng.normal(size=(n, 3)), precision="double")
    for refine in (True, False):
        solution = solve(problem, gram, Smo(refine=refine), tol=1e-5)
        assert solution.converged
        assert certify(problem, gram, solution.coef).violation <= 1e-5


def test_ties_between_equal_rows_go_to_the_last() -> None:
    # all gradients equal: the last variable that may grow and the last that may fall move
    n = 37
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    gram = Gram(Gaussian(1.0), np.zeros((n, 2)), precision="double")
    solution = solve(fm.svc(y, 1.0).problem, gram, Smo(trace=True, refine=False))
    first = solution.trace["points"][0]
    assert (first["up"], first["down"]) == (n - 1, n - 2)


def test_a_problem_without_room_in_the_cache_ends_at_the_same_point() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(150, 3)), np.where(rng.random(150) < 0.5, 1.0, -1.0)
    problem = fm.svc(y, 20.0).problem
    wide, narrow = (Gram(Gaussian(0.5), X, cache_size=size) for size in (10.0, 0.02))
    first, second = solve(problem, wide, "smo"), solve(problem, narrow, "smo")
    assert second.objective == pytest.approx(first.objective, rel=1e-12)
    assert wide.hit_rate > narrow.hit_rate
    assert narrow.n_evaluations > wide.n_evaluations


def test_newton_steps_in_a_long_run_stay_few() -> None:
    # ill-conditioned: most Newton steps end at a bound, and pair steps have to go on
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), np.where(rng.random(300) < 0.5, 1.0, -1.0)
    gram = Gram(Gaussian(0.5), X, precision="double")
    solution = solve(fm.svc(y, 1e3).problem, gram, "smo")
    assert solution.converged
    assert 10 < solution.trace["newton_steps"] < 0.1 * solution.n_iter
