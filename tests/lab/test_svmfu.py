"""SvmFu of the source: its inner loop word by word, and what it owes to kernel values."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from mercer import Gram, Problem, Smo, solve
from mercer import formulations as fm
from mercer.kernels import Gaussian
from mercer.lab import SvmFu
from mercer.lab.baselines.chunk_values import ChunkSquare
from mercer.lab.baselines.free_phase import ChunkSteps

FloatArray = NDArray[np.float64]
seeds = st.integers(0, 2**32 - 1)


def sample(n: int, seed: int = 0, noise: float = 0.5) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] * X[:, 1] + noise * rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X, y


def four_candidates(g: FloatArray, alpha: FloatArray, y: FloatArray, C: float) -> list[Any]:
    """Gain, the variable that moves along its label and the one against it (Rifkin 2002, 2.4.1)."""

    def pick(side: Any, best: Any) -> int | None:
        return int(side[best(g[side])]) if len(side) else None

    pu, nu = (pick(np.flatnonzero((y == s) & (alpha < C)), np.argmax) for s in (1, -1))
    pd, nd = (pick(np.flatnonzero((y == s) & (alpha > 0)), np.argmin) for s in (1, -1))
    found = []
    for i, j, gain in (
        (pu, pd, lambda i, j: g[i] - g[j]),
        (nd, nu, lambda i, j: g[j] - g[i]),
        (pu, nu, lambda i, j: g[i] + g[j]),
        (nd, pd, lambda i, j: -g[j] - g[i]),
    ):
        if i is not None and j is not None:
            found.append((gain(i, j), i, j))
    return found


def replay_by_the_source(
    pairs: list[tuple[int, int]], K: FloatArray, y: FloatArray, C: float, tol: float, switch: int
) -> int:
    """The text of Rifkin 2002, section 2.4.1, led along these pairs: how often it is reduced.

    It would have chosen each of them itself, but that after a step the two are equal up to
    rounding.
    """
    n, taken = len(y), 0
    alpha, g = np.zeros(n), np.ones(n)
    watched, reduced, streak, phases = np.arange(n), False, 0, 0
    while True:
        found = four_candidates(g[watched], alpha[watched], y[watched], C)
        gain = max([value for value, _, _ in found], default=0.0)
        if gain > tol:
            i, j = pairs[taken]
            taken += 1
            assert {i, j} <= set(watched)
            assert y[i] * g[i] - y[j] * g[j] == pytest.approx(gain, abs=1e-9)
            free = 0 < alpha[i] < C and 0 < alpha[j] < C
            room = [C - v if s > 0 else v for v, s in ((alpha[i], y[i]), (alpha[j], -y[j]))]
            assert min(room) > 0
            t = min(gain / (K[i, i] + K[j, j] - 2 * K[i, j]), *room)
            alpha[[i, j]] += t * np.array([y[i], -y[j]])
            alpha[alpha < 1e-12 * C], alpha[C - alpha < 1e-12 * C] = 0.0, C
            g[watched] -= y[watched] * t * (K[watched, i] - K[watched, j])
            if not reduced:
                streak = streak + 1 if free else 0
                if streak >= switch:
                    watched, reduced = np.flatnonzero((alpha > 0) & (alpha < C)), True
                    start, streak, phases = alpha.copy(), 0, phases + 1
        elif reduced:
            rest = np.setdiff1d(np.arange(n), watched)
            change = y[watched] * (alpha - start)[watched]
            g[rest] -= y[rest] * (K[np.ix_(rest, watched)] @ change)
            watched, reduced = np.arange(n), False
        else:
            assert taken == len(pairs)
            return phases


@pytest.mark.parametrize(("switch", "seed"), [(3, 0), (10, 1), (40, 2)])
def test_the_steps_are_those_of_the_source(switch: int, seed: int) -> None:
    """Pair by pair, the free-vector phase entered after the same steps."""
    X, y = sample(50, seed)
    solver = SvmFu(free_after=switch, trace=True)
    solution = solve(fm.svc(y, 10.0).problem, Gram(Gaussian(0.5), X), solver, tol=1e-3)
    points = solution.trace["points"][:-1]
    pairs = list(zip(points["up"].tolist(), points["down"].tolist(), strict=True))
    phases = replay_by_the_source(pairs, Gaussian(0.5)(X), y, 10.0, 0.4e-3, switch)
    assert solution.trace["free_phases"] == phases > 0


@settings(max_examples=50)
@given(seed=seeds, n=st.integers(1, 12))
def test_the_four_candidates_are_the_most_violating_pair(seed: int, n: int) -> None:
    """docs/theory/chunked.md#svmfu-inside-a-chunk."""
    rng = np.random.default_rng(seed)
    X, y, alpha = rng.normal(size=(n, 2)), rng.choice([-1.0, 1.0], n), rng.integers(0, 3, n) / 2
    p = Problem(y, np.minimum(y, 0), np.maximum(y, 0), group_sum=[(y * alpha).sum()])
    g = rng.integers(-3, 4, n).astype(float)
    square = ChunkSquare(Gram(Gaussian(1.0), X).native("double"), np.ones(n))
    square.hold(np.arange(n))
    steps = ChunkSteps(p, y * alpha, np.arange(n), y * g, square, 100)
    best = max([gain for gain, _, _ in four_candidates(g, alpha, y, 1.0)], default=-np.inf)
    assert steps.best_pair()[2] == best


@settings(max_examples=25)
@given(seed=seeds, free_after=st.integers(1, 20))
def test_gradients_are_exact_after_the_free_phase(seed: int, free_after: int) -> None:
    """Those left alone catch up to what they would be from scratch."""
    X, y = sample(30, seed)
    p, K, coef = fm.svc(y, 20.0, loss="squared_hinge").problem, Gaussian(0.5)(X), np.zeros(30)
    square = ChunkSquare(Gram(Gaussian(0.5), X).native("double"), np.ones(30))
    square.hold(np.arange(30))
    steps = ChunkSteps(p, coef, np.arange(30), p.linear.copy(), square, free_after)
    for _ in range(200):
        up, down, gain = steps.best_pair()
        if gain > 1e-6:
            steps.take(up, down, gain)
        elif steps.watched is not None:
            steps.catch_up()
            exact = p.linear - K @ coef - p.ridge * coef
            np.testing.assert_allclose(steps.gradient, exact, atol=1e-11)


class Recorder:
    """A native Gram that remembers which kernel values it was asked for in blocks."""

    def __init__(self, native: Any) -> None:
        self.native = native
        self.lives: list[Counter[tuple[int, int]]] = [Counter()]  # by chunk

    def __getattr__(self, name: str) -> Any:
        return getattr(self.native, name)

    def block(self, left: Any, right: Any) -> Any:
        pairs = ((int(min(i, j)), int(max(i, j))) for i in left for j in right)
        self.lives[-1].update(pairs)
        return self.native.block(left, right)


class RecordedGram(Gram):
    def native(self, precision: Any = None) -> Any:
        if not hasattr(self, "recorder"):
            self.recorder = Recorder(super().native("double"))
        return self.recorder if precision == "double" else super().native(precision)


@pytest.fixture
def chunks(monkeypatch: pytest.MonkeyPatch) -> list[set[int]]:
    """The rows of every chunk, as they change."""
    seen: list[set[int]] = []
    hold = ChunkSquare.hold

    def noted(square: ChunkSquare, rows: Any) -> Any:
        seen.append(set(map(int, rows)))
        square.kernel.lives.append(Counter())
        return hold(square, rows)

    monkeypatch.setattr(ChunkSquare, "hold", noted)
    return seen


@pytest.mark.parametrize("formulation", ["svc", "svr"])
@pytest.mark.parametrize("n_outside", [0, 7, 1000])
def test_no_kernel_value_is_computed_twice_within_a_chunk(
    chunks: list[set[int]], formulation: str, n_outside: int
) -> None:
    """Nor what the look outside has just computed of those let in."""
    X, y = sample(150, 3)
    problem = fm.svc(y, 5.0).problem if formulation == "svc" else fm.svr(X[:, 1], 5.0, 0.1).problem
    gram = RecordedGram(Gaussian(0.5), X)
    solver = SvmFu(40, 5, 5, 10, 10, n_outside=n_outside)
    solution = solve(problem, gram, solver, tol=1e-3)
    lives = gram.recorder.lives[1:]
    assert solution.converged
    assert len(chunks) == len(lives) == solution.trace["chunks"] > 3
    for k, (rows, life) in enumerate(zip(chunks, lives, strict=True)):
        within = Counter({pair: count for pair, count in life.items() if set(pair) <= rows})
        assert max(within.values(), default=1) == 1
        if k:
            assert not within.keys() & lives[k - 1].keys()


def test_values_of_rows_that_never_moved_are_not_computed(chunks: list[set[int]]) -> None:
    """A pair is touched only if one of the two was."""
    X, y = sample(60, 4, noise=0.0)
    gram = RecordedGram(Gaussian(0.5), X)
    solution = solve(fm.svc(y, 10.0).problem, gram, SvmFu(trace=True))
    points = solution.trace["points"][:-1]
    moved = set(points["up"].tolist()) | set(points["down"].tolist())
    computed = gram.recorder.lives[-1]
    assert solution.trace["chunk_values"] == sum(computed.values())
    assert all(set(pair) & moved for pair in computed)
    m, n = len(moved), 60
    assert sum(computed.values()) == m * (m - 1) // 2 + m * (n - m) < n * (n - 1) // 2


@settings(max_examples=20)
@given(
    seed=seeds,
    solver=st.builds(
        SvmFu,
        chunk_size=st.sampled_from([2, 7, 20, 40]),
        free_after=st.sampled_from([1, 4, 100]),
        keep_extra=st.sampled_from([0, 3]),
        min_swap=st.sampled_from([1, 5]),
        lookahead=st.sampled_from([1, 4, 30]),
        shrink_after=st.sampled_from([None, 1, 3]),
        n_outside=st.sampled_from([0, 9, 100]),
    ),
)
def test_any_constants_end_at_the_optimum(seed: int, solver: SvmFu) -> None:
    """Shrinking, caches and chunks change no result."""
    X, y = sample(40, seed)
    problem, gram = fm.svc(y, 3.0).problem, Gram(Gaussian(0.5), X)
    best = solve(problem, gram, Smo(), tol=1e-8)
    found = solve(problem, gram, solver, tol=1e-4)
    assert found.status == "converged"
    assert found.violation <= 1e-4
    assert found.objective == pytest.approx(best.objective, rel=1e-5)


def test_the_run_of_the_reference() -> None:
    """1,500 rows in chunks of 500 take a handful of chunks."""
    X, y = sample(1500, 5, noise=0.2)
    solution = solve(fm.svc(y, 1.0).problem, Gram(Gaussian(0.5), X), SvmFu(chunk_size=500))
    assert solution.converged
    assert solution.trace["chunks"] <= 8


def test_a_chunk_too_small_for_the_free_variables_grows() -> None:
    X, y = sample(60, 6)
    problem = fm.svc(y, 3.0, loss="squared_hinge").problem  # whoever has a coefficient is free
    solution = solve(problem, Gram(Gaussian(0.5), X), SvmFu(5, 5, 0, 4, 5), tol=1e-4)
    assert solution.converged
    assert np.count_nonzero(solution.coef) > 30
