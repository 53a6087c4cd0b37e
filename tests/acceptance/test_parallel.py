"""Threads, ours or the caller's, change nothing: not a byte of what is fitted or predicted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from machines.machine_cases import CASES, sample
from mercer import SVC, SVR, NuSVC, OneClassSVM

COUNTS = range(1, 9)
FITTED = ("dual_coef_", "intercept_", "support_", "n_iter_")
# enough rows for a kernel row to be shared out among threads, few enough steps for a test
MACHINES: dict[str, Any] = {
    "svc": SVC(max_iter=40),
    "several classes": SVC(max_iter=15, kernel="poly"),
    "svr": SVR(max_iter=40, precision="double"),
    "one class": OneClassSVM(nu=0.01, max_iter=40),
}


def bits(machine: Any, X: Any) -> bytes:
    """Everything that was learned and is predicted."""
    parts = [getattr(machine, name) for name in FITTED]
    parts = [part.toarray() if sparse.issparse(part) else np.asarray(part) for part in parts]
    parts += [getattr(machine, "decision_function", machine.predict)(X), machine.objective_]
    return b"".join(np.asarray(part).tobytes() for part in parts)


@pytest.mark.filterwarnings("ignore:Solver terminated early")
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", MACHINES)
def test_number_of_threads(name: str, store: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9000, 4))
    y = np.digitize(X[:, 0], [0] if name == "svc" else [-0.3, 0.4])
    rows = store(X)
    machines = [clone(MACHINES[name]).set_params(n_threads=n).fit(rows, y) for n in COUNTS]
    assert len({bits(machine, rows[:2000]) for machine in machines}) == 1


def test_number_of_threads_of_a_finished_fit() -> None:
    data = sample(0, 200)
    machines = [NuSVC(nu=0.3, n_threads=n).fit(data.X, data.labels) for n in COUNTS]
    assert len({bits(machine, data.X) for machine in machines}) == 1


def test_fits_at_the_same_time() -> None:
    """Every machine several times over, in as many threads."""
    data = sample(0, 60)

    def fit(name: str) -> bytes:
        case = CASES[name]
        return bits(case.fit(data.X, data.targets(case), n_threads=2), data.X)

    alone = {name: fit(name) for name in CASES}
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(fit, list(CASES) * 4))
    assert together == [alone[name] for name in list(CASES) * 4]


def test_predictions_at_the_same_time() -> None:
    data = sample(0, 60)
    machine = SVC().fit(data.X, data.labels)
    alone = machine.decision_function(data.X).tobytes()
    with ThreadPoolExecutor(8) as pool:
        together = pool.map(lambda _: machine.decision_function(data.X).tobytes(), range(40))
    assert set(together) == {alone}


def test_a_function_kernel_in_several_threads() -> None:
    data = sample(0, 60)

    def fit(_: int) -> bytes:
        return bits(SVC(kernel=lambda a, b: a @ b.T).fit(data.X, data.labels), data.X)

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(fit, range(8)))) == 1
