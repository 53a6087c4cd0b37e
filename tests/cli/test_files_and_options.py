"""Files of odd content, and options that do not suit the task: what is said of each."""

from __future__ import annotations

import datetime
import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file, load_diabetes, load_iris

from mercer import SVC, svc_path
from mercer.io import save, to_c


def refused(mercer, *arguments) -> str:
    return " ".join(mercer(*arguments, code=1).stderr.split())


ARFF = "@relation r\n@attribute a numeric\n@attribute b numeric\n@attribute y {u,v}\n@data\n"
FILES = {
    "text.arff": (ARFF.replace("a numeric", "a integer") + "one,2,u\n", "must hold numbers"),
    "index.arff": (ARFF + "{0 1, 7 2}\n", "'7' is none of the 3 attributes"),
    "empty.csv.gz": (b"", "is empty"),
    "bare.npz": (None, "must hold an array X of rows and one y of targets"),
    "short.npz": (None, "y must have one entry for each of 6 rows, its shape is (5,)"),
    "cube.npy": (None, "must hold rows of numbers, its shape is (2, 3, 4)"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_odd_content_is_refused_in_words(mercer, name):
    content, words = FILES[name]
    path, rows = Path(name), np.ones((6, 2))
    if content is not None:
        data = content.encode() if isinstance(content, str) else content
        if path.suffix == ".gz":
            data = gzip.compress(data)
        path.write_bytes(data)
    elif name == "bare.npz":
        np.savez(path, rows_of_mine=rows)
    elif name == "short.npz":
        np.savez(path, X=rows, y=np.zeros(5))
    else:
        np.save(path, np.ones((2, 3, 4)))
    assert words in refused(mercer, "fit", name, "--target", "y")


def test_arrays_with_names_are_tables(mercer):
    data = load_iris()
    names = ["a", "b", "c", "d"]
    np.savez("named.npz", X=data.data, y=data.target, feature_names=names)
    table = pd.DataFrame(data.data, columns=names).assign(y=data.target)
    np.save("table.npy", table.to_records(index=False))
    for file, target in (("named.npz", "target"), ("table.npy", "y")):
        mercer("fit", file, "--target", target, "--task", "classification", "--cv", 0, "-q")
        assert "a, b, c, d" in mercer("info", f"{file}.mercer").output
    table[names].to_csv("t.csv", index=False)
    found = [
        mercer("predict", f"{file}.mercer", "t.csv", "--json").stdout
        for file in ("named.npz", "table.npy")
    ]
    rows = [json.loads(own)["rows"] for own in found]
    assert [row["prediction"] for row in rows[0]] == [row["prediction"] for row in rows[1]]


def test_dates_as_objects_are_left_out_or_used_as_dates(mercer, iris):
    days = [datetime.date(2024, 1, 1) + datetime.timedelta(days=k) for k in range(150)]
    iris.assign(day=days, stamp=pd.to_datetime(days)).to_parquet("d.parquet")
    output = mercer("fit", "d.parquet", "--target", "species", "--cv", 0).output
    assert "day" in output
    assert "stamp" in output


REGRESSION = ("fit", "numbers.csv", "--target", "target", "--cv", 0)
OPTIONS = [
    ((*REGRESSION, "--class-weight", "balanced"), "--class-weight is for classes"),
    (("tune", "numbers.csv", "--task", "outliers", "--scoring", "r2"), "outliers have none"),
    ((*REGRESSION, "--test", "rows.svm"), "must be of the same kind as the training file"),
    (("fit", "numbers.csv", "--columns", "target=text"), "is the target, it has no other role"),
    (("fit", "few.csv", "--target", "y", "--test-size", "0.1"), "cannot be split off"),
    (("fit", "gone.csv", "--target", "y"), "the target 'y' is empty"),
    (("fit", "holes.csv", "--target", "y", "--missing", "drop"), "leaves no rows"),
    (("fit", "--libsvm", "-s 0"), "--libsvm needs a FILE"),
    (("fit", "numbers.csv", "--libsvm", "-s 0"), "must be LIBSVM text"),
    (("fit", "rows.svm", "--libsvm", "-s 2 -v 3"), "-v must be 2 or more, and needs labels"),
    (("info", "own.c"), "is not a C file written by mercer"),
    (("info", "own.onnx"), "is not an ONNX model"),
]


@pytest.mark.parametrize(("command", "words"), OPTIONS)
def test_an_option_that_does_not_suit_is_refused_in_words(mercer, command, words):
    load_diabetes(as_frame=True).frame.head(40).to_csv("numbers.csv", index=False)
    dump_svmlight_file(*load_iris(return_X_y=True), "rows.svm")
    pd.DataFrame({"a": range(5), "y": list("uuvvw")}).to_csv("few.csv", index=False)
    pd.DataFrame({"a": range(5), "y": [None] * 5}).to_csv("gone.csv", index=False)
    holes = {"a": [1, None, 2, None], "b": [None, 1, None, 2], "y": list("uvuv")}
    pd.DataFrame(holes).to_csv("holes.csv", index=False)
    Path("own.c").write_text("int main(void) { return 0; }")
    Path("own.onnx").write_bytes(b"\x08\xff no graph")
    assert words in refused(mercer, *command)


def test_regressions_are_cross_validated_as_svm_train_does(mercer):
    X, y = load_diabetes(return_X_y=True)
    dump_svmlight_file(X[:80], y[:80], "numbers.svm")
    output = mercer("fit", "numbers.svm", "--libsvm", "-s 3 -c 100 -v 4").output
    error, correlation = (float(line.split("=")[1]) for line in output.strip().splitlines())
    assert 0.0 < error < np.var(y[:80])
    assert 0.1 < correlation < 1.0


def test_json_of_what_is_no_machine_says_what_it_is(mercer):
    X, y = load_iris(return_X_y=True)
    path = svc_path(X[:100], y[:100], C_max=1.0)
    save(path, "path.mercer")
    assert "holds" in json.loads(mercer("info", "path.mercer", "--json").stdout)
    Path("m.c").write_text(to_c(SVC().fit(X, y)))
    assert json.loads(mercer("info", "m.c", "--json").stdout)["format"] == "c"
    assert "C source" in mercer("info", "m.c").output
