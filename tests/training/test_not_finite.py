"""What people are told who give NaN or infinity: where they are, and what to do."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer import (
    RLSC,
    SVC,
    SVR,
    ChunkedEnsemble,
    CodeClassifier,
    ConformalSVC,
    ConformalSVR,
    LowRank,
    OneClassSVM,
    OnlineSVC,
    svc_path,
)
from mercer.training.not_finite import not_finite

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 4))
Y = np.where(X[:, 0] > 0, "yes", "no")
NAMES = ["age", "income", "zip", "weight"]


def with_holes() -> np.ndarray:
    rows = X.copy()
    rows[[3, 11], 1] = np.nan
    rows[7, 2] = np.nan
    return rows


@pytest.mark.parametrize(
    "learn",
    [lambda X: SVC().fit(X, Y), lambda X: RLSC().fit(X, Y), lambda X: OneClassSVM().fit(X),
     lambda X: svc_path(X, Y), lambda X: SVC().fit(X_NAMED, Y).predict(X)],
)  # fmt: skip
def test_missing_values_are_told_with_their_columns_rows_and_a_remedy(learn: Any) -> None:
    """scikit-learn said only that X contains NaN."""
    with pytest.raises(ValueError, match="Input X contains NaN") as error:
        learn(pd.DataFrame(with_holes(), columns=NAMES))
    text = str(error.value)
    assert "3 values in 3 of 30 rows, the first is row 3, counted from 0" in text
    assert "columns 'income', 'zip'" in text
    assert "SimpleImputer(add_indicator=True)" in text
    assert "HistGradientBoosting" not in text


X_NAMED = pd.DataFrame(X, columns=NAMES)


@pytest.mark.parametrize(
    "kind", [np.asarray, np.ndarray.tolist, sp.csr_array, sp.csc_matrix, np.float32]
)
def test_columns_without_names_are_told_by_their_place(kind: Any) -> None:
    with pytest.raises(ValueError, match=r"3 values in 3 of 30 rows.*; columns 1, 2\."):
        SVC().fit(kind(with_holes()), Y)


def test_missing_whole_numbers_of_pandas_are_told_too() -> None:
    frame = X_NAMED.assign(zip=pd.array([1, None, 3] * 10, dtype="Int64"))
    with pytest.raises(ValueError, match=r"10 values in 10 of 30 rows.*column 'zip'"):
        SVC().fit(frame, Y)


def test_targets_and_weights_are_told_by_their_rows() -> None:
    y = X[:, 1].copy()
    y[4] = np.nan
    with pytest.raises(
        ValueError, match=r"Input y contains NaN: 1 value in 1 of 30 rows, .* row 4"
    ):
        SVR().fit(X, y)
    with pytest.raises(ValueError, match=r"Input sample_weight contains NaN: 1 value .* row 4"):
        SVC().fit(X, Y, sample_weight=y)


def test_infinity_is_not_imputed() -> None:
    rows = X.copy()
    rows[5, 2] = -np.inf
    with pytest.raises(
        ValueError, match=r"Input X contains infinity: 1 value .* column 2"
    ) as error:
        SVC().fit(rows, Y)
    assert "SimpleImputer" not in str(error.value)


@settings(deadline=None, max_examples=50)
@given(st.sets(st.tuples(st.integers(0, 9), st.integers(0, 2)), max_size=12))
def test_what_is_told_is_what_is_there(holes: set[tuple[int, int]]) -> None:
    rows = np.zeros((10, 3))
    for place in holes:
        rows[place] = np.nan
    told = not_finite("X", rows)
    if not holes:
        assert told is None
        return
    found = re.search(r"(\d+) values? in (\d+) of 10 rows, the first is row (\d+)", told or "")
    assert found is not None
    by_row = {row for row, _ in holes}
    assert [int(own) for own in found.groups()] == [len(holes), len(by_row), min(by_row)]


@pytest.mark.parametrize(
    "labels",
    [
        lambda y: np.where(np.arange(30) == 5, None, y.astype(object)),
        lambda y: np.where(np.arange(30) == 5, np.nan, y.astype(object)),
        lambda y: pd.Series(y, dtype="string").mask(np.arange(30) == 5),
        lambda y: pd.Series(y, dtype="category").mask(np.arange(30) == 5),
    ],
)
@pytest.mark.parametrize("machine", [SVC(), RLSC(), OnlineSVC(), ConformalSVC(SVC(), kind="split")])
def test_missing_labels_among_texts_are_told_with_their_rows(machine: Any, labels: Any) -> None:
    """Python's own errors came through: "'<' not supported", "boolean value of NA is ambiguous"."""
    with pytest.raises(ValueError, match=r"missing values: 1 of 30, the first in row 5, counted"):
        machine.fit(X, labels(Y))


@pytest.mark.parametrize(
    "machine",
    [ConformalSVC(SVC(), kind="cross", cv=3), ConformalSVC(SVC(), kind="split"),
     ConformalSVC(SVC()), ConformalSVR(SVR(), kind="cv+", cv=3),
     ChunkedEnsemble(RLSC(), n_chunks=2), CodeClassifier(SVC())],
)  # fmt: skip
def test_machines_around_machines_count_all_rows(machine: Any) -> None:
    """Rows were counted within a fold: "1 value in 1 of 20 rows, the first is row 5"."""
    y = X[:, 1] if isinstance(machine, ConformalSVR) else Y
    with pytest.raises(
        ValueError, match=r"Input X .* 3 values in 3 of 30 rows, the first is row 3"
    ):
        machine.fit(with_holes(), y)
    numbers = np.where(np.arange(30) == 7, np.nan, X[:, 0] > 0)
    with pytest.raises(
        ValueError, match=r"Input y contains NaN: 1 value in 1 of 30 rows, .* row 7"
    ):
        machine.fit(X, numbers)


def test_features_of_low_rank_tell_where_values_are_missing() -> None:
    with pytest.raises(ValueError, match="3 values in 3 of 30 rows"):
        LowRank().fit(with_holes())
