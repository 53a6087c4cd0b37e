"""Steps to better cells: from rivals of other widths too, and half steps where widths are steep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mercer import SVC
from mercer.selection import make_objective
from mercer.selection.history import Budget, Watched
from mercer.selection.optimizers import Climb
from mercer.selection.samples import _rivals, _summits
from mercer.selection.search_result import run

X, Y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
STEP = float(np.log(3.0))


def climbed(
    height: Callable[[float, float], float], start: Any, rivals: Any = (), noise: float = 0.0
) -> Watched:
    """A climb over a criterion that is given by a function of log C and log gamma."""
    objective: Any = make_objective("cv", SVC(), X, Y, cv=2)
    values = lambda theta: height(*theta) + np.array([-noise, noise])  # noqa: E731
    objective.series = lambda thetas: [values(theta) for theta in thetas]
    watched = Watched(objective)
    Climb(rivals=tuple(np.array(own, dtype=float) for own in rivals)).minimize(
        watched, np.array(start, dtype=float)
    )
    return watched


def two_valleys(log_C: float, log_gamma: float) -> float:
    """The better one is that of narrow kernels."""
    wide = 0.3 + 0.002 * (log_gamma + 6.0) ** 2
    narrow = 0.26 + 0.05 * abs(log_gamma)
    return min(wide, narrow) + 0.001 * log_C**2


def test_the_width_that_a_sample_ranked_second_was_never_climbed_from() -> None:
    alone = climbed(two_valleys, [0.0, -6.0], noise=0.05).history
    both = climbed(two_valleys, [0.0, -6.0], [[0.0, STEP]], noise=0.05).history
    assert alone.thetas[alone.best][1] == pytest.approx(-6.0, abs=0.6)
    assert both.thetas[both.best][1] == pytest.approx(0.0, abs=1e-6)


def test_a_rival_that_is_clearly_behind_costs_one_cell() -> None:
    alone, both = (
        climbed(lambda C, gamma: 0.01 * C**2 + 0.1 * gamma**2, [0.0, 0.0], rivals).history
        for rivals in ((), [[0.0, 5.0]])
    )
    assert len(both) == len(alone) + 1


def test_half_steps_are_taken_where_a_step_of_width_loses_more_than_an_error() -> None:
    steep = climbed(lambda C, gamma: abs(gamma - 0.5 * STEP), [0.0, 0.0]).history
    flat = climbed(lambda C, gamma: 1e-3 * abs(gamma - 0.5 * STEP), [0.0, 0.0], noise=0.1).history
    assert steep.thetas[steep.best][1] == pytest.approx(0.5 * STEP)
    assert flat.thetas[flat.best][1] in (pytest.approx(0.0), pytest.approx(STEP))
    assert len(flat) < len(steep)


def test_a_narrower_kernel_that_needs_more_C_was_not_seen() -> None:
    step_of_C = float(np.log(4.0))

    def ridge(log_C: float, log_gamma: float) -> float:
        """Half a step narrower the best C is a step larger."""
        best_C = 2.0 * step_of_C * log_gamma / STEP
        return 0.3 * abs(log_gamma / STEP - 0.5) + 0.3 * abs(log_C - best_C)

    found = climbed(ridge, [0.0, 0.0]).history
    assert found.thetas[found.best] == pytest.approx([step_of_C, 0.5 * STEP])


def test_three_folds_that_agree_by_chance_did_not_hide_another_width() -> None:
    objective: Any = make_objective("cv", SVC(), X, Y, cv=2)
    table = {  # of each point what the folds have missed
        (3.0, 0.0): [0.100, 0.100, 0.100],
        (3.0, -2.0): [0.090, 0.105, 0.120],
        (6.0, -4.0): [0.095, 0.105, 0.115],
        (0.0, 0.0): [0.300, 0.300, 0.300],
        (0.0, -2.0): [0.300, 0.300, 0.300],
    }
    objective.series = lambda thetas: [np.array(table[tuple(theta)]) for theta in thetas]

    class Listed:
        def minimize(self, watched: Watched, theta: Any) -> str:
            for own in map(np.array, table):
                by_split = watched.series([own])[0]
                watched.known(own, float(by_split.mean()), by_split)
            return "converged"

    found = run(objective, Listed(), np.zeros(2), Budget())
    assert found.theta == pytest.approx([3.0, 0.0])
    assert {tuple(own) for own in _rivals(found)} == {(3.0, -2.0), (6.0, -4.0)}


def test_summits_are_better_than_the_widths_beside_them() -> None:
    widths = np.array([0.0, 0.0, 1.0, 2.0, 3.0, 3.0])
    scores = np.array([0.3, 0.5, 0.4, 0.1, 0.2, 0.15])
    assert _summits(widths, scores) == {1, 4}
    assert _summits(widths[:1], scores[:1]) == {0}
