"""What ``solver="auto"`` does where pair steps do not end."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris

import mercer.formulations as fm
from mercer import SVC, SVR, NuSVR, certify, solve
from mercer.formulations import svc, svr
from mercer.gram import Gram
from mercer.kernels import Gaussian


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
    assert machines[0].solver_ == machines[1].solver_
    assert machines[0].objective_ == machines[1].objective_


def noisy(rows, features=5, seed=0):
    """Rows whose labels a plane gives, a fifth of them at random."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, features))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=rows) > 0, 1.0, -1.0)
    return X, y


@pytest.mark.parametrize(("rows", "features"), [(300, 5), (700, 80), (1500, 5), (1500, 60)])
@pytest.mark.parametrize("C", [1.0, 1e3])
def test_few_rows_reach_the_tolerance_in_single_precision(rows, features, C):
    X, y = noisy(rows, features)
    problem, gram = svc(y, C).problem, Gram(Gaussian(1 / features), X)
    found = solve(problem, gram)
    exact = solve(problem, Gram(Gaussian(1 / features), X, precision="double"))
    assert found.solver == "chunked"
    assert found.converged
    proof = certify(problem, gram, found.coef)
    assert proof.violation - 2.0 * proof.rounding <= found.violation <= 1e-3
    assert proof.objective == pytest.approx(exact.objective, rel=1e-5)
    assert found.objective == pytest.approx(proof.objective, rel=1e-6)


@pytest.mark.parametrize(("rows", "features"), [(300, 5), (1500, 5), (1500, 60)])
def test_threads_do_not_change_a_byte_of_few_rows(rows, features):
    X, y = noisy(rows, features)
    problem = svc(y, 10.0).problem
    coefs = {
        solve(problem, Gram(Gaussian(1 / features), X, n_threads=n)).coef.tobytes()
        for n in (1, 2, 3)
    }
    assert len(coefs) == 1


@pytest.mark.parametrize(
    ("features", "C", "solver"), [(5, 10.0, "chunked"), (60, 100.0, "smo")], ids=["polish", "steps"]
)
def test_a_tolerance_below_single_precision_is_reached_in_double(features, C, solver):
    X, y = noisy(300, features)
    problem, gram = svc(y, C).problem, Gram(Gaussian(1 / features), X)
    found = solve(problem, gram, tol=1e-9)
    assert (found.solver, found.status) == (solver, "converged")
    assert certify(problem, gram, found.coef).violation <= 1e-9


def test_bounds_on_steps_and_time_hold_for_few_rows():
    X, y = noisy(600)
    problem = svc(y, 1e3).problem
    few = solve(problem, Gram(Gaussian(0.2), X), max_iter=50)
    assert few.status == "max-iter"
    assert few.n_iter <= 50
    assert solve(problem, Gram(Gaussian(0.2), X), max_time=0.0).status == "max-time"
    assert solve(problem, Gram(Gaussian(0.2), X), callback=lambda _: True).status == "callback"


def test_steps_in_both_precisions_count():
    X, y = noisy(300)
    problem, gram = svc(y, 10.0).problem, Gram(Gaussian(0.2), X)
    watched = []
    found = solve(problem, gram, tol=1e-9, callback=watched.append)
    assert found.n_iter > solve(problem, gram).n_iter
    assert all(progress.iteration <= found.n_iter for progress in watched)


def weighted(rows=400):
    """Rows, labels, whole weights, and the same with every row repeated."""
    X, y = noisy(rows, 3, seed=1)
    weight = np.random.default_rng(2).integers(0, 4, rows)
    return X, y, weight, np.repeat(X, weight, axis=0), np.repeat(y, weight)


@pytest.mark.parametrize("C", [0.5, 10.0])
def test_a_polish_makes_weights_repetitions_to_the_last_digits(C):
    X, y, weight, many, labels = weighted()
    machine = SVC(C=C, gamma=0.3).fit(X, y, sample_weight=weight)
    repeated = SVC(C=C, gamma=0.3).fit(many, labels)
    assert machine.solver_ == repeated.solver_ == "chunked"
    assert max(machine.violation_, repeated.violation_) <= 1e-11
    assert machine.objective_ == pytest.approx(repeated.objective_, rel=1e-12)
    np.testing.assert_allclose(
        machine.decision_function(X), repeated.decision_function(X), atol=1e-10
    )


@pytest.mark.parametrize("name", ["svr", "nu_svc", "nu_svr", "one_class", "without a bias"])
def test_a_polish_leaves_what_certify_confirms(name):
    X, y = noisy(400, 3, seed=3)
    target = X[:, 0] + 0.1 * np.random.default_rng(4).normal(size=400)
    problem = {
        "svr": lambda: fm.svr(target, 1.0, 0.1),
        "nu_svc": lambda: fm.nu_svc(y, 0.4),
        "nu_svr": lambda: fm.nu_svr(target, 1.0, 0.3),
        "one_class": lambda: fm.one_class(400, 0.2),
        "without a bias": lambda: fm.svc(y, 1.0, fit_intercept=False),
    }[name]().problem
    gram = Gram(Gaussian(0.3), X)
    found = solve(problem, gram)
    proof = certify(problem, gram, found.coef)
    assert (found.solver, found.status) == ("chunked", "converged")
    assert found.violation <= 1e-12 * max(1.0, np.abs(found.multiplier).max(initial=0.0))
    assert proof.violation <= found.violation + 2.0 * proof.rounding
    assert proof.is_feasible
    assert found.objective == pytest.approx(proof.objective, rel=1e-13)


def test_a_polish_that_costs_too_much_is_left_out():
    X, y = noisy(500, 60)
    problem, gram = svc(y, 100.0).problem, Gram(Gaussian(1 / 60), X)
    found = solve(problem, gram)
    assert 1e-9 < certify(problem, gram, found.coef).violation <= found.violation <= 1e-3


def test_many_free_variables_are_not_left_to_the_active_set():
    """It took twenty times as long as to go on in chunks."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 8))
    y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.4 * rng.normal(size=600)
    machine = NuSVR(C=1000).fit(X, y)
    assert machine.solver_ == "chunked"
    assert machine.solutions_[0].n_iter > 100_000
    assert machine.solutions_[0].converged
    with pytest.warns(Warning, match="max_iter=100010"):
        bounded = NuSVR(C=1000, max_iter=100_010).fit(X, y)
    assert bounded.solutions_[0].n_iter == 100_010


@pytest.mark.parametrize("machine", [SVC(kernel="linear", warm_start=True), SVR(C=10.0, gamma=0.1)])
def test_a_second_fit_from_the_solution_has_no_worse_certificate(machine):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(700, 6))
    y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.4 * rng.normal(size=700)
    y = y > 0 if isinstance(machine, SVC) else y
    first = machine.set_params(warm_start=True).fit(X, y).solutions_[0]
    second = machine.fit(X, y).solutions_[0]
    assert second.n_iter == 0
    assert second.violation <= first.violation * (1 + 1e-6) + 1e-11
    assert second.gap <= first.gap * (1 + 1e-6) + 1e-11 * abs(first.objective)
