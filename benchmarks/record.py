"""One JSON file a release: how many times as fast as scikit-learn, so that slowdowns show.

    python benchmarks/record.py write [FILE] [--repeats 7]
    python benchmarks/record.py compare OLD.json [NEW.json] [--tolerance 0.8]

``write`` measures every cell and writes ``benchmarks/results/VERSION.json``. Both sides run in
turns on one thread, on the same generated rows, and the ratio of their CPU times is kept: its
median, and its quartiles, which say how much of a change is noise. Scores stand beside the times.

``compare`` shows the ratios of two files, or of a file and a new measurement, and exits with 1 if
a cell has become slower: its median is below ``--tolerance`` times the old one, and its upper
quartile below the old lower one.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import sklearn.svm
from sklearn.datasets import make_classification, make_regression
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV
from threadpoolctl import threadpool_limits

import mercer

RESULTS = Path(__file__).parent / "results"
LONG = 3.0  # seconds of both sides after which a cell has been repeated enough
Run = Callable[[], float]


@dataclass(frozen=True)
class Cell:
    """Something both sides can do; each returns a score of what it has made."""

    name: str
    ours: Run
    theirs: Run


def fit_and_score(machine: Any, X: Any, y: Any) -> float:
    half = len(X) // 2
    return float(machine.fit(X[:half], y[:half]).score(X[half:], y[half:]))


def classifiers() -> list[Cell]:
    cells = []
    for rows, features, n_classes, C in (
        (300, 20, 2, 1.0),
        (1000, 20, 2, 1.0),
        (1000, 20, 2, 100.0),
        (4000, 20, 2, 1.0),
        (1000, 100, 2, 1.0),
        (1000, 20, 5, 1.0),
    ):
        X, y = make_classification(
            2 * rows, features, n_informative=features // 2, n_redundant=0,
            n_classes=n_classes, n_clusters_per_class=2, flip_y=0.05, random_state=0,
        )  # fmt: skip
        cells.append(
            Cell(
                f"SVC, {rows} x {features}, {n_classes} classes, C = {C:g}",
                lambda X=X, y=y, C=C: fit_and_score(mercer.SVC(C=C, n_threads=1), X, y),
                lambda X=X, y=y, C=C: fit_and_score(sklearn.svm.SVC(C=C), X, y),
            )
        )
    return cells


def regressors() -> list[Cell]:
    X, y = make_regression(2000, 20, n_informative=10, noise=5.0, random_state=0)
    y = (y - y.mean()) / y.std()
    return [
        Cell(
            "SVR, 1000 x 20",
            lambda: fit_and_score(mercer.SVR(C=10.0, n_threads=1), X, y),
            lambda: fit_and_score(sklearn.svm.SVR(C=10.0), X, y),
        ),
        Cell(
            "LSSVR, 1000 x 20, one alpha",
            lambda: fit_and_score(mercer.LSSVR(alpha=1.0, gamma=0.05, n_threads=1), X, y),
            lambda: fit_and_score(KernelRidge(alpha=1.0, kernel="rbf", gamma=0.05), X, y),
        ),
        Cell(
            "OneClassSVM, 2,000 x 20",
            lambda: float(mercer.OneClassSVM(nu=0.1, n_threads=1).fit(X).predict(X).mean()),
            lambda: float(sklearn.svm.OneClassSVM(nu=0.1).fit(X).predict(X).mean()),
        ),
    ]


def choices() -> list[Cell]:
    X, y = make_classification(600, 20, n_informative=10, flip_y=0.05, random_state=0)
    Cs, gammas = np.logspace(-1, 3, 5), np.logspace(-3, 0, 4)

    def by_grid() -> float:
        search = GridSearchCV(sklearn.svm.SVC(), {"C": Cs, "gamma": gammas}, cv=5)
        return float(search.fit(X, y).best_score_)

    def by_path() -> float:
        path = mercer.svc_path(X[:300], y[:300], C_max=100.0, n_threads=1)
        return 1.0 - float(path.error(X[300:], y[300:]).minimum)

    def by_ten_fits() -> float:
        fits = [sklearn.svm.SVC(C=C).fit(X[:300], y[:300]) for C in np.logspace(-2, 2, 10)]
        return max(float(fit.score(X[300:], y[300:])) for fit in fits)

    return [
        Cell(
            "svc_grid, 600 x 20, 20 cells, 5 folds, beside GridSearchCV",
            lambda: float(
                mercer.svc_grid(X, y, Cs=Cs, gammas=gammas, cv=5, n_threads=1).scores.max()
            ),
            by_grid,
        ),
        Cell(
            "TunedSVC, 600 x 20, beside GridSearchCV of 20 cells",
            lambda: float(mercer.TunedSVC(cv=5, n_threads=1).fit(X, y).best_score_),
            by_grid,
        ),
        Cell("svc_path, 300 x 20, beside ten fits", by_path, by_ten_fits),
    ]


def measured(cell: Cell, repeats: int) -> dict[str, Any]:
    """Ratios of CPU times, in turns; the first turn warms up and does not count."""
    times, scores = [], (cell.ours(), cell.theirs())
    for _ in range(repeats):
        began = process_time()
        cell.ours()
        middle = process_time()
        cell.theirs()
        times.append((middle - began, process_time() - middle))
        if np.sum(times) > LONG and len(times) >= 3:
            break
    ours, theirs = np.array(times).T
    low, ratio, high = np.quantile(theirs / ours, [0.25, 0.5, 0.75])
    return {
        "ratio": round(float(ratio), 3),
        "quartiles": [round(float(low), 3), round(float(high), 3)],
        "milliseconds": [round(1e3 * float(np.median(t)), 3) for t in (ours, theirs)],
        "scores": [round(score, 6) for score in scores],
    }


def record(repeats: int) -> dict[str, Any]:
    """All cells, and what they were measured with."""
    cells = {}
    with threadpool_limits(1):
        for cell in [*classifiers(), *regressors(), *choices()]:
            cells[cell.name] = found = measured(cell, repeats)
            print(f"{found['ratio']:8.2f}  {cell.name}", flush=True)
    ratios = [cell["ratio"] for cell in cells.values()]
    return {
        "version": mercer.__version__,
        "with": {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
        | {"python": platform.python_version(), "machine": platform.machine()},
        "geometric_mean": round(float(np.exp(np.mean(np.log(ratios)))), 3),
        "cells": cells,
    }


def slower(old: dict[str, Any], new: dict[str, Any], tolerance: float) -> list[str]:
    """Names of the cells whose ratio has fallen by more than noise; prints all of them."""
    found = []
    for name, before in old["cells"].items():
        after = new["cells"].get(name)
        if after is None:
            print(f"{before['ratio']:8.2f}       --  {name}")
            continue
        is_slower = (
            after["ratio"] < tolerance * before["ratio"]
            and after["quartiles"][1] < before["quartiles"][0]
        )
        mark = "  SLOWER" if is_slower else ""
        print(f"{before['ratio']:8.2f} {after['ratio']:8.2f}  {name}{mark}")
        found += [name] if is_slower else []
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    write = commands.add_parser("write")
    write.add_argument("file", type=Path, nargs="?")
    compare = commands.add_parser("compare")
    compare.add_argument("old", type=Path)
    compare.add_argument("new", type=Path, nargs="?")
    compare.add_argument("--tolerance", type=float, default=0.8)
    for command in (write, compare):
        command.add_argument("--repeats", type=int, default=7)
    chosen = parser.parse_args()
    if chosen.command == "write":
        file = chosen.file or RESULTS / f"{mercer.__version__}.json"
        file.write_text(json.dumps(record(chosen.repeats), indent=1) + "\n")
        return 0
    old = json.loads(chosen.old.read_text())
    new = json.loads(chosen.new.read_text()) if chosen.new else record(chosen.repeats)
    print(f"{old['geometric_mean']:8.2f} {new['geometric_mean']:8.2f}  geometric mean")
    return 1 if slower(old, new, chosen.tolerance) else 0


if __name__ == "__main__":
    sys.exit(main())
