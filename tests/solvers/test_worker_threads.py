"""Threads that serve a line do each piece once, and end with their maker."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from mercer.solvers.worker_threads import WorkerThreads


class Numbers:
    """The numbers below ``count``, and those that are done."""

    def __init__(self, count: int, broken: int = -1) -> None:
        self.count, self.broken = count, broken
        self.begun, self.done = 0, set[int]()

    def take(self) -> int | None:
        if self.begun == self.broken:
            raise ValueError(f"broken at {self.begun}")
        if self.begun == self.count:
            return None
        self.begun += 1
        return self.begun - 1

    def give_back(self, piece: int) -> None:
        assert piece not in self.done
        self.done.add(piece)

    @property
    def is_done(self) -> bool:
        return len(self.done) == self.count


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    before = threading.active_count()
    yield
    assert threading.active_count() <= before


@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 40])
def test_each_piece_is_done_once(n_threads: int, count: int) -> None:
    line, seen = Numbers(count), list[int]()
    workers = WorkerThreads(line, n_threads)
    with workers.at_work(seen.append):
        workers.wait_for(lambda: line.is_done)
    assert sorted(seen) == sorted(line.done) == list(range(count))


def test_a_crew_of_one_works_on_the_thread_that_waits_and_no_longer_than_it_must() -> None:
    line, threads = Numbers(5), list[threading.Thread]()
    workers = WorkerThreads(line, 1)
    with workers.at_work(lambda piece: threads.append(threading.current_thread())):
        workers.wait_for(lambda: len(line.done) == 2)
    assert threads == [threading.current_thread()] * 2


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_error_of_the_work_comes_out_where_somebody_waits(n_threads: int) -> None:
    def work(piece: int) -> None:
        if piece == 3:
            raise ZeroDivisionError("of piece 3")

    line = Numbers(50)
    workers = WorkerThreads(line, n_threads)
    with pytest.raises(ZeroDivisionError, match="of piece 3"), workers.at_work(work):
        workers.wait_for(lambda: line.is_done)
    assert 3 not in line.done


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_error_of_the_line_comes_out_too(n_threads: int) -> None:
    line = Numbers(50, broken=4)
    workers = WorkerThreads(line, n_threads)
    with pytest.raises(ValueError, match="broken at 4"), workers.at_work(lambda piece: None):
        workers.wait_for(lambda: line.is_done)


def test_what_was_ready_before_an_error_is_given_out() -> None:
    def work(piece: int) -> None:
        if piece == 1:
            raise ZeroDivisionError

    line = Numbers(2)
    workers = WorkerThreads(line, 2)
    with workers.at_work(work):
        workers.wait_for(lambda: 0 in line.done)
        with pytest.raises(ZeroDivisionError):
            workers.wait_for(lambda: line.is_done)


def test_work_is_ended_when_the_maker_leaves() -> None:
    line, has_begun = Numbers(10), threading.Event()
    workers = WorkerThreads(line, 2)

    def work(piece: int) -> None:
        has_begun.set()
        while True:
            workers.end_if_over()
            time.sleep(1e-3)

    def leave() -> None:
        with workers.at_work(work):
            has_begun.wait()
            raise KeyError("the maker has other things to do")

    with pytest.raises(KeyError, match="other things"):
        leave()
    assert not line.done
