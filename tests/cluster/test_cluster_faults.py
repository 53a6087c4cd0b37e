"""Workers are killed, stopped and lost: real processes on this machine."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mercer import SVC
from mercer.gram.native import count_rows

dask = pytest.importorskip("dask")
pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")
if not hasattr(signal, "SIGKILL"):
    pytest.skip("signals of POSIX", allow_module_level=True)

import faulty  # noqa: E402

from mercer.dask import BlockError, DaskChunkedEnsemble, DaskRLSC  # noqa: E402

Y = faulty.labels()
# With gamma="scale" and a grid each block is made four times: for the census, the sample, the
# normal equations and the left-out rows.
PHASES = {"census": 0, "sample": 1, "normal equations": 2, "left-out rows": 3}


def machine(client: Any = None, **options: Any) -> DaskRLSC:
    return DaskRLSC(alpha="loo", low_rank=20, block_size=64, client=client, **options)


def state(fitted: DaskRLSC) -> bytes:
    assert fitted.loo_errors_ is not None
    return bytes(fitted.dual_coef_.tobytes() + fitted.loo_errors_.tobytes())


@pytest.fixture(scope="module")
def forks() -> None:
    """Workers are forked from a process that has imported what they need: ever new ones start."""
    multiprocessing.get_context("forkserver").set_forkserver_preload(["distributed", "mercer.dask"])
    forkserver.ensure_running()


@pytest.fixture(scope="module")
def client(forks: None) -> Iterator[Any]:
    with (
        dask.config.set(
            {
                "distributed.worker.multiprocessing-method": "forkserver",
                # a lost worker is waited for by those that want its results
                "distributed.comm.timeouts.connect": "2s",
                # a worker that is away a while after it was lost is not started again: ours are
                # lost again and again, and without any worker a fit waits for one
                "distributed.deploy.lost-worker-timeout": "10 minutes",
            }
        ),
        distributed.LocalCluster(
            n_workers=3,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address=":0",
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        client.upload_file(faulty.__file__)
        yield client


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What one process makes of the rows, on threads."""
    rows = faulty.rows(tmp_path_factory.mktemp("calm"))
    return state(machine().fit(rows, Y))


def allow_failures(client: Any, n: int) -> None:
    def change(dask_scheduler: Any) -> None:
        dask_scheduler.allowed_failures = n

    client.run_on_scheduler(change)


@pytest.mark.parametrize("phase", PHASES)
def test_a_worker_killed_in_a_phase_changes_no_bit(
    client: Any, expected: bytes, tmp_path: Path, phase: str
) -> None:
    rows = faulty.rows(tmp_path, {120: ("die", {PHASES[phase]})})
    assert state(machine(client).fit(rows, Y)) == expected


# Random chunks make each block once, to deal it; cells once more, for a sample.
@pytest.mark.parametrize(("partition", "call"), [("random", 0), ("cells", 1)])
def test_a_worker_killed_while_rows_are_dealt_changes_no_bit(
    client: Any, tmp_path: Path, partition: str, call: int
) -> None:
    def fitted(rows: Any, client: Any) -> bytes:
        machine = DaskChunkedEnsemble(
            SVC(), n_chunks=3, partition=partition, random_state=0, block_size=64, client=client
        )
        machine.set_params(combine="cell" if partition == "cells" else "average").fit(rows, Y)
        values: bytes = machine.to_local().decision_function(calm.compute()).tobytes()
        return values

    (tmp_path / "calm").mkdir()
    calm = faulty.rows(tmp_path / "calm")
    assert fitted(faulty.rows(tmp_path, {120: ("die", {call})}), client) == fitted(calm, None)


def test_two_of_three_workers_killed_change_no_bit(
    client: Any, expected: bytes, tmp_path: Path
) -> None:
    rows = faulty.rows(tmp_path, {0: ("die", {2}), 300: ("die", {2})})
    assert state(machine(client).fit(rows, Y)) == expected


def test_a_worker_stopped_and_continued_changes_no_bit(
    client: Any, expected: bytes, tmp_path: Path
) -> None:
    rows = faulty.rows(tmp_path, {180: ("pause", {2})})
    assert state(machine(client).fit(rows, Y)) == expected


def test_a_block_that_needs_too_much_is_halved(
    client: Any, expected: bytes, tmp_path: Path
) -> None:
    """Its bytes are the same, because halves are what every block is made of."""
    allow_failures(client, 1)
    try:
        rows = faulty.rows(tmp_path, {120: ("die", {2, 3})})
        fitted = machine(client).fit(rows, Y)
    finally:
        allow_failures(client, 3)
    assert state(fitted) == expected
    assert "halved" in {report.status for report in fitted.blocks_}


def test_a_block_that_always_kills_its_worker_is_reported_with_its_rows(
    client: Any, tmp_path: Path
) -> None:
    allow_failures(client, 1)
    try:
        rows = faulty.rows(tmp_path, {300: ("die", None)})
        with pytest.raises(BlockError, match="its worker was lost again and again") as caught:
            machine(client, gamma=0.5).fit(rows, Y)
    finally:
        allow_failures(client, 3)
    report = caught.value.report
    assert report.start < 360
    assert report.stop > 300


def test_two_fits_at_once_do_not_disturb_each_other(
    client: Any, expected: bytes, tmp_path: Path
) -> None:
    rows = faulty.rows(tmp_path, {60: ("die", {3})})
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda _: state(machine(client).fit(rows, Y)), range(2)))
    assert found == [expected, expected]


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_cancels_what_is_to_come(client: Any, tmp_path: Path) -> None:
    deeds = {start: ("sleep", None) for start in range(0, faulty.N_ROWS, faulty.CHUNK)}
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        machine(client).fit(faulty.rows(tmp_path, deeds), Y)
    timer.join()

    def left(dask_scheduler: Any) -> int:
        return sum(str(key).startswith("mercer-") for key in dask_scheduler.tasks)

    until = time.monotonic() + 20.0
    while client.run_on_scheduler(left) and time.monotonic() < until:
        time.sleep(0.1)
    assert client.run_on_scheduler(left) == 0


def test_memory_errors_are_tried_again_in_halves(
    expected: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = faulty.rows(tmp_path)
    plenty, few = rows.compute(), []

    def scarce(X: Any) -> int:
        """There is no room for the third block, once."""
        if np.array_equal(X, plenty[128:160]) and len(few) < 3:
            few.append(1)
            if len(few) == 3:
                raise MemoryError
        return count_rows(X)

    monkeypatch.setattr("mercer.training.rows.count_rows", scarce)
    fitted = machine().fit(rows, Y)
    assert state(fitted) == expected
    assert len(few) == 3
    assert [report.status for report in fitted.blocks_].index("halved") == 2
