"""ONNX models say what the estimators say."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from exchange_cases import ESTIMATORS, KERNELS, NAMES, ROWS, TWO, X, allowed_error, with_holes
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, QuantileTransformer, StandardScaler

import mercer.io.onnx.export
from mercer import RLSC, SVC, SVDD, SVR, CalibratedSVC, OneClassSVM, OnlineSVC
from mercer.io import to_c, to_onnx
from mercer.kernels import Gaussian, Polynomial, Precomputed

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")


def run(model: Any, rows: Any) -> dict[str, np.ndarray]:
    onnx.checker.check_model(model, full_check=True)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(model.SerializeToString(), options)
    feed = rows if isinstance(rows, dict) else {"X": rows}
    names = [own.name for own in session.get_outputs()]
    return dict(zip(names, session.run(None, feed), strict=True))


def check(estimator: Any, rows: np.ndarray, precision: Any, unit: float) -> None:
    kind = np.float64 if precision == "double" else np.float32
    given = rows.astype(kind)
    found, exact = run(to_onnx(estimator, precision=precision), given), given.astype(float)
    if "prediction" in found:
        values = estimator.predict(exact)
        error = allowed_error(estimator, values, unit)
        np.testing.assert_allclose(found["prediction"], values, rtol=0, atol=error)
        return
    np.testing.assert_array_equal(found["label"], estimator.predict(exact))
    if hasattr(estimator, "decision_function"):
        values = estimator.decision_function(exact)
        error = allowed_error(estimator, values, unit)
        np.testing.assert_allclose(found["decision"], values, rtol=0, atol=error)
    if hasattr(estimator, "predict_proba"):
        values = estimator.predict_proba(exact)
        np.testing.assert_allclose(found["probabilities"], values, rtol=0, atol=1e3 * unit)


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.filterwarnings("ignore")
def test_values_and_labels_are_those_of_the_estimator(name: str) -> None:
    estimator = ESTIMATORS[name]()
    check(estimator, ROWS, "double", 1e-12)
    # in single precision a row of training may lie on either side of its own boundary
    check(estimator, ROWS[:25], "single", 1e-6)


def test_columns_of_strings_and_holes() -> None:
    estimator, table = with_holes()
    table.loc[0, "colour"] = "unknown"
    feed = {
        name: table[[name]].to_numpy(dtype=object if name == "colour" else float)
        for name in table.columns
    }
    found = run(to_onnx(estimator), feed)
    assert list(found["label"]) == list(estimator.predict(table))
    np.testing.assert_allclose(found["decision"], estimator.decision_function(table), atol=1e-12)


def test_columns_called_as_constants_and_nodes_of_the_graph_are() -> None:
    estimator, table = with_holes()
    table = table.rename(columns={"p": "c0", "q": "t1", "r": "c1", "size": "t0"})
    parts = [
        ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["c0", "t1", "c1", "t0"]),
        ("colour", OneHotEncoder(), ["colour"]),
    ]
    estimator = make_pipeline(ColumnTransformer(parts), SVC()).fit(table, NAMES)
    feed = {
        name: table[[name]].to_numpy(dtype=object if name == "colour" else float)
        for name in table.columns
    }
    found = run(to_onnx(estimator), feed)
    np.testing.assert_allclose(found["decision"], estimator.decision_function(table), atol=1e-12)


@pytest.mark.parametrize("name", ["label", "decision", ""])
def test_columns_called_as_outputs_of_the_graph_are_refused(name: str) -> None:
    _, table = with_holes()
    table = table[["p", "colour"]].rename(columns={"p": name})
    parts = [("number", "passthrough", [name]), ("colour", OneHotEncoder(), ["colour"])]
    estimator = make_pipeline(ColumnTransformer(parts), SVC()).fit(table, NAMES)
    with pytest.raises(ValueError, match=f"names of their own.*got '{name}'"):
        to_onnx(estimator)


def test_gaps_of_a_data_frame_filled_with_a_constant() -> None:
    _, table = with_holes()
    table = table[["p", "q", "r"]]
    imputer = SimpleImputer(strategy="constant", fill_value=-1.0)
    estimator = make_pipeline(imputer, SVC()).fit(table, NAMES)
    found = run(to_onnx(estimator), table.to_numpy())
    np.testing.assert_allclose(found["decision"], estimator.decision_function(table), atol=1e-12)


def test_temperature_of_strings_that_are_objects() -> None:
    labels = NAMES.astype(object)
    estimator = CalibratedClassifierCV(SVC(), method="temperature", cv=2).fit(X, labels)
    check(estimator, ROWS[:25], "double", 1e-12)


@pytest.mark.parametrize("convert", [to_onnx, to_c])
def test_numbers_that_single_precision_does_not_have_are_refused(convert: Any) -> None:
    machine = SVR(C=1e50).fit(X, 1e45 * X[:, 0])
    with pytest.raises(ValueError, match="precision='single' has no numbers of"):
        convert(machine, precision="single")
    with pytest.raises(ValueError, match="precision='single' has no numbers of"):
        to_onnx(machine, precision="single", operators="svm")


def test_any_number_of_rows() -> None:
    machine = SVC().fit(X, NAMES)
    model = to_onnx(machine)
    for count in (0, 1, 7):
        found = run(model, X[:count])
        assert found["label"].shape == (count,)
        assert found["decision"].shape == (count, 3)
    assert [own.version for own in model.opset_import] == [17, 3]


def test_rows_beyond_all_others_have_values_not_nan() -> None:
    rows = np.array([[1e30] * 3, [-1e150] * 3, [0.0] * 3])
    for machine in (SVC().fit(X, TWO), SVR(kernel=KERNELS["laplacian"]).fit(X, X[:, 0])):
        check(machine, rows, "double", 1e-12)


def test_factors_are_not_rounded_to_single_precision_by_the_runtime() -> None:
    """It fuses a product with one number and a MatMul, and keeps the number as a float."""
    machine = SVR(kernel=0.3 * Polynomial(2, 0.1, 0.7) + 0.1 * Gaussian(0.3)).fit(X, X[:, 0])
    check(machine, ROWS[:25], "double", 1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_random_machines(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(5, 40)), int(rng.integers(1, 6))
    scale, offset = 10.0 ** rng.uniform(-3, 4), float(rng.choice([0.0, 10.0, 1e4]))
    rows = rng.normal(size=(n, d)) * scale + offset
    rows[rng.random(rows.shape) < 0.2] = 0.0
    labels = rng.integers(0, 3, n)
    labels[:3] = range(3)
    machines = [SVC(C=10.0), RLSC(), OneClassSVM(nu=0.3), SVR(kernel="laplacian")]
    machine = machines[seed % 4].fit(rows, labels)
    check(machine, np.vstack([rows * 1.01, np.zeros(d), rows[:2] * 1e3]), "double", 1e-12)


def test_what_cannot_be_exported_is_named(tmp_path: Any) -> None:
    refused = {
        "Precomputed": SVC(kernel=Precomputed()).fit(X @ X.T, NAMES),
        "QuantileTransformer": make_pipeline(QuantileTransformer(n_quantiles=9), SVC()),
        "function": SVC(kernel=lambda a, b: a @ b.T),
        "not fitted": SVC(),
        "SVDD with the kernel Linear": SVDD(kernel="linear").fit(X),
    }
    refused["QuantileTransformer"].fit(X, NAMES)
    refused["function"].fit(X, NAMES)
    for word, estimator in refused.items():
        with pytest.raises(ValueError, match=word if word != "function" else "Function"):
            to_onnx(estimator, tmp_path / "model.onnx")
    with pytest.raises(ValueError, match="precision must be"):
        to_onnx(SVC().fit(X, NAMES), precision="half")  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


@pytest.mark.filterwarnings("ignore:The `probability` parameter")
def test_probabilities_that_cannot_be_exported_are_named() -> None:
    coupled = SVC(probability=True).fit(X, NAMES)
    for machine in (coupled, make_pipeline(coupled), OnlineSVC(probability=True)):
        if isinstance(machine, OnlineSVC):
            machine.partial_fit(X[:1], NAMES[:1], classes=np.unique(NAMES))
        with pytest.warns(UserWarning, match=f"probabilities of this {type(machine).__name__}"):
            model = to_onnx(machine)
        assert [own.name for own in model.graph.output] == ["label", "decision"]


@pytest.mark.parametrize(("method", "word"), [("platt", "coupled"), ("venn-abers", "venn-abers")])
def test_labels_by_probabilities_that_cannot_be_exported_are_refused(
    method: Any, word: str
) -> None:
    labels = NAMES if method == "platt" else TWO
    with pytest.raises(ValueError, match=f"CalibratedSVC.*{word}"):
        to_onnx(CalibratedSVC(SVC(), method=method, cv=2).fit(X, labels))


def test_onnx_is_imported_when_it_is_used() -> None:
    for module in (mercer.io, mercer.io.onnx, mercer.io.onnx.export):
        body = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")).body
        names = [node.module for node in body if isinstance(node, ast.ImportFrom)]
        names += [own.name for node in body if isinstance(node, ast.Import) for own in node.names]
        heavy = ("onnx", "mercer.io.onnx.graph", "mercer.io.onnx.machines")
        assert not set(names) & set(heavy)


# What ONNX's own operator has kernels for.
OPERATOR_KERNELS = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 2, "coef0": 1.0, "gamma": 0.5},
    "rbf": {"kernel": "rbf", "gamma": 0.7},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.1, "coef0": -0.1},
}


@pytest.mark.parametrize("kernel", OPERATOR_KERNELS)
@pytest.mark.filterwarnings("ignore")
def test_the_operator_of_onnx_says_the_same_in_single_precision(kernel: str) -> None:
    options: dict[str, Any] = OPERATOR_KERNELS[kernel]
    machines = [
        SVC(**options).fit(X, NAMES),
        SVC(multiclass="one-vs-all", **options).fit(X, NAMES),
        SVC(**options).fit(X, TWO),
        SVR(**options).fit(X, X[:, 0]),
        RLSC(kernel=SVC(**options).fit(X, TWO).kernel_).fit(X, NAMES),
    ]
    rows = ROWS[:25].astype(np.float32)
    for machine in machines:
        model = to_onnx(machine, precision="single", operators="svm")
        assert "SVMRegressor" in {node.op_type for node in model.graph.node}
        found = run(model, rows)
        expected = run(to_onnx(machine, precision="single"), rows)
        assert found.keys() == expected.keys()
        for name in expected:
            if name == "label":
                np.testing.assert_array_equal(found[name], expected[name])
            else:
                error = allowed_error(machine, expected[name], 2e-6)
                np.testing.assert_allclose(found[name], expected[name], rtol=0, atol=error)


def test_the_operator_of_onnx_is_refused_where_it_does_not_fit() -> None:
    with pytest.raises(ValueError, match="precision must be 'single'"):
        to_onnx(SVC().fit(X, TWO), operators="svm")
    with pytest.raises(ValueError, match="operators must be 'plain' or 'svm', got 'own'"):
        to_onnx(SVC().fit(X, TWO), operators="own")  # type: ignore[arg-type]
    for kernel in (KERNELS["laplacian"], Gaussian([0.1, 0.2, 0.3])):
        with pytest.raises(ValueError, match="operators='svm' needs a linear, polynomial"):
            to_onnx(SVC(kernel=kernel).fit(X, TWO), precision="single", operators="svm")
