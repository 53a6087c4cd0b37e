"""TunedSVC against GridSearchCV over 10 x 10 cells of scikit-learn's SVC, 5 folds.

    python benchmarks/tune.py [--data DIR] [--sets NAME ...] [--cells 10] [--repeats 1]

Prints time, cross-validated and test accuracy side by side. Of GridSearchCV some cells, drawn at
random, are timed and scaled to all of them, unless --cells is 100. Features are standardized.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import make_classification, make_moons
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from mercer import TunedSVC

CS, GAMMAS = np.logspace(-2, 4, 10), np.logspace(-4, 1, 10)


def generated() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    return {
        "moons 2,000": make_moons(2000, noise=0.3, random_state=0),
        "blobs 3,000 x 20": make_classification(
            3000, 20, n_informative=8, n_classes=3, random_state=0
        ),
        "blobs 8,000 x 20": make_classification(8000, 20, n_informative=10, random_state=0),
    }


def stored(folder: Path, names: list[str]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    found = {}
    for name in names:
        arrays = np.load(folder / f"{name}.npz", allow_pickle=False)
        found[name] = arrays["X"], arrays["y"]
    return found


def compare(name: str, X: np.ndarray, y: np.ndarray, n_cells: int) -> float:
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, random_state=0, stratify=y)
    scaler = StandardScaler().fit(X)
    X, X_test = scaler.transform(X), scaler.transform(X_test)
    began = time.perf_counter()
    machine = TunedSVC().fit(X, y)
    seconds = time.perf_counter() - began
    random = np.random.default_rng(0)
    cells = [(C, gamma) for C in CS for gamma in GAMMAS]
    chosen = random.choice(len(cells), size=n_cells, replace=False)
    began = time.perf_counter()
    scores = [
        cross_val_score(SVC(C=cells[k][0], gamma=cells[k][1], cache_size=1000), X, y, cv=5).mean()
        for k in chosen
    ]
    grid = (time.perf_counter() - began) * len(cells) / n_cells
    best = cells[chosen[int(np.argmax(scores))]]
    peer = SVC(C=best[0], gamma=best[1]).fit(X, y)
    print(
        f"{name:24s} {len(X):6d} x {X.shape[1]:<4d} tuned {seconds:8.2f} s  grid {grid:9.1f} s  "
        f"ratio {grid / seconds:6.1f}  cv {machine.best_score_:.4f} / {max(scores):.4f}  "
        f"test {machine.score(X_test, y_test):.4f} / {peer.score(X_test, y_test):.4f}",
        flush=True,
    )
    return grid / seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--sets", nargs="*", default=[])
    parser.add_argument("--cells", type=int, default=10)
    options = parser.parse_args()
    sets = generated() if options.data is None else stored(options.data, options.sets)
    ratios = [compare(name, X, y, options.cells) for name, (X, y) in sets.items()]
    print(f"geometric mean {np.exp(np.mean(np.log(ratios))):.1f}, least {min(ratios):.1f}")


if __name__ == "__main__":
    main()
