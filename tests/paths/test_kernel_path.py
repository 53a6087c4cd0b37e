"""Machines for every width of the Gaussian kernel."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial import Chebyshev
from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedKFold, cross_val_score

from mercer import SVC, Gram, formulations, kernel_path, solve
from mercer.kernels import Gaussian
from mercer.paths.kernel.chord_bound import KernelBound, _degree
from solvers.active_set_cases import random_case


def sample(n: int = 100) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(n, 4, n_informative=3, n_redundant=0, flip_y=0.1, random_state=1)


@given(st.integers(0, 10**9))
@settings(max_examples=15, deadline=None)
def test_solutions_are_those_of_cold_solves(seed: int) -> None:
    """Lattices, duplicates and tiny widths: free rows come to depend on each other."""
    case = random_case(seed, max_rows=25)
    path = kernel_path(
        case.X, case.y, C=3.0, gamma_min=1e-6, gamma_max=10.0, sample_weight=case.weight,
        accuracy=0.1,
    )  # fmt: skip
    assert path.status == "gamma_max"
    problem = formulations.svc(case.y, 3.0, case.weight).problem
    for gamma, warm in zip(path.gamma, path.solutions.at_breakpoints, strict=True):
        cold = solve(problem, Gram(Gaussian(gamma), case.X, precision="double"), "active-set")
        assert warm.objective == pytest.approx(cold.objective, rel=1e-8)


@pytest.mark.parametrize("accuracy", [0.2, 0.01, 1e-4])
def test_the_gap_is_kept_at_every_width(accuracy: float) -> None:
    X, y = sample()
    path = kernel_path(X, y, C=2.0, gamma_min=0.01, gamma_max=2.0, accuracy=accuracy)
    assert path.accuracy <= accuracy
    shares = [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98]
    gaps = []
    for left, right in list(itertools.pairwise(path.gamma))[:: 1 + len(path.gamma) // 8]:
        for share in shares:
            found = path.certificate(left ** (1 - share) * right**share)
            assert found.infeasibility <= 1e-10
            gaps.append(found.relative_gap)
    assert max(gaps) <= path.accuracy
    assert path.accuracy <= 5.0 * max(gaps)  # and it is no wild bound


@given(st.integers(0, 10**9), st.floats(0.0, 1.0))
@settings(max_examples=25, deadline=None)
def test_the_bound_holds_on_hard_problems(seed: int, share: float) -> None:
    """Lattices, duplicates, contradictory labels, weights, large C."""
    case = random_case(seed, max_rows=25)
    options = {"C": [0.1, 1.0, 100.0][seed % 3], "gamma_min": 1e-3, "gamma_max": 30.0}
    path = kernel_path(case.X, case.y, sample_weight=case.weight, accuracy=0.05, **options)
    assert path.accuracy <= 0.05
    for left, right in list(itertools.pairwise(path.gamma))[seed % 4 :: 4]:
        found = path.certificate(left ** (1 - share) * right**share)
        assert found.relative_gap <= path.accuracy + 1e-12


@pytest.mark.parametrize("length", [0.05, 0.5, 2.0])
def test_the_values_of_a_chord_are_interpolated_as_accurately_as_is_said(length: float) -> None:
    """One pair of rows at the worst distances: the error of the polynomial is below its bound."""
    problem = formulations.svc(np.array([1.0, -1.0]), 1.0).problem
    ends = [
        SimpleNamespace(coef=np.array([c, -c]), objective=1.0, gradient=np.zeros(2))
        for c in (0.3, 0.9)
    ]
    u = np.linspace(0.0, length, 400)
    for distance in np.geomspace(0.01, 100.0, 30):
        exact = (0.3 + 0.6 * u / length) * (1.0 - np.exp(-distance * np.exp(u)))
        degree, error = _degree(problem, *ends, length, KernelBound(), 1e-3)
        assert degree > 0
        nodes = 0.5 * length * (1.0 + np.cos(np.pi * np.arange(degree + 1) / degree))
        at_nodes = (0.3 + 0.6 * nodes / length) * (1.0 - np.exp(-distance * np.exp(nodes)))
        polynomial = Chebyshev.fit(nodes, at_nodes, degree, domain=[0.0, length])
        assert np.abs(polynomial(u) - exact).max() <= error


def test_fewer_solutions_where_less_is_asked() -> None:
    X, y = sample()
    counts = [
        len(kernel_path(X, y, gamma_min=1e-3, gamma_max=10.0, accuracy=accuracy).gamma)
        for accuracy in (0.3, 0.03, 0.003)
    ]
    assert counts == sorted(counts)
    assert counts[0] < 0.5 * counts[2]


def test_at_a_solution_it_is_that_solution() -> None:
    X, y = sample()
    labels = np.array(["a", "b"])[y]
    path = kernel_path(X[:70], labels[:70], C=2.0, gamma_min=0.01, gamma_max=1.0)
    gamma = path.gamma[2]
    machine = SVC(C=2.0, gamma=gamma, solver="active-set").fit(X[:70], labels[:70])
    assert path.coef(gamma) == pytest.approx(path.solutions.at_breakpoints[2].coef)
    values = machine.decision_function(X)
    assert path.decision_function(X, gamma) == pytest.approx(values, abs=1e-7)
    assert path.score(X[70:], labels[70:])[2] == pytest.approx(machine.score(X[70:], labels[70:]))
    for end in (path.gamma[0], path.gamma[-1]):
        assert path.certificate(end).relative_gap <= 1e-9


def test_scores_are_cross_validated() -> None:
    X, y = sample()
    cv = StratifiedKFold(3)
    path = kernel_path(X, y, C=2.0, gamma_min=0.05, gamma_max=1.0, accuracy=0.3, cv=cv)
    for gamma, score in zip(path.gamma, path.scores, strict=True):
        machine = SVC(C=2.0, gamma=gamma, solver="active-set")
        assert score == pytest.approx(cross_val_score(machine, X, y, cv=cv).mean(), abs=0.011)


def test_time_ends_it_with_what_there_is() -> None:
    X, y = sample()
    path = kernel_path(X, y, max_time=1e-9)
    assert path.status == "max-time"
    assert len(path.solutions.at_breakpoints) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": 0.0}, "C must be positive"),
        ({"gamma_min": -1.0}, "gamma_min must be positive"),
        ({"gamma_min": 2.0, "gamma_max": 1.0}, "gamma_max must be above"),
        ({"accuracy": 0.0}, "accuracy must be positive"),
    ],
)
def test_bad_arguments_are_named(options: dict, message: str) -> None:
    X, y = sample(20)
    with pytest.raises(ValueError, match=message):
        kernel_path(X, y, **options)


def test_a_gamma_outside_is_refused() -> None:
    X, y = sample(20)
    path = kernel_path(X, y, gamma_min=0.1, gamma_max=1.0)
    with pytest.raises(ValueError, match="gamma must lie in"):
        path.coef(2.0)


def test_a_C_beyond_rounding_ends_instead_of_creeping() -> None:
    """At C = 1e80 no double certifies a relative gap: the path once took millions of pieces."""
    X = np.random.default_rng(0).normal(size=(30, 3)) * 1e8
    path = kernel_path(X, np.arange(30) % 2, C=1e80, gamma_min=1.0, gamma_max=10.0)
    assert path.status == "precision-limit"
    assert path.gamma[-1] < 10.0


def test_a_path_of_huge_C_took_minutes_and_said_nothing() -> None:
    """The number of solutions is bounded; what is offered keeps the accuracy."""
    X, y = sample(40)
    path = kernel_path(X, y, C=1e9, gamma_min=1e-3, gamma_max=1.0, max_events=25)
    assert path.status == "max-events"
    assert len(path.gamma) <= 25
    assert path.accuracy <= 1e-2
    assert path.gamma[-1] < 1.0
    middle = np.sqrt(path.gamma[-1] * path.gamma[-2])
    assert path.certificate(middle).relative_gap <= path.accuracy
    whole = kernel_path(X, y, gamma_min=0.1, gamma_max=1.0, max_events=-1)
    assert whole.status == "gamma_max"
    with pytest.raises(ValueError, match="max_events must be -1 or a number"):
        kernel_path(X, y, max_events=-2)
