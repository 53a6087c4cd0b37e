"""The choices of options."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

__all__ = [
    "STANDARD",
    "Choice",
    "ClassWeight",
    "Kernel",
    "Missing",
    "Precision",
    "SearchedKernel",
    "Task",
]

STANDARD = Path("-")  # standard input or output


class Task(StrEnum):
    """The kinds of learning."""

    auto = "auto"
    classification = "classification"
    regression = "regression"
    outliers = "outliers"


class Kernel(StrEnum):
    """The kernels that have a name."""

    linear = "linear"
    poly = "poly"
    rbf = "rbf"
    sigmoid = "sigmoid"
    laplacian = "laplacian"


class SearchedKernel(StrEnum):
    """Those that a search takes: one of the kernels, or the best of several."""

    linear = "linear"
    poly = "poly"
    rbf = "rbf"
    sigmoid = "sigmoid"
    laplacian = "laplacian"
    auto = "auto"


class Choice(StrEnum):
    """Which C of a path is taken."""

    best = "best"
    one_se = "one-se"


class Missing(StrEnum):
    """The treatment of missing values."""

    impute = "impute"
    drop = "drop"
    error = "error"


class ClassWeight(StrEnum):
    """How much the rows of a class weigh."""

    equal = "equal"
    balanced = "balanced"


class Precision(StrEnum):
    """In what precision kernel values are kept."""

    auto = "auto"
    single = "single"
    double = "double"
