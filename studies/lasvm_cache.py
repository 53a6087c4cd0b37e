"""Kernel rows that LASVM computes again, by cache size (Glasmachers 2008, figure 8.2, in counts).

    python studies/lasvm_cache.py [--repeats 5] [--megabytes 0.5 1 2 4 8 16 32 64 128]

One epoch in random order on two crescents that overlap (C = 316, gamma = 0.5, 4,000 rows). LASVM
computes one kernel row for each example, with what is kept at that moment; counted are the rows
that it computes again because they had been dropped. Beside it the rows that SMO, on all rows,
computes with a cache of the same size, each of 4,000 values. Means over repetitions with new rows;
LASVM's results with all cache sizes are compared bit by bit.
"""

from __future__ import annotations

import argparse

import numpy as np
from lasvm import crescents

from mercer import SVC, OnlineSVC

C, GAMMA = 316.0, 0.5
SELECTIONS = ("most-violating", "second-order")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--megabytes", type=float, nargs="+", default=[0.5, 1, 2, 4, 8, 16, 32, 64, 128]
    )
    options = parser.parse_args()
    seeds = range(options.repeats)
    counts = {
        **{name: [again(name, seed, options.megabytes) for seed in seeds] for name in SELECTIONS},
        "SMO": [batch(seed, options.megabytes) for seed in seeds],
    }
    print(f"| MB | {' | '.join(counts)} |")
    print("|---" * (1 + len(counts)) + "|")
    for i, size in enumerate(options.megabytes):
        means = (np.mean([run[i] for run in runs]) for runs in counts.values())
        print(f"| {size:g} | {' | '.join(f'{mean:,.0f}' for mean in means)} |")


def again(selection: str, seed: int, sizes: list[float]) -> list[int]:
    """Rows that LASVM computes again with caches of several sizes."""
    X, y, _, _ = crescents(seed)
    counts, results = [], set()
    for size in sizes:
        machine = OnlineSVC(C=C, gamma=GAMMA, selection=selection, cache_size=size)
        machine.partial_fit(X, y)
        counts.append(machine.n_recomputed_)
        results.add((machine.dual_coef_.tobytes(), machine.intercept_.tobytes()))
    assert len(results) == 1, "a cache has changed the result"
    return counts


def batch(seed: int, sizes: list[float]) -> list[float]:
    """Kernel rows that SMO computes with caches of several sizes."""
    X, y, _, _ = crescents(seed)
    machines = (SVC(C=C, gamma=GAMMA, solver="smo", cache_size=size) for size in sizes)
    return [machine.fit(X, y).solutions_[0].n_kernel / len(y) for machine in machines]


if __name__ == "__main__":
    main()
