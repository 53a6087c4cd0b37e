"""What becomes of a model: judged on a file, reported, explained, and asked for more."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, SVR, CalibratedSVC, ConformalSVC, ConformalSVR
from mercer.io import load, save

MODEL = "train.csv.mercer"


@pytest.fixture
def files(iris, mercer) -> pd.DataFrame:
    """A model of half of the rows, and a file of the others, which is returned."""
    iris[::2].to_csv("train.csv", index=False)
    iris[1::2].to_csv("test.csv", index=False)
    mercer("fit", "train.csv", "--target", "species", "--cv", 0, "-q")
    return iris[1::2].reset_index(drop=True)


def words(text: str) -> str:
    return " ".join(re.sub(r"[│╭╮╰╯─]", " ", text).split())


def test_evaluate_shows_what_the_model_gets_right(mercer, files):
    output = words(mercer("evaluate", MODEL, "test.csv").output)
    right = np.mean(load(MODEL).predict(files.drop(columns="species")) == files["species"])
    assert f"{100 * right:.1f} % of 75 rows are right (95 % interval" in output
    assert "Better by" in output
    assert "setosa: 25 of 25 found, 100.0 % (86.3 % to 100.0 %)" in output
    assert "true said" in output


def test_evaluate_writes_the_numbers_of_the_report_as_json(mercer, files):
    found = json.loads(mercer("evaluate", MODEL, "test.csv", "--json").output)
    assert found["schema"] == "mercer.report/1"
    predicted = load(MODEL).predict(files.drop(columns="species"))
    assert found["verdict"]["n_right"] == (predicted == files["species"]).sum()
    assert found["reasons"] is None


def test_evaluate_says_that_training_rows_are_no_test(mercer, files):
    assert "are no test" in words(mercer("evaluate", MODEL, "train.csv").output)
    assert "are no test" not in words(mercer("evaluate", MODEL, "test.csv").output)


def test_evaluate_of_a_model_saved_by_a_program_asks_for_the_target(mercer, files):
    numbers = files.drop(columns=["species", "colour", "wet"])
    save(SVC().fit(numbers.to_numpy(), files["species"]), "own.mercer")
    numbers.assign(kind=files["species"]).to_csv("own.csv", index=False)
    assert "--target" in mercer("evaluate", "own.mercer", "own.csv", code=1).stderr
    text = mercer("evaluate", "own.mercer", "own.csv", "--target", "knd", code=1).stderr
    assert "did you mean 'kind'" in text
    assert "of 75 rows" in mercer("evaluate", "own.mercer", "own.csv", "--target", "kind").output


def test_evaluate_of_outliers_and_of_sparse_rows(mercer, files):
    rows = [f"{k % 2} 1:{np.sin(k):.3f} 2:{k % 2 + 0.1 * np.cos(k):.3f}\n" for k in range(40)]
    with open("rows.svm", "w") as file:
        file.writelines(rows)
    mercer("fit", "rows.svm", "--cv", 0, "-q")
    assert "100.0 % of 40 rows" in words(mercer("evaluate", "rows.svm.mercer", "rows.svm").output)
    mercer("fit", "rows.svm", "--task", "outliers", "-o", "o.mercer", "--cv", 0, "-q")
    assert "are called outliers" in words(mercer("evaluate", "o.mercer", "rows.svm").output)


def test_report_writes_one_page(mercer, files):
    output = words(mercer("report", MODEL, "test.csv", "-o", "report.html").output)
    assert "of 75 rows are right" in output
    assert output.endswith("report written to report.html")
    with open("report.html", encoding="utf-8") as file:
        text = file.read()
    assert "mercer report train.csv.mercer test.csv" in text
    assert "train.csv: 75 rows" in text
    assert "exists" in mercer("report", MODEL, "test.csv", "-o", "report.html", code=1).stderr
    assert mercer("report", MODEL, "-o", "report.html", "--force", "-q").output == ""


def test_report_on_training_rows_says_so_on_the_terminal_too(mercer, files):
    assert "are no test" in mercer("report", MODEL, "train.csv").stderr
    assert "are no test" not in mercer("report", MODEL, "test.csv", "--force").stderr


def test_report_tells_what_tune_has_tried(mercer, files):
    options = ["--target", "species", "-o", "tuned.mercer", "--seed", 7]
    shown = words(mercer("tune", "train.csv", *options).output)
    mercer("report", "tuned.mercer", "test.csv")
    with open("tuned.mercer.html", encoding="utf-8") as file:
        text = file.read()
    assert "Why these parameters" in text
    found = json.loads(re.search(r'id="data">(.*?)</script>', text)[1])
    assert found["search"]["chosen"]["C"] == load("tuned.mercer")[-1].C
    facts = found["reproduce"]["facts"]
    typed = "mercer tune train.csv --target species -o tuned.mercer --seed 7"
    assert (facts["trained by"], facts["seed"]) == (typed, "7")
    assert facts["command"] == "mercer report tuned.mercer test.csv"
    assert "<td>None</td>" not in text.partition("How to reproduce it")[2].partition("<details")[0]
    n = found["search"]["n_candidates"]
    assert f"the best of {n} candidates" in shown
    assert f"the best of {n} candidates" in text


def test_tune_keeps_probabilities_on_request(mercer, files):
    """They agree with the labels but for rows near a boundary, and the report shows their curve."""
    mercer("tune", "train.csv", "--target", "species", "--proba", "-q", "--force")
    mercer("predict", MODEL, "test.csv", "--proba", "-o", "p.csv")
    table = pd.read_csv("p.csv")
    shares = table[["p_setosa", "p_versicolor", "p_virginica"]]
    assert np.allclose(shares.sum(axis=1), 1.0)
    assert (shares.idxmax(axis=1).str[2:] == table["prediction"]).mean() > 0.9
    found = json.loads(mercer("evaluate", MODEL, "test.csv", "--json").output)
    assert found["calibration"]["log_loss"] < 0.5
    assert "TunedSVC" in mercer("info", MODEL).output
    iris_numbers = files.drop(columns="species")
    iris_numbers.to_csv("numbers.csv", index=False)
    options = ["--target", "petal width", "--proba"]
    assert "is for classes" in mercer("tune", "numbers.csv", *options, code=1).stderr


def test_explain_adds_up_to_the_decision(mercer, files):
    found = json.loads(mercer("explain", MODEL, "test.csv", "--row", 3, "--json").output)
    assert found["schema"] == "mercer.explanation/1"
    assert found["said"] == load(MODEL).predict(files.drop(columns="species"))[3]
    total = found["base"] + sum(own["value"] for own in found["parts"]) + found["rest"]
    assert total == pytest.approx(found["value"])
    shown = {own["name"]: own["data"] for own in found["parts"]}
    assert shown["colour"] == files["colour"][3]
    assert "petal length = " in mercer("explain", MODEL, "test.csv", "--row", 3).output
    text = mercer("explain", MODEL, "test.csv", "--row", 75, code=1).stderr
    assert "--row must lie in 0..74" in text


def test_explain_of_a_file_of_one_row_is_not_all_zeros(mercer, files):
    files[:1].to_csv("one.csv", index=False)
    found = json.loads(mercer("explain", MODEL, "one.csv", "--row", 0, "--json").output)
    assert max(abs(own["value"]) for own in found["parts"]) > 0.01
    assert found["background"]["of"] == "support vectors"
    output = words(mercer("explain", MODEL, "one.csv", "--row", 0).output)
    assert "support vectors of the model, as one.csv has few rows" in output
    assert "positive: for setosa" in output
    output = words(mercer("explain", MODEL, "test.csv", "--row", 0).output)
    assert "on average: over 50 rows of test.csv" in output


def test_explain_says_that_a_value_is_missing_in_words(mercer, iris):
    gaps = iris.assign(signup=np.where(np.arange(150) % 3, "2021-05-04", None))
    gaps.loc[::4, "signup"] = "2022-01-31"
    gaps.loc[::5, "petal width"] = None
    gaps.to_csv("gaps.csv", index=False)
    mercer("fit", "gaps.csv", "--target", "species", "--cv", 0, "-q")
    for row, answers in ((0, {"signup": "no", "petal width": "yes"}), (3, {"signup": "yes"})):
        output = mercer("explain", "gaps.csv.mercer", "gaps.csv", "--row", row, "--json").stdout
        shown = {own["name"]: own["data"] for own in json.loads(output)["parts"]}
        assert not [name for name in shown if "indicator" in name]
        for name, answer in answers.items():
            assert shown[f"{name} is missing"] == answer


def test_predict_with_probabilities_and_sets(mercer, files):
    numbers, labels = files.drop(columns=["species", "colour", "wet"]), files["species"]
    save(CalibratedSVC().fit(numbers, labels), "c.mercer")
    save(
        make_pipeline(StandardScaler(), ConformalSVC(kind="split")).fit(numbers, labels),
        "s.mercer",
    )
    mercer("predict", "c.mercer", "test.csv", "--proba", "-o", "p.csv")
    table = pd.read_csv("p.csv")
    assert list(table) == ["prediction", "p_setosa", "p_versicolor", "p_virginica"]
    np.testing.assert_allclose(table.iloc[:, 1:], load("c.mercer").predict_proba(numbers))
    mercer("predict", "s.mercer", "test.csv", "--set", 0.9, "-o", "s.csv")
    table, machine = pd.read_csv("s.csv"), load("s.mercer")
    sets = machine[-1].predict_set(machine[:-1].transform(numbers), 1.0 - 0.9)
    assert (table[[f"set_{label}" for label in machine.classes_]].to_numpy() == sets).all()


def test_predict_with_intervals_in_units_of_the_target(mercer, files):
    numbers = files.drop(columns=["species", "colour", "wet"])
    target = 100.0 * numbers.pop("petal width")
    inner = make_pipeline(StandardScaler(), ConformalSVR(SVR(), kind="split"))
    machine = TransformedTargetRegressor(inner, transformer=StandardScaler()).fit(numbers, target)
    save(machine, "r.mercer")
    mercer("predict", "r.mercer", "test.csv", "--interval", 0.8, "-o", "r.csv")
    table = pd.read_csv("r.csv")
    assert list(table) == ["prediction", "low", "high"]
    assert (table["low"] <= table["prediction"]).all()
    assert np.mean((table["low"] <= target) & (target <= table["high"])) > 0.7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--proba"],
            "--proba needs a model with probabilities, SVC has none: train one with mercer tune",
        ),
        (["--set", 0.9], "--set needs a model of classes with the machines of folds, this one is"),
        (["--set", 0.9], "train one with mercer tune --conformal or mercer fit --conformal"),
        (["--interval", 0.9], "is for numbers, SVC predicts none: classes have sets, --set 0.9"),
        (["--set", 2], "--set must be a coverage between 0 and 1, got 2"),
    ],
)
def test_predict_says_what_an_option_needs(mercer, files, options, message):
    assert message in mercer("predict", MODEL, "test.csv", *options, code=1).stderr


def test_exit_codes(mercer, files):
    """0 fine, 1 wrong data or options, 2 not converged, 130 interrupted (test_command.py)."""
    assert "Exit codes" in mercer("--help").output
    mercer("evaluate", MODEL, "none.csv", code=1)
    mercer("evaluate", MODEL, "test.csv", "--nothing", code=1)
    mercer("nothing", code=1)
    options = ["--target", "species", "--cv", 0, "--max-time", 1e-9, "-o", "early.mercer"]
    mercer("fit", "train.csv", *options, "-q", code=2)
    assert "Training ended before" in words(mercer("evaluate", "early.mercer", "test.csv").output)


def test_two_commands_lead_from_one_table_to_a_report_on_rows_that_took_no_part(mercer, iris_csv):
    output = words(mercer("tune", iris_csv, "--target", "species", "--test-size", 0.3).output)
    assert "mercer report iris.csv.mercer iris.csv mercer info" in output
    output = words(mercer("report", "iris.csv.mercer", iris_csv).output)
    assert "iris.csv: the 45 rows that --test-size kept apart" in output
    with open("iris.csv.mercer.html", encoding="utf-8") as file:
        text = file.read()
    assert "are no test" not in text
    found = json.loads(re.search(r'id="data">(.*?)</script>', text)[1])
    assert found["rows"]["n_rows"] == 45
    assert found["training"] == {
        "n_rows": 105,
        "n_support": len(load("iris.csv.mercer")[-1].support_),
    }
    assert found["path"]["same"] == 1.0
    assert found["growth"]["n_rows"][-1] == 105
    run = mercer("evaluate", "iris.csv.mercer", iris_csv, "--json")
    assert json.loads(run.stdout)["verdict"] == found["verdict"]
    assert "45 rows that --test-size kept apart" in run.stderr


def test_rows_kept_apart_are_found_where_rows_without_a_target_were_left_out(mercer, iris):
    iris["species"] = iris["species"].astype(object)
    iris.loc[[3, 70], "species"] = None
    iris.to_csv("gaps.csv", index=False)
    options = ["--target", "species", "--test-size", 0.25, "--cv", 0, "-q"]
    mercer("fit", "gaps.csv", *options)
    found = json.loads(mercer("report", "gaps.csv.mercer", "gaps.csv", "--json").output)
    assert (found["rows"]["n_rows"], found["training"]["n_rows"]) == (37, 111)
    assert found["rows"]["n_seen"] < found["training"]["n_support"]
    in_file = pd.read_csv("gaps.csv")
    for own in found["doubtful"]:  # by the row of the file
        assert own["true"] == in_file["species"][own["label"]]
    iris.iloc[:-1].to_csv("gaps.csv", index=False)  # another file: nothing is known of its rows
    run = mercer("evaluate", "gaps.csv.mercer", "gaps.csv", "--json")
    assert json.loads(run.stdout)["rows"]["n_rows"] == 147
    assert "2 rows without a value of 'species' left out" in run.stderr


def test_a_report_takes_the_training_table_beside_the_test_table(mercer, files):
    options = ["--test", "test.csv", "--target", "species", "--cv", 0, "--force"]
    output = words(mercer("fit", "train.csv", *options).output)
    assert "mercer report train.csv.mercer test.csv --train train.csv" in output
    mercer("report", MODEL, "test.csv", "--train", "train.csv", "-o", "r.html")
    with open("r.html", encoding="utf-8") as file:
        text = file.read()
    assert "What another C would do" in text
    assert "mercer report train.csv.mercer test.csv --train train.csv" in text
    text = mercer("report", MODEL, "--train", "train.csv", "-o", "no.html", code=1).stderr
    assert "--train needs a FILE" in text


@pytest.mark.parametrize("command", ["tune", "fit"])
def test_sets_and_probabilities_of_models_that_the_command_line_has_made(mercer, files, command):
    options = ["--target", "species", "--conformal", "--proba", "--force", "-q"]
    mercer(command, "train.csv", *options)
    mercer("predict", MODEL, "test.csv", "--set", 0.9, "--proba", "-o", "s.csv")
    table, classes = pd.read_csv("s.csv"), ["setosa", "versicolor", "virginica"]
    assert list(table)[-6:] == [f"{kind}_{own}" for kind in ("p", "set") for own in classes]
    truth = files["species"].map(classes.index).to_numpy()
    sets = table[[f"set_{own}" for own in classes]].to_numpy()
    assert sets[np.arange(75), truth].mean() > 0.85
    assert sets.sum() < 120
    machine = load(MODEL)
    kept = machine[-1].predict_set(machine[:-1].transform(files.drop(columns="species")), 0.1)
    assert (sets == kept).all()
    found = json.loads(mercer("evaluate", MODEL, "test.csv", "--json").stdout)
    assert found["calibration"]["log_loss"] < 0.5
    inside = {"tune": "TunedSVC", "fit": "CalibratedSVC"}[command]
    assert f"ConformalSVC of {inside} of SVC" in words(mercer("info", MODEL).output)
    assert "the first of" not in words(mercer("info", MODEL).output)
    mercer("report", MODEL, "test.csv", "--train", "train.csv", "-q")


@pytest.mark.parametrize("command", ["tune", "fit"])
def test_intervals_of_models_that_the_command_line_has_made(mercer, files, command):
    options = ["--target", "petal width", "--conformal", "--force", "-q"]
    mercer(command, "train.csv", *options)
    mercer("predict", MODEL, "test.csv", "--interval", 0.8, "-o", "r.csv")
    table = pd.read_csv("r.csv")
    assert list(table) == ["prediction", "low", "high"]
    inside = (table["low"] <= files["petal width"]) & (files["petal width"] <= table["high"])
    assert inside.mean() > 0.7
    assert (table["high"] - table["low"]).max() < 2.0
    run = mercer("predict", MODEL, "test.csv", "--interval", 0.999, "--json")
    assert json.loads(run.stdout)["rows"][0]["low"] is None
    assert "needs 999 training rows or more" in run.stderr


def test_sets_of_many_rows_in_little_time_left_a_machine_that_was_hardly_trained(
    mercer, files, monkeypatch
):
    """The machine of all rows was trained again in a sixth of the time, and kept."""
    monkeypatch.setattr("mercer.cli.models.wrapping.MOST_ROWS_IN_TIME", 30)
    options = ["--target", "species", "--max-time", 20, "--force", "--json"]
    mercer("tune", "train.csv", *options)
    plain = mercer("predict", MODEL, "test.csv").stdout
    found = json.loads(mercer("tune", "train.csv", *options, "--conformal").stdout)
    assert mercer("predict", MODEL, "test.csv").stdout == plain
    assert "sets and intervals come from machines of 30 of 75 rows" in found["notes"]
    assert "set_setosa" in mercer("predict", MODEL, "test.csv", "--set", 0.8).stdout


def test_the_decision_stays_beside_sets(mercer, files):
    mercer("fit", "train.csv", "--target", "species", "--cv", 0, "-q", "-o", "plain.mercer")
    mercer("fit", "train.csv", "--target", "species", "--conformal", "--cv", 0, "-q", "--force")
    plain = mercer("predict", "plain.mercer", "test.csv").stdout
    assert mercer("predict", MODEL, "test.csv").stdout == plain


def test_sets_of_outliers_and_of_a_class_of_one_row(mercer, files):
    text = mercer("fit", "train.csv", "--task", "outliers", "--conformal", "--force", code=1).stderr
    assert "--conformal is for classes and numbers" in text
    few = pd.concat([files[:20], files[-1:]])
    few.to_csv("few.csv", index=False)
    output = words(mercer("fit", "few.csv", "--target", "species", "--conformal").output)
    assert "no probabilities, sets or intervals are kept: a class has one row only" in output


@pytest.mark.parametrize("command", ["fit", "evaluate", "explain", "path", "info"])
def test_a_narrow_terminal_broke_tables_into_pieces(mercer, command, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 2))
    y = np.where(X[:, 0] > 0, "a", "b")
    pd.DataFrame(X, columns=["width", "height"]).assign(y=y).to_csv("rows.csv", index=False)
    mercer("fit", "rows.csv", "--target", "y", "--cv", 0, "-q")
    monkeypatch.setenv("COLUMNS", "40")
    model = "rows.csv.mercer"
    given = {
        "fit": ["rows.csv", "--target", "y", "--force"],
        "path": ["rows.csv", "--target", "y", "--force"],
        "evaluate": [model, "rows.csv"],
        "explain": [model, "rows.csv", "--row", 0],
        "info": [model],
    }
    output = mercer(command, *given[command]).stdout
    lines = output.splitlines()
    assert max(map(len, lines)) <= 40
    assert not set("│╭╰") & set(output)
    if command == "evaluate":
        assert any(re.fullmatch(r"true +said +a +b", line.strip()) for line in lines)
    if command == "path":
        assert any(line.endswith("chosen") and "%" in line for line in lines)
    if command == "explain":
        assert sum("█" in line and "=" in line for line in lines) == 2
