"""Searches by the signs of derivatives on functions that are no machines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer.selection import minimize
from mercer.selection.optimizers import IRpropPlus, NoisyRprop, Rprop

SMOOTH = ("rprop", "irprop+")


def bowl(x: np.ndarray) -> tuple[float, np.ndarray]:
    """A quadratic function of condition 100 with its minimum 3 at (1, -2)."""
    scale, away = np.array([1.0, 100.0]), x - [1.0, -2.0]
    return 3.0 + 0.5 * float(scale @ away**2), scale * away


@pytest.mark.parametrize("optimizer", SMOOTH)
@settings(max_examples=20, deadline=None)
@given(start=st.lists(st.floats(-5, 5), min_size=2, max_size=2))
def test_a_bowl_is_found_from_anywhere(optimizer: str, start: list[float]) -> None:
    found = minimize(bowl, start, optimizer=Rprop(n_iterations=2000) if optimizer == "rprop"
                     else IRpropPlus(n_iterations=2000))  # fmt: skip
    np.testing.assert_allclose(found.x, [1.0, -2.0], atol=1e-4)
    assert found.value == pytest.approx(3.0, abs=1e-6)


@pytest.mark.parametrize("optimizer", SMOOTH)
def test_a_monotone_transformation_changes_nothing(optimizer: str) -> None:
    def cube(x: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = bowl(x)
        return value**3, 3 * value**2 * gradient

    plain = minimize(bowl, [4.0, 4.0], optimizer=optimizer)
    np.testing.assert_array_equal(minimize(cube, [4.0, 4.0], optimizer=optimizer).x, plain.x)


def test_bounds_are_kept() -> None:
    places: list[np.ndarray] = []

    def watched(x: np.ndarray) -> tuple[float, np.ndarray]:
        places.append(x)
        return bowl(x)

    found = minimize(watched, [3.0, 0.0], bounds=[[2.0, 4.0], [-1.0, 1.0]])
    np.testing.assert_allclose(found.x, [2.0, -1.0])
    assert len(places) == found.n_evals
    assert (np.array(places) >= [2.0, -1.0]).all()


def test_noisy_gradients_lead_to_the_mean() -> None:
    """f4 of Glasmachers 2008, section 11.4: the median of the gradient vanishes at 1/2."""
    random = np.random.default_rng(0)

    def slopes(x: np.ndarray) -> tuple[float, list[float]]:
        return np.nan, [-3.0 if x[0] < random.random() else 1.0]

    search = NoisyRprop(step=0.01, n_iterations=60_000, smallest=1e-9)
    assert minimize(slopes, [1.2], optimizer=search).x[0] == pytest.approx(0.75, abs=0.05)


def test_a_flat_function_says_so() -> None:
    assert minimize(lambda x: (1.0, 0.0 * x), [1.0]).status == "flat"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"start": [[1.0]]}, "start must be a vector"),
        ({"start": []}, "start must be a vector"),
        ({"start": [np.nan]}, "start must be a vector"),
        ({"start": [1.0], "optimizer": "adam"}, "optimizer must be one of"),
        ({"start": [1.0], "bounds": [[0.0, 2.0]] * 2}, "bounds must be 1 pairs"),
        ({"start": [1.0], "bounds": [[2.0, 3.0]]}, "start must lie within bounds"),
    ],
)
def test_wrong_arguments_are_named(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        minimize(lambda x: (0.0, x), **options)


def test_a_gradient_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="gradient of shape"):
        minimize(lambda x: (0.0, [1.0, 2.0]), [1.0])
