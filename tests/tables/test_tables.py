"""Dates and texts as numbers."""

from __future__ import annotations

from datetime import UTC, date, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC
from mercer.io import load, save
from mercer.tables import DateFeatures, TextFeatures
from mercer.tables.date_formats import FORMATS, ISO, find_formats

DAYS = [date(2023, 12, 31), date(2024, 2, 29), date(1969, 7, 20)]
EXPECTED = [[(d - date(1970, 1, 1)).days, d.month] for d in DAYS]


@pytest.mark.parametrize("own", [f for f in FORMATS if f not in (ISO, "%Y-%m")])
@pytest.mark.parametrize("clock", ["", " 12:00"])
def test_dates_of_every_format_are_the_same_days(own, clock):
    texts = [[d.strftime(own) + clock] for d in DAYS]
    if "%y" in own:
        texts = texts[:2]  # 69 is 2069 or 1969
    found = DateFeatures().fit_transform(texts)
    expected = np.array(EXPECTED[: len(texts)], dtype=float)
    expected[:, 0] += 0.5 if clock else 0.0
    np.testing.assert_allclose(found, expected)


@given(st.lists(st.datetimes(min_value=datetime(1700, 1, 1)), min_size=1, max_size=5))
def test_texts_and_moments_agree(moments):
    frames = [
        pd.DataFrame({"a": [m.isoformat() for m in moments]}),
        pd.DataFrame({"a": pd.Series(moments, dtype="datetime64[us]")}),
        pd.DataFrame({"a": pd.Series(moments, dtype=object)}),
    ]
    first, *others = (DateFeatures().fit_transform(frame) for frame in frames)
    for other in others:
        np.testing.assert_array_equal(first, other)


def test_missing_dates_and_time_zones():
    cells = [["2024-01-01T12:00:00+12:00"], [None], [np.nan], [datetime(2024, 1, 1, tzinfo=UTC)]]
    days = DateFeatures().fit_transform(np.array(cells, dtype=object))[:, 0]
    assert np.isnan(days[1:3]).all()
    assert days[0] == days[3]
    frame = pd.DataFrame({"a": pd.to_datetime(["2024-01-01T12:00+12:00", None], utc=True)})
    assert DateFeatures().fit_transform(frame)[0, 0] == days[0]


def test_formats_are_told_by_all_dates_and_mixed_ones_are_read():
    assert find_formats(["1/2/2024", "13/2/2024"]) == (["%d/%m/%Y"], [])
    assert find_formats(["1/2/2024", "2/13/2024"]) == (["%m/%d/%Y"], [])
    formats, left = find_formats(["2024-01-01", "1.2.2024", "Jan 5, 2024", "soon"])
    assert set(formats) == {ISO, "%d.%m.%Y", "%b %d, %Y"}
    assert left == ["soon"]


def test_numbers_are_no_dates():
    for text in ("1.5", "20240131", "12", "1e5", "-3.25", "10.5.3.1"):
        assert find_formats([text])[0] == []


def test_what_is_no_date_is_named():
    with pytest.raises(
        ValueError, match=r"column 'a' holds values that are no dates, e\.g\. 'soon'"
    ):
        DateFeatures().fit(pd.DataFrame({"a": ["2024-01-01", "soon"]}))
    fitted = DateFeatures().fit(pd.DataFrame({"a": ["1.2.2024"]}))
    with pytest.raises(ValueError, match=r"'a' must hold dates \(%d.%m.%Y\), got '2024-01-01'"):
        fitted.transform(pd.DataFrame({"a": ["2024-01-01"]}))
    with pytest.raises(ValueError, match="must have 1 columns, got 2"):
        fitted.transform([["1.2.2024", "1.2.2024"]])


def test_words_weigh_what_scikit_learn_says():
    texts = ["red wine", "white wine and red", "beer"]
    found = TextFeatures().fit_transform([[text] for text in texts])
    np.testing.assert_allclose(
        found.toarray(), TfidfVectorizer().fit_transform(texts).toarray(), atol=1e-15
    )
    assert TextFeatures(max_words=2).fit_transform([[text] for text in texts]).shape == (3, 2)


@pytest.mark.parametrize("features", [DateFeatures(), TextFeatures()])
def test_models_with_dates_and_texts_are_saved(tmp_path, features):
    frame = pd.DataFrame({"a": ["2024-01-05", "2023-05-01", "2022-02-01", "2021-01-01"]})
    machine = make_pipeline(clone(features), StandardScaler(with_mean=False), SVC())
    machine.fit(frame, [0, 1, 1, 0])
    save(machine, tmp_path / "m.mercer")
    again = load(tmp_path / "m.mercer")
    np.testing.assert_array_equal(again.decision_function(frame), machine.decision_function(frame))
    names = again[0].get_feature_names_out()
    assert list(names) == list(machine[0].get_feature_names_out())
    assert all(name.startswith("a_") for name in names)


def test_damaged_formats_are_refused(tmp_path):
    fitted = DateFeatures().fit([["2024-01-05"]])
    fitted.formats_ = [["%x"]]
    machine = make_pipeline(fitted, SVC())
    save(machine, tmp_path / "m.mercer")
    with pytest.raises(ValueError, match="formats_ must be among"):
        load(tmp_path / "m.mercer")


def test_columns_without_names_are_numbered_and_names_of_an_earlier_fit_forgotten() -> None:
    cells = [["2.1.1970", "red hat"], ["31.12.1970", "blue hat"]]
    for kind, part, first in (
        (DateFeatures, [[row[0]] for row in cells], "days"),
        (TextFeatures, [[row[1]] for row in cells], "blue"),
    ):
        features = kind().fit(pd.DataFrame(part, columns=["own"]))
        assert features.get_feature_names_out()[0] == f"own_{first}"
        features.fit(part)
        assert features.get_feature_names_out()[0] == f"x0_{first}"
        assert features.get_feature_names_out(["given"])[0] == f"given_{first}"
        with pytest.raises(ValueError, match="must have 1 columns, got 2"):
            features.transform([[own[0], own[0]] for own in part])


def test_times_of_day_before_and_after_noon() -> None:
    texts = ["1/2/1970 12:30 AM", "1/13/1970 12:30 PM", "1/14/1970 6:00 PM"]
    days = DateFeatures().fit_transform([[text] for text in texts])[:, 0]
    np.testing.assert_allclose(days, [1 + 0.5 / 24, 12 + 12.5 / 24, 13.75], atol=1e-9)
