"""What options may be chosen from."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["ClassWeight", "Kernel", "Precision", "Task"]


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


class ClassWeight(StrEnum):
    """How much the rows of a class weigh."""

    equal = "equal"
    balanced = "balanced"


class Precision(StrEnum):
    """In what precision kernel values are kept."""

    auto = "auto"
    single = "single"
    double = "double"
