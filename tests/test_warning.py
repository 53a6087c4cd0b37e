"""Warnings point to the user's line, whatever lies between."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import LSSVR, SVC, NuSVC

X = np.random.default_rng(0).normal(size=(60, 2))
Y = np.arange(60) % 2
CALLS = {
    "fit": lambda: SVC(max_iter=1).fit(X, Y),
    "pipeline": lambda: make_pipeline(StandardScaler(), SVC(max_iter=1)).fit(X, Y),
    "folds": lambda: cross_val_score(SVC(max_iter=1), X, Y, cv=2),
    "nu": lambda: NuSVC(nu=0.01, kernel="linear").fit(X, Y),
    "sigmoid": lambda: SVC(kernel="sigmoid").fit(X, Y),
    "least squares": lambda: LSSVR(max_time=1e-9).fit(X, Y),
}


def test_warnings_point_to_the_line_of_the_user() -> None:
    for name, call in CALLS.items():
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            call()
        ours = [w for w in said if w.category in (ConvergenceWarning, UserWarning)]
        assert ours, name
        assert {Path(w.filename) for w in ours} == {Path(__file__)}, name
