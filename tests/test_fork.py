"""A process may fork at any time: nobody in the child goes on with what other threads began."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mercer import Gram, solve
from mercer import formulations as fm
from mercer.kernels import FunctionKernel, Gaussian

SECONDS = 60  # until a child counts as hanging

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")


def exit_status(work: Callable[[], object]) -> int:
    """How a child ends that does this work; it is killed if it hangs."""
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        try:
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class Waiting:
    """A kernel whose values another thread waits with, until it is told to go on."""

    def __init__(self) -> None:
        self.is_inside, self.may_go_on = threading.Event(), threading.Event()

    def __call__(self, A: NDArray[Any], B: NDArray[Any]) -> NDArray[Any]:
        if threading.current_thread() is not threading.main_thread():
            self.is_inside.set()
            assert self.may_go_on.wait(SECONDS)
        return A @ B.T


def test_a_child_waited_for_a_row_that_its_parent_was_computing() -> None:
    if not hasattr(os, "fork"):
        return
    X = np.random.default_rng(0).normal(size=(40, 2))
    kernel = Waiting()
    gram = Gram(FunctionKernel(kernel), X)
    gram.diagonal()
    thread = threading.Thread(target=gram.row, args=(3,))
    thread.start()
    assert kernel.is_inside.wait(SECONDS)

    def work() -> None:
        np.testing.assert_allclose(gram.row(3), X @ X[3])

    assert exit_status(work) == 0
    kernel.may_go_on.set()
    thread.join()
    np.testing.assert_allclose(gram.row(3), X @ X[3])


@pytest.mark.parametrize("cache_size", [0.1, 100.0])
def test_a_child_deadlocked_while_a_thread_trained_on_its_gram(cache_size: float) -> None:
    if not hasattr(os, "fork"):
        return
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1500, 3)), np.where(rng.random(1500) < 0.5, 1.0, -1.0)
    gram = Gram(Gaussian(1.0), X, cache_size=cache_size, precision="single", n_threads=2)
    problem, stop = fm.svc(y, 100.0).problem, threading.Event()
    expected = solve(problem, gram, "smo", max_iter=20).coef

    def train() -> None:
        while not stop.is_set():
            solve(problem, gram, "smo", max_time=0.05)

    def work() -> None:
        np.testing.assert_array_equal(solve(problem, gram, "smo", max_iter=20).coef, expected)
        vars(gram)["_native"].clear()  # its memory goes, too

    thread = threading.Thread(target=train)
    thread.start()
    try:
        for _ in range(8):
            time.sleep(0.01 * rng.random())
            assert exit_status(work) == 0
    finally:
        stop.set()
        thread.join()


def test_a_gram_that_had_slept_could_not_go_in_a_child() -> None:
    if not hasattr(os, "fork"):
        return
    gram = Gram(Gaussian(1.0), np.random.default_rng(0).normal(size=(20_000, 2)), n_threads=2)
    gram.row(0)
    time.sleep(0.05)  # its threads wait to be woken by now

    def work() -> None:
        nonlocal gram
        del gram

    assert exit_status(work) == 0
