"""Every path has the same methods, whatever its parameter is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.metrics import r2_score

from mercer import (
    Path,
    kernel_path,
    nu_svc_path,
    nu_svr_path,
    one_class_path,
    svc_path,
    svr_path,
)
from mercer.solvers import Progress

mpl.use("Agg")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2)) + 5.0
Y = (X[:, 0] + RNG.normal(size=40) > 5.0).astype(int)
T = X[:, 0] ** 2 + 0.1 * RNG.normal(size=40)
INSIDE = np.where(np.arange(40) % 7, 1, -1)
# how it is made, its parameter, a value, the truth
PATHS: dict[str, tuple[Callable[[], Path], str, float, Any]] = {
    "svc": (lambda: svc_path(X, Y, gamma=0.5), "C", 3.0, Y),
    "svc, linear": (lambda: svc_path(X, Y, kernel="linear"), "C", 3.0, Y),
    "svr": (lambda: svr_path(X, T, gamma=0.5), "C", 3.0, T),
    "nu-svc": (lambda: nu_svc_path(X, Y, gamma=0.5), "nu", 0.3, Y),
    "nu-svr": (lambda: nu_svr_path(X, T, gamma=0.5), "nu", 0.3, T),
    "nu-svr, linear": (lambda: nu_svr_path(X, T, kernel="linear"), "nu", 0.3, T),
    "one class": (lambda: one_class_path(X, gamma=0.5), "nu", 0.3, INSIDE),
    "gamma": (lambda: kernel_path(X, Y, gamma_min=0.1, gamma_max=1.0), "gamma", 0.4, Y),
}


@pytest.mark.parametrize("name", PATHS)
def test_methods_agree_with_each_other(name: str) -> None:
    make, parameter, value, truth = PATHS[name]
    path = make()
    assert type(path) is Path
    assert (path.parameter, path.summary().parameter) == (parameter, parameter)
    assert min(path.begin, path.end) <= value <= max(path.begin, path.end)
    assert repr(path).startswith(f"<Path over {parameter} of 40 rows")
    low, high = path.intercept_interval(value)
    rounding = 1e-6 * (1.0 + abs(path.intercept(value)))
    # over gamma the machine between two solutions is not optimal, and no interval need be either
    if parameter != "gamma":
        assert low - rounding <= path.intercept(value) <= high + rounding
        assert path.certificate(value).relative_gap < 1e-8
    values = path.decision_function(X, [value])[:, 0]
    assert np.allclose(values, path.decision_function(X, value))
    assert np.allclose(values, _kernel(path, value) @ path.coef(value) + path.intercept(value))
    assert set(path.free(value)) <= set(range(40))
    predicted, score = path.predict(X, value), path.score(X, truth, value=value)
    is_regression = truth is T
    wanted = r2_score(truth, predicted) if is_regression else (predicted == truth).mean()
    assert score == pytest.approx(wanted)
    path.plot()


def _kernel(path: Path, value: float) -> Any:
    return path.kernel(X, X) if path.parameter != "gamma" else type(path.kernel)(value)(X, X)


@pytest.mark.parametrize("name", ["svc", "one class", "gamma"])
def test_scores_without_a_value_are_those_of_the_breakpoints(name: str) -> None:
    path, truth = PATHS[name][0](), PATHS[name][3]
    last = path.breakpoints[-1]
    scores = path.score(X, truth)
    assert scores.shape == path.breakpoints.shape
    assert scores[-1] == path.score(X, truth, value=last)
    weight = (truth == truth[0]).astype(float)
    assert path.score(X, truth, weight, value=last) == pytest.approx(
        (path.predict(X, last) == truth)[weight > 0].mean()
    )


def test_callbacks_hear_of_the_parameter_of_the_path() -> None:
    """The C that a callback of one_class_path was given was 1 / (nu times the weights)."""
    rows = RNG.normal(size=(400, 3))
    calls: list[tuple[str, Callable[..., Any]]] = [
        ("C", lambda tell: svc_path(rows, rows[:, 0] > 0, callback=tell)),
        ("nu", lambda tell: one_class_path(rows, callback=tell)),
        ("nu", lambda tell: nu_svr_path(rows, rows[:, 0] ** 2, gamma=2.0, callback=tell)),
    ]
    for parameter, call in calls:
        seen: list[Progress] = []
        call(lambda progress, seen=seen: seen.append(progress))
        assert seen
        assert {progress.parameter for progress in seen} == {parameter}
        if parameter == "nu":
            assert all(0.0 <= progress.value <= 1.0 for progress in seen)


@pytest.mark.parametrize("name", ["nu-svc", "nu-svr", "one class", "gamma"])
def test_what_is_known_over_C_only_is_refused_elsewhere(name: str) -> None:
    make, parameter, _, truth = PATHS[name]
    path = make()
    with pytest.raises(ValueError, match=f"error is known for paths over C.*over {parameter}"):
        path.error(X, truth)
    with pytest.raises(ValueError, match="leave_one_out is known for paths over C"):
        path.leave_one_out()
    with pytest.raises(ValueError, match="X must be None"):
        path.plot(X, truth)


def test_a_parameter_that_the_machines_do_not_have_is_named() -> None:
    path = svc_path(X, Y)
    with pytest.raises(AttributeError, match="this path over C has no nu"):
        _ = path.nu
    with pytest.raises(AttributeError, match="this path over gamma has no segments"):
        _ = PATHS["gamma"][0]().segments
    assert one_class_path(X).nu[0] == 1.0
    assert kernel_path(X, Y, C=2.0, gamma_min=0.3, gamma_max=0.4).C == 2.0


def test_the_intercept_of_rows_far_from_zero_is_that_of_the_rows_given() -> None:
    """nu_svr_path of a linear kernel gave the bias of rows that had been moved."""
    far = X + 1e4
    path = nu_svr_path(far, T, kernel="linear")
    values = far @ (path.coef(0.3) @ far) + path.intercept(0.3)
    assert values == pytest.approx(path.predict(far, 0.3), abs=1e-3)
