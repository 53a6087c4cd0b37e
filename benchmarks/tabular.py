"""Tuned kernel machines beside trees, neighbours and linear models on tabular sets.

    python benchmarks/tabular.py run --data DIR --out FILE.json [--seconds 480] [--splits 2]
    python benchmarks/tabular.py table --out FILE.json

``run`` adds what is missing to FILE, set by set, until the seconds are over, so that it can be run
in pieces; ``--without`` names methods to leave out. ``table`` prints mean ranks with the critical
difference of Nemenyi (Demsar 2006), wins and losses, and CPU seconds. Features are standardized for
all but trees; at most 2,000 rows train.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata, studentized_range
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics import accuracy_score, balanced_accuracy_score, mean_absolute_error, r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

from mercer import TunedSVC, TunedSVR

CLASSES = (
    "thyroid_new glass heart breast_cancer_ljubljana ionosphere house_votes raetsch_diabetis "
    "vowel breast_cancer_wdbc soybean breast_cancer_wisconsin diabetes vehicle german_numer "
    "solar_flare yeast titanic segment raetsch_image splice spambase waveform banana sonar "
    "satimage svmguide1 twonorm ringnorm pendigits letter"
)
NUMBERS = "boston_housing abalone cpusmall bank8FM bank32nh kin8nm puma8NH puma32H pol ailerons"
MOST_ROWS, MOST_NEW = 2000, 5000
SEARCHED = {
    "learning_rate": [0.02, 0.05, 0.1, 0.2],
    "max_leaf_nodes": [7, 15, 31, 63],
    "min_samples_leaf": [5, 10, 20, 40],
    "l2_regularization": [0.0, 0.1, 1.0, 10.0],
    "max_iter": [50, 100, 200],
}


def load(path: Path) -> tuple[np.ndarray, np.ndarray]:
    found = np.load(path)
    if "X" in found.files:
        return found["X"].astype(float), found["y"]
    X = np.vstack([found["X_train"], found["X_test"]]).astype(float)
    return X, np.concatenate([found["y_train"], found["y_test"]])


class TunedTrees:
    """Boosted trees by a random search that may take as much CPU as a kernel machine took."""

    def __init__(self, make: type, seconds: float) -> None:
        self.make, self.seconds = make, seconds

    def fit(self, X: np.ndarray, y: np.ndarray) -> TunedTrees:
        random, began, best = np.random.default_rng(0), time.process_time(), -np.inf
        while best == -np.inf or time.process_time() - began < self.seconds:
            drawn = {name: random.choice(values).item() for name, values in SEARCHED.items()}
            machine = self.make(random_state=0, **drawn)
            score = float(np.mean(cross_val_score(machine, X, y, cv=3)))
            if score > best:
                best, self.machine = score, machine
        self.machine.fit(X, y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.machine.predict(X)


def scaled(machine: Any) -> Any:
    return make_pipeline(StandardScaler(), machine)


def grid(machine: Any) -> Any:
    """The usual grid of scikit-learn's machine."""
    values = {"C": np.logspace(-1, 4, 6), "gamma": np.logspace(-4, 1, 6)}
    return scaled(GridSearchCV(machine, values, cv=3))


def neighbours(machine: Any) -> Any:
    return scaled(GridSearchCV(machine, {"n_neighbors": [1, 3, 5, 9, 15, 31]}, cv=5))


def lightgbm(name: str) -> Any:
    import lightgbm as library

    return getattr(library, name)(random_state=0, n_jobs=1, verbose=-1)


def methods(is_class: bool) -> dict[str, Callable[[float], Any]]:
    """Makers by name; they get the CPU seconds of the tuned kernel machine."""
    if is_class:
        return {
            "TunedSVC": lambda _: scaled(TunedSVC()),
            "TunedSVC auto": lambda _: scaled(TunedSVC(kernel="auto")),
            "TunedSVC ard": lambda _: scaled(TunedSVC(kernel="ard", max_time=30.0)),
            "HistGradientBoosting": lambda _: HistGradientBoostingClassifier(random_state=0),
            "HGB, same CPU": lambda s: TunedTrees(HistGradientBoostingClassifier, s),
            "LightGBM": lambda _: lightgbm("LGBMClassifier"),
            "random forest": lambda _: RandomForestClassifier(200, random_state=0),
            "logistic regression": lambda _: scaled(LogisticRegression(max_iter=1000)),
            "SVC, grid": lambda _: grid(SVC()),
            "k-NN": lambda _: neighbours(KNeighborsClassifier()),
        }
    return {
        "TunedSVC": lambda _: scaled(TunedSVR()),
        "TunedSVC auto": lambda _: scaled(TunedSVR(kernel="auto")),
        "TunedSVC ard": lambda _: scaled(TunedSVR(kernel="ard", max_time=30.0)),
        "HistGradientBoosting": lambda _: HistGradientBoostingRegressor(random_state=0),
        "HGB, same CPU": lambda s: TunedTrees(HistGradientBoostingRegressor, s),
        "LightGBM": lambda _: lightgbm("LGBMRegressor"),
        "random forest": lambda _: RandomForestRegressor(200, random_state=0),
        "logistic regression": lambda _: scaled(RidgeCV(np.logspace(-3, 3, 7))),
        "SVC, grid": lambda _: grid(SVR()),
        "k-NN": lambda _: neighbours(KNeighborsRegressor()),
    }


def run(data: Path, out: Path, seconds: float, n_splits: int, without: list[str]) -> None:
    known = json.loads(out.read_text()) if out.exists() else []
    done = {(own["set"], own["split"], own["method"]) for own in known}
    end = time.monotonic() + seconds
    for split in range(n_splits):
        for name in (*CLASSES.split(), *NUMBERS.split()):
            is_class = name in CLASSES.split()
            parts = None
            for method, make in methods(is_class).items():
                if method in without:
                    continue
                if (name, split, method) in done or time.monotonic() > end:
                    continue
                parts = parts or parts_of(data / f"{name}.npz", split, is_class)
                budget = next(
                    (
                        own["cpu"]
                        for own in known
                        if (own["set"], own["split"], own["method"]) == (name, split, "TunedSVC")
                    ),
                    1.0,
                )
                known.append(
                    {"set": name, "split": split, "method": method, "is_class": is_class}
                    | judged(make(budget), *parts, is_class)
                )
                out.write_text(json.dumps(known, indent=0))


def parts_of(path: Path, split: int, is_class: bool) -> tuple[np.ndarray, ...]:
    X, y = load(path)
    y = y if is_class else y.astype(float) / np.std(y.astype(float))
    size = min(int(0.7 * len(y)), MOST_ROWS)
    rare = is_class and np.unique(y, return_counts=True)[1].min() < 2
    parts = train_test_split(
        X, y, train_size=size, random_state=split, stratify=y if is_class and not rare else None
    )
    return parts[0], parts[1][:MOST_NEW], parts[2], parts[3][:MOST_NEW]


def judged(
    machine: Any, X: np.ndarray, new: np.ndarray, y: np.ndarray, truth: np.ndarray, is_class: bool
) -> dict[str, float]:
    """Scores on new rows and the CPU seconds of the fit."""
    began = time.process_time()
    machine.fit(X, y)
    cpu = time.process_time() - began
    predicted = machine.predict(new)
    scores = (accuracy_score, balanced_accuracy_score) if is_class else (r2_score, _absolute)
    first, second = (float(score(truth, predicted)) for score in scores)
    return {"n": len(y), "d": X.shape[1], "cpu": cpu, "score": first, "second": second}


def _absolute(truth: np.ndarray, predicted: np.ndarray) -> float:
    return -float(mean_absolute_error(truth, predicted))


def table(out: Path) -> None:
    """Mean ranks over sets, with what separates them."""
    known = json.loads(out.read_text())
    names = [name for name in methods(True) if any(own["method"] == name for own in known)]
    for title, key in (("accuracy or R2", "score"), ("balanced accuracy or -MAE", "second")):
        scores, sets = means(known, names, key)
        if not len(scores):
            continue
        ranks = np.apply_along_axis(lambda own: rankdata(-own), 1, scores)
        apart = critical_difference(len(names), len(sets))
        print(f"\n{title}: {len(sets)} sets, critical difference {apart:.2f}")
        for k in np.argsort(ranks.mean(axis=0)):
            wins = int(np.sum(scores[:, 0] > scores[:, k] + 1e-12))
            losses = int(np.sum(scores[:, 0] < scores[:, k] - 1e-12))
            cpu = float(np.median([own["cpu"] for own in known if own["method"] == names[k]]))
            bar = "#" * round(4 * ranks[:, k].mean())
            print(
                f"| {names[k]} | {ranks[:, k].mean():.2f} | {wins} / {losses} | {cpu:.2f} | {bar} |"
            )
    scores, sets = means(known, names, "score")
    print("\n| set | rows, features | " + " | ".join(names) + " |")
    for name, own in zip(sets, scores, strict=True):
        one = next(row for row in known if row["set"] == name)
        cells = " | ".join(f"{value:.3f}" for value in own)
        print(f"| {name} | {one['n']} x {one['d']} | {cells} |")


def means(known: list[dict[str, Any]], names: list[str], key: str) -> tuple[np.ndarray, list[str]]:
    """Scores by set and method, means over the splits that all methods have."""
    rows, sets = [], []
    for name in dict.fromkeys(own["set"] for own in known):
        splits = {own["split"] for own in known if own["set"] == name}
        found = []
        for split in splits:
            own = {
                row["method"]: row[key]
                for row in known
                if row["set"] == name and row["split"] == split
            }
            if all(method in own for method in names):
                found.append([own[method] for method in names])
        if found:
            rows.append(np.mean(found, axis=0))
            sets.append(name)
    return np.array(rows), sets


def critical_difference(n_methods: int, n_sets: int) -> float:
    """Of mean ranks, at 5 % (Nemenyi; Demsar 2006, section 3.2.2)."""
    quantile = float(studentized_range.ppf(0.95, n_methods, np.inf)) / np.sqrt(2.0)
    return quantile * np.sqrt(n_methods * (n_methods + 1) / (6.0 * n_sets))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["run", "table"])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=480.0)
    parser.add_argument("--splits", type=int, default=2)
    parser.add_argument("--without", nargs="+", default=[], help="names of methods")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.command == "run":
        run(given.data, given.out, given.seconds, given.splits, given.without)
    else:
        table(given.out)


if __name__ == "__main__":
    main()
