"""What a user gets who names a criterion, a kernel family, or nothing."""

from __future__ import annotations

from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

from mercer import RLSC, SVC, OneClassSVM, TunedSVC
from mercer.kernels import Gaussian, Linear, Polynomial
from mercer.selection import make_objective
from mercer.selection.history import Watched
from mercer.selection.objectives import OBJECTIVES
from mercer.selection.optimizers import (
    CMA,
    LBFGS,
    IRpropPlus,
    Narrowing,
    NoisyRprop,
    WidthSearch,
    Zoom,
)
from mercer.selection.strategies import _optimizer

matplotlib.use("Agg")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(70, 2))
Y = (np.abs(X @ [1.0, 1.0]) > 0.8).astype(int)  # one direction counts, across the axes
ONE, SEVERAL = Gaussian("scale"), Gaussian("scale", metric="diagonal")
PAIRS: dict[str, tuple[Any, Any]] = {
    "cv": (Zoom, CMA),
    "holdout": (Zoom, CMA),
    "likelihood": (NoisyRprop, NoisyRprop),
    "posterior": (NoisyRprop, NoisyRprop),
    "alignment": (LBFGS, LBFGS),
    "polarization": (LBFGS, LBFGS),
    "span_like": (IRpropPlus, IRpropPlus),
    "radius_margin": (IRpropPlus, IRpropPlus),
    "loo": (CMA, CMA),
    "n_support": (CMA, CMA),
    "span": (CMA, CMA),
    "bootstrap": (CMA, CMA),
    "gcv": (LBFGS, LBFGS),
    "rejection": (WidthSearch, WidthSearch),
    "detection": (Narrowing, Narrowing),
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_every_criterion_has_the_search_that_is_documented(name: str) -> None:
    machine: Any = {"gcv": RLSC(), "rejection": OneClassSVM(), "detection": OneClassSVM()}.get(
        name, SVC()
    )
    for kernel, kind in zip((ONE, SEVERAL), PAIRS[name], strict=True):
        objective = make_objective(name, machine.set_params(kernel=kernel), X, Y)
        assert type(_optimizer("auto", objective)) is kind


@pytest.mark.parametrize(("kind", "factor"), [(IRpropPlus, 100), (NoisyRprop, 10_000)])
def test_budgets_grow_with_the_root_of_the_number_of_parameters(kind: Any, factor: int) -> None:
    class Valley:
        """A slope that never changes, in four parameters."""

        def __init__(self) -> None:
            self.bounds, self.count = np.tile([-1e9, 1e9], (4, 1)), 0
            self.random = np.random.default_rng(0)

        def gradient(self, theta: Any) -> tuple[float, Any]:
            self.count += 1
            return 0.0, 1.0 + 0.1 * self.random.normal(size=4)

        def move_chart(self, theta: Any) -> Any:
            return theta

    valley = Valley()
    kind().minimize(valley, np.zeros(4))
    assert valley.count == 2 * factor


def test_alignment_finds_the_kernel_and_cross_validation_then_c() -> None:
    machine = TunedSVC(objective="alignment", cv=3).fit(X, Y)
    kernel, refined = machine.history_
    assert np.ptp([theta[0] for theta in kernel.thetas]) == 0.0
    assert np.ptp([theta[1] for theta in refined.thetas]) == 0.0
    assert np.log(machine.kernel_.gamma) == pytest.approx(kernel.thetas[kernel.best][1])
    assert np.log(machine.C_) == pytest.approx(refined.thetas[refined.best][0])
    assert machine.best_score_ == max(machine.cv_results_["mean_test_score"])


def test_histories_draw_themselves() -> None:
    machine = TunedSVC(objective="alignment", cv=3).fit(X, Y)
    for history in machine.history_:
        axes = history.plot(plt.subplots()[1])
        assert len(axes.lines[0].get_xdata()) == len(history)
        sign = 1.0 if history.greater_is_better else -1.0
        assert (sign * np.diff(axes.lines[1].get_ydata()) >= 0).all()


@pytest.mark.parametrize(
    "kernel",
    [
        Gaussian("scale", metric="full"),
        Polynomial(2, coef0=1.0),
        0.5 * Gaussian("scale") + 0.5 * Linear(),
    ],
    ids=["full metric", "offset", "weights"],
)
def test_all_parameters_of_a_family_are_tuned(kernel: Any) -> None:
    machine = TunedSVC(kernel=kernel, cv=3).fit(X, Y)
    refined = np.array(machine.history_[-1].thetas)
    assert refined.shape[1] == 1 + machine.kernel_.n_dims
    assert (np.ptp(refined, axis=0) > 0).all()
    assert machine.best_score_ == np.max(machine.cv_results_["mean_test_score"])
    assert machine.best_score_ > 0.85


def test_a_full_metric_sees_a_direction_across_the_axes() -> None:
    kernel = Gaussian("scale", metric="full")
    machine = TunedSVC(kernel=kernel, objective="alignment", cv=3).fit(X, Y)
    values, vectors = np.linalg.eigh(machine.kernel_.gamma)
    assert values[1] > 3.0 * values[0]
    assert abs(vectors[:, 1] @ [0.5**0.5, 0.5**0.5]) > 0.95


def test_the_sentence_of_the_documentation_tunes_within_its_time() -> None:
    machine = TunedSVC(
        kernel=Gaussian(metric="diagonal"), objective="likelihood", max_time=0.5, random_state=0
    ).fit(X, Y)
    assert machine.search_status_ == "max-time"
    assert machine.relevance_ is not None
    assert machine.score(X, Y) > 0.8


def test_widths_of_fixed_size_keep_their_product() -> None:
    objective = make_objective("alignment", SVC(kernel=Gaussian([0.5, 0.5])), X, X[:, 0] > 0)
    search = Watched(objective)
    IRpropPlus(fixed_size=True, n_iterations=30).minimize(search, objective.space.start)
    products = np.sum([theta[1:] for theta in search.history.thetas], axis=1)
    np.testing.assert_allclose(products, 2.0 * np.log(0.5), rtol=1e-9)
    assert search.history.thetas[-1][1] > search.history.thetas[-1][2]


def test_class_weights_are_those_of_the_machine() -> None:
    rare = (X[:, 0] + 0.7 * RNG.normal(size=70) > 1.2).astype(int)
    found = [
        TunedSVC(cv=3, class_weight=weight, scoring="balanced_accuracy").fit(X, rare)
        for weight in (None, "balanced")
    ]
    assert found[1].best_estimator_.class_weight == "balanced"
    recall = [np.mean(machine.predict(X)[rare == 1]) for machine in found]
    assert recall[1] >= recall[0]
    assert found[1].best_score_ >= found[0].best_score_
