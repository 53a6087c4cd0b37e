"""What the theory of working sets and steps promises, on runs recorded step by step."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from replay import State, replay, traced

from mercer import Gram, Problem, Smo, solve
from mercer import formulations as fm
from mercer.kernels import Gaussian, Precomputed
from mercer.solvers.runs.start import feasible_start
from mercer.solvers.smo import PlanningAhead

PAIR_SELECTIONS = (
    "auto", "second-order", "most-violating", "greedy", "maximum-gain", "hybrid-maximum-gain",
    "one-row-maximum-gain", "recent-maximum-gain", "cached-maximum-gain", "recall",
)  # fmt: skip
OTHER_STEPS = ("over-relaxed", "momentum", "conjugate", "cycle-breaking")
seeds = st.integers(0, 2**32 - 1)


def sample(seed: int, n: int, *, copies: bool = True) -> tuple[Any, Any, Any]:
    """Rows, labels, and their kernel matrix; some rows are there twice."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    if copies:
        X[: n // 5] = X[n // 5 : 2 * (n // 5)]
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = [1.0, -1.0]
    return X, y, Gaussian(1.0)(X)


def make_problem(kind: str, X: Any, y: Any) -> Problem:
    problems = {
        "svc": lambda: fm.svc(y, 5.0),
        "squared": lambda: fm.svc(y, 5.0, loss="squared_hinge"),
        "svr": lambda: fm.svr(X[:, 1], 5.0, 0.1),
        "one-class": lambda: fm.one_class(len(y), 0.4),
        "squares": lambda: fm.least_squares(X[:, 1], 0.5),
    }
    return problems[kind]().problem


KINDS = ("svc", "squared", "svr", "one-class", "squares")


def random_point(problem: Problem, seed: int) -> Any:
    """A feasible point: each coefficient inside its box or at an end of it."""
    rng = np.random.default_rng(seed)
    low, high = np.maximum(problem.lower, -3.0), np.minimum(problem.upper, 3.0)
    share = rng.choice([0.0, 1.0, 0.5], problem.n_variables) * rng.choice([1.0, 0.7])
    return feasible_start(problem, low + share * (high - low))


@settings(max_examples=40, deadline=None)
@given(
    seed=seeds,
    n=st.integers(3, 25),
    kind=st.sampled_from(KINDS),
    selection=st.sampled_from(PAIR_SELECTIONS),
)
def test_the_gain_of_a_step_is_the_rise_of_the_value(
    seed: int, n: int, kind: str, selection: str
) -> None:
    """Recorded values rise by step (l - Q step / 2), never fall, and add up.

    The step is the best along its pair, and gains at least half of step times
    slope, exactly that if the box did not shorten it (Lopez Lazaro 2011, section 6.2).
    """
    X, y, K = sample(seed, n)
    problem = make_problem(kind, X, y)
    solution = traced(problem, K, selection)
    values = solution.trace["points"]["objective"]
    scale = 1e-10 * max(1.0, float(np.abs(values).max()))
    for before, after, s in zip(values, values[1:], replay(problem, K, solution), strict=False):
        gain = s.length * (s.slope - s.curvature * s.length / 2)
        assert s.slope > 0
        assert after - before == pytest.approx(gain, abs=scale)
        assert s.state.gains[s.up, s.down] == pytest.approx(gain, rel=1e-6, abs=scale)
        half = s.length * s.slope / 2
        assert gain >= half * (1 - 1e-9) - scale
        if s.point["kind"] == "free":
            assert gain == pytest.approx(half, abs=scale)


@pytest.mark.parametrize("step", OTHER_STEPS)
@pytest.mark.parametrize("selection", [s for s in PAIR_SELECTIONS if s != "maximum-gain"])
def test_values_never_fall(selection: str, step: str) -> None:
    """For all steps but planned ones."""
    X, y, K = sample(2, 60)
    values = traced(make_problem("svc", X, y), K, selection, step).trace["points"]["objective"]
    assert (np.diff(values) >= -1e-10 * np.abs(values).max()).all()


@pytest.mark.parametrize("kind", ["svc", "squared", "svr"])
@pytest.mark.parametrize("recent_sets", [1, 2, 3])
def test_planning_ahead_never_loses_over_two_steps(recent_sets: int, kind: str) -> None:
    """0.19 of a Newton gain at least (docs/theory/smo.md#double-step-guarantee)."""
    X, y, K = sample(7, 60)
    problem = make_problem(kind, X, y)
    solution = traced(problem, K, "second-order", PlanningAhead(recent_sets))
    steps = list(replay(problem, K, solution))
    values = solution.trace["points"]["objective"]
    scale = 1e-10 * np.abs(values).max()
    kinds = [str(s.point["kind"]) for s in steps]
    planned = [t for t, kind in enumerate(kinds) if kind == "planned"]
    assert len(planned) > 5
    for t in planned:
        assert kinds[t - 1] == "free"
        assert recent_sets > 1 or steps[t].point["ratio"] >= 1 - 1e-8
        if t + 1 == len(kinds):  # the tolerance was met half-way
            continue
        assert kinds[t + 1] != "planned"
        assert values[t + 2] - values[t] >= 0.19 * steps[t].newton_gain - scale
    others = np.setdiff1d(np.arange(len(steps)), planned)
    assert (np.diff(values)[others] >= -scale).all()


@settings(max_examples=40, deadline=None)
@given(seed=seeds, n=st.integers(2, 20), kind=st.sampled_from(KINDS))
def test_a_point_is_optimal_or_a_pair_shows_that_it_is_not(seed: int, n: int, kind: str) -> None:
    """Two variables are witness enough (Glasmachers & Igel 2006, theorem 4).

    The gain of the witness is that of the best of 41 points on its segment.
    """
    X, y, K = sample(seed, n)
    problem = make_problem(kind, X, y)
    H = K[np.ix_(problem.index, problem.index)] + np.diag(problem.ridge)
    state = State(problem, H, random_point(problem, seed))
    gains = state.gains
    if state.violation <= 1e-9:
        assert gains.max() <= 1e-9
        return
    assert gains.max() > 0
    i, j = np.unravel_index(np.argmax(gains), gains.shape)
    step = state.steps[i, j]
    room = min(problem.upper[i] - state.coef[i], state.coef[j] - problem.lower[j], 10 * step)
    for length in [*np.linspace(0.0, room, 41), step]:
        moved = state.coef.copy()
        moved[i] += length
        moved[j] -= length
        rise = State(problem, H, moved).value - state.value
        assert rise <= gains[i, j] + 1e-9
    assert rise == pytest.approx(gains[i, j], abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(seed=seeds, n=st.integers(3, 20), kind=st.sampled_from(KINDS))
def test_every_free_variable_has_a_partner_with_half_the_violation(
    seed: int, n: int, kind: str
) -> None:
    """The related-pair lemma (docs/theory/smo.md#related-pairs)."""
    X, y, K = sample(seed, n)
    problem = make_problem(kind, X, y)
    H = K[np.ix_(problem.index, problem.index)] + np.diag(problem.ridge)
    state = State(problem, H, random_point(problem, seed))
    slopes = np.maximum(state.slopes, state.slopes.T).max(axis=1)
    free = state.may_grow & state.may_fall
    assert (slopes[free] >= state.violation / 2 - 1e-12).all()


def test_no_case_of_four_variables_leaves_a_free_one_without_a_violating_partner() -> None:
    """Glasmachers & Igel 2006, lemma 8: all 9^4 3^3 2^4 cases of gradients, places and labels.

    Variables 0 and 1 are the last pair, 0 is free. If any pair violates, one with 0 does: the
    row of one free variable is enough.
    """
    G = np.array(list(product(range(-4, 5), repeat=4)), dtype=np.int8)
    place = np.array([(0, *rest) for rest in product((-1, 0, 1), repeat=3)], dtype=np.int8)
    labels = np.array(list(product((-1, 1), repeat=4)), dtype=np.int8)
    place, labels = np.repeat(place, len(labels), axis=0), np.tile(labels, (len(place), 1))
    assert len(G) * len(place) == 2_834_352
    # at its upper bound alpha may not grow; signed by the label
    grows, falls = place * labels < 1, place * labels > -1
    signed = G[:, None, :] * labels[None, :, :]
    violates = {
        (i, j): (signed[..., i] > signed[..., j]) & grows[:, i] & falls[:, j]
        for i, j in product(range(4), repeat=2)
        if i != j
    }
    suboptimal = np.logical_or.reduce(list(violates.values()))
    related = np.logical_or.reduce([violates[pair] for pair in violates if 0 in pair])
    assert 0 < suboptimal.sum() < suboptimal.size
    assert not (suboptimal & ~related).any()


@settings(max_examples=30, deadline=None)
@given(seed=seeds, n=st.integers(3, 25), kind=st.sampled_from(KINDS))
@pytest.mark.parametrize("selection", ["second-order", "hybrid-maximum-gain"])
def test_half_the_squared_distance_to_the_optimum_is_within_the_gap(
    selection: str, seed: int, n: int, kind: str
) -> None:
    """1/2 |w_t - w*|^2 <= D* - D_t <= gap, the ridge included (Lopez Lazaro 2011, lemma 6.4)."""
    X, y, K = sample(seed, n)
    problem = make_problem(kind, X, y)
    best = solve(problem, Gram(Precomputed(), K), Smo(), tol=1e-10)
    for s in replay(problem, K, traced(problem, K, selection)):
        away = s.state.coef - best.coef
        distance = float(away @ s.state.H @ away) / 2
        deficit = best.objective - s.state.value
        slack = 1e-8 * max(1.0, abs(best.objective))
        assert distance <= deficit + slack
        assert deficit <= s.point["gap"] + slack


@pytest.mark.parametrize("selection", [s for s in PAIR_SELECTIONS if s != "maximum-gain"])
@pytest.mark.parametrize("kind", ["svc", "svr"])
def test_late_pairs_lie_on_the_margin(selection: str, kind: str) -> None:
    """Why shrinking is right: at last pairs come from H1 (Lopez Lazaro 2011, theorem 6.11)."""
    X, y, K = sample(5, 60, copies=False)
    problem = make_problem(kind, X, y)
    best = solve(problem, Gram(Precomputed(), K), Smo(), tol=1e-10)
    on_margin = np.abs(best.gradient - best.multiplier[0]) <= 1e-7
    steps = list(replay(problem, K, traced(problem, K, selection, tol=1e-8)))
    inside = np.array([on_margin[s.up] and on_margin[s.down] for s in steps])
    assert not on_margin.all()
    assert inside[-len(steps) // 4 :].all()


@pytest.mark.parametrize("selection", ["most-violating", "second-order"])
@settings(max_examples=20, deadline=None)
@given(seed=seeds, n=st.integers(3, 25), kind=st.sampled_from(["svc", "squared", "squares"]))
def test_both_classic_selections_are_sigma_selections(
    selection: str, seed: int, n: int, kind: str
) -> None:
    """The Newton gain is at least sigma psi^2 (docs/theory/smo.md#second-order-selection)."""
    X, y, K = sample(seed, n, copies=False)
    problem = make_problem(kind, X, y)
    for s in replay(problem, K, traced(problem, K, selection)):
        psi, Q = s.state.violation, s.state.curvatures
        largest, smallest = Q.max(), Q[Q > 1e-12].min()
        slack = 1 - 1e-7
        if selection == "most-violating":
            assert s.slope >= psi * slack
            assert s.newton_gain >= psi**2 / (2 * largest) * slack
        else:
            assert s.state.gradient[s.up] >= s.state.gradient[s.state.may_grow].max() - 1e-10
            assert s.slope >= np.sqrt(smallest / largest) * psi * slack
            assert s.newton_gain >= smallest * psi**2 / (2 * largest**2) * slack


@pytest.mark.parametrize("selection", ["most-violating", "second-order"])
@settings(max_examples=20, deadline=None)
@given(seed=seeds, n=st.integers(3, 25))
def test_sigma_selections_converge_linearly_where_steps_stay_free(
    selection: str, seed: int, n: int
) -> None:
    """Glasmachers 2008, theorem 5.8, with a constant, where nothing is ever at a bound.

    With centred gradients no larger than psi/2, D* - D <= n psi^2 / (8 lambda), lambda the
    smallest eigenvalue; a step gains sigma psi^2: so each leaves 1 - 8 sigma lambda / n at most.
    """
    X, y, K = sample(seed, n, copies=False)
    problem = make_problem("squares", X, y)
    best = solve(problem, Gram(Precomputed(), K), Smo(), tol=1e-12).objective
    steps = list(replay(problem, K, traced(problem, K, selection)))
    if not steps:
        return
    H, Q = steps[0].state.H, steps[0].state.curvatures
    largest, smallest = Q.max(), Q[Q > 1e-12].min()
    sigma = 1 / (2 * largest) if selection == "most-violating" else smallest / (2 * largest**2)
    rate = 1 - 8 * sigma * np.linalg.eigvalsh(H)[0] / n
    deficits = [best - s.state.value for s in steps]
    assert all(s.point["kind"] == "free" for s in steps)
    for before, after in pairwise(deficits):
        assert after <= rate * before + 1e-11 * max(1.0, abs(best))


@pytest.mark.parametrize("step", ["newton", "planning-ahead", *OTHER_STEPS])
@pytest.mark.parametrize("selection", ["most-violating", "second-order", "hybrid-maximum-gain"])
def test_least_squares_converge_linearly(selection: str, step: str) -> None:
    """No box, no clipping; every stretch of n steps loses a fixed share."""
    n = 60
    X, y, K = sample(11, n)
    problem = make_problem("squares", X, y)
    best = solve(problem, Gram(Precomputed(), K), Smo(), tol=1e-12).objective
    solution = traced(problem, K, selection, step, tol=1e-7)
    deficits = best - solution.trace["points"]["objective"]
    deficits = deficits[deficits > 1e-11 * best]
    assert len(deficits) > 2 * n
    assert (deficits[n:] <= 0.7 * deficits[:-n]).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "selection",
    ["hybrid-maximum-gain", "one-row-maximum-gain", "maximum-gain", "recent-maximum-gain"],
)
@settings(max_examples=8, deadline=None)
@given(seed=seeds, n=st.integers(4, 60))
def test_maximum_gain_asks_for_one_new_row(selection: str, kind: str, seed: int, n: int) -> None:
    """With three rows of cache, one for a related pair, two for any other."""
    X, y, _ = sample(seed, n)
    gram = Gram(Gaussian(1.0), X, precision="double", cache_size=3 * n * 8 / 2**20)
    solver = Smo(selection=selection, refine=False, trace=True)
    points = solve(make_problem(kind, X, y), gram, solver, tol=1e-6).trace["points"]
    new = np.diff(points["rows_computed"], prepend=0)
    assert (new <= np.where(points["related"], 1, 2)).all()


@settings(max_examples=15, deadline=None)
@given(seed=seeds, n=st.integers(4, 25), kind=st.sampled_from(KINDS))
def test_maximum_gain_finds_the_best_related_pair(seed: int, n: int, kind: str) -> None:
    """Related pairs share a variable, a corner ends them."""
    X, y, K = sample(seed, n)
    problem = make_problem(kind, X, y)
    steps = list(replay(problem, K, traced(problem, K, "hybrid-maximum-gain")))
    for last, s in pairwise(steps):
        pair = [last.up, last.down]
        free = s.state.may_grow & s.state.may_fall
        if s.point["related"]:
            assert free[pair].any()
            gains = np.maximum(s.state.gains, s.state.gains.T)
            assert {s.up, s.down} & set(pair)
            assert gains[s.up, s.down] >= gains[pair].max() - 1e-9
    greedy = list(replay(problem, K, traced(problem, K, "greedy")))
    for s in greedy:
        assert s.state.gains[s.up, s.down] >= s.state.gains.max() - 1e-9
