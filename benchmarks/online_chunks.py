"""A stream in large chunks: learned as wholes, row by row, refitted after each, and in one batch.

    python benchmarks/online_chunks.py --data DIR [--sets noisy ... --ways refits ... --repeats 3]

Noisy rows come in chunks of 1,000, real ones of 400; features standardized, gamma = 1 / features.
Each way runs in a process of its own: CPU seconds on one thread, the peak of the memory above that
of the process before, dual value and accuracy. Medians of the seconds. 100 MB is what kernel rows
may take there.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np
from online_budget import split
from threadpoolctl import threadpool_limits

from mercer import SVC, OnlineSVC

# Name, C, chunks, rows of a chunk.
CASES = (
    ("noisy", 1.0, 30, 1000),
    ("noisy", 10.0, 30, 1000),
    ("noisy", 1.0, 300, 100),
    ("chessboard", 1.0, 15, 400),
    ("letter", 1.0, 15, 400),
    ("spambase", 1.0, 8, 400),
    ("waveform", 1.0, 8, 400),
    ("ringnorm", 1.0, 12, 400),
)
WAYS = ("whole chunks", "row by row", "row by row, 100 MB", "refits", "one batch")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", nargs="+", default=sorted({case[0] for case in CASES}))
    parser.add_argument("--ways", nargs="+", default=WAYS, choices=WAYS)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    for name, C, count, size in CASES:
        if name not in options.sets:
            continue
        for way in options.ways:
            runs = []
            for _ in range(options.repeats):
                with context.Pool(1) as pool:
                    runs.append(pool.apply(measured, (way, name, C, count, size, options.data)))
            seconds = np.median([run[0] for run in runs])
            memory, n_kept, dual, accuracy = runs[0][1:]
            print(
                f"{name} C={C:g} {count} chunks of {size}, {way:18s} {seconds:7.2f} s, "
                f"{memory:5.0f} MB more, {n_kept} kept, dual {dual:.6g}, accuracy {accuracy:.4f}",
                flush=True,
            )


def measured(
    way: str, name: str, C: float, count: int, size: int, folder: Path
) -> tuple[float, float, int, float, float]:
    """Seconds, MB, kept examples, dual value and accuracy of one way."""
    (X, y), test, gamma = split(name, folder, 0, count * size)
    cuts = np.arange(0, min(len(y), count * size), size)
    with threadpool_limits(1):
        memory, began = peak(), time.process_time()
        machine = learned(way, X, y, cuts, size, C=C, gamma=gamma, n_threads=1)
        seconds = time.process_time() - began
        memory = peak() - memory
        n_kept = getattr(machine, "n_kept_", len(machine.support_vectors_))
        return seconds, memory, n_kept, machine.objective_, machine.score(*test)


def learned(way: str, X: Any, y: Any, cuts: Any, size: int, **options: Any) -> Any:
    """The machine after all chunks."""
    if way == "one batch":
        return SVC(**options).fit(X, y)
    if way == "refits":
        for cut in cuts:
            machine: Any = SVC(**options).fit(X[: cut + size], y[: cut + size])
        return machine
    machine = OnlineSVC(**options)
    if way.startswith("row by row"):
        machine.set_params(selection="second-order")
    if way.endswith("100 MB"):
        machine.set_params(cache_size=100)
    for cut in cuts:
        machine.partial_fit(X[cut : cut + size], y[cut : cut + size], classes=[-1, 1])
    return machine


def peak() -> float:
    """Most memory that the process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
