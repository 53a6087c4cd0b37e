"""Codes around any classifier: the machines of each column, and scikit-learn's conventions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import RLSC, SVC, CodeClassifier
from mercer.codes import make_code
from mercer.codes.making import CODES

X, Y = load_iris(return_X_y=True)


@parametrize_with_checks([CodeClassifier(RLSC(), code="one-vs-one", decoding="hamming")])
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("code", CODES)
def test_it_is_what_a_machine_with_codes_of_its_own_is(code: str) -> None:
    inside = SVC(multiclass="code", code=code, tol=1e-8, gamma=0.5).fit(X, Y)
    around = CodeClassifier(SVC(tol=1e-8, gamma=0.5), code=code).fit(X, Y)
    a, b = inside.machine_decisions(X), around.machine_decisions(X)
    np.testing.assert_allclose(a, b, atol=1e-5)
    np.testing.assert_allclose(inside.decision_function(X), around.decision_function(X), atol=1e-3)
    squares = RLSC(multiclass="code", code=code, gamma=0.5).fit(X, Y)
    around = CodeClassifier(RLSC(gamma=0.5), code=code, decoding="squared_error").fit(X, Y)
    np.testing.assert_allclose(squares.decision_function(X), around.decision_function(X), atol=1e-6)


def test_two_classes_are_the_classifier_itself() -> None:
    y = Y > 0
    plain = LogisticRegression().fit(X, y)
    machine = CodeClassifier(LogisticRegression(), code="bch").fit(X, y)
    np.testing.assert_allclose(machine.decision_function(X), plain.decision_function(X), atol=1e-9)
    assert len(machine.estimators_) == 1


@pytest.mark.parametrize(
    "estimator", [RandomForestClassifier(10, random_state=0), NearestCentroid()]
)
def test_classifiers_without_decision_values(estimator: Any) -> None:
    machine = CodeClassifier(estimator, code="one-vs-one", decoding="hamming").fit(X, Y)
    assert machine.decision_function(X).shape == (150, 3)
    assert machine.score(X, Y) > 0.9


def test_stored_kernels_frames_and_sparse_rows() -> None:
    K = X @ X.T
    stored = CodeClassifier(SVC(kernel="precomputed"), code="one-vs-one").fit(K, Y)
    plain = CodeClassifier(SVC(kernel="linear"), code="one-vs-one").fit(X, Y)
    np.testing.assert_allclose(stored.machine_decisions(K), plain.machine_decisions(X), atol=1e-3)
    rows = sp.csr_matrix(X)
    other = CodeClassifier(SVC(kernel="linear"), code="one-vs-one").fit(rows, Y)
    np.testing.assert_allclose(other.machine_decisions(rows), plain.machine_decisions(X), atol=1e-3)
    frame = pd.DataFrame(X, columns=list("abcd"))
    pipeline = make_pipeline(
        make_column_transformer((StandardScaler(), ["a", "c"]), ("passthrough", ["d"])), SVC()
    )
    machine = CodeClassifier(pipeline, code="sparse").fit(frame, Y)
    assert machine.feature_names_in_.tolist() == list("abcd")
    assert machine.score(frame, Y) > 0.9


def test_several_jobs_are_the_same_machine() -> None:
    from joblib import parallel_config

    plain = CodeClassifier(SVC()).fit(X, Y)
    with parallel_config(backend="threading"):
        machine = CodeClassifier(SVC(), n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(machine.decision_function(X), plain.decision_function(X))


def test_weights_are_repetitions() -> None:
    weight = np.random.default_rng(0).integers(0, 3, 150)
    rows = np.repeat(np.arange(150), weight)
    machine = CodeClassifier(RLSC(gamma=0.5)).fit(X, Y, sample_weight=weight)
    repeated = CodeClassifier(RLSC(gamma=0.5)).fit(X[rows], Y[rows])
    np.testing.assert_allclose(machine.decision_function(X), repeated.decision_function(X))


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="each of the 3 classes"):
        CodeClassifier(SVC(), code=make_code("bch", 4)).fit(X, Y)
    with pytest.raises(ValueError, match="NearestCentroid takes no weights"):
        CodeClassifier(NearestCentroid()).fit(X, Y, sample_weight=np.ones(150))
    with pytest.raises(ValueError, match="'estimator' parameter"):
        CodeClassifier("svc").fit(X, Y)
    with pytest.raises(ValueError, match="NaN"):
        CodeClassifier(SVC()).fit(X * np.nan, Y)
    machine = CodeClassifier(SVC()).fit(X, Y)
    with pytest.raises(ValueError, match="NaN"):
        machine.machine_decisions(X * np.nan)
    with pytest.raises(ValueError, match="features"):
        machine.predict(X[:, :3])


def test_a_learned_code_word_of_each_class_decides() -> None:
    machine = CodeClassifier(RLSC(gamma=0.5), decoding="learned").fit(X, Y)
    words = machine.decoder_.coef_
    assert words.shape == (3, machine.code_.n_columns)
    values = machine.machine_decisions(X)
    np.testing.assert_allclose(machine.decision_function(X), values @ words.T, atol=1e-8)
    assert machine.score(X, Y) > 0.9


def test_a_learned_code_forgets_that_of_another_fit_and_keeps_weights() -> None:
    machine = CodeClassifier(SVC(), decoding="learned").fit(X, Y, sample_weight=np.ones(len(Y)))
    machine.set_params(decoding="hinge").fit(X, Y)
    assert not hasattr(machine, "decoder_")
    two = CodeClassifier(SVC(), decoding="learned").fit(X[:100], Y[:100])
    assert two.score(X[:100], Y[:100]) == 1.0


def test_a_learned_code_needs_rows_of_each_class() -> None:
    with pytest.raises(ValueError, match=r"decoding='learned' needs at least 3 rows.*got 1 of 2"):
        CodeClassifier(SVC(), decoding="learned").fit(X[:101], Y[:101])
