"""Exact Shapley values: milliseconds a row on one thread, and how well they add up.

    python benchmarks/explain.py [--features 60 --vectors 1000 --background 100 --rows 20]

CPU time of ``explain`` for one row and for many, the background's part included. Where shap is
installed, its KernelExplainer explains one row beside it, with its default number of samples.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from mercer import SVR, explain
from mercer.kernels import Gaussian, Kernel, Laplacian, Polynomial


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--features", type=int, default=60)
    parser.add_argument("--vectors", type=int, default=1000)
    parser.add_argument("--background", type=int, default=100)
    parser.add_argument("--rows", type=int, default=20)
    options = parser.parse_args()
    d, rng = options.features, np.random.default_rng(0)
    X = rng.normal(size=(options.vectors, d))
    y = X[:, 0] * X[:, 1] + X[:, 2] + 0.1 * rng.normal(size=len(X))
    B, Z = rng.normal(size=(options.background, d)), rng.normal(size=(options.rows, d))
    kernels: list[Kernel] = [
        *(Gaussian(width / d) for width in (0.2, 1.0, 5.0, 20.0)),
        Gaussian(rng.uniform(0, 2 / d, size=d)),
        Laplacian(1.0 / d),
        Polynomial(3, 1.0 / d, 1.0),
    ]
    for kernel in kernels:
        # without a tube every row is a support vector
        machine = SVR(kernel=kernel, epsilon=0.0, n_threads=1).fit(X, y)
        measure(str(kernel)[:24], machine, Z, B)
    beside_shap(SVR(epsilon=0.0, n_threads=1).fit(X, y), Z[:1], B)


def measure(name: str, machine: Any, Z: np.ndarray, B: np.ndarray) -> None:
    """Medians of five runs."""
    one = np.median([timed(lambda: explain(machine, Z[:1], B))[0] for _ in range(5)])
    runs = [timed(lambda: explain(machine, Z, B)) for _ in range(5)]
    many, why = np.median([run[0] for run in runs]), runs[0][1]
    error = np.abs(why.base_values + why.values.sum(axis=1) - machine.predict(Z)).max()
    print(
        f"{name:24s} {len(machine.support_)} vectors: {1e3 * one:6.1f} ms for one row, "
        f"{1e3 * many / len(Z):6.1f} ms a row of {len(Z)}, add up to {error:.0e}"
    )


def beside_shap(machine: Any, Z: np.ndarray, B: np.ndarray) -> None:
    """The same row by sampled coalitions."""
    try:
        import shap
    except ImportError:
        print("shap is not installed")
        return
    seconds, why = timed(lambda: explain(machine, Z, B))
    peer = shap.KernelExplainer(machine.predict, B)
    theirs, values = timed(lambda: peer.shap_values(Z, silent=True))
    error = np.abs(values - why.values).max() / np.abs(why.values).max()
    print(
        f"shap.KernelExplainer: {1e3 * theirs:.0f} ms a row beside {1e3 * seconds:.0f} ms, "
        f"wrong by up to {100 * error:.0f} % of the largest value"
    )


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds, and what they brought."""
    began = time.process_time()
    found = work()
    return time.process_time() - began, found


if __name__ == "__main__":
    main()
