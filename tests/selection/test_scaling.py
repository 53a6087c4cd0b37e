"""Tuned machines that scale their features."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, TunedOneClassSVM, TunedRLSC, TunedSVC, TunedSVR, explain, influence, io
from mercer.diagnostics import diagnose
from mercer.kernels import FunctionKernel
from mercer.report.inside import taken_apart

RANDOM = np.random.default_rng(0)
UNIT = RANDOM.normal(size=(80, 4))
X = UNIT * [1.0, 1.0, 2.0, 1000.0] + [0.0, 5.0, 0.0, -300.0]
Y = (UNIT[:, 0] + UNIT[:, 3] > 0).astype(int)
MACHINES = [TunedSVC, TunedSVR, TunedRLSC, TunedOneClassSVM]
QUICK: dict[str, Any] = {"max_evals": 6, "cv": 3}


@pytest.mark.parametrize("make", MACHINES)
def test_it_is_the_same_as_a_scaler_before_the_search(make: Any) -> None:
    inside = make(scale=True, **QUICK).fit(X, Y)
    scaler = StandardScaler().fit(X)
    before = make(scale=False, **QUICK).fit(scaler.transform(X), Y)
    np.testing.assert_array_equal(inside.predict(X), before.predict(scaler.transform(X)))
    assert inside.kernel_ == before.kernel_
    assert inside.best_score_ == before.best_score_
    np.testing.assert_array_equal(inside.relevance_, before.relevance_)
    assert isinstance(inside.best_estimator_, Pipeline)
    for name in ("decision_function", "score_samples"):
        if hasattr(before, name):
            found = getattr(inside, name)(X)
            np.testing.assert_array_equal(found, getattr(before, name)(scaler.transform(X)))


@pytest.mark.parametrize("make", MACHINES)
def test_features_of_unlike_scales_are_scaled_by_default(make: Any) -> None:
    assert isinstance(make(**QUICK).fit(X, Y).best_estimator_, Pipeline)
    assert not isinstance(make(**QUICK).fit(UNIT, Y).best_estimator_, Pipeline)
    assert not isinstance(make(scale=False, **QUICK).fit(X, Y).best_estimator_, Pipeline)


def test_a_feature_that_counts_is_not_drowned_by_its_neighbour() -> None:
    random = np.random.default_rng(1)
    rows = random.normal(size=(200, 3)) * [1.0, 1.0, 1e4]
    labels = np.hypot(rows[:, 0], rows[:, 1]) < 1.2
    new = random.normal(size=(500, 3)) * [1.0, 1.0, 1e4]
    truth = np.hypot(new[:, 0], new[:, 1]) < 1.2
    assert TunedSVC().fit(rows, labels).score(new, truth) > 0.85
    assert TunedSVC(scale=False).fit(rows, labels).score(new, truth) < 0.8


def test_the_unit_of_a_feature_does_not_matter() -> None:
    one = TunedSVC(scale=True, cv=3).fit(X, Y)
    other = TunedSVC(scale=True, cv=3).fit(X * [1e3, 1e-3, 1.0, 7.0], Y)
    assert one.best_score_ == other.best_score_
    np.testing.assert_array_equal(one.predict(X), other.predict(X * [1e3, 1e-3, 1.0, 7.0]))


def test_weights_are_repetitions() -> None:
    weight = np.tile([1, 2], 40)
    options: dict[str, Any] = {"scale": True, "C_range": (1.0, 4.0), "gamma_range": (0.1, 0.3)}
    folds = np.arange(80) % 4 // 2
    place = np.repeat(np.arange(80), weight)
    one = TunedSVC(cv=_of_folds(folds), **options).fit(X, Y, weight)
    two = TunedSVC(cv=_of_folds(folds[place]), **options).fit(X[place], Y[place])
    np.testing.assert_allclose(one.best_estimator_[0].scale_, two.best_estimator_[0].scale_)
    np.testing.assert_allclose(
        one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"], atol=1e-12
    )


def _of_folds(folds: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in (0, 1)]


def test_names_of_features_are_kept() -> None:
    frame = pd.DataFrame(X, columns=list("abcd"))
    machine = TunedSVC(**QUICK).fit(frame, Y)
    assert list(machine.feature_names_in_) == list("abcd")
    assert machine.n_features_in_ == 4
    np.testing.assert_array_equal(machine.predict(frame), TunedSVC(**QUICK).fit(X, Y).predict(X))
    with pytest.raises(ValueError, match="feature names"):
        machine.predict(frame[list("dcba")])
    with pytest.raises(ValueError, match="3 features"):
        machine.predict(frame.to_numpy()[:, :3])


def test_sparse_rows_and_bytes_are_scaled_only_when_asked() -> None:
    sparse = csr_matrix(np.where(UNIT > 0.5, X, 0.0))
    assert not isinstance(TunedSVC(**QUICK).fit(sparse, Y).best_estimator_, Pipeline)
    asked = TunedSVC(scale=True, **QUICK).fit(sparse, Y)
    assert not asked.best_estimator_[0].with_mean
    assert asked.predict(sparse).shape == (80,)
    pixels = (255 * (UNIT > 0) * [1, 1, 1, 0]).astype(np.uint8)
    pixels[0, 3] = 1
    assert not isinstance(TunedSVC(**QUICK).fit(pixels, Y).best_estimator_, Pipeline)


def _equal(A: Any, B: Any) -> np.ndarray:
    return np.array([[float(a == b) for b in B] for a in A])


@pytest.mark.parametrize("kernel", ["precomputed", FunctionKernel(_equal)])
def test_what_is_no_number_is_refused(kernel: Any) -> None:
    machine = TunedSVC(scale=True, kernel=kernel)
    rows = UNIT @ UNIT.T if kernel == "precomputed" else list("ab") * 40
    with pytest.raises(ValueError, match="scale=True needs rows of numbers"):
        machine.fit(rows, Y)
    assert machine.set_params(scale="auto", max_evals=2).fit(rows, Y).predict(rows).shape == (80,)


@pytest.mark.parametrize("make", MACHINES)
def test_it_is_saved_with_its_scaler(make: Any, tmp_path: Path) -> None:
    machine = make(**QUICK).fit(pd.DataFrame(X, columns=list("abcd")), Y)
    io.save(machine, tmp_path / "m")
    again = io.load(tmp_path / "m")
    assert set(vars(again)) == set(vars(machine))
    frame = pd.DataFrame(X, columns=list("abcd"))
    np.testing.assert_array_equal(again.predict(frame), machine.predict(frame))
    assert list(again.feature_names_in_) == list("abcd")
    assert again.kernel_ == machine.kernel_


def test_it_is_exported_with_its_scaler_and_probabilities(tmp_path: Path) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    machine = TunedSVC(**QUICK).fit(X, Y)
    session = onnxruntime.InferenceSession(io.to_onnx(machine).SerializeToString())
    names = ["label", "probabilities"]
    labels, probabilities = session.run(names, {session.get_inputs()[0].name: X})
    np.testing.assert_array_equal(labels, machine.predict(X))
    np.testing.assert_allclose(probabilities, machine.predict_proba(X), atol=1e-5)


def test_what_looks_inside_finds_the_machine_or_says_why_not() -> None:
    machine = TunedSVC(**QUICK).fit(X, Y)
    inside = taken_apart(machine)
    assert isinstance(inside.machine, SVC)
    assert [type(step) for step in inside.steps] == [StandardScaler]
    names = [finding.name for finding in diagnose(machine).findings]
    assert "unscaled-features" not in names
    assert machine.C_ == inside.machine.C
    assert "violation" in machine._repr_html_()
    assert machine.predict_proba(X).shape == (80, 2)


def test_predictions_of_a_machine_with_a_scaler_are_explained_in_the_units_given() -> None:
    machine = TunedSVC(**QUICK).fit(X, Y)
    found = explain(machine, X[:3], X)
    np.testing.assert_array_equal(found.data, X[:3])
    total = found.values.sum(axis=1) + found.base_values
    np.testing.assert_allclose(total, machine.decision_function(X[:3]), atol=1e-8)
    pull = influence(machine, X[:3])
    total = pull.values.sum(axis=1) + pull.base_values
    np.testing.assert_allclose(total, machine.decision_function(X[:3]), atol=1e-8)
    with pytest.raises(TypeError, match="got a Pipeline"):
        explain(machine.best_estimator_, X[:3], X)


def test_a_scaler_before_it_leaves_nothing_to_scale() -> None:
    machine = make_pipeline(StandardScaler(), TunedSVC(**QUICK)).fit(X, Y)
    assert isinstance(machine[-1].best_estimator_, SVC)
    assert clone(TunedSVC(scale=True)).scale is True
