"""SMO, RCH-MDM and RCH-GSK at the same problems: kernel values, steps, support vectors, errors.

    python studies/hulls.py [--draws 15] [--data DIR] [--names ringnorm twonorm ...] [--change 1e-6]

The tables 5.2 to 5.5 of Lopez Lazaro 2011 for the sets that have a generator (ringnorm, twonorm,
waveform) and, with ``--data``, for the others. Per draw: SVC by SMO of first order from zero;
mu = 2 C / sum |coef| of its solution; nearest points of the reduced hulls by MDM and by GSK from
the means of the classes. All stop when a step changes the dual value by less than a millionth
(``--change``), which proves nothing: the last column is how far from the optimum they are then. A
step of RCH-MDM that a bound cuts short does not end it: then the source's numbers of steps come out
on splice and german, else half of them. The bias is that of the KKT conditions for SVC, the
bisecting one for hulls. Features are standardized by the training rows.

"asked" counts kernel values as the source does: two rows a step for SMO and MDM, as many as an
extreme point has members for GSK; "computed" is what was computed, with the cache of the Gram.
Support vectors have a coefficient of more than 1e-4 of the largest. Prints a table in Markdown.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mercer import Gram, Problem, Smo, Solution, solve
from mercer.formulations import Formulation, mu_from_svc, nearest_points, svc
from mercer.kernels import Gaussian
from mercer.lab import Gsk, Mdm, make_ringnorm, make_twonorm, make_waveform

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
from suite import load

FloatArray = NDArray[np.float64]
SUPPORT = 1e-4
SMO = Smo(
    selection="most-violating", step="newton", stopping="relative-change",
    shrinking=False, refine=False,
)  # fmt: skip
MDM = Mdm(stopping="relative-change", begin="barycentres", trace=True)
GSK = Gsk(stopping="relative-change", begin="barycentres")


@dataclass(frozen=True)
class Setting:
    """Training rows, C and sigma^2 of table 5.1; a generator, or the file of a data set."""

    n: int
    C: float
    sigma2: float
    make: Callable[..., tuple[FloatArray, NDArray[np.int_]]] | None = None
    file: str = ""


SETTINGS = {
    "ringnorm": Setting(400, 1e9, 10.0, make_ringnorm),
    "twonorm": Setting(400, 3.2, 40.0, make_twonorm),
    "waveform": Setting(400, 1.0, 20.0, make_waveform),
    "titanic": Setting(150, 5.0, 2.0, file="titanic"),
    "heart": Setting(170, 3.2, 120.0, file="heart"),
    "breast-cancer": Setting(200, 15.2, 50.0, file="breast_cancer_ljubljana"),
    "thyroid": Setting(140, 10.0, 3.0, file="thyroid_new"),
    "diabetis": Setting(468, 1.0, 20.0, file="diabetes"),
    "splice": Setting(1000, 1000.0, 70.0, file="splice"),
    "german": Setting(700, 3.2, 55.0, file="raetsch_german"),
    "banana": Setting(400, 316.2, 1.0, file="banana"),
    "image": Setting(1300, 500.0, 30.0, file="raetsch_image"),
}


def draw(setting: Setting, seed: int, data: Path | None) -> tuple[FloatArray, ...]:
    """Standardized training rows and labels, then test rows and labels; labels -1 and +1."""
    if setting.make is not None:
        X, y = setting.make(setting.n + 4000, random_state=seed)
    else:
        assert data is not None
        X, y = whole(load(data / f"{setting.file}.npz"))
        X = nine_columns(X) if setting.file.startswith("breast_cancer_l") else X
        order = np.random.default_rng(seed).permutation(len(y))
        X, y = X[order], y[order]
    n = setting.n
    # thyroid has three classes: normal against the others.
    sign = np.where(y == (1 if setting.file == "thyroid_new" else np.unique(y)[1]), 1.0, -1.0)
    mean, spread = X[:n].mean(axis=0), X[:n].std(axis=0)
    X = (X - mean) / np.where(spread > 0, spread, 1.0)
    return X[:n], sign[:n], X[n:], sign[n:]


def whole(arrays: dict[str, NDArray]) -> tuple[FloatArray, NDArray]:
    """All rows of a data set; a standard split is ignored."""
    if "X" in arrays:
        return arrays["X"].astype(np.float64), arrays["y"]
    X = np.vstack([arrays["X_train"], arrays["X_test"]]).astype(np.float64)
    return X, np.append(arrays["y_train"], arrays["y_test"])


def nine_columns(X: FloatArray) -> FloatArray:
    """Breast cancer of the benchmark: nominal columns as numbers, in the order of our file."""
    menopause, quadrant = X[:, 1:4] @ np.arange(3.0), X[:, 9:14] @ np.arange(5.0)
    return np.column_stack([X[:, 0], menopause, X[:, 4:9], quadrant, X[:, 14]])


def nearest_by_mdm(problem: Problem, gram: Gram, change: float) -> Solution:
    """RCH-MDM up to the first small change by a step that no bound cuts short."""
    start, steps = None, 0
    while True:
        found = solve(problem, gram, MDM, tol=change, start=start)
        steps, start = steps + found.n_iter, found.coef
        taken = found.trace["points"]
        taken = taken[taken["up"] >= 0]
        if not len(taken) or taken["kind"][-1] != "clipped":
            return replace(found, n_iter=steps)


def best_value(problem: Problem, gram: Gram) -> float:
    return solve(problem, gram, "auto", tol=1e-7).objective


def row_of(
    found: Solution, formulation: Formulation, gram: Gram, asked: int, test: tuple[FloatArray, ...]
) -> list[float]:
    """The columns of one solver."""
    bias = "multiplier" if formulation.kind == "intercept" else "bisecting"
    machine = formulation.fitted_parameters(found, bias=bias)  # type: ignore[arg-type]
    rows, labels, train = test
    values = gram.kernel(rows, train) @ machine.coef + machine.intercept
    error = 100.0 * float(np.mean(np.where(values > 0, 1.0, -1.0) != labels))
    size = np.abs(machine.coef)
    best = best_value(formulation.problem, gram)
    off = abs(best - found.objective) / abs(best)
    vectors = int((size > SUPPORT * size.max()).sum())
    return [found.n_iter, asked / 1e3, found.n_kernel / 1e3, vectors, error, off]


def compare(setting: Setting, seed: int, data: Path | None, change: float) -> list[list[float]]:
    """Columns of SMO, MDM and GSK on one draw; all stop at this relative change."""
    X, y, rows, labels = draw(setting, seed, data)
    kernel, n = Gaussian(1.0 / setting.sigma2), len(y)
    test = (rows, labels, X)

    def fresh() -> Gram:
        return Gram(kernel, X, precision="double")

    machine = svc(y, setting.C)
    first = solve(machine.problem, fresh(), SMO, tol=change)
    hulls = nearest_points(y, mu_from_svc(first.coef, setting.C))
    second = nearest_by_mdm(hulls.problem, fresh(), change)
    third = solve(hulls.problem, fresh(), GSK, tol=change)
    return [
        row_of(first, machine, fresh(), 2 * n * first.n_iter, test),
        row_of(second, hulls, fresh(), 2 * n * second.n_iter, test),
        row_of(third, hulls, fresh(), n * third.trace["extreme_rows"], test),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=15)
    parser.add_argument("--data", type=Path, default=None)
    parser.add_argument("--change", type=float, default=1e-6)
    parser.add_argument("--names", nargs="+", choices=SETTINGS, default=None)
    args = parser.parse_args()
    names = args.names or [s for s in SETTINGS if args.data or SETTINGS[s].make is not None]
    print("| set | solver | steps | asked (k) | computed (k) | vectors | error % | off |")
    print("|---|---|---|---|---|---|---|---|")
    for name in names:
        draws = np.array(
            [compare(SETTINGS[name], s, args.data, args.change) for s in range(args.draws)]
        )
        for solver, means in zip(("SMO", "RCH-MDM", "RCH-GSK"), draws.mean(axis=0), strict=True):
            numbers = [f"{means[k]:.1f}" for k in range(5)] + [f"{means[5]:.1e}"]
            print(f"| {name} | {solver} | {' | '.join(numbers)} |", flush=True)
        asked = draws[:, :, 1]
        holds = float(((asked[:, 0] < asked[:, 1]) & (asked[:, 1] < asked[:, 2])).mean())
        print(f"| {name} | SMO < MDM < GSK | | {100 * holds:.0f} % of draws | | | | |", flush=True)


if __name__ == "__main__":
    main()
