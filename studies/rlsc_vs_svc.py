"""RLSC and LSSVC next to SVC: test errors, all tuned on the training rows alone.

    python studies/rlsc_vs_svc.py --data DIR [--names NAME ...] [--rows 800] [--splits 5]

RLSC and LSSVC (with a bias) take gamma and alpha of the least exact leave-one-out error; SVC takes
gamma and C of the least 5-fold cross-validation error. All see the same standardized rows and the
same five gammas. Prints a table in Markdown, with CPU seconds of the tuning beside the errors.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import StandardScaler

from mercer import LSSVC, RLSC, SVC

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
from suite import load

NAMES = (
    "banana", "breast_cancer_wdbc", "diabetes", "german_numer", "glass", "heart", "ionosphere",
    "letter", "pendigits", "raetsch_image", "ringnorm", "satimage", "segment", "sonar", "spambase",
    "splice", "svmguide1", "titanic", "twonorm", "usps", "vehicle", "vowel", "waveform", "yeast",
)  # fmt: skip
FACTORS = 4.0 ** np.arange(-2, 3)
COSTS = 10.0 ** np.arange(-1, 4)
ALPHAS = np.logspace(-5, 2, 29)


def split(arrays: dict[str, np.ndarray], rows: int, seed: int) -> tuple[np.ndarray, ...]:
    """Standardized training and test rows; the standard split where there is one is ignored."""
    stack = sp.vstack if sp.issparse(arrays.get("X_train")) else np.vstack
    X = arrays["X"] if "X" in arrays else stack([arrays["X_train"], arrays["X_test"]])
    y = arrays["y"] if "y" in arrays else np.append(arrays["y_train"], arrays["y_test"])
    X = X.toarray() if sp.issparse(X) else X.astype(np.float64)
    order = np.random.default_rng(seed).permutation(len(y))
    n = min(rows, 2 * len(y) // 3)
    train, test = order[:n], order[n : n + 5000]
    scaler = StandardScaler().fit(X[train])
    return scaler.transform(X[train]), y[train], scaler.transform(X[test]), y[test]


def tuned_rlsc(X: np.ndarray, y: np.ndarray, gammas: np.ndarray) -> RLSC:
    """One eigendecomposition a gamma."""
    machines = [RLSC(alpha=ALPHAS, gamma=gamma).fit(X, y) for gamma in gammas]
    return min(machines, key=lambda machine: machine.loo_error_)


def tuned_lssvc(X: np.ndarray, y: np.ndarray, gammas: np.ndarray) -> LSSVC:
    """The same with a bias."""
    machines = [LSSVC(alpha=ALPHAS, gamma=gamma).fit(X, y) for gamma in gammas]
    return min(machines, key=lambda machine: machine.loo_error_)


def tuned_svc(X: np.ndarray, y: np.ndarray, gammas: np.ndarray) -> SVC:
    smallest = np.unique(y, return_counts=True)[1].min()
    folds = StratifiedKFold(max(min(5, int(smallest)), 2), shuffle=True, random_state=0)
    grid = {"gamma": gammas, "C": COSTS}
    return GridSearchCV(SVC(), grid, cv=folds).fit(X, y).best_estimator_


def compare(arrays: dict[str, np.ndarray], args: argparse.Namespace) -> np.ndarray:
    """Errors and seconds of each machine, shape (n_splits, 2, 3)."""
    out = []
    for seed in range(args.splits):
        X, y, Z, labels = split(arrays, args.rows, seed)
        gammas = FACTORS / X.shape[1]
        errors, seconds = [], []
        for tune in (tuned_rlsc, tuned_lssvc, tuned_svc):
            began = time.process_time()
            machine = tune(X, y, gammas)
            seconds.append(time.process_time() - began)
            errors.append(100.0 * (1.0 - machine.score(Z, labels)))
        out.append([errors, seconds])
    return np.array(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--names", nargs="+", default=NAMES)
    parser.add_argument("--rows", type=int, default=800)
    parser.add_argument("--splits", type=int, default=5)
    args = parser.parse_args()
    print("| data | RLSC | LSSVC | SVC | RLSC s | LSSVC s | SVC s |")
    print("|---|---|---|---|---|---|---|")
    means = []
    for name in args.names:
        result = compare(load(args.data / f"{name}.npz"), args)
        mean, spread = result.mean(axis=0), result.std(axis=0)[0]
        means.append(mean[0])
        errors = " | ".join(f"{m:.2f} ± {s:.2f}" for m, s in zip(mean[0], spread, strict=True))
        print(f"| {name} | {errors} | {' | '.join(f'{s:.2f}' for s in mean[1])} |", flush=True)
    for name, own in zip(("RLSC", "LSSVC"), np.array(means).T[:2], strict=True):
        difference = own - np.array(means)[:, 2]
        print(
            f"\n{name} minus SVC: mean {difference.mean():+.2f}, from {difference.min():+.2f} to "
            f"{difference.max():+.2f} percentage points; lower on {(difference < -1e-9).sum()}, "
            f"higher on {(difference > 1e-9).sum()} of {len(difference)}"
        )


if __name__ == "__main__":
    main()
