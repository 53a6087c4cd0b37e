"""Strategies of model selection against each other (Glasmachers 2008, section 12.2).

    python studies/strategies.py [--trials 10] [--evals 1500] [--problems chess sparse-3 ...]
        [--strategies cv posterior ...]

Test error, mean and deviation over trials of 200 training rows, by strategy; the Bayes error beside
it. Chess boards have one width, sparse coordinates one for each of 20 features. The document's
budgets are hours long: --evals bounds the evaluations of each search.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

from mercer import TunedSVC
from mercer.kernels import Gaussian
from mercer.lab import make_chessboard, make_sparse_coordinates

STRATEGIES = ("auto", "cv", "alignment", "span_like", "likelihood", "posterior")
PROBLEMS = {
    "chess": (lambda n, seed: make_chessboard(n, random_state=seed), "radial", 0.0),
    "noisy-chess": (
        lambda n, seed: make_chessboard(n, noise=0.2, random_state=seed),
        "radial",
        0.1,
    ),
    "sparse-3": (
        lambda n, seed: make_sparse_coordinates(n, n_ones=3, random_state=seed),
        "diagonal",
        0.1404,
    ),
    "sparse-5": (
        lambda n, seed: make_sparse_coordinates(n, n_ones=5, random_state=seed),
        "diagonal",
        0.2263,
    ),
}


def error(problem: str, strategy: str, trial: int, evals: int) -> float:
    draw, metric, _ = PROBLEMS[problem]
    X, y = draw(200, trial)
    X_test, y_test = draw(20_000, 10_000 + trial)
    machine = TunedSVC(
        kernel=Gaussian(metric=metric), objective=strategy, max_evals=evals, random_state=trial
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return 1.0 - float(machine.fit(X, y).score(X_test, y_test))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--evals", type=int, default=1500)
    parser.add_argument("--problems", nargs="*", default=list(PROBLEMS))
    parser.add_argument("--strategies", nargs="*", choices=STRATEGIES, default=STRATEGIES)
    options = parser.parse_args()
    for problem in options.problems:
        print(f"{problem}: Bayes error {PROBLEMS[problem][2]}")
        for strategy in options.strategies:
            errors = [error(problem, strategy, t, options.evals) for t in range(options.trials)]
            print(f"  {strategy:12s} {np.mean(errors):.4f} +- {np.std(errors):.4f}", flush=True)


if __name__ == "__main__":
    main()
