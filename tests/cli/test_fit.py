"""``mercer fit``: what it says and what it saves."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file, load_diabetes

from mercer.datasets import load_example
from mercer.io import load, read_metadata


def test_without_a_file_it_trains_on_breast_cancer(mercer):
    output = mercer("fit").output
    for words in (
        "569 rows, 30 numeric features",
        "2 classes: -1 (212), 1 (357)",
        "converged",
        "KKT violation",
        "dual objective",
        "relative gap",
        "iterations",
        "kernel evaluations",
        "accuracy     97.",
        "5-fold cross-validation",
        "support vectors",
        "mercer predict breast-cancer.mercer",
    ):
        assert words in output
    X, y, names = load_example()
    model = load("breast-cancer.mercer")
    assert model.score(pd.DataFrame(X, columns=names), y) > 0.97
    assert os.listdir() == ["breast-cancer.mercer"]


def test_the_certificate_shown_is_the_one_saved(mercer):
    output = mercer("fit", "--cv", 0).output
    machine = load("breast-cancer.mercer")[-1]
    assert f"{machine.objective_:.10g}" in output
    assert f"{machine.violation_:.2e}" in output
    assert f"{len(machine.support_)} support vectors" in output
    assert "cross-validation" not in output


def test_categories_and_numbers(mercer, iris, iris_csv):
    output = mercer("fit", iris_csv, "--target", "species", "--out", "m.mercer").output
    assert "4 numeric features and 2 categorical features" in output
    assert "3 classes: setosa (50), versicolor (50), virginica (50)" in output
    assert "3 pairs of classes" in output
    metadata = read_metadata("m.mercer")
    assert metadata["columns"]["categories"] == ["colour", "wet"]
    assert metadata["target"] == "species"
    assert len(metadata["scores"]["values"]) == 5
    assert np.mean(metadata["scores"]["values"]) > 0.9


def test_regression_scales_the_target(mercer):
    frame = load_diabetes(as_frame=True).frame
    frame.assign(target=1e6 * frame.target).to_csv("big.csv", index=False)
    frame.to_csv("small.csv", index=False)
    for name in ("big", "small"):
        output = mercer("fit", f"{name}.csv").output
        assert "mercer fit: regression" in output
        assert "R2           0.4" in output
    scores = [read_metadata(f"{name}.csv.mercer")["scores"]["values"] for name in ("big", "small")]
    np.testing.assert_allclose(*scores, atol=1e-6)


def test_outliers_need_no_target(mercer, iris_csv):
    output = mercer("fit", iris_csv, "--task", "outliers", "--ignore", "species").output
    assert "fraction flagged" in output
    assert "OneClassSVM with nu = 0.05" in output
    assert read_metadata("iris.csv.mercer")["target"] is None


def test_libsvm_text(mercer, iris):
    y = pd.factorize(iris.species)[0]
    rows = iris.iloc[:, :4].to_numpy()
    for first, name in ((1, "one.svm"), (0, "zero.txt")):
        dump_svmlight_file(rows, y, name, zero_based=first == 0)
        output = mercer("fit", name).output
        assert "4 sparse features" in output
        assert "3 classes: 0 (50), 1 (50), 2 (50)" in output
    one, zero = load("one.svm.mercer"), load("zero.txt.mercer")
    assert one[-1].objective_ == zero[-1].objective_


def test_parquet_with_categories_of_every_kind(mercer, iris):
    iris.assign(
        colour=iris.colour.astype("category"),
        wet=iris.wet.astype("boolean"),
        **{"sepal length": (10 * iris["sepal length"]).astype("Int32")},
    ).to_parquet("iris.parquet")
    output = mercer("fit", "iris.parquet", "--target", "species").output
    assert "4 numeric features and 2 categorical features" in output


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"sep": ","}, "4 numeric"),
        ({"sep": ";"}, "4 numeric"),
        ({"sep": "\t"}, "4 numeric"),
        ({"sep": "|"}, "4 numeric"),
        ({"sep": ";", "decimal": ","}, "4 numeric"),
        ({"encoding": "utf-8-sig"}, "4 numeric"),
        ({"lineterminator": "\r\n"}, "4 numeric"),
    ],
)
def test_dialects_of_csv(mercer, iris, options, expected):
    iris.to_csv("data.csv", index=False, **options)
    assert expected in mercer("fit", "data.csv", "--target", "species", "--cv", 0).output


@pytest.mark.parametrize(
    "text",
    [
        "a, b, y\n" + " 1, x, no\n 2, z, yes\n" * 5,
        '"a","b","y"\n' + '1,"x, or; y",no\n2,"z",yes\n' * 5,
        "\n\na;b;y\n" + "1;x,1,2;no\n2;z,3,4;yes\n" * 5,
        "a|b|y\r\n" + '1|"x;;"|no\r\n2|z|yes\r\n' * 5,
    ],
)
def test_delimiters_inside_texts(mercer, text):
    Path("data.csv").write_bytes(text.encode())
    output = mercer("fit", "data.csv", "--cv", 0).output
    assert "10 rows, 1 numeric feature and 1 categorical feature" in output
    assert "2 classes: no (5), yes (5)" in output


def test_options_reach_the_machine(mercer, iris_csv):
    options = "--kernel poly --C 3.5 --gamma 0.2 --degree 2 --coef0 1 --tol 1e-5 --max-time 9"
    options += " --precision double --threads 1 --solver smo --no-scale --cv 2 --seed 5"
    mercer("fit", iris_csv, "--target", "species", *options.split())
    model = load("iris.csv.mercer")
    parameters = model[-1].get_params()
    expected = {
        "kernel": "poly",
        "C": 3.5,
        "gamma": 0.2,
        "degree": 2,
        "coef0": 1.0,
        "tol": 1e-5,
        "max_time": 9.0,
        "precision": "double",
        "n_threads": 1,
        "solver": "smo",
    }
    assert {name: parameters[name] for name in expected} == expected
    scaler = model[0].transformers_[0][1][-1]
    assert not scaler.with_mean
    assert not scaler.with_std
    assert len(read_metadata("iris.csv.mercer")["scores"]["values"]) == 2


def test_numbers_may_be_categories(mercer, iris):
    frame = iris.assign(zone=np.tile([10, 20, 30], 50))
    frame.to_csv("data.csv", index=False)
    output = mercer("fit", "data.csv", "--target", "species", "--category", "zone").output
    assert "4 numeric features and 3 categorical features" in output
    expected = mercer("predict", "data.csv.mercer", "data.csv").stdout
    frame.assign(zone=frame.zone.astype(float)).to_parquet("data.parquet")
    assert mercer("predict", "data.csv.mercer", "data.parquet").stdout == expected


def test_quiet_says_nothing(mercer, iris_csv):
    assert mercer("fit", iris_csv, "--target", "species", "--quiet").output == ""
    assert os.path.exists("iris.csv.mercer")


def test_the_same_command_gives_the_same_scores(mercer, iris_csv):
    first = mercer("fit", iris_csv, "--target", "species", "--out", "a.mercer").output
    second = mercer("fit", iris_csv, "--target", "species", "--out", "b.mercer").output
    line = next(line for line in first.splitlines() if "accuracy" in line)
    assert line in second


def test_a_class_of_one_row_goes_without_cross_validation(mercer, iris):
    iris.iloc[:101].to_csv("data.csv", index=False)
    output = mercer("fit", "data.csv", "--target", "species").output
    assert "no cross-validation: there are too few rows, or too few of a class" in output


def test_a_small_class_has_fewer_folds(mercer, iris):
    iris.iloc[:103].to_csv("data.csv", index=False)
    output = mercer("fit", "data.csv", "--target", "species").output
    assert "3 folds instead of 5" in output


def test_a_run_out_of_time_says_so(mercer):
    output = mercer("fit", "--max-time", "1e-9", "--cv", 0, code=2).output
    assert "max-time" in output
    assert "The best iterate is kept" in " ".join(output.replace("│", " ").split())


def test_a_model_is_replaced_by_force(mercer, iris_csv):
    for C in (1, 2):
        mercer("fit", iris_csv, "--target", "species", "--C", C, "--cv", 0, "--force")
    assert load("iris.csv.mercer")[-1].C == 2


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (["a", "b"] * 75, "classification"),
        ([True, False] * 75, "classification"),
        ([1, 2, 3] * 50, "classification"),
        ([1.0, 2.0, 3.0] * 50, "classification"),
        (list(range(150)), "regression"),
        (np.linspace(0, 1, 150), "regression"),
        ([0.5, 1.5] * 75, "regression"),
        (list(range(30)) * 5, "regression"),
    ],
)
def test_the_task_follows_from_the_target(mercer, iris, values, task):
    iris.assign(y=values).drop(columns="species").to_csv("data.csv", index=False)
    assert f"mercer fit: {task}" in mercer("fit", "data.csv", "--cv", 0).output


def test_names_with_brackets_are_shown_as_they_are(mercer, iris):
    iris.assign(species="[red]" + iris.species).to_csv("[bold].csv", index=False)
    output = mercer("fit", "[bold].csv", "--target", "species", "--cv", 0).output
    assert "[bold].csv" in output
    assert "[red]setosa (50)" in output


def test_different_files_are_different_models(mercer, iris):
    os.mkdir("folder")
    iris.to_csv("folder/data.csv", index=False)
    iris.to_csv("data.csv", index=False)
    iris.to_parquet("data.parquet")
    for name in ("data.csv", "data.parquet", "folder/data.csv"):
        output = mercer("fit", name, "--target", "species", "--cv", 0).output
        assert f"saved as {name}.mercer" in output
        assert os.path.exists(f"{name}.mercer")
