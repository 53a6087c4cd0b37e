"""Kernels that adapt to a distorted chess board (Glasmachers 2008, section 10.2).

    python studies/distorted_chess.py [--trials 20] [--rows 500] [--steps 60] [--factor 30]

Five parameterizations of a Gaussian kernel are moved by iRprop+ on the radius-margin quotient of a
hard margin machine: A one width, B widths of features with a fixed product, C widths of features,
D a full metric of fixed size, E a full metric. They begin with --factor times the gamma of
Jaakkola: at 1 the matrix is singular in double precision (condition 1e20). Medians over the trials
of the quotient, the share of support vectors and the test error, before and after. The board is B u
with B of eigenvalues 3 and 1/3, so that the metric of the ideal kernel has the root multiples of
the inverse of B: of D and E the ratio of its eigenvalues, ideally 9, and the angle of its axis to
the ideal one. Last, whether D has a smaller test error than the others (Wilcoxon rank-sum test,
one-sided).
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from scipy.linalg import sqrtm
from scipy.stats import ranksums

from mercer import SVC
from mercer.kernels import Gaussian
from mercer.lab import make_chessboard
from mercer.selection import make_objective
from mercer.selection.history import Watched
from mercer.selection.optimizers import IRpropPlus
from mercer.selection.widths import moderate_start

KINDS = {
    "A": ("radial", False),
    "B": ("diagonal", True),
    "C": ("diagonal", False),
    "D": ("full", True),
    "E": ("full", False),
}
HARD = 1e6


def read_metric(kernel: Gaussian, distortion: np.ndarray) -> tuple[float, float]:
    """Ratio of the eigenvalues of the root of the metric, and degrees from the ideal axis."""
    values, vectors = np.linalg.eigh(np.real(sqrtm(np.asarray(kernel.gamma))))
    ideal = np.linalg.eigh(np.linalg.inv(distortion))[1][:, -1]
    angle = np.degrees(np.arccos(np.clip(abs(vectors[:, -1] @ ideal), 0.0, 1.0)))
    return float(values[-1] / values[0]), float(angle)


def judged(kernel: Gaussian, train: tuple, test: tuple) -> tuple[float, float]:
    """Share of support vectors and test error of the machine."""
    machine = SVC(C=HARD, kernel=kernel).fit(*train)
    return len(machine.support_) / len(train[1]), 1.0 - machine.score(*test)


def run(trial: int, options: argparse.Namespace) -> dict[str, tuple[float, ...]]:
    X, y, distortion = make_chessboard(
        options.rows, distortion="random", random_state=trial, return_distortion=True
    )
    test = make_chessboard(20_000, distortion=distortion, random_state=10_000 + trial)
    found = {}
    for kind, (metric, fixed) in KINDS.items():
        estimator = SVC(kernel=Gaussian("scale", metric=metric))
        objective = make_objective("radius_margin", estimator, X, y)
        watched = Watched(objective)
        start = moderate_start(objective.task, objective.space)
        start[1:] += np.log(options.factor) * objective.space.width_direction
        IRpropPlus(fixed_size=fixed, n_iterations=options.steps).minimize(watched, start)
        history = watched.history
        first, last = (history.spaces[k].kernel_at(history.thetas[k]) for k in (0, history.best))
        numbers = (history.values[0], history.values[history.best])
        shape = read_metric(last, distortion) if metric == "full" else (np.nan, np.nan)
        before, after = (judged(kernel, (X, y), test) for kernel in (first, last))
        found[kind] = (*numbers, *before, *after, *shape)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--factor", type=float, default=30.0)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    trials = []
    for trial in range(options.trials):
        trials.append(run(trial, options))
        errors = "  ".join(f"{kind} {found[5]:.4f}" for kind, found in trials[-1].items())
        ratio, angle = trials[-1]["D"][6:]
        print(
            f"trial {trial}: test error {errors}  D: ratio {ratio:.2f}, angle {angle:.2f}",
            flush=True,
        )
    table = {kind: np.array([trial[kind] for trial in trials]) for kind in KINDS}
    print("kind  R^2|w|^2 before    after  SV before  after  error before   after  ratio  angle")
    for kind, rows in table.items():
        first, last, sv, wrong, sv_after, wrong_after, ratio, angle = np.median(rows, axis=0)
        print(
            f"{kind}     {first:15.1f} {last:8.1f}  {sv:9.3f}  {sv_after:5.3f}  {wrong:12.4f}  "
            f"{wrong_after:6.4f}  {ratio:5.2f}  {angle:5.2f}"
        )
    for kind in "ABCE":
        p = ranksums(table["D"][:, 5], table[kind][:, 5], alternative="less").pvalue
        print(f"D below {kind}: p = {p:.2g}")


if __name__ == "__main__":
    main()
