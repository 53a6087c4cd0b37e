"""Tables of every format: the same rows, the same model."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file
from typer.testing import CliRunner

from mercer.cli.app import app
from mercer.cli.data.tables import read_file
from mercer.cli.errors import InputError


@pytest.fixture
def table(iris) -> pd.DataFrame:
    return iris.drop(columns="wet")


def zipped(data: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("inside.csv", data)
        archive.writestr("__MACOSX/inside.csv", b"junk")
    return target.getvalue()


def arff(table: pd.DataFrame) -> str:
    kinds = {name: "numeric" for name in table} | {"colour": "string", "species": "{setosa,x}"}
    head = [f"@attribute '{name}' {kinds[name]}" for name in table]
    rows = table.to_csv(index=False, header=False, quotechar="'").splitlines()
    return "\n".join(["% a comment", "@relation iris", *head, "@data", *rows])


def write(table: pd.DataFrame, name: str) -> None:
    text = table.to_csv(index=False).encode()
    compressed = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zip": zipped}
    suffix = Path(name).suffix
    if suffix in compressed:
        Path(name).write_bytes(compressed[suffix](text))
    elif suffix == ".tsv":
        table.to_csv(name, index=False, sep="\t")
    elif suffix == ".xlsx":
        table.to_excel(name, index=False)
    elif suffix == ".arff":
        Path(name).write_text(arff(table))
    else:
        getattr(table, {".parquet": "to_parquet", ".feather": "to_feather"}[suffix])(name)


@pytest.mark.parametrize(
    "name",
    [
        *("t.csv.gz", "t.csv.bz2", "t.csv.xz", "t.zip", "t.gz", "t.tsv"),
        *("t.xlsx", "t.arff", "t.parquet", "t.feather"),
    ],
)
def test_all_formats_hold_the_same_table(table, name):
    write(table, name)
    read = read_file(Path(name))
    pd.testing.assert_frame_equal(read, table, check_dtype=False, check_column_type=False)


def test_arrays_of_numpy(mercer, table):
    X, y = table.iloc[:, :4].to_numpy(), table.species.to_numpy().astype(str)
    np.savez("t.npz", X=X, y=y)
    np.save("t.npy", X)
    assert "target 'target', 3 classes" in mercer("fit", "t.npz", "--cv", 0).output
    assert "regression" in mercer("fit", "t.npy", "--target", "x3", "--cv", 0).output
    np.savez("bad.npz", a=X)
    assert "must hold an array X" in mercer("fit", "bad.npz", code=1).stderr
    np.save("objects.npy", np.array([{}, {}], dtype=object), allow_pickle=True)
    assert "not a readable NumPy file" in mercer("fit", "objects.npy", code=1).stderr


def test_numbers_with_points_and_commas(table):
    text = "a;b;when\n1.234,5;0,25;1.2.2024\n12,5;-3,5;2.2.2024\n"
    Path("t.csv").write_text(text)
    notes: list[str] = []
    read = read_file(Path("t.csv"), notes)
    assert read.a.tolist() == [1234.5, 12.5]
    assert read.b.tolist() == [0.25, -3.5]
    assert read.when.tolist() == ["1.2.2024", "2.2.2024"]
    assert notes == ["read with separator ';', decimal comma, points between thousands"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings_are_found(encoding):
    Path("t.csv").write_bytes("größe,stadt\n1,Zürich\n2,Genève\n".encode(encoding))
    notes: list[str] = []
    read = read_file(Path("t.csv"), notes)
    assert read.stadt.tolist() == ["Zürich", "Genève"]
    assert list(read.columns) == ["größe", "stadt"]
    assert bool(notes) == (encoding in ("utf-16", "cp1252"))


def test_quotes_newlines_and_short_lines():
    Path("t.csv").write_text("a,b,c\n'x, y',1,2\n'z',3,4\n")
    assert read_file(Path("t.csv")).a.tolist() == ["x, y", "z"]
    Path("t.csv").write_text('a,b,c\n"two\nlines",1,2\nq,3\n"it\'s",4,5\n')
    notes: list[str] = []
    read = read_file(Path("t.csv"), notes)
    assert read.a.tolist() == ["two\nlines", "q", "it's"]
    assert notes == ["1 line with fewer fields than the header, the others are missing: line 4"]


def test_spaces_separate_where_nothing_else_does():
    Path("t.txt").write_text("a  b y\n1  2.5 u\n3  4.5 v\n")
    notes: list[str] = []
    assert read_file(Path("t.txt"), notes).b.tolist() == [2.5, 4.5]
    assert notes == ["read with separator space"]


def test_a_column_without_a_name_is_called_as_pandas_does(mercer, table):
    table.to_csv("t.csv")
    output = mercer("fit", "t.csv", "--target", "species", "--cv", 0).output
    assert "Unnamed: 0  left out  unique" in output


def through(arguments: list[str], data: bytes):
    result = CliRunner().invoke(app, arguments, input=data)
    assert result.exit_code == 0, result.output
    return result


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet", "t.xlsx", "t.svm", "t.arff"])
def test_standard_input(table, name):
    if name == "t.svm":
        dump_svmlight_file(table.iloc[:, :4], pd.factorize(table.species)[0], name)
        target = []
    else:
        table.to_csv(name, index=False) if name == "t.csv" else write(table, name)
        target = ["--target", "species"]
    data = Path(name).read_bytes()
    output = through(["fit", "-", *target, "--cv", "0"], data).output
    assert "standard input: 150 rows" in output
    result = through(["predict", "stdin.mercer", "-"], data)
    assert len(result.stdout.splitlines()) == 151


def test_an_archive_of_two_tables_is_refused():
    with zipfile.ZipFile("t.zip", "w") as archive:
        archive.writestr("a.csv", "a,y\n1,2\n")
        archive.writestr("b.csv", "a,y\n1,2\n")
    with pytest.raises(InputError, match="must hold one table"):
        read_file(Path("t.zip"))


def test_a_line_of_arff_that_does_not_fit():
    Path("t.arff").write_text("@relation r\n@attribute a real\n@attribute b {x,y}\n@data\n1,x\n2\n")
    with pytest.raises(InputError, match="line 6: 1 values, 2 attributes"):
        read_file(Path("t.arff"))
    Path("t.arff").write_text("@relation r\n@attribute a real\n@attribute b {x,y}\n@data\n{1 x}\n")
    assert read_file(Path("t.arff")).iloc[0].tolist() == [0, "x"]
