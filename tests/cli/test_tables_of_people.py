"""Tables as people have them, each test named after what one of them saw."""

from __future__ import annotations

import io
import json
import re

import numpy as np
import pandas as pd
import pytest

from mercer.cli.data.notation import notation_of
from mercer.cli.data.values import numbers_in

N = 80


@pytest.fixture
def rows() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    x = rng.normal(size=N).round(3)
    return pd.DataFrame({"x": x, "z": rng.normal(size=N).round(3), "y": np.where(x > 0, "b", "a")})


@pytest.fixture
def fitted(mercer):
    """What becomes of the columns of a table."""

    def run(frame, target="y", *options):
        frame.to_csv("t.csv", index=False)
        record = mercer(
            "fit", "t.csv", "--target", target, "--cv", 0, "--json", "--force", *options
        )
        return json.loads(record.stdout)

    return run


def test_hexadecimal_ids_were_called_numbers_with_mistakes(rows, fitted):
    frame = rows.assign(uuid=[f"{k:08x}" for k in range(N)])
    assert fitted(frame)["columns"]["uuid"] == {"kind": "left out", "why": "unique (--keep uuid)"}
    one = frame.assign(uuid=rows["z"].astype(object))
    one.loc[3, "uuid"] = "old"  # a mistake among numbers that all differ stays one
    with pytest.raises(AssertionError, match="mixes numbers and texts: 1 of its 80 values"):
        fitted(one)


def test_percent_and_dollars_were_left_out_as_unique_texts(rows, fitted, mercer):
    rng = np.random.default_rng(1)
    share, price = rng.random(N).round(3), rng.integers(1, 10**7, N)
    frame = rows.assign(share=[f"{100 * v:.1f}%" for v in share], price=[f"$ {v:,}" for v in price])
    found = fitted(frame)["columns"]
    assert found["share"] == {"kind": "number", "why": "read without '%'"}
    assert found["price"] == {"kind": "number", "why": "read without '$'"}
    said = mercer("predict", "t.csv.mercer", "t.csv").stdout
    fitted(rows.assign(share=(100 * share).round(1), price=price))
    assert mercer("predict", "t.csv.mercer", "t.csv").stdout == said


@pytest.mark.parametrize(
    ("texts", "unit", "numbers"),
    [
        (["5 %", "12.25%", None], "%", [5.0, 12.25, np.nan]),
        (["-$1,234.50", "$7"], "$", [-1234.5, 7.0]),
        (["1,234", "999", "2,345,678"], "", [1234.0, 999.0, 2345678.0]),
        (["12.345,67 €", "-7 €"], "€", [12345.67, -7.0]),
        (["7,5%", "12,25 %"], "%", [7.5, 12.25]),
        (["$-4,455.93", "$7"], "$", [-4455.93, 7.0]),
        (["7819,0 kg", "5 kg", None], "kg", [7819.0, 5.0, np.nan]),
        (["7'818.01", "1'234'567", "-3"], "", [7818.01, 1234567.0, -3.0]),
        (["7\u202f818,01", "12,5"], "", [7818.01, 12.5]),
        (["(7,818.01)", "12.50"], "", [-7818.01, 12.5]),
        (["7.818,01", "5"], "", [7818.01, 5.0]),
        (["12 345", "6 789"], "", [np.nan, np.nan]),  # might be two numbers
        (["1,2", "3"], "", [np.nan, 3.0]),  # might be a list
        (["01.02.2020", "03.04.2020"], "", [np.nan, np.nan]),
        (["3 EUR", "4 EUR"], "EUR", [3.0, 4.0]),
        (["1,234", "2,345"], "", [np.nan, np.nan]),  # might be decimal commas
        (["0,123", "12"], "", [np.nan, 12.0]),
        (["5%", "$5"], "", [np.nan, np.nan]),
        (["5%", "5"], "", [np.nan, 5.0]),
    ],
)
def test_numbers_with_units(texts, unit, numbers):
    column = pd.Series(texts, dtype=object)
    notation = notation_of(column)
    assert (notation.unit if notation else "") == unit
    np.testing.assert_array_equal(numbers_in(column), numbers)


def test_amounts_in_euros_were_left_out_as_unique_texts(rows, mercer):
    amount = (1000.0 * rows.x).round(2)
    marks = str.maketrans(",.", ".,")
    written = [f"{value:,.2f}".translate(marks) + " €" for value in amount]
    answers = []
    # one value that could be read in another way: by the model it is 1.5
    for x, new in ((written, "1,500 €"), (amount, 1.5)):
        rows.assign(x=x).to_csv("t.csv", index=False, sep=";")
        output = mercer("fit", "t.csv", "--target", "y", "--cv", 0, "--force").output
        assert ("read without '€', decimal comma" in output) == (x is written)
        rows.assign(x=new).to_csv("new.csv", index=False, sep=";")
        answers.append(mercer("predict", "t.csv.mercer", "new.csv").stdout)
    assert answers[0] == answers[1]


def test_labels_in_capitals_became_classes_without_a_word(rows, fitted):
    frame = rows.assign(y=[v.upper() if k % 3 == 0 else v for k, v in enumerate(rows["y"])])
    notes = " ".join(fitted(frame)["notes"])
    assert "labels 'A', 'a' differ in case or spaces only" in notes
    assert "differ in case" not in " ".join(fitted(rows)["notes"])


def test_a_line_that_is_too_long_was_told_in_words_of_the_parser(mercer):
    with open("ragged.csv", "w") as file:
        file.write("x,z,y\n1,2,a\n3,4,b,5\n")
    text = mercer("fit", "ragged.csv", "--target", "y", code=1).stderr
    assert "ragged.csv has 4 fields in line 3, the header has 3: put fields" in text
    assert "C error" not in text


def test_a_directory_was_told_to_have_the_wrong_file_type(mercer):
    assert ". is a directory, not a file" in mercer("fit", ".", code=1).stderr


def test_a_small_class_was_told_of_twice_once_in_words_of_scikit_learn(rows, mercer):
    rows.assign(y=["rare", *rows["y"][1:]]).to_csv("t.csv", index=False)
    output = mercer("tune", "t.csv", "--target", "y").output
    assert "least populated" not in output
    assert "'rare' (1 of all rows)" in " ".join(re.sub("[│\n]", " ", output).split())


def test_json_beside_libsvm_was_ignored(mercer):
    with open("t.svm", "w") as file:
        file.writelines(f"{k % 2} 1:{k}\n" for k in range(20))
    text = mercer("fit", "t.svm", "--libsvm", "-c 1", "--json", code=1).stderr
    assert "--libsvm says what svm-train says: leave out --json" in text


def test_percent_with_a_decimal_comma_was_left_out(rows, mercer):
    share = [f"{1000 + 100 * v:,.1f} %" for v in rows["z"].abs()]
    german = [own.replace(",", "_").replace(".", ",").replace("_", ".") for own in share]
    rows.assign(share=german).to_csv("t.csv", index=False, sep=";", decimal=",")
    record = mercer("fit", "t.csv", "--target", "y", "--cv", 0, "--json").stdout
    assert json.loads(record)["columns"]["share"]["why"] == "read without '%'"
    said = mercer("predict", "t.csv.mercer", "t.csv").stdout
    rows.assign(share=share).to_csv("same.csv", index=False)
    assert mercer("predict", "t.csv.mercer", "same.csv").stdout == said


def test_zip_codes_lost_their_zeros_without_a_word(rows, fitted):
    rng = np.random.default_rng(0)
    frame = rows.assign(zip=rng.choice(["01234", "00501", "99999"], N))
    [note] = [own for own in fitted(frame)["notes"] if "zeros" in own]
    assert "column 'zip' has leading zeros, e.g. " in note
    assert "say --category zip" in note
    assert fitted(frame, "y", "--category", "zip")["columns"]["zip"]["kind"] == "category"


def test_a_target_of_dates_became_a_class_for_each_row(rows, mercer):
    rows.assign(y=pd.date_range("2020-01-01", periods=N)).to_csv("t.csv", index=False)
    text = mercer("fit", "t.csv", "--target", "y", code=1).stderr
    assert "has 80 different values in as many rows, e.g. '2020-01-01'" in text
    assert "--target takes another column" in text


def test_a_comment_above_the_names_was_told_in_words_of_the_parser(rows, mercer):
    with open("t.csv", "w") as file:
        file.write("# made by hand\n" + rows.to_csv(index=False))
    text = mercer("fit", "t.csv", "--target", "y", code=1).stderr
    assert "remove what stands above the names, such as a comment" in text


def test_a_column_of_lists_was_said_to_mix_one_kind(rows, mercer):
    rows.assign(v=[[1, 2]] * N).to_parquet("t.parquet")
    text = mercer("fit", "t.parquet", "--target", "y", code=1).stderr
    assert "column 'v' holds values of type ndarray" in text
    assert "--ignore v leaves it out" in text


def test_a_class_called_none_was_said_to_be_a_constant_target(rows, mercer):
    for name in ("None", "NA", "nan", ""):
        rows.assign(y=np.where(rows.x > 0, "some", name)).to_csv("t.csv", index=False)
        told = mercer("fit", "t.csv", "--target", "y", code=1).stderr
        assert "without a target left out: cells that are empty or read NA, nan, None" in told


def test_labels_beyond_64_bits_were_one_class(rows, mercer):
    rows.assign(y=np.where(rows.x > 0, 1e20, 2e20)).to_csv("t.csv", index=False)
    told = mercer("fit", "t.csv", "--target", "y", code=1).stderr
    assert "numbers of up to 2e+20, classes may be whole numbers of up to 9.01e+15" in told


@pytest.mark.parametrize("start", [2**63, 10**20])
def test_integers_beyond_64_bits_were_no_numbers(rows, mercer, start):
    rng = np.random.default_rng(1)
    big = [start + int(k) * start // 100 for k in rng.integers(0, 100, N)]
    rows.assign(big=big).to_csv("t.csv", index=False)
    mercer("fit", "t.csv", "--target", "y", "--cv", 0, "-q")
    output = mercer("predict", "t.csv.mercer", "t.csv").output
    assert output.count("\n") == N + 2
    rows.assign(big=[10**400 + k for k in range(N)]).to_csv("t.csv", index=False)
    assert "must hold finite numbers" in mercer("fit", "t.csv", "--target", "y", code=1).stderr


def test_one_missing_column_was_told_of_as_several(rows, mercer):
    rows.to_csv("t.csv", index=False)
    mercer("fit", "t.csv", "--target", "y", "--cv", 0, "-q")
    rows[["x"]].to_csv("new.csv", index=False)
    assert "column 'z' is missing" in mercer("predict", "t.csv.mercer", "new.csv", code=1).stderr


def test_typing_errors_in_the_target_widened_the_tube_of_all_rows(rows, mercer):
    target = rows.x + 0.1 * rows.z
    wrong = target.where(rows.index % 20 > 0, 1000.0 * target)
    told = {}
    for name, y in (("clean", target), ("wrong", wrong)):
        rows.assign(y=y).to_csv(f"{name}.csv", index=False)
        mercer("fit", f"{name}.csv", "--target", "y", "--cv", 0, "-q")
        output = mercer("predict", f"{name}.csv.mercer", "clean.csv").stdout
        predicted = pd.read_csv(io.StringIO(output)).prediction
        told[name] = np.median(np.abs(predicted - target))
    assert told["wrong"] < 2.0 * told["clean"]


@pytest.mark.parametrize(
    ("scoring", "power"),
    [
        ("neg_mean_absolute_error", 1),
        ("neg_mean_squared_error", 2),
        ("neg_max_error", 1),
        ("r2", 0),
    ],
)
def test_errors_of_a_search_were_in_units_of_the_machine(rows, mercer, scoring, power):
    y = rows.x + 0.1 * rows.z
    found = []
    for target in (y, 1024.0 * y):
        rows.assign(y=target).to_csv("t.csv", index=False)
        options = ("--target", "y", "--scoring", scoring, "--json", "--force")
        found.append(json.loads(mercer("tune", "t.csv", *options).stdout)["search"])
    assert found[0]["scoring"] == scoring
    first, second = (own["best_score"] for own in found)
    assert second == pytest.approx(1024.0**power * first, rel=1e-4)


def test_advice_on_the_command_line_names_its_options(rows, mercer):
    target = rows.x.where(rows.index % 20 > 0, 1000.0 * rows.x)
    rows.assign(y=target).to_csv("t.csv", index=False)
    output = " ".join(mercer("tune", "t.csv", "--target", "y").output.split())
    assert "--scoring neg_mean_absolute_error" in output
    assert "target divided by" in output


def test_a_target_of_amounts_is_a_number(mercer):
    rng = np.random.default_rng(0)
    price = 1000.0 + 100.0 * rng.normal(size=60)
    frame = pd.DataFrame({"size": price / 10.0, "price": [f"${own:,.2f}" for own in price]})
    frame.to_csv("prices.csv", index=False)
    assert "regression" in mercer("fit", "prices.csv", "--target", "price", "--cv", 2).output
    result = mercer("evaluate", "prices.csv.mercer", "prices.csv", "--json").output
    assert json.loads(result)
