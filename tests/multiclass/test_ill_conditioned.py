"""Problems of all classes that steps of rows are slow on, with many variables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

from mercer import SVC, Gram
from mercer.io import load, save
from mercer.kernels import Constant, Gaussian, Linear, Precomputed
from mercer.multiclass import (
    AllInOne,
    MulticlassProblem,
    certify_multiclass,
    multiclass_problem,
    solve_multiclass,
)
from mercer.multiclass.class_steps import class_steps
from mercer.multiclass.directions import all_directions, curvatures
from mercer.multiclass.formulations import ALL_IN_ONE
from mercer.multiclass.hessians import DenseHessian, LowRankHessian
from mercer.multiclass.interior import interior_points

KINDS = pytest.mark.parametrize("kind", ALL_IN_ONE)


def blobs(n: int, n_classes: int, overlap: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = np.arange(n) % n_classes
    return rng.normal(size=(n_classes, 6))[y] + overlap * rng.normal(size=(n, 6)), y


def somewhere(problem: MulticlassProblem) -> np.ndarray:
    """A feasible point, with variables at both of their bounds."""
    alpha = np.random.default_rng(1).uniform(-1.0, 2.0, problem.shape) * problem.upper
    return problem.feasible(alpha)


def test_linear_lee_lin_wahba_on_raw_digits_converges() -> None:
    """It came to 0.84 of the dual in 10 million steps."""
    X, y = load_digits(return_X_y=True)
    machine = SVC(C=1.0, kernel="linear", multiclass="lee-lin-wahba", max_iter=10**6)
    machine.fit(X[:300], y[:300])
    assert machine.fit_status_ == 0
    assert machine.violation_ <= 1e-3
    assert machine.dual_gap_ <= 1e-3


@pytest.mark.parametrize("kind", ["weston-watkins", "crammer-singer", "lee-lin-wahba"])
def test_a_large_C_on_classes_that_overlap_converges(kind: str) -> None:
    X, y = blobs(270, 9)
    machine = SVC(C=1e4, gamma=0.1, multiclass=kind, max_iter=10**6).fit(X, y)
    assert machine.fit_status_ == 0
    assert machine.violation_ <= 1e-3
    assert machine.dual_gap_ <= 1e-3


def test_crammer_and_singer_with_many_classes_of_three_rows_converges() -> None:
    X, y = blobs(600, 200)
    machine = SVC(C=10.0, gamma=0.1, multiclass="crammer-singer", max_iter=200_000).fit(X, y)
    assert machine.fit_status_ == 0
    assert machine.dual_gap_ <= 1e-3


@KINDS
def test_margins_that_all_miss_a_little_leave_a_small_gap(kind: str) -> None:
    """C = 1e6 made a gap of a half of slacks of a thousandth."""
    X, y = blobs(60, 3, overlap=0.1)
    problem, gram = multiclass_problem(kind, y, 3, 1e6), Gram(Gaussian(0.1), X)
    best = solve_multiclass(problem, gram, tol=1e-9)
    off = certify_multiclass(problem, gram, 0.999 * best.coef)
    assert 0.0 < off.relative_gap <= 1e-2
    assert off.primal >= best.objective * (1.0 - 1e-9)


@KINDS
@pytest.mark.parametrize("stopping", ["both", "violation", "gap"])
def test_a_run_ends_by_what_was_asked_for(kind: str, stopping: Any) -> None:
    X, y = blobs(200, 5)
    problem, gram = multiclass_problem(kind, y, 5, 100.0), Gram(Gaussian(0.1), X)
    found = solve_multiclass(problem, gram, tol=1e-2, stopping=stopping)
    assert found.status == "converged"
    assert stopping == "gap" or found.violation <= 1e-2
    assert stopping == "violation" or found.relative_gap <= 1e-2
    exact = solve_multiclass(problem, gram, tol=1e-7)
    assert exact.objective == pytest.approx(found.objective, rel=1e-2 if stopping == "gap" else 0.1)


def test_a_kernel_without_a_gap_ends_by_its_violation() -> None:
    X, y = blobs(60, 3)
    gram = Gram(Precomputed(positive_definite=False), np.tanh(X @ X.T - 1.0))
    found = solve_multiclass(multiclass_problem("weston-watkins", y, 3), gram, stopping="gap")
    assert found.gap is None
    assert found.violation <= 1e-3


def test_the_stopping_of_a_classifier_is_that_of_its_solver(tmp_path: Path) -> None:
    X, y = blobs(300, 5)
    solver = AllInOne(stopping="gap")
    machine = SVC(multiclass="lee-lin-wahba", solver=solver, tol=1e-2).fit(X, y)
    assert machine.fit_status_ == 0
    assert machine.dual_gap_ <= 1e-2 < machine.violation_
    save(machine, tmp_path / "machine.mercer")
    assert load(tmp_path / "machine.mercer").solver == solver
    two = machine.fit(X[y < 2], y[y < 2])
    np.testing.assert_array_equal(
        two.decision_function(X),
        SVC(tol=1e-2).fit(X[y < 2], y[y < 2]).decision_function(X),
    )
    with pytest.raises(ValueError, match=r"solver must be one of mercer\.solvers for multiclass="):
        machine.set_params(multiclass="one-vs-one").fit(X, y)
    with pytest.raises(ValueError, match="stopping must be one of"):
        AllInOne(stopping="never")  # type: ignore[arg-type]


@KINDS
def test_a_class_step_gains_what_its_two_class_problem_says(kind: str) -> None:
    """Any step within its box stays feasible, and changes values as the kernel says."""
    X, y = blobs(30, 4)
    kernel = Gaussian(0.2)
    problem, gram = multiclass_problem(kind, y, 4, 2.0), Gram(kernel, X, precision="double")
    alpha, K = somewhere(problem), kernel(X, X)
    values = problem.coefficients(alpha) @ K
    steps = 0
    for step in class_steps(problem, alpha, values, 0.0):
        before = certify_multiclass(problem, gram, alpha).objective
        two_class = step.two_class_problem()
        coef = np.random.default_rng(steps).uniform(two_class.lower, two_class.upper)
        t = step.amounts(coef)
        step.move(alpha, t)
        step.spread(values, K @ t)
        after = certify_multiclass(problem, gram, alpha)
        gain = step.slope @ t - 0.5 * step.curvature * t @ K @ t
        assert after.is_feasible
        assert after.objective - before == pytest.approx(problem.scale * gain, abs=1e-9)
        np.testing.assert_allclose(values, problem.coefficients(alpha) @ K, atol=1e-10)
        steps += 1
    assert steps >= 4


@KINDS
def test_systems_of_low_rank_are_those_of_the_matrix(kind: str) -> None:
    X, y = blobs(25, 4)
    problem, gram = multiclass_problem(kind, y, 4), Gram(Linear(), X, precision="double")
    along = all_directions(problem)
    pair = DenseHessian(curvatures(problem, gram, along)), LowRankHessian(problem, X)
    rng = np.random.default_rng(2)
    x, diagonal, right = rng.uniform(0.1, 1.0, (3, len(along.rows)))
    group = along.rows if problem.one_slack else np.arange(len(x))
    shared = rng.uniform(0.1, 10.0, group.max() + 1)
    products = [each.product(x) for each in pair]
    np.testing.assert_allclose(products[0], products[1], atol=1e-10)
    solvers = [each.solver(x, diagonal, shared, group) for each in pair]
    assert all(solvers)
    found = [solve(right) for solve in solvers if solve]
    np.testing.assert_allclose(found[0], found[1], rtol=1e-7, atol=1e-9)


@KINDS
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e5])
def test_the_central_path_of_a_low_rank_ends_at_the_solution(kind: str, C: float) -> None:
    X, y = blobs(60, 4)
    weight = np.random.default_rng(3).integers(0, 3, 60)
    problem = multiclass_problem(kind, y, 4, C, weight)
    gram = Gram(Linear() + Constant(1.0), X, precision="double")
    left, sizes, _ = np.linalg.svd(np.c_[X, np.ones(60)], full_matrices=False)
    points = interior_points(problem, gram, lambda: True, left * sizes)
    found = [certify_multiclass(problem, gram, point) for point in points]
    best = solve_multiclass(problem, gram)
    assert all(each.is_feasible for each in found)
    assert max(each.objective for each in found) == pytest.approx(best.objective, rel=1e-5)
