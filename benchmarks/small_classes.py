"""Machines that tune themselves on many small classes, their pairs solved together or singly.

    python benchmarks/small_classes.py [--classes 30] [--rows 10] [--features 10] [--repeats 3]

CPU seconds of ``TunedSVC().fit`` on one thread, the least of the repeats, in turns; and how far the
scores of all cells of a grid are from each other.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from sklearn.datasets import make_classification

from mercer import SVC, TunedSVC
from mercer.selection import make_objective, small_parts

TOGETHER = small_parts._FEW_VARIABLES
MODES = {"together": TOGETHER, "singly": 0}


def seconds(X: np.ndarray, y: np.ndarray, mode: str) -> float:
    small_parts._FEW_VARIABLES = MODES[mode]
    began = time.process_time()
    machine = TunedSVC(n_threads=1).fit(X, y)
    spent = time.process_time() - began
    print(f"{mode:8s} {spent:6.2f} s, score {machine.best_score_:.4f}, C {machine.C_:.4g}")
    return spent


def scores(X: np.ndarray, y: np.ndarray, mode: str) -> np.ndarray:
    """Of nine C and three widths."""
    small_parts._FEW_VARIABLES = MODES[mode]
    objective = make_objective("cv", SVC(n_threads=1), X, y, cv=5)
    prices, start = np.log(np.logspace(-2, 4, 9)), objective.space.start[1]
    cells = [[[C, start + shift] for C in prices] for shift in (-1.5, 0.0, 1.5)]
    return np.array([objective.series(row) for row in cells]).mean(axis=2)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, default in (("classes", 30), ("rows", 10), ("features", 10), ("repeats", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    X, y = make_classification(
        options.classes * options.rows,
        options.features,
        n_informative=options.features,
        n_redundant=0,
        n_classes=options.classes,
        n_clusters_per_class=1,
        random_state=0,
    )
    spent = [[seconds(X, y, mode) for mode in MODES] for _ in range(options.repeats)]
    print("least CPU seconds: together {:.2f}, singly {:.2f}".format(*np.min(spent, axis=0)))
    apart = np.abs(np.subtract(*(scores(X, y, mode) for mode in MODES)))
    print(f"scores of {apart.size} cells differ by at most {apart.max():.4f}")


if __name__ == "__main__":
    main()
