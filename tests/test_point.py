"""What the core says of a point in one pass is what the formulas say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer import Problem, _core
from mercer.duality import duality_gap


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
        object.__setattr__(problem, "upper", np.full(n, np.inf))
    gradient, multiplier, objective, violation, infeasibility, gap = _core.report_point(
        beta, values, *problem._arrays
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
    expected = duality_gap(problem, beta, values, gradient, multiplier)
    if np.isnan(gap):
        assert expected >= 0.0
    else:
        assert gap == pytest.approx(expected, rel=1e-9, abs=1e-10)


def test_ordinary_points_need_no_second_look() -> None:
    problem = Problem(np.array([1.0, -1.0, 1.0]), [0, -1, 0], [1, 0, 1])
    report = _core.report_point(np.array([0.5, -1.0, 0.5]), np.zeros(3), *problem._arrays)
    assert report[-1] == pytest.approx(0.0)


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
