"""What a budget of examples costs: accuracy and time of each way to keep it.

    python benchmarks/online_budget.py --data DIR [--budget 200 --repeats 4]

Each row once, features standardized, C = 1, gamma = 1 / features (chess board: 2); means over
orders of the rows and, of generated ones, draws. CPU seconds on one thread.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from suite import load
from threadpoolctl import threadpool_limits

from mercer import OnlineSVC
from mercer.lab import make_chessboard

Rows = tuple[NDArray[Any], NDArray[Any]]
SETS = ("noisy", "chessboard", "ringnorm", "waveform", "spambase", "letter", "raetsch_image")
EVICTIONS = ("removal", "projection", "merging", None)
MOST, N_TEST = 6000, 3000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--budget", type=int, default=200)
    parser.add_argument("--repeats", type=int, default=4)
    options = parser.parse_args()
    with threadpool_limits(1):
        for name in options.sets:
            compare(name, options.data, options.budget, options.repeats)


def compare(name: str, folder: Path, budget: int, repeats: int) -> None:
    """Print accuracy, accuracy after finishing and seconds of each way."""
    found: dict[str | None, list[tuple[float, float, float]]] = {way: [] for way in EVICTIONS}
    for seed in range(repeats):
        (X, y), test, gamma = split(name, folder, seed)
        for eviction in EVICTIONS:
            machine = OnlineSVC(C=1.0, gamma=gamma, selection="second-order", n_threads=1)
            if eviction:
                machine.set_params(max_support_vectors=budget, eviction=eviction)
            began = time.process_time()
            machine.partial_fit(X, y)
            seconds = time.process_time() - began
            scores = machine.score(*test), machine.finish().score(*test)
            found[eviction].append((*scores, seconds))
    for eviction, runs in found.items():
        first, finished, seconds = np.mean(runs, axis=0)
        print(
            f"budget {budget} {name} {len(y)} x {X.shape[1]} {eviction or 'no budget':10s} "
            f"accuracy {first:.3f}, finished {finished:.3f}, {seconds:.3f} s",
            flush=True,
        )


def split(name: str, folder: Path, seed: int, most: int = MOST) -> tuple[Rows, Rows, float]:
    """At most so many training rows, test rows, and gamma."""
    if name == "chessboard":
        train = make_chessboard(most, noise=0.1, random_state=seed)
        return train, make_chessboard(N_TEST, random_state=99), 2.0
    rng = np.random.default_rng(seed)
    X, y = noisy(rng, most + N_TEST, 18) if name == "noisy" else real(name, folder, rng)
    n = min(most, len(y) - min(N_TEST, int(0.3 * len(y))))
    return (X[:n], y[:n]), (X[n:], y[n:]), 1.0 / X.shape[1]


def noisy(rng: np.random.Generator, n: int, n_features: int) -> Rows:
    """A curved boundary under noise of about its own size; most features say nothing."""
    X = rng.normal(size=(n, n_features))
    value = np.sin(1.5 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3]
    return X, np.where(value + 0.7 * rng.normal(size=n) > 0, 1, -1)


def real(name: str, folder: Path, rng: np.random.Generator) -> Rows:
    """Standardized rows in random order; the first half of the classes against the others."""
    arrays = load(folder / f"{name}.npz")
    part = "_train" if "X_train" in arrays else ""
    X, y = np.asarray(arrays[f"X{part}"], dtype=float), arrays[f"y{part}"]
    order = rng.permutation(len(y))[: MOST + N_TEST]
    X, y = X[order], y[order]
    classes = np.unique(y)
    X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12)
    return X, np.where(np.isin(y, classes[: len(classes) // 2]), -1, 1)


if __name__ == "__main__":
    main()
