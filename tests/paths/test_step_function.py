"""Piecewise constant functions."""

from __future__ import annotations

import numpy as np
import pytest

from mercer.paths import StepFunction


def test_pieces_are_closed_on_the_left() -> None:
    f = StepFunction([0.0, 1.0, 2.0], [3.0, 1.0, 2.0], end=5.0)
    assert f([0.0, 0.99, 1.0, 2.0, 5.0]).tolist() == [3.0, 3.0, 1.0, 2.0, 2.0]
    assert f.minimum == 1.0
    assert list(f.pieces()) == [(0.0, 1.0, 3.0), (1.0, 2.0, 1.0), (2.0, 5.0, 2.0)]


@pytest.mark.parametrize("x", [-0.1, 5.1, np.nan])
def test_outside_its_range_it_is_not_defined(x: float) -> None:
    with pytest.raises(ValueError, match="x must lie in"):
        StepFunction([0.0, 1.0], [3.0, 1.0], end=5.0)(x)


@pytest.mark.parametrize(("x", "value"), [([], []), ([0.0], [1.0, 2.0]), ([1.0, 1.0], [0.0, 1.0])])
def test_nonsense_is_refused(x: list[float], value: list[float]) -> None:
    with pytest.raises(ValueError, match="must"):
        StepFunction(x, value)


def test_jumps_at_one_place_are_added_up() -> None:
    f = StepFunction.from_jumps(0.0, 1.0, [3.0, 1.0, 3.0, 9.0, 4.0], [1.0, 0.5, 1.0, 7.0, 0.0], 5.0)
    assert f.x.tolist() == [0.0, 1.0, 3.0]
    assert f.value.tolist() == [1.0, 1.5, 3.5]


def test_the_mean_is_the_mean_everywhere() -> None:
    rng = np.random.default_rng(0)
    parts = [
        StepFunction(np.r_[0.0, np.sort(rng.random(5))], rng.random(6), end=1.0 + k)
        for k in range(4)
    ]
    weights = np.array([1.0, 2.0, 3.0, 4.0])
    mean = StepFunction.mean(parts, weights)
    x = rng.random(100)
    wanted = sum(w * f(x) for f, w in zip(parts, weights, strict=True)) / 10
    assert mean(x) == pytest.approx(wanted)
    assert mean.end == 1.0
