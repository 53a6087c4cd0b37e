"""Machines for every value of any parameter of a kernel, not of the Gaussian width alone."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial import Chebyshev

from mercer import Gram, formulations, kernel_path, solve, svc_path
from mercer.io import load, save
from mercer.kernels import (
    Constant,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Normalized,
    Polynomial,
    Precomputed,
    Sigmoid,
)
from mercer.paths.inputs.moved_kernel import kernel_at
from mercer.paths.kernel.chord_bound import KernelBound, _degree
from mercer.paths.kernel.largest_value import growth, largest_value, movable
from solvers.active_set_cases import random_case

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 3))
Y = np.where(X[:, 0] + X[:, 1] ** 2 + 0.6 * RNG.normal(size=60) > 0.8, 1, -1)

# Kernel, what moves, from where to where.
MOVES: dict[str, tuple[Kernel, str, tuple[float, float]]] = {
    "an offset": (Polynomial(3, gamma=0.3, coef0=1.0), "coef0", (0.05, 8.0)),
    "a scale of products": (Polynomial(2, coef0=1.0), "gamma", (0.02, 2.0)),
    "a weight in a sum": (Gaussian(0.5) + 1.0 * Linear(), "right__factor", (0.01, 10.0)),
    "one width of three": (Gaussian([0.5, 0.2, 1.0]), "gamma[1]", (0.01, 5.0)),
    "a Laplacian": (Laplacian(1.0), "gamma", (0.05, 5.0)),
    "a part of a product": (
        Gaussian(0.1) * Polynomial(2, gamma=0.5, coef0=1.0),
        "right__coef0",
        (0.1, 4.0),
    ),
    "the whole kernel": (2.0 * Gaussian(0.5), "factor", (0.1, 20.0)),
    "a constant": (Linear() * (Gaussian(0.3) + Constant(1.0)), "right__right__value", (0.1, 3.0)),
}
PATHS = {
    name: kernel_path(X, Y, C=2.0, kernel=kernel, parameter=moving, bounds=bounds, accuracy=0.02)
    for name, (kernel, moving, bounds) in MOVES.items()
}


@pytest.mark.parametrize("name", MOVES)
def test_solutions_are_those_of_cold_solves(name: str) -> None:
    (kernel, moving, bounds), path = MOVES[name], PATHS[name]
    assert (path.parameter, path.status) == (moving, f"{moving}_max")
    assert path.breakpoints[[0, -1]] == pytest.approx(bounds)
    problem = formulations.svc(Y.astype(float), 2.0).problem
    for value, warm in zip(path.breakpoints, path.solutions.at_breakpoints, strict=True):
        gram = Gram(kernel_at(kernel, moving, value), X, precision="double")
        assert warm.objective == pytest.approx(solve(problem, gram, "active-set").objective)


@pytest.mark.parametrize("name", MOVES)
def test_the_gap_is_kept_between_solutions(name: str) -> None:
    path, gaps = PATHS[name], []
    for left, right in itertools.pairwise(path.breakpoints):
        for share in (0.1, 0.5, 0.8):
            found = path.certificate(left ** (1 - share) * right**share)
            assert found.infeasibility <= 1e-10
            gaps.append(found.relative_gap)
    assert max(gaps) <= path.accuracy <= 0.02
    assert path.accuracy <= 10.0 * max(gaps)


@given(st.integers(0, 10**9), st.sampled_from(sorted(MOVES)), st.floats(0.0, 1.0))
@settings(max_examples=25, deadline=None)
def test_the_bound_holds_on_hard_problems(seed: int, name: str, share: float) -> None:
    """Lattices, duplicates, contradictory labels, weights, large C."""
    case = random_case(seed, max_rows=20)
    kernel, moving, bounds = MOVES[name]
    if moving == "gamma[1]":
        kernel, moving = Gaussian(np.full(case.X.shape[1], 0.3)), "gamma[0]"
        moving = moving if case.X.shape[1] > 1 else "gamma"
    path = kernel_path(
        case.X, case.y, C=[0.1, 1.0, 100.0][seed % 3], kernel=kernel, parameter=moving,
        bounds=bounds, sample_weight=case.weight, accuracy=0.05, max_events=200,
    )  # fmt: skip
    if path.status in ("precision-limit", "max-events"):
        return
    for left, right in list(itertools.pairwise(path.breakpoints))[seed % 4 :: 4]:
        found = path.certificate(left ** (1 - share) * right**share)
        assert found.relative_gap <= path.accuracy + 1e-12


@pytest.mark.parametrize("name", MOVES)
@pytest.mark.parametrize("length", [0.05, 0.5, 2.0])
def test_values_are_interpolated_as_accurately_as_is_said(name: str, length: float) -> None:
    """As functions of the logarithm: the error of the polynomial is below its bound."""
    kernel, moving, (low, _) = MOVES[name]
    right = kernel_at(kernel, moving, low * float(np.exp(length)))
    bound = KernelBound(largest_value(right, moving, X), growth(kernel, moving) or 0)
    problem = formulations.svc(np.array([1.0, -1.0]), 1.0).problem
    end = SimpleNamespace(coef=np.array([0.5, -0.5]), objective=1.0, gradient=np.zeros(2))
    degree, error = _degree(problem, end, end, length, bound, 1.0)
    degree = degree or 6
    u = np.linspace(0.0, length, 60)
    nodes = 0.5 * length * (1.0 + np.cos(np.pi * np.arange(degree + 1) / degree))

    def values(places: np.ndarray) -> np.ndarray:
        kernels = [kernel_at(kernel, moving, low * float(np.exp(t))) for t in places]
        return np.array([k(X[:8])[0] for k in kernels])

    exact, at_nodes = values(u), values(nodes)
    for j in range(8):
        polynomial = Chebyshev.fit(nodes, at_nodes[:, j], degree, domain=[0.0, length])
        assert np.abs(polynomial(u) - exact[:, j]).max() <= error


@pytest.mark.parametrize("name", MOVES)
def test_the_optimal_value_moves_as_its_derivative_says(name: str) -> None:
    """dV/du = -1/2 b' K'(u) b at a solution (Sentelle 2014, equation 7.24), by differences."""
    (kernel, moving, _), path = MOVES[name], PATHS[name]
    problem, step = formulations.svc(Y.astype(float), 2.0).problem, 1e-4
    k = len(path.breakpoints) // 2
    value, coef = path.breakpoints[k], path.solutions.at_breakpoints[k].coef
    here = kernel_at(kernel, moving, value)
    by_all = here.gradient(X, None, coef, coef)
    derivative = -0.5 * by_all[here.parameter_names.index(moving)]
    near = [
        solve(
            problem,
            Gram(kernel_at(kernel, moving, value * np.exp(t)), X, precision="double"),
            "active-set",
            tol=1e-9,
        ).objective
        for t in (-step, step)
    ]
    assert (near[1] - near[0]) / (2 * step) == pytest.approx(derivative, rel=1e-4, abs=1e-6)


def test_a_factor_of_the_kernel_is_a_factor_of_C() -> None:
    path = PATHS["the whole kernel"]
    over_C = svc_path(X, Y, kernel=Gaussian(0.5), C_max=50.0)
    for factor in path.breakpoints[::4]:
        ours, theirs = path.coef(factor) * factor, over_C.coef(2.0 * factor)
        assert ours == pytest.approx(theirs, abs=1e-6 * np.abs(theirs).max())


@pytest.mark.parametrize("name", MOVES)
def test_files_keep_it(name: str, tmp_path: Any) -> None:
    path = PATHS[name]
    save(path, tmp_path / "path.mercer")
    again = load(tmp_path / "path.mercer")
    value = float(np.sqrt(path.begin * path.end))
    assert (again.parameter, again.status) == (path.parameter, path.status)
    assert again.decision_function(X, value).tobytes() == path.decision_function(X, value).tobytes()


def test_it_is_scored_drawn_and_summed_up_like_all_paths() -> None:
    kernel, moving, bounds = MOVES["an offset"]
    path = kernel_path(
        X, Y, kernel=kernel, parameter=moving, bounds=bounds, accuracy=0.3, cv=3, scoring="accuracy"
    )
    assert path.scores.shape == path.breakpoints.shape
    assert path.summary().parameter == "coef0"
    assert repr(path).startswith("<Path over coef0 of 60 rows")
    assert path.plot()[-1].get_xlabel() == "coef0"
    with pytest.raises(AttributeError, match="over coef0 has no gamma"):
        _ = path.gamma


def test_by_default_it_is_gamma_of_the_gaussian() -> None:
    named = kernel_path(X, Y, kernel=Gaussian(), bounds=(0.1, 1.0), accuracy=0.1)
    default = kernel_path(X, Y, gamma_min=0.1, gamma_max=1.0, accuracy=0.1)
    assert named.gamma.tolist() == default.gamma.tolist()
    assert named.coef(0.5).tolist() == default.coef(0.5).tolist()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parameter": "coef0"}, "bounds must be the smallest and the largest coef0, got None"),
        ({"bounds": (1.0, 0.5)}, r"bounds\[1\] must be above bounds\[0\]=1.0"),
        ({"bounds": 3.0}, "bounds must be a pair of numbers, got 3.0"),
        (
            {"parameter": "width", "bounds": (1, 2)},
            r"parameter must be one of \['gamma'\].*'width'",
        ),
        (
            {"kernel": "poly", "parameter": "coef0", "bounds": (1, 2)},
            r"must be one of \['gamma'\], which move in Polynomial",
        ),
        ({"kernel": Sigmoid(), "bounds": (1, 2)}, "positive semi-definite for sure, got Sigmoid"),
        (
            {"kernel": Normalized(Polynomial(2)), "parameter": "kernel__gamma", "bounds": (1, 2)},
            r"parameter must be one of \[\]",
        ),
    ],
)
def test_bad_arguments_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kernel_path(X, Y, **options)


def test_what_moves_is_listed() -> None:
    kernel = Gaussian([1.0, 2.0]) + 0.5 * Polynomial(2) * Normalized(Gaussian())
    assert movable(kernel) == [
        "left__gamma[0]",
        "left__gamma[1]",
        "right__left__kernel__gamma",
        "right__left__factor",
    ]
    assert movable(Gaussian(np.eye(2))) == []
    assert movable(Precomputed()) == []
