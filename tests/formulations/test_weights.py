"""Weight 2 is two copies, weight 0 is absence: exactly, for every formulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formulations.cases import WEIGHTED, Data, decision, machine, optimum, sample, solved
from mercer import formulations as fm
from mercer.problem import certify
from reference import DenseGram, feasible_start

EXACT = {"rel": 1e-12, "abs": 1e-12}


def folded(data: Data) -> np.ndarray:
    """Rows of the copies in the weighted data, for one variable per row."""
    return np.repeat(np.arange(data.n), data.weight.astype(int))


@pytest.mark.parametrize("name", sorted(WEIGHTED))
@given(seed=st.integers(0, 10_000))
@settings(deadline=None, max_examples=8)
def test_splitting_a_coefficient_over_copies_keeps_objective_and_box(name: str, seed: int) -> None:
    data = sample(seed, n=8, weights=(0, 1, 2, 3))
    weighted, copies = WEIGHTED[name](data).problem, WEIGHTED[name](data.repeated()).problem
    coef = np.array(feasible_start(weighted))
    parts = len(coef) // data.n
    rows = folded(data)
    index = np.concatenate([rows + k * data.n for k in range(parts)])
    split = coef[index] / np.tile(data.weight, parts)[index]
    one = certify(weighted, data.gram, coef)
    other = certify(copies, data.repeated().gram, split)
    assert other.objective == pytest.approx(one.objective, **EXACT)
    assert other.infeasibility == pytest.approx(one.infeasibility, abs=1e-12)
    assert copies.upper * np.tile(data.weight, parts)[index] == pytest.approx(weighted.upper[index])
    assert copies.lower * np.tile(data.weight, parts)[index] == pytest.approx(weighted.lower[index])


@pytest.mark.parametrize("name", sorted(WEIGHTED))
def test_weighted_optimum_is_that_of_the_copies(name: str) -> None:
    data = sample(5, weights=(0, 1, 2, 3))
    one, other = (
        optimum(WEIGHTED[name](data), data),
        optimum(WEIGHTED[name](data.repeated()), data.repeated()),
    )
    assert one == pytest.approx(other, rel=1e-8)


@pytest.mark.parametrize("name", sorted(WEIGHTED))
def test_zero_weight_is_absence(name: str) -> None:
    data = sample(5, weights=(0, 1, 2, 3))
    present = data.take(np.flatnonzero(data.weight), data.weight[data.weight > 0])
    formulation = WEIGHTED[name](data)
    problem = formulation.problem
    absent = data.weight[problem.index] == 0
    assert (problem.lower[absent] == 0).all()
    assert (problem.upper[absent] == 0).all()
    solution = solved(formulation, data)
    assert (solution.coef[absent] == 0).all()
    assert solution.objective == pytest.approx(optimum(WEIGHTED[name](present), present), rel=1e-8)
    # the machine is the same everywhere, also in what it learns besides the coefficients
    one, other = formulation.fitted_parameters(solution), machine(WEIGHTED[name](present), present)
    assert decision(one, data)[data.weight > 0] == pytest.approx(decision(other, present), abs=1e-6)
    for attribute in ("rho", "epsilon", "norm_squared"):
        assert getattr(one, attribute) == pytest.approx(getattr(other, attribute), abs=1e-6)


@pytest.mark.parametrize("name", sorted(WEIGHTED))
def test_unit_weights_are_no_weights(name: str) -> None:
    data = sample(1, n=6)
    none = Data(data.features, data.labels, data.targets, None)
    one, other = WEIGHTED[name](data).problem, WEIGHTED[name](none).problem
    for field in ("linear", "lower", "upper", "index", "ridge", "group", "group_sum"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))


def test_hard_margin_with_zero_weight_has_no_nan() -> None:
    problem = fm.svc([1, -1, 1], np.inf, [1.0, 1.0, 0.0]).problem
    np.testing.assert_array_equal(problem.upper, [np.inf, 0, 0])
    np.testing.assert_array_equal(problem.lower, [0, -np.inf, 0])
    gap = certify(problem, DenseGram(np.diag([2.0, 2.0, 1.0])), [0.5, -0.5, 0.0]).gap
    assert gap == pytest.approx(0.0, abs=1e-12)


def test_weight_too_small_for_a_finite_ridge_is_absence() -> None:
    problem = fm.least_squares([1.0, 2.0], 1.0, [1.0, 1e-310]).problem
    assert problem.upper[1] == problem.lower[1] == 0
    assert np.isfinite(problem.ridge).all()
