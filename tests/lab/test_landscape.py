"""Landscapes of criteria: their cells, and the picture of them."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
import pytest

from mercer import SVC
from mercer.kernels import Gaussian
from mercer.lab import landscape, plot_landscape
from mercer.selection import make_objective

matplotlib.use("Agg")
RNG = np.random.default_rng(7)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] + 0.4 * RNG.normal(size=60) > 0).astype(int)


def test_a_landscape_is_the_criterion_cell_by_cell() -> None:
    for name, options in (("cv", {"cv": 3}), ("alignment", {}), ("span", {})):
        objective: Any = make_objective(name, SVC(kernel=Gaussian(0.5)), X, Y, **options)
        values = landscape(objective, [0.5, 5.0], [0.1, 1.0, 10.0])
        for i, factor in enumerate([0.1, 1.0, 10.0]):
            for j, C in enumerate([0.5, 5.0]):
                expected = objective.value(np.log([C, 0.5 * factor]))
                assert values[i, j] == pytest.approx(expected, rel=1e-12)


def test_landscapes_plot_and_mark_the_best_cell() -> None:
    objective = make_objective("likelihood", SVC(kernel=Gaussian(0.5)), X, Y, random_state=0)
    axes = plot_landscape(objective, [1.0, 10.0], [0.1, 1.0], n_draws=3)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("C", "gamma")
    for wrong in ([], [-1.0], [np.inf]):
        with pytest.raises(ValueError, match="Cs"):
            landscape(objective, wrong, [1.0])
    fixed = make_objective("cv", SVC(kernel=Gaussian(0.5, gamma_bounds="fixed")), X, Y)
    with pytest.raises(ValueError, match="no width"):
        landscape(fixed, [1.0], [1.0])
