"""The active set on a low-rank approximation of the kernel (Sentelle 2014, algorithm 6)."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, make_regression
from sklearn.exceptions import ConvergenceWarning

from mercer import SVC, SVR, ActiveSet, Gram, OneClassSVM, certify, solve, svc_path
from mercer import formulations as fm
from mercer.kernels import Gaussian
from mercer.lowrank import incomplete_cholesky
from solvers.active_set_cases import FORMULATIONS, formulate, random_case


def cancer(n: int = 250) -> tuple[np.ndarray, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True)
    return ((X - X.mean(axis=0)) / X.std(axis=0))[:n], np.where(y[:n] == 1, 1.0, -1.0)


@given(st.integers(0, 10**9), st.sampled_from(FORMULATIONS))
@settings(max_examples=40, deadline=None)
def test_at_full_rank_it_is_the_exact_solution(seed: int, formulation: str) -> None:
    case = random_case(seed, max_rows=20)
    problem = formulate(case, formulation, 2.0).problem
    exact = solve(problem, case.gram, "active-set")
    found = solve(problem, case.gram, ActiveSet(low_rank=len(case.y)))
    assert found.trace["trace_error"] < 1e-9
    size = max(abs(exact.objective), 1e-3)
    assert found.objective == pytest.approx(exact.objective, abs=1e-6 * size)
    assert found.infeasibility <= 1e-9 * max(1.0, np.abs(found.coef).max(initial=0.0))


@given(st.integers(0, 10**9), st.sampled_from(FORMULATIONS), st.integers(1, 8))
@settings(max_examples=40, deadline=None)
def test_the_certificate_is_that_of_the_kernel_itself(
    seed: int, formulation: str, rank: int
) -> None:
    """And of the machine returned; the best bounds, that of K - K~ among them, hold beside it."""
    case = random_case(seed, max_rows=20)
    problem, gram = formulate(case, formulation, 2.0).problem, case.gram
    found = solve(problem, gram, ActiveSet(low_rank=rank))
    exact = solve(problem, gram, "active-set")
    afresh = certify(problem, gram, found.coef)
    for name in ("objective", "primal", "gap", "violation", "infeasibility"):
        assert getattr(found, name) == getattr(afresh, name)
    size = 1e-8 * max(abs(exact.objective), 1.0)
    assert found.objective <= exact.objective + size
    assert exact.objective <= found.trace["best_primal"] + size
    assert found.trace["best_gap"] <= found.gap
    factor = incomplete_cholesky(gram, rank).factor
    row_coef = problem.row_coef(found.coef, gram.n_rows)
    missing = row_coef @ gram.product(None, row_coef) - np.sum((factor.T @ row_coef) ** 2)
    assert found.trace["best_gap"] <= found.trace["low_rank_gap"] + 0.5 * missing + size
    if not problem.ridge.any():
        assert found.trace["n_free"] <= min(rank, found.trace["rank"]) + max(problem.n_groups, 1)


def test_it_solves_the_problem_of_the_approximate_kernel() -> None:
    X, y = cancer()
    gram = Gram(Gaussian(0.03), X, precision="double")
    found = solve(fm.svc(y, 5.0).problem, gram, ActiveSet(low_rank=25))
    path = svc_path(X, y, gamma=0.03, low_rank=25, C_max=10.0)
    wanted = path.certificate(5.0).objective
    assert found.trace["low_rank_objective"] == pytest.approx(wanted, rel=1e-8)
    assert found.trace["trace_error"] == pytest.approx(path.low_rank.trace_error_)
    assert found.trace["low_rank_gap"] <= 1e-9 * wanted
    assert found.n_kernel < 26 * len(y) + len(y) ** 2


@pytest.mark.parametrize("kind", ["svc", "svr", "one-class"])
def test_the_gap_falls_with_the_rank(kind: str) -> None:
    X, y = cancer()
    gram = Gram(Gaussian(0.01), X, precision="double")
    problem = {
        "svc": lambda: fm.svc(y, 1.0),
        "svr": lambda: fm.svr(X[:, 0], 1.0, 0.1),
        "one-class": lambda: fm.one_class(len(y), 0.3),
    }[kind]().problem
    found = [solve(problem, gram, ActiveSet(low_rank=rank)) for rank in (5, 30, 120, 250)]
    # once nothing is left of it, what remains is rounding, which no rank makes smaller
    gaps = [max(solution.relative_gap, 1e-14) for solution in found]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 1e-3
    assert gaps[-1] < 1e-4
    errors = [solution.trace["trace_error"] for solution in found]
    assert errors == sorted(errors, reverse=True)


def test_machines_say_when_the_rank_does_not_suffice() -> None:
    X, y = cancer()
    with pytest.warns(ConvergenceWarning, match="precision-limit"):
        rough = SVC(gamma=0.05, solver=ActiveSet(low_rank=20)).fit(X, y)
    exact = SVC(gamma=0.05, solver="active-set").fit(X, y)
    fine = SVC(gamma=0.05, solver=ActiveSet(low_rank=250)).fit(X, y)
    assert rough.solutions_[0].status == "precision-limit"
    assert rough.dual_gap_ > 1e-3 > fine.dual_gap_
    assert rough.score(X, y) > 0.9
    values = exact.decision_function(X)
    assert fine.decision_function(X) == pytest.approx(values, abs=1e-3)


def test_other_machines_take_it_too() -> None:
    X, target = make_regression(120, 5, noise=0.1, random_state=0)
    target = target / target.std()
    options = {"gamma": 0.01, "solver": ActiveSet(low_rank=120)}
    a = SVR(**options).fit(X, target)
    b = SVR(gamma=0.01, solver="active-set").fit(X, target)
    assert a.objective_ == pytest.approx(b.objective_, rel=1e-5)
    a, b = OneClassSVM(nu=0.2, **options).fit(X), OneClassSVM(nu=0.2, gamma=0.01).fit(X)
    assert a.objective_ == pytest.approx(b.objective_, rel=1e-4)


def test_a_start_and_single_precision_are_taken() -> None:
    X, y = cancer()
    problem = fm.svc(y, 2.0).problem
    gram = Gram(Gaussian(0.03), X, precision="single")
    cold = solve(problem, gram, ActiveSet(low_rank=30))
    warm = solve(problem, gram, ActiveSet(low_rank=30), start=cold.coef)
    assert warm.objective == pytest.approx(cold.objective, rel=1e-9)
    assert warm.n_iter < 0.2 * cold.n_iter


@pytest.mark.parametrize("rank", [0, -2, 1.5, "many"])
def test_a_bad_rank_is_named(rank: object) -> None:
    with pytest.raises(ValueError, match="low_rank must be None or a positive integer"):
        ActiveSet(low_rank=rank)  # type: ignore[arg-type]


# At a large C the exact solution has thousands of free rows; of rank 20 there are 21.
MEMORY = """
import resource, numpy as np
from mercer import ActiveSet, Gram, formulations, solve
from mercer.kernels import Gaussian
rng = np.random.default_rng(0)
n = 20000
X, y = rng.normal(size=(n, 4)), np.where(rng.random(n) < 0.5, 1.0, -1.0)
def run(rows, labels):
    gram = Gram(Gaussian(0.3), rows, n_threads=1, cache_size=1)
    return solve(formulations.svc(labels, 10.0).problem, gram, ActiveSet(low_rank=20), max_iter=300)
run(X[::100], y[::100])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
solution = run(X, y)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(solution.n_iter, solution.trace["largest_basis"], (after - before) / 1024)
"""


def test_memory_is_that_of_the_rank() -> None:
    out = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    iterations, largest, megabytes = map(float, out.stdout.split())
    assert iterations == 300
    assert largest <= 21
    # the factor three times (as grown, as packed, as kernel rows) and the vectors of a run
    assert megabytes < 8 * 20000 * (3 * 21 + 60) / 2**20
