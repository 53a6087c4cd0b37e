"""Searches that continue an earlier one: warm_start=True."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import KFold

from mercer import TunedSVC, TunedSVR, io

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(90, 3))
Y = (X[:, 0] ** 2 + X[:, 1] + 0.3 * RANDOM.normal(size=90) > 0.7).astype(int)


def trained(machine: Any, monkeypatch: pytest.MonkeyPatch) -> int:
    """Cells whose machines a fit has trained."""
    from mercer.selection.objectives.validation import CrossValidation

    counted, series = [0], CrossValidation.series

    def counting(self: Any, thetas: Any) -> Any:
        counted[0] += len(thetas)
        return series(self, thetas)

    with monkeypatch.context() as patch:
        patch.setattr(CrossValidation, "series", counting)
        machine.fit(X, Y)
    return counted[0]


@pytest.mark.parametrize("make", [TunedSVC, TunedSVR])
def test_what_is_known_is_not_trained_again(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = make(warm_start=True, cv=3, scoring="accuracy" if make is TunedSVC else "r2")
    first = trained(machine, monkeypatch)
    before = machine.best_score_, machine.honest_interval_, machine.cv_results_["mean_test_score"]
    assert first == len(machine.cv_results_["params"])
    assert trained(machine, monkeypatch) == 0
    np.testing.assert_array_equal(machine.cv_results_["mean_test_score"], before[2])
    assert (machine.best_score_, machine.honest_interval_) == before[:2]
    assert machine.held_out_ is not None


def test_more_evaluations_continue_where_the_first_ones_ended() -> None:
    machine = TunedSVC(warm_start=True, max_evals=10, cv=3).fit(X, Y)
    assert machine.search_status_ == "max-evals"
    sizes = []
    for _ in range(20):
        machine.fit(X, Y)
        sizes.append(len(machine.cv_results_["params"]))
        if machine.search_status_ != "max-evals":
            break
    # each fit has evaluated ten more cells at most, and the last one was done
    assert sizes[0] == 20
    assert np.diff(sizes).max(initial=0) <= 10
    # a limited search begins with one cell more
    whole = TunedSVC(cv=3).fit(X, Y)
    assert machine.best_score_ == pytest.approx(whole.best_score_, abs=0.03)


def test_more_kernels_keep_what_the_first_one_has_found(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = TunedSVC(warm_start=True, cv=3).fit(X, Y)
    whole = TunedSVC(kernel="auto", cv=3)
    every = trained(whole, monkeypatch)
    first = len(machine.cv_results_["params"])
    machine.set_params(kernel="auto")
    assert trained(machine, monkeypatch) == every - first
    assert machine.best_params_ == whole.best_params_
    assert machine.honest_score_ == whole.honest_score_


def test_other_rows_or_scores_begin_anew() -> None:
    machine = TunedSVC(warm_start=True, cv=3, max_evals=5).fit(X, Y)
    with pytest.warns(UserWarning, match="begins anew"):
        machine.fit(X[:80], Y[:80])
    with pytest.warns(UserWarning, match="begins anew"):
        machine.set_params(scoring="roc_auc").fit(X[:80], Y[:80])
    fresh = TunedSVC(cv=3, max_evals=5, scoring="roc_auc").fit(X[:80], Y[:80])
    assert machine.best_score_ == fresh.best_score_


def test_splits_that_are_drawn_anew_are_refused() -> None:
    machine = TunedSVC(warm_start=True, cv=KFold(3, shuffle=True))
    with pytest.raises(ValueError, match="an integer random_state"):
        machine.fit(X, Y)
    machine.set_params(cv=KFold(3, shuffle=True, random_state=0), max_evals=3).fit(X, Y)


def test_an_interrupted_search_is_continued(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(history: Any) -> None:
        if len(history) == 20:
            raise KeyboardInterrupt

    machine = TunedSVC(warm_start=True, cv=3, callback=stop)
    with pytest.raises(KeyboardInterrupt):
        machine.fit(X, Y)
    machine.set_params(callback=None)
    assert trained(machine, monkeypatch) == len(machine.cv_results_["params"]) - 20
    assert machine.best_score_ == TunedSVC(cv=3).fit(X, Y).best_score_


def test_a_search_that_was_saved_is_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = TunedSVC(warm_start=True, cv=3).fit(X, Y)
    io.save(machine, tmp_path / "m")
    again = io.load(tmp_path / "m")
    assert trained(again, monkeypatch) == 0
    assert again.best_score_ == machine.best_score_
    np.testing.assert_array_equal(again.predict(X), machine.predict(X))
