"""Two classes that are easy to tell apart beside scikit-learn's SVC.

    python benchmarks/easy.py --data DIR [--rows 6000] [--repeats 5]

LIBSVM computes only the kernel columns that its steps ask for: with few support vectors it is done
after a few of them. Standardised features, gamma = 1 / features, C = 1 and 10, one thread, CPU
seconds, the least of the repeats, in turns. Ratios above 1 mean that we are faster.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import sklearn.svm
from multiclass_small import rows_of, seconds

import mercer

# Set and the two classes; without classes all rows, the first class against the rest.
CASES = (
    ("mnist", (0, 1)), ("usps", (0, 1)), ("pendigits", (0, 1)), ("satimage", (1, 3)),
    ("shuttle", None), ("skin_nonskin", None), ("svmguide1", None), ("sylva", None),
    ("mushrooms", None),
)  # fmt: skip


def two_classes(
    data: Path, name: str, classes: tuple[int, int] | None, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """At most so many rows, and which are of the first class."""
    X, y = rows_of(data, name, 10**9)
    first = np.unique(y)[0] if classes is None else classes[0]
    own = np.ones(len(y), dtype=bool) if classes is None else np.isin(y, classes)
    return X[own][:count], (y == first)[own][:count]


def row(name: str, C: float, X: np.ndarray, y: np.ndarray, repeats: int) -> float:
    gamma = 1.0 / X.shape[1]
    spent = []
    for _ in range(repeats):
        ours, machine = seconds(lambda: mercer.SVC(C=C, gamma=gamma, n_threads=1).fit(X, y))
        peer = sklearn.svm.SVC(C=C, gamma=gamma, cache_size=1000)
        theirs, other = seconds(lambda peer=peer: peer.fit(X, y))
        spent.append((ours, theirs))
    ours, theirs = np.min(spent, axis=0)
    share = len(machine.support_) / len(y)
    same = float(np.mean(machine.predict(X) == other.predict(X)))
    print(
        f"| {name} | {len(X):,} | {X.shape[1]} | {C:g} | {100 * share:.1f} | {1e3 * ours:.1f} | "
        f"{1e3 * theirs:.1f} | {theirs / ours:.1f} | {machine.violation_:.0e} | {same:.4f} |",
        flush=True,
    )
    return theirs / ours


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=6000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    print("| set | rows | features | C | SV % | ms | LIBSVM ms | ratio | violation | agree |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    ratios = []
    for name, classes in CASES:
        X, y = two_classes(options.data, name, classes, options.rows)
        ratios += [row(name, C, X, y, options.repeats) for C in (1.0, 10.0)]
    print(f"geometric mean {np.exp(np.mean(np.log(ratios))):.1f}, least {min(ratios):.1f}")


if __name__ == "__main__":
    main()
