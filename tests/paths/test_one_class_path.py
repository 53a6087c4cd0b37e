"""One-class machines for every nu."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer import Gram, OneClassSVM, formulations, one_class_path, solve
from solvers.active_set_cases import random_case


@given(st.integers(0, 10**9))
@settings(max_examples=50, deadline=None)
def test_every_solution_is_optimal(seed: int) -> None:
    case = random_case(seed)
    path = one_class_path(case.X, kernel=case.kernel, nu_min=0.02, sample_weight=case.weight)
    assert path.status == "nu_min"
    size = max(1.0, float(np.abs(path.gram.diagonal()).max())) * case.weight.sum()
    for nu in (*case.rng.uniform(0.02, 1.0, 4), float(case.rng.choice(path.nu)), 0.02, 1.0):
        found = path.certificate(nu)
        assert found.violation <= 1e-9 * size
        assert found.infeasibility <= 1e-9 * size


@given(st.integers(0, 10**9))
@settings(max_examples=15, deadline=None)
def test_it_agrees_with_solutions_at_single_points(seed: int) -> None:
    case = random_case(seed, max_rows=20)
    path = one_class_path(case.X, kernel=case.kernel, nu_min=0.05)
    for nu in (0.1, 0.5):
        problem = formulations.one_class(len(case.y), nu).problem
        gram = Gram(case.kernel, case.X, precision="double")
        wanted = solve(problem, gram, "active-set").objective
        assert path.certificate(nu).objective == pytest.approx(wanted, rel=1e-8, abs=1e-10)


def test_it_decides_as_the_machine() -> None:
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(80, 2)), 2 * rng.normal(size=(50, 2))
    path = one_class_path(X, gamma=0.5)
    assert (np.diff(path.nu) <= 0).all()
    assert path.end == pytest.approx(0.01)
    for nu in (0.05, 0.3, 0.8):
        machine = OneClassSVM(nu=nu, gamma=0.5, solver="active-set", tol=1e-9).fit(X)
        wanted = machine.decision_function(Z)
        assert path.decision_function(Z, nu) == pytest.approx(wanted, abs=1e-7)


def test_weights_are_copies() -> None:
    rng = np.random.default_rng(1)
    X, weight = rng.normal(size=(20, 2)), rng.integers(0, 4, 20)
    once = one_class_path(X, gamma=0.5, sample_weight=weight)
    often = one_class_path(np.repeat(X, weight, axis=0), gamma=0.5)
    for nu in (0.1, 0.6):
        assert once.decision_function(X, nu) == pytest.approx(
            often.decision_function(X, nu), abs=1e-8
        )


def test_limits_and_bad_arguments() -> None:
    X = np.random.default_rng(2).normal(size=(200, 3))
    assert one_class_path(X, max_time=1e-9).status == "max-time"
    path = one_class_path(X, nu_min=0.5)
    with pytest.raises(ValueError, match="nu must lie in"):
        path.coef(0.3)
    with pytest.raises(ValueError, match="nu_min must lie"):
        one_class_path(X, nu_min=1.0)
    with pytest.raises(ValueError, match="positive semi-definite"):
        one_class_path(X, kernel="sigmoid")
