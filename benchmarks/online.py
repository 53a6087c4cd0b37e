"""Learning from a stream: examples a second, one epoch beside scikit-learn, a million examples.

    python benchmarks/online.py rate [--features 20 --vectors 1000]
    python benchmarks/online.py epoch --data DIR [--sets usps mnist a9a]
    python benchmarks/online.py million [--examples 1000000]

CPU seconds on one thread. ``rate`` feeds a machine that has so many support vectors, with all rows
in one chunk, and the same examples to machines of other sizes. ``epoch`` takes each row once, then
fits ``sklearn.svm.SVC`` on the same rows in the same process. ``million`` streams generated rows
without noise, and noisy ones under budgets, and prints what is kept and the memory of the process.
"""

from __future__ import annotations

import argparse
import pickle
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.svm
from numpy.typing import NDArray
from suite import load
from threadpoolctl import threadpool_limits

from mercer import OnlineSVC
from mercer.lab import make_chessboard

Rows = tuple[Any, NDArray[Any]]
# Name, C, gamma: the rows are scaled to [0, 1] or [-1, 1], or are zeros and ones.
SETS = {"usps": (10.0, 1 / 128), "mnist": (5.0, 0.02), "a9a": (1.0, 0.05)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["rate", "epoch", "million"])
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--vectors", type=int, default=1000)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--peer", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--examples", type=int, default=1_000_000)
    options = parser.parse_args()
    with threadpool_limits(1):
        if options.what == "rate":
            rate(options.features, options.vectors)
        elif options.what == "million":
            million(options.examples)
        else:
            for name in options.sets:
                epoch(name, options.data, options.peer)


def rate(n_features: int, n_vectors: int) -> None:
    """Examples a second at about ``n_vectors`` support vectors."""
    for dtype in (np.float64, np.float32):
        for size in (n_vectors // 4, n_vectors, 4 * n_vectors):
            rng = np.random.default_rng(0)
            machine = OnlineSVC(
                C=100.0, gamma=1.0 / n_features, selection="second-order", n_threads=1
            )
            seen = 0
            while seen == 0 or machine.n_kept_ < size:
                machine.partial_fit(*smooth(rng, 500, n_features, dtype))
                seen = machine.n_seen_
            X, y = smooth(rng, 5000, n_features, dtype)
            before = machine.n_kept_
            began = time.process_time()
            machine.partial_fit(X, y)
            seconds = time.process_time() - began
            print(
                f"rate {np.dtype(dtype).name:8s} d={n_features} kept {before} to {machine.n_kept_} "
                f"after {seen} examples: {len(y) / seconds:10,.0f} examples/s"
            )


def smooth(rng: np.random.Generator, n: int, n_features: int, dtype: Any) -> Rows:
    """Rows without noise on both sides of a slightly curved surface."""
    X = rng.normal(size=(n, n_features)).astype(dtype)
    return X, np.where(X[:, 0] + X[:, 1] + 0.1 * X[:, 2] ** 2 > 0.1, 1, -1)


def epoch(name: str, folder: Path, with_peer: bool) -> None:
    """One look at each row, and the batch machine of the peer."""
    C, gamma = SETS[name]
    (X, y), (Z, t) = binary(name, load(folder / f"{name}.npz"))
    order = np.random.default_rng(0).permutation(len(y))
    X, y = X[order], y[order]
    for selection in ("second-order", "most-violating"):
        machine = OnlineSVC(C=C, gamma=gamma, selection=selection, n_threads=1)
        began = time.process_time()
        machine.partial_fit(X, y)
        seconds = time.process_time() - began
        print(
            f"epoch {name} {X.shape} {selection:14s} {seconds:8.2f} s, "
            f"{len(machine.support_ids_)} support vectors, dual {machine.objective_:.6g}, "
            f"accuracy {machine.score(Z, t):.4f}, peak memory {peak():.0f} MB",
            flush=True,
        )
    if with_peer:
        peer = sklearn.svm.SVC(C=C, gamma=gamma, cache_size=1000)
        began = time.process_time()
        peer.fit(X, y)
        seconds = time.process_time() - began
        print(
            f"epoch {name} {X.shape} scikit-learn   {seconds:8.2f} s, "
            f"{len(peer.support_)} support vectors, accuracy {peer.score(Z, t):.4f}",
            flush=True,
        )


def binary(name: str, arrays: dict[str, Any]) -> tuple[Rows, Rows]:
    """Training and test rows; digits below five against the others."""
    parts = []
    for part in ("train", "test"):
        X, y = arrays[f"X_{part}"], arrays[f"y_{part}"]
        if name != "a9a":
            X = (X / (255.0 if name == "mnist" else 1000.0)).astype(np.float32)
            y = np.where(y < 5, -1, 1)
        parts.append((X, y))
    return parts[0], parts[1]


def million(n: int) -> None:
    """Long streams, with what they keep and take."""
    plain = OnlineSVC(C=10_000.0, gamma=2.0, selection="second-order", n_threads=1)
    follow("no noise", plain, n, 0.0)
    for eviction in ("removal", "merging", "projection"):
        machine = OnlineSVC(
            C=1.0, gamma=1.0, max_support_vectors=200, eviction=eviction, n_threads=1
        )
        follow(f"noise 0.1, budget 200, {eviction}", machine, n, 0.1)


def follow(name: str, machine: OnlineSVC, n: int, noise: float) -> None:
    """Stream the chess board in chunks; print at a tenth of it, and at the end."""
    test = make_chessboard(10_000, random_state=1)
    began = time.process_time()
    for X, y in chunks(n, noise):
        machine.partial_fit(X, y, classes=[-1, 1])
        if machine.n_seen_ in (n // 10, n // 2, n):
            seconds = time.process_time() - began
            finished = pickle.loads(pickle.dumps(machine)).finish()
            began += time.process_time() - began - seconds
            print(
                f"million, {name}: {machine.n_seen_} examples, kept {machine.n_kept_}, "
                f"{machine.n_seen_ / seconds:,.0f} examples/s, "
                f"accuracy {machine.score(*test):.4f}, finished {finished.score(*test):.4f}, "
                f"kernel rows {machine.kept_bytes_ / 2**20:.1f} MB, "
                f"process {peak():.0f} MB",
                flush=True,
            )


def chunks(n: int, noise: float) -> Iterator[Rows]:
    for seed in range(10):
        X, y = make_chessboard(n // 10, noise=noise, random_state=seed)
        for part in np.array_split(np.arange(len(y)), 10):
            yield X[part], y[part]


def peak() -> float:
    """Most memory that the process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
