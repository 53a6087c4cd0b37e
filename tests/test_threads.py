"""Threads change how long it takes, never a single byte of the result."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from mercer import Gram, solve
from mercer import formulations as fm
from mercer._threads import resolve_threads
from mercer.kernels import Gaussian, Kernel, Linear, Normalized, Polynomial

MANY = (2, 3, 4, 8)
KERNELS: dict[str, Kernel] = {
    "linear": Linear(),
    "gaussian": Gaussian(0.4),
    "composite": Normalized(Polynomial(degree=2, coef0=1.0)) * Gaussian(0.2) + 0.5,
}


def sample(n: int = 20_000) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Enough rows for every kernel row to be shared out among threads."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 5))
    return X, np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n) > 0, 1.0, -1.0)


def verbs(gram: Gram) -> Iterator[NDArray[Any]]:
    rng = np.random.default_rng(1)
    left, right = rng.integers(0, gram.n_rows, 40), rng.integers(0, gram.n_rows, 900)
    yield gram.row(17)
    yield gram.block(left, right)
    yield gram.product(left, rng.normal(size=(40, 2)))


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("name", KERNELS)
def test_kernel_values(name: str, store: Any, precision: Any) -> None:
    X = store(sample()[0])
    alone, *others = (
        [v.tobytes() for v in verbs(Gram(KERNELS[name], X, precision=precision, n_threads=count))]
        for count in (1, *MANY)
    )
    assert all(other == alone for other in others)


@pytest.mark.parametrize(("precision", "size"), [("single", 1e-20), ("double", 1e-160)])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_denormal_kernel_values(precision: Any, size: float, store: Any) -> None:
    """They were zero on some threads and numbers on others."""
    X = store(size * sample()[0])
    grams = [Gram(Linear(), X, precision=precision, n_threads=count) for count in (1, 2, 5)]
    assert len({gram.row(0).tobytes() for gram in grams}) == 1
    assert len({gram.product([0, 1], [1.0, 1.0]).tobytes() for gram in grams}) == 1
    # the caller's own arithmetic is as it was
    assert (np.array([1e-310]) * 0.5).all()


@pytest.mark.parametrize("precision", ["single", "double"])
def test_solutions(precision: Any) -> None:
    X, y = sample()
    problem = fm.svc(y, 0.05).problem
    results = [
        solve(problem, Gram(Gaussian(0.4), X, precision=precision, n_threads=count), max_iter=150)
        for count in (1, *MANY)
    ]
    for other in results[1:]:
        assert other.coef.tobytes() == results[0].coef.tobytes()
        assert other.gradient.tobytes() == results[0].gradient.tobytes()
        assert (other.objective, other.n_iter) == (results[0].objective, results[0].n_iter)


def test_solutions_after_refinement() -> None:
    X, y = sample(400)
    problem = fm.svc(y, 1.0).problem
    results = {
        solve(problem, Gram(Gaussian(0.4), X, n_threads=count), tol=1e-9).coef.tobytes()
        for count in (1, *MANY)
    }
    assert len(results) == 1


def test_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert resolve_threads(None) == 3
    assert resolve_threads(5) == 5
    for nonsense in ("", "0", "many", "-2"):
        monkeypatch.setenv("OMP_NUM_THREADS", nonsense)
        assert resolve_threads(None) >= 1
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert resolve_threads(None) <= (os.cpu_count() or 1)
    with pytest.raises(ValueError, match="n_threads must be at least 1 or None, got -1"):
        resolve_threads(-1)


def test_more_threads_than_work() -> None:
    X = sample(50)[0]
    gram = Gram(Gaussian(0.4), X, n_threads=64)
    np.testing.assert_allclose(gram.row(3), Gaussian(0.4)(X)[3], atol=1e-12)


TOO_MANY = """
import resource
import numpy as np
from mercer import Gram
from mercer.kernels import Linear

gram = Gram(Linear(), np.ones((20_000, 3)), n_threads=20_000)
resource.setrlimit(resource.RLIMIT_AS, (2 * 2**30, 2 * 2**30))
print(gram.row(0).sum(), gram.row(1).sum())
"""


def test_more_threads_than_the_system_grants() -> None:
    """The second row waited for ever for threads that had never started."""
    if os.name != "posix":
        return
    result = subprocess.run(
        [sys.executable, "-c", TOO_MANY],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
    )
    assert result.stdout.split() == ["60000.0", "60000.0"], result.stderr


def row_sum(gram: Gram, i: int) -> float:
    return float(gram.row(i).sum(dtype=np.float64))


def _send_row_sum(gram: Gram, i: int, pipe: Any) -> None:
    pipe.send(row_sum(gram, i))


def test_a_gram_works_in_a_forked_process() -> None:
    """The threads stay behind in the parent."""
    gram = Gram(Gaussian(0.4), sample()[0], n_threads=2)
    gram.row(0)
    if "fork" not in multiprocessing.get_all_start_methods():
        return
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    child = context.Process(target=_send_row_sum, args=(gram, 5, theirs))
    child.start()
    assert ours.poll(60), "the child hangs"
    assert ours.recv() == row_sum(gram, 5)
    child.join()


INTERRUPTED = """
import signal, threading
import numpy as np
from mercer import Gram, solve
from mercer import formulations as fm
from mercer.kernels import Linear

rng = np.random.default_rng(0)
X, y = rng.normal(size=(2000, 2)), np.where(rng.random(2000) < 0.5, 1.0, -1.0)
gram, problem = Gram(Linear(), X), fm.svc(y, 1e9).problem
threading.Timer(0.3, signal.raise_signal, (signal.SIGINT,)).start()
try:
    solve(problem, gram, max_iter=10**12, max_time=60)
except KeyboardInterrupt:
    print("interrupted", solve(problem, gram, max_iter=5).status)
"""


@pytest.mark.usefixtures("interruptible")
def test_a_solve_can_be_interrupted_from_the_keyboard() -> None:
    command = [sys.executable, "-c", INTERRUPTED]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.stdout.strip() == "interrupted max-iter", result.stderr


def test_python_goes_on_while_a_solve_runs() -> None:
    X, y = sample(2000)
    ticks, done = 0, threading.Event()
    gram, problem = Gram(Linear(), X), fm.svc(y, 1e9).problem

    def run() -> None:
        solve(problem, gram, max_iter=10**12, max_time=0.3)
        done.set()

    worker = threading.Thread(target=run)
    worker.start()
    while not done.wait(0.01):
        ticks += 1
    worker.join()
    assert ticks > 0
