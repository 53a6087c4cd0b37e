"""Fits, paths, grids and streams report with one object; a search hands over its history."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from mercer import (
    SVC,
    SVDD,
    SVR,
    Gram,
    HullClassifier,
    OnlineSVC,
    PathSVC,
    TunedSVC,
    kernel_path,
    nu_svc_path,
    nu_svr_path,
    one_class_path,
    solve,
    svc_grid,
    svc_path,
    svr_path,
)
from mercer.formulations import svc
from mercer.kernels import Gaussian
from mercer.multiclass import multiclass_problem, solve_multiclass
from mercer.selection import History
from mercer.solvers import Progress, solve_many

Callback = Callable[[Any], object]
RNG = np.random.default_rng(0)
X = RNG.normal(size=(700, 3))
Y = np.where(RNG.random(700) < 0.5, 1.0, -1.0)  # hard, so that most fits last long enough to report
CLASSES = RNG.integers(0, 3, 700)
PROBLEM, GRAM = svc(Y, 100.0).problem, Gram(Gaussian(2.0), X)
FITS: dict[str, Callable[[Callback], Any]] = {
    "SVC": lambda c: SVC(C=1e3, gamma=2.0, callback=c).fit(X, Y),
    "SVC, pairs": lambda c: SVC(C=1e3, gamma=2.0, callback=c).fit(X, CLASSES),
    "SVR": lambda c: SVR(C=1e3, gamma=2.0, callback=c).fit(X, Y),
    "SVDD": lambda c: SVDD(kernel=Gaussian(2.0), nu=0.5, callback=c).fit(X),
    "HullClassifier": lambda c: HullClassifier(gamma=2.0, callback=c).fit(X, Y),
    "OnlineSVC": lambda c: OnlineSVC(C=10.0, gamma=2.0, callback=c).partial_fit(X, Y),
    "solve": lambda c: solve(PROBLEM, GRAM, "smo", callback=c),
    "solve_many": lambda c: solve_many([[PROBLEM]], GRAM, callback=c),
    "solve_multiclass": lambda c: solve_multiclass(
        multiclass_problem("crammer-singer", CLASSES, 3, 10.0), GRAM, callback=c
    ),
}
PATHS: dict[str, tuple[str, Callable[[Callback], Any]]] = {
    "svc_path": ("C", lambda c: svc_path(X, Y, gamma=2.0, callback=c)),
    "nu_svc_path": ("nu", lambda c: nu_svc_path(X, Y, gamma=2.0, callback=c)),
    "rough nu_svc_path": ("nu", lambda c: nu_svc_path(X, Y, gamma=2.0, accuracy=0.1, callback=c)),
    "svr_path": ("C", lambda c: svr_path(X, X[:, 0] ** 2, gamma=2.0, callback=c)),
    "nu_svr_path": ("nu", lambda c: nu_svr_path(X, X[:, 0] ** 2, gamma=2.0, callback=c)),
    "one_class_path": ("nu", lambda c: one_class_path(X, gamma=2.0, callback=c)),
    "kernel_path": ("gamma", lambda c: kernel_path(X, Y, C=10.0, callback=c, max_events=60)),
    "svc_grid": ("C", lambda c: svc_grid(X, Y, Cs=[1.0, 10.0], gammas=[2.0], callback=c)),
    "PathSVC": ("C", lambda c: PathSVC(gamma=2.0, cv=2, C_max=10.0, callback=c).fit(X, Y)),
}


def reports_of(call: Callable[[Callback], Any]) -> list[Any]:
    seen: list[Any] = []
    call(seen.append)
    return seen


@pytest.mark.parametrize("name", FITS)
def test_a_fit_reports_its_objective_and_no_parameter(name: str) -> None:
    for report in reports_of(FITS[name]):
        assert type(report) is Progress
        assert report.parameter == ""
        assert math.isnan(report.value)
        assert not math.isnan(report.objective)


@pytest.mark.parametrize("name", PATHS)
def test_a_path_or_grid_reports_the_value_of_its_parameter(name: str) -> None:
    parameter, call = PATHS[name]
    seen = reports_of(call)
    assert seen or name != "svc_grid"  # others report by the clock, and may be done before
    for report in seen:
        assert type(report) is Progress
        assert report.parameter == parameter
        assert report.value >= 0.0
        assert report.violation == math.inf
        assert math.isnan(report.objective)


def is_rising(values: list[float]) -> bool:
    return all(a <= b for a, b in pairwise(values))


@pytest.mark.parametrize("name", [*PATHS, "rough PathSVC"])
def test_seconds_and_steps_never_fall_within_one_call(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They began anew with each fold, and with each solution inside a path."""
    monkeypatch.setattr("mercer.paths.inputs.limits._QUIET", 0.0)
    rough = PathSVC(gamma=2.0, cv=3, C_max=10.0, accuracy=1e-2)
    calls = {name: call for name, (_, call) in PATHS.items()}
    calls["rough PathSVC"] = lambda c: rough.set_params(callback=c).fit(X[:200], Y[:200])
    seen = reports_of(calls[name])
    assert len(seen) >= 2
    assert is_rising([report.seconds for report in seen])
    assert is_rising([report.iteration for report in seen])


def test_the_steps_of_all_folds_are_counted() -> None:
    seen: list[Progress] = []
    machine = PathSVC(gamma=2.0, cv=3, C_max=10.0, callback=seen.append).fit(X[:200], Y[:200])
    assert len(machine.path_.segments.changed) <= seen[-1].iteration


@pytest.mark.parametrize("name", [name for name in PATHS if name.endswith("_path")])
def test_a_path_reports_its_own_parameter_where_it_is_known(name: str) -> None:
    """nu_svc_path reported C, nu_svr_path the width of its tube."""
    seen: list[Progress] = []
    path = PATHS[name][1](seen.append)
    assert {report.parameter for report in seen} <= {path.parameter}
    if path.parameter == "nu":
        low, high = sorted([path.begin, path.end])
        assert all(low - 1e-9 <= report.value <= high + 1e-9 for report in seen)
        values = [report.value for report in seen]
        assert is_rising(values if path.begin < path.end else values[::-1])


@pytest.mark.parametrize("name", [name for name in PATHS if name.endswith("_path")])
def test_a_path_that_was_ended_calls_no_more(name: str) -> None:
    seen: list[Progress] = []
    path = PATHS[name][1](lambda progress: seen.append(progress) or True)
    assert len(seen) <= 1
    assert path.status == "callback" or not seen


def test_a_callback_watches_and_ends_a_kernel_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was called only while one solution took long, with no steps and the time of that one."""
    monkeypatch.setattr("mercer.paths.inputs.limits._QUIET", 0.0)
    seen: list[Progress] = []
    path = kernel_path(X[:80], Y[:80], callback=lambda p: seen.append(p) or len(seen) == 20)
    assert path.status == "callback"
    assert len(seen) == 20
    assert 1 <= len(path.breakpoints) <= seen[-1].iteration
    assert path.predict(X[:3], path.end).shape == (3,)


def test_a_search_hands_over_its_history() -> None:
    def call(callback: Callback) -> TunedSVC:
        return TunedSVC(max_evals=3, cv=2, callback=callback).fit(X[:60], X[:60, 0] > 0)

    assert {type(seen) for seen in reports_of(call)} == {History}
