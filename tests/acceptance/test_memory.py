"""Many fits leave nothing behind. ``benchmarks/memory.py`` does the same 10,000 times."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import psutil
import pytest

from machines.machine_cases import CASES, sample
from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM

MEGABYTE = 2**20


def grown_megabytes(work: Callable[[], Any], warm_up: int, rounds: int) -> float:
    """Memory of the process after ``rounds`` of work, beyond what ``warm_up`` rounds took."""
    process = psutil.Process()
    for _ in range(warm_up):
        work()
    before = process.memory_info().rss
    for _ in range(rounds):
        work()
    return float(process.memory_info().rss - before) / MEGABYTE


def test_fits_and_predictions() -> None:
    """A kernel matrix of 100 rows takes 80 kB: kept 80 times over it would show."""
    data = sample(0, 100)
    machines = [SVC(), NuSVC(nu=0.2), SVR(), NuSVR(), OneClassSVM()]

    def fit_all() -> None:
        for machine in machines:
            y = data.numbers if isinstance(machine, (SVR, NuSVR)) else data.labels
            machine.set_params(n_threads=2).fit(data.X, y).predict(data.X)

    assert grown_megabytes(fit_all, 15, 80) < 2.0


def test_fits_that_fail() -> None:
    data = sample(0, 60)

    def broken(left: Any, right: Any) -> Any:
        if len(left) == len(data.X):
            raise RuntimeError("no more")
        return np.asarray(left) @ np.asarray(right).T

    def fail() -> None:
        with pytest.raises(RuntimeError, match="no more"):
            SVC(kernel=broken).fit(data.X, data.labels)

    assert grown_megabytes(fail, 30, 150) < 2.0


def test_copies() -> None:
    data = sample(0, 60)
    machine = CASES["svc"].fit(data.X, data.labels)

    def copy() -> None:
        pickle.loads(pickle.dumps(machine)).predict(data.X)

    assert grown_megabytes(copy, 50, 300) < 2.0
