"""Real codes learned from the outputs of binary machines (Crammer & Singer 2002; p = 2).

    python studies/continuous_codes.py --data DIR [--sets satimage,pendigits,glass] [--rows 2000]

The machines of one-vs-all and of a dense code, Gaussian kernel, make outputs h(x). On outputs of
training rows that were left out (5 folds) a code of real numbers is learned: Crammer and Singer's
machine with a linear kernel and no bias on h in place of x, its C by 3 folds. Shown is the error on
test rows of the usual decoding and of the learned code, and of Crammer and Singer's machine on x
with the kernel of the others. Without test rows every third row is one.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from codes import read
from mercer import SVC

MACHINES: dict[str, dict[str, Any]] = {
    "one-vs-all": {"multiclass": "one-vs-all"},
    "dense": {"multiclass": "code", "code": "dense"},
}
PRICES = {"C": [0.01, 0.1, 1.0, 10.0]}


def some_rows(directory: Path, name: str, rows: int) -> tuple[np.ndarray, ...]:
    """Training and test rows with their classes."""
    data = read(directory, name)
    X, y, X_test, y_test = data.X, data.y, data.X_test, data.y_test
    if X_test is None or y_test is None:
        is_test = np.arange(len(y)) % 3 == 2
        X, y, X_test, y_test = X[~is_test], y[~is_test], X[is_test], y[is_test]
    order = np.random.default_rng(0).permutation(len(y))[:rows]
    return X[order], y[order], X_test, y_test


def left_out_outputs(machine: SVC, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Outputs of machines that have not seen the rows."""
    parts = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
        parts.append((test, clone(machine).fit(X[train], y[train]).machine_decisions(X[test])))
    rows = np.concatenate([test for test, _ in parts])
    return np.concatenate([outputs for _, outputs in parts])[np.argsort(rows)]


def error(machine: Any, X: np.ndarray, y: np.ndarray) -> float:
    return 100.0 * float(np.mean(machine.predict(X) != y))


def learned_code(outputs: np.ndarray, y: np.ndarray) -> Any:
    """The code, of which C is chosen by cross-validation."""
    machine = SVC(kernel="linear", multiclass="crammer-singer", fit_intercept=False)
    return GridSearchCV(machine, PRICES, cv=3).fit(outputs, y)


def compare(
    name: str, X: np.ndarray, y: np.ndarray, X_test: np.ndarray, y_test: np.ndarray
) -> None:
    gamma = 1.0 / X.shape[1]
    joint = SVC(C=8.0, gamma=gamma, multiclass="crammer-singer").fit(X, y)
    whole = error(joint, X_test, y_test)
    for scheme, options in MACHINES.items():
        machine = SVC(C=8.0, gamma=gamma, **options).fit(X, y)
        code = learned_code(left_out_outputs(machine, X, y), y)
        outputs = machine.machine_decisions(X_test)
        print(
            f"{name:10s} {len(y):6d} {scheme:11s} {outputs.shape[1]:8d} "
            f"{error(machine, X_test, y_test):8.2f} {error(code, outputs, y_test):8.2f} "
            f"{code.best_params_['C']:6g} {whole:14.2f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", default="satimage,pendigits,glass")
    parser.add_argument("--rows", type=int, default=2000)
    options = parser.parse_args()
    print(
        f"{'data':10s} {'rows':>6s} {'scheme':11s} {'machines':>8s} {'decoded':>8s} "
        f"{'learned':>8s} {'C':>6s} {'Crammer-Singer':>14s}"
    )
    for name in options.sets.split(","):
        compare(name, *some_rows(options.data, name, options.rows))


if __name__ == "__main__":
    main()
