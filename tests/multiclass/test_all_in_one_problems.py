"""Problems of all classes at once: optima, certificates, and how they relate to other machines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from generic_qp import generic_optimum
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

import mercer.formulations as fm
from mercer import Gram, solve
from mercer.kernels import Gaussian, Linear, Precomputed
from mercer.multiclass import (
    MulticlassProblem,
    certify_multiclass,
    multiclass_problem,
    solve_multiclass,
)
from mercer.multiclass.formulations import ALL_IN_ONE

KINDS = pytest.mark.parametrize("kind", ALL_IN_ONE)


def drawn(n: int, n_classes: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, some of them twice and with ties of two classes, their classes and weights."""
    rng = np.random.default_rng(seed)
    y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]
    X = rng.normal(size=(n_classes, 3))[y] + rng.normal(size=(n, 3))
    copies = rng.integers(0, n, (2, n // 4))
    X[copies[0]] = X[copies[1]]
    X[rng.integers(n)] = 0.0
    return X, y, rng.integers(0, 4, n).astype(float)


@settings(max_examples=12, deadline=None)
@given(
    st.sampled_from(ALL_IN_ONE),
    st.integers(0, 10**6),
    st.integers(2, 5),
    st.sampled_from([Linear(), Gaussian(0.7)]),
)
def test_the_optimum_is_that_of_a_generic_solver(
    kind: str, seed: int, n_classes: int, kernel: Any
) -> None:
    X, y, weight = drawn(18, n_classes, seed)
    problem = multiclass_problem(kind, y, n_classes, 2.0, weight)
    gram = Gram(kernel, X, precision="double")
    found = solve_multiclass(problem, gram, tol=1e-8)
    expected = generic_optimum(kind, kernel(X, X), y, n_classes, 2.0 * weight)
    assert found.status == "converged"
    assert found.objective == pytest.approx(expected, rel=1e-6, abs=1e-8)
    assert found.primal == pytest.approx(expected, rel=1e-6, abs=1e-6)


@KINDS
@pytest.mark.parametrize("kernel", [Linear(), Gaussian(0.5)])
def test_the_certificate_is_what_the_definition_says(kind: str, kernel: Any) -> None:
    """Of any feasible point: slopes by differences, both values by their formulas."""
    X, y, weight = drawn(15, 4, 0)
    problem, K = multiclass_problem(kind, y, 4, 1.5, weight), kernel(X, X)
    alpha = problem.feasible(np.random.default_rng(1).uniform(0.0, 2.0, problem.shape))
    found = certify_multiclass(problem, Gram(kernel, X, precision="double"), alpha)

    def dual(point: np.ndarray) -> float:
        coef = problem.coefficients(point)
        quadratic = np.einsum("ci,ij,cj", coef, K, coef)
        return float(problem.scale * (problem.margin * point.sum() - 0.5 * quadratic))

    coef = problem.coefficients(alpha)
    f = coef @ K
    own = f[y, np.arange(15)]
    slope = problem.margin + (f if kind == "lee-lin-wahba" else f - own)
    is_other = np.arange(4)[:, None] != y

    def primal(size: float) -> float:
        """Of the same functions in another size."""
        slack = is_other * np.maximum(problem.margin - size * (problem.margin - slope), 0.0)
        losses = slack.max(axis=0) if kind == "crammer-singer" else slack.sum(axis=0)
        norm = np.einsum("ci,ci", coef, f)
        return float(problem.scale * (0.5 * size**2 * norm + problem.upper @ losses))

    least = minimize_scalar(primal, bounds=(0.0, 2.0), method="bounded").fun
    assert found.objective == pytest.approx(dual(alpha), rel=1e-12)
    assert found.primal <= primal(1.0) * (1 + 1e-12)
    assert least - 1e-4 <= found.primal <= least + 0.01 * (least - found.objective) + 1e-4
    assert found.is_feasible
    assert found.gap >= 0.0
    for p, i in [(0, 1), (2, 5), (3, 14)]:
        if p == y[i]:
            continue
        step = np.zeros(problem.shape)
        step[p, i] = 1e-4
        slope = (dual(alpha + step) - dual(alpha - step)) / 2e-4 / problem.scale
        assert found.gradient[p, i] == pytest.approx(slope, abs=1e-6)


@KINDS
def test_what_is_not_feasible_or_not_optimal_is_seen(kind: str) -> None:
    X, y, _ = drawn(20, 3, 2)
    problem, gram = multiclass_problem(kind, y, 3, 1.0), Gram(Gaussian(0.5), X)
    best = solve_multiclass(problem, gram, tol=1e-9)
    assert certify_multiclass(problem, gram, best.coef).violation <= 1e-9
    moved = best.coef.copy()
    moved[(y[0] + 1) % 3, 0] += 2.0 * problem.upper[0]
    assert not certify_multiclass(problem, gram, moved).is_feasible
    shrunk = certify_multiclass(problem, gram, 0.9 * best.coef)
    assert shrunk.violation > 1e-3
    assert shrunk.objective < best.objective <= shrunk.primal


@KINDS
def test_functions_add_up_to_zero(kind: str) -> None:
    """By constraint for Lee, Lin and Wahba, at the optimum for the others."""
    X, y, weight = drawn(40, 4, 3)
    problem = multiclass_problem(kind, y, 4, 3.0, weight)
    found = solve_multiclass(problem, Gram(Gaussian(0.5), X))
    Z = np.random.default_rng(0).normal(size=(50, 3))
    values = problem.coefficients(found.coef) @ Gaussian(0.5)(X, Z)
    np.testing.assert_allclose(values.sum(axis=0), 0.0, atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "factor", "scale"),
    [
        ("weston-watkins", 1.0, 2.0),
        ("crammer-singer", 2.0, 1.0),
        ("lee-lin-wahba", 0.5, 2.0),
        ("bredensteiner-bennett", 2.0 / 3.0, 1.0),
    ],
)
def test_two_classes_are_a_two_class_machine(kind: str, factor: float, scale: float) -> None:
    """With another C, and f_1 - f_0 in other units (Crammer & Singer: C' = 2 C)."""
    X, y, weight = drawn(40, 2, 4)
    gram = Gram(Gaussian(0.5), X, precision="double")
    problem = multiclass_problem(kind, y, 2, 1.5, weight)
    found = solve_multiclass(problem, gram, tol=1e-10)
    sign = 2.0 * y - 1.0
    formulation = fm.svc(sign, factor * 1.5, weight, fit_intercept=False)
    binary = formulation.fitted_parameters(solve(formulation.problem, gram, tol=1e-10))
    values = gram.product(None, problem.coefficients(found.coef).T)
    np.testing.assert_allclose(
        values[:, 1] - values[:, 0], scale * gram.product(None, binary.coef), atol=1e-7
    )


def test_bredensteiner_and_bennett_are_weston_and_watkins_with_another_C() -> None:
    X, y, weight = drawn(40, 4, 5)
    gram = Gram(Gaussian(0.5), X, precision="double")
    one = multiclass_problem("bredensteiner-bennett", y, 4, 5.0, weight)
    other = multiclass_problem("weston-watkins", y, 4, 2.0 * 5.0 / 5.0, weight)
    a, b = (solve_multiclass(p, gram, tol=1e-9) for p in (one, other))
    assert a.objective == pytest.approx(5.0 * b.objective / 4.0, rel=1e-9)
    values = [gram.product(None, p.coefficients(s.coef).T) for p, s in ((one, a), (other, b))]
    np.testing.assert_allclose(values[0], 0.5 * values[1], atol=1e-7)


@settings(max_examples=8, deadline=None)
@given(st.sampled_from(ALL_IN_ONE), st.integers(0, 10**6))
def test_weights_are_repetitions_in_any_order(kind: str, seed: int) -> None:
    X, y, weight = drawn(30, 4, seed)
    rows = np.random.default_rng(seed).permutation(np.repeat(np.arange(30), weight.astype(int)))
    first = multiclass_problem(kind, y, 4, 2.0, weight)
    second = multiclass_problem(kind, y[rows], 4, 2.0)
    kernel = Gaussian(0.5)
    a = solve_multiclass(first, Gram(kernel, X), tol=1e-8)
    b = solve_multiclass(second, Gram(kernel, X[rows]), tol=1e-8)
    assert a.objective == pytest.approx(b.objective, rel=1e-8, abs=1e-10)


@KINDS
def test_chunks_come_to_the_same_optimum(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, weight = drawn(200, 5, 6)
    problem, gram = multiclass_problem(kind, y, 5, 2.0, weight), Gram(Gaussian(0.5), X)
    whole = solve_multiclass(problem, gram, tol=1e-6)
    monkeypatch.setattr("mercer.multiclass.run._WHOLE", 0)
    monkeypatch.setattr("mercer.multiclass.run._CHUNK", 80)
    for precision in ("single", "double"):
        other = Gram(Gaussian(0.5), X, precision=precision)
        parts = solve_multiclass(problem, other, tol=1e-6)
        assert parts.status == "converged"
        assert parts.trace["chunks"] > 3
        assert certify_multiclass(problem, gram, parts.coef).violation <= 1e-6
        assert parts.objective == pytest.approx(whole.objective, rel=1e-8)


@KINDS
@pytest.mark.parametrize("C", [1e-300, 1e-9, 1e-3])
def test_small_C_fills_the_bounds(kind: str, C: float) -> None:
    """Rows with one slack were not seen to be full, and ended at the limit of precision."""
    X, y, _ = drawn(60, 3, 9)
    problem = multiclass_problem(kind, y, 3, C)
    found = solve_multiclass(problem, Gram(Gaussian(0.5), X))
    assert found.status == "converged"
    assert found.violation <= 1e-3
    assert found.objective == pytest.approx(found.primal, rel=1e-6)


@KINDS
def test_indefinite_kernels_end_at_a_point_that_satisfies_the_conditions(kind: str) -> None:
    X, y, _ = drawn(40, 3, 7)
    K = np.tanh(X @ X.T - 1.0)
    gram = Gram(Precomputed(positive_definite=False), K)
    found = solve_multiclass(multiclass_problem(kind, y, 3), gram)
    assert found.status == "converged"
    assert found.gap is None
    assert found.violation <= 1e-3


@pytest.mark.parametrize("limit", ["max_iter", "max_time", "callback"])
def test_a_run_that_ends_early_says_so(limit: str) -> None:
    X, y, _ = drawn(400, 4, 8)
    problem, gram = multiclass_problem("lee-lin-wahba", y, 4, 1e4), Gram(Gaussian(0.01), X)
    options: dict[str, Any] = {
        "max_iter": {"max_iter": 7},
        "max_time": {"max_time": 1e-3},
        "callback": {"callback": lambda progress: True},
    }[limit]
    found = solve_multiclass(problem, gram, tol=1e-7, **options)
    assert found.status == limit.replace("_", "-")
    assert found.is_feasible
    assert found.violation > 1e-7
    again = solve_multiclass(problem, gram, start=found.coef, tol=1e3)
    assert again.objective == pytest.approx(found.objective, rel=1e-9)
    assert again.n_iter == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": [0, 3]}, "labels must lie in 0..2, got 0..3"),
        ({"labels": [0, 1.5]}, "labels must be integers"),
        ({"n_classes": 1}, "n_classes must be an integer of at least 2, got 1"),
        ({"n_classes": 2.5}, "n_classes must be an integer of at least 2, got 2.5"),
        ({"upper": [1.0]}, "one entry for each row"),
        ({"upper": [1.0, np.inf]}, "upper must be finite"),
        ({"margin": 0.0}, "margin must be positive, got 0.0"),
        ({"margins": "signed"}, "margins must be 'relative' or 'absolute', got 'signed'"),
    ],
)
def test_wrong_problems_are_refused(change: dict[str, Any], message: str) -> None:
    fields = {"labels": [0, 1], "n_classes": 3, "upper": [1.0, 1.0], **change}
    with pytest.raises(ValueError, match=message):
        MulticlassProblem(**fields)


def test_wrong_arguments_are_named() -> None:
    problem = multiclass_problem("crammer-singer", np.array([0, 1, 2]), 3)
    gram = Gram(Linear(), np.eye(3))
    with pytest.raises(ValueError, match="tol must not be negative"):
        solve_multiclass(problem, gram, tol=-1.0)
    with pytest.raises(ValueError, match="gram must have 3 rows, got 2"):
        solve_multiclass(problem, Gram(Linear(), np.eye(2)))
    with pytest.raises(ValueError, match=r"start must be finite, of shape \(3, 3\)"):
        solve_multiclass(problem, gram, start=np.zeros(3))
    with pytest.raises(ValueError, match="kind must be one of"):
        multiclass_problem("one-vs-all", np.array([0, 1]), 2)
    with pytest.raises(ValueError, match="C must be positive and finite"):
        multiclass_problem("crammer-singer", np.array([0, 1]), 2, np.inf)
