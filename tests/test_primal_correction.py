"""The gap where rounding of large coefficients is priced with C."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mercer import Gram, Problem, certify, solve
from mercer import formulations as fm
from mercer.kernels import Polynomial
from mercer.problem.certificate import assess
from mercer.problem.primal_correction import corrected_gap


def interpolated(C: float, repeats: int = 1) -> tuple[Problem, Gram]:
    """A tube without width: the pairs of coefficients of a row are near C, their sums small."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(60, 8)), repeats, axis=0)
    y = np.repeat(rng.normal(size=60), repeats)
    gram = Gram(Polynomial(3, 0.2, 1.0), X, precision="double", n_threads=1)
    return fm.nu_svr(y, C, 0.4).problem, gram


@pytest.mark.parametrize("repeats", [1, 3])
def test_a_solution_without_violation_has_no_gap(repeats: int) -> None:
    problem, gram = interpolated(1e6, repeats)
    coef = solve(problem, gram, "active-set", tol=1e-6).coef
    values = gram.product(None, problem.row_coef(coef, gram.n_rows))[problem.index]
    without = assess(problem, coef, values, True)
    assert without.relative_gap > 1e-6
    assert certify(problem, gram, coef).relative_gap < 1e-8


@pytest.mark.parametrize(
    "formulate", [lambda y: fm.svr(y, 1e5, 0.1), lambda y: fm.nu_svr(y, 1e5, 0.4)]
)
def test_more_free_rows_than_least_squares_take(formulate: Callable[..., fm.Formulation]) -> None:
    """Digits as regression: violations of 1e-6 in 500 free rows, priced with 1e5 each."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(450, 20)), rng.normal(size=450)
    gram = Gram(Polynomial(3, 0.05, 1.0), X, precision="double", n_threads=1)
    problem = formulate(y).problem
    coef = solve(problem, gram, tol=1e-6).coef
    values = gram.product(None, problem.row_coef(coef, gram.n_rows))[problem.index]
    found = assess(problem, coef, values, True)
    assert found.relative_gap > 1e-6
    assert certify(problem, gram, coef).relative_gap < 1e-8


def test_it_still_bounds_the_distance_to_the_optimum() -> None:
    problem, gram = interpolated(1e5)
    best = solve(problem, gram, "active-set", tol=1e-6)
    n = gram.n_rows
    for size in (1e-9, 1e-7, 1e-5, 1e-3):
        coef = best.coef.copy()
        rise, fall = np.flatnonzero((coef[:n] > 1.0) & (coef[:n] < 1e5 - 1.0))[:2]
        coef[rise] += size
        coef[fall] -= size
        values = gram.product(None, problem.row_coef(coef, n))[problem.index]
        found = assess(problem, coef, values, True)
        gap = corrected_gap(problem, gram, coef, values, found)
        # coefficients of 1e5 leave the values some 1e-12 of rounding each
        assert found.objective + gap >= best.objective - 1e-11 * abs(best.objective)
        assert gap <= found.gap


def test_points_far_from_optimal_cost_nothing_more() -> None:
    problem, gram = interpolated(1e5)
    coef = solve(problem, gram, "smo", tol=1e-2, max_iter=30).coef
    before = gram.n_evaluations
    certify(problem, gram, coef)
    rows = np.count_nonzero(problem.row_coef(coef, gram.n_rows))
    assert gram.n_evaluations - before <= rows * gram.n_rows
