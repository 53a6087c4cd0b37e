"""Best test accuracy with incomplete Cholesky factors (Sentelle 2014, table 7.10).

C = 1, gamma = 2^-15, 2^-13, ... 2^15, ranks 50, 150 and 250; two thirds to train, means over three
random splits. Sets are prepared as in sentelle_paths.py.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np
from studies.rerun.sentelle_accuracy import COSTS, FILES, splits
from studies.study import Column, Results, Row, Study

from mercer import SVC, ActiveSet

RANKS = (50, 150, 250)
SPLITS = 3
PRINTED = {
    "abalone": (79.81, 80.46, 80.39), "diabetes": (79.30, 79.30, 79.30),
    "german": (77.78, 76.88, 76.58),
    "heart": (63.33, 63.33, 63.33), "ionosphere": (89.74, 94.02, 94.02),
    "sonar": (79.71, 85.51, 85.51), "splice": (80.78, 83.78, 85.29),
    "spam": (89.04, 92.11, 93.02), "ocr-0": (97.12, 98.35, 98.48),
}  # fmt: skip


def best(data: Path, name: str, rank: int) -> float:
    """Mean over the splits of the best accuracy over gamma."""
    scores = []
    for X, y, rows, labels in islice(splits(data, name), SPLITS):
        solver = ActiveSet(low_rank=min(rank, len(y)), refine=False)
        machines = (SVC(C=1.0, gamma=gamma, solver=solver, tol=1e-3) for gamma in COSTS)
        scores.append(max(machine.fit(X, y).score(rows, labels) for machine in machines))
    return round(100.0 * float(np.mean(scores)), 2)


def run(data: Path) -> Results:
    rows = [
        Row(name, printed, [best(data, name, rank) for rank in RANKS])
        for name, printed in PRINTED.items()
    ]
    return {"Sentelle 2014, table 7.10": rows}


STUDIES = (
    Study(
        "low-rank-accuracy",
        {"Sentelle 2014, table 7.10": tuple(Column(f"rank {rank}", "4") for rank in RANKS)},
        FILES, 300,
        "C = 1, gamma from 2^-15 to 2^15, `ActiveSet(low_rank=)`; two thirds to train, means over "
        "three random splits; best test accuracy in %.",
        run, ("rerun/datasets.py", "rerun/sentelle_paths.py", "rerun/sentelle_accuracy.py"),
    ),
)  # fmt: skip
