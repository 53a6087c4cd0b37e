"""Where a whole interval of biases is optimal everybody takes its middle."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import SVC, svc_grid, svc_path

COSTS = [1e-3, 0.01, 0.1, 0.3]


def two_classes(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes of unequal size: balanced, their bounds add up to the same but for rounding."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(20, 3)), np.repeat([0, 1], 10)
    X[y == 1] += 0.5
    y[:3] = 1 - y[:3]
    return X, y


@pytest.mark.parametrize("seed", range(2, 8))
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 2.0, 1: 14 / 13}])
def test_a_grid_and_a_path_took_another_bias_than_svc(seed: int, class_weight: object) -> None:
    X, y = two_classes(seed)
    options = {"gamma": 0.5, "class_weight": class_weight}
    path = svc_path(X, y, **options)
    grid = svc_grid(X, y, Cs=COSTS, gammas=[0.5], class_weight=class_weight, tol=1e-9)
    assert path.C_start > COSTS[1]
    for j, C in enumerate(COSTS):
        wanted = path.intercept(C)
        assert grid.solutions[0, j].multiplier[0] == pytest.approx(wanted, abs=1e-8)
        for solver in ("smo", "active-set", "chunked"):
            machine = SVC(C=C, tol=1e-9, solver=solver, **options).fit(X, y)
            assert machine.intercept_[0] == pytest.approx(wanted, abs=1e-6)
