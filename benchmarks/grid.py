"""A grid of C and gamma by cross-validation, next to scikit-learn's GridSearchCV.

    python benchmarks/grid.py [--rows 2000 --features 20 --threads 2 --sample 40]

Ten values of C and ten of gamma, five folds: 500 fits and their scores. ``solve_series`` shares the
kernel matrix of each gamma among folds and C, and starts each C from the one before. A sample of
the cells of GridSearchCV is timed, one after the other in one process, and scaled by their number
and the number of threads. The accuracy of the cells of the sample is compared.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification
from sklearn.model_selection import PredefinedSplit, cross_val_score
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from mercer import Gram, Problem, Solution
from mercer.formulations import svc
from mercer.kernels import Gaussian
from mercer.solvers import solve_series

N_FOLDS = 5
CS = np.logspace(-2, 3, 10)
GAMMAS = np.logspace(-3, 1, 10)


def draw(rows: int, features: int) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    X, y = make_classification(
        rows, features, n_informative=features // 2, flip_y=0.1, random_state=0
    )
    return StandardScaler().fit_transform(X).astype(np.float32), np.where(y > 0, 1.0, -1.0)


def sequences(y: NDArray[np.float64], fold: NDArray[np.intp]) -> list[list[Problem]]:
    """One sequence over C for each fold; its rows are held out by an empty box."""
    problems = [svc(y, C).problem for C in CS]
    out = []
    for k in range(N_FOLDS):
        kept = np.where(fold == k, 0.0, 1.0)
        out.append([replace(p, lower=p.lower * kept, upper=p.upper * kept) for p in problems])
    return out


def held_out_accuracy(solution: Solution, y: NDArray[np.float64], out: NDArray[np.bool_]) -> float:
    """Decision values are linear - gradient + bias, and the bias is the multiplier."""
    values = y[out] - solution.gradient[out] + solution.multiplier[0]
    return float(np.mean((values > 0) == (y[out] > 0)))


def grid(X: NDArray[np.float32], y: NDArray[np.float64], threads: int) -> NDArray[np.float64]:
    """Mean accuracy of each (gamma, C)."""
    fold = np.arange(len(y)) % N_FOLDS
    problems = sequences(y, fold)
    scores = np.empty((len(GAMMAS), N_FOLDS, len(CS)))
    jobs = ((problems, Gram(Gaussian(gamma=gamma), X, n_threads=threads)) for gamma in GAMMAS)
    for g, solved in enumerate(solve_series(jobs)):
        for k, solutions in enumerate(solved):
            scores[g, k] = [held_out_accuracy(s, y, fold == k) for s in solutions]
    return scores.mean(axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sample", type=int, default=40, help="cells of the peer to time")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    X, y = draw(options.rows, options.features)
    n_fits = N_FOLDS * CS.size * GAMMAS.size
    ours = []
    for _ in range(options.repeats):
        began, cpu = time.perf_counter(), time.process_time()
        scores = grid(X, y, options.threads)
        ours.append((time.perf_counter() - began, time.process_time() - cpu))
    wall, cpu = np.median(ours, axis=0)
    cells = np.random.default_rng(0).permutation(CS.size * GAMMAS.size)[: options.sample]
    split = PredefinedSplit(np.arange(len(y)) % N_FOLDS)
    began, difference = time.process_time(), []
    for cell in cells:
        g, c = divmod(int(cell), CS.size)
        peer = cross_val_score(SVC(C=CS[c], gamma=GAMMAS[g]), X, y, cv=split)
        difference.append(peer.mean() - scores[g, c])
    theirs = (time.process_time() - began) / len(cells) / N_FOLDS
    print(f"mercer        {1e3 * wall / n_fits:7.2f} ms a fit, {1e3 * cpu / n_fits:.2f} of CPU")
    print(f"scikit-learn  {1e3 * theirs:7.2f} ms of CPU a fit, {len(cells)} cells")
    print(f"times as fast {theirs / (cpu / n_fits):7.1f} by CPU seconds")
    print(f"largest difference of accuracies {np.abs(difference).max():.4f}")


if __name__ == "__main__":
    main()
