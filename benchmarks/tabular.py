"""Tuned kernel machines beside trees, neighbours and linear models on tabular sets.

    python benchmarks/tabular.py run --data DIR --out FILE.json [--splits 5] [--without k-NN]
    python benchmarks/tabular.py table --out FILE.json [--without k-NN] [--sets NAME ...]

``run`` adds what is missing to FILE, split by split and set by set, until ``--seconds`` are over,
so that it can be run in pieces (under ``nice``: all limits are CPU seconds). 70 % of the rows, at
most ``--most``, train. ``table`` prints mean ranks with the critical difference of Nemenyi (Demsar
2006), wins and losses, and CPU seconds. The methods are those of table_methods.py.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata, studentized_range
from sklearn.metrics import (
    accuracy_score,
    balanced_accuracy_score,
    log_loss,
    mean_absolute_error,
    r2_score,
)
from sklearn.model_selection import train_test_split
from table_methods import methods

CLASSES = (
    "thyroid_new glass heart breast_cancer_ljubljana ionosphere house_votes raetsch_diabetis "
    "vowel breast_cancer_wdbc soybean breast_cancer_wisconsin diabetes vehicle german_numer "
    "solar_flare yeast titanic segment raetsch_image splice spambase waveform banana sonar "
    "satimage svmguide1 twonorm ringnorm pendigits letter"
)
NUMBERS = "boston_housing abalone cpusmall bank8FM bank32nh kin8nm puma8NH puma32H pol ailerons"
# Without raetsch_diabetis, which has the rows of diabetes.
TABLES = f"{CLASSES.replace('raetsch_diabetis ', '')} madelon mushrooms sylva {NUMBERS}".split()
# Of more than 20,000 rows: for a rule that the others have suggested.
UNSEEN = ["california_housing", "kin40k", "codrna_rowz", "shuttle", "skin_nonskin"]
MOST_ROWS, MOST_NEW = 2000, 5000
LEAST_PROBABILITY = 1e-4
METRICS = {
    "score": "accuracy or R2",
    "second": "balanced accuracy or -MAE",
    "third": "-log-loss (classes)",
}


def load(path: Path) -> tuple[np.ndarray, np.ndarray]:
    found = np.load(path)
    if "X" in found.files:
        return found["X"].astype(float), found["y"]
    if "X_indptr" in found.files:
        return _dense(found), found["y"]
    X = np.vstack([found["X_train"], found["X_test"]]).astype(float)
    return X, np.concatenate([found["y_train"], found["y_test"]])


def _dense(found: Any) -> np.ndarray:
    from scipy.sparse import csr_matrix

    parts = (found["X_data"].astype(float), found["X_indices"], found["X_indptr"])
    return csr_matrix(parts, shape=tuple(found["X_shape"])).toarray()


def run(given: argparse.Namespace) -> None:
    known = json.loads(given.out.read_text()) if given.out.exists() else []
    end = time.monotonic() + given.seconds
    for split in range(given.splits):
        for name in given.sets:
            is_class = name not in (*NUMBERS.split(), *UNSEEN[:2])
            done = {
                own["method"]: own["cpu"]
                for own in known
                if (own["set"], own["split"]) == (name, split)
            }
            left = [own for own in methods(is_class) if own not in {*done, *given.without}]
            if not left or time.monotonic() > end:
                continue
            parts = parts_of(given.data / f"{name}.npz", split, is_class, given.most)
            for method in left:
                machine = methods(is_class)[method](done.get("TunedSVC auto", 1.0))
                found = judged(machine, *parts, is_class)
                done[method] = found["cpu"]
                cell = {"set": name, "split": split, "method": method, "is_class": is_class}
                known.append(cell | found)
                given.out.write_text(json.dumps(known, indent=0))


def parts_of(
    path: Path, split: int, is_class: bool, most: int = MOST_ROWS
) -> tuple[np.ndarray, ...]:
    X, y = load(path)
    y = y if is_class else y.astype(float) / np.std(y.astype(float))
    size = min(int(0.7 * len(y)), most)
    rare = is_class and np.unique(y, return_counts=True)[1].min() < 2
    parts = train_test_split(
        X, y, train_size=size, random_state=split, stratify=y if is_class and not rare else None
    )
    return parts[0], parts[1][:MOST_NEW], parts[2], parts[3][:MOST_NEW]


def judged(
    machine: Any, X: np.ndarray, new: np.ndarray, y: np.ndarray, truth: np.ndarray, is_class: bool
) -> dict[str, Any]:
    """Scores on new rows and the CPU seconds of the fit and of these predictions."""
    began = time.process_time()
    machine.fit(X, y)
    fitted = time.process_time()
    predicted = machine.predict(new)
    seconds = {"cpu": fitted - began, "cpu_new": time.process_time() - fitted}
    scores = (accuracy_score, balanced_accuracy_score) if is_class else (r2_score, _absolute)
    first, second = (float(score(truth, predicted)) for score in scores)
    found = {"n": len(y), "d": X.shape[1], "score": first, "second": second, **seconds}
    if is_class and hasattr(machine, "predict_proba"):
        found["third"] = _log_likelihood(truth, machine.predict_proba(new), np.unique(y))
    return found


def _absolute(truth: np.ndarray, predicted: np.ndarray) -> float:
    return -float(mean_absolute_error(truth, predicted))


def _log_likelihood(truth: np.ndarray, probability: np.ndarray, classes: np.ndarray) -> float:
    """Of the rows whose class was there to learn; forests say 0, so that the least is bounded."""
    bounded = np.clip(probability, LEAST_PROBABILITY, None)
    bounded /= bounded.sum(axis=1, keepdims=True)
    known = np.isin(truth, classes)
    return -float(log_loss(truth[known], bounded[known], labels=classes))


def table(given: argparse.Namespace) -> None:
    """Mean ranks over sets, with what separates them, and the scores of every set."""
    known = [own for own in json.loads(given.out.read_text()) if own["set"] in given.sets]
    present = {own["method"] for own in known} - set(given.without)
    names = [name for name in methods(True) if name in present]
    for key, title in METRICS.items():
        judging = [name for name in names if key != "third" or name != "SVC, grid"]
        ranked(known, judging, key, title)
    scores, sets, splits = means(known, names, "score")
    print("\n| set | rows, features | splits | " + " | ".join(names) + " |")
    for name, own, n_splits in zip(sets, scores, splits, strict=True):
        one = next(row for row in known if row["set"] == name)
        cells = " | ".join(f"{value:.3f}" for value in own)
        print(f"| {name} | {one['n']} x {one['d']} | {n_splits} | {cells} |")


def ranked(known: list[dict[str, Any]], names: list[str], key: str, title: str) -> None:
    scores, sets, splits = means(known, names, key)
    if not len(scores):
        return
    ranks = np.apply_along_axis(lambda own: rankdata(-own), 1, scores)
    apart = critical_difference(len(names), len(sets))
    print(f"\n{title}: {len(sets)} sets, {sum(splits)} splits, critical difference {apart:.2f}")
    order = np.argsort(ranks.mean(axis=0), kind="stable")
    for k in order:
        beside = [
            f"{np.sum(scores[:, j] > scores[:, k] + 1e-12)} / "
            f"{np.sum(scores[:, j] < scores[:, k] - 1e-12)}"
            for j in (0, 1)
        ]
        cpu = np.median([own["cpu"] for own in known if own["method"] == names[k]])
        print(f"| {names[k]} | {ranks[:, k].mean():.2f} | {' | '.join(beside)} | {cpu:.2f} |")
    print(diagram([names[k] for k in order], ranks.mean(axis=0)[order], apart))


def diagram(names: list[str], ranks: np.ndarray, apart: float, width: int = 60) -> str:
    """Mean ranks on a line; the bars join methods that are not significantly apart."""
    low, high = np.floor(ranks[0]), np.ceil(ranks[-1])
    at = np.round((ranks - low) / max(high - low, 1.0) * width).astype(int)
    lines = [f"{low:.0f}{' ' * (width - 1)}{high:.0f}"]
    lines += [
        f"{' ' * place}o{' ' * (width + 2 - place)}{rank:.2f} {name}"
        for place, rank, name in zip(at, ranks, names, strict=True)
    ]
    last_end = -1
    for k in range(len(ranks)):
        end = int(np.searchsorted(ranks, ranks[k] + apart, side="right")) - 1
        if end > max(last_end, k):
            lines.append(" " * at[k] + "=" * (at[end] - at[k] + 1))
            last_end = end
    return "\n".join(lines)


def means(
    known: list[dict[str, Any]], names: list[str], key: str
) -> tuple[np.ndarray, list[str], list[int]]:
    """Scores by set and method, means over the splits that all methods have."""
    rows, sets, splits = [], [], []
    for name in dict.fromkeys(own["set"] for own in known):
        found: dict[int, dict[str, float]] = {}
        for row in known:
            if row["set"] == name and key in row:
                found.setdefault(row["split"], {})[row["method"]] = row[key]
        whole = [
            [own[method] for method in names] for own in found.values() if set(names) <= set(own)
        ]
        if whole:
            rows.append(np.mean(whole, axis=0))
            sets.append(name)
            splits.append(len(whole))
    return np.array(rows), sets, splits


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
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--most", type=int, default=MOST_ROWS)
    parser.add_argument("--sets", nargs="+", default=TABLES)
    parser.add_argument("--without", nargs="+", default=[], help="names of methods")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    (run if given.command == "run" else table)(given)


if __name__ == "__main__":
    main()
