"""Coverage and size of conformal sets and intervals over random splits of real sets.

    python benchmarks/coverage.py --data DIR [--splits 500] [--parts sets intervals time]

sets       full, cross and split conformal sets of ``SVC`` on five sets, two of them thinned to a
           class imbalance of 1:20 and class-conditional there: coverage by class, labels a set
intervals  each kind on five sets: coverage, and width next to the spread of the targets
time       full conformal sets at 500 rows: CPU milliseconds for a row and label

Every split draws training and test rows anew. Band: 99 % of a binomial count of as many trials as
there are splits, around 1 - alpha (around 1 - 2 alpha for jackknife+, cv+ and cross, of which only
the lower end counts, as it does for all kinds with ties).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.stats import binom
from sklearn.preprocessing import StandardScaler
from suite import load

from mercer import LSSVR, SVC, SVR, ConformalSVC, ConformalSVR

ALPHA = 0.1
# name, C, whether it is thinned to 1:20
SETS = (
    ("diabetes", 1.0, False), ("german_numer", 1.0, False), ("spambase", 10.0, False),
    ("banana", 1.0, True), ("twonorm", 1.0, True),
)  # fmt: skip
TARGETS = ("abalone", "boston_housing", "cpusmall", "kin8nm", "bank8FM")
Split = tuple[np.ndarray, np.ndarray]


def read(directory: Path, name: str) -> Split:
    """Rows, standardised, and labels or targets."""
    arrays = load(directory / f"{name}.npz")
    X, y = arrays.get("X", arrays.get("X_train")), arrays.get("y", arrays.get("y_train"))
    X = X.toarray() if sp.issparse(X) else X.astype(np.float64)
    return StandardScaler().fit_transform(X), np.asarray(y).ravel().astype(np.float64)


def thinned(y: np.ndarray) -> np.ndarray:
    """Rows that are left when the second class is a twentieth of the first."""
    first, second = np.flatnonzero(y != y.max()), np.flatnonzero(y == y.max())
    keep = np.random.default_rng(0).permutation(second)[: len(first) // 20]
    return np.concatenate([first, keep])


def draws(y: np.ndarray, n: int, n_test: int, n_splits: int, by_class: bool) -> Iterator[Split]:
    """Training and test rows; by class: shares of the classes kept, as many test rows of each."""
    rng = np.random.default_rng(1)
    for _ in range(n_splits):
        if not by_class:
            order = rng.permutation(len(y))
            yield order[:n], order[n : n + n_test]
            continue
        train, test = [], []
        for label in np.unique(y):
            own = rng.permutation(np.flatnonzero(y == label))
            count = round(n * len(own) / len(y))
            train.append(own[:count])
            test.append(own[count : count + n_test // 2])
        yield np.concatenate(train), np.concatenate(test)


def band(n_splits: int, level: float) -> str:
    low, high = binom.interval(0.99, n_splits, level)
    return f"{low / n_splits:.3f}..{high / n_splits:.3f}"


def sets(args: argparse.Namespace) -> None:
    print(f"sets, alpha = {ALPHA}, band {band(args.splits, 1 - ALPHA)}")
    for name, C, is_thin in SETS:
        X, y = read(args.data, name)
        if is_thin:
            rows = thinned(y)
            X, y = X[rows], y[rows]
        for kind in ("full", "cross", "split"):
            machine = ConformalSVC(SVC(C=C), kind=kind, class_conditional=is_thin, alpha=ALPHA)
            hits, sizes, empty = [], [], []
            for train, test in draws(y, 420 if is_thin else 300, 10, args.splits, is_thin):
                machine.set_params(random_state=int(train[0]))
                found = machine.fit(X[train], y[train]).predict_set(X[test])
                labels = np.searchsorted(machine.classes_, y[test])
                hit = found[np.arange(len(test)), labels]
                hits.append([hit[labels == c].mean() for c in (0, 1)] if is_thin else [hit.mean()])
                sizes.append(found.sum(axis=1).mean())
                empty.append((~found.any(axis=1)).mean())
            cover = "  ".join(f"{value:.3f}" for value in np.mean(hits, axis=0))
            about = "by class, 1:20" if is_thin else "all rows"
            print(
                f"  {name:14s} {kind:6s} {about:15s} {cover:14s} labels {np.mean(sizes):.3f}  "
                f"empty {np.mean(empty):.3f}",
                flush=True,
            )


def intervals(args: argparse.Namespace) -> None:
    print(
        f"intervals, alpha = {ALPHA}, bands {band(args.splits, 1 - ALPHA)} and, for jackknife+ "
        f"and cv+, {band(args.splits, 1 - 2 * ALPHA)}"
    )
    kinds = {
        "full LSSVR": (LSSVR(alpha=0.1), "full"),
        "jackknife+ LSSVR": (LSSVR(alpha=0.1), "jackknife+"),
        "jackknife+ SVR": (SVR(C=10.0), "jackknife+"),
        "cv+ SVR": (SVR(C=10.0), "cv+"),
        "split SVR": (SVR(C=10.0), "split"),
        "cv+ quantile": (SVR(C=10.0, loss="quantile"), "cv+"),
        "split quantile": (SVR(C=10.0, loss="quantile"), "split"),
    }  # fmt: skip
    for name in TARGETS:
        X, y = read(args.data, name)
        y = (y - y.mean()) / y.std()
        for label, (machine, kind) in kinds.items():
            machine.set_params(gamma=1.0 / X.shape[1])
            conformal = ConformalSVR(machine, kind=kind, alpha=ALPHA)
            hits, widths = [], []
            for train, test in draws(y, 100, 10, args.splits, by_class=False):
                conformal.set_params(random_state=int(train[0]))
                ends = conformal.fit(X[train], y[train]).predict_interval(X[test])
                hits.append(((ends[:, 0] <= y[test]) & (y[test] <= ends[:, 1])).mean())
                widths.append((ends[:, 1] - ends[:, 0]).mean())
            print(
                f"  {name:14s} {label:17s} {np.mean(hits):.3f}  width {np.mean(widths):.3f} of "
                "the standard deviation",
                flush=True,
            )


def timed(args: argparse.Namespace) -> None:
    print("full conformal sets at 500 rows, CPU milliseconds a row and label")
    for name, *_ in SETS:
        X, y = read(args.data, name)
        order = np.random.default_rng(0).permutation(len(y))[:600]
        X, y = X[order], y[order]
        for C in (1.0, 100.0):
            for gamma in ("scale", 1.0 / X.shape[1]):
                machine = ConformalSVC(SVC(C=C, gamma=gamma, n_threads=1)).fit(X[:500], y[:500])
                began = time.process_time()
                machine.p_values(X[500:600])
                each = (time.process_time() - began) / 200
                print(f"  {name:14s} C={C:<5g} gamma={gamma!s:6.6s} {1e3 * each:.2f}", flush=True)


def main() -> None:
    parts = {"sets": sets, "intervals": intervals, "time": timed}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--splits", type=int, default=500)
    parser.add_argument("--parts", nargs="*", choices=parts, default=list(parts))
    args = parser.parse_args()
    for part in args.parts:
        parts[part](args)


if __name__ == "__main__":
    main()
