"""What stability promises of machines on real rows, beside what happens.

    python benchmarks/stability.py --data DIR [--sets banana spambase ...] [--rows 2000]

For each set two machines without a bias, C (alpha = 1/C for least squares) of 0.01 and of 1, on
standardized rows with a Gaussian kernel: the largest change of a value that a removed row may
cause and the largest that 50 of them caused; the error on other rows and what the bound for the
clipped margin loss (gamma = 1), the margin bound and the normal interval say of it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from suite import load

from mercer import RLSC, SVC
from mercer.diagnostics.stability import (
    machine_stability,
    margin_bound,
    measured_stability,
    normal_interval,
)


def report(folder: Path, name: str, rows: int) -> None:
    arrays = load(folder / f"{name}.npz")
    X, y = np.asarray(arrays["X"], dtype=np.float64), arrays["y"]
    sign = np.where(y == np.unique(y)[0], -1.0, 1.0)
    X, Z, y, truth = train_test_split(X, sign, train_size=rows, random_state=0)
    scaler = StandardScaler().fit(X)
    X, Z = scaler.transform(X), scaler.transform(Z)
    for C in (0.01, 1.0):
        for machine in (SVC(C=C, fit_intercept=False), RLSC(alpha=1.0 / C)):
            machine.fit(X, y)
            promised = machine_stability(machine, X)
            seen = measured_stability(machine, X, y, n_rows=50, X_seen=Z, random_state=0)
            f = machine.decision_function(X)
            error = float((machine.predict(Z) != truth).mean())
            clipped = float(np.clip(1.0 - y * f, 0.0, 1.0).mean())
            coef = np.zeros(len(y))
            coef[getattr(machine, "support_", slice(None))] = machine.dual_coef_.ravel()
            size = float(np.sqrt(coef @ f))
            slack = float(np.maximum(1.0 / size - y * f / size, 0.0).mean())
            by_margin = margin_bound(slack, float(len(y)), n=len(y), margin=1.0 / size)
            low, high = normal_interval(error, len(truth))
            print(
                f"{name:12s} {type(machine).__name__:5s} C {C:<5g} change {promised.output:.3g} "
                f"promised {seen.output:.2g} seen; error {100 * error:.1f} % "
                f"({100 * low:.1f} to {100 * high:.1f}), by stability "
                f"{promised.with_margin(1.0).bound(clipped):.2f}, by margin {by_margin:.2f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", nargs="+", default=["banana", "spambase", "ringnorm", "a9a"])
    parser.add_argument("--rows", type=int, default=2000)
    given = parser.parse_args()
    for name in given.sets:
        report(given.data, name, given.rows)


if __name__ == "__main__":
    main()
