"""Machines on kernel functions and precomputed matrices, beside scikit-learn.

    OMP_NUM_THREADS=1 python benchmarks/given_values.py [--rows 100 500 1000 4000] [--repeats 5]

CPU milliseconds of whole fits, ours / scikit-learn's: how many times as fast, medians of runs in
turns; and the violation of ours.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import sklearn.svm
from sklearn.datasets import make_classification
from sklearn.metrics.pairwise import rbf_kernel

import mercer


def function(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    return rbf_kernel(A, B, gamma=0.05)


def cells(n_rows: int) -> Iterator[tuple[str, str, dict[str, Any], np.ndarray, np.ndarray]]:
    """Name, machine, parameters, what is fitted and targets."""
    for n_classes in (2, 5):
        X, y = make_classification(
            n_rows,
            20,
            n_informative=12,
            n_redundant=0,
            n_classes=n_classes,
            flip_y=0.05,
            random_state=0,
        )
        t = X[:, 0] + np.sin(2 * X[:, 1]) + 0.3 * np.random.default_rng(0).normal(size=n_rows)
        machines = [("SVC", y)] + [("SVR", t)] * (n_classes == 2)
        for name, target in machines:
            for C in (1.0, 10.0):
                label = f"{name} {n_classes} classes C={C:g}" if name == "SVC" else f"SVR C={C:g}"
                yield f"{label} function", name, {"C": C, "kernel": function}, X, target
                given = {"C": C, "kernel": "precomputed"}
                yield f"{label} precomputed", name, given, function(X, X), target


def seconds(machine: Any, X: np.ndarray, y: np.ndarray) -> float:
    began = time.process_time()
    machine.fit(X, y)
    return time.process_time() - began


def compare(name: str, options: dict[str, Any], X: np.ndarray, y: np.ndarray, repeats: int) -> str:
    makers = [getattr(module, name) for module in (mercer, sklearn.svm)]
    spent = [[seconds(make(**options), X, y) for make in makers] for _ in range(repeats)]
    ours, theirs = 1e3 * np.median(spent, axis=0)
    violation = makers[0](**options).fit(X, y).violation_
    return f"{ours:8.2f} / {theirs:8.2f}: {theirs / ours:5.2f}   violation {np.max(violation):.1e}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[100, 500, 1000, 4000])
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for n_rows in options.rows:
        for label, name, parameters, X, y in cells(n_rows):
            found = compare(name, parameters, X, y, options.repeats)
            print(f"{n_rows:5d} {label:34s} {found}", flush=True)


if __name__ == "__main__":
    main()
