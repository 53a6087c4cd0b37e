"""One thread, one RBF problem, mercer's SVC beside scikit-learn's: time and what it bought.

    python benchmarks/small.py [--rows 10000 --features 20 --repeats 5 --C 1 --cache 500]

The rows are drawn by ``make_classification``: half of the features informative, the others
noise, four clusters a class, 5 % of the labels flipped. One half trains, the other tests.
Both machines get the same rows, C, gamma="scale", tol=1e-3, cache and one thread. They run in
turns, so that a busy machine slows both, and medians of CPU seconds are reported. Objective and
violation of both are computed by ``certify``, which trusts no solver's own claim. A table of fits
of few rows follows, of all machines.
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

SMALL_SIZES = (50, 100, 200, 300, 1000)
# name of the machine, features, classes (1: targets are numbers), parameters
SMALL_CASES: tuple[tuple[str, int, int, dict[str, float]], ...] = (
    ("SVC", 20, 2, {"C": 1.0}),
    ("SVC", 20, 2, {"C": 100.0}),
    ("SVC", 4, 2, {"C": 1.0}),
    ("SVC", 4, 2, {"C": 100.0}),
    ("SVC", 20, 3, {"C": 1.0}),
    ("SVC", 20, 3, {"C": 100.0}),
    ("SVC", 4, 3, {"C": 1.0}),
    ("SVC", 4, 3, {"C": 100.0}),
    ("NuSVC", 20, 2, {}),
    ("SVR", 20, 1, {}),
    ("NuSVR", 20, 1, {}),
    ("OneClassSVM", 20, 1, {}),
)


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


def draw_small(rows: int, features: int, classes: int) -> tuple[NDArray[Any], NDArray[Any]]:
    X, y = make_classification(
        rows,
        features,
        n_informative=max(features // 2, 3),
        n_redundant=0,
        n_classes=max(classes, 2),
        n_clusters_per_class=4 if (features, classes) == (20, 2) else 1,
        flip_y=0.05,
        random_state=0,
    )
    if classes > 1:
        return X, y
    return X, X[:, 0] + np.sin(X[:, 1]) + 0.1 * np.random.default_rng(0).normal(size=rows)


def race_small(
    name: str, X: NDArray[Any], y: NDArray[Any], params: dict[str, float], repeats: int
) -> tuple[float, float, float]:
    """Medians of the CPU milliseconds of both, and of how many times as fast ours is."""
    seconds: list[tuple[float, float]] = []
    for repeat in range(repeats + 3):
        began = process_time()
        getattr(mercer, name)(n_threads=1, **params).fit(X, y)
        between = process_time()
        getattr(sklearn.svm, name)(**params).fit(X, y)
        if repeat >= 3:
            seconds.append((between - began, process_time() - between))
    ours, theirs = ([pair[k] for pair in seconds] for k in (0, 1))
    return 1e3 * median(ours), 1e3 * median(theirs), ratio(ours, theirs)


def show_small(repeats: int) -> None:
    print("\nsmall problems: fit in CPU milliseconds of mercer / scikit-learn, times as fast")
    print(f"{'':34}" + "".join(f"{rows:>20} rows" for rows in SMALL_SIZES))
    for name, features, classes, params in SMALL_CASES:
        kind = f"{classes} classes" if classes > 1 else ""
        setting = "".join(f"{key}={value:g}" for key, value in params.items())
        print(f"{name:12}d={features:<4}{kind:11}{setting:7}", end="", flush=True)
        for rows in SMALL_SIZES:
            X, y = draw_small(rows, features, classes)
            rounds = repeats * max(2, min(20, 2000 // rows))
            ours, theirs, times = race_small(name, X, y, params, rounds)
            print(f"{ours:11.2f} /{theirs:6.2f}{times:6.2f}", end="", flush=True)
        print()


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
        show_small(chosen.repeats)


if __name__ == "__main__":
    main()
