"""Many classes of a few thousand rows: one-vs-one and one-vs-all beside scikit-learn's.

    python benchmarks/multiclass_small.py --data DIR [--rows 4000] [--repeats 3] [--sets NAME ...]

Standardised features, Gaussian kernel with gamma = 1 / features, C = 1 and 10, one thread. CPU
seconds, the least of the repeats, in turns; the peer of one-vs-all is ``sklearn.svm.SVC`` for each
class. Ratios above 1 mean that we are faster. The geometric mean and the least ratio come last.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.svm
from suite import load

import mercer

SETS = ("satimage", "pendigits", "usps", "vowel", "segment", "vehicle", "letter", "mnist")


def rows_of(directory: Path, name: str, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of all parts of a set, drawn at random and standardised."""
    parts = load(directory / f"{name}.npz")
    names = ("", "_train", "_test")
    X = np.vstack([_dense(parts[f"X{part}"]) for part in names if f"X{part}" in parts])
    y = np.concatenate([parts[f"y{part}"] for part in names if f"y{part}" in parts])
    chosen = np.random.default_rng(0).permutation(len(y))[:count]
    X, y = X[chosen], y[chosen]
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0), y


def _dense(rows: Any) -> np.ndarray:
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=np.float64)


def fit_peer(C: float, gamma: float, scheme: str, X: np.ndarray, y: np.ndarray) -> Any:
    machine = sklearn.svm.SVC(C=C, gamma=gamma, cache_size=1000)
    if scheme == "one-vs-one":
        return machine.fit(X, y)
    return [machine.fit(X, y == label) for label in np.unique(y)]


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    found = work()
    return time.process_time() - began, found


def row(name: str, scheme: str, C: float, data: Any, repeats: int) -> float:
    X, y = data
    gamma = 1.0 / X.shape[1]
    machine = mercer.SVC(C=C, gamma=gamma, multiclass=scheme, n_threads=1)
    spent = [
        (
            seconds(lambda: machine.fit(X, y))[0],
            seconds(lambda: fit_peer(C, gamma, scheme, X, y))[0],
        )
        for _ in range(repeats)
    ]
    ours, theirs = np.min(spent, axis=0)
    print(
        f"{name:10s} {X.shape[0]:5d} {X.shape[1]:4d} {len(machine.classes_):3d} {scheme:11s} "
        f"{C:4g} {1e3 * ours:8.1f} {1e3 * theirs:8.1f} {theirs / ours:6.1f} "
        f"{machine.violation_:8.1e} {machine.dual_gap_:8.1e}",
        flush=True,
    )
    return float(theirs / ours)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--sets", nargs="+", default=SETS)
    options = parser.parse_args()
    print("set         rows    d   k scheme         C   ours ms  sklearn  ratio  viol.     gap")
    data = {name: rows_of(options.data, name, options.rows) for name in options.sets}
    for scheme in ("one-vs-one", "one-vs-all"):
        ratios = [
            row(name, scheme, C, data[name], options.repeats)
            for name in options.sets
            for C in (1.0, 10.0)
        ]
        mean = np.exp(np.mean(np.log(ratios)))
        print(f"{scheme}: geometric mean {mean:.1f}, least {min(ratios):.1f}", flush=True)


if __name__ == "__main__":
    main()
