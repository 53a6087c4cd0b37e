"""What users saw that was wrong."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from mercer import RLSC, SVC, TunedRLSC, TunedSVC
from mercer.kernels import Gaussian
from mercer.selection import make_objective

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = (X[:, 0] + 0.5 * X[:, 1] ** 2 - 0.4 + 0.4 * RNG.normal(size=60) > 0).astype(int)


@pytest.mark.parametrize("kernel", [RBF(1.0), ConstantKernel(2.0) * RBF([1.0, 2.0, 1.0, 1.5])])
@pytest.mark.parametrize(
    ("name", "machine", "options"),
    [
        ("cv", SVC(solver="active-set", tol=1e-10), {"loss": "logistic"}),
        ("alignment", SVC(), {}),
        ("gcv", RLSC(alpha=0.5), {}),
    ],
)
def test_kernels_of_scikit_learn_have_gradients(
    kernel: Any, name: str, machine: Any, options: dict[str, Any]
) -> None:
    objective = make_objective(name, machine.set_params(kernel=kernel), X, Y, **options)
    theta, step = objective.space.start, 1e-5
    expected = [
        (objective.value(theta + step * unit) - objective.value(theta - step * unit)) / (2 * step)
        for unit in np.eye(len(theta))
    ]
    np.testing.assert_allclose(objective(theta)[1], expected, rtol=1e-5, atol=1e-8)


def test_the_width_of_a_kernel_of_scikit_learn_is_tuned() -> None:
    machine = TunedSVC(kernel=RBF(100.0), cv=3).fit(X, Y)
    assert machine.kernel_.kernel.length_scale < 20.0
    gaussian = TunedSVC(kernel=Gaussian(1.0), cv=3).fit(X, Y)
    assert machine.best_score_ == pytest.approx(gaussian.best_score_, abs=0.02)


@pytest.mark.parametrize("optimizer", ["grid", "focused-grid"])
def test_a_grid_of_many_parameters_ends_at_its_limit(optimizer: str) -> None:
    # 10^21 and 5^21 cells
    kernel = Gaussian("scale", metric="diagonal")
    rows = RNG.normal(size=(30, 20))
    machine = TunedSVC(kernel=kernel, optimizer=optimizer, max_evals=3, cv=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # equal everywhere
        assert machine.fit(rows, rows[:, 0] > 0).search_status_ == "max-evals"


@pytest.mark.parametrize("objective", ["likelihood", "bootstrap"])
def test_a_grid_over_draws_takes_its_best_cell(objective: str) -> None:
    machine = TunedSVC(objective=objective, optimizer="grid", random_state=0).fit(X, Y)
    values = np.asarray(machine.history_[0].values)
    best = values.max() if objective == "likelihood" else -values.min()
    assert machine.best_score_ == pytest.approx(best if objective == "likelihood" else 1 + best)


def test_least_squares_go_by_the_score_asked_for() -> None:
    machine = TunedRLSC(scoring="roc_auc", cv=3).fit(X, Y)
    assert 0.7 < machine.best_score_ <= 1.0
    assert "split2_test_score" in machine.cv_results_
    with pytest.raises(ValueError, match="foo"):
        TunedRLSC(scoring="foo").fit(X, Y)


def test_a_class_of_one_row_is_named() -> None:
    labels = np.where(np.arange(60) == 0, "rare", np.where(Y == 1, "a", "b"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that of scikit-learn
        with pytest.raises(ValueError, match=r"class .*'rare'.* has none of its 1 rows"):
            TunedSVC().fit(X, labels)


def test_scores_that_are_no_numbers_are_told() -> None:
    with pytest.warns(UserWarning, match="no score of the search is a number"):
        machine = TunedSVC(scoring=lambda *_: np.nan, cv=3).fit(X, Y)
    assert machine.search_status_ == "no-value"
    assert 1.0 < machine.C_ < 100.0


def test_an_unknown_optimizer_is_named() -> None:
    with pytest.raises(ValueError, match=r"optimizer must be .*'foo'"):
        TunedSVC(optimizer="foo").fit(X, Y)


def test_pairs_without_held_out_rows_raise_no_warning() -> None:
    labels = np.arange(60) % 20
    objective = make_objective("likelihood", SVC(), X, labels, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(objective.value(objective.space.start))


def test_scores_of_probabilities_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="'neg_log_loss' asks for more than predictions"):
        TunedSVC(scoring="neg_log_loss", cv=2).fit(X, Y)
