"""C files say what the estimators say."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exchange_cases import ESTIMATORS, NAMES, ROWS, X, allowed_error, with_holes
from sklearn.base import is_regressor

from mercer import SVC
from mercer.io import to_c

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")


def compiled(sources: list[str], folder: Path) -> Any:
    """One library of several files: a call of the compiler takes longer than its work."""
    names = []
    for place, text in enumerate(sources):
        (folder / f"model{place}.c").write_text(text)
        names.append(f"model{place}.c")
    command = [COMPILER, *STRICT, "-shared", "-fPIC", "-o", "model.so", *names, "-lm"]
    found = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    return ctypes.CDLL(str(folder / "model.so"))


def call(function: Any, rows: np.ndarray, width: int, kind: Any) -> np.ndarray:
    """Results of a function that fills an array."""
    out = np.zeros((len(rows), max(width, 1)), dtype=kind)
    for x, own in zip(rows, out, strict=True):
        function(x.ctypes.data_as(ctypes.c_void_p), own.ctypes.data_as(ctypes.c_void_p))
    return out


def labels(function: Any, rows: np.ndarray, classes: Any) -> np.ndarray:
    function.restype = ctypes.c_int
    found = np.array([function(x.ctypes.data_as(ctypes.c_void_p)) for x in rows])
    return found if classes is None or classes.dtype.kind in "iub" else classes[found]


def check(library: Any, prefix: str, estimator: Any, rows: np.ndarray, unit: float) -> None:
    kind, exact = rows.dtype, rows.astype(np.float64)
    predicted = estimator.predict(exact)
    predict = getattr(library, f"{prefix}predict")
    if is_regressor(estimator):
        error = allowed_error(estimator, predicted, unit)
        if predicted.ndim == 2:
            found = call(predict, rows, predicted.shape[1], kind)
        else:
            predict.restype = ctypes.c_double if kind == np.float64 else ctypes.c_float
            found = np.array([predict(x.ctypes.data_as(ctypes.c_void_p)) for x in rows])
        np.testing.assert_allclose(found, predicted, rtol=0, atol=error)
        return
    if predicted.ndim == 2:
        found = call(predict, rows, predicted.shape[1], np.intc)
    else:
        found = labels(predict, rows, getattr(estimator, "classes_", None))
    np.testing.assert_array_equal(found, predicted)
    for method in ("decision_function", "predict_proba"):
        if hasattr(estimator, method):
            values = getattr(estimator, method)(exact)
            error = allowed_error(estimator, values, unit)
            width = 1 if values.ndim == 1 else values.shape[1]
            found = call(getattr(library, prefix + method), rows, width, kind)
            np.testing.assert_allclose(found.reshape(values.shape), values, rtol=0, atol=error)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("precision", "unit"), [("double", 1e-12), ("single", 2e-6)])
def test_values_and_labels_are_those_of_the_estimators(
    precision: Any, unit: float, tmp_path: Path
) -> None:
    names = list(ESTIMATORS)[:: 1 if precision == "double" else 5]
    estimators = [ESTIMATORS[name]() for name in names]
    sources = [to_c(own, precision=precision, prefix=f"m{k}_") for k, own in enumerate(estimators)]
    library = compiled(sources, tmp_path)
    rows = ROWS if precision == "double" else ROWS[:25].astype(np.float32)
    for k, (name, own) in enumerate(zip(names, estimators, strict=True)):
        try:
            check(library, f"m{k}_", own, rows, unit)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error


def test_strings_are_numbers_that_the_comment_lists(tmp_path: Path) -> None:
    estimator, table = with_holes()
    text = to_c(estimator, tmp_path / "written.c")
    assert (tmp_path / "written.c").read_text(encoding="utf-8") == text
    assert 'x[4] colour 0 = "blue", 1 = "red", 2 = "ü"' in text
    codes = table["colour"].map({"blue": 0.0, "red": 1.0, "ü": 2.0})
    rows = np.ascontiguousarray(table.assign(colour=codes).to_numpy(dtype=np.float64))
    library = compiled([text], tmp_path)
    found = call(library.decision_function, rows, 3, np.float64)
    np.testing.assert_allclose(found, estimator.decision_function(table), atol=1e-12)
    names = (ctypes.c_char_p * 3).in_dll(library, "class_names")
    assert [name.decode() for name in names] == list(estimator.classes_)


def test_a_file_has_no_state_and_needs_nothing_but_math() -> None:
    text = to_c(SVC().fit(X, NAMES))
    assert re.findall(r"#include\s+(\S+)", text) == ["<math.h>"]
    assert not re.search(r"\b(malloc|free|printf)\b", text)
    tables = re.findall(r"^(static \w+) (?:number|int) \w+(?:\[\d+\])+ =", text, flags=re.M)
    assert tables
    assert set(tables) == {"static const"}


def test_names_that_are_no_identifiers_and_labels_that_close_strings(tmp_path: Path) -> None:
    for wrong in ("2x", "a-b", "x;"):
        with pytest.raises(ValueError, match="prefix must be a C identifier"):
            to_c(SVC().fit(X, NAMES), prefix=wrong)
    odd = np.array(['"; */ ??/', "EXP ZERO\\", "\n1"])[np.unique(NAMES, return_inverse=True)[1]]
    machine = SVC().fit(X, odd)
    library = compiled([to_c(machine)], tmp_path)
    names = (ctypes.c_char_p * 3).in_dll(library, "class_names")
    assert [name.decode() for name in names] == list(machine.classes_)
