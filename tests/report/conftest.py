"""Reports of small machines, made once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from mercer import SVC, SVR, CalibratedSVC, Report, TunedSVC, write_report


@dataclass(frozen=True)
class Case:
    """A fitted machine, rows that it has not seen and those it has, and the report."""

    machine: Any
    X: Any
    y: Any
    training: Any
    report: Report


def case(machine, X, y) -> Case:
    training = (X[::2], y[::2])
    machine.fit(*training)
    report = write_report(machine, X[1::2], y[1::2], training=training)
    return Case(machine, X[1::2], y[1::2], training, report)


def noisy_rows(n=160):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.3 * rng.normal(size=n)


@pytest.fixture(scope="session")
def two() -> Case:
    """Two classes, by a machine that was tuned and has probabilities."""
    X, f = noisy_rows()
    return case(TunedSVC(max_evals=12), X, np.where(f > 0.5, "yes", "no"))


@pytest.fixture(scope="session")
def three() -> Case:
    """Three classes, with probabilities."""
    return case(CalibratedSVC(), *load_iris(return_X_y=True))


@pytest.fixture(scope="session")
def columns() -> Case:
    """A table of numbers and a category behind a pipeline."""
    X, f = noisy_rows()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["colour"] = np.where(X[:, 2] > 0, "red", "blue")
    prepare = ColumnTransformer(
        [("n", StandardScaler(), ["a", "b", "c"]), ("k", OneHotEncoder(), ["colour"])]
    )
    return case(make_pipeline(prepare, SVC()), frame, (f > 0.5).astype(int))


@pytest.fixture(scope="session")
def flat() -> Case:
    """A table of two numbers, whose plane can be drawn."""
    X, f = noisy_rows()
    frame = pd.DataFrame(50.0 + 10.0 * X[:, :2], columns=["width", "height"])
    labels = np.where(f > 0.5, "oak", "elm")
    return case(make_pipeline(StandardScaler(), SVC(C=3.0)), frame, labels)


@pytest.fixture(scope="session")
def numbers() -> Case:
    """A regression whose target is scaled."""
    X, f = noisy_rows()
    machine = TransformedTargetRegressor(
        make_pipeline(StandardScaler(), SVR()), transformer=StandardScaler()
    )
    return case(machine, X, 100.0 + 10.0 * f)
