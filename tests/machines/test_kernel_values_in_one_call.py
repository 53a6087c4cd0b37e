"""Functions asked for their whole matrix at once, and matrices that are given."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from mercer import SVC, SVR, Gram, OneClassSVM
from mercer.kernels import FunctionKernel, Gaussian

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 4))
y = (X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] > 1)


class Counted:
    """A Gaussian kernel that remembers the shapes of the blocks it was asked for."""

    def __init__(self) -> None:
        self.shapes: list[tuple[int, int]] = []

    def __call__(self, A: Any, B: Any) -> Any:
        self.shapes.append((len(A), len(B)))
        return Gaussian(0.3)(np.asarray(A), np.asarray(B))


@pytest.mark.parametrize(
    "machine", [SVC(), SVC(fit_intercept="penalized"), SVR(), OneClassSVM(nu=0.2)]
)
def test_a_function_was_called_1136_times_for_4000_rows(machine: Any) -> None:
    function = Counted()
    machine.set_params(kernel=function).fit(X, y)
    assert function.shapes == [(300, 300)]
    evaluate = getattr(machine, "decision_function", machine.predict)
    values = evaluate(X)
    machine.set_params(cache_size=0.1).fit(X, y)  # 130 of the rows
    assert max(rows * columns for rows, columns in function.shapes[1:]) < X.shape[0] ** 2
    np.testing.assert_allclose(evaluate(X), values, atol=3e-3)


def test_a_function_agrees_with_its_matrix_and_with_the_kernel() -> None:
    K = Gaussian(0.3)(X)
    by_function = SVC(kernel=Counted()).fit(X, y)
    by_matrix = SVC(kernel="precomputed").fit(K, y)
    known = SVC(gamma=0.3).fit(X, y)
    objective = [one.objective for one in by_function.solutions_]
    for other in (by_matrix, known):
        np.testing.assert_allclose(objective, [one.objective for one in other.solutions_], 1e-5)


def test_a_matrix_that_a_function_keeps_is_left_alone() -> None:
    K = Gaussian(0.3)(X)
    before = K.copy()
    SVC(kernel=lambda A, B: K, fit_intercept="penalized").fit(X, y)
    SVC(kernel=lambda A, B: K).fit(X, y)
    assert (before == K).all()


def test_a_function_that_takes_longer_than_max_time_is_asked_for_some_rows() -> None:
    function = Counted()

    def slow(A: Any, B: Any) -> Any:
        time.sleep(0.002)
        return function(A, B)

    with pytest.warns(UserWarning, match="max_time"):
        SVC(kernel=slow, max_time=0.01).fit(X, y)
    assert (300, 300) not in function.shapes


def test_some_rows_of_a_gathered_matrix_ask_for_no_value() -> None:
    function = Counted()
    gram = Gram(FunctionKernel(function), X).gather()
    part = gram.reordered([5, 2, 299])
    assert function.shapes == [(300, 300)]
    np.testing.assert_allclose(part.block([0, 1, 2], [0, 1, 2]), Gaussian(0.3)(X[[5, 2, 299]]))
    assert function.shapes == [(300, 300)]
    assert gram.n_evaluations == 300 * 300


def test_a_function_whose_values_lie_by_columns() -> None:
    by_columns = SVC(kernel=lambda A, B: np.asfortranarray(Gaussian(0.3)(A, B))).fit(X, y)
    np.testing.assert_array_equal(by_columns.dual_coef_, SVC(kernel=Counted()).fit(X, y).dual_coef_)
