"""Sizes of the sets: whether the files at hand are those of the sources."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from studies.rerun import sentelle_paths, sentelle_training
from studies.rerun.datasets import breast_cancer, whole
from studies.study import Column, Results, Row, Study

TRAINING = {
    "abalone": (4177, 7), "letter-g": (20000, 16), "ocr-0": (7291, 256), "ocr-9": (7291, 256),
    "spam": (4601, 57), "splice": (1000, 60),
}  # fmt: skip
# Rows, rows of the positive class, columns.
PATHS = {
    "abalone": (4177, 2081, 10), "diabetes": (768, 500, 8), "german": (1000, 300, 24),
    "heart": (270, 150, 13), "ionosphere": (351, 225, 34), "sonar": (208, 97, 60),
    "spam": (4601, 1813, 57), "splice": (1000, 517, 60), "svmguide1": (3089, 2000, 4),
    "wdbc": (569, 212, 30),
}  # fmt: skip
BENCHMARKS = {
    "banana": ("banana", 5300, 2), "diabetis": ("diabetes", 768, 8),
    "flare-solar": ("solar_flare", 1066, 9), "german": ("raetsch_german", 1000, 20),
    "image": ("segment", 2310, 19), "ringnorm": ("ringnorm", 7400, 20),
    "splice": ("splice", 3175, 60), "titanic": ("titanic", 2201, 3),
    "twonorm": ("twonorm", 7400, 20), "waveform": ("waveform", 5000, 21),
}  # fmt: skip
SPLITS = {
    "titanic": ("titanic", 3, 2201), "heart": ("heart", 13, 270),
    "breast-cancer": ("breast_cancer_ljubljana", 9, 277), "thyroid": ("thyroid_new", 5, 215),
    "diabetes": ("diabetes", 8, 768), "flare": ("solar_flare", 9, 1066),
    "splice": ("splice", 60, 3175), "image": ("raetsch_image", 18, 2310),
    "german": ("raetsch_german", 20, 1000), "banana": ("banana", 2, 5300),
    "ringnorm": ("ringnorm", 20, 7400), "twonorm": ("twonorm", 20, 7400),
    "waveform": ("waveform", 21, 5000),
}  # fmt: skip


def positives(data: Path, name: str) -> tuple[int, int, int]:
    """Rows, rows of the smaller class or of the class the source calls positive, columns."""
    X, y = sentelle_paths.rows_of(data, name)
    counts = sorted((int((y > 0).sum()), int((y < 0).sum())), key=lambda n: abs(n - PATHS[name][1]))
    return len(y), counts[0], X.shape[1]


def run(data: Path) -> Results:
    training, paths, benchmarks, splits = [], [], [], []
    for name, printed in TRAINING.items():
        training.append(Row(name, printed, sentelle_training.rows_of(data, name)[0].shape))
    for name, sizes in PATHS.items():
        paths.append(Row(name, sizes, positives(data, name)))
    for name, (file, rows, columns) in BENCHMARKS.items():
        benchmarks.append(Row(name, (rows, columns), np.shape(whole(data, file)[0])))
    for name, (file, columns, rows) in SPLITS.items():
        X, _ = breast_cancer(data) if name == "breast-cancer" else whole(data, file)
        splits.append(Row(name, (rows, columns), X.shape))
    again = [row for row in paths if row.name not in sentelle_paths.ONLY_ONCE]
    return {
        "Sentelle 2014, table 5.1": training,
        "Sentelle 2014, table 6.4": paths,
        "Sentelle 2014, table 7.1": again,
        "Glasmachers 2008, table 12.2": benchmarks,
        "Lopez Lazaro 2011, table 5.1": splits,
    }


SIZES = (Column("rows", "0"), Column("columns", "0"))
CLASSES = (Column("rows", "0"), Column("of the positive class", "0"), Column("columns", "0"))
STUDIES = (
    Study(
        "sizes",
        {
            "Sentelle 2014, table 5.1": SIZES,
            "Sentelle 2014, table 6.4": CLASSES,
            "Sentelle 2014, table 7.1": CLASSES,
            "Glasmachers 2008, table 12.2": SIZES,
            "Lopez Lazaro 2011, table 5.1": SIZES,
        },
        (*sentelle_paths.NAMES, "letter", "usps", *(f for f, *_ in BENCHMARKS.values())),
        2,
        "Rows and columns of the files at hand.",
        run,
        ("rerun/datasets.py", "rerun/sentelle_paths.py", "rerun/sentelle_training.py"),
    ),
)
