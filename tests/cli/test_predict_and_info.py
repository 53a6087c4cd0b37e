"""``mercer predict`` and ``mercer info``."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import LSSVR, RLSC, SVC, OneClassSVM, PathSVC, ReducedSVC, kernel_path, svc_path
from mercer.cli.data.columns import Columns, usable_frame
from mercer.io import load, load_libsvm, save, save_libsvm


@pytest.fixture
def model(mercer, iris_csv):
    mercer("fit", iris_csv, "--target", "species", "--cv", 0)
    return "iris.csv.mercer"


def table_of(result) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(result.stdout))


def test_predictions_are_those_of_the_estimator(mercer, model, iris, iris_csv):
    result = mercer("predict", model, iris_csv)
    table = table_of(result)
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    rows = usable_frame(iris, Columns(names, ["colour", "wet"]))
    estimator = load(model)
    assert list(table.prediction) == list(estimator.predict(rows))
    np.testing.assert_array_equal(table.iloc[:, 1:].to_numpy(), estimator.decision_function(rows))
    assert list(table.columns[1:]) == [f"decision {label}" for label in estimator.classes_]
    accuracy = 100 * np.mean(table.prediction == iris.species)
    assert f"accuracy {accuracy:.1f} % on these rows" in result.stderr


def test_other_columns_and_another_order_do_not_matter(mercer, model, iris):
    iris.to_csv("all.csv", index=False)
    expected = mercer("predict", model, "all.csv").stdout
    other = iris.drop(columns="species").assign(extra="?")
    other[other.columns[::-1]].to_parquet("other.parquet")
    result = mercer("predict", model, "other.parquet")
    assert result.stdout == expected
    assert result.stderr == ""


def test_a_file_to_write(mercer, model, iris_csv):
    result = mercer("predict", model, iris_csv, "--out", "p.csv")
    assert result.stdout == ""
    assert "150 predictions written to p.csv" in result.stderr
    assert len(pd.read_csv("p.csv")) == 150
    for wrong, words in ((".", "is a directory"), (iris_csv, "a file to read"), ("a/b", "no dir")):
        assert words in mercer("predict", model, iris_csv, "--out", wrong, code=1).stderr


def test_unseen_categories_are_no_category(mercer, model, iris):
    iris.loc[:2, "colour"] = ["violet", "pink", "pink"]
    iris.to_csv("data.csv", index=False)
    result = mercer("predict", model, "data.csv")
    assert len(table_of(result)) == 150
    words = "note: column 'colour' holds categories the model has not seen in 3 of 150 rows: "
    assert words + "'pink', 'violet'\n" in result.stderr
    assert "wet" not in result.stderr


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sepal width": None}, "values are missing in 'sepal width' (150 of 150: rows 0, 1"),
        ({"sepal width": "wide"}, "column 'sepal width' must hold finite numbers, 150 of"),
        ({"wet": None}, "values are missing in 'wet'"),
    ],
)
def test_columns_that_do_not_suit_the_model(mercer, model, iris, change, words):
    mercer("fit", "iris.csv", "--target", "species", "--missing", "error", "--force", "--cv", 0)
    iris.assign(**change).to_csv("data.csv", index=False)
    text = mercer("predict", model, "data.csv", code=1).stderr
    assert words in text
    # Options that predict does not have.
    assert "--" not in text


def test_a_column_that_is_not_there(mercer, model, iris):
    iris.drop(columns="wet").to_csv("data.csv", index=False)
    text = mercer("predict", model, "data.csv", code=1).stderr
    assert "column 'wet' is missing; the model was trained on 'sepal length'" in text


def test_sparse_files_of_any_width(mercer):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5)) * (rng.random((60, 5)) > 0.3)
    y = (X[:, 0] > 0).astype(int)
    dump_svmlight_file(X, y, "train.svm", zero_based=False)
    mercer("fit", "train.svm", "--cv", 0)
    narrow = X[:, :3] * [1, 1, 0]
    dump_svmlight_file(narrow, y, "narrow.svm", zero_based=False)
    table = table_of(mercer("predict", "train.svm.mercer", "narrow.svm"))
    full = np.c_[narrow, np.zeros((60, 2))]
    np.testing.assert_array_equal(table.prediction, load("train.svm.mercer").predict(full))
    dump_svmlight_file(np.c_[X, X], y, "wide.svm", zero_based=False)
    text = mercer("predict", "train.svm.mercer", "wide.svm", code=1).stderr
    assert "indices must lie in 1..5, the features of the model, got 1..10" in text
    pd.DataFrame(X).to_csv("train.csv", index=False, header=list("abcde"))
    text = mercer("predict", "train.svm.mercer", "train.csv", code=1).stderr
    assert "trained on LIBSVM text, not on named columns" in text


def test_named_columns_are_not_libsvm_text(mercer, model):
    Path("d.svm").write_text("1 1:1\n")
    text = mercer("predict", model, "d.svm", code=1).stderr
    assert "trained on named columns, not on LIBSVM text" in text


def test_regression_and_outliers(mercer, iris):
    iris.drop(columns="species").to_csv("data.csv", index=False)
    mercer("fit", "data.csv", "--target", "petal width", "--out", "r.mercer", "--cv", 0)
    result = mercer("predict", "r.mercer", "data.csv")
    assert list(table_of(result).columns) == ["prediction"]
    assert "R2 0.9" in result.stderr
    mercer("fit", "data.csv", "--task", "outliers", "--nu", 0.3, "--out", "o.mercer", "--cv", 0)
    table = table_of(mercer("predict", "o.mercer", "data.csv"))
    assert set(table.prediction) == {-1, 1}
    assert ((table.decision >= 0) == (table.prediction == 1)).all()


def test_models_saved_by_a_program(mercer, iris):
    numbers = iris.iloc[:, :4]
    numbers.to_csv("data.csv", index=False)
    save(SVC().fit(numbers, iris.species), "named.mercer")
    save(OneClassSVM().fit(numbers.to_numpy()), "unnamed.mercer")
    for name in ("named", "unnamed"):
        table = table_of(mercer("predict", f"{name}.mercer", "data.csv"))
        rows = numbers if name == "named" else numbers.to_numpy()
        assert list(table.prediction) == list(load(f"{name}.mercer").predict(rows))
        assert "certificate" in mercer("info", f"{name}.mercer").output
    iris.to_csv("wide.csv", index=False)
    text = mercer("predict", "unnamed.mercer", "wide.csv", code=1).stderr
    assert "the model wants 4 columns, the file has 7" in text


def test_info(mercer, iris_csv):
    mercer("fit", iris_csv, "--target", "species", "--cv", 3)
    output = mercer("info", "iris.csv.mercer").output
    for words in (
        "ColumnTransformer(SimpleImputer > StandardScaler, OneHotEncoder) > SVC",
        "iris.csv: 150 rows, task classification, target 'species'",
        "4 numeric features: sepal length",
        "2 categorical features: colour, wet",
        "3 classes: setosa, versicolor, virginica",
        "kernel Gaussian(gamma=",
        "KKT violation",
        "3-fold cross-validation",
        "support vectors",
        "mercer 0.",
    ):
        assert words in output


def test_info_of_a_model_of_libsvm(mercer, iris):
    save_libsvm(SVC(C=7).fit(iris.iloc[:, :4], np.arange(150) % 2), "m.model")
    save(load_libsvm("m.model"), "m.mercer")
    output = mercer("info", "m.mercer").output
    assert "SVC with kernel Gaussian(gamma=" in output
    assert "none: the model comes from elsewhere" in output


def test_info_of_an_unfitted_machine(mercer):
    save(SVC(), "m.mercer")
    assert "SVC, not fitted" in mercer("info", "m.mercer").output


@pytest.mark.parametrize(
    ("machine", "words"),
    [
        (RLSC(), ["RLSC with alpha = 1, kernel Gaussian", "solved by", "150 support vectors"]),
        (LSSVR(kernel="linear"), ["LSSVR with alpha = 1, kernel Linear()", "4 weights"]),
        (RLSC(low_rank=20), ["20 support vectors (13 % of the rows)"]),
        (ReducedSVC(low_rank=20), ["ReducedSVC with C = 1", "KKT violation"]),
    ],
)
def test_info_and_predictions_of_other_machines(mercer, iris, machine, words):
    numbers = iris.iloc[:, :4]
    numbers.to_csv("data.csv", index=False)
    save(machine.fit(numbers, np.arange(150) % 2), "m.mercer")
    output = mercer("info", "m.mercer").output
    assert all(part in output for part in words), output
    table = table_of(mercer("predict", "m.mercer", "data.csv"))
    np.testing.assert_allclose(table.prediction, machine.predict(numbers))


def test_a_machine_that_is_not_fitted_predicts_nothing(mercer, iris_csv):
    for estimator in (SVC(), make_pipeline(StandardScaler(), RLSC())):
        save(estimator, "m.mercer")
        text = mercer("predict", "m.mercer", iris_csv, code=1).stderr
        assert "m.mercer holds a machine that is not fitted" in text


def test_several_targets_are_several_columns(mercer, iris):
    numbers = iris.iloc[:, :4]
    numbers.to_csv("data.csv", index=False)
    model = make_pipeline(StandardScaler(), LSSVR()).fit(numbers, numbers.iloc[:, 2:])
    save(model, "m.mercer")
    table = table_of(mercer("predict", "m.mercer", "data.csv"))
    assert list(table.columns) == ["prediction 1", "prediction 2"]
    np.testing.assert_array_equal(table.to_numpy(), model.predict(numbers))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_machine_that_chose_on_a_path(mercer, iris, n_classes):
    rows = iris[iris.columns[:4]]
    labels = np.array(["one", "two", "three"])[np.arange(len(rows)) // 50 % n_classes]
    machine = make_pipeline(StandardScaler(), PathSVC(C_max=5.0, cv=2)).fit(rows, labels)
    save(machine, "m.mercer")
    shown = mercer("info", "m.mercer").stdout
    for words in ("PathSVC with C =", "StandardScaler > PathSVC", "held-out error", "events"):
        assert words in shown
    assert ("3 pairs of classes" in shown) == (n_classes == 3)
    rows.to_csv("rows.csv", index=False)
    table = table_of(mercer("predict", "m.mercer", "rows.csv"))
    assert list(table.prediction) == list(machine.predict(rows))


def test_a_path_has_no_predictions_of_its_own(mercer, iris):
    rows, labels = iris[iris.columns[:4]].to_numpy(), np.arange(len(iris)) // 50 > 1
    pd.DataFrame(rows).to_csv("rows.csv", index=False)
    path = svc_path(rows, labels, C_max=5.0)
    for result, choice, words in (
        (path, "C", "events from C="),
        (
            kernel_path(rows, labels, gamma_min=0.1, gamma_max=0.2),
            "gamma",
            "over gamma of 150",
        ),
    ):
        save(result, "p.mercer")
        assert words in mercer("info", "p.mercer").stdout
        message = mercer("predict", "p.mercer", "rows.csv", code=1).stderr
        assert f"a machine for every {choice}: choose one" in message
    save(path.error(rows, labels), "e.mercer")
    assert "StepFunction of" in mercer("info", "e.mercer").stdout
    assert "predicts nothing" in mercer("predict", "e.mercer", "rows.csv", code=1).stderr


def test_several_labels_are_no_classes(mercer, iris):
    rows = iris[iris.columns[:4]]
    save(RLSC().fit(rows, np.c_[rows > rows.mean()]), "m.mercer")
    assert "4 labels" in mercer("info", "m.mercer").stdout
    rows.to_csv("rows.csv", index=False)
    table = table_of(mercer("predict", "m.mercer", "rows.csv"))
    assert [name for name in table if name.startswith("prediction")][-1] == "prediction 4"
