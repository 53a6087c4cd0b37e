"""Problems of all classes that steps of rows are slow on: large C k(x, x), few features."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from generic_qp import generic_optimum
from sklearn.datasets import load_iris, load_wine

from mercer import SVC, Gram
from mercer.kernels import Gaussian, Linear
from mercer.multiclass import certify_multiclass, multiclass_problem, solve_multiclass
from mercer.multiclass.formulations import ALL_IN_ONE
from mercer.multiclass.interior import interior_points

KINDS = pytest.mark.parametrize("kind", ALL_IN_ONE)


def noise(n: int = 45, n_classes: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Rows that tell nothing of their classes: nearly all variables end at a bound."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 4)), rng.permutation(np.arange(n) % n_classes)


@KINDS
@pytest.mark.parametrize("C", [1.0, 100.0])
def test_features_of_any_scale_are_solved_to_the_tolerance(kind: str, C: float) -> None:
    """Those of wine reach 1,680: steps of rows alone leave a relative gap of 0.9."""
    X, y = load_wine(return_X_y=True)
    machine = SVC(C=C, kernel="linear", multiclass=kind, max_iter=500_000).fit(X, y)
    assert machine.fit_status_ == 0
    assert machine.violation_ <= machine.tol
    assert machine.dual_gap_ <= 1e-5


def test_a_polynomial_kernel_is_solved_to_the_tolerance() -> None:
    X, y = load_iris(return_X_y=True)
    machine = SVC(C=100.0, kernel="poly", multiclass="lee-lin-wahba", max_iter=500_000).fit(X, y)
    assert machine.violation_ <= machine.tol


@KINDS
def test_a_large_C_has_the_optimum_of_a_generic_solver(kind: str) -> None:
    X, y = noise()
    problem, gram = multiclass_problem(kind, y, 3, 1e4), Gram(Linear(), X, precision="double")
    found = solve_multiclass(problem, gram, max_iter=500_000)
    assert found.status == "converged"
    expected = generic_optimum(kind, X @ X.T, y, 3, np.full(45, 1e4))
    assert found.objective == pytest.approx(expected, rel=1e-6)


@KINDS
def test_rows_times_s_are_C_times_s_squared(kind: str) -> None:
    """With w / s in place of w, and the objective divided by s^2."""
    X, y = noise()
    found = [
        solve_multiclass(
            multiclass_problem(kind, y, 3, C), Gram(Linear(), scale * X), max_iter=500_000
        )
        for scale, C in [(1.0, 1e8), (1e4, 1.0)]
    ]
    assert [each.status for each in found] == ["converged"] * 2
    assert found[0].objective == pytest.approx(1e8 * found[1].objective, rel=1e-6)


@KINDS
def test_rows_far_away_are_solved_to_the_tolerance(kind: str) -> None:
    X, y = noise()
    found = SVC(kernel="linear", multiclass=kind, max_iter=500_000).fit(X + 1e4, y)
    assert found.violation_ <= found.tol


@KINDS
def test_what_rounding_hides_ends_soon(kind: str) -> None:
    X, y = noise()
    found = solve_multiclass(multiclass_problem(kind, y, 3, 1.0), Gram(Linear(), 1e8 * X))
    assert found.status == "precision-limit"
    assert found.n_iter <= 10**5


@KINDS
def test_what_rounding_hides_keeps_the_smallest_gap(kind: str) -> None:
    """Steps that gain the last digits of the dual here raise the gap to a half."""
    X, y = noise()
    problem = multiclass_problem(kind, y, 3, 1e5)
    found = solve_multiclass(problem, Gram(Linear(), 2e3 * X), max_iter=500_000)
    assert found.relative_gap <= 1e-3


@KINDS
@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4])
def test_the_end_of_the_central_path_is_the_solution(kind: str, C: float) -> None:
    X, y = noise(40, 4)
    problem = multiclass_problem(kind, y, 4, C, np.random.default_rng(1).integers(0, 3, 40))
    gram = Gram(Gaussian(0.2), X, precision="double")
    found = [
        certify_multiclass(problem, gram, point)
        for point in interior_points(problem, gram, lambda: True)
    ]
    best = solve_multiclass(problem, gram, tol=1e-9)
    assert all(each.is_feasible for each in found)
    assert min(each.violation for each in found) <= 1e-5
    assert max(each.objective for each in found) == pytest.approx(best.objective, rel=1e-7)


@KINDS
def test_the_central_path_may_be_left_at_any_time(kind: str) -> None:
    X, y = noise()
    problem, gram = multiclass_problem(kind, y, 3, 1.0), Gram(Linear(), X)
    for n_steps in (0, 1, 5):
        left = iter([True] * n_steps + [False] * 10)
        points = interior_points(problem, gram, partial(next, left))
        assert all(certify_multiclass(problem, gram, point).is_feasible for point in points)
