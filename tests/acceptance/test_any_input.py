"""However rows are held the answer is the same; what has no answer is refused by name.

Every public method that takes rows is given everything a user might hand it: a right answer, or
a ValueError or TypeError that names the argument, and nothing else. Every method meets
half or a third of the kinds of input, its neighbours the others."""

from __future__ import annotations

import inspect
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import mercer
from acceptance.input_cases import (
    LABELS,
    NEW,
    NEW_LABELS,
    Reader,
    Trainer,
    X,
    quiet,
    readers,
    targets_of,
    trainers,
)
from mercer import diagnostics
from sampling import some_of_each

TRAINERS, READERS = trainers(), readers()
COLUMNS = ["a", "b", "c"]
FORMS = {
    "float32": lambda rows: rows.astype(np.float32),
    "lists": lambda rows: rows.tolist(),
    "csr": sparse.csr_matrix,
    "csc": sparse.csc_array,
    "fortran": np.asfortranarray,
    "strided": lambda rows: np.repeat(rows, 2, axis=0)[::2],
    "read-only": lambda rows: _locked(rows),
    "integers of quarters": lambda rows: (4 * rows).astype(np.int64) / 4,
    "objects": lambda rows: rows.astype(object),
}
NOT_FINITE = {
    f"{value} in {held.__name__}": (held, value)
    for value in (np.nan, np.inf)
    for held in (np.asarray, sparse.csr_matrix, pd.DataFrame)
}
WEIGHTS: dict[str, Any] = {
    "NaN": np.where(np.arange(24) == 3, np.nan, 1.0),
    "infinity": np.where(np.arange(24) == 3, np.inf, 1.0),
    "negative": np.where(np.arange(24) == 3, -1.0, 1.0),
    "zeros": np.zeros(24),
    "too few": np.ones(23),
    "two axes": np.ones((24, 2)),
    "words": ["a"] * 24,
}


def _locked(rows: Any) -> Any:
    rows = rows.copy()
    rows.flags.writeable = False
    return rows


def _spoiled(rows: Any, value: float) -> Any:
    rows = rows.copy()
    rows[2, 1] = value
    return rows


def learn(trainer: Trainer, rows: Any, y: Any = None, weight: Any = None) -> Any:
    with quiet():
        return trainer.fit(rows, targets_of(trainer.targets) if y is None else y, weight)


@cache
def plainly_learnt(name: str) -> Any:
    """What a trainer makes of the rows as they are."""
    return learn(TRAINERS[name], X)


@pytest.fixture(scope="module")
def fitted() -> dict[str, Any]:
    """What each reader has learnt, made once; methods of one machine share it."""
    with quiet():
        made = {make: make(X) for make in dict.fromkeys(r.make for r in READERS.values())}
    return {name: made[reader.make] for name, reader in READERS.items()}


def read(reader: Reader, source: Any, rows: Any, y: Any = NEW_LABELS, weight: Any = None) -> Any:
    with quiet():
        return reader.read(source, rows, y, weight)


@pytest.mark.parametrize(("name", "form"), some_of_each(TRAINERS, FORMS, 2))
def test_learning_does_not_depend_on_how_rows_are_held(name: str, form: str) -> None:
    found = learn(TRAINERS[name], FORMS[form](X))
    np.testing.assert_allclose(found, plainly_learnt(name), rtol=1e-5, atol=2e-5)


@pytest.mark.parametrize("name", TRAINERS)
def test_learning_from_a_table(name: str) -> None:
    trainer = TRAINERS[name]
    y = targets_of(trainer.targets)
    table = learn(trainer, pd.DataFrame(X, columns=COLUMNS), None if y is None else pd.Series(y))
    np.testing.assert_allclose(table, plainly_learnt(name), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("name", "form"), some_of_each(READERS, FORMS, 3))
def test_reading_does_not_depend_on_how_rows_are_held(
    name: str, form: str, fitted: dict[str, Any]
) -> None:
    reader = READERS[name]
    expected = read(reader, fitted[name], NEW)
    np.testing.assert_allclose(
        read(reader, fitted[name], FORMS[form](NEW)), expected, rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("name", READERS)
def test_reading_a_table(name: str, fitted: dict[str, Any]) -> None:
    reader, table = READERS[name], pd.DataFrame(NEW, columns=COLUMNS)
    with quiet():
        named = reader.make(pd.DataFrame(X, columns=COLUMNS))
    expected = read(reader, fitted[name], NEW)
    np.testing.assert_allclose(read(reader, named, table), expected, rtol=1e-9, atol=1e-9)
    with pytest.raises(ValueError, match="eature names"):
        read(reader, named, table.rename(columns={"a": "z"}))


@pytest.mark.parametrize(("name", "kind"), some_of_each(TRAINERS, NOT_FINITE, 3))
def test_learning_refuses_rows_that_are_not_finite(name: str, kind: str) -> None:
    form, value = NOT_FINITE[kind]
    with pytest.raises(ValueError, match=r"X contains (NaN|infinity)"):
        learn(TRAINERS[name], form(_spoiled(X, value)))


@pytest.mark.parametrize(("name", "kind"), some_of_each(READERS, NOT_FINITE, 3))
def test_reading_refuses_rows_that_are_not_finite(
    name: str, kind: str, fitted: dict[str, Any]
) -> None:
    form, value = NOT_FINITE[kind]
    with pytest.raises(ValueError, match=r"X contains (NaN|infinity)"):
        read(READERS[name], fitted[name], form(_spoiled(NEW, value)))


@pytest.mark.parametrize("name", READERS)
def test_reading_refuses_rows_of_another_shape(name: str, fitted: dict[str, Any]) -> None:
    reader, source = READERS[name], fitted[name]
    for rows in (NEW[:, :2], np.c_[NEW, NEW], sparse.csr_matrix(NEW[:, :2]), NEW[:0]):
        y = NEW_LABELS[: rows.shape[0]]
        with pytest.raises(ValueError, match=r"features|0 sample"):
            read(reader, source, rows, y)
    with pytest.raises(ValueError, match="Expected 2D array"):
        read(reader, source, NEW[0])
    with pytest.raises((TypeError, ValueError), match="X"):
        read(reader, source, [["a", "b", "c"]] * 7)


@pytest.mark.parametrize("name", [name for name, reader in READERS.items() if reader.takes_y])
def test_scores_refuse_labels_of_another_length(name: str, fitted: dict[str, Any]) -> None:
    for y in (NEW_LABELS[:-1], NEW_LABELS[:0], np.r_[NEW_LABELS, 0]):
        with pytest.raises(ValueError, match=r"inconsistent numbers of samples|\by\b"):
            read(READERS[name], fitted[name], NEW, y)


@pytest.mark.parametrize("name", [name for name, reader in READERS.items() if reader.takes_weight])
@pytest.mark.parametrize("kind", WEIGHTS)
def test_scores_refuse_weights_that_mean_nothing(
    name: str, kind: str, fitted: dict[str, Any]
) -> None:
    weight = WEIGHTS[kind][:6] if kind == "too few" else WEIGHTS[kind][:7]
    with pytest.raises(ValueError, match=r"(?i)sample.weight"):
        read(READERS[name], fitted[name], NEW, NEW_LABELS, weight)


@pytest.mark.parametrize(("name", "kind"), some_of_each(TRAINERS, WEIGHTS, 2))
def test_learning_refuses_weights_that_mean_nothing(name: str, kind: str) -> None:
    with pytest.raises(ValueError, match=r"(?i)sample.weight|positive weight"):
        learn(TRAINERS[name], X, weight=WEIGHTS[kind])


# Who draws rows or folds draws others where rows of weight zero stand between.
DRAWS = ("PathSVC", "svc_grid", "ReducedSVC", "low_rank")


@pytest.mark.parametrize("name", [n for n in TRAINERS if not any(word in n for word in DRAWS)])
def test_rows_of_weight_zero_are_absent(name: str) -> None:
    trainer, keep = TRAINERS[name], np.arange(24) % 5 != 0
    y = targets_of(trainer.targets)
    whole = learn(trainer, X, weight=keep.astype(float))
    part = learn(trainer, X[keep], None if y is None else y[keep])
    np.testing.assert_allclose(whole, part, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", [n for n, t in TRAINERS.items() if t.targets != "none"])
def test_learning_refuses_targets_that_do_not_fit(name: str) -> None:
    trainer = TRAINERS[name]
    y = targets_of(trainer.targets)
    for wrong in (y[:-1], np.r_[y, y[:1]]):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            learn(trainer, X, wrong)
    spoiled = y.astype(float)
    spoiled[3] = np.nan
    with pytest.raises(ValueError, match=r"y contains NaN|\by\b"):
        learn(trainer, X, spoiled)


@pytest.mark.parametrize(
    "name", [n for n, t in TRAINERS.items() if t.targets == "labels" and "partial" not in n]
)
def test_learning_refuses_one_class(name: str) -> None:
    with pytest.raises(ValueError, match="class"):
        learn(TRAINERS[name], X, np.zeros(24, dtype=int))
    with pytest.raises(ValueError, match="class"):
        learn(TRAINERS[name], X, LABELS, (LABELS == 0).astype(float))


@pytest.mark.parametrize("name", TRAINERS)
def test_two_rows_are_learnt_or_refused(name: str) -> None:
    trainer = TRAINERS[name]
    y = targets_of(trainer.targets)
    two = [int(np.argmin(LABELS)), int(np.argmax(LABELS))]
    with suppress(ValueError):
        assert np.isfinite(learn(trainer, X[two], None if y is None else y[two])).all()


def _methods_with_rows() -> set[str]:
    """Names of public methods and functions with a parameter ``X``."""
    names = set()
    for module in (mercer, diagnostics):
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing):
                for method, function in inspect.getmembers(thing, inspect.isfunction):
                    is_elsewhere = method.startswith("_") or method == "report"  # tests/report
                    if not is_elsewhere and "X" in inspect.signature(function).parameters:
                        names.add(f"{name}.{method}")
            elif inspect.isfunction(thing) and "X" in inspect.signature(thing).parameters:
                names.add(name)
    return names


# Looked at elsewhere: pictures (tests/paths/test_path_plot.py), files (tests/io), low-rank maps
# (tests/lowrank), queries (tests/online/test_active_learning.py), what hands rows to others, and
# what is another method with one more step.
ELSEWHERE = {
    "OnlineSVC.active_fit",
    "OnlineSVC.query",
    "HullClassifier.predict_log_proba",
    "HullClassifier.predict_proba",
    "compare_classifiers",
    "compare_over_folds",
    "Path.decide",
    "Path.plot",
    "LowRank.choose",
    "LowRank.choose_among",
    "LowRank.fit",
    "LowRank.fit_transform",
    "LowRank.transform",
    "loo_bound",
    # tests/predictions; these read rows by the machine inside
    "CalibratedOneClassSVM.decision_function",
    "CalibratedOneClassSVM.fit_predict",
    "CalibratedOneClassSVM.p_values",
    "CalibratedOneClassSVM.predict",
    "CalibratedOneClassSVM.score_samples",
    "CalibratedSVC.predict",
    "CalibratedSVC.predict_interval",
    "CalibratedSVC.predict_log_proba",
    "CalibratedSVC.predict_proba",
    "ThresholdSVC.decision_function",
    "ThresholdSVC.predict",
    "ThresholdSVC.predict_proba",
    "TunedSVC.predict_log_proba",
    "TunedSVC.predict_proba",
    "choose_threshold",
    "out_of_sample",
    "suspects",
    "SVDD.fit_predict",
    "TunedOneClassSVM.fit_predict",
    "SVC.predict_log_proba",
    "NuSVC.predict_log_proba",
    "NuSVC.predict_proba",
    "PathSVC.predict_proba",
    "PathSVC.predict_log_proba",
    "RLSC.predict_log_proba",
    "LSSVC.predict_log_proba",
}


def test_no_public_method_that_takes_rows_is_left_out() -> None:
    covered = {case.covers for case in (*TRAINERS.values(), *READERS.values())}
    assert _methods_with_rows() - covered - ELSEWHERE == set()
