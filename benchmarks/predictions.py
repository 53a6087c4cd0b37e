"""Probabilities beside scikit-learn's calibration: log-loss, Brier score and CPU time.

    python benchmarks/predictions.py --data DIR [--splits 20] [--rows 2000] [sets ...]

Each set is split at random into training and test rows. Both sides have the same C and gamma; the
ratio is that of the CPU time of ``fit``, one thread each, in turn.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as PeerSVC
from suite import load

from mercer import SVC, CalibratedSVC

SETS = (
    "diabetes", "german_numer", "vehicle", "segment", "splice", "satimage", "pendigits", "letter",
    "banana", "spambase",
)  # fmt: skip
MOST_ROWS = 5000
C = 10.0


def read(directory: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows, standardised, and their classes."""
    arrays = load(directory / f"{name}.npz")
    X, y = arrays.get("X", arrays.get("X_train")), arrays.get("y", arrays.get("y_train"))
    X = X.toarray() if sp.issparse(X) else X.astype(np.float64)
    order = np.random.default_rng(0).permutation(len(y))[:MOST_ROWS]
    return StandardScaler().fit_transform(X[order]), np.asarray(y[order]).ravel().astype(int)


def contenders() -> dict[str, Callable[[], Any]]:
    """The peer first."""
    return {
        "sklearn": lambda: CalibratedClassifierCV(PeerSVC(C=C), ensemble=False, cv=5),
        "platt": lambda: CalibratedSVC(SVC(C=C)),
        "temperature": lambda: CalibratedSVC(SVC(C=C), method="temperature"),
        "venn-abers": lambda: CalibratedSVC(SVC(C=C), method="venn-abers"),
    }


@dataclass
class Scores:
    """Of one contender, split by split."""

    log: list[float] = field(default_factory=list)
    brier: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def add(self, p: np.ndarray, y: np.ndarray, classes: np.ndarray, seconds: float) -> None:
        """Scores of probabilities of the rows that were held out."""
        truth = (y[:, None] == classes).astype(float)
        self.log.append(log_loss(y, p, labels=classes))
        self.brier.append(float(np.square(p - truth).sum(axis=1).mean()))
        self.seconds.append(seconds)


def measure(X: np.ndarray, y: np.ndarray, rows: int | None, n_splits: int) -> dict[str, Scores]:
    """All contenders on the same splits."""
    size = min(rows, len(y) // 2) if rows else 0.5
    splitter = StratifiedShuffleSplit(n_splits, train_size=size, test_size=0.5, random_state=0)
    found = {name: Scores() for name in contenders()}
    for train, test in splitter.split(X, y):
        for name, make in contenders().items():
            began = time.process_time()
            machine = make().fit(X[train], y[train])
            seconds = time.process_time() - began
            found[name].add(machine.predict_proba(X[test]), y[test], machine.classes_, seconds)
    return found


def report(name: str, shape: tuple[int, int], found: dict[str, Scores]) -> None:
    """A line for each contender; differences to the peer with their standard error."""
    peer = found["sklearn"]
    print(f"{name} {shape[0]} rows, {shape[1]} classes")
    for label, own in found.items():
        words = [f"  {label:12s}"]
        for kind in ("log", "brier"):
            values = np.array(getattr(own, kind))
            change = values - getattr(peer, kind)
            error = change.std(ddof=1) / np.sqrt(len(change)) if len(change) > 1 else np.nan
            words.append(f"{kind} {values.mean():.4f} ({change.mean():+.4f} +- {error:.4f})")
        ratio = np.median(np.array(peer.seconds) / np.array(own.seconds))
        words.append(f"CPU {np.median(own.seconds):.4f} s, 1/{ratio:.1f} of the peer")
        print("  ".join(words), flush=True)


def main() -> None:
    """Measure the sets that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--rows", type=int, default=None, help="training rows; half of all if none")
    parser.add_argument("sets", nargs="*", default=SETS)
    options = parser.parse_args()
    for name in options.sets:
        X, y = read(options.data, name)
        found = measure(X, y, options.rows, options.splits)
        report(name, (len(y), len(np.unique(y))), found)


if __name__ == "__main__":
    main()
