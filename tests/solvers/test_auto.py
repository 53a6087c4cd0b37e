"""What ``solver="auto"`` does where pair steps do not end."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

from mercer import SVC, SVR, certify
from mercer.formulations import svc, svr
from mercer.gram import Gram


@pytest.mark.parametrize(("kernel", "finisher"), [("linear", "smo"), ("poly", "active-set")])
def test_regression_at_large_C_is_finished_by_newton_steps_or_the_active_set(kernel, finisher):
    X, y = load_iris(return_X_y=True)
    machine = SVR(kernel=kernel, C=1e5, tol=1e-6).fit(X, y)
    solution = machine.solutions_[0]
    assert machine.solver_ == finisher
    assert (solution.n_iter >= 100_000) == (finisher == "active-set")
    problem = svr(y.astype(float), 1e5, 0.1).problem
    certificate = certify(problem, Gram(machine.kernel_, X, precision="double"), solution.coef)
    assert certificate.violation <= 1e-6
    assert certificate.relative_gap <= 1e-6


def test_classification_at_large_C_is_finished_by_the_active_set():
    X, target = load_diabetes(return_X_y=True)
    y = np.where(target > 140, 1.0, -1.0)
    machine = SVC(kernel="linear", C=1e5, tol=1e-6).fit(X, y)
    problem = svc(y, 1e5).problem
    gram = Gram(machine.kernel_, X, precision="double")
    assert certify(problem, gram, machine.solutions_[0].coef).relative_gap <= 1e-6


def test_a_bound_on_the_steps_is_kept():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(Warning, match="max_iter=1000"):
        machine = SVR(kernel="poly", C=1e5, tol=1e-6, max_iter=1000).fit(X, y)
    assert machine.n_iter_ <= 1000


@pytest.mark.parametrize("precision", ["auto", "single", "double"])
def test_the_size_of_the_problem_chooses_the_solver_and_not_the_precision(precision):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3500, 3))
    machine = SVC(precision=precision).fit(X, X[:, 0] > rng.normal(size=3500))
    assert machine.solver_ == "chunked"
    assert machine.fit_status_ == 0


def test_double_precision_on_a_few_rows_takes_the_solver_of_the_default():
    X, y = load_iris(return_X_y=True)
    machines = [SVC(precision=p).fit(X, y) for p in ("auto", "double")]
    assert machines[0].solver_ == machines[1].solver_ == "smo"
    assert machines[0].objective_ == machines[1].objective_
