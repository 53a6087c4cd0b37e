"""``mercer path``, scores to tune for, relevance, svm-train's options, JSON and quiet."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file
from sklearn.svm import SVC as LibsvmSVC

import mercer as package
from mercer import PathSVC, TunedSVC
from mercer.io import load, load_libsvm


@pytest.fixture
def product() -> str:
    """A class that is the sign of a product of two of six columns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 6))
    frame = pd.DataFrame(X, columns=[f"f{k}" for k in range(6)])
    y = np.where(X[:, 1] * X[:, 4] > 0, "same", "other")
    frame.assign(id=[f"r{k}" for k in range(150)], y=y).to_csv("t.csv", index=False)
    dump_svmlight_file(X, np.where(y == "same", 1, -1), "t.txt", zero_based=False)
    return "t.csv"


def test_a_path_is_followed_and_a_machine_of_it_saved(mercer, product):
    output = mercer("path", product, "--cv", 3).output
    assert "held-out error" in output
    assert "chosen" in output
    machine = load("t.csv.mercer")[-1]
    record = json.loads(mercer("path", product, "--cv", 3, "--force", "--json").output)
    points = {point["C"]: point for point in record["path"]}
    own = points[machine.C_]
    assert own["error"] == min(point["error"] for point in points.values())
    assert own["n_support"] == machine.dual_coef_.shape[1]
    assert len(mercer("predict", "t.csv.mercer", product).stdout.splitlines()) == 151


def test_a_path_takes_the_simpler_machine_on_request_and_is_judged(mercer, product):
    judged = ("--test-size", 0.3, "--cv", 3)
    output = " ".join(mercer("path", product, *judged).output.replace("│", " ").split())
    best = load("t.csv.mercer")[-1]
    assert "45 rows of t.csv that took no part" in output
    assert "the widest range with the fewest errors" in output
    assert "mercer report t.csv.mercer t.csv" in output
    output = mercer("path", product, *judged, "--choice", "one-se", "--force").output
    machine = load("t.csv.mercer")[-1]
    assert machine.choice == "one-se"
    assert machine.C_ <= best.C_
    assert "one standard error" in output
    found = json.loads(mercer("evaluate", "t.csv.mercer", product, "--json").stdout)
    assert found["rows"]["n_rows"] == 45
    text = " ".join(mercer("path", "--help").output.replace("│", " ").split())
    assert "within one standard error" in text


def test_a_path_is_for_classes(mercer):
    pd.DataFrame({"a": np.arange(9.0) ** 2, "y": np.arange(9) / 7}).to_csv("n.csv", index=False)
    assert "follows classes, the task is regression" in mercer("path", "n.csv", code=1).stderr


def test_the_score_that_was_tuned_stands_on_top(mercer, product):
    options = ("--cv", 3, "--max-time", 5, "--test-size", 0.3)
    output = mercer("tune", product, "--scoring", "roc_auc", *options).output
    assert output.index("roc auc") < output.index("accuracy")
    assert "on test rows" in output
    assert "cross-validation of roc auc" in " ".join(output.replace("│", " ").split())
    text = mercer("tune", product, "--scoring", "roc-auc", "--force", code=1).stderr
    assert "did you mean roc_auc?" in " ".join(text.split())


def test_relevance_finds_the_columns_that_matter(mercer, product):
    output = mercer("tune", product, "--relevance", "--cv", 3, "--max-time", 10).output
    lines = [line.split() for line in output.splitlines() if "█" in line]
    names = [word for line in lines[:2] for word in line if word.startswith("f")]
    assert sorted(names) == ["f1", "f4"]
    text = mercer("tune", product, "--relevance", "--kernel", "poly", "--force", code=1).stderr
    assert "--relevance is for the kernel rbf" in text


def test_fit_judges_by_rows_that_took_no_part(mercer, product):
    options = ("--cv", 0, "--class-weight", "balanced", "--test-size", 0.4)
    output = mercer("fit", product, *options).output
    assert "60 rows of t.csv that took no part" in output
    assert load("t.csv.mercer")[-1].class_weight == "balanced"
    pd.read_csv(product).head(20).to_csv("test.csv", index=False)
    output = mercer("fit", product, "--cv", 0, "--test", "test.csv", "--force").output
    assert "this is no test" in " ".join(output.replace("│", " ").split())
    text = mercer("fit", product, "--test", "test.csv", "--test-size", 0.2, "--force", code=1)
    assert "exclude each other" in text.stderr


def test_svm_train_is_spoken(mercer, product):
    lines = mercer("fit", "t.txt", "--libsvm", "-s 0 -t 2 -c 10 -g 0.5 -e 1e-6").output.split("\n")
    frame = pd.read_csv(product)
    X, y = frame.iloc[:, :6], np.where(frame.y == "same", 1, -1)
    peer = LibsvmSVC(C=10, gamma=0.5, tol=1e-6).fit(X, y)
    assert lines[0] == "*"
    assert f"Total nSV = {len(peer.support_)}" in lines
    bounded = int((np.abs(peer.dual_coef_) >= 10 - 1e-6).sum())
    assert f"nSV = {len(peer.support_)}, nBSV = {bounded}" in lines
    assert abs(float(next(own for own in lines if "rho" in own).split()[-1])) == pytest.approx(
        abs(peer.intercept_[0]), abs=1e-4
    )
    again = load_libsvm("t.txt.model")
    np.testing.assert_array_equal(again.predict(X.to_numpy()), peer.predict(X))
    output = mercer("fit", "t.txt", "--libsvm", "-v 3 -w1 2 -q").output
    assert output.startswith("Cross Validation Accuracy = ")
    for options, told in (
        ("-x 1", "'-x' is no option of svm-train"),
        ("-c", "-c needs a value"),
        ("-c much", "-c needs a number"),
        ("-s 7", "-s must be 0..4, got 7"),
        ("-b 1", "mercer tune --proba"),
    ):
        text = mercer("fit", "t.txt", "--libsvm", options, "--force", code=1).stderr
        assert told in " ".join(text.split())


@pytest.mark.parametrize("kind", range(5))
def test_svm_train_has_five_machines(mercer, product, kind):
    assert "Total nSV" in mercer("fit", "t.txt", "--libsvm", f"-s {kind} -n 0.3").output
    assert Path("t.txt.model").read_text().startswith("svm_type")


def test_columns_are_kept_beside_predictions(mercer, product):
    mercer("fit", product, "--cv", 0)
    rows = mercer("predict", "t.csv.mercer", product, "--keep", "id", "--out", "-").stdout
    assert rows.splitlines()[0] == "id,prediction,decision"
    assert rows.splitlines()[1].startswith("r0,")
    text = mercer("predict", "t.csv.mercer", product, "--keep", "ID", code=1).stderr
    assert "--keep: there is no column 'ID' (did you mean 'id'?)" in " ".join(text.split())


def test_every_command_speaks_json_and_can_be_quiet(mercer, product):
    commands = {
        "mercer.training/1": ("fit", product, "--cv", 0, "--force"),
        "mercer.predictions/1": ("predict", "t.csv.mercer", product),
        "mercer.model/1": ("info", "t.csv.mercer"),
        "mercer.explanation/1": ("explain", "t.csv.mercer", product, "--row", 0),
        "mercer.converted/1": ("convert", "t.csv.mercer", "t.c", "--force"),
        "mercer.report/1": ("evaluate", "t.csv.mercer", product),
    }
    for schema, command in commands.items():
        assert json.loads(mercer(*command, "--json").stdout)["schema"] == schema
        result = mercer(*command, "--quiet")
        assert result.stderr == ""
        assert command[0] == "predict" or result.stdout == ""
    tuned = json.loads(mercer("tune", product, "--max-time", 3, "--json", "--force").stdout)
    assert tuned["command"] == "tune"
    assert tuned["search"]["n_candidates"] > 0
    assert 0.0 <= tuned["score"]["baseline"] <= tuned["score"]["value"] + 0.5
    assert tuned["columns"]["id"]["kind"] == "left out"


def test_help_and_version_load_no_machines():
    program = (
        "import sys\nfrom mercer.cli import main\n"
        "sys.argv = ['mercer', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "assert not {'numpy', 'sklearn', 'pandas'} & set(sys.modules)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert "path" in run.stdout


def test_versions_and_the_log(capsys, caplog):
    package.show_versions()
    shown = capsys.readouterr().out
    assert "scikit-learn" in shown
    assert "instructions" in shown
    X = np.random.default_rng(0).normal(size=(40, 2))
    TunedSVC(max_evals=3).fit(X, X[:, 0] > 0)
    assert caplog.records == []
    with caplog.at_level(logging.INFO, logger="mercer"):
        TunedSVC(max_evals=3).fit(X, X[:, 0] > 0)
        PathSVC(cv=2).fit(X, X[:, 0] > 0)
    assert "TunedSVC: 3 candidates" in caplog.text
    assert "PathSVC: paths up to C=" in caplog.text
    # Python prints warnings of loggers without a handler
    assert isinstance(logging.getLogger("mercer").handlers[0], logging.NullHandler)
    assert capsys.readouterr().out == ""


def test_several_kernels_are_tried(mercer, product):
    output = mercer("tune", product, "--kernel", "auto", "--cv", 3).output
    assert "candidates of several kernels" in output
    text = mercer("tune", product, "--task", "outliers", "--kernel", "auto", "--force", code=1)
    assert "--kernel auto compares with a target" in text.stderr
