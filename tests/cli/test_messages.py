"""What the command says to who has mistyped, and to who asks a model for what it has not."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
from typer.testing import CliRunner

from mercer.cli.app import app

MOVED = re.compile(r"(\S+) +([-+][\d.e+-]+) (█+)")


def words(output: str) -> str:
    """The text of a panel on one line."""
    return " ".join(re.sub("[│╭╮╰╯─]", " ", output).split())


def test_a_mistyped_target_is_told_before_the_model_that_is_there(mercer, iris_csv):
    mercer("fit", iris_csv, "--target", "species", "--cv", 0, "-q")
    for command in ("fit", "tune", "path"):
        text = words(mercer(command, iris_csv, "--target", "specis", code=1).stderr)
        assert "did you mean 'species'?" in text
        assert "exists" not in text
    assert "exists" in mercer("fit", iris_csv, "--target", "species", code=1).stderr


def test_a_range_with_a_comma_is_asked_for_with_a_space(mercer, iris_csv):
    for rest in ((), ("--target", "species")):
        text = words(mercer("tune", iris_csv, "--C-range", "1,10", *rest, code=1).stderr)
        assert "two numbers with a space, as in --C-range 0.1 10" in text
    assert "LOW HIGH" in mercer("tune", "--help").output


def test_a_mistyped_choice_is_told_the_one_that_is_meant(mercer, iris_csv):
    text = words(mercer("fit", iris_csv, "--kernel", "rbff", code=1).stderr)
    assert "did you mean 'rbf'?" in text
    assert "Value error" not in text


def test_a_renamed_column_is_told_the_one_that_is_meant(mercer, iris_csv, iris):
    mercer("fit", iris_csv, "--target", "species", "--cv", 0, "-q")
    iris.rename(columns={"sepal length": "sepal_length"}).to_csv("new.csv", index=False)
    text = words(mercer("predict", "iris.csv.mercer", "new.csv", code=1).stderr)
    assert "'sepal length' (did you mean 'sepal_length'?)" in text


def test_a_model_of_numbers_is_not_told_to_be_trained_for_classes(mercer):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 2)), columns=["a", "y"])
    frame.to_csv("numbers.csv", index=False)
    output = mercer("fit", "numbers.csv", "--cv", 0).output
    assert "mercer predict numbers.csv.mercer NEW.csv" in output
    for option in (("--proba",), ("--set", 0.9)):
        text = words(mercer("predict", "numbers.csv.mercer", "numbers.csv", *option, code=1).stderr)
        assert "--interval" in text
        assert "--proba or" not in text
        assert "--conformal" not in text


def test_help_names_the_commands_that_write_models(mercer):
    assert "fit, tune or path" in words(mercer("predict", "--help").output)


def test_a_model_was_written_to_a_file_called_minus(mercer, iris_csv, directory):
    for command in ("fit", "tune", "path"):
        told = mercer(command, iris_csv, "--target", "species", "-o", "-", code=1).stderr
        assert "--out must be the name of a file, got -" in told
    assert not (directory / "-").exists()


def test_a_report_goes_to_standard_output(mercer, iris_csv):
    mercer("fit", iris_csv, "--target", "species", "--cv", 0, "-q")
    page = mercer("report", f"{iris_csv}.mercer", iris_csv, "-o", "-").stdout
    assert page.startswith("<!DOCTYPE html>")
    assert page.rstrip().endswith("</html>")
    told = mercer("report", f"{iris_csv}.mercer", "-o", "-", "--json", code=1).stderr
    assert "both write to standard output" in told


def test_standard_input_was_called_minus(mercer, iris, iris_csv):
    mercer("fit", iris_csv, "--target", "species", "--cv", 0, "-q")
    text = iris.to_csv(index=False)
    for command in (("evaluate",), ("explain", "--row", 3), ("report", "--force")):
        name, *options = command
        result = CliRunner().invoke(app, [name, "iris.csv.mercer", "-", *map(str, options)], text)
        assert result.exit_code == 0
        assert "standard input" in result.output


def test_bars_are_cut_to_the_width_and_keep_their_proportions(mercer, iris_csv, monkeypatch):
    mercer("fit", iris_csv, "--target", "species", "--cv", 0, "-q")
    for width in (100, 70, 60, 40):
        monkeypatch.setenv("COLUMNS", str(width))
        output = mercer("explain", "iris.csv.mercer", iris_csv, "--row", 3).output
        moves = [(abs(float(own[1])), len(own[2])) for own in MOVED.findall(output)]
        (most, longest), *others = sorted(moves, reverse=True)
        assert longest >= 8
        assert all(abs(length - longest * own / most) <= 1.0 for own, length in others)
        assert max(map(len, output.splitlines())) <= width


def test_help_on_a_narrow_terminal_cut_off_the_names_of_options(mercer, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    assert "--class-weight" in mercer("tune", "--help").output
    assert "…" not in mercer("bench", "solvers", "--help").output
    monkeypatch.setenv("COLUMNS", "100")
    assert "╭" in mercer("tune", "--help").output


def test_a_rare_class_of_several_was_never_predicted_without_a_word(mercer):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 2)), columns=["u", "v"])
    kinds = np.where(frame.u > 0, "a", "b").astype(object)
    kinds[rng.choice(300, 6, replace=False)] = "rare"
    frame.assign(y=kinds).to_csv("t.csv", index=False)
    text = words(mercer("tune", "t.csv", "--target", "y").output)
    assert "no row held out is taken for 'rare': --class-weight balanced" in text
    told = mercer("tune", "t.csv", "--target", "y", "--cost", "rare=9", "--force", code=1).stderr
    assert "for two classes, there are 3" in told
    assert "--class-weight balanced" in told


def test_a_table_of_two_rows_was_told_to_give_another_cv(mercer):
    pd.DataFrame({"u": [1.0, 2.0], "y": ["a", "b"]}).to_csv("two.csv", index=False)
    assert "2 rows to learn from, too few to tune" in mercer("tune", "two.csv", code=1).stderr
    assert "--cv must be 2 or more to tune, got 0" in mercer("tune", "--cv", 0, code=1).stderr
