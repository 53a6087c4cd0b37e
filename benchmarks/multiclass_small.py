"""Many classes of a few thousand rows: one-vs-one and one-vs-all beside scikit-learn's.

    python benchmarks/multiclass_small.py --data DIR [--rows 4000] [--repeats 3]
                                          [--sets NAME ...] [--nu NU ...]

Standardised features, Gaussian kernel with gamma = 1 / features, C = 1 and 10, one thread. CPU
seconds, the least of the repeats, in turns; the peer of one-vs-all is ``sklearn.svm.SVC`` for each
class. Ratios above 1 mean that we are faster. The geometric mean and the least ratio come last.
``--nu 0.05 0.2`` sets ``NuSVC``, of pairs of classes, beside ``sklearn.svm.NuSVC`` instead.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Fit:
    """A machine and its peer on rows of many classes."""

    scheme: str
    parameter: str  # "C" or "nu"
    value: float

    def ours(self, gamma: float) -> Any:
        if self.parameter == "nu":
            return mercer.NuSVC(nu=self.value, gamma=gamma, n_threads=1)
        return mercer.SVC(C=self.value, gamma=gamma, multiclass=self.scheme, n_threads=1)

    def fit_peer(self, gamma: float, X: np.ndarray, y: np.ndarray) -> Any:
        kind = sklearn.svm.NuSVC if self.parameter == "nu" else sklearn.svm.SVC
        machine = kind(**{self.parameter: self.value}, gamma=gamma, cache_size=1000)
        if self.scheme == "one-vs-one":
            return machine.fit(X, y)
        return [machine.fit(X, y == label) for label in np.unique(y)]


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    found = work()
    return time.process_time() - began, found


def row(name: str, fit: Fit, data: Any, repeats: int) -> float:
    X, y = data
    gamma = 1.0 / X.shape[1]
    machine = fit.ours(gamma)
    spent = [
        (
            seconds(lambda: machine.fit(X, y))[0],
            seconds(lambda: fit.fit_peer(gamma, X, y))[0],
        )
        for _ in range(repeats)
    ]
    ours, theirs = np.min(spent, axis=0)
    print(
        f"{name:10s} {X.shape[0]:5d} {X.shape[1]:4d} {len(machine.classes_):3d} {fit.scheme:11s} "
        f"{fit.parameter:2s} {fit.value:4g} {1e3 * ours:8.1f} {1e3 * theirs:8.1f} "
        f"{theirs / ours:6.1f} {machine.violation_:8.1e} {machine.dual_gap_:8.1e}",
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
    parser.add_argument("--nu", type=float, nargs="+")
    options = parser.parse_args()
    print("set         rows    d   k scheme      C or nu  ours ms  sklearn  ratio  viol.     gap")
    data = {name: rows_of(options.data, name, options.rows) for name in options.sets}
    parameter, values = ("nu", options.nu) if options.nu else ("C", (1.0, 10.0))
    for scheme in ("one-vs-one",) if options.nu else ("one-vs-one", "one-vs-all"):
        fits = [Fit(scheme, parameter, value) for value in values]
        ratios = [
            row(name, fit, data[name], options.repeats) for name in options.sets for fit in fits
        ]
        mean = np.exp(np.mean(np.log(ratios)))
        print(f"{scheme}: geometric mean {mean:.1f}, least {min(ratios):.1f}", flush=True)


if __name__ == "__main__":
    main()
