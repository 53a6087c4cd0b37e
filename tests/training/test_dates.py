"""Dates are refused where numbers are needed, by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from mercer import SVC, SVR, TunedSVC

DAYS = pd.date_range("2020-01-01", periods=10)
FRAME = pd.DataFrame({"a": np.arange(10.0), "day": DAYS})
LABELS = np.arange(10) % 2


@pytest.mark.parametrize("machine", [SVC(), SVR(), TunedSVC(cv=2)], ids=lambda m: type(m).__name__)
@pytest.mark.parametrize(
    "rows", [FRAME, FRAME[["day"]], pl.DataFrame({"a": np.arange(10.0), "day": list(DAYS)})]
)
def test_a_column_of_dates_is_named(machine: Any, rows: Any) -> None:
    with pytest.raises(TypeError, match=r"got dates in columns \['day'\].*DateFeatures"):
        machine.fit(rows, LABELS)


def test_dates_are_not_taken_for_their_nanoseconds() -> None:
    with pytest.raises(TypeError, match="X must hold numbers, got dates"):
        SVC().fit(DAYS.to_numpy()[:, None], LABELS)
    machine = SVC().fit(FRAME[["a"]], LABELS)
    with pytest.raises(TypeError, match=r"got dates in columns \['a'\]"):
        machine.predict(FRAME[["day"]].rename(columns={"day": "a"}))


def test_labels_may_be_dates() -> None:
    assert SVC().fit(FRAME[["a"]], DAYS[LABELS]).classes_.dtype.kind == "M"


def test_texts_are_named_with_what_makes_numbers_of_them() -> None:
    with pytest.raises(ValueError, match=r"columns \['plan'\].*OneHotEncoder or mercer.tables"):
        SVC().fit(FRAME[["a"]].assign(plan="basic"), LABELS)
