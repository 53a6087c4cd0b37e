"""What gradients of criteria cost, and what cross-validation over C costs.

    python benchmarks/gradients.py ratio [--rows 400] [--features 20]
    python benchmarks/gradients.py folds [--rows 2000] [--features 20] [--threads 2]
    python benchmarks/gradients.py splice --data DIR

``ratio``: CPU milliseconds of a value and of a value with its gradient by all widths, medians.
``folds``: five folds and ten values of C on one Gram, beside the hardest of the single fits and
beside fifty independent ones: kernel evaluations, time and CPU seconds. ``splice``: one width for
each of the 60 features of splice by TunedSVC, next to one width for all.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from mercer import RLSC, SVC, TunedSVC
from mercer.kernels import Gaussian
from mercer.selection import make_objective

CASES = {
    "cv": (SVC(), {"loss": "logistic"}),
    "holdout": (SVC(), {"loss": "logistic", "random_state": 0}),
    "bootstrap": (SVC(), {"loss": "logistic", "random_state": 0}),
    "likelihood": (SVC(), {"cv": 5}),
    "posterior": (SVC(), {"cv": 5}),
    "span_like": (SVC(), {}),
    "radius_margin": (SVC(loss="squared_hinge"), {}),
    "alignment": (SVC(), {}),
    "polarization": (SVC(), {}),
    "gcv": (RLSC(), {}),
}
PRICES = np.logspace(-2, 3, 10)


def rows_of(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(n, d, n_informative=d // 2, flip_y=0.1, random_state=0)
    return StandardScaler().fit_transform(X), y


def seconds_of(call: Callable[[np.ndarray], object], theta: np.ndarray) -> float:
    began = time.process_time()
    call(theta)
    return time.process_time() - began


def ratio(options: argparse.Namespace) -> None:
    X, y = rows_of(options.rows, options.features)
    for name, (machine, more) in CASES.items():
        machine.set_params(kernel=Gaussian("scale", metric="diagonal"), n_threads=1)
        objective = make_objective(name, machine, X, y, **more)
        start, seconds = objective.space.start, []
        objective(start)
        for k in range(1, 1 + (5 if name == "span_like" else 25)):
            # by turns, at other points every time: no kernel values are known
            value = seconds_of(objective.value, start + 0.002 * k)
            seconds.append((value, seconds_of(objective, start + 0.002 * k + 0.001)))
        value, both = 1e3 * np.median(seconds, axis=0)
        print(f"{name:14s} value {value:8.2f} ms, with gradient {both:8.2f} ms: {both / value:.2f}")


def together(X: np.ndarray, y: np.ndarray, gamma: float, threads: int) -> int:
    """Five folds and all C; the kernel values computed."""
    objective = make_objective("cv", SVC(kernel=Gaussian(gamma), n_threads=threads), X, y, cv=5)
    objective.series([np.log([C, gamma]) for C in PRICES])  # type: ignore[attr-defined]
    return objective.n_kernel


def alone(X: np.ndarray, y: np.ndarray, gamma: float, threads: int) -> int:
    """The same by single fits; the kernel values of the hardest one."""
    most = 0
    for train, test in StratifiedKFold(5).split(X, y):
        for C in PRICES:
            machine = SVC(C=C, kernel=Gaussian(gamma), n_threads=threads)
            machine.fit(X[train], y[train])
            machine.predict(X[test])
            most = max(most, sum(solution.n_kernel for solution in machine.solutions_))
    return most


def folds(options: argparse.Namespace) -> None:
    X, y = rows_of(options.rows, options.features)
    gamma, seconds = 0.4 / options.features, []
    for _ in range(7):
        times, counts = [], []
        for run in (together, alone):
            began, cpu = time.perf_counter(), time.process_time()
            counts.append(run(X, y, gamma, options.threads))
            times.append((time.perf_counter() - began, time.process_time() - cpu))
        seconds.append(times)
    print(f"kernel evaluations {counts[0]}, hardest fit {counts[1]}: {counts[0] / counts[1]:.2f}")
    for name, pairs in zip(("time", "CPU"), np.moveaxis(np.array(seconds), 2, 0), strict=True):
        (ours, fits), ratios = np.median(pairs, axis=0), pairs[:, 0] / pairs[:, 1]
        print(
            f"{name} {ours:.3f} s, fifty fits {fits:.3f} s: {np.median(ratios):.3f} "
            f"({ratios.min():.3f} to {ratios.max():.3f})"
        )


def splice(options: argparse.Namespace) -> None:
    with np.load(options.data / "splice.npz") as file:
        X, y, X_test, y_test = (file[k] for k in ("X_train", "y_train", "X_test", "y_test"))
    scaler = StandardScaler().fit(X)
    X, X_test = scaler.transform(X), scaler.transform(X_test)
    for metric in ("radial", "diagonal"):
        wall, cpu = time.perf_counter(), time.process_time()
        machine = TunedSVC(kernel=Gaussian("scale", metric=metric)).fit(X, y)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        print(
            f"{metric:9s} {wall:6.1f} s, CPU {cpu:6.1f} s  cv {machine.best_score_:.4f}  "
            f"test {machine.score(X_test, y_test):.4f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("ratio", "folds", "splice"))
    parser.add_argument("--rows", type=int)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1, help="of folds")
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    options.rows = options.rows or {"ratio": 400, "folds": 2000}.get(options.what)
    {"ratio": ratio, "folds": folds, "splice": splice}[options.what](options)


if __name__ == "__main__":
    main()
