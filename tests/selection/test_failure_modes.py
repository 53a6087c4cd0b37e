"""Searches that cannot succeed end with a message and the best point so far; nothing is NaN."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, ShuffleSplit

from mercer import SVC, TunedSVC
from mercer.diagnostics import diagnose
from mercer.kernels import Gaussian
from mercer.lab import make_chessboard
from mercer.selection import make_objective
from mercer.selection.history import Budget, Watched
from mercer.selection.optimizers import IRpropPlus
from mercer.selection.widths import moderate_start

matplotlib.use("Agg")
RNG = np.random.default_rng(7)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] + 0.4 * RNG.normal(size=60) > 0).astype(int)
AT_RANDOM = RNG.permutation(np.arange(60) % 2)


def assert_sound(machine: TunedSVC) -> None:
    """A usable machine, and a history without NaN."""
    assert np.isfinite(machine.best_score_)
    assert np.isfinite(machine.decision_function(X)).all()
    for history in machine.history_:
        assert not np.isnan(history.values).any()
        assert np.isfinite(history.thetas).all()


@pytest.mark.filterwarnings("ignore:TunedSVC:UserWarning")
def test_a_diverging_width_stays_in_its_range() -> None:
    # the alignment is largest where every row is alone
    machine = TunedSVC(objective="alignment", cv=3).fit(X, AT_RANDOM)
    assert_sound(machine)
    low, high = machine.history_[0].spaces[-1].bounds.T
    thetas = np.array(machine.history_[0].thetas)
    assert (thetas >= low).all()
    assert (thetas <= high).all()


@pytest.mark.filterwarnings("ignore:TunedSVC:UserWarning")
def test_a_width_that_diverges_is_told() -> None:
    # polarization is largest where every row is alone
    with pytest.warns(UserWarning, match=r"edge of those searched.*the narrowest kernel"):
        machine = TunedSVC(objective="polarization", cv=3).fit(X, AT_RANDOM)
    finding = diagnose(machine).findings[0]
    assert finding.name == "search-boundary"
    assert "narrowest" in finding.observed
    assert_sound(machine)


def test_a_C_that_diverges_is_told_when_the_evaluations_are_over() -> None:
    machine = TunedSVC(objective="radius_margin", loss="squared_hinge", max_evals=60)
    with pytest.warns(UserWarning, match=r"edge of those searched.*C = 0.0001"):
        machine.fit(X, AT_RANDOM)
    assert_sound(machine)
    assert machine.search_status_ == "max-evals"


def test_a_hard_margin_has_no_best_c() -> None:
    rows = np.array([[-2.0], [-1.0], [1.0], [2.0]] * 4)
    objective = make_objective("cv", SVC(kernel=Gaussian(0.5)), rows, rows[:, 0] > 0, cv=2)
    theta = np.array([np.log(1e7), 0.0])
    assert objective.space.edges(theta) == ["C = 1e+07"]
    assert not objective.space.edges(theta, is_hard=True)


def test_one_useless_feature_at_the_end_of_its_range_is_no_warning() -> None:
    rows = np.column_stack([X[:, 0], np.zeros(60)])
    machine = TunedSVC(kernel=Gaussian("scale", metric="diagonal"), cv=3).fit(rows, Y)
    space, theta = machine.history_[-1].spaces[-1], machine.history_[-1].thetas[-1].copy()
    theta[2] = space.bounds[2, 0]
    assert not space.edges(theta)
    theta[1] = space.bounds[1, 0]
    assert space.edges(theta) == ["the widest kernel"]


@pytest.mark.filterwarnings("ignore:.*the same everywhere:UserWarning")
def test_a_machine_that_is_the_nearest_neighbour_is_told() -> None:
    with pytest.warns(UserWarning, match="every row is a support vector and similar to no other"):
        machine = TunedSVC(kernel=Gaussian(1e4, gamma_bounds="fixed"), cv=3).fit(X, AT_RANDOM)
    assert_sound(machine)
    assert diagnose(machine).support_share == 1.0


def test_where_all_rows_are_support_vectors_the_best_point_is_kept() -> None:
    machine = TunedSVC(
        kernel=Gaussian(1e6), objective="radius_margin", loss="squared_hinge", max_evals=15
    )
    machine.fit(X, Y)
    assert_sound(machine)
    assert machine.search_status_ in ("max-evals", "converged", "flat")


@pytest.mark.filterwarnings("ignore:TunedSVC:UserWarning")
@pytest.mark.parametrize("objective", ["span_like", "likelihood", "posterior", "cv", "holdout"])
def test_rows_without_information_tune_to_something(objective: str) -> None:
    rows, labels = np.ones((40, 2)), np.arange(40) % 2
    machine = TunedSVC(objective=objective, max_evals=6, random_state=0).fit(rows, labels)
    assert np.isfinite(machine.best_score_)
    assert np.isfinite(machine.best_estimator_.decision_function(rows)).all()


def test_a_point_without_value_is_stepped_back_from() -> None:
    # a wide kernel separates no labels of this board in double precision
    rows, labels = make_chessboard(120, random_state=1)
    objective = make_objective("radius_margin", SVC(kernel=Gaussian(2.0)), rows, labels)
    watched = Watched(objective, Budget(max_evals=12))
    found = watched.gradient(np.array([0.0, np.log(2.0)]))
    assert np.isfinite(found[0])
    assert watched.value(np.array([0.0, -20.0])) == np.inf
    assert watched.gradient(np.array([0.0, -20.0]))[0] == np.inf
    search = Watched(objective)
    IRpropPlus(n_iterations=5, step=0.1).minimize(search, np.array([0.0, np.log(2.0)]))
    assert np.isfinite(search.history.values[search.history.best])
    with pytest.raises(ValueError, match="separates"):
        Watched(objective).value(np.array([0.0, -20.0]))


def test_a_likelihood_search_does_not_begin_where_it_is_flat() -> None:
    rows, labels = make_chessboard(200, random_state=0)
    objective = make_objective("likelihood", SVC(kernel=Gaussian("scale")), rows, labels, cv=5)
    _, gradient = objective(moderate_start(objective.task, objective.space))
    assert (gradient != 0).all()


@pytest.mark.parametrize("name", ["cv", "alignment", "span", "likelihood", "posterior"])
def test_every_preset_of_the_document_runs(name: str) -> None:
    machine = TunedSVC(objective=name, max_evals=5, random_state=0).fit(X, Y)
    assert_sound(machine)
    assert machine.C_ > 0


def test_costs_scores_and_groups_reach_the_criterion() -> None:
    groups = np.arange(60) // 6
    machine = TunedSVC(cv=GroupKFold(5), scoring="balanced_accuracy", max_evals=4)
    assert 0.0 < machine.fit(X, Y, groups=groups).best_score_ <= 1.0
    costs = make_objective("cv", SVC(), X, Y, loss=[[0.0, 5.0], [1.0, 0.0]], cv=3)
    assert costs.value(costs.space.start) >= 0.0


def test_splits_may_overlap_and_leave_rows_out() -> None:
    overlapping = ShuffleSplit(4, train_size=0.5, test_size=0.3, random_state=0)
    given = [(np.arange(0, 40), np.arange(30, 50)), (np.arange(10, 50), np.arange(0, 20))]
    for cv in (overlapping, given):
        machine = TunedSVC(cv=cv, max_evals=4).fit(X, Y)
        assert "split1_test_score" in machine.cv_results_
