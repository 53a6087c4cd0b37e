"""The toy problem of Sentelle 2014, and how exact paths are (figures 6.9 to 6.12)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from studies.rerun.sentelle_paths import rows_of
from studies.study import Column, Results, Row, Study

from mercer import svc_path

TOY = np.array(
    [
        [0.7, 0.3, 1],
        [0.5, 0.5, 1],
        [2.0, 2.0, -1],
        [1.0, 3.0, -1],
        [0.75, 0.75, 1],
        [1.75, 1.75, -1],
    ]
)
FIRST = ("abalone", "diabetes", "german", "heart")
SECOND = ("ionosphere", "spam", "splice", "svmguide1", "wdbc")
POINTS = 12


def toy(data: Path) -> Results:
    """lambda = 1/C of the first two events: 7.44 and 3.75."""
    path = svc_path(TOY[:, :2], TOY[:, 2], kernel="linear", C_max=10.0)
    values = np.unique(np.round(1.0 / np.asarray(path.C), 6))[::-1]
    first = Row("lambda where the path begins", [7.44], [round(float(values[0]), 4)])
    second = Row("lambda of the next event", [3.75], [round(float(values[1]), 4)])
    return {"Sentelle 2014, table 6.1": [first], "Sentelle 2014, table 6.2": [second]}


def worst_gap(data: Path, name: str, kernel: str) -> float:
    """Largest relative duality gap at breakpoints spread over the path."""
    X, y = rows_of(data, name)
    path = svc_path(X, y, kernel=kernel, gamma=0.1, C_max=1e3, cache_size=400.0)
    some = np.asarray(path.C)[np.linspace(0, len(path.C) - 1, POINTS).astype(int)]
    return max(float(path.certificate(C).relative_gap) for C in some)


def precision(data: Path, kernel: str, names: tuple[str, ...]) -> list[Row]:
    return [Row(name, [1e-6], [float(f"{worst_gap(data, name, kernel):.1e}")]) for name in names]


def run_linear(data: Path) -> Results:
    return {
        "Sentelle 2014, figure 6.9": precision(data, "linear", FIRST),
        "Sentelle 2014, figure 6.10": precision(data, "linear", SECOND),
    }


def run_gaussian(data: Path) -> Results:
    return {
        "Sentelle 2014, figure 6.11": precision(data, "rbf", FIRST),
        "Sentelle 2014, figure 6.12": precision(
            data, "rbf", tuple(n for n in SECOND if n != "spam")
        ),
    }


WORST = (Column("largest relative error (printed: at most)", "1e-6"),)
PROTOCOL = (
    f"Relative duality gap, which bounds the relative error of the dual value, at {POINTS} "
    "breakpoints of the exact path to C = 1000."
)
FILES = ("abalone", "diabetes", "german_numer", "heart", "ionosphere", "splice", "svmguide1")
STUDIES = (
    Study(
        "toy-path",
        {
            "Sentelle 2014, table 6.1": (Column("lambda", "0.001"),),
            "Sentelle 2014, table 6.2": (Column("lambda", "0.001"),),
        },
        (), 1, "The six rows of the source, linear kernel.", toy,
    ),
    Study(
        "precision-linear",
        {"Sentelle 2014, figure 6.9": WORST, "Sentelle 2014, figure 6.10": WORST},
        (*FILES, "spambase", "breast_cancer_wdbc"), 10, PROTOCOL, run_linear,
        ("rerun/datasets.py", "rerun/sentelle_paths.py"),
    ),
    Study(
        "precision-gaussian",
        {"Sentelle 2014, figure 6.11": WORST, "Sentelle 2014, figure 6.12": WORST},
        (*FILES, "breast_cancer_wdbc"), 40, PROTOCOL, run_gaussian,
        ("rerun/datasets.py", "rerun/sentelle_paths.py"),
    ),
)  # fmt: skip
