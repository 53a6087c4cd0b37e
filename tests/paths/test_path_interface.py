"""What a path can be asked, and what happens at its limits."""

from __future__ import annotations

import _thread
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path as FilePath

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from mercer import Gram, StepFunction, svc_path
from mercer.io import load, save
from mercer.kernels import Linear
from paths.path_cases import TOY_LABELS, TOY_ROWS, path_of, violation
from solvers.active_set_cases import random_case


def cancer() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


# The counts of Sentelle 2014, tables 6.5 and 6.6: 1119 linear, 705 Gaussian.


@pytest.mark.parametrize(("kernel", "events"), [("linear", 1122), ("rbf", 697)])
def test_breast_cancer_takes_as_many_events_as_in_the_source(kernel: str, events: int) -> None:
    X, y = cancer()
    path = svc_path(X, y, kernel=kernel, gamma=0.1, C_max=1e3)
    assert 0.98 * events <= path.summary().n_events <= 1.02 * events
    assert path.violation < 1e-9
    for C in np.r_[np.geomspace(path.first_event, 1e3, 12), path.C[::97]]:
        assert violation(path, C) <= 1e-8


# Errors along the path.


@pytest.mark.parametrize("seed", range(25))
def test_the_error_is_exact_everywhere(seed: int) -> None:
    case = random_case(seed, max_rows=40)
    path = path_of(case, C_max=200.0)
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, case.X.shape[1]))
    y = np.where(rng.random(40) < 0.5, 1.0, -1.0)
    weight = rng.random(40)
    error = path.error(X, y, weight)
    high = 200.0 if path.status == "trivial" else min(path.end, 3 * float(path.C[-1]))
    for C in np.exp(rng.uniform(np.log(1e-3), np.log(high), 40)):
        values = path.decision_function(X, C)
        if np.abs(values).min() < 1e-9:
            continue
        wrong = np.where(values > 0, 1.0, -1.0) != y
        assert error(C) == pytest.approx(weight @ wrong / weight.sum())


def test_the_decision_changes_where_the_error_jumps() -> None:
    X, y = cancer()
    path = svc_path(X[:300], y[:300], gamma=0.05, C_max=100.0)
    error = path.error(X[300:], y[300:])
    assert len(error.x) > 20
    for C in error.x[1::5]:
        smallest = np.abs(path.decision_function(X[300:], C)).min()
        assert smallest < 1e-8


def test_unknown_classes_are_refused() -> None:
    path = svc_path(TOY_ROWS, TOY_LABELS, kernel="linear")
    with pytest.raises(ValueError, match="y must hold the classes"):
        path.error(TOY_ROWS, [1, 1, 2, 1, 1, 1])


@pytest.mark.parametrize("seed", range(4))
def test_leave_one_out_is_that_of_each_path_without_a_row(seed: int) -> None:
    case = random_case(seed + 24, max_rows=16)
    path = path_of(case, C_max=50.0)
    error = path.leave_one_out()
    assert isinstance(error, StepFunction)
    rng = np.random.default_rng(seed)
    for C in np.exp(rng.uniform(np.log(0.01), np.log(min(error.end, 50.0)), 5)):
        wrong, close = 0, False
        for i in range(len(case.y)):
            keep = case.weight.copy()
            keep[i] = 0.0
            if min(keep[case.y > 0].sum(), keep[case.y < 0].sum()) == 0:
                wrong += 1
                continue
            other = svc_path(case.X, case.y, kernel=case.kernel, sample_weight=keep, C_max=50.0)
            value = other.decision_function(case.X[[i]], C)[0]
            low, high = other.intercept_interval(C)
            close |= abs(value) < 1e-8 or high - low > 1e-8
            wrong += (value > 0) != (case.y[i] > 0)
        if not close:
            assert error(C) == pytest.approx(wrong / len(case.y))


# Files.


def test_a_saved_path_replays_exactly(tmp_path: FilePath) -> None:
    X, y = cancer()
    labels = np.array(["bad", "good"])[y]
    path = svc_path(X[:200], labels[:200], gamma=0.1, C_max=50.0)
    file = tmp_path / "path.mercer"
    save(path, file)
    again = load(file)
    assert again.status == path.status
    assert str(again.summary()) in str(path.summary())
    assert np.array_equal(again.events, path.events)
    for C in (0.01, 1.0, 33.0):
        assert np.array_equal(again.coef(C), path.coef(C))
        assert again.intercept(C) == path.intercept(C)
        assert again.intercept_interval(C) == path.intercept_interval(C)
    assert np.array_equal(again.predict(X, 3.0), path.predict(X, 3.0))
    # the rows, the numbers of the free rows, twice, and little else
    free = 16 * path.segments.n_free.sum()
    assert file.stat().st_size < X[:200].nbytes + free + 100 * len(path.C) + 40000


# Limits.


def test_the_callback_sees_progress_and_leaves_a_partial_path() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(800, 6)), np.where(rng.random(800) < 0.5, 1, -1)
    seen = []

    def callback(progress: object) -> bool:
        seen.append(progress)
        return len(seen) == 2

    path = svc_path(X, y, gamma=0.2, callback=callback)
    assert path.status == "callback"
    assert seen[1].iteration > seen[0].iteration
    assert seen[1].value >= seen[0].value > 0
    assert seen[1].n_active > 0
    assert path.end == pytest.approx(seen[1].value)
    assert violation(path, path.end) <= 1e-8
    with pytest.raises(ValueError, match="where the path is known"):
        path.coef(1.01 * path.end)


def test_time_and_events_can_be_limited() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(800, 6)), np.where(rng.random(800) < 0.5, 1, -1)
    path = svc_path(X, y, gamma=0.2, max_events=50)
    assert path.status == "max-events"
    assert len(path.events) == 50


@pytest.fixture
def interrupt(interruptible: None) -> Callable[[float], None]:
    """Ctrl-C some seconds from now."""
    return lambda seconds: threading.Timer(seconds, _thread.interrupt_main).start()


@pytest.mark.parametrize("options", [{}, {"C_min": 100.0}, {"accuracy": 1e-4}])
def test_an_interrupt_ends_the_path(options: dict, interrupt: Callable[[float], None]) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 6)), np.where(rng.random(3000) < 0.5, 1, -1)
    interrupt(0.5)
    with pytest.raises(KeyboardInterrupt):
        svc_path(X, y, gamma=0.2, **options)


def test_an_interrupt_ends_leaving_out_rows(interrupt: Callable[[float], None]) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 6)), np.where(rng.random(600) < 0.5, 1, -1)
    path = svc_path(X, y, gamma=0.2)
    interrupt(0.3)
    with pytest.raises(KeyboardInterrupt):
        path.leave_one_out()


def test_errors_of_the_callback_come_out() -> None:
    def callback(progress: object) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        svc_path(TOY_ROWS, TOY_LABELS, kernel="linear", callback=callback)


def test_progress_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    from mercer.machines.verbose import _Lines

    svc_path(TOY_ROWS, TOY_LABELS, kernel="linear", callback=_Lines(1, "path").watch(0, None))
    assert re.search(r"\[path\] C = [\d.]+, step \d+, free \d+", capsys.readouterr().out)
    assert svc_path(TOY_ROWS, TOY_LABELS, kernel="linear", verbose=True).status == "complete"


# Bad input.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C_max": 0.0}, "C_max must be positive"),
        ({"C_min": -1.0}, "C_min must be positive"),
        ({"C_min": 5.0, "C_max": 2.0}, "C_min must be below C_max"),
        ({"start": "early"}, "start must be"),
        ({"accuracy": -1.0}, "accuracy must not be negative"),
        ({"kernel": "sigmoid", "gamma": 1.0}, "positive semi-definite"),
        ({"sample_weight": np.ones(3)}, "sample_weight"),
    ],
)
def test_bad_arguments_are_named(options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        svc_path(TOY_ROWS, TOY_LABELS, **options)


def test_other_than_two_classes_are_refused() -> None:
    for y in (np.ones(6), np.arange(6)):
        with pytest.raises(ValueError, match="two classes"):
            svc_path(TOY_ROWS, y)


def test_a_c_outside_is_refused() -> None:
    path = svc_path(TOY_ROWS, TOY_LABELS, kernel="linear", C_min=0.3, C_max=0.5)
    for C in (0.2, 0.51, 0.0, np.nan):
        with pytest.raises(ValueError, match="C must be positive"):
            path.coef(C)


def test_several_c_at_once() -> None:
    path = svc_path(TOY_ROWS, TOY_LABELS, kernel="linear")
    values = path.decision_function(TOY_ROWS, [0.2, 0.7])
    assert values.shape == (6, 2)
    assert values[:, 1] == pytest.approx(path.decision_function(TOY_ROWS, 0.7))


def test_the_summary_prints() -> None:
    text = str(svc_path(TOY_ROWS, TOY_LABELS, kernel="linear").summary())
    assert "n_events" in text
    assert "complete" in text
    assert "Path over C of 6 rows" in repr(svc_path(TOY_ROWS, TOY_LABELS, kernel="linear"))


def test_a_gram_in_single_precision_serves_double_values() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 2)), np.where(rng.random(60) < 0.5, 1, -1)
    path = svc_path(Gram(Linear(), X, precision="single"), y, C_max=10.0)
    assert violation(path, 3.0) <= 1e-8


# Memory: O(n m + m^2) for m free rows.

MEMORY = """
import resource, numpy as np
from mercer import svc_path
rng = np.random.default_rng(0)
n = 20000
y = np.repeat([1, -1], n // 2)
X = rng.normal(size=(n, 4))
X[:, 0] += 0.5 * y
svc_path(X[::200], y[::200], gamma=20.0, C_max=1.0)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
path = svc_path(X, y, gamma=20.0, C_max=1.0, max_events=300, cache_size=20.0)
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(len(path.events), path.summary().largest_free, (after - before) / 1024)
"""


def test_twenty_thousand_rows_fit_into_two_hundred_megabytes() -> None:
    out = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    events, largest, megabytes = map(float, out.stdout.split())
    assert events == 300
    assert largest > 100
    assert megabytes < 200
