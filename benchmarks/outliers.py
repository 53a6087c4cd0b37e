"""Outliers by the tuned width, by gamma="scale" and by the best of all widths.

    python benchmarks/outliers.py --data DIR [--seeds 2]

Half of the rows of one class (at most 400) train, the other half and rows of the other classes are
to be told apart: the area under the curve of ``score_samples``. The criteria know no labels.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from mercer import OneClassSVM, TunedOneClassSVM

SETS = [
    "twonorm",
    "waveform",
    "segment",
    "satimage",
    "pendigits",
    "vowel",
    "breast_cancer_wisconsin",
    "spambase",
    "letter",
    "vehicle",
    "banana",
    "ringnorm",
    "breast_cancer_wdbc",
    "ionosphere",
    "diabetes",
    "svmguide1",
    "usps",
    "thyroid_new",
    "sonar",
    "shuttle",
]
FACTORS = 2.0 ** np.arange(-5, 6)


def load(path: Path) -> tuple[np.ndarray, np.ndarray]:
    found = np.load(path)
    if "X" in found.files:
        return found["X"].astype(float), found["y"]
    X = np.vstack([found["X_train"], found["X_test"]]).astype(float)
    return X, np.concatenate([found["y_train"], found["y_test"]])


def areas(X: np.ndarray, y: np.ndarray, label: int, seed: int) -> list[float] | None:
    """Of "detection", "rejection", gamma="scale", and the best of 11 widths."""
    random = np.random.default_rng(seed)
    own, others = (random.permutation(np.flatnonzero(is_in)) for is_in in (y == label, y != label))
    n = min(len(own) // 2, 400)
    if n < 30:
        return None
    scaler = StandardScaler().fit(X[own[:n]])
    train = scaler.transform(X[own[:n]])
    new = scaler.transform(X[np.concatenate([own[n : n + 1000], others[:1000]])])
    truth = np.repeat([1, 0], [len(own[n : n + 1000]), len(others[:1000])])
    base = 1.0 / (train.shape[1] * train.var())
    machines = [TunedOneClassSVM(objective=name) for name in ("detection", "rejection")]
    machines += [OneClassSVM(nu=0.1, gamma=base * factor) for factor in (1.0, *FACTORS)]
    found = [roc_auc_score(truth, own.fit(train).score_samples(new)) for own in machines]
    return [*found[:3], max(found[3:])]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--sets", nargs="+", default=SETS)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print("set, class: detection, rejection, gamma='scale', best of 11 widths")
    known = []
    for name in given.sets:
        X, y = load(given.data / f"{name}.npz")
        labels, counts = np.unique(y, return_counts=True)
        for label in labels[np.argsort(-counts, kind="stable")][:2]:
            for seed in range(given.seeds):
                if (found := areas(X, y, label, 11 + seed)) is not None:
                    known.append(found)
                    print(f"{name:24} {label:3}  " + "  ".join(f"{a:.3f}" for a in found))
    table = np.array(known)
    print("mean", *(f"{mean:.4f}" for mean in table.mean(axis=0)))
    for k, name in enumerate(("detection", "rejection")):
        least = np.mean(table[:, k] >= table[:, 2] - 1e-9)
        print(f"{name}: at least gamma='scale' in {least:.2f} of {len(table)} cases")


if __name__ == "__main__":
    main()
