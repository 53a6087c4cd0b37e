"""Everything public that takes rows, each as one call: what it answers must not depend on how
the rows are held, and what it cannot answer it must refuse by name."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor

import mercer
from mercer import diagnostics
from mercer.lowrank import LowRank

FloatArray = NDArray[np.float64]
Targets = Literal["labels", "numbers", "none"]

_RNG = np.random.default_rng(5)
# Quarters: the same numbers in every type of rows.
X = np.round(4 * _RNG.normal(size=(24, 3))) / 4
LABELS = (X[:, 0] + 0.25 * _RNG.normal(size=24) > 0).astype(int)
NUMBERS = X[:, 0] - X[:, 1]
NEW = np.round(4 * _RNG.normal(size=(7, 3))) / 4
NEW_LABELS = (NEW[:, 0] > 0).astype(int)


@dataclass(frozen=True)
class Trainer:
    """Learns from rows: ``fit(X, y, weight)`` answers with numbers about the rows ``NEW``."""

    fit: Callable[[Any, Any, Any], FloatArray]
    targets: Targets
    covers: str  # the public name, "Class.method" or "function"


@dataclass(frozen=True)
class Reader:
    """A method of something that has learnt: ``make(X)`` learns, ``read`` is given rows."""

    make: Callable[[Any], Any]
    read: Callable[[Any, Any, Any, Any], FloatArray]
    covers: str
    takes_y: bool = False
    takes_weight: bool = False


@contextmanager
def quiet() -> Iterator[None]:
    """Without warnings of early ends, vanishing margins and absent feature names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def targets_of(kind: Targets) -> Any:
    return {"labels": LABELS, "numbers": NUMBERS, "none": None}[kind]


def _values(machine: Any, rows: Any = NEW) -> FloatArray:
    name = "decision_function" if hasattr(machine, "decision_function") else "predict"
    return np.asarray(getattr(machine, name)(rows), dtype=np.float64)


def _estimators() -> dict[str, tuple[Any, Targets]]:
    return {
        "SVC": (mercer.SVC(), "labels"),
        "SVC(kernel='linear')": (mercer.SVC(kernel="linear"), "labels"),
        "SVC(solver='chunked')": (
            mercer.SVC(solver="chunked", precision="single", tol=1e-6),
            "labels",
        ),
        "SVC(solver='active-set')": (mercer.SVC(solver="active-set"), "labels"),
        "SVC(loss='huber')": (mercer.SVC(loss="huber"), "labels"),
        "SVC(probability)": (mercer.SVC(probability=True), "labels"),
        "NuSVC": (mercer.NuSVC(nu=0.2), "labels"),
        "SVR": (mercer.SVR(), "numbers"),
        "NuSVR": (mercer.NuSVR(), "numbers"),
        "OneClassSVM": (mercer.OneClassSVM(), "none"),
        "SVDD": (mercer.SVDD(tol=1e-8), "none"),
        "RLSC": (mercer.RLSC(), "labels"),
        "RLSC(alpha=[...])": (mercer.RLSC(alpha=[0.1, 1.0]), "labels"),
        "LSSVC": (mercer.LSSVC(), "labels"),
        "LSSVC(solver='cg')": (mercer.LSSVC(solver="cg"), "labels"),
        "LSSVR": (mercer.LSSVR(), "numbers"),
        "LSSVR(robust)": (mercer.LSSVR(robust="huber"), "numbers"),
        "LSSVR(low_rank)": (mercer.LSSVR(low_rank=LowRank(rank=8, random_state=0)), "numbers"),
        "CodeClassifier": (mercer.CodeClassifier(mercer.SVC()), "labels"),
        "CalibratedSVC": (mercer.CalibratedSVC(mercer.SVC(tol=1e-8), cv=2), "labels"),
        "ThresholdSVC": (mercer.ThresholdSVC(mercer.SVC(tol=1e-8), cv="loo"), "labels"),
        "CalibratedOneClassSVM": (mercer.CalibratedOneClassSVM(cv="loo"), "none"),
        "ConformalSVC": (
            mercer.ConformalSVC(
                mercer.SVC(gamma=0.5, tol=1e-8), kind="cross", cv=2, random_state=0
            ),
            "labels",
        ),
        "ConformalSVC(CalibratedSVC())": (
            mercer.ConformalSVC(
                mercer.CalibratedSVC(mercer.SVC(gamma=0.5, tol=1e-8), cv=2),
                kind="cross",
                cv=2,
                random_state=0,
            ),
            "labels",
        ),
        "ConformalSVR": (mercer.ConformalSVR(mercer.LSSVR(gamma=0.5), kind="full"), "numbers"),
        "ChunkedEnsemble": (
            mercer.ChunkedEnsemble(mercer.RLSC(gamma=0.5), n_chunks=2, random_state=0),
            "labels",
        ),
        "ChunkedEnsemble(SVC())": (
            mercer.ChunkedEnsemble(
                mercer.SVC(gamma=0.5, tol=1e-8), n_chunks=2, combine="average", random_state=0
            ),
            "labels",
        ),
        "HullClassifier": (mercer.HullClassifier(), "labels"),
        "OnlineSVC": (mercer.OnlineSVC(tol=1e-8, random_state=0, probability=True), "labels"),
        "OnlineSVR": (mercer.OnlineSVR(tol=1e-8, random_state=0), "numbers"),
        "ReducedSVC": (mercer.ReducedSVC(), "labels"),
        "PathSVC": (mercer.PathSVC(cv=3), "labels"),
        "TunedSVC": (mercer.TunedSVC(cv=2, max_evals=3, tol=1e-8), "labels"),
        "TunedSVR": (mercer.TunedSVR(cv=2, max_evals=3, tol=1e-8), "numbers"),
        "TunedRLSC": (mercer.TunedRLSC(max_evals=3), "labels"),
        "TunedOneClassSVM": (mercer.TunedOneClassSVM(cv=2, max_evals=3, tol=1e-8), "none"),
    }


def trainers() -> dict[str, Trainer]:
    """Every ``fit`` and every function that learns from rows."""
    cases = {}
    for name, (machine, kind) in _estimators().items():
        cases[f"{name}.fit"] = Trainer(
            lambda rows, y, w, m=machine: _values(clone(m).fit(rows, y, sample_weight=w)),
            kind,
            f"{type(machine).__name__}.fit",
        )
    for machine, kind in (
        (mercer.RLSC(kernel="linear"), "labels"),
        (mercer.LSSVC(kernel="linear"), "labels"),
        (mercer.LSSVR(kernel="linear"), "numbers"),
        (mercer.OnlineSVC(keep_rows=True, precision="double", tol=1e-8), "labels"),
        (mercer.OnlineSVR(keep_rows=True, precision="double", tol=1e-8), "numbers"),
    ):
        name = f"{type(machine).__name__}.partial_fit"
        cases[name] = Trainer(
            lambda rows, y, w, m=machine: _values(_partial(m, rows, y, w)), kind, name
        )
    cases["OneClassSVM.fit_predict"] = Trainer(
        lambda rows, y, w: mercer.OneClassSVM().fit_predict(rows, sample_weight=w)[:0],
        "none",
        "OneClassSVM.fit_predict",
    )
    return cases | _functions()


def _partial(machine: Any, rows: Any, y: Any, weight: Any) -> Any:
    classes = {} if is_regressor(machine) else {"classes": [0, 1]}
    learnt = clone(machine).partial_fit(rows, y, sample_weight=weight, **classes)
    return learnt.finish() if hasattr(learnt, "finish") else learnt


def _functions() -> dict[str, Trainer]:
    return {
        "svc_path": Trainer(
            lambda rows, y, w: mercer.svc_path(rows, y, sample_weight=w).decision_function(
                NEW, 1.0
            ),
            "labels",
            "svc_path",
        ),
        "svc_path(accuracy)": Trainer(
            lambda rows, y, w: mercer.svc_path(
                rows, y, sample_weight=w, accuracy=1e-6
            ).decision_function(NEW, 1.0),
            "labels",
            "svc_path",
        ),
        "nu_svc_path": Trainer(
            lambda rows, y, w: mercer.nu_svc_path(rows, y, sample_weight=w).decision_function(
                NEW, 0.2
            ),
            "labels",
            "nu_svc_path",
        ),
        "nu_svr_path": Trainer(
            lambda rows, y, w: mercer.nu_svr_path(rows, y, sample_weight=w).predict(NEW, 0.3),
            "numbers",
            "nu_svr_path",
        ),
        "svr_path": Trainer(
            lambda rows, y, w: mercer.svr_path(
                rows, y, C_max=10.0, sample_weight=w
            ).decision_function(NEW, 1.0),
            "numbers",
            "svr_path",
        ),
        "one_class_path": Trainer(
            lambda rows, y, w: mercer.one_class_path(rows, sample_weight=w).decision_function(
                NEW, 0.5
            ),
            "none",
            "one_class_path",
        ),
        "kernel_path": Trainer(
            lambda rows, y, w: mercer.kernel_path(
                rows, y, gamma_min=0.1, gamma_max=1.0, sample_weight=w
            ).decision_function(NEW, 0.5),
            "labels",
            "kernel_path",
        ),
        "svc_grid": Trainer(
            lambda rows, y, w: mercer.svc_grid(
                rows, y, Cs=[1.0, 10.0], gammas=[0.1, 1.0], cv=2, sample_weight=w
            ).decision_function(NEW, 1, 1),
            "labels",
            "svc_grid",
        ),
    }


def readers() -> dict[str, Reader]:
    """Every method that is given rows by something that has learnt."""
    cases = {}
    for name, (machine, kind) in _estimators().items():

        def make(rows: Any, machine: Any = machine, kind: Targets = kind) -> Any:
            return clone(machine).fit(rows, targets_of(kind))

        with quiet():
            fitted = make(X)
        for method in (
            *("decision_function", "machine_decisions", "predict", "predict_proba"),
            *("score_samples", "score", "p_values", "predict_set", "predict_interval"),
        ):
            if not hasattr(fitted, method):
                continue
            cases[f"{name}.{method}"] = Reader(
                make,
                _plain(method) if method != "score" else _score,
                f"{type(machine).__name__}.{method}",
                takes_y=method == "score",
            )
    return cases | _result_readers()


def _plain(method: str) -> Callable[..., FloatArray]:
    return lambda fitted, rows, y, w: np.asarray(getattr(fitted, method)(rows), dtype=np.float64)


def _score(fitted: Any, rows: Any, y: Any, w: Any) -> FloatArray:
    return np.array([fitted.score(rows, y)])


def _confusion(report: Any) -> FloatArray:
    return np.asarray(report.data["confusion"]["counts"], dtype=np.float64)


def _result_readers() -> dict[str, Reader]:
    def path(rows: Any) -> Any:
        return mercer.svc_path(rows, LABELS)

    def step_values(curve: Any) -> FloatArray:
        return np.concatenate([curve.x, curve.value])

    def widths(rows: Any) -> Any:
        return mercer.kernel_path(rows, LABELS, gamma_min=0.1, gamma_max=1.0)

    def grid(rows: Any) -> Any:
        return mercer.svc_grid(rows, LABELS, Cs=[1.0, 10.0], gammas=[0.1, 1.0], cv=2)

    def low_rank(rows: Any) -> Any:
        return mercer.svc_path(rows, LABELS, low_rank=LowRank(rank=8, random_state=0))

    def chosen(rows: Any) -> Any:
        return mercer.PathSVC(cv=3).fit(rows, LABELS)

    def over_nu(rows: Any) -> Any:
        return mercer.nu_svc_path(rows, LABELS)

    def tubes(rows: Any) -> Any:
        return mercer.nu_svr_path(rows, NUMBERS)

    return {
        "Path.decision_function": Reader(
            path, lambda p, r, y, w: p.decision_function(r, 1.0), "Path.decision_function"
        ),
        "Path(low_rank).decision_function": Reader(
            low_rank, lambda p, r, y, w: p.decision_function(r, 1.0), "Path.decision_function"
        ),
        "Path.predict": Reader(path, lambda p, r, y, w: p.predict(r, 1.0), "Path.predict"),
        "Path.error": Reader(
            path,
            lambda p, r, y, w: step_values(p.error(r, y, w)),
            "Path.error",
            takes_y=True,
            takes_weight=True,
        ),
        "Path(one class).decision_function": Reader(
            mercer.one_class_path,
            lambda p, r, y, w: p.decision_function(r, 0.5),
            "Path.decision_function",
        ),
        "Path(one class).predict": Reader(
            mercer.one_class_path, lambda p, r, y, w: p.predict(r, 0.5), "Path.predict"
        ),
        "Path(nu).decision_function": Reader(
            over_nu, lambda p, r, y, w: p.decision_function(r, 0.2), "Path.decision_function"
        ),
        "Path(nu).predict": Reader(over_nu, lambda p, r, y, w: p.predict(r, 0.2), "Path.predict"),
        "Path(tube).predict": Reader(tubes, lambda p, r, y, w: p.predict(r, 0.3), "Path.predict"),
        "Path(gamma).decision_function": Reader(
            widths, lambda p, r, y, w: p.decision_function(r, 0.5), "Path.decision_function"
        ),
        "Path(gamma).predict": Reader(widths, lambda p, r, y, w: p.predict(r, 0.5), "Path.predict"),
        "Path(gamma).score": Reader(
            widths, lambda p, r, y, w: np.asarray(p.score(r, y)), "Path.score", takes_y=True
        ),
        "Grid.decision_function": Reader(
            grid, lambda p, r, y, w: p.decision_function(r, 0, 1), "Grid.decision_function"
        ),
        "Grid.predict": Reader(grid, lambda p, r, y, w: p.predict(r, 0, 1), "Grid.predict"),
        "Grid.score": Reader(
            grid, lambda p, r, y, w: np.asarray(p.score(r, y)), "Grid.score", takes_y=True
        ),
        "PathSVC.decision_function(C)": Reader(
            chosen, lambda p, r, y, w: p.decision_function(r, 2.0), "PathSVC.decision_function"
        ),
        "explain": Reader(
            lambda rows: mercer.SVC(gamma=0.5).fit(rows, LABELS),
            lambda p, r, y, w: mercer.explain(p, r, background=X[:5]).values,
            "explain",
        ),
        "influence": Reader(
            lambda rows: mercer.SVC(gamma=0.5).fit(rows, LABELS),
            lambda p, r, y, w: mercer.influence(p, r).values,
            "influence",
        ),
        "write_report": Reader(
            lambda rows: mercer.SVC(gamma=0.5).fit(rows, LABELS),
            lambda p, r, y, w: _confusion(mercer.write_report(p, r, y)),
            "write_report",
            takes_y=True,
        ),
        "LooProbability.predict_proba": Reader(
            lambda rows: diagnostics.LooProbability(mercer.RLSC().fit(rows, LABELS), LABELS),
            lambda p, r, y, w: p.predict_proba(r),
            "LooProbability.predict_proba",
        ),
    }
