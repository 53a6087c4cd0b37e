"""Approximate paths: how many solutions an accuracy takes, and what it is worth.

    python benchmarks/approximate_paths.py [--rows 5000]

One thread, CPU seconds. The bound found and the largest relative duality gap at 40 random C; paths
over the Gaussian width are of the first 1000 rows.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from mercer import kernel_path, svc_path
from mercer.lab import make_ringnorm


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    result = work()
    return time.process_time() - began, result


def worst_gap(certificate: Callable[[float], Any], low: float, high: float) -> float:
    places = np.exp(np.random.default_rng(0).uniform(np.log(low), np.log(high), 40))
    return max(certificate(float(place)).relative_gap for place in places)


def show_path(name: str, X: np.ndarray, y: np.ndarray) -> None:
    for accuracy in (0.0, 1e-4, 1e-3, 1e-2, 1e-1):
        seconds, path = timed(lambda: svc_path(X, y, accuracy=accuracy, n_threads=1))  # noqa: B023
        gap = worst_gap(path.certificate, path.first_event, min(path.end, 1e3))
        print(
            f"| {name} | C | {accuracy:g} | {len(path.C)} | {seconds:.2f} | {path.accuracy:.1e} "
            f"| {gap:.1e} |",
            flush=True,
        )


def show_widths(name: str, X: np.ndarray, y: np.ndarray) -> None:
    for accuracy in (1e-3, 1e-2, 1e-1):
        seconds, path = timed(lambda: kernel_path(X, y, accuracy=accuracy, n_threads=1))  # noqa: B023
        gap = worst_gap(path.certificate, path.gamma[0], path.gamma[-1])
        print(
            f"| {name} | gamma | {accuracy:g} | {len(path.gamma)} | {seconds:.2f} "
            f"| {path.accuracy:.1e} | {gap:.1e} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5000)
    options = parser.parse_args()
    cancer = load_breast_cancer(return_X_y=True)
    ring = make_ringnorm(options.rows, random_state=0)
    print("| data | over | accuracy | solutions | seconds | bound | measured |")
    print("|---|---|---|---|---|---|---|")
    for name, (X, y) in (("breast cancer", cancer), ("ringnorm", ring)):
        rows = StandardScaler().fit_transform(X)
        show_path(name, rows, y)
        show_widths(name, rows[:1000], y[:1000])


if __name__ == "__main__":
    main()
