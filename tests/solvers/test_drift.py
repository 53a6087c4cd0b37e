"""Rounding that grows with the coefficients: no run ends worse than it started."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

from mercer import SVC, SVR, Chunked, Gram, NuSVR, Smo, certify, solve
from mercer.formulations import nu_svc, one_class, svc, svr
from mercer.kernels import Gaussian, Linear, Polynomial

SOLVERS = (Chunked(chunk_size=100), Smo())
PRECISIONS = ("single", "double")


def moons(n=400):
    X, labels = make_moons(n, noise=0.4, random_state=0)
    return X, np.where(labels == 1, 1.0, -1.0)


def problems():
    X, y = moons()
    return {
        "svc": svc(y, 1e9).problem,
        "squared": svc(y, 1e9, loss="squared_hinge").problem,
        "svr": svr(X[:, 1] * 1e6, 1e9, epsilon=0.1).problem,
        "nu": nu_svc(y, 0.3).problem,
        "one-class": one_class(len(y), 0.3).problem,
    }


def slack(solution):
    """What rounding in double precision leaves of an objective."""
    return 1e-6 * abs(solution.objective)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: s.name)
@pytest.mark.parametrize("name", problems())
def test_no_end_is_worse_than_the_start(name, solver, precision):
    problem = problems()[name]
    gram = Gram(Gaussian(1.0), moons()[0], precision=precision)
    last = solve(problem, gram, solver, max_iter=0)
    for limits in ({"max_iter": 30}, {"max_iter": 3000}, {"max_time": 0.0}, {"max_time": 0.02}):
        solution = solve(problem, gram, solver, start=last.coef, **limits)
        exact = certify(problem, gram, solution.coef)
        assert exact.objective >= last.objective - slack(last)
        assert solution.objective == pytest.approx(exact.objective, rel=1e-5)
        last = solution


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: s.name)
@pytest.mark.parametrize("C", [1.0, 1e5, 1e9])
def test_reported_objectives_hold_within_the_reported_error(C, solver, precision):
    X, y = moons(1000)
    problem, gram = svc(y, C).problem, Gram(Gaussian(1.0), X, precision=precision)
    for stop_at in (1, 2, 4):
        seen = []

        def stop(progress, seen=seen, stop_at=stop_at):
            seen.append(progress)
            return len(seen) == stop_at

        solution = solve(problem, gram, solver, callback=stop, max_iter=200_000)
        exact = certify(problem, gram, solution.coef).objective
        reported = max(p.objective - p.error for p in seen)
        assert exact >= reported - 1e-6 * abs(reported)
        assert exact >= 0.0
        assert [p.iteration for p in seen] == sorted(p.iteration for p in seen)
        assert [p.seconds for p in seen] == sorted(p.seconds for p in seen)


def test_a_large_C_ended_early_is_not_worse_than_no_training():
    X, labels = make_moons(4500, noise=0.4, random_state=0)
    with pytest.warns(match="max_iter"):
        machine = SVC(C=1e9, max_iter=20_000).fit(X, labels)
    assert machine.objective_ > 0.0
    assert machine.solutions_[0].trace["drifted"] == 1


def test_drift_hands_over_to_double_precision_during_the_run():
    X, y = moons()
    problem = svc(y, 1e9).problem
    for solver in SOLVERS:
        gram = Gram(Gaussian(1.0), X, precision="single")
        solution = solve(problem, gram, solver, max_iter=60_000)
        double = solve(problem, Gram(Gaussian(1.0), X, precision="double"), solver, max_iter=60_000)
        assert solution.objective >= 0.5 * double.objective


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: s.name)
def test_no_time_at_all_keeps_a_warm_start(solver):
    X, y = moons()
    problem, gram = svc(y, 10.0).problem, Gram(Gaussian(1.0), X, precision="single")
    start = solve(problem, gram, solver).coef
    solution = solve(problem, gram, solver, start=0.5 * start, tol=1e-9, max_time=0.0)
    assert solution.status == "max-time"
    assert np.array_equal(solution.coef, 0.5 * start)
    exact = certify(problem, gram, solution.coef)
    assert solution.violation == pytest.approx(exact.violation, rel=1e-12)


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: s.name)
def test_single_precision_still_ends_alone_where_it_carries(solver):
    X, y = moons(1000)
    for kernel in (Gaussian(1.0), Linear()):
        gram = Gram(kernel, X, precision="single")
        solution = solve(svc(y, 10.0).problem, gram, solver)
        assert solution.converged
        assert not solution.trace.get("drifted")


@pytest.mark.parametrize("solver", ["active-set", "auto", *SOLVERS])
def test_kernel_values_beyond_all_digits_lead_no_solver_below_its_start(solver):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(250, 3)) * 1e3
    y = np.where(X[:, 0] > 500.0 * rng.normal(size=250), 1.0, -1.0)
    problem = svc(y, 1e5).problem
    gram = Gram(Polynomial(degree=3, gamma=1.0, coef0=1.0), X)
    first = solve(problem, gram, "smo", max_iter=3000)
    solution = solve(problem, gram, solver, start=first.coef, tol=1e-6, max_time=0.5)
    exact = certify(problem, gram, solution.coef)
    assert exact.objective >= first.objective * (1.0 - 1e-6) > 0.0
    assert solution.status in ("precision-limit", "max-time", "converged")


def test_progress_goes_on_through_all_solvers_of_a_fit():
    """Pair steps, then the active set, or for a linear kernel more digits: one count, one clock."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(250, 3)) * 1e3
    y = np.where(X[:, 0] > 500.0 * rng.normal(size=250), 1.0, -1.0)
    for kernel in (Linear(), Polynomial(degree=3, gamma=1.0, coef0=1.0)):
        seen = []
        solution = solve(
            svc(y, 1e5).problem,
            Gram(kernel, X),
            tol=1e-6,
            max_time=1.0,
            callback=seen.append,
        )
        assert [p.iteration for p in seen] == sorted(p.iteration for p in seen)
        assert [p.seconds for p in seen] == sorted(p.seconds for p in seen)
        if isinstance(kernel, Linear):  # the other one's values are beyond all digits
            reported = max(p.objective - p.error for p in seen)
            assert solution.objective >= reported - 1e-6 * abs(reported)


@pytest.mark.parametrize("kind", [SVR, NuSVR], ids=["SVR", "NuSVR"])
def test_few_rows_far_away_do_not_take_ten_million_steps(kind: type[SVR]) -> None:
    """Rounding sent single precision around in circles, for a minute on two rows."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(int(rng.integers(2, 12)), 1)) * 1e11
        y = X[:, 0] + rng.normal(size=len(X))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            machine = kind(C=0.01, kernel="linear", precision="single").fit(X, y)
        assert machine.solutions_[0].n_iter < 10_000_000
