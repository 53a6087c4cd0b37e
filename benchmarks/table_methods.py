"""The methods that tabular.py compares: tuned kernel machines, trees, neighbours, linear models.

All of one thread. Features are standardized for all but trees. A search may take as much CPU as it
is given: boosted trees and recursive feature machines what ``kernel="auto"`` has taken on the same
rows, the grid of scikit-learn ``MOST_CPU`` seconds in an order drawn at random, one width per
feature as many until its search ends with the best so far.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
import recursive_features
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from mercer import TunedSVC, TunedSVR

MOST_CPU = 10.0
MOST_ITERATIONS = 1_000_000  # of LIBSVM in one cell of the grid
TREES = {
    "learning_rate": [0.02, 0.05, 0.1, 0.2],
    "max_leaf_nodes": [7, 15, 31, 63],
    "min_samples_leaf": [5, 10, 20, 40],
    "l2_regularization": [0.0, 0.1, 1.0, 10.0],
    "max_iter": [50, 100, 200],
}
IN_LIGHTGBM = {
    "max_leaf_nodes": "num_leaves",
    "min_samples_leaf": "min_child_samples",
    "l2_regularization": "reg_lambda",
    "max_iter": "n_estimators",
}
CELLS = {"C": np.logspace(-1, 4, 6), "gamma": np.logspace(-4, 1, 6)}


class Searched:
    """The best of settings by three folds, until the CPU seconds are over."""

    def __init__(
        self, make: Callable[..., Any], settings: Iterator[dict[str, Any]], seconds: float
    ) -> None:
        self.make, self.settings, self.seconds = make, settings, seconds

    def fit(self, X: np.ndarray, y: np.ndarray) -> Searched:
        began, best = time.process_time(), -np.inf
        for setting in self.settings:
            machine = self.make(**setting)
            score = float(np.mean(cross_val_score(machine, X, y, cv=3)))
            if score > best:
                best, self.machine = score, machine
            if time.process_time() - began > self.seconds:
                break
        self.machine.fit(X, y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.machine.predict(X)

    def __getattr__(self, name: str) -> Any:
        if name != "predict_proba":
            raise AttributeError(name)
        return self.machine.predict_proba


def drawn(names: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Settings of boosted trees, without an end."""
    random = np.random.default_rng(0)
    while True:
        yield {names.get(name, name): random.choice(own).item() for name, own in TREES.items()}


def shuffled_cells() -> Iterator[dict[str, Any]]:
    cells = [{"C": C, "gamma": gamma} for C in CELLS["C"] for gamma in CELLS["gamma"]]
    return (cells[k] for k in np.random.default_rng(0).permutation(len(cells)))


class Deadline:
    """Ends a search of ours when its CPU seconds are over."""

    def __init__(self) -> None:
        self.end = time.process_time() + MOST_CPU

    def __call__(self, history: Any) -> bool:
        return time.process_time() > self.end


def scaled(machine: Any) -> Any:
    return make_pipeline(StandardScaler(), machine)


def grid(make: type) -> Any:
    def with_cell(**cell: float) -> Any:
        return scaled(make(max_iter=MOST_ITERATIONS, **cell))

    return Searched(with_cell, shuffled_cells(), MOST_CPU)


def neighbours(machine: Any) -> Any:
    return scaled(GridSearchCV(machine, {"n_neighbors": [1, 3, 5, 9, 15, 31]}, cv=5))


def lightgbm(is_class: bool, **settings: Any) -> Any:
    import lightgbm as library

    make = library.LGBMClassifier if is_class else library.LGBMRegressor
    return make(random_state=0, n_jobs=1, verbose=-1, **settings)


def methods(is_class: bool) -> dict[str, Callable[[float], Any]]:
    """Makers by name; they get the CPU seconds of ``kernel="auto"``."""
    tuned = TunedSVC if is_class else TunedSVR
    boosted = HistGradientBoostingClassifier if is_class else HistGradientBoostingRegressor
    forest = RandomForestClassifier if is_class else RandomForestRegressor
    linear = LogisticRegression(max_iter=1000) if is_class else RidgeCV(np.logspace(-3, 3, 7))
    nearest = KNeighborsClassifier() if is_class else KNeighborsRegressor()

    def trees(**settings: Any) -> Any:
        return boosted(random_state=0, **settings)

    def light(**settings: Any) -> Any:
        return lightgbm(is_class, **settings)

    def recursive(**settings: Any) -> Any:
        return scaled(recursive_features.RecursiveFeatures(is_class, **settings))

    found = {
        "TunedSVC": lambda _: scaled(tuned()),
        "TunedSVC auto": lambda _: scaled(tuned(kernel="auto")),
        "HistGradientBoosting": lambda _: trees(),
        "HGB, same CPU": lambda s: Searched(trees, drawn({}), s),
        "LightGBM": lambda _: light(),
        "LightGBM, same CPU": lambda s: Searched(light, drawn(IN_LIGHTGBM), s),
        "random forest": lambda _: forest(200, random_state=0),
        "linear": lambda _: scaled(linear),
        "k-NN": lambda _: neighbours(nearest),
        "SVC, grid": lambda _: grid(SVC if is_class else SVR),
        "TunedSVC ard": lambda _: scaled(tuned(kernel="ard", callback=Deadline())),
    }
    if find_spec("xrfm"):
        import xrfm  # noqa: F401 - so that no fit pays for the import of torch

        found["xRFM"] = lambda _: recursive()
        found["xRFM, same CPU"] = lambda s: Searched(recursive, recursive_features.settings(), s)
    return found
