"""``max_time`` and callbacks reach everything a path does, and a choice from less says so."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

from mercer import Path, PathSVC, kernel_path, one_class_path, svc_grid, svc_path, svr_path
from mercer.paths.exact.start import exact_start, start_at
from mercer.paths.inputs.limits import Limits
from mercer.paths.validation.leave_one_out import leave_one_out_error
from mercer.solvers.runs.deadline import Deadline


def sample(n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(n, 4, flip_y=0.1, weights=[0.6], random_state=0)


@dataclass(frozen=True)
class Looks(Deadline):
    """A deadline that is over after some looks at the clock: nothing depends on speed."""

    left: list[int] = field(default_factory=lambda: [3])

    @property
    def seconds_left(self) -> float:
        self.left[0] -= 1
        return 1e300 if self.left[0] >= 0 else 0.0

    @property
    def is_over(self) -> bool:
        return self.seconds_left == 0.0


def assert_unknown(path: Path) -> None:
    X, _ = sample()
    assert (path.status, path.end) == ("max-time", 0.0)
    for ask in (
        lambda: path.coef(1.0),
        lambda: path.intercept(1.0),
        lambda: path.decision_function(X, 1.0),
        lambda: path.certificate(1.0),
        lambda: path.free(1.0),
        lambda: path.intercept_interval(1.0),
    ):
        with pytest.raises(ValueError, match=r"no C is known.*max-time"):
            ask()
    assert "max-time" in repr(path)
    assert path.summary().status == "max-time"


@pytest.mark.parametrize("options", [{}, {"C_min": 100.0}, {"start": "artificial"}])
@pytest.mark.parametrize("more", [{}, {"accuracy": 0.01}, {"low_rank": 5}])
def test_a_start_without_time_knows_nothing_and_says_so(options: dict, more: dict) -> None:
    X, y = sample()
    path = svc_path(X, y, max_time=0.0, **options, **more)
    assert_unknown(path)
    with pytest.raises(ValueError, match="no C is known"):
        path.error(X, y)
    with pytest.raises(ValueError, match="no C is known"):
        path.leave_one_out()
    assert_unknown(svr_path(X, X[:, 0], max_time=0.0, **more))


def test_time_that_is_over_at_c_min_leaves_the_start_of_the_path() -> None:
    X, y = sample()
    whole = svc_path(X, y, gamma=0.2)
    limits = Limits(deadline=Looks(left=[2]))
    start = start_at(whole.problem, whole.gram, 100.0, limits)
    assert start.status == "max-time"
    assert start.parameter == pytest.approx(1.0 / whole.first_event)
    assert exact_start(whole.problem, whole.gram, Limits(deadline=Looks(left=[0]))).status


@pytest.mark.parametrize("C_min", [None, 50.0])
def test_the_callback_ends_a_start(C_min: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mercer.paths.inputs.limits._QUIET", -1.0)
    X, y = sample()
    seen = []
    path = svc_path(X, y, C_min=C_min, callback=lambda p: seen.append(p) or True)
    assert path.status == "callback"
    assert (seen[0].iteration, seen[0].n_active) == (0, 0)


def test_leave_one_out_rests_on_the_rows_there_was_time_for() -> None:
    X, y = sample(60)
    path = svc_path(X, y, gamma=0.2, C_max=20.0)
    weight = np.ones(60)
    limits = Limits(C_max=20.0, deadline=Looks(left=[40]))
    found = leave_one_out_error(path, limits, weight)
    assert found.status == "max-time"
    assert 0 < found.n_done < 60
    order = np.random.default_rng(0).permutation(60)[: found.n_done]
    some = np.zeros(60)
    some[order] = 1.0
    wanted = leave_one_out_error(path, replace(limits, deadline=Deadline()), some)
    C = np.geomspace(path.first_event, 20.0, 50)
    assert found.error(C) == pytest.approx(wanted.error(C))
    with pytest.warns(ConvergenceWarning, match=f"max-time.*{found.n_done} of 60 rows"):
        found.warn_if_incomplete("that is all")


def test_no_time_for_any_row_is_an_error() -> None:
    X, y = sample(40)
    path = svc_path(X, y, C_max=5.0)
    with pytest.raises(ValueError, match=r"max_time=0\.0 is too short"):
        path.leave_one_out(max_time=0.0)


@pytest.mark.parametrize("cv", [3, "loo"])
def test_a_choice_from_a_part_of_the_splits_warns(cv: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = sample(60)
    for left in (2, 3, 5, 7):
        looks = Looks(left=[left])
        monkeypatch.setattr(Deadline, "after", lambda _, looks=looks: looks)
        with pytest.warns(ConvergenceWarning, match=r"ended early \(max-time\).*C_="):
            machine = PathSVC(gamma=0.2, cv=cv, C_max=20.0).fit(X, y)
        assert machine.path_.begin <= machine.C_ <= machine.path_.end
        assert machine.predict(X).shape == (60,)


def test_no_time_for_a_machine_is_an_error() -> None:
    X, y = sample(60)
    with pytest.raises(ValueError, match="max_time=1e-09"):
        PathSVC(max_time=1e-9).fit(X, y)


def test_a_callback_that_ends_paths_makes_the_choice_warn() -> None:
    X, y = sample(80)
    with pytest.warns(ConvergenceWarning, match="callback"):
        PathSVC(gamma=0.2, callback=lambda p: True).fit(X, y)


def test_the_best_of_a_grid_that_is_not_full_warns(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = sample(60)
    looks = Looks(left=[10])
    monkeypatch.setattr(Deadline, "after", lambda _: looks)
    grid = svc_grid(X, y, Cs=[0.1, 1.0], gammas=[0.1, 1.0], cv=3, solver="active-set")
    assert grid.status == "max-time"
    assert "max-time" in repr(grid)
    with pytest.warns(ConvergenceWarning, match=r"max-time.*scores are not known"):
        grid.best  # noqa: B018
    empty = svc_grid(X, y, Cs=[0.1], gammas=[0.1], cv=3, solver="active-set")
    with pytest.raises(ValueError, match=r"no scores.*max-time"):
        empty.best  # noqa: B018
    with pytest.raises(ValueError, match="no time"):
        empty.decision_function(X, 0, 0)


def test_other_paths_end_in_time() -> None:
    X, y = sample()
    path = kernel_path(X, y, max_time=0.0, cv=3)
    assert path.status == "max-time"
    assert path.solutions.at_breakpoints[0].status == "max-time"
    assert path.accuracy == pytest.approx(path.certificate(path.gamma[0]).relative_gap, abs=1e-6)
    assert np.isnan(path.scores).all()
    nothing = one_class_path(X, max_time=0.0)
    assert nothing.status == "max-time"
    with pytest.raises(ValueError, match="no nu is known"):
        nothing.coef(0.5)


@pytest.mark.parametrize("max_time", [-1.0, "soon", np.nan])
def test_a_bad_time_is_named(max_time: Any) -> None:
    X, y = sample(30)
    for call in (svc_path, svr_path, kernel_path):
        with pytest.raises(ValueError, match="max_time must be"):
            call(X, y, max_time=max_time)
    with pytest.raises(ValueError, match="max_time must be"):
        one_class_path(X, max_time=max_time)
    with pytest.raises(ValueError, match="max_time must be"):
        svc_grid(X, y, Cs=[1.0], max_time=max_time)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_little_time_does_not_lead_to_a_C_below_C_min(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = sample()
    chosen, refused = [], []
    for looks in range(1, 30):
        deadline = Looks(left=[looks])
        monkeypatch.setattr(Deadline, "after", lambda _, deadline=deadline: deadline)
        try:
            chosen.append(PathSVC(C_min=10.0).fit(X, y).C_)
        except ValueError as error:
            refused.append(str(error))
    assert min(chosen) >= 10.0
    assert any("before C_min=10.0 (max-time)" in message for message in refused)


@pytest.mark.parametrize("options", [{"C_min": 10.0}, {"C_max": 0.1}])
def test_C_is_chosen_between_C_min_and_C_max_where_it_does_not_matter(options: dict) -> None:
    machine = PathSVC(kernel="linear", cv=2, **options)
    machine.fit(np.ones((8, 1)), [0, 0, 1, 1, 0, 1, 0, 1])
    assert next(iter(options.values())) == machine.C_


@pytest.mark.parametrize("choice", ["best", "one-standard-error"])
def test_C_is_chosen_between_C_min_and_C_max_where_the_path_begins_later(choice: str) -> None:
    X, y = sample(40)
    first = svc_path(X, y).first_event
    for C_min, C_max in ((0.9 * first, 1e3), (0.9 * first, 1.01 * first), (0.5 * first, first)):
        machine = PathSVC(C_min=C_min, C_max=C_max, choice=choice).fit(X, y)
        assert C_min <= machine.C_ <= C_max


@pytest.mark.parametrize("n_classes", [2, 3])
def test_no_time_at_all_is_refused_by_name(n_classes: int) -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.raises(ValueError, match="allow more than max_time=1e-06"):
        PathSVC(max_time=1e-6).fit(X, np.arange(60) % n_classes)
