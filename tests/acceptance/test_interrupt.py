"""Ctrl-C: KeyboardInterrupt comes at once, whatever is running, and the process goes on.

One program sends itself a SIGINT soon after each piece of work has begun, notes how long the
exception took to arrive, and fits again.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

PROGRAM = """
import json, os, signal, threading, time
import numpy as np
from mercer import SVC, SVR

rng = np.random.default_rng(0)
n = 20_000
X, y = rng.normal(size=(n, 10)), rng.integers(0, 2, n)
three = y + (X[:, 0] > 0)
sent = []

def interrupt():
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)

def slow(left, right):
    time.sleep(0.01)
    return left @ right.T

def interrupted(machine, work):
    threading.Timer(0.3, interrupt).start()
    try:
        work()
    except KeyboardInterrupt:
        seconds = time.perf_counter() - sent[-1]
        again = SVC().fit(X[:200], y[:200])
        return seconds, again.solutions_[0].status, hasattr(machine, "dual_coef_")
    raise RuntimeError("not interrupted")

def fit(machine, X, y):
    return interrupted(machine, lambda: machine.fit(X, y))

report = {
    "noisy labels": fit(SVC(C=1e6), X, y),
    "several machines": fit(SVC(C=1e6, multiclass="one-vs-all", n_threads=2), X, three),
    "all classes at once": fit(SVC(C=1e6, multiclass="lee-lin-wahba"), X, three),
    "one chunk": fit(SVC(C=1e9, gamma=1e-3, multiclass="lee-lin-wahba"), X[:1000], three[:1000]),
    "a cache of few rows": fit(SVR(C=1e6, kernel="poly", cache_size=1), X, X[:, 0]),
    "a slow kernel function": fit(SVC(C=1e6, kernel=slow), X[:2000], y[:2000]),
}
fitted, rows = SVC().fit(X[:6000], y[:6000]), rng.normal(size=(1_000_000, 10))
report["a large batch"] = interrupted(None, lambda: fitted.predict(rows))
print(json.dumps(report))
"""


@pytest.mark.usefixtures("interruptible")
def test_interrupted_and_usable_again() -> None:
    """0.2 s are promised; a loaded machine is given ten times as much."""
    command = [sys.executable, "-c", PROGRAM]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    print(report)
    for work, (seconds, status, is_fitted) in report.items():
        assert seconds < 2.0, work
        assert status == "converged", work
        assert not is_fitted, work


@pytest.fixture
def background_shell() -> Iterator[None]:
    """What a shell starts in the background inherits an ignored SIGINT."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("background_shell", "interruptible")
def test_a_background_shell_does_not_fail_the_tests() -> None:
    """What it starts would never be interrupted otherwise."""
    program = "import signal; print(signal.getsignal(signal.SIGINT).__name__)"
    shown = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert shown.strip() == "default_int_handler"
