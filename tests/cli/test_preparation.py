"""A first real table works at once, and says what became of each column."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mercer.io import load, read_metadata


@pytest.fixture
def churn() -> pd.DataFrame:
    """What real tables hold: gaps, dates, ids, constants, yes and no, free text."""
    rng = np.random.default_rng(0)
    n = 160
    age = rng.normal(40, 10, n).round()
    words = rng.choice(["late parcel", "good price", "never again", "very happy"], n)
    return pd.DataFrame(
        {
            "id": [f"C{k:05}" for k in range(n)],
            "row": np.arange(n),
            "age": np.where(rng.random(n) < 0.1, np.nan, age),
            "signup": pd.date_range("2020-01-01", periods=n, freq="9D").strftime("%d.%m.%Y"),
            "plan": rng.choice(["basic", "gold", None], n, p=[0.5, 0.4, 0.1]),
            "paid": rng.choice(["yes", "no"], n),
            "active": rng.random(n) > 0.5,
            "country": "CH",
            "empty": np.nan,
            "comment": [f"{word} number {k}" for k, word in enumerate(words)],
            "churn": np.where(age + rng.normal(0, 3, n) > 40, "yes", "no"),
        }
    )


def words(result) -> str:
    return " ".join(result.output.replace("│", " ").split())


def test_a_first_real_table_works_at_once(mercer, churn):
    churn.to_csv("churn.csv", index=False)
    said = words(mercer("tune", "churn.csv", "--target", "churn", "--cv", 3))
    for told in (
        "id left out unique (--keep id)",
        "row left out unique (--keep row)",
        "missing: median and an indicator",
        "signup date days, month (read as %d.%m.%Y)",
        "missing: a category of their own",
        "country left out constant, 'CH' (--keep country)",
        "empty left out empty",
        "comment left out unique; --text comment takes its words",
        "1 numeric feature, 3 categorical features and 1 date",
    ):
        assert told in said
    shown = words(mercer("info", "churn.csv.mercer"))
    assert "DateFeatures > SimpleImputer > StandardScaler" in shown
    assert "signup date days, month (read as %d.%m.%Y)" in shown


@pytest.mark.parametrize("options", [(), ("--text", "comment", "--keep", "id")])
def test_python_gives_the_same_answers(mercer, churn, options):
    churn.to_csv("churn.csv", index=False)
    mercer("fit", "churn.csv", "--target", "churn", "--cv", 0, *options)
    new = churn.drop(columns="churn").iloc[::-1]
    new.iloc[0, [2, 3, 4]] = np.nan
    new.to_csv("new.csv", index=False)
    result = mercer("predict", "churn.csv.mercer", "new.csv")
    assert "missing values of 'age'" in result.stderr
    lines = [line.split(",") for line in result.stdout.splitlines()[1:]]
    model = load("churn.csv.mercer")
    frame = pd.read_csv("new.csv")
    assert [line[0] for line in lines] == model.predict(frame).tolist()
    values = [float(line[1]) for line in lines]
    np.testing.assert_array_equal(values, model.decision_function(frame))


def test_missing_values_may_be_dropped_or_refused(mercer, churn):
    churn = churn.drop(columns=["empty"])
    churn.to_csv("churn.csv", index=False)
    options = ("fit", "churn.csv", "--target", "churn", "--cv", 0, "--force")
    mercer(*options, "--missing", "drop")
    complete = int(churn.notna().all(axis=1).sum())
    assert read_metadata("churn.csv.mercer")["n_rows"] == complete
    assert "values are missing in 'age'" in mercer(*options, "--missing", "error", code=1).stderr
    assert "exclude" in mercer(*options, "--impute", "--missing", "drop", code=1).stderr
    mercer(*options, "--impute")
    assert read_metadata("churn.csv.mercer")["n_rows"] == len(churn)


def test_rows_without_a_target_are_left_out_and_said(mercer, churn):
    churn.loc[[3, 8], "churn"] = None
    churn.to_csv("churn.csv", index=False)
    said = words(mercer("fit", "churn.csv", "--target", "churn", "--cv", 0))
    assert "2 rows without a target left out: rows 3, 8, counted from 0" in said


def test_columns_overrules_what_was_decided(mercer, churn):
    churn.assign(zone=churn.index % 5).to_csv("churn.csv", index=False)
    mercer(
        "fit", "churn.csv", "--target", "churn", "--cv", 0,
        "--columns", "zone=category,signup=drop,id=category", "--columns", "comment=text",
    )  # fmt: skip
    columns = read_metadata("churn.csv.mercer")["columns"]
    assert {"zone", "id"} <= set(columns["categories"])
    assert columns["texts"] == ["comment"]
    assert columns["dates"] == []
    for bad, told in (("zone=tree", "a kind among number, category"), ("z=drop", "no column 'z'")):
        text = mercer(
            "fit", "churn.csv", "--target", "churn", "--columns", bad, "--force", code=1
        ).stderr
        assert told in " ".join(text.split())


def test_all_problems_are_told_at_once(mercer, churn):
    churn["age"] = churn["age"].astype(object)
    churn.loc[4, "age"] = "old"
    churn["signup"] = churn["signup"].where(churn.index != 7, "soon")
    churn["size"] = np.where(churn.index == 2, np.inf, churn.index / 7)
    churn["churn"] = "yes"
    churn.to_csv("churn.csv", index=False)
    text = mercer("fit", "churn.csv", "--target", "churn", code=1).stderr
    for told in (
        "there are 4 problems",
        "the target 'churn' is constant",
        "'age' mixes numbers and texts: 1 of its",
        "e.g. 'old', row 4",
        "'signup' holds dates, but 1 of its 160 values are none, e.g. 'soon', row 7",
        "'size' must hold finite numbers, 1 of its values are not, e.g. inf, row 2",
    ):
        assert told in " ".join(text.split())
    assert not Path("churn.csv.mercer").exists()


def test_question_marks_among_numbers_are_missing_values(mercer, churn):
    churn["age"] = churn["age"].astype(object).where(churn["age"].notna(), "?")
    churn.to_csv("churn.csv", index=False)
    said = words(mercer("fit", "churn.csv", "--target", "churn", "--cv", 0))
    assert "age number" in said
    mercer("predict", "churn.csv.mercer", "churn.csv", "--out", "p.csv")


def test_nothing_left_to_learn_from(mercer):
    pd.DataFrame({"a": [1] * 30, "b": range(30), "y": [0, 1] * 15}).to_csv("t.csv", index=False)
    text = mercer("fit", "t.csv", code=1).stderr
    assert "no columns to learn from: 'a': constant, 1 (--keep a); 'b': unique" in text
    mercer("fit", "t.csv", "--keep", "b", "--cv", 0)


def test_numbers_that_differ_are_no_ids(mercer):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.permutation(50) * 3, "id": rng.permutation(50) * 7})
    frame.assign(y=[0, 1] * 25).to_csv("t.csv", index=False)
    mercer("fit", "t.csv", "--cv", 0)
    assert read_metadata("t.csv.mercer")["columns"]["numbers"] == ["size"]
