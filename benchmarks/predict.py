"""Prediction next to scikit-learn's: 100,000 rows against 5,000 support vectors.

    python benchmarks/predict.py [--rows 100000 --features 100 --vectors 5000 --sample 2000]

CPU seconds of ``predict`` on one thread. The peer predicts a sample of the rows, scaled; labels and
decision values of that sample are compared.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import sklearn.svm
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import mercer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--features", type=int, default=100)
    parser.add_argument("--vectors", type=int, default=5_000)
    parser.add_argument("--sample", type=int, default=2_000)
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(options.vectors, options.features))
    y = np.where(rng.random(options.vectors) < 0.5, 1, -1)
    Z = rng.normal(size=(options.rows, options.features))
    # Random labels and a small C: every row is a support vector.
    settings = {"C": 0.1, "gamma": 1.0 / options.features}
    with threadpool_limits(1):
        peer = sklearn.svm.SVC(**settings).fit(X, y)
        sample = Z[: options.sample]
        their_seconds, theirs = timed(peer.decision_function, sample)
        their_seconds *= options.rows / options.sample
        print(f"scikit-learn {len(peer.support_)} vectors {their_seconds:8.2f} s (scaled)")
        for precision in ("auto", "double", "single"):
            machine = mercer.SVC(**settings, n_threads=1, precision=precision).fit(X, y)
            seconds, labels = timed(machine.predict, Z)
            wrong = int(np.sum(labels[: len(sample)] != peer.predict(sample)))
            error = np.abs(machine.decision_function(sample) - theirs).max()
            print(
                f"mercer {precision:6s} {len(machine.support_)} vectors {seconds:8.2f} s, "
                f"{their_seconds / seconds:5.1f} times as fast, {wrong} labels differ, "
                f"decision values by {error:.1e}"
            )


def timed(predict: Callable[[Any], Any], rows: NDArray[Any]) -> tuple[float, NDArray[Any]]:
    """CPU seconds, and what they brought."""
    began = time.process_time()
    found = predict(rows)
    return time.process_time() - began, found


if __name__ == "__main__":
    main()
