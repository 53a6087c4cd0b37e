"""Whatever is wrong with the input: one message that helps, exit code 2, no model."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mercer import SVC
from mercer.cli.data.tables import read_file
from mercer.io import save


def message(result) -> str:
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    return " ".join(result.stderr.split())


def refused(mercer, *arguments) -> str:
    before = sorted(os.listdir())
    text = message(mercer("fit", *arguments, code=1))
    assert sorted(os.listdir()) == before
    return text


def test_missing_values_are_counted_by_column(mercer, iris):
    iris.loc[3:5, "sepal width"] = np.nan
    iris.loc[0, "colour"] = None
    iris.to_csv("data.csv", index=False)
    text = refused(mercer, "data.csv", "--target", "species", "--missing", "error")
    assert "'sepal width' (3 of 150: rows 3, 4, 5), 'colour' (1 of 150: row 0)" in text
    assert "--missing impute fills them in" in text


def test_a_missing_target_value(mercer, iris):
    iris.loc[7, "species"] = None
    iris.to_csv("data.csv", index=False)
    assert "values are missing in 'species' (1 of 150: row 7)" in refused(
        mercer, "data.csv", "--target", "species", "--missing", "error"
    )


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["1.2.2024", "31.1.2024"] * 74 + ["soon"] * 2, "but 2 of its 150 values are none"),
        (["soon"] + ["1.5"] * 149, "'extra' mixes numbers and texts: 1 of its 150 values"),
        (["inf"] + ["1.5"] * 149, "column 'extra' must hold finite numbers"),
        (["1e999"] + ["1.5"] * 149, "column 'extra' must hold finite numbers"),
        (["1e308", "-1e308"] * 75, "column 'extra' holds numbers of up to 1e+308, whose squares"),
    ],
)
def test_columns_that_cannot_be_used(mercer, iris, values, words):
    iris.assign(extra=values).to_csv("data.csv", index=False)
    assert words in refused(mercer, "data.csv", "--target", "species")
    for option in ("--ignore", "--category"):
        mercer("fit", "data.csv", "--target", "species", option, "extra", "--cv", 0, "--force")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([[1, 2]] * 150, "column 'extra' holds values of type"),
        (pd.timedelta_range("1h", periods=150), "column 'extra' holds timedelta64"),
    ],
)
def test_columns_of_parquet_that_cannot_be_used(mercer, iris, values, words):
    iris.assign(extra=values).to_parquet("data.parquet")
    text = refused(mercer, "data.parquet", "--target", "species")
    assert words in text
    assert "columns must hold numbers, texts, booleans, categories or dates" in text


def test_the_target_must_be_named_and_there(mercer, iris_csv):
    listed = "the columns are 'sepal length', 'sepal width'"
    text = refused(mercer, iris_csv)
    assert "say which column to predict with --target" in text
    assert listed in text
    text = refused(mercer, iris_csv, "--target", "Species")
    assert "there is no column 'Species'" in text
    assert listed in text
    for option in ("--ignore", "--category"):
        assert f"{option}: there is no column 'x'" in refused(mercer, iris_csv, option, "x")


def test_two_columns_that_might_be_the_target(mercer, iris):
    iris.assign(y=1, label=2).to_csv("data.csv", index=False)
    assert "say which column" in refused(mercer, "data.csv")


@pytest.mark.parametrize(
    ("values", "options", "words"),
    [
        (["a"] * 150, (), "the target 'y' is constant, all 150 values are 'a'"),
        ([1.5] * 150, (), "the target 'y' is constant"),
        (["a", "b"] * 75, ("--task", "regression"), "must hold numbers for --task regression"),
        ([0.5, 1.5] * 75, ("--task", "classification"), "must hold texts or whole numbers"),
    ],
)
def test_targets_that_do_not_suit_the_task(mercer, iris, values, options, words):
    iris.assign(y=values).to_csv("data.csv", index=False)
    assert words in refused(mercer, "data.csv", *options)


def test_dates_are_no_target(mercer, iris):
    iris.assign(y=pd.date_range("2024-01-01", periods=150)).to_parquet("data.parquet")
    assert "the target 'y' holds dates" in refused(mercer, "data.parquet")


def test_only_a_target(mercer):
    Path("data.csv").write_text("y\n1\n2\n")
    assert "no columns to learn from" in refused(mercer, "data.csv", "--target", "y")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"  \n\n ", "is empty"),
        (b"a,b,y\n", "has no rows"),
        (b"a,a,y\n1,2,3\n", "column names must be distinct, repeated are 'a'"),
        (b"5.1,3.5,1\n4.9,3.0,0\n", "has no header"),
        (b"a,b,y\n1,2,3,4\n5,6,7,8\n", "has more fields in its lines than in the first one"),
        (b"a,b,y\n1,2,3\n1,2,3,4,5\n", "has 5 fields in line 3, the header has 3"),
        (b'a,b,y\n1,"2,3\n', "is not readable CSV"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is not text: it holds binary"),
        (b"PAR1\0\0\0\0\0", "is not .csv text"),
        (b"1 1:0.5 2:1\n-1 2:3\n", "looks like LIBSVM text: give it the suffix .svm"),
    ],
)
def test_files_that_are_no_csv(mercer, content, words):
    Path("data.csv").write_bytes(content)
    assert words in refused(mercer, "data.csv", "--target", "y")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("d.parquet", b"a,b\n1,2\n", "d.parquet is not a readable Parquet file"),
        ("d.parquet", b"PAR1" + bytes(50) + b"PAR1", "d.parquet is not a readable Parquet file"),
        ("d.svm", b"a,b,y\n1,2,3\n", "d.svm is not readable LIBSVM text"),
        ("d.svm", b"1 1:x\n", "d.svm is not readable LIBSVM text"),
        ("d.svm", b"1 1:nan\n0 1:1\n", "holds values that are not finite"),
        ("d.svm", b"# nothing\n", "has no rows"),
        ("d.svm", b"1\n0\n", "has no features"),
        ("d.svm", b"1 1:1\n1 1:2\n", "the target 'label' is constant"),
        ("d.xlsx", b"PK", "d.xlsx is not a readable Excel file"),
        ("d.csv.gz", b"a,b", "d.csv.gz is not a readable .gz file"),
        ("d.zip", b"PK", "d.zip is not a readable .zip file"),
        ("d.npy", b"a,b", "d.npy is not a readable NumPy file"),
        ("d.arff", b"a,b", "d.arff is not readable ARFF"),
        ("d.feather", b"a,b", "d.feather is not a readable Arrow file"),
        ("d", b"a,b\n", "the file type must be one of .csv"),
    ],
)
def test_files_that_are_not_what_their_name_says(mercer, name, content, words):
    Path(name).write_bytes(content)
    assert words in refused(mercer, name)


def test_files_that_are_not_there(mercer):
    assert "none.csv: no such file" in refused(mercer, "none.csv")
    os.mkdir("folder.csv")
    assert "folder.csv is a directory" in refused(mercer, "folder.csv")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--gamma", "wide"), "--gamma must be scale, auto, median or a number, got 'wide'"),
        (("--gamma", "-1"), "--gamma must be a str among"),
        (("--C", "-1"), "--C must be a float in the range (0.0, inf], got -1.0"),
        (("--tol", "-1"), "--tol must be a float in the range [0.0, inf), got -1.0"),
        (("--max-time", "0"), "--max-time must be a float in the range"),
        (("--solver", "magic"), "--solver must be one of ['active-set', 'auto'"),
        (("--threads", "0"), "--threads must be an int in the range [1, inf)"),
        (("--task", "outliers", "--nu", "2"), "--nu must be a float in the range (0.0, 1.0]"),
        (("--target", "y"), "--target, --ignore and --category need a FILE"),
        (("--out", "nowhere/m.mercer"), "--out: there is no directory nowhere"),
        (("--out", "."), "--out: . is a directory"),
    ],
)
def test_options_that_make_no_sense(mercer, options, words):
    assert words in refused(mercer, *options)


@pytest.mark.parametrize("option", [("--kernel", "x"), ("--task", "x"), ("--cv", "-1"), ("--no",)])
def test_options_that_do_not_exist(mercer, option):
    assert "Usage: mercer fit" in mercer("fit", *option, code=1).output.replace("root", "mercer")


def test_one_fold_is_refused(mercer):
    result = mercer("fit", "--cv", 1, code=1)
    assert "one fold leaves nothing to learn from" in result.output
    assert os.listdir() == []


def test_a_header_of_any_length_is_read(mercer):
    """700 columns with long names: more than 128 KB before the first row."""
    rng = np.random.default_rng(0)
    names = [f"measurement {k:04} {180 * 'x'}" for k in range(700)]
    frame = pd.DataFrame(rng.normal(size=(12, 700)).round(3), columns=names)
    frame.assign(y=["a", "b"] * 6).to_csv("wide.csv", index=False, sep=";", decimal=",")
    text = refused(mercer, "wide.csv", "--target", "z")
    assert "'measurement 0019" in text
    assert " and 681 more" in text
    assert "700 numeric features" in mercer("fit", "wide.csv", "--cv", 0).output
    frame[names[:-1]].to_csv("narrow.csv", index=False)
    text = message(mercer("predict", "wide.csv.mercer", "narrow.csv", code=1))
    assert "column 'measurement 0699" in text
    assert len(text) < 4000


@pytest.mark.parametrize("size", [1000, 200_000])
def test_a_line_without_end(mercer, size):
    Path("data.csv").write_text("x" * size)
    text = refused(mercer, "data.csv")
    assert "has no rows" in text or "is not readable CSV" in text
    assert len(text) < 300


def test_text_that_is_not_utf8_far_below():
    rows = b"1,u\n2,v\n" * 20_000 + "3,ü\n".encode("latin1")
    Path("data.csv").write_bytes(b"a,y\n" + rows)
    notes: list[str] = []
    assert read_file(Path("data.csv"), notes).y.iloc[-1] == "ü"
    assert notes == ["read with encoding cp1252"]


def test_values_are_shown_plainly(mercer, iris):
    iris.assign(y=2.5).to_csv("data.csv", index=False)
    assert "is constant, all 150 values are 2.5;" in refused(mercer, "data.csv")
    iris.assign(y=[0.5, 1.0] * 75).to_csv("data.csv", index=False)
    text = refused(mercer, "data.csv", "--task", "classification")
    assert text.endswith("got e.g. 0.5")
    iris.assign(wide=[np.inf, 1.0] * 75, y=iris.species).to_csv("data.csv", index=False)
    assert "e.g. inf" in refused(mercer, "data.csv")


@pytest.mark.parametrize("option", ["--ignore", "--category"])
def test_the_target_has_one_role(mercer, iris_csv, option):
    text = refused(mercer, iris_csv, "--target", "species", option, "species")
    assert f"{option}: 'species' is the target" in text


def test_a_model_is_replaced_only_by_force(mercer, iris_csv):
    mercer("fit", iris_csv, "--target", "species", "--cv", 0)
    before = Path("iris.csv.mercer").read_bytes()
    text = refused(mercer, iris_csv, "--target", "species", "--cv", 0, "--C", 2)
    assert "the model iris.csv.mercer exists; replace it with --force" in text
    mercer("predict", "iris.csv.mercer", iris_csv, "--out", "other.csv")
    mercer("fit", "--out", "other.mercer", "--cv", 0)
    result = mercer("predict", "iris.csv.mercer", iris_csv, "--out", "other.mercer", code=1)
    assert "--out: other.mercer is a model; it is left alone" in result.stderr
    assert Path("iris.csv.mercer").read_bytes() == before


def test_devices_and_pipes_are_no_files(mercer):
    os.symlink("/dev/zero", "endless.csv")
    os.mkfifo("pipe.svm")
    for name in ("endless.csv", "pipe.svm"):
        assert f"{name} is a device or a pipe" in refused(mercer, name)


def test_a_huge_index_of_libsvm_text(mercer):
    Path("d.svm").write_text("1 1000000000:1\n0 1:2\n")
    text = refused(mercer, "d.svm")
    assert "its largest index is 1000000000, a file of 21 bytes may use 1..1048576" in text


def test_the_data_are_never_overwritten(mercer, iris_csv):
    before = Path(iris_csv).read_bytes()
    assert "is a file to read" in refused(mercer, iris_csv, "--out", iris_csv)
    Path("notes.txt").write_text("mine")
    text = refused(mercer, iris_csv, "--target", "species", "--out", "notes.txt")
    assert "exists and is not a model; it is left alone" in text
    assert Path(iris_csv).read_bytes() == before
    assert Path("notes.txt").read_text() == "mine"


def test_libsvm_text_has_no_columns_to_name(mercer):
    Path("d.svm").write_text("1 1:1\n0 1:2\n")
    assert "--target, --ignore and --category are for files" in refused(
        mercer, "d.svm", "--target", "y"
    )


@pytest.mark.parametrize("command", ["info", "predict"])
def test_models_that_are_none(mercer, command, iris_csv):
    arguments = () if command == "info" else (iris_csv,)
    text = message(mercer(command, "none.mercer", *arguments, code=1))
    assert "none.mercer: No such file or directory" in text
    text = message(mercer(command, iris_csv, *arguments, code=1))
    assert "iris.csv is not a mercer model file" in text


def test_a_damaged_description_of_the_training(mercer, iris_csv):
    X, y = [[0.0], [1.0]], [0, 1]
    for metadata in ({"task": "cooking"}, {"task": "regression", "columns": 3}):
        save(SVC().fit(X, y), "m.mercer", metadata=metadata)
        for command in (("info", "m.mercer"), ("predict", "m.mercer", iris_csv)):
            text = message(mercer(*command, code=1))
            assert "the description of the training is damaged" in text


def test_a_missing_header_is_told_of(mercer, iris):
    iris.to_csv("bare.csv", index=False, header=False)
    assert "the first line of a file must hold the names" in refused(mercer, "bare.csv")


def test_of_two_targets_none_is_taken_in_silence(mercer, iris_csv):
    result = mercer("tune", iris_csv, "--target", "species", "--target", "colour", code=1)
    words = " ".join(result.stderr.replace("│", " ").split())
    assert "--target was given 2 times, and takes one value; train a model for each" in words
    result = mercer("fit", iris_csv, "--cv", 2, "--cv", 3, code=1)
    assert "--cv was given 2 times" in result.stderr


@pytest.mark.parametrize(
    "options",
    [
        ("--ignore", "colour", "--keep", "colour"),
        ("--category", "colour", "--text", "colour"),
        ("--columns", "colour=category,colour=number"),
    ],
)
def test_roles_that_contradict_each_other_are_not_settled_in_silence(mercer, iris_csv, options):
    assert "column 'colour' cannot be both" in refused(
        mercer, iris_csv, "--target", "species", *options
    )
