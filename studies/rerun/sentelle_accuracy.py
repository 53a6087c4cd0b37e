"""Best test accuracy along C and along gamma (Sentelle 2014, tables 7.4, 7.5, 7.9 and 7.10).

Two thirds to train, one third to test. Which rows is not said: means over five random splits. Sets
are prepared as in sentelle_paths.py. The finest columns of the source are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from studies.rerun.datasets import FloatArray
from studies.rerun.sentelle_paths import rows_of
from studies.study import Column, Results, Row, Study

from mercer import svc_grid

SPLITS = 5
COSTS = 2.0 ** np.arange(-15, 16, 2)
# Printed for the grid of C: linear, then Gaussian with gamma 0.01; for the grid of gamma at C = 1.
LINEAR = {
    "abalone": 78.45, "diabetes": 80.47, "german": 74.17, "heart": 82.22, "ionosphere": 92.31,
    "sonar": 79.71, "splice": 83.48, "ocr-0": 99.18, "spam": 93.74,
}  # fmt: skip
GAUSSIAN = {
    "abalone": 80.60, "diabetes": 76.17, "german": 78.08, "heart": 61.11, "ionosphere": 96.58,
    "sonar": 89.86, "splice": 86.79, "ocr-0": 98.81, "spam": 93.54,
}  # fmt: skip
WIDTHS = {
    "abalone": 78.88, "diabetes": 76.17, "german": 77.48, "heart": 70.0, "ionosphere": 95.73,
    "sonar": 84.06, "splice": 90.09,
}  # fmt: skip
Score = Callable[..., float]


def splits(data: Path, name: str) -> Iterator[tuple[FloatArray, ...]]:
    X, y = rows_of(data, name)
    for seed in range(SPLITS):
        order = np.random.default_rng(seed).permutation(len(y))
        cut = round(2 * len(y) / 3)
        train, test = order[:cut], order[cut:]
        yield X[train], y[train], X[test], y[test]


def best_over_C(kernel: str) -> Score:
    def score(X: FloatArray, y: FloatArray, rows: FloatArray, labels: FloatArray) -> float:
        gammas = None if kernel == "linear" else [0.01]
        grid = svc_grid(X, y, Cs=COSTS, gammas=gammas, kernel=kernel)
        return float(np.max(grid.score(rows, labels)))

    return score


def best_over_gamma(X: FloatArray, y: FloatArray, rows: FloatArray, labels: FloatArray) -> float:
    grid = svc_grid(X, y, Cs=[1.0], gammas=COSTS)
    return float(np.max(grid.score(rows, labels)))


def means(data: Path, printed: dict[str, float], score: Score) -> list[Row]:
    found = []
    for name, number in printed.items():
        scores = [100.0 * score(*split) for split in splits(data, name)]
        found.append(Row(name, [number], [round(float(np.mean(scores)), 2)]))
    return found


def run(data: Path) -> Results:
    return {
        "Sentelle 2014, table 7.4": means(data, LINEAR, best_over_C("linear")),
        "Sentelle 2014, table 7.5": means(data, GAUSSIAN, best_over_C("rbf")),
        "Sentelle 2014, table 7.9": means(data, WIDTHS, best_over_gamma),
    }


FILES = (
    "abalone", "diabetes", "german_numer", "heart", "ionosphere", "sonar", "spambase", "splice",
    "usps",
)  # fmt: skip
ACCURACY = (Column("best test accuracy % on the grid", "3"),)
STUDIES = (
    Study(
        "grid-accuracy",
        {
            "Sentelle 2014, table 7.4": ACCURACY,
            "Sentelle 2014, table 7.5": ACCURACY,
            "Sentelle 2014, table 7.9": ACCURACY,
        },
        FILES, 120,
        "`svc_grid`, C (or gamma at C = 1) = 2^-15, 2^-13, ... 2^15, gamma = 0.01 if it is fixed; "
        "two thirds to train, means over five random splits (the source does not say its split).",
        run, ("rerun/datasets.py", "rerun/sentelle_paths.py"),
    ),
)  # fmt: skip
