"""Jobs that share threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["on_threads"]

T = TypeVar("T")


def on_threads(work: Callable[[T], None], jobs: Sequence[T], n_threads: int) -> None:
    """Do all jobs; the first error, or an interrupt, ends them."""
    if n_threads == 1 or len(jobs) == 1:
        for job in jobs:
            work(job)
        return
    pool = ThreadPoolExecutor(min(n_threads, len(jobs)))
    try:
        for done in [pool.submit(work, job) for job in jobs]:
            done.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
