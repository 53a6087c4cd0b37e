"""What users of ``mercer tune`` saw that was wrong."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rich.console import Console
from sklearn.datasets import dump_svmlight_file, make_classification

from mercer import SVC, TunedSVC
from mercer.cli.commands import tune
from mercer.cli.data.training_set import TrainingSet
from mercer.cli.models import held_out
from mercer.cli.output.progress import Display
from mercer.cli.output.remaining import Pace
from mercer.io import load, read_metadata
from mercer.selection import History, space
from mercer.selection.tuned import last_fit
from mercer.solvers.runs.deadline import Deadline


def words(output: str) -> str:
    """The text of a panel on one line."""
    return " ".join(re.sub("[│╭╮╰╯─]", " ", output).split())


@pytest.fixture
def rows() -> pd.DataFrame:
    X, y = make_classification(240, 4, n_redundant=0, flip_y=0.1, random_state=0)
    return pd.DataFrame(X, columns=list("abcd")).assign(target=y)


@pytest.fixture
def rows_csv(rows: pd.DataFrame) -> str:
    rows.to_csv("rows.csv", index=False)
    return "rows.csv"


def test_the_winner_is_trained_once_and_no_fold_again(mercer, rows_csv, monkeypatch):
    fits: list[int] = []
    fit = SVC.fit

    def counted(machine: SVC, X: Any, *given: Any) -> SVC:
        fits.append(len(X))
        return fit(machine, X, *given)

    monkeypatch.setattr(SVC, "fit", counted)
    output = words(mercer("tune", rows_csv).output)
    assert fits == [240]
    assert "5-fold cross-validation; the choice has seen these folds" in output
    assert len(read_metadata("rows.csv.mercer")["scores"]["values"]) == 5


def test_a_limit_is_that_of_all_that_the_command_does(mercer, monkeypatch):
    monkeypatch.setattr(last_fit, "_FIRST", 100)
    X, y = make_classification(900, 4, n_redundant=0, random_state=0)
    pd.DataFrame(X, columns=list("abcd")).assign(target=y).to_csv("rows.csv", index=False)
    limits: list[Any] = []
    fit = TunedSVC.fit

    def noted(machine: TunedSVC, *given: Any, **more: Any) -> TunedSVC:
        limits.append(machine.max_time)
        return fit(machine, *given, **more)

    monkeypatch.setattr(TunedSVC, "fit", noted)
    output = words(mercer("tune", "rows.csv", "--max-time", 0.001).output)
    assert limits[0] <= 0.001
    machine = load("rows.csv.mercer")[-1]
    assert machine.shape_fit_[0] < 200
    assert re.search(r"there was time to fit the machine to 10\d of 900 rows", output)
    assert re.search(r"3-fold cross-validation of [234]\d\d of 900 rows", output)
    # one status, that of the machine that is saved
    assert machine.solutions_[0].status == "converged"
    assert "certificate converged" in output
    assert "Solver terminated" not in output
    assert "max_time" not in output


def test_a_test_set_is_judged_by_the_rows_there_is_time_for(rows, monkeypatch):
    monkeypatch.setattr(held_out, "_BLOCK", 50)
    X, y = rows.drop(columns="target"), rows["target"].to_numpy()
    train = TrainingSet(X[:40], y[:40], "classification", "train.csv")
    test = TrainingSet(X[40:], y[40:], "classification", "test.csv")
    machine = SVC().fit(train.X, train.y)
    judged = held_out.on_test_set(machine, test, train, Deadline(0.0))
    assert judged.where == "50 of 200 rows of test.csv that took no part"
    assert len(judged.truth) == len(judged.predicted) == len(judged.baseline) == 50
    judged = held_out.on_test_set(machine, test, train, Deadline())
    assert np.mean(judged.truth == judged.predicted) == machine.score(test.X, test.y)


@pytest.mark.parametrize("kind", ["csv", "svm"])
def test_a_test_file_that_is_the_training_file_is_called_no_test(mercer, rows, kind):
    def written(frame: pd.DataFrame, name: str) -> str:
        if kind == "csv":
            frame.to_csv(f"{name}.csv", index=False)
        else:
            X = frame.drop(columns="target").to_numpy()
            dump_svmlight_file(X, frame["target"], f"{name}.svm", zero_based=False)
        return f"{name}.{kind}"

    train = written(rows.head(100), "train")
    for test in (train, written(rows.iloc[20:80], "part")):
        output = words(mercer("tune", train, "--test", test, "--cv", 2, "--force").output)
        assert f"rows of {test}, which the machine was trained on: this is no test" in output
        assert "took no part" not in output
    test = written(rows.iloc[90:150], "both")
    output = words(mercer("tune", train, "--test", test, "--cv", 2, "--force").output)
    assert "60 rows of both" in output
    assert "10 of which equal training rows in every column used" in output


def test_no_advice_to_raise_a_C_that_was_tuned(mercer):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(80, 3)), columns=list("abc"))
    frame.assign(target=rng.integers(0, 2, 80)).to_csv("noise.csv", index=False)
    output = words(mercer("tune", "noise.csv", "--cv", 3, "--C-range", 1e-3, 1e-2).output)
    machine = load("noise.csv.mercer")[-1]
    assert abs(machine.dual_coef_).max() == pytest.approx(machine.C)  # it would have been given
    assert "raise C" not in output
    assert "Raise C" not in output


def test_a_best_at_the_edge_comes_with_its_remedy(mercer, rows):
    rows.assign(target=10.0 * rows["a"]).to_csv("rows.csv", index=False)
    options = ("--cv", 3, "--C-range", 1e-4, 1e-3, "--gamma-range", 1e-3, 1e-2)
    output = words(mercer("tune", "rows.csv", *options).output)
    found = re.search(r"C from (\S+) to (\S+), gamma from (\S+) to (\S+) the best", output)
    assert found is not None
    assert [float(own) for own in found.groups()] == pytest.approx([1e-4, 1e-3, 1e-3, 1e-2])
    assert "at the edge of the range that was searched; --C-range or --gamma-range moves" in output
    assert "better ones may lie beyond" in output
    assert "look there with --C-range or --gamma-range" in output
    assert "C_range" not in output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--C-range", 2, 1), "--C-range must be None or two positive numbers"),
        (
            ("--gamma-range", 1, 2, "--kernel", "linear"),
            "--gamma-range needs a kernel with a gamma",
        ),
        (("--C-range", 1, 2, "--task", "outliers"), "--C-range is for classes and numbers"),
    ],
)
def test_a_range_that_cannot_be_is_refused_by_its_option(mercer, rows_csv, options, message):
    assert message in words(mercer("tune", rows_csv, *options, code=1).output)
    assert not Path("rows.csv.mercer").exists()


def test_balanced_accuracy_is_shown_beside_its_own_baseline(mercer):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=300) > 2.2, "rare", "common")
    pd.DataFrame(X, columns=["a", "b"]).assign(y=y).to_csv("rows.csv", index=False)
    output = words(mercer("tune", "rows.csv", "--class-weight", "balanced", "--cv", 3).output)
    shown = re.search(r"balanced accuracy ([\d.]+) % 3-fold", output)
    assert shown is not None
    assert "50.0 % by always saying common: classes count alike" in output
    assert re.search(r"of all rows [\d.]+ % are right, 9\d\.\d % by always saying common", output)
    classes = re.findall(r"class \w+: .*? found \(([\d.]+) %\)", output)
    assert float(shown[1]) == pytest.approx(np.mean([float(own) for own in classes]), abs=0.11)
    assert read_metadata("rows.csv.mercer")["scores"]["name"] == "balanced accuracy"
    assert "balanced accuracy" in mercer("info", "rows.csv.mercer").output


@pytest.mark.parametrize("command", ["fit", "tune"])
def test_a_mistyped_column_is_guessed_and_the_last_one_shown(mercer, command):
    frame = pd.DataFrame(np.zeros((4, 31)), columns=[f"f{k}" for k in range(30)] + ["diagnosis"])
    frame.to_csv("wide.csv", index=False)
    for option in ("--target", "--ignore", "--category"):
        output = mercer(command, "wide.csv", option, "Diagnosys", code=1).output
        assert "no column 'Diagnosys' (did you mean 'diagnosis'?)" in words(output)
    output = words(mercer(command, "wide.csv", "--target", "xyz", code=1).output)
    assert "did you mean" not in output
    assert "and 11 more, the last one 'diagnosis'" in output


def test_progress_moves_with_the_time_and_is_no_zero_without_a_limit():
    console = Console(force_terminal=True, file=StringIO(), width=120)
    X = np.random.default_rng(0).normal(size=(40, 2))
    with Display(console, quiet=False).searching() as callback:
        TunedSVC(cv=2, max_evals=5, callback=callback).fit(X, X[:, 0] > 0)
    assert " %" not in console.file.getvalue()
    with Display(console, quiet=False).searching(1e-6) as callback:
        TunedSVC(cv=2, max_evals=5, callback=callback).fit(X, X[:, 0] > 0)
    assert "100 %" in console.file.getvalue()


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_interrupted_saves_the_best_so_far(mercer, rows, monkeypatch, kind):
    if kind == "numbers":
        rows["target"] = rows["a"] * 100.0 + rows["b"]
    rows.to_csv("rows.csv", index=False)

    @contextmanager
    def interrupted(display: Display, max_time: float | None = None, pace: Any = None):
        def show(history: Any) -> None:
            if len(history) > 6:
                raise KeyboardInterrupt

        yield show

    monkeypatch.setattr(Display, "searching", interrupted)
    limit = ("--max-time", 60) if kind == "numbers" else ()
    output = words(mercer("tune", "rows.csv", "--cv", 2, *limit, code=130).output)
    assert "interrupted: training with the best parameters so far" in output
    assert "interrupted: this is the best so far" in output
    assert "2-fold cross-validation" in output
    model = load("rows.csv.mercer")
    table = rows.drop(columns="target")
    assert model.score(table, rows["target"].to_numpy()) > 0.7
    mercer("predict", "rows.csv.mercer", "rows.csv")


def test_a_search_without_a_limit_tells_about_how_long_it_takes():
    """Only its time so far was shown."""
    console = Console(force_terminal=True, file=StringIO(), width=160)
    X = np.random.default_rng(0).normal(size=(700, 2))
    pace = Pace(700, 2, has_width=True)
    assert pace.sizes == [400, 700]
    said: list[float] = []

    class Kept(Pace):
        def seconds_left(self, history: Any) -> float:
            said.append(super().seconds_left(history))
            return said[-1]

    with Display(console, quiet=False).searching(None, Kept(700, 2, has_width=True)) as callback:
        TunedSVC(cv=2, callback=callback).fit(X, X[:, 0] > 0)
    assert re.search(r"about (a second|\d+ (s|min)) left, \d+ evaluated", console.file.getvalue())
    assert min(said) > 0.0
    assert said[-1] < max(said)


def test_what_is_left_is_the_cells_to_come_at_their_measured_time():
    pace = Pace(12000, 2, has_width=True)
    assert (pace.sizes, pace.cells) == ([1200, 3000, 12000], [30, 10, 10])

    def after(n_rows: int, n_cells: int, each: float) -> float:
        seconds = [each * k for k in range(1, n_cells + 1)]
        return pace.seconds_left(
            History([], False, False, values=[0.0] * n_cells, seconds=seconds, n_rows=n_rows)
        )

    assert after(1200, 30, 0.1) > after(1200, 30, 0.01)
    # from 0.01 s on 1,200 rows to 0.02 s on 2,400: the time grows like the rows
    assert after(2400, 10, 0.02) == pytest.approx(0.02 + 10 * 0.1 + 1.5 * 0.1)
    assert after(12000, 9, 0.1) == pytest.approx(0.1 + 1.5 * 0.1)


def test_interrupted_before_the_first_value_saves_nothing(mercer, rows_csv, monkeypatch):
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(space, "resolve_kernel", interrupted)
    assert "interrupted" in mercer("tune", rows_csv, code=130).output
    assert not Path("rows.csv.mercer").exists()


def test_predictions_replace_a_file_only_by_force(mercer, rows_csv):
    mercer("fit", rows_csv, "--cv", 0)
    said = Path("said.csv")
    said.write_text("mine")
    output = words(mercer("predict", "rows.csv.mercer", rows_csv, "-o", said, code=1).output)
    assert "the file said.csv exists; replace it with --force, or give another name" in output
    assert said.read_text() == "mine"
    mercer("predict", "rows.csv.mercer", rows_csv, "-o", said, "--force")
    assert said.read_text().startswith("prediction")
    model = Path("rows.csv.mercer").read_bytes()
    mercer("predict", "rows.csv.mercer", rows_csv, "-o", "rows.csv.mercer", "--force", code=1)
    assert Path("rows.csv.mercer").read_bytes() == model


def test_the_score_on_new_rows_of_numbers_is_named_and_in_their_unit(mercer):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    frame = pd.DataFrame(X, columns=list("ab")).assign(
        y=1000.0 * X[:, 0] + 50.0 * rng.normal(size=90)
    )
    frame.to_csv("numbers.csv", index=False)
    output = words(mercer("tune", "numbers.csv", "--cv", 3, "--threads", 1).output)
    found = re.search(r"typical error \(RMSE\) on new rows ([\d.]+), between ([\d.]+) and", output)
    assert found, output
    assert 30.0 < float(found[1]) < 150.0
    assert float(found[2]) <= float(found[1])
    assert "score on new rows" not in output


def test_the_score_of_machines_of_a_sample_says_so(mercer, rows_csv, monkeypatch):
    kept: list[Any] = []
    true_lines = tune.expected_lines

    def sampled(tuning: Any, data: Any, has_test: bool) -> Any:
        kept.append(list(true_lines(tuning, data, True)))
        sizes = [replace(own, n_rows=100) for own in tuning.tuned.history_]
        tuning.tuned.history_[:] = sizes
        return true_lines(tuning, data, has_test)

    monkeypatch.setattr(tune, "expected_lines", sampled)
    output = words(mercer("tune", rows_csv, "--cv", 3, "--threads", 1).output)
    assert "accuracy on new rows 0." in output
    assert "of machines trained on 100 of 240 rows" in output
    assert kept == [[]], "rows held out say it better"


def test_the_majority_is_that_of_all_rows_not_of_a_fold(mercer):
    """Of 39 and 41 rows the training rows of a fold may have as many of both."""
    rng = np.random.default_rng(0)
    target = ["no"] * 39 + ["yes"] * 41
    pd.DataFrame({"a": rng.normal(size=80), "target": target}).to_csv("even.csv", index=False)
    output = words(mercer("tune", "even.csv", "--cv", 4).output)
    assert "51.2 % by always saying yes, the majority" in output
