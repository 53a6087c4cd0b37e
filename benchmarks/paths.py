"""Regularization paths next to single fits, and warm-started grids next to cold solves.

    python benchmarks/paths.py [--data DIR] [--parts paths grid] [--rows 1000]
                               [--kernels linear rbf] [--names NAME ...]

One thread; medians of CPU seconds in one process. *paths*: one path next to ten fits of LIBSVM at
values of C spread over the same range, and the time of an event next to that of streaming as many
doubles as the free rows have kernel values, in rounds (also on a stored matrix, where kernel values
cost nothing); Hastie's algorithm on what it can hold. *grid*: ten C times ten gamma (ten C for the
linear kernel), warm, cold by the same solver, and by independent fits of the chunked one. Every
line says what the time bought.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from suite import load

import mercer
from mercer import ActiveSet, Gram, certify, solve, svc_grid, svc_path
from mercer.formulations import svc
from mercer.kernels import Precomputed
from mercer.lab import hastie_path, make_ringnorm, make_twonorm
from mercer.paths.exact.follow import follow
from mercer.paths.exact.start import exact_start
from mercer.paths.inputs.limits import Limits

REPEATS = 3
C_MAX = 1e3
COSTS = 2.0 ** np.arange(-5, 15, 2)
GAMMAS = 2.0 ** np.arange(-15, 5, 2)
# Those data sets of Sentelle 2014, table 7.2 that are at hand.
GRID_NAMES = (
    "a9a", "abalone", "diabetes", "german_numer", "heart", "ionosphere", "sonar", "spambase",
    "splice", "usps",
)  # fmt: skip
Rows = tuple[np.ndarray, np.ndarray]


def timed(work: Callable[[], Any], repeats: int = REPEATS) -> tuple[float, Any]:
    seconds = []
    for _ in range(repeats):
        began = time.process_time()
        result = work()
        seconds.append(time.process_time() - began)
    return median(seconds), result


def standardised(X: np.ndarray, y: np.ndarray) -> Rows:
    return StandardScaler().fit_transform(X.astype(np.float64)), np.where(y > 0, 1, -1)


def read(directory: Path, name: str, rows: int) -> Rows:
    """The first class against the rest, or two halves of a number; the first of shuffled rows."""
    arrays = load(directory / f"{name}.npz")
    X, y = arrays.get("X", arrays.get("X_train")), arrays.get("y", arrays.get("y_train"))
    if "X_test" in arrays and name == "satimage":
        X, y = np.vstack([X, arrays["X_test"]]), np.append(y, arrays["y_test"])
    X = X.toarray() if hasattr(X, "toarray") else X
    order = np.random.default_rng(0).permutation(len(y))[:rows]
    values = np.unique(y)
    labels = y == values[0] if len(values) <= 26 and name != "abalone" else y > np.median(y)
    return standardised(X[order], labels[order])


def path_cases(directory: Path | None) -> Iterator[tuple[str, Rows, str, float]]:
    X, y = load_breast_cancer(return_X_y=True)
    yield "breast cancer linear", standardised(X, y), "linear", 1.0
    yield "breast cancer RBF 0.1", standardised(X, y), "rbf", 0.1
    X, y = make_ringnorm(5000, random_state=0)
    yield "ringnorm 5000 RBF", standardised(X, y), "rbf", 1.0 / 20
    if directory is not None:
        rows = read(directory, "satimage", 5000)
        yield "satimage 5000 RBF", rows, "rbf", 1.0 / 36


def stream_seconds(n_rows: int, n_free: np.ndarray) -> float:
    """Mean over the events of the seconds of a product with n_rows times n_free doubles.

    Events of about as many free rows are measured together, at their mean.
    """
    seconds = []
    for some in np.array_split(np.sort(n_free), 16):
        rows = np.random.default_rng(0).random((max(round(some.mean()), 1), n_rows))
        weights, repeats = rows[:, 0].copy(), max(int(2e7 / rows.size), 1)
        work = timed(lambda: [weights @ rows for _ in range(repeats)])[0]  # noqa: B023
        seconds.append(work / repeats)
    return float(np.mean(seconds))


def libsvm_fits(rows: Rows, kernel: str, gamma: float, costs: np.ndarray) -> list[SVC]:
    return [SVC(C=C, kernel=kernel, gamma=gamma, cache_size=2000).fit(*rows) for C in costs]


def worst_gaps(path: mercer.Path, fits: list[SVC], y: np.ndarray) -> tuple[float, float]:
    """Largest relative duality gap of the path and of the fits, where the fits are."""
    ours, theirs = [], []
    for machine in fits:
        problem = svc(y.astype(float), machine.C).problem
        coef = np.zeros(len(y))
        coef[machine.support_] = machine.dual_coef_[0]
        ours.append(path.certificate(machine.C).relative_gap)
        theirs.append(certify(problem, path.gram, np.clip(coef, problem.lower, problem.upper)))
    return max(ours), max(found.relative_gap for found in theirs)


def event_seconds(grams: list[Gram], y: np.ndarray, n_free: np.ndarray) -> list[list[float]]:
    """Seconds of an event with the values of each Gram, and of the streaming: lists of rounds.

    A round measures all of them one after the other, so that what else the machine does weighs
    on all alike.
    """
    problem = svc(y.astype(float), 1.0).problem
    start = exact_start(problem, grams[0])
    seconds: list[list[float]] = [[] for _ in range(len(grams) + 1)]
    for _ in range(REPEATS):
        for gram, found in zip(grams, seconds, strict=False):
            total, run = timed(lambda: follow(problem, gram, start, Limits(C_MAX)), 1)  # noqa: B023
            found.append(total / len(run.segments.changed))
        seconds[-1].append(stream_seconds(len(y), n_free))
    return seconds


def path_line(name: str, rows: Rows, kernel: str, gamma: float) -> str:
    X, y = rows
    options = {"kernel": kernel, "gamma": gamma, "C_max": C_MAX, "n_threads": 1}
    seconds, path = timed(lambda: svc_path(X, y, **options))
    costs = np.geomspace(path.first_event, C_MAX, 10)
    fits_seconds, fits = timed(lambda: libsvm_fits(rows, kernel, gamma, costs), 1)
    ours, theirs = worst_gaps(path, fits, y)
    # a cache of one row: kernel values are part of the time of an event
    fresh = Gram(path.kernel, X, precision="double", n_threads=1, cache_size=0.05)
    stored = Gram(Precomputed(), path.kernel(X, X), precision="double", n_threads=1)
    times = np.array(event_seconds([fresh, stored], y, path.segments.n_free))
    event, bare, stream = np.median(times, axis=1)
    ratio, stored_ratio = np.median(times[:2] / times[2], axis=1)
    return (
        f"{name:22s} {len(path.events):6d} {path.segments.n_free.mean():6.1f} {seconds:8.3f} "
        f"{fits_seconds:8.3f} {seconds / fits_seconds:6.2f} {1e6 * event:8.1f} "
        f"{1e6 * bare:8.1f} {1e6 * stream:8.1f} {ratio:6.2f} {stored_ratio:7.2f} "
        f"{ours:8.1e} {theirs:8.1e}"
    )


def hastie_line(name: str, rows: Rows, kernel: str, gamma: float) -> str:
    X, y = rows[0][:1000], rows[1][:1000]
    path = svc_path(X, y, kernel=kernel, gamma=gamma, C_max=C_MAX, n_threads=1)
    ours, _ = timed(lambda: svc_path(X, y, kernel=kernel, gamma=gamma, C_max=C_MAX, n_threads=1))
    matrix = path.kernel(X, X)
    theirs, found = timed(lambda: hastie_path(matrix, y, C_max=C_MAX), 1)
    reached = 1.0 / found.parameter[-1]
    return (
        f"{name:22s} {len(y):6d} {len(path.C):7d} {ours:8.3f} {len(found.parameter):7d} "
        f"{theirs:8.3f} {found.status:9s} {reached:10.4g}"
    )


def show_paths(directory: Path | None) -> None:
    print(
        f"{'path':22s} {'events':>6s} {'free':>6s} {'path s':>8s} {'10 fits':>8s} {'ratio':>6s} "
        f"{'us/event':>8s} {'stored':>8s} {'stream':>8s} {'ratio':>6s} {'stored':>7s} "
        f"{'gap':>8s} {'libsvm':>8s}"
    )
    for case in path_cases(directory):
        print(path_line(*case), flush=True)
    print(
        f"\n{'first 1000 rows':22s} {'rows':>6s} {'breaks':>7s} {'path s':>8s} {'breaks':>7s} "
        f"{'Hastie':>8s} {'status':9s} {'reached C':>10s}"
    )
    for case in path_cases(directory):
        print(hastie_line(*case), flush=True)


def grid_cases(
    directory: Path | None, rows: int, names: tuple[str, ...]
) -> Iterator[tuple[str, Rows]]:
    if directory is None:
        X, y = load_breast_cancer(return_X_y=True)
        yield "breast cancer", standardised(X, y)
        for name, make in (("ringnorm", make_ringnorm), ("twonorm", make_twonorm)):
            yield name, standardised(*make(rows, random_state=0))
        return
    for name in names:
        yield name, read(directory, name, rows)


def cold_solves(rows: Rows, grid: mercer.Grid) -> list[mercer.Solution]:
    """The same solutions, each from nothing; kernel values are shared by the C of a gamma."""
    out = []
    for kernel in grid.kernels:
        gram = Gram(kernel, rows[0], precision="double", n_threads=1, cache_size=100.0)
        for C in grid.C:
            problem = svc(rows[1].astype(float), C).problem
            out.append(solve(problem, gram, ActiveSet(refine=False), tol=1e-3))
    return out


def independent_fits(rows: Rows, grid: mercer.Grid) -> None:
    for kernel in grid.kernels:
        for C in grid.C:
            problem = svc(rows[1].astype(float), C).problem
            solve(problem, Gram(kernel, rows[0], n_threads=1), "chunked", tol=1e-3, max_time=5.0)


def grid_line(name: str, rows: Rows, kernel: str) -> tuple[str, float]:
    gammas = GAMMAS if kernel == "rbf" else None
    repeats = 1 if kernel == "rbf" else REPEATS
    svc_grid(rows[0][:50], rows[1][:50], Cs=COSTS, gammas=gammas, kernel=kernel)
    warm, grid = timed(
        lambda: svc_grid(*rows, Cs=COSTS, gammas=gammas, kernel=kernel, n_threads=1), repeats
    )
    cold, solutions = timed(lambda: cold_solves(rows, grid), repeats)
    chunked, _ = timed(lambda: independent_fits(rows, grid), 1)
    ours = list(grid.solutions.ravel())
    apart = [abs(a.objective / b.objective - 1) for a, b in zip(ours, solutions, strict=True)]
    steps = [sum(s.n_iter for s in found) for found in (ours, solutions)]
    text = (
        f"{name:20s} {len(rows[1]):6d} {kernel:6s} {warm:8.3f} {cold:8.3f} {cold / warm:6.1f} "
        f"{chunked:9.3f} {steps[0]:8d} {steps[1]:8d} {max(s.violation for s in ours):8.1e} "
        f"{max(apart):8.1e}"
    )
    return text, cold / warm


def show_grids(
    directory: Path | None, rows: int, kernels: tuple[str, ...], names: tuple[str, ...]
) -> None:
    print(
        f"{'grid':20s} {'rows':>6s} {'kernel':6s} {'warm s':>8s} {'cold s':>8s} {'ratio':>6s} "
        f"{'chunked s':>9s} {'steps':>8s} {'cold':>8s} {'viol.':>8s} {'apart':>8s}"
    )
    for kernel in kernels:
        ratios = []
        limit = 5 * rows if kernel == "linear" else rows
        for name, case in grid_cases(directory, limit, names):
            text, ratio = grid_line(name, case, kernel)
            ratios.append(ratio)
            print(text, flush=True)
        print(f"{kernel}: geometric mean {np.exp(np.mean(np.log(ratios))):.1f}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--parts", nargs="*", default=["paths", "grid"])
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--kernels", nargs="*", default=["linear", "rbf"])
    parser.add_argument("--names", nargs="*", default=GRID_NAMES)
    options = parser.parse_args()
    if "paths" in options.parts:
        show_paths(options.data)
    if "grid" in options.parts:
        show_grids(options.data, options.rows, options.kernels, options.names)


if __name__ == "__main__":
    main()
