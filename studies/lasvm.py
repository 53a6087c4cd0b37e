"""Second order against most violating in LASVM (Glasmachers 2008, table 8.1 and figure 8.1).

    python studies/lasvm.py [--repeats 10] [--epochs 1 5 20] [--data DIR]

One epoch in random order, then more, on the chess board and on two crescents that overlap like the
banana data, with the batch machine beside them: support vectors, accuracy on fresh rows, primal
value over all rows, dual value. Means over repetitions with new rows. With --data also the sets
banana and usps of that folder, each cut anew for every repetition.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_moons

from mercer import SVC, OnlineSVC
from mercer.lab import make_chessboard

Split = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--epochs", type=int, nargs="+", default=[1])
    parser.add_argument("--data", type=Path)
    options = parser.parse_args()
    print("| data | C, gamma | machine | epochs | support vectors | accuracy | primal | dual |")
    print("|---|---|---|---|---|---|---|---|")
    for name, (C, gamma, split) in problems(options.data).items():
        for machine, n_epochs in machines(C, gamma, options.epochs):
            runs = [measured(machine, *split(seed)) for seed in range(options.repeats)]
            n_vectors, accuracy, primal, dual = np.mean(runs, axis=0)
            print(
                f"| {name} | {C:g}, {gamma:g} | {label(machine)} | {n_epochs} | {n_vectors:.0f} | "
                f"{100 * accuracy:.2f} % | {primal:,.0f} | {dual:,.0f} |",
                flush=True,
            )


def problems(folder: Path | None) -> dict[str, Any]:
    """C, gamma and how to split, by name."""
    found = {
        "chess board (5,000)": (1000.0, 2.0, chess),
        "crescents (4,000)": (316.0, 0.5, crescents),
    }
    if folder is not None:
        found["banana (4,000)"] = (316.0, 0.5, lambda seed: real(folder, "banana", 4000, seed))
        found["usps (7,329)"] = (10.0, 1 / 128, lambda seed: real(folder, "usps", 7329, seed))
    return found


def chess(seed: int) -> Split:
    """Fields of unit length."""
    X, y = make_chessboard(10_000, random_state=seed)
    return X[:5000], y[:5000], X[5000:], y[5000:]


def crescents(seed: int) -> Split:
    X, y = make_moons(8000, noise=0.35, random_state=seed)
    X = 2.0 * (X - X.mean(axis=0))
    return X[:4000], 2 * y[:4000] - 1, X[4000:], 2 * y[4000:] - 1


def real(folder: Path, name: str, n: int, seed: int) -> Split:
    arrays = np.load(folder / f"{name}.npz")
    names = sorted(arrays.files)
    X = np.concatenate([arrays[key] for key in names if key.startswith("X")]).astype(float)
    y = np.concatenate([arrays[key] for key in names if key.startswith("y")])
    if name == "usps":
        X, y = X / 1000.0, np.where(y < 5, -1, 1)
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[:n], order[n:]
    return X[train], y[train], X[test], y[test]


def machines(C: float, gamma: float, epochs: list[int]) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    for n_epochs in epochs:
        for selection in ("most-violating", "second-order"):
            options = {"selection": selection, "n_epochs": n_epochs, "random_state": 0}
            found.append((OnlineSVC(C=C, gamma=gamma, finishing="none", **options), n_epochs))
    return [*found, (SVC(C=C, gamma=gamma), "batch")]


def label(machine: Any) -> str:
    return machine.selection if isinstance(machine, OnlineSVC) else "SVC"


def measured(machine: Any, X: Any, y: Any, Z: Any, t: Any) -> tuple[float, ...]:
    """Support vectors, accuracy, primal and dual value."""
    machine.fit(X, y)
    values = machine.decision_function(X)
    # |w|^2 = sum_i coef_i (f(x_i) - bias) over support vectors
    at_vectors = machine.decision_function(machine.support_vectors_) - machine.intercept_[0]
    norm = float(machine.dual_coef_[0] @ at_vectors)
    primal = 0.5 * norm + machine.C * float(np.maximum(1.0 - y * values, 0.0).sum())
    return machine.dual_coef_.shape[1], machine.score(Z, t), primal, machine.objective_


if __name__ == "__main__":
    main()
