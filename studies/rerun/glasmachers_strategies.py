"""Strategies of model selection against each other (Glasmachers 2008, tables 12.1 and 12.3-12.6).

Each trial trains on 200 rows and tests on the rest, on 20,000 new rows of the artificial problems
(the source: 100,000). Columns are standardised, splice and titanic are as they are. Five trials,
where the source has a hundred, of at most 300 evaluations each, where the source has 100 to 10,000
times the root of the number of parameters. Means of five differ by the deviation of the source's
trials over the root of five, and so does the rule.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from studies.rerun.datasets import Rows, standardised, whole
from studies.study import Column, Results, Row, Study

from mercer import TunedSVC
from mercer.kernels import Gaussian
from mercer.lab import make_chessboard, make_sparse_coordinates

TRIALS, N_TRAIN, N_TEST, EVALS = 5, 200, 20_000, 300
OBJECTIVES = ("cv", "alignment", "likelihood", "posterior")
COLUMNS = (
    Column("5-fold-CV", "0.03"), Column("KTA", "0.03"), Column("likelihood", "0.03"),
    Column("posterior", "0.03"),
)  # fmt: skip
# What is printed: mean test errors of cross-validation, alignment, likelihood and posterior.
ARTIFICIAL = {
    "sparse-3": ("diagonal", (0.159, 0.149, 0.143, 0.141)),
    "sparse-5": ("diagonal", (0.281, 0.264, 0.272, 0.246)),
    "chess": ("radial", (0.107, 0.125, 0.099, 0.111)),
    "noisy-chess": ("radial", (0.240, 0.249, 0.230, 0.290)),
}
FILES = {
    "banana": "banana", "diabetis": "diabetes", "german": "raetsch_german",
    "image": "raetsch_image", "ringnorm": "ringnorm", "splice": "splice", "titanic": "titanic",
    "twonorm": "twonorm", "waveform": "waveform",
}  # fmt: skip
AS_THEY_ARE = ("splice", "titanic")
RADIAL = {
    "banana": (0.116, 0.122, 0.114, 0.114), "diabetis": (0.252, 0.272, 0.247, 0.244),
    "german": (0.277, 0.271, 0.266, 0.262), "image": (0.098, 0.094, 0.094, 0.091),
    "ringnorm": (0.019, 0.017, 0.044, 0.029), "splice": (0.215, 0.190, 0.172, 0.170),
    "titanic": (0.226, 0.227, 0.226, 0.227), "twonorm": (0.029, 0.028, 0.032, 0.027),
    "waveform": (0.119, 0.115, 0.113, 0.111),
}  # fmt: skip
DIAGONAL = {
    "banana": (0.118, 0.124, 0.115, 0.115), "diabetis": (0.277, 0.267, 0.277, 0.263),
    "german": (0.311, 0.300, 0.385, 0.302), "image": (0.066, 0.055, 0.090, 0.070),
    "ringnorm": (0.053, 0.030, 0.087, 0.045), "splice": (0.478, 0.181, 0.363, 0.137),
    "titanic": (0.226, 0.232, 0.226, 0.226), "twonorm": (0.100, 0.052, 0.069, 0.049),
    "waveform": (0.254, 0.132, 0.196, 0.143),
}  # fmt: skip
Draw = Callable[[int], tuple[Rows, Rows]]


def new_rows(problem: str, seed: int) -> tuple[Rows, Rows]:
    """Training and test rows of an artificial problem."""
    name, _, kind = problem.partition("-")

    def draw(n: int, seed: int) -> Rows:
        if name == "sparse":
            return make_sparse_coordinates(n, n_ones=int(kind), random_state=seed)
        noise = 0.2 if name == "noisy" else 0.0
        return make_chessboard(n, noise=noise, random_state=seed)

    return draw(N_TRAIN, seed), draw(N_TEST, 10_000 + seed)


def split_rows(data: Path, problem: str, seed: int) -> tuple[Rows, Rows]:
    """A random training set of a real problem, and the rest."""
    X, y = whole(data, FILES[problem])
    # waveform: its first class against the rest
    positive = y == y.min() if len(np.unique(y)) > 2 else y == y.max()
    X = X if problem in AS_THEY_ARE else standardised(X)
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[:N_TRAIN], order[N_TRAIN:]
    return (X[train], positive[train]), (X[test], positive[test])


def mean_errors(draw: Draw, metric: str) -> Iterator[float]:
    """Mean test error of each strategy."""
    for objective in OBJECTIVES:
        errors = []
        for trial in range(TRIALS):
            (X, y), (X_test, y_test) = draw(trial)
            machine = TunedSVC(
                kernel=Gaussian(metric=metric), objective=objective, max_evals=EVALS,
                random_state=trial,
            )  # fmt: skip
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                errors.append(1.0 - float(machine.fit(X, y).score(X_test, y_test)))
        yield float(np.mean(errors))


def real(data: Path, printed: dict[str, tuple[float, ...]], metric: str) -> list[Row]:
    """A row for each real problem."""
    return [
        Row(name, numbers, list(mean_errors(partial(split_rows, data, name), metric)))
        for name, numbers in printed.items()
    ]


def artificial(data: Path) -> Results:
    found = [
        Row(name, numbers, list(mean_errors(partial(new_rows, name), metric)))
        for name, (metric, numbers) in ARTIFICIAL.items()
    ]
    return {"Glasmachers 2008, table 12.1": found}


def radial(data: Path) -> Results:
    found = real(data, RADIAL, "radial")
    return {"Glasmachers 2008, table 12.3": found[:4], "Glasmachers 2008, table 12.4": found[4:]}


def diagonal(data: Path) -> Results:
    found = real(data, DIAGONAL, "diagonal")
    return {"Glasmachers 2008, table 12.5": found[:4], "Glasmachers 2008, table 12.6": found[4:]}


PROTOCOL = (
    "Mean test errors of five trials of 200 training rows (the source: a hundred), at most 300 "
    "evaluations each, by four strategies; the span bound is left out, whose searches get stuck."
)


def study(name: str, run: Callable[[Path], Results], seconds: float, *numbers: str) -> Study:
    tables = {f"Glasmachers 2008, table 12.{number}": COLUMNS for number in numbers}
    data = () if run is artificial else tuple(FILES.values())
    return Study(name, tables, data, seconds, PROTOCOL, run, ("rerun/datasets.py",))


STUDIES = (
    study("strategies-artificial", artificial, 120, "1"),
    study("strategies-radial", radial, 120, "3", "4"),
    study("strategies-diagonal", diagonal, 600, "5", "6"),
)
