"""Rows of bytes: the kernels of integers beside those of floats and of sparse rows.

    python benchmarks/byte_rows.py [--data DIR] [--rows 4000]

On one thread, CPU seconds, medians of five in turns; quotients below 1 mean that bytes are faster.
Generated rows by the share of entries that are not zero; with ``--data`` also MNIST, and MNIST on
white ground, which no sparse storage helps. "product" is what the trainer and prediction do,
"rows" one kernel row at a time, as SMO asks for them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from mercer import Gram, _core, solve
from mercer.formulations import svc
from mercer.gram.core_types import GRAM_TYPES
from mercer.gram.native import Precision, RowSet, build_kernel
from mercer.kernels import Gaussian

WEIGHTED, ALONE, ROUNDS = 600, 40, 5


def native(kind: str, X: Any, gamma: float, precision: Precision) -> Any:
    """A Gram with its rows packed in one of three ways."""
    rows = {
        "bytes": lambda: RowSet(X, precision),
        "floats": lambda: RowSet(X.astype(np.float32), precision, X.mean(axis=0)),
        "sparse": lambda: RowSet(X, precision, store_sparse=True),
    }[kind]()
    kernel = build_kernel(Gaussian(gamma).form(), rows, rows)
    make: Any = GRAM_TYPES[precision]
    return make(kernel, [0, len(X)], 1, 1)  # nothing is kept


def medians(works: dict[str, Callable[[], Any]]) -> dict[str, float]:
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(ROUNDS):
        for name, work in works.items():
            began = time.process_time()
            work()
            seconds[name].append(time.process_time() - began)
    return {name: float(np.median(values)) for name, values in seconds.items()}


def kernels(X: Any, gamma: float, precision: Precision) -> list[str]:
    """Quotients of products and of rows."""
    some = np.random.default_rng(0).integers(0, len(X), WEIGHTED)
    weights = np.ones((WEIGHTED, 1))
    grams = {kind: native(kind, X, gamma, precision) for kind in ("bytes", "floats", "sparse")}
    cells = []
    for work in (
        lambda gram: gram.product(some, weights, None),
        lambda gram: [gram.row(int(i)) for i in some[:ALONE]],
    ):
        time_of = medians({kind: partial(work, gram) for kind, gram in grams.items()})
        cells += [f"{time_of['bytes'] / time_of[kind]:.2f}" for kind in ("floats", "sparse")]
    return cells


def training(X: Any, y: Any, gamma: float) -> str:
    """Seconds of bytes over those of floats, for the same optimum."""
    problem, found = svc(y, 10.0).problem, {}

    def fit(kind: str, rows: Any) -> None:
        found[kind] = solve(problem, Gram(Gaussian(gamma), rows, n_threads=1, precision="single"))

    floats = X.astype(np.float32)
    time_of = medians({"bytes": lambda: fit("bytes", X), "floats": lambda: fit("floats", floats)})
    apart = abs(found["bytes"].objective / found["floats"].objective - 1.0)
    return f"{time_of['bytes'] / time_of['floats']:.2f} (objective {apart:.0e} apart)"


def cases(args: argparse.Namespace) -> Iterator[tuple[str, Any, Any]]:
    rng = np.random.default_rng(0)
    for share in (0.05, 0.15, 0.3, 0.5, 1.0):
        X = rng.integers(1, 256, (args.rows, 784), dtype=np.uint8)
        X[rng.random(X.shape) > share] = 0
        yield f"generated, {share:.0%} not zero", X, None
    for d in (16, 64):
        X = rng.integers(0, 256, (args.rows, d), dtype=np.uint8)
        yield f"generated, {d} features", X, None
    if args.data is not None:
        mnist = np.load(args.data / "mnist.npz")
        X = np.ascontiguousarray(mnist["X_train"][: args.rows])
        y = np.where(mnist["y_train"][: args.rows] % 2, 1.0, -1.0)
        yield "mnist", X, y
        yield "mnist on white", 255 - X, y


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--rows", type=int, default=4000)
    args = parser.parse_args()
    print(f"{_core.instruction_set()}, {args.rows} rows")
    quotients = ("product ÷ floats", "÷ sparse", "rows ÷ floats", "÷ sparse", "fit ÷ floats")
    print("|", " | ".join(["rows", "precision", *quotients]), "|")
    print("|---" * (2 + len(quotients)) + "|")
    for name, X, y in cases(args):
        gamma = 1.0 / (X.shape[1] * X.var())
        for precision in ("single", "double"):
            cells = kernels(X, gamma, precision)
            fit = training(X, y, gamma) if y is not None and precision == "single" else ""
            print("|", " | ".join([name, precision, *cells, fit]), "|", flush=True)


if __name__ == "__main__":
    main()
