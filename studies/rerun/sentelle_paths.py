"""Numbers of events of regularization paths (Sentelle 2014, tables 6.5, 6.6, 7.6 and 7.7).

Which preparation the source used follows from the counts: all sets are said to be standardised, but
german and ionosphere agree to the event when their columns are in [-1, 1] (as in LIBSVM's files),
and heart when it is left as it is. The source counts two events more than we do, the start and the
end of its path; 2 is added to ours. ISVMP, the path of Ong et al., is followed on the sets of up to
1,000 rows; it stores the kernel matrix and solves a system of all free rows at every event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from studies.rerun.datasets import FloatArray, Rows, standardised, to_symmetric, training, whole
from studies.study import Column, Results, Row, Study

from mercer import svc_path
from mercer.kernels import Gaussian, Kernel, Linear
from mercer.lab import ong_path

FILES: dict[str, tuple[str, Callable[[FloatArray], FloatArray]]] = {
    "abalone": ("abalone", standardised),
    "diabetes": ("diabetes", standardised),
    "german": ("german_numer", to_symmetric),
    "heart": ("heart", np.asarray),
    "ionosphere": ("ionosphere", to_symmetric),
    "ocr-0": ("usps", standardised),
    "sonar": ("sonar", standardised),
    "spam": ("spambase", standardised),
    "splice": ("splice", standardised),
    "svmguide1": ("svmguide1", standardised),
    "wdbc": ("breast_cancer_wdbc", standardised),
}
LINEAR = {
    "abalone": 7301, "diabetes": 522, "german": 555, "heart": 730, "ionosphere": 679, "sonar": 442,
    "spam": 9359, "splice": 1862, "svmguide1": 5213, "wdbc": 1119,
}  # fmt: skip
GAUSSIAN = {
    "abalone": 9671, "diabetes": 1248, "german": 1181, "heart": 122, "ionosphere": 536,
    "sonar": 158, "spam": 6959, "splice": 510, "svmguide1": 5120, "wdbc": 705,
}  # fmt: skip
# The same paths are printed again in tables 7.6 and 7.7; three counts are others there.
LINEAR_AGAIN = LINEAR | {"heart": 650, "sonar": 521, "spam": 9270}
GAUSSIAN_AGAIN = GAUSSIAN | {"sonar": 170, "spam": 6960}
# Of ISVMP: events, and calls of its backup routine. It fails on heart with the Gaussian kernel.
ISVMP_LINEAR = {
    "diabetes": (522, 1), "german": (507, 9), "heart": (776, 0), "ionosphere": (677, 1),
    "sonar": (522, 0), "splice": (1844, 0), "wdbc": (1105, 0),
}  # fmt: skip
ISVMP_GAUSSIAN = {
    "diabetes": (1246, 1), "german": (1184, 11), "ionosphere": (535, 1), "sonar": (170, 2),
    "wdbc": (704, 1),
}  # fmt: skip
ONLY_ONCE = ("svmguide1", "wdbc")
START_AND_END = 2


def rows_of(data: Path, name: str) -> Rows:
    file, prepare = FILES[name]
    X, y = (training if name in ("ocr-0", "splice", "svmguide1") else whole)(data, file)
    return prepare(X), np.where(y > (9 if name == "abalone" else 0), 1.0, -1.0)


def events(data: Path, kernel: str, names: Mapping[str, int]) -> dict[str, int]:
    """Events from the smallest C to C = 1000, lambda = 0.001."""
    found = {}
    for name in names:
        X, y = rows_of(data, name)
        path = svc_path(X, y, kernel=kernel, gamma=0.1, C_max=1e3, cache_size=400.0)
        found[name] = len(path.events) + START_AND_END
    return found


def by_ong(
    data: Path, kernel: Kernel, printed: Mapping[str, tuple[int, int]]
) -> dict[str, tuple[int, int]]:
    """Values of lambda where the path of Ong et al. turns, and solutions computed afresh."""
    found = {}
    for name in printed:
        X, y = rows_of(data, name)
        path = ong_path(kernel(X), y, C_max=1e3)
        falls = -np.diff(path.parameter) > 1e-9 * np.array(path.parameter[1:])
        found[name] = 1 + int(falls.sum()), path.restarts
    return found


def with_isvmp(rows: list[Row], printed: Mapping[str, Any], ours: Mapping[str, Any]) -> list[Row]:
    """The rows of SSVMP with the columns of ISVMP, where there are any."""
    none = (None, None)
    return [
        Row(
            row.name,
            [*row.source, *printed.get(row.name, none)],
            [*row.ours, *ours.get(row.name, none)],
        )
        for row in rows
    ]


def compared(printed: Mapping[str, int], ours: Mapping[str, int]) -> list[Row]:
    return [Row(name, [count], [ours[name]]) for name, count in printed.items()]


def run_linear(data: Path) -> Results:
    ours = events(data, "linear", LINEAR)
    again = {name: n for name, n in LINEAR_AGAIN.items() if name not in ONLY_ONCE}
    return {
        "Sentelle 2014, table 6.5": with_isvmp(
            compared(LINEAR, ours), ISVMP_LINEAR, by_ong(data, Linear(), ISVMP_LINEAR)
        ),
        "Sentelle 2014, table 7.6": compared(again, ours),
    }


def run_gaussian(data: Path) -> Results:
    ours = events(data, "rbf", GAUSSIAN)
    again = {name: n for name, n in GAUSSIAN_AGAIN.items() if name not in ONLY_ONCE}
    return {
        "Sentelle 2014, table 6.6": with_isvmp(
            compared(GAUSSIAN, ours), ISVMP_GAUSSIAN, by_ong(data, Gaussian(0.1), ISVMP_GAUSSIAN)
        ),
        "Sentelle 2014, table 7.7": compared(again, ours),
    }


PROTOCOL = (
    "All rows; standardised, but german and ionosphere in [-1, 1] and heart raw; `svc_path` to "
    "C = 1000{}; events, with two more for the start and the end."
)
ISVMP = (
    " ISVMP is `lab.ong_path`, on sets of up to 1,000 rows{}; values of lambda that differ are its "
    "events, backup calls are shown."
)
EVENTS = (Column("events of SSVMP", "2 %"),)
BOTH = (*EVENTS, Column("events of ISVMP", "2 %"), Column("backup calls"))
NAMES = tuple(file for file, _ in FILES.values())
STUDIES = (
    Study(
        "path-linear", {"Sentelle 2014, table 6.5": BOTH, "Sentelle 2014, table 7.6": EVENTS},
        NAMES, 40, PROTOCOL.format(", linear kernel") + ISVMP.format(""), run_linear,
        ("rerun/datasets.py",),
    ),
    Study(
        "path-gaussian", {"Sentelle 2014, table 6.6": BOTH, "Sentelle 2014, table 7.7": EVENTS},
        NAMES, 120, PROTOCOL.format(", gamma = 0.1") + ISVMP.format(" but splice"),
        run_gaussian, ("rerun/datasets.py",),
    ),
)  # fmt: skip
