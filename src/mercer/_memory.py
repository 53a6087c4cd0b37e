"""How much memory there is, asked before much is taken."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["available_bytes", "require_memory"]

GIGABYTE = 2**30
# Not worth a look at the system.
LITTLE = 2**28
UNKNOWN = 4 * GIGABYTE
# Where Linux says what a group of processes may take, takes, and could give back of that.
GROUPS = (
    ("/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
    (
        "/sys/fs/cgroup/memory",
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
        "total_inactive_file",
    ),
)


def require_memory(n_bytes: float, what: str, instead: str) -> None:
    """Refuse ``what`` if it needs more memory than there is, and say what would work instead."""
    if n_bytes <= LITTLE:
        return
    available = available_bytes()
    if n_bytes > available:
        raise ValueError(
            f"{what} needs {n_bytes / GIGABYTE:.1f} GB of memory, but only "
            f"{available / GIGABYTE:.1f} GB are available: {instead}"
        )


def available_bytes() -> int:
    """Memory this process may still take: of the system, within the limits set for it."""
    return int(max(min(_of_system(), _of_group(), _of_process()), 0))


def _of_system() -> int:
    """The estimate of Linux (caches can be given back), elsewhere the free memory."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        sizes = {line.split(":")[0]: 1024 * int(line.split()[1]) for line in lines}
        return sizes["MemAvailable"] + sizes.get("SwapFree", 0)
    except (OSError, ValueError, IndexError, KeyError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return UNKNOWN


def _of_group() -> float:
    """The memory that containers may still use."""
    for folder, limit, usage, cache in GROUPS:
        try:
            most, used = (int(Path(folder, name).read_text()) for name in (limit, usage))
            lines = Path(folder, "memory.stat").read_text().splitlines()
            return most - used + int(dict(line.split() for line in lines)[cache])
        except (OSError, ValueError, KeyError):
            continue
    return float("inf")


def _of_process() -> float:
    """The memory that ``ulimit -v`` leaves."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return float("inf")
        used = int(Path("/proc/self/statm").read_text().split()[0])
        return limit - used * resource.getpagesize()
    except (ImportError, OSError, ValueError, IndexError):
        return float("inf")
