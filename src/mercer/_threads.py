"""How many threads to use."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from functools import lru_cache

import joblib
from threadpoolctl import ThreadpoolController

__all__ = ["blas_threads", "resolve_threads"]


def resolve_threads(n_threads: int | None) -> int:
    """``n_threads``, else ``OMP_NUM_THREADS``, else the CPUs this process may use."""
    if n_threads is not None:
        if n_threads < 1:
            raise ValueError(f"n_threads must be at least 1 or None, got {n_threads!r}")
        return int(n_threads)
    named = os.environ.get("OMP_NUM_THREADS", "")
    return int(named) if named.isdigit() and int(named) > 0 else _count_cpus(os.getpid())


@lru_cache(maxsize=1)
def _count_cpus(process: int) -> int:
    """CPUs that a process may use, looked up once in each: that takes long next to a small fit."""
    return int(joblib.cpu_count())


def blas_threads(n_threads: int) -> AbstractContextManager[object]:
    """Let BLAS use so many threads.

    Of small products several threads take longer than one, and more of the CPU.
    """
    limit: AbstractContextManager[object] = _libraries().limit(limits=n_threads, user_api="blas")
    return limit


@lru_cache(maxsize=1)
def _libraries() -> ThreadpoolController:
    """The libraries that have threads, looked up once: that takes some milliseconds."""
    return ThreadpoolController()
