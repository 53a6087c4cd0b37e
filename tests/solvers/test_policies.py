"""Every selection and step policy on the same problems."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest

from mercer import Gram, Problem, Smo, certify, solve
from mercer.formulations import least_squares, nearest_points, nu_svc, svc, svr
from mercer.kernels import Gaussian, Linear, Precomputed
from mercer.solvers.smo.selection import LargeMaximumGain
from policies import SELECTIONS, STEPS

C = 0.1
COUNTER = np.array(
    [
        [2, np.sqrt(3), -1, -np.sqrt(3)],
        [np.sqrt(3), 4, -np.sqrt(3), -3],
        [-1, -np.sqrt(3), 2, np.sqrt(3)],
        [-np.sqrt(3), -3, np.sqrt(3), 4],
    ]
)


def rows(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 2)), 1)
    X[: n // 4] = X[n // 4 : 2 * (n // 4)]
    return X, np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)


def problems():
    X, y = rows()
    return {
        "svc": svc(y, 5.0).problem,
        "squared": svc(y, 5.0, loss="squared_hinge").problem,
        "no bias": svc(y, 5.0, fit_intercept=False).problem,
        "svr": svr(X[:, 1], 5.0, 0.1).problem,
        "nu": nu_svc(y, 0.3).problem,
        "hulls": nearest_points(y, 0.2).problem,
        "squares": least_squares(X[:, 1], 0.5).problem,
    }


def pairwise_cases():
    """Every two of selection, step and problem meet, not every three."""
    names = list(problems())
    return [
        (selection, step, names[(i + 2 * j) % len(names)])
        for i, selection in enumerate(SELECTIONS)
        for j, step in enumerate(STEPS)
    ]


def test_every_two_of_selection_step_and_problem_meet():
    cases, kinds = pairwise_cases(), (SELECTIONS, STEPS, problems())
    for a, b in ((0, 1), (0, 2), (1, 2)):
        assert {(case[a], case[b]) for case in cases} == set(product(kinds[a], kinds[b]))


@pytest.mark.parametrize(("selection", "step", "name"), pairwise_cases())
def test_policies_reach_the_same_value_with_three_rows_of_cache(selection, step, name):
    X, _ = rows()
    if selection == "recall" and step == "planning-ahead":
        with pytest.raises(ValueError, match="planning-ahead"):
            Smo(selection=selection, step=step)
        return
    problem = problems()[name]
    gram = Gram(Gaussian(1.0), X, cache_size=3 * len(X) * 8 / 2**20)
    solver = Smo(selection=selection, step=step, refine=False)
    found = solve(problem, gram, solver, tol=1e-6)
    best = solve(problem, Gram(Gaussian(1.0), X), Smo(), tol=1e-8)
    assert found.status == "converged"
    assert certify(problem, gram, found.coef).violation <= 1e-6
    assert found.objective == pytest.approx(best.objective, rel=1e-6, abs=1e-6)


def test_sets_of_large_maximum_gain_without_a_bias():
    """Each variable of a set moves alone."""
    X, y = rows()
    problem = svc(y, 3.0, fit_intercept=False).problem
    solver = Smo(selection=LargeMaximumGain(set_size=5), refine=False)
    found = solve(problem, Gram(Gaussian(0.5), X), solver, tol=1e-6)
    best = solve(problem, Gram(Gaussian(0.5), X), tol=1e-9)
    assert found.status == "converged"
    assert found.objective == pytest.approx(best.objective, rel=1e-9)


def counter_example():
    """docs/theory/smo.md#the-counter-example, in an order that makes (3, 1) the first pair."""
    order = [0, 1, 3, 2]
    y = np.array([-1.0, -1, 1, 1])
    problem = Problem(y, np.where(y < 0, -C, 0.0), np.where(y > 0, C, 0.0))
    return problem, Gram(Precomputed(), COUNTER[np.ix_(order, order)])


def test_maximum_gain_sticks_where_the_hybrid_does_not():
    problem, gram = counter_example()
    stuck = solve(problem, gram, Smo(selection="maximum-gain", refine=False), tol=1e-9)
    assert stuck.status == "stuck"
    assert stuck.violation > 0.1
    assert stuck.objective == pytest.approx(0.17)
    hybrid = Smo(selection="hybrid-maximum-gain", refine=False)
    solution = solve(problem, gram, hybrid, tol=1e-9)
    assert solution.status == "converged"
    assert solution.objective == pytest.approx(0.2310257, abs=1e-7)


@pytest.mark.parametrize("step", ["auto", "newton", "planning-ahead"])
def test_a_hard_margin_of_one_feature_is_found_unbounded_in_time(step):
    """Planning ahead once leapt 1e15 along nearly parallel pairs, and rounding took over."""
    X = np.arange(27.0)[:, None] / 7
    y = np.where(np.arange(27) % 3 > 0, 1.0, -1.0)
    problem, gram = svc(y, np.inf).problem, Gram(Linear(), X)
    solver = Smo(selection="second-order", step=step)
    assert solve(problem, gram, solver, max_iter=100_000).status == "unbounded"


@pytest.mark.parametrize(
    ("selection", "step"),
    [
        ("auto", "planning-ahead"),
        ("second-order", "planning-ahead"),
        ("hybrid-maximum-gain", "newton"),
        ("recall", "newton"),
        ("large-maximum-gain", "newton"),
    ],
)
def test_the_automatic_step_suits_the_selection(selection, step):
    assert Smo(selection=selection).step_policy.name == step


@pytest.mark.parametrize("argument", ["selection", "step"])
@pytest.mark.parametrize("value", ["fastest", 3, ["greedy"], {}])
def test_a_policy_that_does_not_exist_is_named(argument, value):
    with pytest.raises(
        ValueError, match=f"{argument} must be one of .*, got {re.escape(repr(value))}"
    ):
        Smo(**{argument: value})
