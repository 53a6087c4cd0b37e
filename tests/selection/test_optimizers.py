"""Searches on functions whose minimum is known."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mercer.kernels import Gaussian
from mercer.selection.history import Budget, SearchEnd, Watched
from mercer.selection.optimizers import (
    OPTIMIZERS,
    GridSearch,
    IRpropPlus,
    NoisyRprop,
    Patience,
    Restarts,
    Rprop,
)
from mercer.selection.optimizers.noisy_rprop import Coordinate


class FakeSpace:
    """A box of parameters without a machine."""

    def __init__(self, n_dims: int, kernel: Any = None) -> None:
        self.n_dims, self.kernel = n_dims, kernel
        self.names = [str(k) for k in range(n_dims)]
        self.bounds = np.tile([-8.0, 8.0], (n_dims, 1))

    def moved_to(self, theta: Any) -> tuple[FakeSpace, Any]:
        return self, theta


class FakeObjective:
    """A function with its gradient, counted."""

    greater_is_better = False
    is_stochastic = False

    def __init__(self, function: Callable[[Any], tuple[float, Any]], n_dims: int) -> None:
        self.function, self.space = function, FakeSpace(n_dims)
        self.task = SimpleNamespace(target_scale=1.0)

    def __call__(self, theta: Any) -> tuple[float, Any]:
        return self.function(theta)

    def value(self, theta: Any) -> float:
        return self.function(theta)[0]


CENTRE = np.array([0.7, -1.3])


def bowl(theta: Any) -> tuple[float, Any]:
    apart = theta - CENTRE
    return float(apart @ ([1.0, 5.0] * apart)), 2 * np.array([1.0, 5.0]) * apart


def watched(function: Any = bowl, n_dims: int = 2, **budget: Any) -> Watched:
    return Watched(FakeObjective(function, n_dims), Budget(**budget))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name", [name for name in OPTIMIZERS if name not in ("noisy-rprop", "zoom", "climb")]
)
def test_a_bowl_is_searched_to_its_bottom(name: str) -> None:
    search = watched()
    optimizer = OPTIMIZERS[name]()
    optimizer.minimize(search, np.array([2.2, 2.9]))
    close = {"grid": 1.0, "focused-grid": 0.8, "coordinate": 0.4, "cma": 0.01}.get(name, 1e-3)
    found = search.history.thetas[search.history.best]
    assert np.abs(found - CENTRE).max() < close


@pytest.mark.parametrize("kind", [Rprop, IRpropPlus])
def test_monotone_transformations_change_no_step(kind: Any) -> None:
    def warped(theta: Any) -> tuple[float, Any]:
        value, gradient = bowl(theta)
        return float(np.exp(0.1 * value)), 0.1 * np.exp(0.1 * value) * gradient

    plain, other = watched(), watched(warped)
    for search in (plain, other):
        kind().minimize(search, np.array([2.2, 2.9]))
    np.testing.assert_array_equal(plain.history.thetas, other.history.thetas)


def test_a_budget_ends_a_search_with_what_it_has() -> None:
    search = watched(max_evals=7)
    with pytest.raises(SearchEnd):
        Rprop().minimize(search, np.array([2.2, 2.9]))
    assert (len(search.history), search.history.status) == (7, "max-evals")
    ended = watched(callback=lambda history: len(history) == 3)
    with pytest.raises(SearchEnd):
        Rprop().minimize(ended, np.array([2.2, 2.9]))
    assert (len(ended.history), ended.history.status) == (3, "callback")


def test_a_flat_function_is_called_flat() -> None:
    def flat(theta: Any) -> tuple[float, Any]:
        return 1.0, np.zeros(2)

    for name, optimizer in OPTIMIZERS.items():
        if name not in ("noisy-rprop", "zoom", "climb"):
            assert optimizer().minimize(watched(flat), np.zeros(2)) == "flat", name


def _walk(draw: Callable[[float], float], x: float, count: int, step: float = 0.01) -> float:
    """A coordinate led by random gradients."""
    coordinate = Coordinate(step)
    for _ in range(count):
        x += coordinate.take(draw(x))
    return x


def test_a_biased_coin_leads_to_zero() -> None:
    # f1: the gradient sign(x) with probability 3/4
    flips = iter(np.random.default_rng(0).random(400_000) < 0.75)
    x = _walk(lambda x: np.sign(x) * (1.0 if next(flips) else -1.0), 1.0037, 400_000)
    assert abs(x) < 1e-100


def test_the_mean_is_found_where_it_is_not_the_median() -> None:
    # f4: slope -3 left of m and +1 right of it, m uniform: the mean vanishes at 3/4, the median
    # at 1/2
    draws = iter(np.random.default_rng(1).random(300_000))
    x = _walk(lambda x: -3.0 if x < next(draws) else 1.0, 1.0537, 300_000)
    assert abs(x - 0.75) < 0.05


def test_draws_of_a_bowl_lead_to_its_mean() -> None:
    # f2: (x - m)^2 with m uniform
    draws = iter(np.random.default_rng(2).random(100_000))
    assert abs(_walk(lambda x: 2 * (x - next(draws)), 1.5037, 100_000) - 0.5) < 0.02


def test_draws_of_a_narrow_valley_lead_to_its_bottom() -> None:
    # f3: (x - m)^2 + 1.8 (x - m)(y - n) + (y - n)^2 with m and n uniform, condition 19
    draws = np.random.default_rng(5).random((100_000, 2))
    place, pair = np.array([1.1, 0.9]), (Coordinate(0.01), Coordinate(0.01))
    for draw in draws:
        x, y = place - draw
        place += [
            pair[0].take(2.0 * x + 1.8 * y),
            pair[1].take(1.8 * x + 2.0 * y),
        ]
    assert np.abs(place - 0.5).max() < 0.05


class _Null(Coordinate):
    """Keeps the statistics of its episodes, and changes nothing."""

    def __init__(self) -> None:
        super().__init__(1.0, length=1000)
        self.seen: list[tuple[float, ...]] = []

    def _adapt(self, *statistics: Any) -> None:
        self.seen.append(statistics)


def test_statistics_of_walks_without_drift_have_the_quantiles_given() -> None:
    # Glasmachers 2008, section 11.3.4; 75 % of S2 lie below 1.75, by simulation
    null = _Null()
    for gradient in np.random.default_rng(6).normal(size=800_000):
        null.take(gradient)
    end, reach, bias = np.transpose(null.seen)
    assert np.mean(end > 1.64) == pytest.approx(0.10, abs=0.03)
    assert np.mean(end < 0.25) == pytest.approx(0.20, abs=0.03)
    assert np.mean(reach < 0.95) == pytest.approx(0.10, abs=0.03)
    assert np.mean(reach > 1.77) == pytest.approx(0.24, abs=0.03)
    assert np.mean(bias > 2.5) == pytest.approx(0.10, abs=0.03)
    assert np.mean(bias < 0.29) == pytest.approx(0.15, abs=0.03)


def test_episodes_and_averages_stay_powers_of_two() -> None:
    draws = iter(np.random.default_rng(3).random(50_000))
    coordinate, x = Coordinate(0.01), 1.0537
    for _ in range(50_000):
        x += coordinate.take(-3.0 if x < next(draws) else 1.0)
        for number in (coordinate.n_averaged, coordinate.length // 40):
            assert number & (number - 1) == 0
        assert coordinate.length % 40 == 0


def test_without_noise_the_error_falls_slowly() -> None:
    assert abs(_walk(lambda x: 2 * x, 1.0037, 100_000)) < 1e-3


def test_noisy_rprop_stays_in_range() -> None:
    random = np.random.default_rng(0)

    def noisy(theta: Any) -> tuple[float, Any]:
        return 0.0, -1.0 + 0.1 * random.normal(size=2)

    search = watched(noisy)
    NoisyRprop(n_iterations=2000, step=0.5).minimize(search, np.zeros(2))
    assert np.abs(search.history.thetas).max() <= 8.0


def test_fixed_size_keeps_the_determinant() -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 2))
    y = (X @ [2.0, 0.3] > 0).astype(int)
    from mercer import SVC
    from mercer.selection import make_objective

    objective = make_objective("alignment", SVC(kernel=Gaussian(np.eye(2))), X, y)
    search = Watched(objective)
    IRpropPlus(fixed_size=True, n_iterations=30).minimize(search, objective.space.start)
    gamma = np.asarray(objective.space.kernel.gamma)  # type: ignore[attr-defined]
    assert np.linalg.det(gamma) == pytest.approx(1.0, rel=1e-9)
    assert gamma[0, 0] > 2 * gamma[1, 1]


def two_wells(theta: Any) -> tuple[float, Any]:
    """Minima near -2 and, deeper, near 2."""
    x, y = theta
    value = (x**2 - 4.0) ** 2 / 16.0 - 0.2 * x + y**2
    return float(value), np.array([x * (x**2 - 4.0) / 4.0 - 0.2, 2.0 * y])


def test_several_starts_find_the_deeper_well() -> None:
    start = np.array([-2.0, 0.5])
    once, often = watched(two_wells), watched(two_wells)
    IRpropPlus(n_iterations=60).minimize(once, start)
    Restarts(IRpropPlus(n_iterations=60), n_starts=6, spread=2.0).minimize(often, start)
    assert once.history.thetas[once.history.best][0] < 0.0
    assert often.history.thetas[often.history.best][0] == pytest.approx(2.0, abs=0.1)


def test_patience_ends_a_search_that_gets_no_better() -> None:
    grid = GridSearch(n_points=30, bounds=[[0.0, 8.0], [0.0, 0.1]])
    search = watched()
    assert Patience(grid, n_evals=40).minimize(search, np.zeros(2)) == "converged"
    assert 40 < len(search.history) < 200
    # the callback of the budget still counts
    ended = watched(callback=lambda history: len(history) == 7)
    with pytest.raises(SearchEnd):
        Patience(grid, n_evals=40).minimize(ended, np.zeros(2))
    assert ended.history.status == "callback"
