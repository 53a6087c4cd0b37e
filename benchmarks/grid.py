"""A grid of C and gamma by cross-validation, next to scikit-learn's GridSearchCV.

    python benchmarks/grid.py [--rows 2000 --features 20 --classes 2 --threads 2 --sample 20]
    python benchmarks/grid.py --data DIR [--sets spambase banana splice --threads 1]

Ten values of C and ten of gamma, five folds: 500 fits and their scores. ``solve_series`` shares the
kernel matrix of each gamma among folds and C, and starts each C from the one before; so does
``svc_grid``, which solves for all rows as well: 600 fits. A sample of the cells of GridSearchCV,
two for each C and each gamma, is timed one after the other in one process, and scaled to all 500.
The accuracy of the cells of the sample is compared.

Without ``--data`` the rows are generated; with it they come from ``DIR/<set>.npz`` (arrays X and
y, or X_train, y_train and perhaps X_test, y_test), at most ``--rows`` of them, shuffled and
standardized, and C goes up to 1e4, gamma from 1e-4 to 10.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.model_selection import PredefinedSplit, cross_val_score
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from mercer import Gram, Problem, Solution, svc_grid
from mercer.formulations import svc
from mercer.kernels import Gaussian
from mercer.solvers import solve_series

FloatArray = NDArray[np.float64]
N_FOLDS = 5
SETS = ["spambase", "banana", "splice", "german_numer", "diabetes", "svmguide1"]


class Grid:
    """What is compared: rows, labels, folds, and the values of C and gamma."""

    def __init__(self, X: FloatArray, y: FloatArray, Cs: FloatArray, gammas: FloatArray) -> None:
        self.X, self.y, self.Cs, self.gammas = X, y, Cs, gammas
        self.fold = np.arange(len(y)) % N_FOLDS
        self.split = PredefinedSplit(self.fold)
        self.n_fits = N_FOLDS * len(Cs) * len(gammas)

    @classmethod
    def generated(cls, rows: int, features: int, classes: int) -> Grid:
        X, y = make_classification(
            rows,
            features,
            n_informative=features // 2,
            n_classes=classes,
            n_clusters_per_class=2 if classes == 2 else 1,
            flip_y=0.1,
            random_state=0,
        )
        X = StandardScaler().fit_transform(X).astype(np.float32)
        labels = np.where(y > 0, 1.0, -1.0) if classes == 2 else y
        return cls(X, labels, np.logspace(-2, 3, 10), np.logspace(-3, 1, 10))

    @classmethod
    def stored(cls, path: Path, rows: int) -> Grid:
        with np.load(path) as file:
            parts = [name for name in ("X", "X_train", "X_test") if name in file.files]
            X = np.concatenate([file[name] for name in parts]).astype(np.float64)
            y = np.concatenate([file[name.replace("X", "y")] for name in parts])
        some = np.random.default_rng(0).permutation(len(y))[:rows]
        X, y = StandardScaler().fit_transform(X[some]), np.where(y[some] == y.max(), 1.0, -1.0)
        return cls(X, y, np.logspace(-2, 4, 10), np.logspace(-4, 1, 10))

    def by_series(self, threads: int) -> FloatArray:
        """Mean accuracy of each (gamma, C) from ``solve_series``."""
        problems = self.sequences()
        scores = np.empty((len(self.gammas), N_FOLDS, len(self.Cs)))
        grams = (Gram(Gaussian(gamma), self.X, n_threads=threads) for gamma in self.gammas)
        for g, solved in enumerate(solve_series((problems, gram) for gram in grams)):
            for k, solutions in enumerate(solved):
                scores[g, k] = [self.held_out_accuracy(s, self.fold == k) for s in solutions]
        return scores.mean(axis=1)

    def by_grid(self, threads: int) -> FloatArray:
        """The same from ``svc_grid``."""
        options = {"Cs": self.Cs, "gammas": self.gammas, "cv": self.split, "n_threads": threads}
        return svc_grid(self.X, self.y, **options).scores

    def sequences(self) -> list[list[Problem]]:
        """One sequence over C for each fold; its rows are held out by an empty box."""
        problems = [svc(self.y, C).problem for C in self.Cs]
        out = []
        for k in range(N_FOLDS):
            kept = np.where(self.fold == k, 0.0, 1.0)
            out.append([replace(p, lower=p.lower * kept, upper=p.upper * kept) for p in problems])
        return out

    def held_out_accuracy(self, solution: Solution, out: NDArray[np.bool_]) -> float:
        """Decision values are linear - gradient + bias, and the bias is the multiplier."""
        values = self.y[out] - solution.gradient[out] + solution.multiplier[0]
        return float(np.mean((values > 0) == (self.y[out] > 0)))

    def sample(self, count: int) -> list[tuple[int, int]]:
        """Cells that are spread evenly over gamma and C."""
        shape = len(self.gammas), len(self.Cs)
        cells = [(g, c) for shift in range(10) for g in range(10) for c in [(3 * g + shift) % 10]]
        some = [cells[k * 10 : k * 10 + 10] for k in (0, 5, 2, 7, 1, 6, 3, 8, 4, 9)]
        assert shape == (10, 10)
        return [cell for ten in some for cell in ten][:count]

    def peer(self, cells: list[tuple[int, int]], scores: FloatArray) -> tuple[float, float]:
        """CPU seconds a fit of scikit-learn, and the largest difference of accuracies."""
        began, difference = time.process_time(), 0.0
        for g, c in cells:
            machine = SVC(C=self.Cs[c], gamma=self.gammas[g])
            theirs = cross_val_score(machine, self.X, self.y, cv=self.split)
            difference = max(difference, abs(theirs.mean() - scores[g, c]))
        return (time.process_time() - began) / len(cells) / N_FOLDS, difference


def timed(run: Callable[[int], FloatArray], threads: int, repeats: int) -> tuple[FloatArray, ...]:
    """The scores, and the median seconds of time and of CPU."""
    seconds = []
    for _ in range(repeats):
        began, cpu = time.perf_counter(), time.process_time()
        scores = run(threads)
        seconds.append((time.perf_counter() - began, time.process_time() - cpu))
    return scores, *np.median(seconds, axis=0)


def compare(name: str, grid: Grid, options: argparse.Namespace) -> tuple[float, float]:
    """Print what each takes; how many times as fast ``svc_grid`` is, by time and by CPU time."""
    print(f"{name}: {len(grid.y)} rows, {grid.X.shape[1]} features, {options.threads} threads")
    if name == "generated" and len(np.unique(grid.y)) == 2:
        _, wall, cpu = timed(grid.by_series, options.threads, options.repeats)
        per = 1e3 / grid.n_fits
        print(f"  solve_series  {per * wall:7.2f} ms a fit, {per * cpu:.2f} of CPU")
    scores, wall, cpu = timed(grid.by_grid, options.threads, options.repeats)
    per_peer, difference = grid.peer(grid.sample(options.sample), scores)
    ratios = per_peer * grid.n_fits / wall, per_peer * grid.n_fits / cpu
    per = 1e3 / (1.2 * grid.n_fits)  # those of all rows are no folds
    print(f"  svc_grid      {per * wall:7.2f} ms a fit, {per * cpu:.2f} of CPU: {cpu:.2f} s in all")
    print(f"  GridSearchCV  {1e3 * per_peer:7.2f} ms of CPU a fit, {options.sample} cells")
    print("  svc_grid is {:.1f} times as fast, {:.1f} by CPU seconds, ".format(*ratios), end="")
    print(f"accuracies differ by up to {difference:.4f}", flush=True)
    return ratios


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--classes", type=int, default=2, help="of generated rows")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sample", type=int, default=20, help="cells of the peer to time")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--data", type=Path, help="directory of stored data sets")
    parser.add_argument("--sets", nargs="+", default=SETS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.data is None:
        made = Grid.generated(options.rows, options.features, options.classes)
        compare("generated", made, options)
        return
    ratios = [
        compare(name, Grid.stored(options.data / f"{name}.npz", options.rows), options)
        for name in options.sets
    ]
    for kind, own in zip(("time", "CPU"), np.transpose(ratios), strict=True):
        print(f"{kind}: geometric mean {np.exp(np.log(own).mean()):.1f}, least {own.min():.1f}")


if __name__ == "__main__":
    main()
