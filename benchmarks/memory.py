"""Memory of the process over many small fits: it must not grow.

    python benchmarks/memory.py [--fits 10000 --rows 60 --threads 1]

Each of the five machines is fitted and asked for predictions in turn; after every tenth of the
fits the resident memory beyond that of the first tenth is printed.
"""

from __future__ import annotations

import argparse
from time import perf_counter
from typing import Any

import numpy as np
import psutil

from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--fits", type=int, default=10_000)
    parser.add_argument("--rows", type=int, default=60)
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


def machines(n_threads: int) -> list[Any]:
    classifiers = [SVC(n_threads=n_threads), NuSVC(nu=0.2, n_threads=n_threads)]
    regressors = [SVR(n_threads=n_threads), NuSVR(n_threads=n_threads)]
    return [*classifiers, *regressors, OneClassSVM(n_threads=n_threads)]


def main() -> None:
    options = parse()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(options.rows, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=len(X)) > 0, 1, -1)
    fitted, process, tenth = machines(options.threads), psutil.Process(), options.fits // 10
    started, base = perf_counter(), 0
    print(f"{'fits':>8} {'grown MB':>9} {'seconds':>8}")
    for done in range(1, options.fits + 1):
        fitted[done % len(fitted)].fit(X, y).predict(X)
        if done % tenth == 0:
            memory = process.memory_info().rss
            base = base or memory
            grown = (memory - base) / 2**20
            print(f"{done:8d} {grown:9.2f} {perf_counter() - started:8.1f}", flush=True)


if __name__ == "__main__":
    main()
