"""One thread, one RBF problem, mercer's SVC beside scikit-learn's: time and what it bought.

    python benchmarks/small.py [--rows 10000 --features 20 --repeats 5 --C 1 --cache 500]

The rows are drawn by ``make_classification``: half of the features informative, the others
noise, four clusters a class, 5 % of the labels flipped. One half trains, the other tests.
Both machines get the same rows, C, gamma="scale", tol=1e-3, cache and one thread. They run in
turns, so that a busy machine slows both, and medians of CPU seconds are reported. Objective and
violation of both are computed by ``certify``, which trusts no solver's own claim.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from time import process_time
from typing import Any

import numpy as np
import sklearn.svm
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_limits

import mercer
from mercer.formulations import svc
from mercer.kernels import Gaussian

SMALL_SIZES = (100, 300, 1000)


@dataclass
class Runs:
    """The times of one machine, and the machine itself."""

    name: str
    make: Callable[[], Any]
    fit_seconds: list[float] = field(default_factory=list)
    predict_seconds: list[float] = field(default_factory=list)
    machine: Any = None
    accuracy: float = 0.0


@dataclass(frozen=True)
class Split:
    """Rows to train on and rows to test with."""

    X: NDArray[np.float64]
    y: NDArray[np.intp]
    X_test: NDArray[np.float64]
    y_test: NDArray[np.intp]


def draw(rows: int, features: int) -> Split:
    X, y = make_classification(
        2 * rows,
        features,
        n_informative=features // 2,
        n_redundant=0,
        n_clusters_per_class=4,
        flip_y=0.05,
        random_state=0,
    )
    return Split(X[:rows], y[:rows], X[rows:], y[rows:])


def contenders(C: float, cache: float) -> tuple[Runs, Runs]:
    return (
        Runs("mercer", lambda: mercer.SVC(C=C, cache_size=cache, n_threads=1)),
        Runs("scikit-learn", lambda: sklearn.svm.SVC(C=C, cache_size=cache)),
    )


def race(split: Split, runs: tuple[Runs, ...], repeats: int) -> None:
    """Time everyone in turns; the first round warms up and does not count."""
    for repeat in range(repeats + 1):
        for run in runs:
            began = process_time()
            run.machine = run.make().fit(split.X, split.y)
            fitted = process_time()
            predicted = run.machine.predict(split.X_test)
            if repeat:
                run.fit_seconds.append(fitted - began)
                run.predict_seconds.append(process_time() - fitted)
            run.accuracy = float(np.mean(predicted == split.y_test))


def certificate(split: Split, machine: Any, C: float) -> mercer.Certificate:
    problem = svc(np.where(split.y == 1, 1.0, -1.0), C).problem
    coef = np.zeros(len(split.y))
    coef[machine.support_] = machine.dual_coef_[0]
    kernel = Gaussian("scale").resolve(split.X)
    return mercer.certify(problem, mercer.Gram(kernel, split.X), coef)


def ratio(ours: list[float], theirs: list[float]) -> float:
    """How many times as fast, as the median over the rounds: neighbours in time are compared."""
    return median(their / our for our, their in zip(ours, theirs, strict=True))


def show_problem(rows: int, features: int, repeats: int, C: float, cache: float) -> None:
    split, runs = draw(rows, features), contenders(C, cache)
    race(split, runs, repeats)
    print(f"{rows} rows, {features} features, C={C:g}, medians of {repeats} rounds, CPU seconds")
    print(f"{'':14}{'fit s':>9}{'predict s':>11}{'objective':>16}{'violation':>11}{'accuracy':>10}")
    for run in runs:
        proof = certificate(split, run.machine, C)
        print(
            f"{run.name:14}{median(run.fit_seconds):9.3f}{median(run.predict_seconds):11.3f}"
            f"{proof.objective:16.6f}{proof.violation:11.1e}{run.accuracy:10.4f}"
        )
    fit = ratio(runs[0].fit_seconds, runs[1].fit_seconds)
    predict = ratio(runs[0].predict_seconds, runs[1].predict_seconds)
    print(f"{'times as fast':14}{fit:9.2f}{predict:11.2f}")


def show_small(features: int, repeats: int, C: float, cache: float) -> None:
    print("\nsmall problems, fit in CPU milliseconds")
    print(f"{'rows':>6}{'mercer':>10}{'scikit-learn':>15}{'times as fast':>15}")
    for rows in SMALL_SIZES:
        runs = contenders(C, cache)
        race(draw(rows, features), runs, 5 * repeats)
        ours, theirs = (run.fit_seconds for run in runs)
        print(
            f"{rows:6}{1e3 * median(ours):10.2f}{1e3 * median(theirs):15.2f}"
            f"{ratio(ours, theirs):15.2f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--C", type=float, default=1.0)
    parser.add_argument("--cache", type=float, default=500.0, help="MB of kernel values for each")
    chosen = parser.parse_args()
    with threadpool_limits(limits=1):
        show_problem(chosen.rows, chosen.features, chosen.repeats, chosen.C, chosen.cache)
        show_small(chosen.features, chosen.repeats, chosen.C, chosen.cache)


if __name__ == "__main__":
    main()
