"""Sequences: the oligo kernel against a linear kernel of single places (Glasmachers 2008, ch. 13).

    python studies/oligo.py [--trials 10] [--rows 400]

Windows of 50 letters, generated, around a start codon: those of class +1 have a motif upstream at a
place that varies. A linear kernel of letters by place cannot follow it, words of three letters with
a tolerance of places can. Both are tuned by cross-validation. Test error, mean and deviation.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from scipy.stats import ranksums

from mercer import TunedSVC
from mercer.kernels import Linear, Normalized, Oligo
from mercer.lab import TranslationStarts, make_tis


def by_place(windows: np.ndarray) -> np.ndarray:
    """One indicator for each place and letter."""
    letters = np.array([list(window) for window in windows])
    return (letters[:, :, None] == np.array(list("ACGT"))).reshape(len(windows), -1).astype(float)


def errors(trial: int, rows: int) -> tuple[float, float, float]:
    X, y = make_tis(rows, random_state=trial)
    X_test, y_test = make_tis(2000, random_state=10_000 + trial)
    words = TunedSVC(kernel=Normalized(Oligo(3, 1.5))).fit(X, y)
    places = TunedSVC(kernel=Linear()).fit(by_place(X), y)
    sigma = float(np.exp(words.kernel_.theta[0]))
    return 1 - words.score(X_test, y_test), 1 - places.score(by_place(X_test), y_test), sigma


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, default=10)
    parser.add_argument("--rows", type=int, default=400)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found = np.array([errors(trial, options.rows) for trial in range(options.trials)])
    print(f"Bayes error {TranslationStarts().bayes_error():.4f}, {options.rows} training rows")
    for name, column in (("3-mer oligo", found[:, 0]), ("linear by place", found[:, 1])):
        print(f"  {name:16s} {column.mean():.4f} +- {column.std():.4f}")
    p = ranksums(found[:, 0], found[:, 1], alternative="less").pvalue
    print(f"  sigma {np.median(found[:, 2]):.2f} (median); oligo below linear: p = {p:.2g}")


if __name__ == "__main__":
    main()
