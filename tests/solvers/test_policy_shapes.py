"""The shapes of the papers: who needs fewer steps, who needs fewer rows, and when."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, make_classification, make_moons
from sklearn.preprocessing import StandardScaler

from mercer import Gram, Problem, Smo, solve
from mercer.formulations import nearest_points, svc
from mercer.kernels import Gaussian, Linear, as_kernel
from mercer.lab import compare, make_chessboard
from mercer.solvers.smo import HybridMaximumGain, PlanningAhead

Case = tuple[Problem, Gram]


def plain(selection: Any = "second-order", step: Any = "newton", **options: Any) -> Smo:
    """The algorithm of the literature: pair steps alone."""
    return Smo(selection=selection, step=step, refine=False, **options)


def chess_board(n: int, C: float, gamma: float = 0.5, noise: float = 0.0) -> Case:
    X, y = make_chessboard(n, noise=noise, random_state=0)
    return svc(y, C).problem, Gram(Gaussian(gamma), X, precision="double", n_threads=1)


def spam_like(n: int = 1000) -> Case:
    """57 features, 12 of them informative; sigma = 10, C = 50."""
    X, y = make_classification(n, 57, n_informative=12, random_state=0)
    X = StandardScaler().fit_transform(X)
    return svc(2.0 * y - 1, 50.0).problem, Gram(Gaussian(0.005), X, n_threads=1)


def digits() -> Case:
    X, y = load_digits(return_X_y=True)
    return svc(np.where(y >= 5, 1.0, -1.0), 10.0).problem, Gram(Gaussian(0.05), X / 16, n_threads=1)


def share_of_rows(n: int, share: float) -> float:
    """The cache in MB that holds this share of the rows, three at least."""
    return max(3, share * n) * n * 8 / 2**20


def test_planning_ahead_on_the_chess_board() -> None:
    """0.63 of the iterations in the paper (Glasmachers 2008, section 7.2.1)."""
    problem, gram = chess_board(1000, 1e6)
    newton, planned = (
        solve(problem, gram, plain(step=step)) for step in ("newton", "planning-ahead")
    )
    assert newton.converged
    assert planned.converged
    assert planned.n_iter <= 0.8 * newton.n_iter


def test_planning_with_more_sets_needs_fewer_steps() -> None:
    """Glasmachers 2008, section 7.2.4."""
    problem, gram = chess_board(300, 1e4)
    steps = [solve(problem, gram, plain(step=PlanningAhead(n))).n_iter for n in (1, 3, 10)]
    assert steps[0] > steps[1] > steps[2]


@pytest.mark.parametrize("case", [spam_like, lambda: chess_board(500, 1e3)])
def test_most_violating_needs_more_steps_than_second_order(case: Any) -> None:
    problem, gram = case()
    result = compare(problem, gram, {"so": plain(), "mvp": plain("most-violating")}, permutations=3)
    assert result.ratio("mvp", "so") > 1.1


@pytest.mark.parametrize(
    ("case", "share"), [(lambda: chess_board(1000, 100.0), 0.52), (digits, 0.68)]
)
def test_maximum_gain_misses_fewer_rows_with_a_small_cache(case: Any, share: float) -> None:
    """With room for 1 % of the rows; the shares of a prototype within a fifth.

    With room for all rows the two are on a par.
    """
    problem, gram = case()
    solvers = {"so": plain(), "hmg": plain("hybrid-maximum-gain")}
    small_mb, large_mb = (share_of_rows(gram.n_rows, part) for part in (0.01, 1.0))
    small = compare(problem, gram, solvers, permutations=2, cache_size=small_mb)
    assert small.ratio("hmg", "so", "rows_computed") <= 1.2 * share
    assert all(row.converged == 1.0 for row in small.table)
    large = compare(problem, gram, solvers, permutations=1, cache_size=large_mb)
    assert large.ratio("hmg", "so", "rows_computed") == pytest.approx(1.0, abs=0.15)


@pytest.mark.parametrize(
    ("features", "share", "changes"),
    [(64, 0.01, False), (64, 1.0, False), (512, 0.01, True), (512, 1.0, False)],
)
def test_auto_saves_rows_that_are_costly_and_do_not_fit(
    features: int, share: float, changes: bool
) -> None:
    """Second order as long as rows fit, or cost little; copies of features make them costly."""
    X, y = load_digits(return_X_y=True)
    copies = features // 64
    X = np.tile(X / 16, (1, copies)) / np.sqrt(copies)
    gram = Gram(Gaussian(0.05), X, n_threads=1, cache_size=share_of_rows(len(X), share))
    problem = svc(np.where(y >= 5, 1.0, -1.0), 10.0).problem
    auto, second = (solve(problem, gram, plain(name)).trace for name in ("auto", "second-order"))
    if changes:
        assert auto["related_pairs"] > 0.8 * auto["iterations"]
        assert auto["rows_computed"] < 0.85 * second["rows_computed"]
    else:
        assert auto["related_pairs"] == 0
        assert auto["iterations"] == second["iterations"]


def test_auto_saves_rows_of_functions() -> None:
    X, y = make_chessboard(300, noise=0.1, random_state=0)

    def gaussian(A: Any, B: Any) -> Any:
        return np.exp(-2 * ((A[:, None] - B[None]) ** 2).sum(axis=2))

    gram = Gram(as_kernel(gaussian), X, cache_size=share_of_rows(300, 0.02))
    auto = solve(svc(y, 10.0).problem, gram, plain("auto"), tol=0.05)
    assert auto.trace["related_pairs"] > 0


def test_both_fallbacks_do() -> None:
    """It makes no difference to speak of, nor does eta (Glasmachers & Igel 2006, section 2.4)."""
    problem, gram = digits()
    policies = {
        "second-order": HybridMaximumGain(),
        "most-violating": HybridMaximumGain("most-violating"),
        "eta": HybridMaximumGain(eta=1e-12),
    }
    runs = {name: solve(problem, gram, plain(policy)) for name, policy in policies.items()}
    n_iter = runs["second-order"].n_iter
    assert runs["eta"].n_iter == n_iter
    assert runs["most-violating"].n_iter == pytest.approx(n_iter, rel=0.2)


def test_the_stop_of_the_paper_may_end_far_from_the_optimum() -> None:
    """A step is short where kernel values are large; a violation is not."""
    X, y = load_breast_cancer(return_X_y=True)
    X = 30 * StandardScaler().fit_transform(X)
    problem, gram = svc(2.0 * y - 1, 1.0).problem, Gram(Linear(), X)
    early = solve(problem, gram, plain("hybrid-maximum-gain", stopping="maximum-gain"))
    assert early.n_iter < 10
    assert early.violation > 1.0
    assert early.status == "converged"
    proper = plain("hybrid-maximum-gain", stopping="violation")
    assert solve(problem, gram, proper, tol=0.1).objective > 10 * early.objective


@pytest.mark.parametrize("selection", ["hybrid-maximum-gain", "cached-maximum-gain"])
@pytest.mark.parametrize("C", [1.0, 100.0])
def test_a_step_that_the_box_cuts_short_does_not_end_a_run(selection: str, C: float) -> None:
    """The Newton step must be short (Glasmachers 2008, section 6.3): violations once were 0.09."""
    for seed in range(3):
        X, y = make_moons(300, noise=0.3, random_state=seed)
        problem, gram = svc(2.0 * y - 1, C).problem, Gram(Gaussian(2.0), X)
        solver = plain(selection, stopping="maximum-gain", shrinking=False)
        assert solve(problem, gram, solver, tol=1e-3).violation < 0.006


def test_the_stop_by_the_margin_does_not_depend_on_the_scale() -> None:
    """A violation of hulls means something only next to their distance."""
    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    problem = nearest_points(2.0 * y - 1, 0.1).problem
    by_margin, absolute = (
        solve(problem, Gram(Gaussian(0.02), X), plain(stopping=stopping))
        for stopping in ("margin", "violation")
    )
    margin = float(np.ptp(by_margin.multiplier)) / 2
    assert margin < 0.5
    assert by_margin.violation <= 1e-3 * margin
    assert absolute.n_iter < by_margin.n_iter


def test_the_trace_counts_what_was_done() -> None:
    problem, gram = chess_board(300, 1e3)
    trace = solve(problem, gram, plain(step=PlanningAhead(2), trace=7)).trace
    kinds = ("free_steps", "clipped_steps", "planned_steps", "joint_steps")
    assert sum(trace[kind] for kind in kinds) == trace["iterations"]
    assert trace["planned_steps"] > 0
    assert trace["planning_ratios"].sum() == trace["planned_steps"]
    assert len(trace["planning_ratios"]) == len(trace["planning_ratio_edges"]) + 1
    assert (trace["points"]["iteration"][:-1] % 7 == 0).all()
    assert trace["unshrinks"] > 0
    joint = solve(problem, gram, plain(step="momentum")).trace
    assert joint["joint_steps"] > 0
    hybrid = solve(problem, gram, plain("hybrid-maximum-gain")).trace
    assert 0 < hybrid["related_pairs"] < hybrid["iterations"]
