"""How often the score on new rows lies in the interval that a search states.

    python benchmarks/honest.py --data DIR [--kernel ard] [--seeds 3] [--rows 100 200 400]

Small samples of large sets are searched; the rows left are new. Shares of right rows, squared
errors for targets. Each set is a line: how often the score was inside, and the mean of what the
search, the honest estimate and the new rows say.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.preprocessing import StandardScaler

from mercer import TunedSVC, TunedSVR

CLASSES = [
    "banana",
    "ringnorm",
    "twonorm",
    "waveform",
    "segment",
    "satimage",
    "pendigits",
    "spambase",
    "letter",
    "svmguide1",
    "usps",
    "codrna_rowz",
    "titanic",
    "yeast",
    "poker",
    "splice",
]
NUMBERS = [
    "abalone",
    "bank8FM",
    "bank32nh",
    "cpusmall",
    "kin8nm",
    "puma8NH",
    "pol",
    "california_housing",
    "ailerons",
]
MOST_NEW = 6000


def load(path: Path) -> tuple[np.ndarray, np.ndarray]:
    found = np.load(path)
    if "X" in found.files:
        return found["X"].astype(float), found["y"]
    X = np.vstack([found["X_train"], found["X_test"]]).astype(float)
    return X, np.concatenate([found["y_train"], found["y_test"]])


def judged(name: str, data: Path, kernel: str, n: int, seed: int) -> tuple[float, ...] | None:
    """The best score, the honest one, that of new rows, and whether it is inside."""
    X, y = load(data / f"{name}.npz")
    order = np.random.default_rng(100 * seed + n).permutation(len(y))
    train, new = order[:n], order[n : n + MOST_NEW]
    is_number = name in NUMBERS
    scaler = StandardScaler().fit(X[train])
    machine = TunedSVR(kernel=kernel) if is_number else TunedSVC(kernel=kernel)
    targets = y.astype(float) if is_number else y
    machine.fit(scaler.transform(X[train]), targets[train])
    if machine.honest_score_ is None:
        return None
    predicted = machine.predict(scaler.transform(X[new]))
    score = -np.mean((predicted - targets[new]) ** 2) if is_number else np.mean(predicted == y[new])
    low, high = machine.honest_interval_
    return machine.best_score_, machine.honest_score_, float(score), float(low <= score <= high)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--kernel", default="rbf")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", type=int, nargs="+", default=[100, 200, 400])
    parser.add_argument("--sets", nargs="+", default=[*CLASSES, *NUMBERS])
    parser.add_argument("--seconds", type=float, default=float("inf"))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    end, everything = time.monotonic() + given.seconds, []
    for name in given.sets:
        found = []
        for n in given.rows:
            for seed in range(given.seeds):
                if time.monotonic() < end:
                    found.append(judged(name, given.data, given.kernel, n, seed))
        known = np.array([own for own in found if own is not None])
        if len(known):
            everything.append(known)
            means = "  ".join(f"{mean:11.5g}" for mean in known.mean(axis=0)[:3])
            print(f"{name:20} {len(known):4}  inside {known[:, 3].mean():.2f}  {means}", flush=True)
    total = np.concatenate(everything)
    print(f"{'all':20} {len(total):4}  inside {total[:, 3].mean():.3f}")


if __name__ == "__main__":
    main()
