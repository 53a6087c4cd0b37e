"""``mercer convert``, and what ``mercer info`` says of its files."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from mercer import SVC
from mercer.io import load, load_libsvm, read_metadata, save

X, Y = load_iris(return_X_y=True)


@pytest.fixture
def model() -> str:
    save(SVC().fit(X, Y), "model.mercer", metadata={"note": "mine"})
    return "model.mercer"


def test_a_model_goes_to_text_and_back(mercer, model):
    assert "SVC of model.mercer written to m.libsvm" in mercer("convert", model, "m.libsvm").stdout
    mercer("convert", "m.libsvm", "back.mercer")
    np.testing.assert_allclose(
        load("back.mercer").decision_function(X), load(model).decision_function(X), atol=1e-12
    )
    np.testing.assert_array_equal(load_libsvm("m.libsvm").predict(X), load(model).predict(X))
    assert "LIBSVM text" in mercer("info", "m.libsvm").stdout
    mercer("convert", model, "copy.mercer")
    assert read_metadata("copy.mercer")["note"] == "mine"


def test_a_model_of_the_command_line_becomes_c(mercer, iris_csv):
    mercer("fit", iris_csv, "--target", "species", "--cv", 3)
    mercer("convert", "iris.csv.mercer", "model.c")
    mercer("convert", "iris.csv.mercer", "single.c", "--precision", "single")
    told = mercer("info", "model.c").stdout
    assert 'colour 0 = "blue", 1 = "green", 2 = "red"' in told
    if compiler := shutil.which("cc"):
        command = [compiler, "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-c"]
        subprocess.run([*command, "model.c", "single.c"], check=True)


def test_a_model_of_the_command_line_becomes_onnx(mercer, iris_csv, iris):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    mercer("fit", iris_csv, "--target", "species", "--cv", 3)
    mercer("convert", "iris.csv.mercer", "model.onnx")
    told = mercer("info", "model.onnx").stdout
    assert "colour: string" in told
    assert "ai.onnx 17" in told
    session = runtime.InferenceSession("model.onnx")
    estimator = load("iris.csv.mercer")
    rows = iris[list(estimator.feature_names_in_)]
    feed = {
        own.name: rows[[own.name]].to_numpy(dtype=object if "string" in own.type else float)
        for own in session.get_inputs()
    }
    label, decision = session.run(None, feed)
    assert list(label) == list(estimator.predict(rows))
    np.testing.assert_allclose(decision, estimator.decision_function(rows), atol=1e-12)


def test_what_cannot_be_converted_is_said(mercer, model):
    for out, words in (("m.xyz", "ending must be one of"), ("m", "ending must be one of")):
        assert words in mercer("convert", model, out, code=1).stderr
    mercer("convert", model, "m.c")
    assert "exists" in mercer("convert", model, "m.c", code=1).stderr
    mercer("convert", model, "m.c", "--force")
    assert "cannot be read back" in mercer("convert", "m.c", "n.mercer", code=1).stderr
    assert (
        "single is for"
        in mercer("convert", model, "n.mercer", "--precision", "single", code=1).stderr
    )
    assert "a file to read" in mercer("convert", model, model, "--force", code=1).stderr


@pytest.fixture
def people(iris) -> str:
    """Booleans with gaps, texts with gaps, and dates."""
    wet = iris["wet"].astype(object)
    wet[::7] = None
    colour = iris["colour"].copy()
    colour[::5] = None
    days = pd.date_range("2020-01-01", periods=150, freq="17D").strftime("%Y-%m-%d")
    iris.assign(wet=wet, colour=colour, signup=days).to_csv("people.csv", index=False)
    return "people.csv"


def test_booleans_with_gaps_can_be_converted(mercer, people):
    mercer("fit", people, "--target", "species", "--cv", 0, "--ignore", "signup", "-q")
    mercer("convert", "people.csv.mercer", "m.c")
    told = " ".join(Path("m.c").read_text().split())
    assert 'wet 0 = "False", 1 = "True", 2 = missing' in told
    assert 'colour 0 = "blue", 1 = "green", 2 = "red", 3 = missing' in told


def test_booleans_with_gaps_say_the_same_in_onnx(mercer, people):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    mercer("fit", people, "--target", "species", "--cv", 0, "--ignore", "signup", "-q")
    mercer("convert", "people.csv.mercer", "m.onnx")
    estimator = load("people.csv.mercer")
    rows = pd.read_csv(people)[list(estimator.feature_names_in_)]
    session = runtime.InferenceSession("m.onnx")
    feed = {
        own.name: (
            np.array([["" if pd.isna(v) else str(v)] for v in rows[own.name]], dtype=object)
            if "string" in own.type
            else rows[[own.name]].to_numpy(dtype=float)
        )
        for own in session.get_inputs()
    }
    _, decision = session.run(None, feed)
    np.testing.assert_allclose(decision, estimator.decision_function(rows), atol=1e-10)


def test_a_refusal_to_convert_names_the_column_and_the_remedy(mercer, people):
    mercer("fit", people, "--target", "species", "--cv", 0, "-q")
    text = mercer("convert", "people.csv.mercer", "m.c", code=1).stderr
    assert "column 'signup': DateFeatures cannot be exported" in " ".join(text.split())
    assert "--columns signup=drop" in " ".join(text.split())


def test_numbers_with_gaps_that_are_categories_say_the_same_everywhere(mercer):
    rng = np.random.default_rng(0)
    zone = rng.choice([1.0, 2.0, 7.0], 90)
    zone[::9] = np.nan
    frame = pd.DataFrame({"x": rng.normal(size=90), "zone": zone, "code": rng.choice([1.5, 3], 90)})
    frame["y"] = np.where(frame["x"] + (zone == 7.0) > 0.3, "yes", "no")
    frame["zone"] = frame["zone"].astype("Int64")  # whole numbers in the file
    frame.to_csv("rows.csv", index=False)
    frame.to_parquet("rows.parquet")
    options = ("--target", "y", "--category", "zone", "--category", "code", "--cv", 0, "-q")
    mercer("fit", "rows.csv", *options)
    said = [
        mercer("predict", "rows.csv.mercer", own).stdout for own in ("rows.csv", "rows.parquet")
    ]
    assert said[0] == said[1]
    decision = pd.read_csv(StringIO(said[0]))["decision"].to_numpy()
    estimator = load("rows.csv.mercer")
    rows = pd.read_csv("rows.csv")[list(estimator.feature_names_in_)]
    np.testing.assert_allclose(estimator.decision_function(rows), decision, atol=1e-14)
    mercer("convert", "rows.csv.mercer", "m.onnx")
    session = pytest.importorskip("onnxruntime").InferenceSession("m.onnx")
    found = session.run(None, {"X": rows.to_numpy(float)})[1]
    np.testing.assert_allclose(np.ravel(found), decision, atol=1e-12)
    mercer("convert", "rows.csv.mercer", "m.c")
    if compiler := shutil.which("cc"):
        subprocess.run([compiler, "-shared", "-fPIC", "-o", "m.so", "m.c", "-lm"], check=True)
        values = np.empty((len(rows), 1))
        call = ctypes.CDLL("./m.so").decision_function
        for k, row in enumerate(np.ascontiguousarray(rows.to_numpy(float))):
            call(row.ctypes.data_as(ctypes.c_void_p), values[k].ctypes.data_as(ctypes.c_void_p))
        np.testing.assert_allclose(values[:, 0], decision, atol=1e-12)
