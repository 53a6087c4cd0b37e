"""Calibrated machines, machines behind codes and labels that are days come back from a file."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from io_cases import X, Y, assert_same
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import (
    LSSVC,
    RLSC,
    SVC,
    CalibratedOneClassSVM,
    CalibratedSVC,
    CodeClassifier,
    NuSVC,
    OnlineSVC,
    PathSVC,
    ThresholdSVC,
    TunedSVC,
    svc_path,
)
from mercer.io import load, save

ROWS, LABELS = X[::3], Y[::3]
TWO = LABELS > 0
DAYS = np.array(["2024-02-29", "2025-01-01", "2026-12-31"], dtype="M8[D]")[LABELS]
CASES = {
    "probability": (SVC(probability=True), LABELS),
    "probability of two classes": (NuSVC(nu=0.2, probability=True), TWO),
    "sigmoid": (CalibratedClassifierCV(SVC(), cv=2), DAYS),
    "isotonic": (CalibratedClassifierCV(SVC(), method="isotonic", cv=2), LABELS),
    "temperature": (
        CalibratedClassifierCV(RLSC(), method="temperature", cv=StratifiedKFold(2)),
        LABELS,
    ),
    "one machine": (
        CalibratedClassifierCV(make_pipeline(StandardScaler(), SVC()), ensemble=False, cv=2),
        TWO,
    ),
    "fitted before": (CalibratedClassifierCV(FrozenEstimator(SVC().fit(X, Y > 0)), cv=2), TWO),
    "inside": (make_pipeline(StandardScaler(), CalibratedClassifierCV(SVC(), cv=2)), LABELS),
    "platt": (CalibratedSVC(SVC(), cv=2), DAYS),
    "one slope": (CalibratedSVC(RLSC(), method="temperature", cv=StratifiedKFold(2)), LABELS),
    "beta": (CalibratedSVC(SVC(multiclass="code", random_state=0), method="beta", cv=2), LABELS),
    "steps": (CalibratedSVC(SVC(), method="isotonic", cv="loo"), TWO),
    "venn-abers": (CalibratedSVC(NuSVC(nu=0.2), method="venn-abers", cv=2), TWO),
    "threshold": (ThresholdSVC(SVC(), cost=[[0.0, 1.0], [2.0, 0.0]], cv=2), TWO),
    "outliers": (CalibratedOneClassSVM(cv=2), TWO),
    "tuned": (TunedSVC(max_evals=2), LABELS),
    "code": (CodeClassifier(code="complete"), DAYS),
    "code around a pipeline": (
        CodeClassifier(make_pipeline(StandardScaler(), RLSC()), code="one-vs-one"),
        LABELS,
    ),
    "learned code": (CodeClassifier(RLSC(), decoding="learned"), DAYS),
    "code of two classes": (CodeClassifier(LSSVC()), TWO),
    "days": (SVC(), DAYS),
    "nanoseconds": (LSSVC(), DAYS.astype("M8[ns]")),
    "25 seconds": (SVC(), LABELS.astype("m8[25s]")),
    "days of a stream": (OnlineSVC(gamma=0.5, random_state=0), np.where(TWO, DAYS[-1], DAYS[0])),
    "days of a path": (PathSVC(cv=2), DAYS),
}
METHODS = ("p_values", "predict", "decision_function", "predict_proba", "machine_decisions")


def answers(machine: Any, rows: Any) -> dict[str, Any]:
    return {name: getattr(machine, name)(rows) for name in METHODS if hasattr(machine, name)}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore:The `probability` parameter")
def test_calibrated_machines_codes_and_days_are_saved(name: str, tmp_path: Any) -> None:
    machine, labels = CASES[name]
    machine.fit(ROWS, labels)
    save(machine, tmp_path / "m")
    loaded = load(tmp_path / "m")
    assert_same(answers(loaded, X), answers(machine, X))
    save(loaded, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()
    save(clone(machine).fit(ROWS, labels), tmp_path / "other")
    assert (tmp_path / "other").read_bytes() == (tmp_path / "m").read_bytes()
    clone(loaded).fit(ROWS, labels)


def test_a_code_of_a_stored_matrix_keeps_its_rows(tmp_path: Any) -> None:
    machine = CodeClassifier(SVC(kernel="precomputed"), code="one-vs-one")
    values = ROWS @ ROWS.T
    save(machine.fit(values, LABELS), tmp_path / "m")
    assert_same(answers(load(tmp_path / "m"), values), answers(machine, values))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("sigmoid", lambda m: m.calibrated_classifiers_.append(None)),
        ("sigmoid", lambda m: m.calibrated_classifiers_[0].calibrators.clear()),
        ("sigmoid", lambda m: setattr(m, "classes_", m.classes_[:-1])),
        ("isotonic", lambda m: _thin(m.calibrated_classifiers_[0].calibrators[0])),
        ("code", lambda m: m.estimators_.pop()),
        ("code", lambda m: setattr(m, "_rows", [np.array([-1])] * len(m.estimators_))),
        ("probability", lambda m: m._calibration.maps.pop()),
        ("probability", lambda m: setattr(m, "_calibration", 0.0)),
        ("platt", lambda m: m.calibration_.maps.append(None)),
        ("venn-abers", lambda m: m.calibration_.maps[0].high.fill(2.0)),
        ("platt", lambda m: setattr(m, "classes_", m.classes_[:-1])),
    ],
)
@pytest.mark.filterwarnings("ignore:The `probability` parameter")
def test_parts_that_do_not_fit_are_refused(name: str, change: Any, tmp_path: Any) -> None:
    machine, labels = CASES[name]
    machine = clone(machine).fit(ROWS, labels)
    change(machine)
    save(machine, tmp_path / "m")
    with pytest.raises(ValueError, match="do not fit together"):
        load(tmp_path / "m")


def _thin(curve: Any) -> None:
    curve.y_thresholds_ = curve.y_thresholds_[:-1]


STREAM = OnlineSVC(gamma=0.1, random_state=0)


@pytest.mark.parametrize("machine", [SVC(), SVC(multiclass="code"), LSSVC(), STREAM], ids=repr)
def test_equal_fits_give_equal_bytes(machine: Any, tmp_path: Any) -> None:
    """Stored seconds made every file another one."""
    labels = TWO if machine is STREAM else LABELS
    for name in ("a", "b"):
        save(clone(machine).fit(ROWS, labels), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_equal_paths_give_equal_bytes(tmp_path: Any) -> None:
    for name in ("a", "b"):
        save(svc_path(ROWS, TWO, C_max=1.0), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    loaded = load(tmp_path / "a")
    assert np.isnan(loaded.summary().seconds)
    assert "seconds" not in str(loaded.summary())


def test_a_machine_that_asks_for_weights_is_saved(tmp_path: Any) -> None:
    with config_context(enable_metadata_routing=True):
        machine = SVC().set_fit_request(sample_weight=True).fit(ROWS, LABELS)
    save(machine, tmp_path / "m")
    assert_same(answers(load(tmp_path / "m"), X), answers(machine, X))
