"""What errors cost: ``--cost`` and ``--threshold``, from the training to every use of the model."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mercer import choose_threshold
from mercer.cli.models.costs import threshold_machine
from mercer.io import load

COSTS = "yes=10,no=1"
MATRIX = np.array([[0.0, 1.0], [10.0, 0.0]])


@pytest.fixture
def churn() -> pd.DataFrame:
    """Two files of rows with a rare class, made of one table."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(220, 3))
    value = X[:, 0] + X[:, 1] * X[:, 2] + 0.7 * rng.normal(size=220)
    frame = pd.DataFrame(X, columns=list("abc"))
    frame["colour"] = rng.choice(["red", "green"], 220)
    frame["churn"] = np.where(value > 1.2, "yes", "no")
    frame[:150].to_csv("train.csv", index=False)
    frame[150:].to_csv("test.csv", index=False)
    return frame


def read(result) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(result.stdout))


def words(output: str) -> str:
    return " ".join(re.sub("[│╭╮╰╯─]", " ", output).split())


def mean_cost(truth, said) -> float:
    return float(MATRIX[(truth == "yes").astype(int), (said == "yes").astype(int)].mean())


@pytest.mark.parametrize("command", ["fit", "tune"])
def test_costs_of_errors_move_the_threshold_everywhere_alike(mercer, churn, command):
    options = ["--target", "churn", "--cost", COSTS, "--test", "test.csv", "--cv", 3]
    told = json.loads(mercer(command, "train.csv", *options, "--json").stdout)
    model, test = load("train.csv.mercer"), churn[150:].reset_index(drop=True)
    own = threshold_machine(model)
    assert told["threshold"]["value"] == own.threshold_ < 0.0
    assert told["threshold"]["cost"] == {"no": 1.0, "yes": 10.0}
    rows, truth = test.drop(columns="churn"), test["churn"].to_numpy()
    said = model.predict(rows)
    assert told["score"]["value"] == pytest.approx(np.mean(said == truth))

    table = read(mercer("predict", "train.csv.mercer", "test.csv"))
    np.testing.assert_array_equal(table["prediction"], said)
    np.testing.assert_array_equal(table["decision"] > 0, said == "yes")

    judged = json.loads(mercer("evaluate", "train.csv.mercer", "test.csv", "--json").stdout)
    counts = np.array(judged["confusion"]["counts"])
    assert float((MATRIX * counts).sum() / counts.sum()) == pytest.approx(mean_cost(truth, said))
    cost = judged["reproduce"]["facts"]["cost of these rows"]
    assert float(cost.split()[0]) == pytest.approx(mean_cost(truth, said), rel=1e-3)
    rule = f"yes where the value of the machine is above {own.threshold_:.4g}"
    assert rule in judged["reproduce"]["facts"]["threshold"]
    assert rule in words(mercer("info", "train.csv.mercer").output)
    told = json.loads(mercer("info", "train.csv.mercer", "--json").stdout)
    assert told["threshold"]["value"] == own.threshold_
    mercer("report", "train.csv.mercer", "test.csv", "--train", "train.csv")
    assert rule in Path("train.csv.mercer.html").read_text()


def test_the_threshold_is_that_of_choose_threshold_in_python(mercer, churn):
    options = ["--target", "churn", "--cost", COSTS, "--cv", 0, "--C", 3]
    told = json.loads(mercer("fit", "train.csv", *options, "--json").stdout)["threshold"]
    model = load("train.csv.mercer")
    own = threshold_machine(model)
    rows = model[:-1].transform(churn[:150].drop(columns="churn"))
    again = choose_threshold(
        own.estimator, rows, churn["churn"][:150].to_numpy(), MATRIX, cv=own.cv
    )
    assert told["value"] == again.threshold_
    assert told["left_out"] == pytest.approx(-again.best_score_)


def test_an_explained_row_has_the_value_that_is_compared_with_zero(mercer, churn):
    """A row was called yes, and its value said no."""
    mercer("fit", "train.csv", "--target", "churn", "--cost", COSTS, "-q")
    table = read(mercer("predict", "train.csv.mercer", "test.csv"))
    moved = threshold_machine(load("train.csv.mercer")).threshold_
    row = int(np.flatnonzero((table["decision"] > 0) & (table["decision"] < -moved))[0])
    told = json.loads(
        mercer("explain", "train.csv.mercer", "test.csv", "--row", row, "--json").stdout
    )
    assert (told["said"], told["positive"]) == ("yes", "yes")
    assert told["value"] == pytest.approx(table["decision"][row])
    assert told["value"] > 0


def test_costs_go_with_probabilities_and_sets(mercer, churn):
    options = ["--target", "churn", "--cost", COSTS, "--proba", "--conformal", "--cv", 2]
    mercer("fit", "train.csv", *options, "-q")
    plain = read(mercer("predict", "train.csv.mercer", "test.csv"))
    table = read(mercer("predict", "train.csv.mercer", "test.csv", "--proba", "--set", 0.9))
    assert list(table) == ["prediction", "decision", "p_no", "p_yes", "set_no", "set_yes"]
    np.testing.assert_array_equal(table["prediction"], plain["prediction"])
    np.testing.assert_array_equal(table["decision"] > 0, table["prediction"] == "yes")
    np.testing.assert_allclose(table["p_no"] + table["p_yes"], 1.0)


def test_a_converted_model_has_the_threshold(mercer, churn):
    mercer("fit", "train.csv", "--target", "churn", "--cost", COSTS, "--cv", 0, "-q")
    mercer("convert", "train.csv.mercer", "copy.mercer")
    wanted = mercer("predict", "train.csv.mercer", "test.csv").stdout
    assert mercer("predict", "copy.mercer", "test.csv").stdout == wanted
    mercer("convert", "train.csv.mercer", "model.onnx")
    session = pytest.importorskip("onnxruntime").InferenceSession("model.onnx")
    test = churn[150:]
    feed = {
        own.name: test[[own.name]].to_numpy(dtype=object if "string" in own.type else float)
        for own in session.get_inputs()
    }
    labels, decision = session.run(None, feed)
    table = pd.read_csv(io.StringIO(wanted))
    np.testing.assert_array_equal(np.ravel(labels), table["prediction"])
    np.testing.assert_allclose(np.ravel(decision), table["decision"], atol=1e-10)


def test_what_is_around_a_machine_is_refused_with_the_option_to_leave_out(mercer, churn):
    """The refusal of sets told forty machines, but not of --conformal."""
    options = ["--target", "churn", "--cv", 0, "--force", "-q"]
    mercer("fit", "train.csv", *options, "--conformal")
    output = words(mercer("convert", "train.csv.mercer", "m.c", code=1).output)
    assert "ConformalSVC cannot be exported: train the model to convert without --conf" in output
    mercer("fit", "train.csv", *options, "--cost", COSTS, "--proba")
    output = words(mercer("convert", "train.csv.mercer", "m.onnx", code=1).output)
    assert "cannot be exported: train the model to convert without --proba" in output


def test_a_kept_column_was_overwritten_by_the_predictions(mercer, churn):
    churn.assign(prediction="mine").to_csv("named.csv", index=False)
    mercer("fit", "train.csv", "--target", "churn", "--cv", 0, "-q")
    given = ["predict", "train.csv.mercer", "named.csv", "--keep", "prediction"]
    output = words(mercer(*given, code=1).output)
    assert "--keep: 'prediction' is the name of a column of predictions, too" in output


def test_a_threshold_for_a_score_of_labels(mercer, churn):
    options = ["--target", "churn", "--threshold", "balanced_accuracy", "--cv", 3]
    output = words(mercer("tune", "train.csv", *options).output)
    assert "chosen for balanced accuracy" in output
    assert "balanced accuracy of rows held out by folds" in output
    assert "that is with a threshold of 0; the one chosen is told below" in output


def test_costs_may_be_asked_of_any_model_of_two_classes(mercer, churn):
    mercer("fit", "train.csv", "--target", "churn", "--cv", 0, "-q")
    assert "cost" not in mercer("evaluate", "train.csv.mercer", "test.csv").output
    output = words(mercer("evaluate", "train.csv.mercer", "test.csv", "--cost", COSTS).output)
    said = load("train.csv.mercer").predict(churn[150:].drop(columns="churn"))
    assert f"{mean_cost(churn['churn'][150:].to_numpy(), said):.4g} a row" in output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cost", "yes=10"], "it lacks 'no': give no=1"),
        (["--cost", "yes=10,nein=1"], "there is no class 'nein'"),
        (["--cost", "yes=-1,no=1"], "--cost of the class 'yes' must be a positive number"),
        (["--cost", "yes"], "--cost must be CLASS=COST,CLASS=COST, got 'yes'"),
        (["--cost", "yes=1,yes=2,no=1"], "names the class 'yes' twice"),
        (["--cost", COSTS, "--threshold", "f1_macro"], "exclude each other"),
        (["--threshold", "roc_auc"], "--threshold must be a score of predicted labels"),
        (["--threshold", "f1"], "--threshold must be a score of predicted labels"),
        (["--threshold", "nonsense"], "--threshold must be a score of scikit-learn"),
        (["--target", "a", "--cost", COSTS], "--cost is for two classes, the task is regression"),
    ],
)
@pytest.mark.parametrize("command", ["fit", "tune"])
def test_costs_that_make_no_sense_are_refused(mercer, churn, command, options, message):
    given = options if "--target" in options else ["--target", "churn", *options]
    assert message in words(mercer(command, "train.csv", *given, code=1).output)
    assert not Path("train.csv.mercer").exists()


def test_costs_of_three_classes_are_refused(mercer, iris_csv):
    options = ["--target", "species", "--cost", "setosa=1,virginica=2"]
    output = words(mercer("fit", iris_csv, *options, code=1).output)
    assert "--cost is for two classes, there are 3" in output
    mercer("fit", iris_csv, "--target", "species", "--cv", 0, "-q")
    output = mercer("evaluate", "iris.csv.mercer", iris_csv, "--cost", "setosa=1", code=1).output
    assert "--cost is for two classes, there are 3" in words(output)
