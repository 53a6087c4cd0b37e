"""Regression of several targets: a search for each."""

from __future__ import annotations

import pickle
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold, ShuffleSplit
from sklearn.multioutput import MultiOutputRegressor
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from mercer import LSSVR, SVR, TunedSVR, io
from mercer.diagnostics import diagnose
from mercer.selection.optimizers import Zoom

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 3))
SMOOTH, LINEAR = np.sin(X[:, 0]) + 0.1 * RANDOM.normal(size=60), 1e4 * X[:, 1]
Y = np.column_stack([SMOOTH, LINEAR, np.full(60, 3.0), SMOOTH])
SHORT = TunedSVR(max_evals=6, cv=3)

MACHINES = {
    "usual": SHORT,
    "whole": TunedSVR(cv=3),
    "kernels": TunedSVR(kernel=["rbf", "linear"], cv=3, max_evals=9),
    "splits": TunedSVR(cv=ShuffleSplit(2, random_state=0), max_evals=4),
    "drawn": TunedSVR(cv=ShuffleSplit(2, random_state=np.random.RandomState(3)), max_evals=4),
    "random": TunedSVR(objective="holdout", random_state=np.random.RandomState(0), max_evals=4),
    "scaled": TunedSVR(scale=True, epsilon=0.2, choice="one-se", cv=3, max_evals=6),
    "scores": TunedSVR(optimizer=Zoom(), scoring=["r2", "neg_max_error"], cv=3, max_evals=5),
}


@pytest.fixture(scope="module")
def fitted() -> TunedSVR:
    return clone(SHORT).fit(X, Y)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.filterwarnings("ignore")
def test_each_target_is_searched_as_if_it_were_alone(name: str) -> None:
    machine = clone(MACHINES[name]).fit(X, Y)
    assert machine.predict(X).shape == Y.shape
    for k, target in enumerate(Y.T):
        alone = clone(MACHINES[name]).fit(X, target)
        np.testing.assert_array_equal(machine.predict(X)[:, k], alone.predict(X))
        assert machine.best_params_[k] == alone.best_params_
        assert machine.best_score_[k] == alone.best_score_
        assert machine.C_[k] == alone.C_
        assert machine.honest_interval_[k] == alone.honest_interval_
        assert machine.search_status_[k] == alone.search_status_
        np.testing.assert_array_equal(
            machine.cv_results_[k]["mean_test_score"], alone.cv_results_["mean_test_score"]
        )


@pytest.mark.filterwarnings("ignore")
def test_order_and_repetition_of_targets_do_not_matter(fitted: TunedSVR) -> None:
    order = [2, 0, 3, 1]
    other = clone(SHORT).fit(X, Y[:, order])
    np.testing.assert_array_equal(other.predict(X), fitted.predict(X)[:, order])
    np.testing.assert_array_equal(fitted.predict(X)[:, 0], fitted.predict(X)[:, 3])


def test_a_factor_of_a_target_is_that_of_its_predictions(fitted: TunedSVR) -> None:
    other = clone(SHORT).fit(X, Y[:, :2] * [1.0, 2.0**-20])
    np.testing.assert_allclose(other.predict(X)[:, 1] * 2.0**20, fitted.predict(X)[:, 1], rtol=1e-9)


def test_the_score_is_that_of_scikit_learn(fitted: TunedSVR) -> None:
    assert fitted.score(X, Y) == r2_score(Y, fitted.predict(X))
    theirs = MultiOutputRegressor(clone(SHORT)).fit(X, Y)
    np.testing.assert_array_equal(theirs.predict(X), fitted.predict(X))


def test_weights_and_groups_are_those_of_every_target() -> None:
    weight, groups = RANDOM.integers(0, 3, 60), np.arange(60) % 6
    machine = TunedSVR(cv=GroupKFold(3), max_evals=4)
    several = clone(machine).fit(X, Y[:, :2], weight, groups=groups)
    alone = clone(machine).fit(X, LINEAR, weight, groups=groups)
    np.testing.assert_array_equal(several.predict(X)[:, 1], alone.predict(X))


def test_splits_that_can_be_read_once_are_those_of_every_target() -> None:
    splits = list(KFold(3).split(X))
    several = TunedSVR(cv=iter(splits), max_evals=4).fit(X, Y[:, :2])
    np.testing.assert_array_equal(
        several.predict(X), TunedSVR(cv=splits, max_evals=4).fit(X, Y[:, :2]).predict(X)
    )


def test_names_of_rows_and_targets_are_kept() -> None:
    rows = pd.DataFrame(X, columns=["u", "v", "w"])
    targets = pd.DataFrame(Y[:, :2], columns=["smooth", "linear"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        machine = TunedSVR(max_evals=6, cv=3, scale=True).fit(rows, targets)
        machine.predict(rows)
        machine.estimators_[1].predict(rows)
    assert list(machine.target_names_) == ["smooth", "linear"]
    assert list(machine.feature_names_in_) == ["u", "v", "w"]
    assert "smooth" in machine._repr_html_()
    with pytest.raises(ValueError, match="feature names"):
        machine.predict(rows[["v", "u", "w"]])


def test_warnings_say_which_target_they_are_about() -> None:
    with pytest.warns(UserWarning, match="target 'constant': TunedSVR: .* the same everywhere"):
        TunedSVR(cv=2).fit(X, pd.DataFrame({"smooth": SMOOTH, "constant": 1.0}))
    with pytest.warns(UserWarning, match="target 1: TunedSVR: .* the same everywhere"):
        TunedSVR(cv=2).fit(X, np.column_stack([SMOOTH, np.ones(60)]))


@pytest.mark.parametrize("column", [SMOOTH[:, None], pd.DataFrame({"smooth": SMOOTH})])
def test_a_single_column_is_a_vector_as_for_svr(column: Any) -> None:
    for machine in (clone(SHORT), SVR()):
        with pytest.warns(DataConversionWarning):
            machine.fit(X, column)
        assert machine.predict(X).shape == (60,)
    assert LSSVR().fit(X, np.asarray(column)).predict(X).shape == (60, 1)


def test_a_vector_after_several_targets_leaves_nothing_of_them(fitted: TunedSVR) -> None:
    machine = clone(SHORT).fit(X, Y[:, :2]).fit(X, SMOOTH)
    assert set(vars(machine)) == set(vars(clone(SHORT).fit(X, SMOOTH)))
    assert set(vars(machine.fit(X, Y))) == set(vars(fitted))


def test_bad_targets_are_refused_before_any_search() -> None:
    calls: list[Any] = []
    machine = TunedSVR(callback=calls.append)
    missing = Y.copy()
    missing[7, 3] = np.nan
    for targets, message in (
        (missing, "y contains NaN: 1 value in 1 of 60 rows, the first is row 7.*column 3"),
        (sp.csr_matrix(Y), "y must be dense"),
        (Y[:, :, None], "dim 3"),
        (Y[:9], "inconsistent"),
        (np.full(Y.shape, "a"), "y must hold numbers"),
        ([[1.0, 2.0], [3.0]], "y must hold numbers"),
    ):
        with pytest.raises(ValueError, match=message):
            machine.fit(X, targets)
    assert not calls


def test_the_tag_says_that_several_targets_are_taken() -> None:
    assert get_tags(TunedSVR()).target_tags.multi_output
    assert not get_tags(SVR()).target_tags.multi_output
    with pytest.raises(ValueError, match="1d array"):
        SVR().fit(X, Y)


def test_other_estimators_hand_on_several_targets() -> None:
    scaled = TransformedTargetRegressor(clone(SHORT), transformer=StandardScaler())
    assert scaled.fit(X, Y).predict(X).shape == Y.shape
    search = GridSearchCV(TunedSVR(max_evals=3), {"cv": [2, 3]}, cv=2).fit(X, Y[:, :2])
    assert search.predict(X).shape == (60, 2)


@pytest.mark.filterwarnings("ignore")
def test_time_is_shared_and_what_one_leaves_is_for_the_others() -> None:
    seen: list[float | None] = []

    class Noting(TunedSVR):
        def _task(self, *given: Any) -> Any:
            seen.append(self.max_time)
            return super()._task(*given)

    machine = Noting(max_time=300.0, max_evals=2, cv=2).fit(X, Y[:, :3])
    assert [round(share) for share in seen if share] == [100, 150, 300]
    assert [own.max_time for own in machine.estimators_] == [300.0] * 3


def test_a_callback_ends_the_search_of_one_target() -> None:
    machine = TunedSVR(callback=lambda history: len(history) == 3, cv=2).fit(X, Y[:, :2])
    assert machine.search_status_ == ["callback", "callback"]
    assert [len(own["params"]) for own in machine.cv_results_] == [3, 3]


def interrupted(n_calls: int) -> TunedSVR:
    """After so many evaluations, six of them for each target."""
    calls: list[Any] = []

    def stop(history: Any) -> None:
        calls.append(history)
        if len(calls) == n_calls:
            raise KeyboardInterrupt

    machine = clone(SHORT).set_params(callback=stop)
    with pytest.raises(KeyboardInterrupt):
        machine.fit(X, Y)
    return machine


def test_after_an_interrupt_there_is_what_each_search_has_found(tmp_path: Path) -> None:
    machine = interrupted(8)
    assert machine.search_status_ == ["max-evals", "interrupted"]
    assert len(machine.best_params_) == len(machine.history_) == 2
    np.testing.assert_array_equal(
        machine.estimators_[0].predict(X), clone(SHORT).fit(X, SMOOTH).predict(X)
    )
    io.save(machine, tmp_path / "m")
    for own in (machine, io.load(tmp_path / "m")):
        assert own.search_status_ == ["max-evals", "interrupted"]
        with pytest.raises(NotFittedError):
            own.predict(X)


@pytest.mark.filterwarnings("ignore:.*begins anew")
def test_a_second_fit_goes_on_with_every_target() -> None:
    machine = TunedSVR(warm_start=True, max_evals=4, cv=2).fit(X, Y[:, :2])
    machine.fit(X, Y[:, :2])
    assert [len(own["params"]) for own in machine.cv_results_] == [8, 8]
    machine.fit(X, Y)
    assert [len(own["params"]) for own in machine.cv_results_] == [12, 12, 4, 4]
    machine.fit(X, SMOOTH)
    assert len(machine.cv_results_["params"]) == 4


def test_a_machine_of_several_targets_is_saved_with_its_searches(
    fitted: TunedSVR, tmp_path: Path
) -> None:
    targets = pd.DataFrame(Y[:, :2], columns=["smooth", "linear"])
    for machine in (fitted, TunedSVR(max_evals=3, cv=2, scale=True).fit(X, targets)):
        io.save(machine, tmp_path / "m")
        again = io.load(tmp_path / "m")
        assert set(vars(again)) == set(vars(machine))
        np.testing.assert_array_equal(again.predict(X), machine.predict(X))
        np.testing.assert_array_equal(again.best_score_, machine.best_score_)
        assert again.best_params_ == machine.best_params_
        io.save(again, tmp_path / "again")
        assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()
    copied = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(copied.predict(X), fitted.predict(X))


def test_a_picture_of_the_search_of_every_target(fitted: TunedSVR) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    axes = fitted.plot()
    assert [ax.get_title() for ax in axes] == [f"target {k}" for k in range(4)]
    plt.close("all")
    with pytest.raises(ValueError, match="ax must hold 4 axes"):
        fitted.plot(plt.gca())
    plt.close("all")


@pytest.mark.parametrize("ask", [diagnose, lambda own: own.report(), lambda own: own.report(X, Y)])
def test_what_is_made_of_one_target_says_where_to_find_it(fitted: TunedSVR, ask: Any) -> None:
    with pytest.raises(TypeError, match=r"4 targets.* give one of its estimators_"):
        ask(fitted)
    assert fitted.estimators_[0].report(X, SMOOTH).data["verdict"] is not None


class Interrupted(KFold):
    """Ctrl-C while the splits of one of the targets are made, before anything is evaluated."""

    asked = 0

    def split(self, *arguments: Any) -> Any:
        Interrupted.asked += 1
        if Interrupted.asked == self.at:
            raise KeyboardInterrupt
        return super().split(*arguments)


@pytest.mark.parametrize("at", [1, 2, 3])
def test_ctrl_c_between_targets_leaves_no_machine_of_fewer_targets(at: int, tmp_path: Any) -> None:
    """Before the first one it was an IndexError."""
    rng = np.random.default_rng(0)
    rows, targets = rng.normal(size=(40, 2)), rng.normal(size=(40, 3))
    splits = Interrupted(3)
    splits.at, Interrupted.asked = at, 0
    machine = TunedSVR(cv=splits, max_evals=3, warm_start=True)
    with pytest.raises(KeyboardInterrupt):
        machine.fit(rows, targets)
    assert not machine.__sklearn_is_fitted__()
    for own in (machine, *machine.estimators_):
        own.set_params(cv=3)
    io.save(machine, tmp_path / "m")
    assert not io.load(tmp_path / "m").__sklearn_is_fitted__()
    assert machine.fit(rows, targets).predict(rows).shape == targets.shape


def test_a_scorer_that_cannot_be_copied_serves_all_targets() -> None:
    class Counting:
        def __init__(self) -> None:
            self.lock, self.calls = threading.Lock(), 0

        def __call__(self, machine: Any, rows: Any, target: Any) -> float:
            self.calls += 1
            return -float(np.abs(machine.predict(rows) - target).mean())

    rng, scorer = np.random.default_rng(0), Counting()
    rows, targets = rng.normal(size=(30, 2)), rng.normal(size=(30, 2))
    TunedSVR(scoring=scorer, cv=3, max_evals=2).fit(rows, targets)
    assert scorer.calls >= 12


def test_texts_are_no_targets_and_are_named() -> None:
    rows = np.random.default_rng(0).normal(size=(30, 2))
    with pytest.raises(ValueError, match=r"y must hold numbers.*'a'"):
        TunedSVR().fit(rows, ["a"] * 30)
    assert TunedSVR(cv=2, max_evals=2).fit(rows, ["1.0"] * 15 + ["2.0"] * 15).C_ > 0
