"""Results of the functions for paths, and all that each of them says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.model_selection import ShuffleSplit, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import LowRank, PathSVC, kernel_path, one_class_path, svc_grid, svc_path, svr_path
from mercer.paths import (
    ErrorCurve,
    Grid,
    PairPaths,
    Path,
    StepFunction,
    nu_svc_path,
    nu_svr_path,
)
from mercer.paths.results.c_solutions import CSolutions
from mercer.paths.results.kernel_solutions import KernelSolutions
from mercer.paths.results.nu_svc_solutions import NuSVCSolutions
from mercer.paths.results.nu_svr_solutions import NuSVRSolutions
from mercer.paths.results.one_class_solutions import OneClassSolutions

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
Z = RNG.normal(size=(12, 3))
T = X[:, 0] + 0.3 * RNG.normal(size=30)
TWO = np.where(T > 0.2, "good", "bad")
THREE = np.digitize(T, [-0.5, 0.5])
TABLE = pd.DataFrame(X, columns=["a", "b", "c"])
STORED = X @ X.T
BASIS = LowRank(6, basis="k-means++", random_state=1)

# How a result is made, and rows it can be asked about.
RESULTS: dict[str, tuple[Callable[[], Any], Any]] = {
    "path": (lambda: svc_path(X, TWO, C_max=20.0), Z),
    "complete": (lambda: svc_path(X, T > 0, C_max=np.inf, gamma=9.0), Z),
    "begins later": (lambda: svc_path(X, TWO, C_min=1.0, C_max=20.0), Z),
    "ends early": (lambda: svc_path(X, TWO, max_events=4), Z),
    "never began": (lambda: svc_path(X, TWO, max_time=1e-9), Z),
    "trivial": (lambda: svc_path(0 * X, TWO), Z),
    "approximate": (lambda: svc_path(X, TWO, C_max=20.0, accuracy=0.01), Z),
    "weighted": (lambda: svc_path(X, TWO, C_max=20.0, sample_weight=np.arange(30) % 3), Z),
    "objects": (lambda: svc_path(X, TWO.astype(object), C_max=20.0), Z),
    "sparse rows": (lambda: svc_path(sp.csr_array(X), TWO, C_max=20.0), sp.csr_array(Z)),
    "named columns": (lambda: svc_path(TABLE, TWO, C_max=20.0), TABLE[:9]),
    "precomputed": (lambda: svc_path(STORED, TWO, kernel="precomputed", C_max=20.0), Z @ X.T),
    "low rank": (lambda: svc_path(X, TWO, C_max=20.0, low_rank=8), Z),
    "low rank, precomputed": (
        lambda: svc_path(STORED, TWO, kernel="precomputed", C_max=20.0, low_rank=2),
        Z @ X.T,
    ),
    "low rank, two models": (
        lambda: svc_path(X, TWO, C_max=20.0, low_rank=LowRank(5, n_models=2, random_state=1)),
        Z,
    ),
    "regression": (lambda: svr_path(X, T, C_max=20.0), Z),
    "regression, low rank": (lambda: svr_path(X, T, C_max=20.0, low_rank=BASIS), Z),
    "outliers": (lambda: one_class_path(X), Z),
    "outliers, low rank": (lambda: one_class_path(X, low_rank=6), Z),
    "nu": (lambda: nu_svc_path(X, TWO, C_max=20.0), Z),
    "nu of regression": (lambda: nu_svr_path(X, T), Z),
    "widths": (lambda: kernel_path(X, TWO, gamma_min=0.1, gamma_max=0.5, cv=2), Z),
    "grid": (lambda: svc_grid(X, TWO, Cs=[0.1, 1.0], gammas=[0.1, 0.2], cv=2), Z),
    "grid, named columns": (lambda: svc_grid(TABLE, TWO, Cs=[1.0], kernel="linear"), TABLE[:9]),
    "grid, three classes": (lambda: svc_grid(X, THREE, Cs=[0.1, 1.0], gammas=[0.2], cv=2), Z),
    "grid, one-vs-all": (lambda: svc_grid(X, THREE, Cs=[1.0], multiclass="one-vs-all"), Z),
    "grid, code": (lambda: svc_grid(X, THREE, Cs=[1.0], cv=2, multiclass="code"), Z),
    "grid, not filled": (lambda: svc_grid(X, TWO, Cs=[0.1, 1.0], max_time=1e-9), Z),
    "steps": (lambda: svc_path(X, TWO, C_max=20.0).error(X, TWO), Z),
    "curve": (lambda: svr_path(X, T, C_max=20.0).error(X, T), Z),
    "two classes": (lambda: PathSVC(C_max=20.0, cv=2).fit(X, TWO), Z),
    "three classes": (lambda: PathSVC(C_max=20.0, cv=StratifiedKFold(2)).fit(X, THREE), Z),
    "left out": (lambda: PathSVC(C_max=5.0, cv="loo", kernel="linear").fit(TABLE, TWO), TABLE[:9]),
    "machine, low rank": (lambda: PathSVC(C_max=20.0, cv=2, low_rank=BASIS).fit(X, THREE), Z),
    "machine, precomputed": (
        lambda: PathSVC(C_max=20.0, cv=2, kernel="precomputed").fit(STORED, THREE),
        Z @ X.T,
    ),
    "pairs": (lambda: PathSVC(C_max=20.0, cv=2).fit(X, THREE).path_, Z),
    "pipeline": (
        lambda: make_pipeline(
            StandardScaler(),
            PathSVC(C_max=20.0, cv=ShuffleSplit(2, random_state=0), scoring="balanced_accuracy"),
        ).fit(X, THREE),
        Z,
    ),
}


def answers(result: Any, rows: Any) -> list[Any]:
    """All that a result says: the same of equal results."""
    return [repr(result), *_ANSWERS.get(type(result), _of_machine)(result, rows)]


def _of_path(path: Path, rows: Any) -> list[Any]:
    known = [path.C, path.end, path.events, path.summary(), path.status]
    if path.end == 0.0:
        return known
    C = min(max(1.5, path.begin), path.end)
    methods = (path.coef, path.intercept, path.free, path.intercept_interval, path.certificate)
    known += [method(C) for method in methods]
    known += [path.decision_function(rows, [C, min(2 * C, path.end)]), path.predict(rows, C)]
    if path.classes is None:
        return [*known, path.error(rows, T[: len(known[-1])], loss="absolute_error")]
    truth = path.classes[np.arange(len(known[-1])) % 2]
    return [*known, path.error(rows, truth), path.leave_one_out(C)]


def _of_nu_path(path: Path, rows: Any) -> list[Any]:
    methods = (path.coef, path.intercept, path.certificate)
    asked = [path.decision_function(rows, 0.4), path.predict(rows, 0.4)]
    return [path.nu, path.end, path.status, *(method(0.4) for method in methods), *asked]


def _of_nu_svc(path: Path, rows: Any) -> list[Any]:
    nu = 0.5 * (path.end + path.begin)
    methods = (
        path.solutions.C_at,
        path.solutions.C_interval,
        path.coef,
        path.intercept,
        path.certificate,
    )
    asked = [path.decision_function(rows, nu), path.predict(rows, nu)]
    return [path.nu, path.status, *(method(nu) for method in methods), *asked]


def _of_nu_svr(path: Path, rows: Any) -> list[Any]:
    nu = 0.5 * path.end
    at = path.solutions
    methods = (at.epsilon_at, at.epsilon_interval, path.coef, path.intercept, path.certificate)
    known = [path.nu, path.epsilon, path.status, path.predict(rows, nu)]
    return [*known, *(method(nu) for method in methods)]


def _of_widths(path: Path, rows: Any) -> list[Any]:
    known = [
        path.gamma,
        path.C,
        path.solutions.at_breakpoints,
        path.scores,
        path.accuracy,
        path.status,
    ]
    known += [method(0.2) for method in (path.coef, path.intercept, path.certificate)]
    predicted = path.predict(rows, 0.3)
    return [*known, path.decision_function(rows, 0.3), predicted, path.score(rows, predicted)]


def _of_grid(grid: Grid, rows: Any) -> list[Any]:
    known = [grid.gamma, grid.C, grid.scores, grid.status, grid.solutions.ravel().tolist()]
    if grid.status != "complete":
        return known
    best = [] if grid.scores is None else [grid.best]
    predicted = grid.predict(rows, -1, 0)
    score = grid.score(rows, grid.classes[np.arange(len(predicted)) % 2])
    return [*known, *best, predicted, grid.decision_function(rows, 0, -1), score]


def _of_steps(steps: StepFunction, rows: Any) -> list[Any]:
    return [steps([0.0, 0.5, 3.0]), steps.minimum, list(steps.pieces()), vars(steps)]


def _of_curve(curve: ErrorCurve, rows: Any) -> list[Any]:
    pieces = [curve.x, curve.start, curve.slope, curve.bend]
    return [curve([0.0, 0.5, 3.0]), curve.minimum, curve.best, np.stack(pieces), curve.end]


def _of_pairs(pairs: PairPaths, rows: Any) -> list[Any]:
    known = [pairs.begin, pairs.end, pairs.status, pairs.breakpoints, pairs.pairs]
    predicted = pairs.predict(rows, 2.0)
    decisions = pairs.decision_function(rows, 2.0)
    return [*known, predicted, decisions, pairs.error(rows, predicted)]


def _of_machine(machine: Any, rows: Any) -> list[Any]:
    said = [machine.predict(rows), machine.decision_function(rows)]
    last = machine[-1] if hasattr(machine, "steps") else machine
    chosen = [last.C_, last.cv_error_, last.cv_errors_, last.cv_score_, last.classes_]
    said += [*chosen, last.dual_coef_, last.intercept_, last.support_, last.n_support_]
    if last is machine:
        said += [machine.predict(rows, C=0.7), machine.decision_function(rows, C=0.7)]
    for path in last.paths_:
        said += [path.coef(2.0), path.certificate(2.0)]
    return [*said, last.path_.error(rows, last.predict(rows))] if last is machine else said


_BY_SOLUTIONS: dict[type, Callable[[Path, Any], list[Any]]] = {
    CSolutions: _of_path,
    OneClassSolutions: _of_nu_path,
    NuSVCSolutions: _of_nu_svc,
    NuSVRSolutions: _of_nu_svr,
    KernelSolutions: _of_widths,
}
_ANSWERS: dict[type, Callable[[Any, Any], list[Any]]] = {
    Path: lambda path, rows: _BY_SOLUTIONS[type(path.solutions)](path, rows),
    Grid: _of_grid,
    StepFunction: _of_steps,
    ErrorCurve: _of_curve,
    PairPaths: _of_pairs,
}
