"""Linear machines at values of C and sizes where a double has no digits left."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_wine

from mercer import SVR, ActiveSet, Gram, Problem, certify, solve
from mercer import formulations as fm
from mercer.kernels import Gaussian, Linear
from mercer.solvers.active_set.feature_step import feature_step

FloatArray = NDArray[np.float64]


def rows(load: Any, step: int) -> tuple[FloatArray, FloatArray]:
    bunch = load()
    return np.ascontiguousarray(bunch.data[::step]), bunch.target[::step].astype(float)


def exact_values(X: FloatArray, w: list[Fraction]) -> list[Fraction]:
    return [sum((Fraction(x) * y for x, y in zip(row, w, strict=True)), Fraction(0)) for row in X]


def exact_gap(X: FloatArray, y: FloatArray, C: float, epsilon: float, coef: FloatArray) -> Fraction:
    """(P - D) / D of support vector regression in rational numbers, at a w of our own.

    D of the coefficients, and P of the same w corrected by least squares such that the rows of free
    coefficients lie on the tube.
    """
    n = len(y)
    beta = [Fraction(a) + Fraction(b) for a, b in zip(coef[:n], coef[n:], strict=True)]
    w = exact_values(X.T, beta)
    linear = np.concatenate((y - epsilon, y + epsilon))
    is_free = (coef != 0.0) & (np.abs(coef) != C)
    free = np.flatnonzero(is_free)
    f = exact_values(X, w)
    residual = [float(Fraction(linear[i]) - f[i % n]) for i in free]
    system = np.column_stack([X[free % n], np.ones(len(free))])
    v = np.linalg.lstsq(system, np.array(residual), rcond=1e-15)[0]
    b = Fraction(v[-1])
    better = [a + Fraction(c) for a, c in zip(w, v[:-1], strict=True)]
    slack = [
        max(abs(Fraction(t) - g - b) - Fraction(epsilon), Fraction(0))
        for t, g in zip(y, exact_values(X, better), strict=True)
    ]
    primal = sum((a * a for a in better), Fraction(0)) / 2 + Fraction(C) * sum(slack)
    size = sum((abs(Fraction(x)) for x in coef), Fraction(0))
    dual = sum((Fraction(t) * a for t, a in zip(y, beta, strict=True)), Fraction(0))
    dual -= Fraction(epsilon) * size + sum((a * a for a in w), Fraction(0)) / 2
    assert abs(sum(beta)) <= size * Fraction(1, 10**15)
    # an infeasible sum is paid with the bias
    return (primal - dual + b * sum(beta)) / dual


@pytest.mark.parametrize(("load", "step"), [(load_wine, 2), (load_breast_cancer, 5)])
def test_the_certified_gap_is_true_in_rational_numbers(load: Any, step: int) -> None:
    X, y = rows(load, step)
    problem, gram = fm.svr(y, 1e5, 0.1).problem, Gram(Linear(), X, n_threads=1)
    coef = solve(problem, gram, "active-set", tol=1e-6).coef
    certificate = certify(problem, gram, coef)
    assert certificate.relative_gap is not None
    assert certificate.relative_gap <= 1e-9
    assert 0 <= exact_gap(X, y, 1e5, 0.1, coef) + Fraction(1, 10**12) <= Fraction(1, 10**9)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("target", [3, 9])
def test_features_of_wild_sizes_that_explain_each_other(target: int, store: Any) -> None:
    """The active-set method alone ended with gaps of 0.1 here."""
    X, _ = rows(load_breast_cancer, 4)
    y, X = X[:, target], np.ascontiguousarray(np.delete(X, target, axis=1))
    gram = Gram(Linear(), store(X), n_threads=1)
    for problem in (fm.svr(y, 1e5, 0.0).problem, fm.nu_svr(y, 1e4, 0.5).problem):
        coef = solve(problem, gram, "active-set", tol=1e-6).coef
        assert certify(problem, gram, coef).relative_gap <= 1e-7
        assert certify(problem, gram, coef).infeasibility <= 1e-12 * np.abs(coef).sum()


def test_a_certificate_is_no_smaller_than_the_distance_to_the_optimum() -> None:
    X, y = rows(load_wine, 2)
    problem, gram = fm.svr(y, 1e5, 0.1).problem, Gram(Linear(), X, n_threads=1)
    best = solve(problem, gram, "active-set", tol=1e-6)
    free = np.flatnonzero((best.coef > problem.lower + 1.0) & (best.coef < problem.upper - 1.0))
    for size in (1e-6, 1e-4, 1e-2):
        coef = best.coef.copy()
        coef[free[0]] += size
        coef[free[1]] -= size
        found = certify(problem, gram, coef)
        assert found.objective + found.gap >= best.objective * (1 - 1e-14)
        assert found.objective <= best.objective * (1 + 1e-14)


def test_no_warning_where_the_optimum_is_proven(recwarn: pytest.WarningsRecorder) -> None:
    X, y = rows(load_breast_cancer, 5)
    machine = SVR(kernel="linear", C=1e5, tol=1e-9).fit(X, y)
    assert machine.solutions_[0].status == "precision-limit"
    assert machine.dual_gap_ <= 1e-7
    assert machine.fit_status_ == 0
    assert not recwarn.list


def test_bounds_on_steps_and_time_and_the_callback_are_kept() -> None:
    X, y = rows(load_breast_cancer, 5)
    problem, gram = fm.svr(y, 1e5, 0.1).problem, Gram(Linear(), X, n_threads=1)
    assert solve(problem, gram, "active-set", tol=1e-9, max_iter=50).status == "max-iter"
    assert solve(problem, gram, "active-set", tol=1e-9, max_time=0.0).status == "max-time"
    plain = ActiveSet(refine=False).solve(problem, gram, tol=1e-9)
    assert certify(problem, gram, plain.coef).relative_gap >= 0.0


def test_only_a_linear_kernel_has_features() -> None:
    X, _ = rows(load_wine, 2)
    assert Gram(Gaussian(1.0), X).features() is None
    assert np.array_equal(Gram(Linear(), X.astype(np.float32)).features(), X.astype(np.float32))
    assert Gram(Linear(), sparse.csc_matrix(X)).features().format == "csr"


@pytest.mark.parametrize("n_groups", [0, 1, 2])
@pytest.mark.parametrize("seed", range(5))
def test_a_feature_step_maximizes_over_the_free_variables(seed: int, n_groups: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (12, 3)).astype(float)
    group = rng.integers(0, n_groups, 12) if n_groups else np.full(12, -1)
    box = rng.uniform(0.1, 2.0, (2, 12))
    problem = Problem(
        rng.normal(size=12), -box[0], box[1], group=group, group_sum=np.zeros(n_groups)
    )
    step = feature_step(problem, X)
    assert np.abs(problem.group_sums(step)).max(initial=0.0) <= 1e-12
    assert (step >= -box[0]).all()
    assert (step <= box[1]).all()
    slope = problem.linear - X @ (X.T @ step)
    value = step @ (problem.linear + slope) / 2
    assert value >= 0.0
    is_free = (step > -box[0]) & (step < box[1])
    for g in range(-1, n_groups):
        left = slope[is_free & (problem.group == g)]
        assert len(left) == 0 or np.abs(left - (left.mean() if g >= 0 else 0.0)).max() <= 1e-9
