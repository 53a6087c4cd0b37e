"""What several criteria need: jobs that share threads, some of the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mercer.gram.native import take_rows
from mercer.kernels import Kernel

__all__ = ["on_threads", "some_rows"]

T = TypeVar("T")


def on_threads(work: Callable[[T], None], jobs: Sequence[T], n_threads: int) -> None:
    """Do all jobs; the first error, or an interrupt, ends them."""
    if n_threads == 1 or len(jobs) <= 1:
        for job in jobs:
            work(job)
        return
    pool = ThreadPoolExecutor(min(n_threads, len(jobs)))
    try:
        for done in [pool.submit(work, job) for job in jobs]:
            done.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def some_rows(kernel: Kernel, rows: Any, chosen: NDArray[np.intp]) -> Any:
    """Some of the rows, to be compared with each other; of kernel values their columns, too."""
    some = take_rows(rows, chosen)
    return some[:, chosen] if kernel._row_kind == "stored" else some
