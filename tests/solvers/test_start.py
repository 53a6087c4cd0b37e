"""Starting points are feasible, near what was asked for, and cheap."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from mercer import Problem
from mercer.solvers.runs.start import feasible_start

FloatArray = NDArray[np.float64]


@st.composite
def problems(draw: st.DrawFn, *, scale: float | None = None) -> Problem:
    """Any box (finite, half, whole line, a point), any groups, at any scale."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    m, n_groups = draw(st.integers(0, 12)), draw(st.integers(0, 3))
    unit = draw(st.sampled_from([1e-200, 1e-13, 1.0, 1e9])) if scale is None else scale
    lower, width = rng.integers(-3, 2, m).astype(float), rng.integers(0, 4, m).astype(float)
    upper = lower + width
    lower[rng.random(m) < 0.15] = -np.inf
    upper[rng.random(m) < 0.15] = np.inf
    group = rng.integers(-1, n_groups, m) if n_groups else np.full(m, -1)
    inside = np.clip(rng.uniform(-3, 3, m).round(draw(st.integers(0, 2))), lower, upper)
    sums = [inside[group == g].sum() * unit for g in range(n_groups)]
    return Problem(np.zeros(m), lower * unit, upper * unit, group=group, group_sum=np.array(sums))


def assert_feasible(problem: Problem, coef: FloatArray) -> None:
    """In the box exactly, sums up to rounding."""
    assert (coef >= problem.lower).all()
    assert (coef <= problem.upper).all()
    off = np.abs(problem.group_sums(coef) - problem.group_sum)
    size = np.maximum(problem.group_sums(np.abs(coef)), np.abs(problem.group_sum))
    assert (off <= 1e-12 * size).all(), f"{off} next to {size}"


def scattered(problem: Problem, seed: int, size: float) -> FloatArray:
    """A point, feasible or not, of so many times the size of the bounds."""
    bounds = np.append(problem.lower, problem.upper)
    unit = np.abs(bounds[np.isfinite(bounds)]).max(initial=0.0)
    return np.random.default_rng(seed).normal(size=problem.n_variables) * size * unit


@settings(max_examples=200)
@given(problem=problems())
def test_the_default_is_feasible(problem: Problem) -> None:
    assert_feasible(problem, feasible_start(problem))


@settings(max_examples=200)
@given(problem=problems(), seed=st.integers(0, 1000), size=st.sampled_from([0.1, 5.0, 1e9]))
def test_any_point_is_made_feasible(problem: Problem, seed: int, size: float) -> None:
    start = scattered(problem, seed, size)
    assert_feasible(problem, feasible_start(problem, start))


@settings(max_examples=200)
@given(problem=problems(), seed=st.integers(0, 1000))
def test_feasible_points_stay_as_they_are(problem: Problem, seed: int) -> None:
    once = feasible_start(problem, scattered(problem, seed, 3.0))
    np.testing.assert_array_equal(feasible_start(problem, once), once)


@given(problem=problems(scale=1.0))
def test_the_caller_keeps_his_point(problem: Problem) -> None:
    start = np.full(problem.n_variables, 0.5)
    coef = feasible_start(problem, start)
    assert (start == 0.5).all()
    assert not np.shares_memory(coef, start)


def test_what_a_sum_lacks_is_filled_into_few_variables() -> None:
    """Fewer steps follow than from an even spread (docs/theory/smo.md#where-to-start)."""
    problem = Problem(np.zeros(10), 0.0, 1.0, group_sum=2.5)  # type: ignore[arg-type]
    np.testing.assert_array_equal(feasible_start(problem), [1, 1, 0.5] + [0] * 7)
    start = np.full(10, 0.5)
    np.testing.assert_array_equal(feasible_start(problem, start), [0] * 5 + [0.5] * 5)


def test_tiny_sums_are_met() -> None:
    """A sum below 1e-12 was taken for zero: nu-SVR with a small C started infeasible."""
    problem = Problem(np.zeros(4), 0.0, 1e-14, group_sum=2e-14)  # type: ignore[arg-type]
    np.testing.assert_array_equal(feasible_start(problem), [1e-14, 1e-14, 0, 0])


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (np.zeros(2), r"start must have shape \(3,\), got \(2,\)"),
        (np.zeros((3, 1)), r"start must have shape \(3,\)"),
        (0.0, r"start must have shape \(3,\), got \(\)"),
        ([0.0, np.nan, 0.0], "start must be finite"),
        ([0.0, np.inf, 0.0], "start must be finite"),
    ],
)
def test_nonsense_is_refused(start: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        feasible_start(Problem(np.zeros(3), -1.0, 1.0), start)  # type: ignore[arg-type]
