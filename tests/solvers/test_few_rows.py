"""Wide problems that a few kernel rows are enough for, and those that want them all."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import SVC

N = 1700


def recorded_split(distance: float) -> tuple[np.ndarray, np.ndarray]:
    """Two classes of wide rows, easy to tell apart if they are far from each other."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, N)
    return rng.normal(size=(N, 48)) + distance * y[:, None], y


def fitted(X: np.ndarray, y: np.ndarray, **parameters: object) -> SVC:
    return SVC(gamma=0.3 / X.shape[1], **parameters).fit(X, y)


def test_classes_far_apart_take_few_kernel_values() -> None:
    X, y = recorded_split(1.0)
    assert fitted(X, y).solutions_[0].n_kernel < 0.2 * N**2


@pytest.mark.parametrize("distance", [1.0, 0.1])
@pytest.mark.parametrize("parameters", [{}, {"C": 30.0}, {"loss": "squared_hinge"}])
def test_the_optimum_is_that_of_single_pairs(distance: float, parameters: dict) -> None:
    X, y = recorded_split(distance)
    weight = np.random.default_rng(5).integers(0, 3, N).astype(float)
    machine = SVC(gamma=0.3 / X.shape[1], **parameters).fit(X, y, sample_weight=weight)
    other = SVC(gamma=0.3 / X.shape[1], solver="smo", tol=1e-6, **parameters)
    best = other.fit(X, y, sample_weight=weight).solutions_[0].objective
    found = machine.solutions_[0]
    assert found.converged
    assert found.violation <= machine.tol
    assert found.objective <= best * (1 + 1e-6)  # what single precision leaves of it
    assert found.objective + found.gap >= best * (1 - 1e-9)


def test_steps_before_the_chunks_count() -> None:
    X, y = recorded_split(1.0)
    with pytest.warns(match="max_iter"):
        machine = fitted(X, y, max_iter=7)
    assert machine.solutions_[0].n_iter <= 7
