"""What the core says of a point in one pass is what the formulas say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer import Gram, Problem, _core, certify
from mercer.kernels import Gaussian, Linear
from reference_gap import reference_gap


def draw(
    n: int, groups: int, bound: float, with_ridge: bool, seed: int
) -> tuple[Problem, Any, Any]:
    """A problem, a feasible point with ties and bounds, and its expansion."""
    rng = np.random.default_rng(seed)
    group = rng.integers(-1, groups, n) if groups else np.full(n, -1)
    lower, upper = -rng.uniform(0, bound, n), rng.uniform(0, bound, n)
    lower[rng.random(n) < 0.3] = 0.0
    beta = np.clip(np.round(rng.normal(size=n), 1), lower, upper)
    A = rng.normal(size=(n, 3))
    sums = [float(beta[group == g].sum()) for g in range(groups)]
    ridge = rng.integers(0, 2, n) * 0.5 if with_ridge else 0.0
    problem = Problem(np.round(rng.normal(size=n), 1), lower, upper, None, ridge, group, sums)
    return problem, beta, A @ (A.T @ beta)


@settings(deadline=None, max_examples=150)
@given(
    n=st.integers(0, 12),
    groups=st.integers(0, 2),
    bound=st.sampled_from([0.3, 1.0, 40.0, np.inf]),
    with_ridge=st.booleans(),
    seed=st.integers(0, 2**16),
)
def test_a_point_is_reported_by_the_formulas(
    n: int, groups: int, bound: float, with_ridge: bool, seed: int
) -> None:
    problem, beta, values = draw(n, groups, min(bound, 1e3), with_ridge, seed)
    if np.isinf(bound):
        problem = replace(problem, upper=np.full(n, np.inf))
    gradient, multiplier, objective, violation, infeasibility, gap = _core.report_point(
        problem._native, beta, values
    )
    np.testing.assert_allclose(gradient, problem.linear - values - problem.ridge * beta)
    assert objective == pytest.approx(0.5 * beta @ (problem.linear + gradient), abs=1e-12)
    assert infeasibility <= 1e-12
    worst, up, down = 0.0, beta < problem.upper, beta > problem.lower
    for g in range(groups):
        member = problem.group == g
        high = gradient[up & member].max(initial=-np.inf)
        low = gradient[down & member].min(initial=np.inf)
        worst, free = max(worst, high - low), gradient[up & down & member]
        if len(free):
            assert multiplier[g] == pytest.approx(free.mean(), abs=1e-12)
        elif np.isfinite([high, low]).all():
            assert multiplier[g] == pytest.approx((high + low) / 2, abs=1e-12)
    single = problem.group < 0
    worst = max(worst, gradient[up & single].max(initial=0.0))
    assert violation == pytest.approx(max(worst, -gradient[down & single].min(initial=0.0)))
    expected = reference_gap(problem, beta, values, gradient, multiplier)
    assert gap == pytest.approx(expected, rel=1e-9, abs=1e-10 + 1e-9 * abs(objective))


def test_bounds_far_away_do_not_price_a_small_violation() -> None:
    # maximize b_1 - b_2 - (b_1^2 + b_2^2)/2, b_1 + b_2 = 0: (1, -1), far inside [0, 1e6]
    problem = Problem(np.array([1.0, -1.0]), [0, -1e6], [1e6, 0])
    for shift in (0.0, 1e-3):
        beta = np.array([1.0 - shift, shift - 1.0])
        assert certify(problem, Gram(Linear(), np.eye(2)), beta).gap <= 2 * shift**2


def test_a_problem_moves_to_other_rows() -> None:
    problem = Problem(np.ones(3), 0.0, 1.0, group_sum=[1.0])
    moved = problem.on_rows([4, 2, 7])
    np.testing.assert_array_equal(moved.index, [4, 2, 7])
    np.testing.assert_array_equal(problem.index, [0, 1, 2])
    assert moved.linear is problem.linear
    with pytest.raises(ValueError, match=r"index must not be negative, got -1"):
        problem.on_rows([0, -1, 2])
    with pytest.raises(ValueError, match=r"index must have shape \(3,\)"):
        problem.on_rows([0, 1])


@settings(deadline=None, max_examples=60)
@given(n=st.integers(1, 30), variables=st.integers(1, 40), seed=st.integers(0, 2**16))
def test_an_expansion_is_the_product_at_the_rows_of_the_variables(
    n: int, variables: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    gram = Gram(Gaussian(0.5), rng.normal(size=(n, 3)), precision="double")
    index = rng.integers(0, n if seed % 2 else max(n // 3, 1), variables)
    coef = np.round(rng.normal(size=variables))
    row_coef = np.bincount(index, weights=coef, minlength=n)
    wanted = gram.product(None, row_coef)[index]
    np.testing.assert_allclose(gram.expand(index, coef), wanted, atol=1e-12)


def test_an_expansion_of_no_coefficients_is_zero() -> None:
    gram = Gram(Gaussian(0.5), np.eye(4), precision="double")
    assert not gram.expand(np.arange(4), np.zeros(4)).any()


@pytest.mark.parametrize("coef", [[np.nan, 1.0], [0.0, np.inf]])
def test_an_expansion_of_what_is_no_point_is_refused(coef: list[float]) -> None:
    gram = Gram(Gaussian(0.5), np.eye(2), precision="double")
    with pytest.raises(ValueError, match="finite"):
        gram.expand(np.arange(2), np.array(coef))
    with pytest.raises(ValueError, match="coef must be finite"):
        certify(Problem(np.ones(2), -1.0, 1.0), gram, coef)


def test_a_point_beyond_the_rows_of_the_gram_is_refused() -> None:
    gram = Gram(Gaussian(0.5), np.eye(2), precision="double")
    with pytest.raises(ValueError, match="index must lie below the 2 rows of the gram, got 2"):
        certify(Problem(np.ones(2), -1.0, 1.0, [0, 2]), gram, np.zeros(2))


@settings(deadline=None, max_examples=80)
@given(
    sign=st.lists(st.sampled_from([1.0, -1.0, 1.0, -1.0, 0.5, np.nan]), max_size=6),
    weight=st.lists(st.sampled_from([0.0, 1.0, 2.0, 1e-300, -1.0, np.inf]), max_size=6),
)
def test_labels_are_checked_in_one_pass_as_one_by_one(
    sign: list[float], weight: list[float]
) -> None:
    n = min(len(sign), len(weight))
    y, w = np.array(sign[:n]), np.array(weight[:n])
    is_label = (np.abs(y) == 1.0).all() and np.isfinite(w).all() and (w >= 0).all()
    both = (w[y > 0] > 0).any() and (w[y < 0] > 0).any()
    assert _core.are_weighted_signs(y, w) == bool(is_label and both)


@pytest.mark.parametrize(
    ("lower", "upper", "total", "wanted"),
    [
        (-1.0, 1.0, 0.0, True),
        (0.5, 1.0, 0.0, False),
        (-1.0, -0.5, 0.0, False),
        (0.0, 1.0, 1.0, False),
    ],
)
def test_zero_is_feasible_where_box_and_sums_allow_it(
    lower: float, upper: float, total: float, wanted: bool
) -> None:
    zeros, no_group = np.zeros(3), np.zeros(3, dtype=np.int8)
    box = np.full(3, lower), np.full(3, upper)
    problem = _core.Problem(np.arange(3), zeros, *box, zeros, no_group, np.array([total]))
    assert problem.is_zero_feasible() == wanted
