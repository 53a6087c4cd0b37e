"""One model, the same answers from the command line and in Python."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from mercer import SVC, CodeClassifier, TunedSVC
from mercer.io import load, save

NUMBERS = ["sepal length", "sepal width"]
EARLIER = Path(__file__).parents[1] / "io" / "earlier" / "command.mercer"


def predictions(result):
    return list(pd.read_csv(StringIO(result.stdout)).prediction.astype(str))


def answers(model, rows):
    return [str(label) for label in model.predict(rows)]


@pytest.fixture
def table(iris):
    """Categories of every kind."""
    rng = np.random.default_rng(1)
    return iris.assign(
        zone=rng.integers(1, 4, 150), size=rng.choice([0.5, 1.0, 1.5], 150), grade=iris.wet * 1.0
    )


@pytest.mark.parametrize("command", [("fit", "--cv", 0), ("tune", "--max-time", 2, "--cv", 2)])
def test_a_model_of_booleans_and_categories_predicts_the_same_in_python(mercer, table, command):
    """It raised "previously unseen labels: np.True_" and "ufunc 'isnan' not supported"."""
    table.to_csv("t.csv", index=False)
    chosen = [item for name in ("zone", "size", "grade") for item in ("--category", name)]
    mercer(*command, "t.csv", "--target", "species", *chosen)
    expected = predictions(mercer("predict", "t.csv.mercer", "t.csv"))
    model, read = load("t.csv.mercer"), pd.read_csv("t.csv")
    assert answers(model, read) == expected
    assert answers(model, table) == expected
    assert answers(model, read.astype({"colour": "category", "zone": float})) == expected
    read.astype({"zone": str, "wet": str, "grade": int}).to_parquet("t.parquet")
    assert predictions(mercer("predict", "t.csv.mercer", "t.parquet")) == expected


def test_rows_to_test_may_spell_their_categories_in_another_way(mercer, table):
    table[:100].to_csv("t.csv", index=False)
    other = table[100:].astype({"zone": str})
    other.loc[100, "zone"] = "elsewhere"
    other.to_csv("other.csv", index=False)
    options = ("--target", "species", "--category", "zone", "--max-time", 1, "--cv", 2)
    mercer("tune", "t.csv", *options, "--test", "other.csv")


PIPELINES = {
    "categories": make_column_transformer((OneHotEncoder(), ["colour", "wet"])),
    "all kinds": make_column_transformer(
        (StandardScaler(), NUMBERS), (OneHotEncoder(), ["colour"]), (OrdinalEncoder(), ["zone"])
    ),
    "the rest": make_column_transformer(
        (OneHotEncoder(), ["colour"]), ("drop", ["species"]), remainder="passthrough"
    ),
    "by kind": make_column_transformer(
        (StandardScaler(), make_column_selector(dtype_include=float)),
        (OneHotEncoder(handle_unknown="ignore"), ["zone", "wet"]),
    ),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_a_pipeline_of_columns_predicts_the_same_on_the_command_line(mercer, table, name):
    """It failed with "column 'city' must hold finite numbers"."""
    table.to_csv("t.csv", index=False)
    pipeline = make_pipeline(PIPELINES[name], SVC()).fit(table, table.species)
    save(pipeline, "m.mercer")
    assert predictions(mercer("predict", "m.mercer", "t.csv")) == answers(pipeline, table)
    output = mercer("info", "m.mercer").output
    assert "ColumnTransformer(" in output
    assert "str)" not in output


def test_columns_that_a_model_drops_may_be_absent(mercer, table):
    pipeline = make_pipeline(PIPELINES["all kinds"], SVC()).fit(table, table.species)
    save(pipeline, "m.mercer")
    table.drop(columns=["species", "size", "wet"]).to_csv("t.csv", index=False)
    assert predictions(mercer("predict", "m.mercer", "t.csv")) == answers(pipeline, table)
    table.drop(columns="colour").to_csv("t.csv", index=False)
    text = mercer("predict", "m.mercer", "t.csv", code=1).stderr
    assert "column 'colour' is missing" in text


def test_missing_values_are_for_models_that_fill_them_in(mercer, table):
    table.loc[3, NUMBERS[0]], table.loc[5, "colour"] = np.nan, None
    filled = make_column_transformer(
        (make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()), NUMBERS),
        (make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()), ["colour"]),
        (OneHotEncoder(), ["colour"]),
    )
    table = table.astype({"colour": object}).replace({"colour": {np.nan: None}})
    whole = make_column_transformer((StandardScaler(), NUMBERS), (OneHotEncoder(), ["wet"]))
    table.to_csv("t.csv", index=False)
    kept = table.fillna({NUMBERS[0]: 0.0})
    save(make_pipeline(whole, SVC()).fit(kept, kept.species), "whole.mercer")
    text = mercer("predict", "whole.mercer", "t.csv", code=1).stderr
    assert f"values are missing in '{NUMBERS[0]}' (1 of 150: row 3)" in text
    pipeline = make_pipeline(filled, SVC()).fit(table, table.species)
    save(pipeline, "filled.mercer")
    # the file has lost whether a gap was None
    read = pd.read_csv("t.csv").astype({"colour": object}).replace({"colour": {np.nan: None}})
    assert predictions(mercer("predict", "filled.mercer", "t.csv")) == answers(pipeline, read)


def test_categories_that_a_model_refuses_are_named(mercer, table):
    save(make_pipeline(PIPELINES["all kinds"], SVC()).fit(table, table.species), "m.mercer")
    table.loc[:1, "colour"] = "violet"
    table.to_csv("t.csv", index=False)
    text = mercer("predict", "m.mercer", "t.csv", code=1).stderr
    assert "column 'colour' holds categories the model has not seen in 2 of 150 rows" in text
    assert "it knows 'blue', 'green', 'red' and refuses others" in text


def test_numbers_that_a_model_has_not_seen_are_no_category(mercer, table):
    pipeline = make_pipeline(PIPELINES["by kind"], SVC()).fit(table, table.species)
    save(pipeline, "m.mercer")
    other = table.assign(zone=table.zone.replace({3: 9}))
    other.to_csv("t.csv", index=False)
    result = mercer("predict", "m.mercer", "t.csv")
    assert predictions(result) == answers(pipeline, other)
    assert "column 'zone' holds categories the model has not seen" in result.stderr
    words = other.assign(zone=other.zone.replace({9: -1}).map(str).replace({"-1": "none"}))
    words.to_csv("t.csv", index=False)
    assert predictions(mercer("predict", "m.mercer", "t.csv")) == answers(pipeline, other)


@pytest.mark.parametrize(
    "model",
    [
        CalibratedClassifierCV(make_pipeline(PIPELINES["all kinds"], SVC()), cv=2),
        CodeClassifier(make_pipeline(PIPELINES["all kinds"], SVC())),
        make_pipeline(PIPELINES["all kinds"], TunedSVC(max_evals=2, cv=2)),
        make_pipeline(PIPELINES["all kinds"], CalibratedClassifierCV(SVC(), cv=2)),
    ],
    ids=["calibrated", "code", "tuned", "calibrated inside"],
)
@pytest.mark.filterwarnings("ignore")
def test_machines_inside_others_predict_the_same(mercer, table, model):
    table.to_csv("t.csv", index=False)
    save(model.fit(table, table.species), "m.mercer")
    result = mercer("predict", "m.mercer", "t.csv")
    assert predictions(result) == answers(model, table)
    if not hasattr(model, "decision_function"):
        shown = pd.read_csv(StringIO(result.stdout))[[f"probability {c}" for c in model.classes_]]
        np.testing.assert_allclose(shown, model.predict_proba(table), atol=1e-9)
    output = mercer("info", "m.mercer").output
    assert "SVC with C" in output
    assert "3 classes: setosa" in output


def test_a_model_of_arrays_reads_columns_by_their_place(mercer, table):
    kept = table[[*NUMBERS, "colour", "zone"]]
    columns = make_column_transformer((StandardScaler(), [0, 1]), (OneHotEncoder(), [2, 3]))
    pipeline = make_pipeline(columns, SVC()).fit(kept.to_numpy(), table.species)
    save(pipeline, "m.mercer")
    kept.to_csv("t.csv", index=False)
    assert predictions(mercer("predict", "m.mercer", "t.csv")) == answers(pipeline, kept.to_numpy())


@pytest.mark.filterwarnings("ignore")
def test_models_of_earlier_versions_predict_as_they_did(mercer, tmp_path):
    from mercer.io import read_metadata

    known = read_metadata(EARLIER)
    pd.DataFrame(known["rows"], columns=known["names"]).to_csv("t.csv", index=False)
    shown = pd.read_csv(StringIO(mercer("predict", EARLIER, "t.csv").stdout))
    np.testing.assert_allclose(shown.decision, known["values"], atol=1e-9)
