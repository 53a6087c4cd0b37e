"""Options that are seldom given together, and machines whose rows or kernels say nothing."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from mercer import LSSVR, SVC, ConformalSVC, Gram, nu_svc_path, solve, svc_path
from mercer import formulations as fm
from mercer.kernels import FunctionKernel, Gaussian, Sigmoid
from mercer.lab import compare
from mercer.solvers import Divide, Smo

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y, TARGETS = (X[:, 0] + 0.3 * X[:, 1] > 0).astype(int), X[:, 0] - X[:, 1] ** 2
SIGN = np.where(Y > 0, 1.0, -1.0)


@pytest.mark.parametrize("sparse", ["l0", "prune"])
def test_a_penalized_bias_of_a_sparse_machine_is_the_sum_of_its_coefficients(sparse: Any) -> None:
    options: dict[str, Any] = {"alpha": 0.2, "gamma": 0.5, "fit_intercept": "penalized"}
    machine = LSSVR(sparse=sparse, **options).fit(X, TARGETS)
    assert len(machine.support_) < 60
    assert machine.intercept_ == pytest.approx(machine.dual_coef_.sum(), rel=1e-9)
    assert machine.score(X, TARGETS) > 0.9


def test_a_robust_linear_machine_is_the_same_wherever_its_rows_lie() -> None:
    rows = RNG.normal(size=(300, 2))
    targets = rows[:, 0] + np.where(np.arange(300) % 10 == 0, 10.0, 0.0)
    near, far = (
        LSSVR(kernel="linear", robust="huber").fit(rows + offset, targets).predict(rows + offset)
        for offset in (0.0, 1e6)
    )
    np.testing.assert_allclose(far, near, atol=1e-7)
    np.testing.assert_allclose(near, rows[:, 0], atol=0.1)


def test_a_kernel_of_width_zero_sees_no_rows() -> None:
    machine = SVC(kernel="poly", gamma=0.0, coef0=1.0).fit(X, Y)
    assert np.ptp(machine.decision_function(X)) == 0.0
    with pytest.raises(ValueError, match="gamma must be positive for kernel='sigmoid'"):
        SVC(kernel="sigmoid", gamma=0.0).fit(X, Y)


@pytest.mark.filterwarnings("ignore:the kernel Sigmoid")
def test_a_kernel_that_is_no_similarity_is_fitted() -> None:
    machine = SVC(kernel=Sigmoid(gamma=1.0, coef0=-2.0)).fit(X, Y)
    assert np.isfinite(machine.decision_function(X)).all()


def test_cells_of_a_kernel_in_python_are_solved_one_by_one() -> None:
    rows = RNG.normal(size=(300, 2))
    problem = fm.svc(np.where(rows[:, 0] * rows[:, 1] > 0, 1.0, -1.0), 1.0).problem
    kernel = FunctionKernel(lambda A, B: np.exp(-((A[:, None] - B) ** 2).sum(axis=2)))
    found = solve(problem, Gram(kernel, rows), Divide(), tol=1e-5)
    best = solve(problem, Gram(Gaussian(1.0), rows), tol=1e-6)
    assert found.status == "converged"
    assert found.objective == pytest.approx(best.objective, rel=1e-6)


def test_a_path_that_was_pickled_goes_on_as_before() -> None:
    path = svc_path(X, Y)
    again = pickle.loads(pickle.dumps(path))
    np.testing.assert_array_equal(again.decision_function(X, 1.0), path.decision_function(X, 1.0))
    over_nu = nu_svc_path(X, Y)
    assert (np.diff(over_nu.C) >= 0).all()
    assert len(over_nu.C) == len(over_nu.breakpoints)


def test_a_class_that_a_fold_has_not_seen_is_in_no_set_for_it() -> None:
    labels = np.where(np.arange(60) < 2, 2, RNG.integers(0, 2, 60))
    machine = ConformalSVC(SVC(gamma=0.5), kind="cross", cv=5).fit(X, labels)
    p = machine.p_values(X)
    assert ((p >= 0.0) & (p <= 1.0)).all()
    assert p[labels < 2, 2].mean() < 0.5


def test_solvers_are_told_apart_by_what_is_not_default_about_them() -> None:
    problem, gram = fm.svc(SIGN, 1.0).problem, Gram(Gaussian(0.5), X)
    solvers = [Smo(), Smo(selection="most-violating"), Smo(shrinking=False)]
    found = compare(
        problem, lambda order, size: gram.reordered(order, cache_size=size), solvers, permutations=2
    )
    best = [found.values(name, "objective") for name in found.measured]
    np.testing.assert_allclose(best, np.broadcast_to(best[0], np.shape(best)), rtol=1e-3)
    for wrong, error, words in (
        ({"solvers": [Smo(), Smo()]}, ValueError, "solvers must differ"),
        ({"solvers": []}, ValueError, "at least one solver"),
        ({"permutations": 0}, ValueError, "permutations must be at least 1"),
        ({"gram": 3}, TypeError, "gram must be a Gram or a function"),
    ):
        arguments = {"problem": problem, "gram": gram, "solvers": ["smo"]} | wrong
        with pytest.raises(error, match=words):
            compare(**arguments)
