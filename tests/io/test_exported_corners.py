"""What is seldom exported together: steps that do nothing, machines of nothing, rows far away."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from typer.testing import CliRunner

from mercer import LSSVR, SVC, SVR
from mercer.cli.app import app
from mercer.io import load, load_libsvm, save, save_libsvm, to_c, to_onnx, to_sklearn
from mercer.kernels import Gaussian, Linear, Normalized, Polynomial, Scaled

onnxruntime = pytest.importorskip("onnxruntime")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
TWO, THREE = (X[:, 0] + 0.3 * X[:, 1] > 0).astype(int), np.digitize(X[:, 0], [-0.5, 0.5])
HOLES = np.where(np.arange(60)[:, None] % 7 == np.arange(3), -1.0, X)
ZEROS = np.where(np.arange(60)[:, None] % 20 == 3, 0.0, X)  # rows without a length


def outputs(estimator: Any, rows: Any, **options: Any) -> list[Any]:
    session = onnxruntime.InferenceSession(to_onnx(estimator, **options).SerializeToString())
    source = session.get_inputs()[0]
    kind = np.float32 if source.type == "tensor(float)" else np.float64
    return list(session.run(None, {source.name: rows.astype(kind)}))


def columns(*parts: Any) -> Any:
    return make_column_transformer(*parts)


CASES: dict[str, tuple[Any, Any]] = {
    "holes are -1": (make_pipeline(SimpleImputer(missing_values=-1.0), SVC()), HOLES),
    "holes are -1 and told": (
        make_pipeline(SimpleImputer(missing_values=-1.0, add_indicator=True), SVC()),
        HOLES,
    ),
    "one column of several": (make_pipeline(columns((StandardScaler(), [1])), SVC()), X),
    "columns that pass": (
        make_pipeline(columns(("passthrough", [2, 0]), (StandardScaler(), [1])), SVC()),
        X,
    ),
    "a step that passes": (make_pipeline("passthrough", SVC()), X),
    "no length, scaled": (SVC(kernel=Normalized(Scaled(Linear(), 2.0) + 1.0)), ZEROS),
    "no length": (SVC(kernel=Normalized(Linear())), ZEROS),
    "no length, a power": (
        SVC(kernel=Normalized(Scaled(Polynomial(degree=2, gamma=0.5, coef0=0.0), 3.0))),
        ZEROS,
    ),
    "no length, a sum": (SVC(kernel=Normalized(Gaussian(0.5) + Linear())), ZEROS),
}


@pytest.mark.parametrize("name", CASES)
def test_a_seldom_pipeline_or_kernel_says_the_same_in_onnx(name: str) -> None:
    estimator, rows = CASES[name]
    found = outputs(estimator.fit(rows, TWO), rows)
    expected = estimator.decision_function(rows)
    labels, values = found[0], found[-1].reshape(len(rows), -1)[:, -1]
    np.testing.assert_array_equal(labels, estimator.predict(rows))
    np.testing.assert_allclose(values, expected, atol=1e-9)


@pytest.mark.parametrize("first", ["passthrough", None])
def test_a_pipeline_that_begins_with_nothing_was_not_exported_nor_read_by_the_command_line(
    first: str | None, tmp_path: Any
) -> None:
    """Its first step, which scikit-learn asks for the number of features, is a text or None."""
    machine = SVC().fit(X, TWO)
    pipeline = make_pipeline(first, machine)
    np.testing.assert_array_equal(outputs(pipeline, X)[0], machine.predict(X))
    assert to_c(pipeline).count("double") == to_c(machine).count("double")
    save(pipeline, tmp_path / "m.mercer")
    np.savetxt(tmp_path / "rows.csv", X, delimiter=",", header="a,b,c", comments="")
    run = partial(CliRunner().invoke, app)
    told = run(["predict", str(tmp_path / "m.mercer"), str(tmp_path / "rows.csv"), "--json"])
    assert [row["prediction"] for row in json.loads(told.stdout)["rows"]] == list(
        machine.predict(X)
    )
    told = run(["info", str(tmp_path / "m.mercer")]).output
    assert "SVC" in told
    assert ">" not in told
    np.testing.assert_array_equal(load(tmp_path / "m.mercer").predict(X), machine.predict(X))


def test_a_frozen_machine_is_exported_as_what_it_holds() -> None:
    machine = SVC().fit(X, TWO)
    frozen = FrozenEstimator(machine)
    np.testing.assert_array_equal(outputs(frozen, X)[0], machine.predict(X))
    assert to_c(frozen).replace("FrozenEstimator", "SVC") == to_c(machine)


@pytest.mark.parametrize("operators", ["plain", "svm"])
def test_a_machine_without_support_vectors_is_a_constant(operators: Any) -> None:
    machine = SVR(epsilon=5.0).fit(X, np.ones(60))
    found = outputs(machine, X, operators=operators, precision="single")[0]
    np.testing.assert_allclose(found.ravel(), machine.predict(X), atol=1e-6)


def test_probabilities_of_rows_that_are_all_alike() -> None:
    rows = np.zeros((20, 2))
    machine = CalibratedClassifierCV(SVC(kernel="linear"), method="isotonic", cv=2)
    machine.fit(rows, np.arange(20) % 2)
    found = outputs(machine, rows[:3])
    np.testing.assert_allclose(found[-1], machine.predict_proba(rows[:3]), atol=1e-9)


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two classes", "three classes"])
def test_a_linear_machine_far_from_the_origin_survives_libsvm_text_and_onnx(
    y: Any, tmp_path: Any
) -> None:
    """Its bias is that of rows that are moved, which the file does not know."""
    far = X + 1e5
    machine = SVC(kernel="linear").fit(far, y)
    save_libsvm(machine, tmp_path / "m.model")
    again = load_libsvm(tmp_path / "m.model")
    expected = machine.decision_function(far)
    np.testing.assert_allclose(again.decision_function(far), expected, atol=1e-8)
    np.testing.assert_array_equal(outputs(again, far)[0], machine.predict(far))


def test_a_streamed_linear_machine_becomes_a_kernel_ridge() -> None:
    """It has no dual coefficients: those are of unit rows."""
    machine = LSSVR(kernel="linear", fit_intercept=False).partial_fit(X, X[:, 0])
    np.testing.assert_allclose(to_sklearn(machine).predict(X), machine.predict(X), atol=1e-12)
    far = LSSVR(kernel="linear").partial_fit(X + 1e6, X[:, 0])
    np.testing.assert_allclose(outputs(far, X + 1e6)[0].ravel(), far.predict(X + 1e6), atol=1e-9)
