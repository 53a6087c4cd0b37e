"""``mercer tune``: what it chooses, says and saves."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from sklearn.datasets import dump_svmlight_file, load_diabetes
from sklearn.model_selection import train_test_split

from mercer import SVC, SVR, TunedSVC
from mercer.cli.output.progress import Display
from mercer.io import load, read_metadata


def words(output: str) -> str:
    """The text of a panel on one line."""
    return " ".join(re.sub("[│╭╮╰╯─]", " ", output).split())


def test_the_example_is_tuned_certified_and_saved(mercer):
    output = words(mercer("tune", "--cv", 3, "--threads", 1).output)
    for phrase in (
        "569 rows, 30 numeric features",
        "the best of",
        "candidates by 3-fold cross-validation, C from 0.01 to 1e+04, gamma from",
        "62.7 % by always saying 1, the majority",
        "class -1:",
        "precision",
        "converged",
        "saved as breast-cancer.mercer",
        "--test-size",
    ):
        assert phrase in output
    machine = load("breast-cancer.mercer")[-1]
    assert type(machine) is SVC
    assert f"C = {machine.C:g}" in output
    assert len(read_metadata("breast-cancer.mercer")["scores"]["values"]) == 3
    info = mercer("info", "breast-cancer.mercer").output
    assert "3-fold cross-validation" in info


def test_the_model_predicts_and_the_score_is_that_of_the_test_file(mercer, iris):
    train, test = train_test_split(iris, test_size=0.3, random_state=0, stratify=iris["species"])
    train.to_csv("train.csv", index=False)
    test.to_csv("test.csv", index=False)
    output = words(
        mercer("tune", "train.csv", "--target", "species", "--test", "test.csv", "--cv", 3).output
    )
    model = load("train.csv.mercer")
    frame = test.drop(columns="species")
    frame["wet"] = frame["wet"].map(str)
    accuracy = model.score(frame, test["species"].to_numpy(dtype=str))
    assert f"{100 * accuracy:.1f} % 45 rows of test.csv that took no part" in output
    assert "class setosa: 15 of 15 found" in output
    said = mercer("predict", "train.csv.mercer", "test.csv", "--out", "said.csv").output
    assert f"accuracy {100 * accuracy:.1f} %" in said
    assert set(pd.read_csv("said.csv")["prediction"]) <= set(iris["species"])


def test_a_terminal_sees_how_the_search_goes_on():
    console = Console(force_terminal=True, file=StringIO(), width=100)
    X = np.random.default_rng(0).normal(size=(40, 2))
    with Display(console, quiet=False).searching() as callback:
        TunedSVC(cv=2, max_evals=5, callback=callback).fit(X, X[:, 0] > 0)
    assert "5 evaluated, now on 40 rows, best criterion" in console.file.getvalue()
    with Display(console, quiet=True).searching() as callback:
        assert callback is None


def test_numbers_are_shown_beside_the_mean(mercer):
    frame = load_diabetes(as_frame=True).frame.head(150)
    frame.to_csv("rows.csv", index=False)
    output = words(mercer("tune", "rows.csv", "--test-size", 0.3, "--cv", 3).output)
    assert "mercer tune: regression" in output
    found = re.search(r"typical error ([\d.]+); ([\d.]+) by always saying the mean", output)
    assert found is not None
    assert float(found[1]) < float(found[2])
    assert isinstance(load("rows.csv.mercer").regressor_[-1], SVR)


def test_rare_classes_are_found_with_balanced_weights(mercer):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=200) > 1.6, "rare", "common")
    pd.DataFrame(X, columns=["a", "b"]).assign(y=y).to_csv("rows.csv", index=False)
    found = []
    for weight in ("equal", "balanced"):
        output = mercer("tune", "rows.csv", "--class-weight", weight, "--cv", 3, "--force").output
        found.append(int(re.search(r"class rare: (\d+) of", words(output))[1]))
    assert found[1] > found[0]
    assert load("rows.csv.mercer")[-1].class_weight == "balanced"


def test_sparse_text_is_tuned(mercer):
    X = np.random.default_rng(0).normal(size=(60, 3))
    dump_svmlight_file(X, (X[:, 0] > 0).astype(int), "rows.svm", zero_based=False)
    other = np.random.default_rng(1).normal(size=(50, 3))
    dump_svmlight_file(other, (other[:, 0] > 0).astype(int), "test.svm", zero_based=False)
    output = words(mercer("tune", "rows.svm", "--test", "test.svm", "--cv", 2).output)
    assert "50 rows of test.svm that took no part" in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--task", "outliers", "--test-size", 0.3], "outliers have none"),
        (["--cv", "0"], "--cv must be 2 or more"),
        (["--test-size", "1.5"], "--test-size must be a share between 0 and 1, got 1.5"),
        (["--test-size", "0.2", "--test", "x.csv"], "exclude each other"),
        (["--test", "none.csv"], "none.csv"),
        (["--tol", "-1"], "--tol must be"),
        (["--max-time", "-1"], "--max-time must be"),
    ],
)
def test_what_does_not_fit_is_refused(mercer, arguments, message):
    output = mercer("tune", *arguments, code=1).output
    assert message in words(output)
    assert not Path("breast-cancer.mercer").exists()


def test_class_weights_of_numbers_are_refused(mercer):
    load_diabetes(as_frame=True).frame.head(60).to_csv("rows.csv", index=False)
    output = mercer("tune", "rows.csv", "--class-weight", "balanced", code=1).output
    assert "--class-weight is for classes" in words(output)


def test_a_test_file_without_the_target_is_refused(mercer, iris, iris_csv):
    iris.drop(columns="species").to_csv("test.csv", index=False)
    output = mercer("tune", iris_csv, "--target", "species", "--test", "test.csv", code=1).output
    assert "has no column 'species'" in words(output)


def test_many_rows_are_tuned_from_a_sample_within_the_time(mercer):
    random = np.random.default_rng(0)
    rows = random.normal(size=(700, 2))
    frame = pd.DataFrame(rows, columns=["a", "b"])
    frame["target"] = np.where(rows[:, 0] + rows[:, 1] ** 2 > 0.5, "yes", "no")
    frame.to_csv("rows.csv", index=False)
    output = words(mercer("tune", "rows.csv", "--cv", 2).output)
    assert "of them on a sample) by 2-fold cross-validation" in output
    output = words(mercer("tune", "rows.csv", "--cv", 2, "--max-time", 0.001, "--force").output)
    assert "ended to keep within --max-time: this is the best so far" in output


def test_a_class_of_one_row_is_named_and_counts_as_wrong(mercer, iris):
    rows = pd.concat([iris.iloc[:20], iris.iloc[50:70], iris.iloc[[120]]])
    rows.to_csv("rare.csv", index=False)
    output = words(mercer("tune", "rare.csv", "--target", "species").output)
    assert "no row to train on of the classes 'virginica' (1 of all rows)" in output
    assert "class virginica: 0 of 1 found" in output
    rows.iloc[20:].to_csv("two.csv", index=False)
    output = words(mercer("tune", "two.csv", "--target", "species").output)
    assert "class virginica: 0 of 1 found" in output


def test_balanced_weights_choose_by_balanced_accuracy(mercer, iris):
    rare = iris.assign(species=np.where(np.arange(len(iris)) % 12 == 0, "rare", "usual"))
    rare.loc[rare["species"] == "rare", rare.columns[0]] += 3.0
    rare.to_csv("rare.csv", index=False)
    options = ("--target", "species", "--cv", 3, "--class-weight", "balanced")
    output = words(mercer("tune", "rare.csv", *options).output)
    assert "3-fold cross-validation of balanced accuracy" in output
    found = re.search(r"class rare: (\d+) of (\d+) found", output)
    assert found is not None
    assert int(found[1]) > 0.8 * int(found[2])


def test_outliers_are_tuned_by_the_share_that_is_rejected(mercer, iris):
    rows = iris.drop(columns="species")
    rows.to_csv("rows.csv", index=False)
    output = words(mercer("tune", "rows.csv", "--task", "outliers", "--nu", 0.1, "--cv", 3).output)
    assert "OneClassSVM with nu = 0.1" in output
    assert "by 3-fold cross-validation, gamma from" in output
    assert "of rows held out are called outliers" in output
    assert len(read_metadata("rows.csv.mercer")["scores"]["values"]) == 3
    mercer("predict", "rows.csv.mercer", "rows.csv", "--out", "said.csv")
    assert 0.0 < (pd.read_csv("said.csv")["prediction"] == -1).mean() < 0.3
