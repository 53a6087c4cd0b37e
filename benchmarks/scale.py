"""Past one fit: random chunks and cells next to the exact machine, and least squares on a cluster.

    python benchmarks/scale.py chunks --data DIR [--sets skin mnist connect-4] [--threads 2]
    python benchmarks/scale.py cluster [--rows 100000 1000000] [--processes 1 2] [--rank 500] \
        [--block-size 16384]
    python benchmarks/scale.py tuned [--rows 460000] [--features 54] [--threads 2]
    python benchmarks/scale.py divide --data DIR [--sets skin mnist connect-4 poker chessboard]

chunks    one machine on all training rows, averaged machines on random chunks, machines of cells
          (with and without overlap): accuracy on held-out rows and seconds of fit and prediction
cluster   DaskRLSC with alpha by GCV on rows that workers generate, 2 GiB for each: wall and CPU
          seconds, and the exponents of both between the first and the last number of rows
tuned     ChunkedEnsemble(TunedSVC(), partition="cells") on generated rows
divide    solver="divide" next to "auto", one class against the others: objective, violation, kernel
          values, CPU and wall seconds

Times are wall seconds unless they are called CPU: chunks and workers run side by side. Where other
programs have a share of the cores, wall seconds say nothing about 1 process next to 2.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from suite import load

from mercer import SVC, ChunkedEnsemble, TunedSVC
from mercer.lab import make_chessboard


def read(folder: Path, name: str) -> tuple[Any, Any, Any, Any, SVC]:
    """Training and held-out rows and labels of a set, and the machine that suits it."""
    file = "skin_nonskin" if name == "skin" else name
    arrays = load(folder / f"{file}.npz")
    if name == "mnist":
        rows = [arrays[key].astype(np.float32) / 255 for key in ("X_train", "X_test")]
        return rows[0], rows[1], arrays["y_train"], arrays["y_test"], SVC(C=10.0, gamma=0.02)
    if "X" not in arrays:
        both = [arrays["X_train"], arrays["X_test"]]
        arrays = {
            "X": sp.vstack(both, format="csr") if sp.issparse(both[0]) else np.vstack(both),
            "y": np.concatenate([arrays["y_train"], arrays["y_test"]]),
        }
    X = arrays["X"]
    X = X if sp.issparse(X) else StandardScaler().fit_transform(X.astype(np.float64))
    parts = train_test_split(X, arrays["y"], test_size=0.2, random_state=0, stratify=arrays["y"])
    machine = SVC(C=10.0, gamma=1.0) if name == "skin" else SVC(C=10.0, gamma=0.1)
    return *parts, machine


def compare(folder: Path, name: str, threads: int, size: int) -> None:
    X, Z, y, truth, machine = read(folder, name)
    machine.set_params(n_threads=threads)
    parallel = {"chunk_size": size, "n_jobs": threads, "random_state": 0}
    alone = machine.__class__(**machine.get_params() | {"n_threads": None})
    rivals: dict[str, Callable[[], Any]] = {
        "exact": lambda: machine,
        "random chunks": lambda: ChunkedEnsemble(
            alone, partition="random", combine="average", **parallel
        ),
        "cells": lambda: ChunkedEnsemble(alone, partition="cells", **parallel),
        "cells, overlap 0.2": lambda: ChunkedEnsemble(
            alone, partition="cells", overlap=0.2, **parallel
        ),
    }
    print(f"\n{name}: {len(y)} rows, {len(truth)} held out, chunks of {size}, {threads} threads")
    for label, make in rivals.items():
        began = time.perf_counter()
        fitted = make().fit(X, y)
        fit_time = time.perf_counter() - began
        began = time.perf_counter()
        score = np.mean(fitted.predict(Z) == truth)
        seconds = time.perf_counter() - began
        chunks = len(getattr(fitted, "chunk_sizes_", [1]))
        print(
            f"{label:20} {chunks:4} machines  fit {fit_time:8.1f} s  predict {seconds:7.1f} s  "
            f"accuracy {100 * score:6.2f} %",
            flush=True,
        )


def make_rows(n: int, features: int, block: int) -> tuple[Any, Any]:
    """Rows and labels that are generated where they are read."""
    import dask.array as da

    X = da.random.default_rng(0).normal(size=(n, features), chunks=(block, features))
    return X, ((X[:, :5] ** 2).sum(axis=1) > 5).astype(int)


def measure_cluster(
    rows: list[int], processes: list[int], rank: int, features: int, block: int
) -> None:
    from distributed import Client, LocalCluster

    from mercer.dask import DaskRLSC

    for n_processes in processes:
        times = []
        with (
            LocalCluster(
                n_workers=n_processes,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address=None,
                memory_limit="2GiB",
            ) as cluster,
            Client(cluster) as client,
        ):
            fit(DaskRLSC, client, 2**14, rank, features, block)  # imports
            for n in rows:
                wall, each, own = fit(DaskRLSC, client, n, rank, features, block)
                workers = sum(each)
                times.append((wall, workers))
                print(
                    f"{n_processes} processes  {n:10} rows  {wall:8.1f} s  CPU: workers "
                    f"{workers:8.1f} s, {1e6 * workers / n:6.2f} us a row, the busiest "
                    f"{max(each):6.1f} s, client and scheduler {own:6.1f} s",
                    flush=True,
                )
        if len(rows) > 1:
            growth = np.log(rows[-1] / rows[0])
            exponents = [np.log(b / a) / growth for a, b in zip(times[0], times[-1], strict=True)]
            print(
                f"{n_processes} processes  exponent of wall {exponents[0]:.2f}, of CPU of the "
                f"workers {exponents[1]:.2f}"
            )


def fit(
    estimator: Any, client: Any, n: int, rank: int, features: int, block: int
) -> tuple[float, list[float], float]:
    """Wall seconds; CPU seconds of each worker; those of the client and scheduler."""
    X, y = make_rows(n, features, block)
    options = {"gamma": 0.05, "low_rank": rank, "loo": False, "block_size": block}
    machine = estimator(alpha="gcv", client=client, **options)
    began, own, workers = time.perf_counter(), time.process_time(), worker_seconds(client)
    machine.fit(X, y)
    wall = time.perf_counter() - began
    each = worker_seconds(client)
    return wall, [each[w] - workers[w] for w in each], time.process_time() - own


def worker_seconds(client: Any) -> dict[str, float]:
    found: dict[str, float] = client.run(time.process_time)
    return found


def divide(folder: Path, name: str, threads: int) -> None:
    if name == "chessboard":
        X, y = make_chessboard(100_000, random_state=0)
        machine = SVC(C=100.0, gamma=10.0)
    else:
        X, _, y, _, machine = read(folder, name)
        y = np.asarray(y) == np.unique(y)[np.unique(y, return_counts=True)[1].argmax()]
    machine.set_params(n_threads=threads)
    for solver in ("auto", "divide"):
        began, cpu = time.perf_counter(), time.process_time()
        machine.set_params(solver=solver).fit(X, y)
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
        found = machine.solutions_[0]
        print(
            f"{name:10s} {X.shape[0]:7d} rows {solver!s:9.9s} objective {found.objective:.8g} "
            f"violation {found.violation:.1e} {len(machine.support_):6d} vectors "
            f"{found.n_kernel / 1e9:6.2f} 10^9 values, CPU {cpu:.2f} s, {seconds:.1f} s "
            f"{found.trace.get('cells', 1)} cells, {found.trace.get('between_cells', 0.0):.2f}",
            flush=True,
        )


def measure_tuned(n: int, features: int, threads: int, size: int) -> None:
    X, y = make_classification(
        n + 20_000, features, n_informative=12, n_clusters_per_class=8, flip_y=0.02, random_state=0
    )
    X = StandardScaler().fit_transform(X).astype(np.float32)
    machine = ChunkedEnsemble(
        TunedSVC(random_state=0), chunk_size=size, partition="cells", n_jobs=threads, random_state=0
    )
    before = reset_peak()
    began, cpu = time.perf_counter(), time.process_time()
    machine.fit(X[:n], y[:n])
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    print(
        f"tuned cells: {n} x {features}, {len(machine.chunk_sizes_)} cells, {seconds:.1f} s, "
        f"CPU {cpu:.1f} s, {peak() - before:.0f} MB beyond {before:.0f} MB with the rows "
        f"({X.nbytes / 2**20:.0f} MB), accuracy {100 * machine.score(X[n:], y[n:]):.2f} %"
    )


def peak() -> float:
    """The most memory of the process since it was reset, in MB (Linux)."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.findall(r"VmHWM:\s+(\d+)", status)[0]) / 1024


def reset_peak() -> float:
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return peak()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["chunks", "cluster", "tuned", "divide"])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--sets", nargs="+", default=["skin", "mnist", "connect-4"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--chunk-size", type=int, default=5_000)
    parser.add_argument("--rows", type=int, nargs="+")
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rank", type=int, default=500)
    parser.add_argument("--features", type=int)
    parser.add_argument("--block-size", type=int, default=2**14)
    given = parser.parse_args()
    if given.part == "chunks":
        for name in given.sets:
            compare(given.data, name, given.threads, given.chunk_size)
    elif given.part == "cluster":
        rows = given.rows or [100_000, 1_000_000]
        measure_cluster(rows, given.processes, given.rank, given.features or 20, given.block_size)
    elif given.part == "divide":
        for name in given.sets:
            divide(given.data, name, given.threads)
    else:
        n = given.rows[0] if given.rows else 460_000
        measure_tuned(n, given.features or 54, given.threads, given.chunk_size)


if __name__ == "__main__":
    main()
