"""A saved estimator comes back the same in every bit."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from io_cases import LABELS, MACHINES, ROWS, X, Y, assert_same, assert_same_outputs
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.gaussian_process import kernels as process_kernels
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer, OneHotEncoder, StandardScaler

from mercer import SVC, SVR, CalibratedSVC, Smo, TunedSVC
from mercer.io import load, read_metadata, save
from mercer.kernels import (
    Constant,
    FunctionKernel,
    Gaussian,
    Laplacian,
    Linear,
    Normalized,
    Polynomial,
    Precomputed,
    Product,
    Scaled,
    Sigmoid,
    Sum,
)


def round_trip(estimator, path):
    save(estimator, path)
    return load(path)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("name", MACHINES)
def test_machines_come_back_bit_for_bit(name, rows, tmp_path):
    machine = clone(MACHINES[name]).fit(ROWS[rows], Y)
    loaded = round_trip(machine, tmp_path / "m.mercer")
    assert_same(machine, loaded)
    assert_same_outputs(machine, loaded, ROWS[rows])


@pytest.mark.parametrize("labels", LABELS)
def test_class_labels_keep_their_type(labels, tmp_path):
    machine = SVC().fit(X, LABELS[labels])
    loaded = round_trip(machine, tmp_path / "m.mercer")
    assert_same(machine.classes_, loaded.classes_)
    assert_same(machine.predict(X), loaded.predict(X))


def test_the_certificate_is_saved(tmp_path):
    machine = SVC().fit(X, Y)
    loaded = round_trip(machine, tmp_path / "m.mercer")
    assert len(loaded.solutions_) == 3
    for before, after in zip(machine.solutions_, loaded.solutions_, strict=True):
        assert after.relative_gap == before.relative_gap
        assert after.status == "converged"
        assert_same(before, after)


def test_a_loaded_machine_can_be_fitted_again_and_resumed(tmp_path):
    machine = SVC(warm_start=True).fit(X, Y)
    loaded = round_trip(machine, tmp_path / "m.mercer")
    assert loaded.fit(X, Y).objective_ == pytest.approx(machine.objective_, rel=1e-6)


def test_precomputed_kernel(tmp_path):
    K = X @ X.T
    for kernel in ("precomputed", Precomputed()):
        machine = SVC(kernel=kernel).fit(K, Y)
        assert_same_outputs(machine, round_trip(machine, tmp_path / "m.mercer"), K)


def test_parameters_of_every_kind(tmp_path):
    machine = SVC(
        class_weight={0: 1.0, np.int64(1): 2.5, 2: 1},
        C=np.inf,
        solver=Smo(selection="most-violating"),
        kernel=Gaussian(gamma=0.3),
        random_state=3,
        max_time=100.0,
        n_threads=1,
    ).fit(X, Y > 0)
    loaded = round_trip(machine, tmp_path / "m.mercer")
    assert_same(machine, loaded)
    assert np.inf == loaded.C
    assert_same(loaded.solver, Smo(selection="most-violating"))


def test_an_unfitted_machine_can_be_saved(tmp_path):
    assert round_trip(SVC(C=3.0), tmp_path / "m.mercer").get_params()["C"] == 3.0


def test_the_callback_is_left_out(tmp_path):
    machine = SVC(callback=lambda progress: None).fit(X, Y)
    loaded = round_trip(machine, tmp_path / "m.mercer")
    assert loaded.callback is None
    assert_same(machine.predict(X), loaded.predict(X))


def test_indices_of_64_bits_stay_so(tmp_path):
    rows = sp.csr_array(X)
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    machine = SVR().fit(rows, Y)
    loaded = round_trip(machine, tmp_path / "m.mercer")
    assert_same(machine.support_vectors_, loaded.support_vectors_)


KERNELS = [
    Gaussian(gamma=[0.1, 0.2, 0.3, 0.4]),
    Gaussian(gamma=np.diag([0.1, 0.2, 0.3, 0.4]), metric="full"),
    Gaussian(gamma=0.5, metric="diagonal"),
    Laplacian(gamma="median"),
    Sigmoid(gamma=0.1, coef0=-0.5),
    Normalized(Polynomial(degree=2, gamma=0.5, coef0=1.0)),
    2.0 * Gaussian(0.2) + Linear() * Gaussian(1.0) + 1.0,
    process_kernels.RBF(2.0) + process_kernels.Matern(length_scale=[1.0, 2.0, 3.0, 4.0]),
    process_kernels.DotProduct() ** 2,
]


@pytest.mark.filterwarnings("ignore:the kernel Sigmoid")
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_composed_kernels(kernel, tmp_path):
    machine = SVC(kernel=kernel).fit(X, Y)
    loaded = round_trip(machine, tmp_path / "m.mercer")
    assert loaded.kernel_ == machine.kernel_
    assert repr(loaded.kernel) == repr(machine.kernel)
    assert_same_outputs(machine, loaded, X)


@pytest.mark.filterwarnings("ignore:the kernel Sigmoid")
def test_a_sigmoid_kernel_and_sigmoid_probabilities_are_saved_side_by_side(tmp_path):
    machine = CalibratedSVC(SVC(kernel="sigmoid", gamma=0.1), cv=2).fit(X, Y)
    loaded = round_trip(machine, tmp_path / "m.mercer")
    assert isinstance(loaded.estimator_.kernel_, Sigmoid)
    assert_same(machine.predict_proba(X), loaded.predict_proba(X))


positive = st.floats(1e-3, 1e3)
leaves = st.one_of(
    st.just(Linear()),
    st.builds(Constant, positive, st.just("fixed")),
    st.builds(Gaussian, st.one_of(positive, st.sampled_from(["scale", "median"]))),
    st.builds(Laplacian, positive, st.just((1e-2, 1e4))),
    st.builds(Polynomial, st.integers(1, 5), positive, positive),
    st.builds(Sigmoid, positive, st.floats(-10.0, 10.0)),
)
trees = st.recursive(
    leaves,
    lambda parts: st.one_of(
        st.builds(Sum, parts, parts), st.builds(Product, parts, parts), st.builds(Scaled, parts)
    ),
    max_leaves=5,
)


@settings(deadline=None, max_examples=30)
@given(kernel=trees)
def test_any_tree_of_kernels_comes_back_equal(kernel, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "tree.mercer"
    loaded = round_trip(SVC(kernel=kernel), path).kernel
    assert loaded == kernel
    assert type(loaded) is type(kernel)


def mixed_frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d [cm]"])
    return frame.assign(colour=rng.choice(np.array(["red", "blue"], dtype=object), len(X)))


def preparation():
    return ColumnTransformer(
        [
            ("numbers", StandardScaler(), ["a", "b", "c", "d [cm]"]),
            ("categories", OneHotEncoder(handle_unknown="ignore"), ["colour"]),
        ]
    )


def test_pipelines_of_the_command_line(tmp_path):
    frame = mixed_frame()
    model = Pipeline([("prepare", preparation()), ("machine", SVC())]).fit(frame, LABELS["str"])
    loaded = round_trip(model, tmp_path / "m.mercer")
    assert_same(model.feature_names_in_, loaded.feature_names_in_)
    other = frame.assign(colour="unseen")
    for rows in (frame, other, frame.iloc[:1], frame[frame.columns[::-1]]):
        assert_same_outputs(model, loaded, rows)
    assert list(loaded[0].get_feature_names_out()) == list(model[0].get_feature_names_out())


def test_a_scaled_target(tmp_path):
    pipeline = Pipeline([("prepare", preparation()), ("machine", SVR())])
    model = TransformedTargetRegressor(pipeline, transformer=StandardScaler())
    model.fit(mixed_frame(), 1000.0 * Y)
    assert_same_outputs(model, round_trip(model, tmp_path / "m.mercer"), mixed_frame())


def test_a_scaler_of_sparse_rows(tmp_path):
    model = make_pipeline(StandardScaler(with_mean=False), SVC()).fit(sp.csr_matrix(X), Y)
    assert_same_outputs(model, round_trip(model, tmp_path / "m.mercer"), sp.csr_matrix(X))


def test_feature_names(tmp_path):
    frame = mixed_frame()[["a", "b", "c", "d [cm]"]]
    machine = SVC().fit(frame, Y)
    loaded = round_trip(machine, tmp_path / "m.mercer")
    assert_same(machine.feature_names_in_, loaded.feature_names_in_)


def test_equal_models_give_equal_files(tmp_path):
    machine = SVC().fit(X, Y)
    save(machine, tmp_path / "a")
    save(load(tmp_path / "a"), tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_metadata(tmp_path):
    save(SVC(), tmp_path / "m", metadata={"origin": "tests", "scores": [0.5, None]})
    metadata = read_metadata(tmp_path / "m")
    assert metadata["origin"] == "tests"
    assert metadata["scores"] == [0.5, None]
    assert "mercer" in metadata["written_by"]
    with pytest.raises(ValueError, match="metadata must be a dict of JSON values"):
        save(SVC(), tmp_path / "m", metadata={"value": np.float32(1.0)})


def one_dimensional(rows, others):
    return rows @ others.T


class OwnSVC(SVC):
    pass


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (SVC(kernel=one_dimensional), "SVC.kernel is the Python function 'one_dimensional'"),
        (SVC(kernel=FunctionKernel(one_dimensional)), "a FunctionKernel, a Python function"),
        (SVC(kernel=FunctionKernel(one_dimensional) + 1.0), "SVC.kernel.left is a FunctionKernel"),
        (OwnSVC(), "OwnSVC, which cannot be saved"),
        (LogisticRegression(), "LogisticRegression, which cannot be saved"),
        (make_pipeline(Normalizer(), SVC()), "Normalizer, which cannot be saved"),
        (make_pipeline(TfidfVectorizer(), SVC()), "mercer.tables.TextFeatures does the same"),
        (
            make_pipeline(FunctionTransformer(np.log1p), SVC()),
            "func is the Python function 'log1p'",
        ),
        (CalibratedClassifierCV(LogisticRegression()), "estimator is a .*LogisticRegression"),
        (TunedSVC(scoring=one_dimensional), "Use the name of a score, or pickle"),
        (SVC(random_state=np.random.RandomState(0)), "SVC.random_state is a .*RandomState"),
        ("a text", "estimator must be an estimator"),
    ],
)
def test_what_cannot_be_saved_is_refused_by_name(estimator, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        save(estimator, tmp_path / "m.mercer")
    assert not os.listdir(tmp_path)


def test_a_save_that_fails_leaves_the_old_file_alone(tmp_path, monkeypatch):
    path = tmp_path / "m.mercer"
    save(SVC(C=1.0), path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        save(SVC(C=2.0), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["m.mercer"]


def test_a_folder_that_is_not_there_is_named_and_not_a_temporary_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as error:
        save(SVC().fit([[0.0], [1.0]], [0, 1]), tmp_path / "nope" / "q.mercer")
    assert error.value.filename == str(tmp_path / "nope")
