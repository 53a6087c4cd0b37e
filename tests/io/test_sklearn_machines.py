"""Machines of scikit-learn and ours predict alike, either way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import svm
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import LSSVR, SVC, TunedSVC
from mercer.io import from_sklearn, load, save, to_sklearn

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
ROWS = RNG.normal(size=(30, 3))
THREE = np.array(["a", "b", "c"])[(X + 0.3 * RNG.normal(size=X.shape)).argmax(axis=1)]
TARGETS = X[:, 0] ** 2
MACHINES = {
    "SVC": (svm.SVC(), THREE),
    "SVC of two": (svm.SVC(), X[:, 0] > 0),
    "NuSVC": (svm.NuSVC(nu=0.2), THREE),
    "SVR": (svm.SVR(), TARGETS),
    "NuSVR": (svm.NuSVR(), TARGETS),
    "OneClassSVM": (svm.OneClassSVM(nu=0.3), None),
}


def values(estimator: Any, rows: Any) -> np.ndarray:
    return getattr(estimator, "decision_function", estimator.predict)(rows)


def given(kernel: str, layout: Any) -> tuple[Any, Any]:
    rows = (X @ X.T, ROWS @ X.T) if kernel == "precomputed" else (X, ROWS)
    return layout(rows[0]), layout(rows[1])


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid", "precomputed"])
@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.filterwarnings("ignore")
def test_machines_predict_alike_either_way(name: str, kernel: str, layout: Any) -> None:
    if kernel == "precomputed" and layout is sp.csr_matrix:
        layout = np.asarray
    rows, others = given(kernel, layout)
    machine, labels = MACHINES[name]
    theirs = machine.set_params(kernel=kernel).fit(rows, labels)
    ours = from_sklearn(theirs)
    size = max(1.0, float(np.abs(theirs.dual_coef_).sum()))
    exact = {"rtol": 0, "atol": 1e-12 * size}
    np.testing.assert_allclose(values(ours, others), values(theirs, others), **exact)
    back = to_sklearn(ours)
    np.testing.assert_allclose(values(back, others), values(theirs, others), **exact)
    own = getattr(mercer, name.split()[0])(**ours.get_params()).fit(rows, labels)
    as_theirs = to_sklearn(own)
    size = max(1.0, float(np.abs(own.dual_coef_).sum()))
    np.testing.assert_allclose(
        values(as_theirs, others), values(own, others), rtol=0, atol=1e-12 * size
    )
    assert set(vars(theirs)) <= set(vars(as_theirs))


@pytest.mark.parametrize("n_targets", [1, 2])
@pytest.mark.parametrize(
    "kernel", ["linear", "polynomial", "rbf", "sigmoid", "laplacian", "cosine", "precomputed"]
)
def test_kernel_ridge_is_the_least_squares_machine_without_a_bias(
    kernel: str, n_targets: int
) -> None:
    targets = TARGETS if n_targets == 1 else np.column_stack([TARGETS, X[:, 1]])
    rows, others = given(kernel, np.asarray)
    theirs = KernelRidge(kernel=kernel).fit(rows, targets)
    ours = from_sklearn(theirs)
    exact = {"rtol": 0, "atol": 1e-12 * max(1.0, float(np.abs(theirs.dual_coef_).sum()))}
    np.testing.assert_allclose(ours.predict(others), theirs.predict(others), **exact)
    if kernel == "cosine":
        with pytest.raises(ValueError, match="Normalized"):
            to_sklearn(ours)
        return
    back = to_sklearn(ours)
    np.testing.assert_allclose(back.predict(others), theirs.predict(others), **exact)


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
def test_a_ridge_made_of_rows_in_single_precision_keeps_its_digits(layout: Any) -> None:
    rows, others = (layout(np.asarray(own, dtype=np.float32)) for own in (X, ROWS))
    ours = LSSVR(kernel="poly", gamma=0.5, fit_intercept=False).fit(rows, TARGETS)
    size = float(np.abs(ours.dual_coef_).sum())
    np.testing.assert_allclose(
        to_sklearn(ours).predict(others), ours.predict(others), rtol=0, atol=1e-12 * size
    )


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
def test_rows_of_zeros_have_no_cosine_with_each_other_in_scikit_learn(layout: Any) -> None:
    rows, others = X.copy(), ROWS.copy()
    rows[:2] = others[:2] = 0.0
    theirs = KernelRidge(kernel="cosine").fit(layout(rows), TARGETS)
    ours = from_sklearn(theirs)
    np.testing.assert_allclose(
        ours.predict(layout(others)), theirs.predict(layout(others)), rtol=0, atol=1e-12
    )


def test_a_converted_machine_is_saved_and_a_pipeline_keeps_its_steps(tmp_path: Any) -> None:
    theirs = make_pipeline(StandardScaler(), svm.SVC()).fit(X, THREE)
    ours = from_sklearn(theirs)
    assert type(ours[-1]) is SVC
    save(ours, tmp_path / "model.mercer")
    np.testing.assert_array_equal(
        load(tmp_path / "model.mercer").predict(ROWS), theirs.predict(ROWS)
    )
    np.testing.assert_array_equal(to_sklearn(ours).predict(ROWS), theirs.predict(ROWS))


def test_what_the_other_side_does_not_have_is_named() -> None:
    with pytest.raises(ValueError, match="got Ridge"):
        from_sklearn(Ridge().fit(X, TARGETS))
    with pytest.raises(ValueError, match="got TunedSVC: its best_estimator_ can go"):
        to_sklearn(TunedSVC(max_evals=2, cv=2, scale=False).fit(X, np.equal(THREE, THREE[0])))
    with pytest.raises(ValueError, match="kernel must be a name"):
        from_sklearn(svm.SVC(kernel=lambda a, b: a @ b.T).fit(X, THREE))
    with pytest.raises(ValueError, match="kernel must be one of"):
        from_sklearn(KernelRidge(kernel="chi2", gamma=1.0).fit(np.abs(X), TARGETS))
    with pytest.raises(ValueError, match="alpha must be one number"):
        from_sklearn(KernelRidge(alpha=[1.0, 2.0]).fit(X, X[:, :2]))
    with pytest.raises(ValueError, match="multiclass must be 'one-vs-one'"):
        to_sklearn(SVC(multiclass="one-vs-all").fit(X, THREE))
    with pytest.raises(ValueError, match="Laplacian"):
        to_sklearn(SVC(kernel="laplacian").fit(X, THREE))
    with pytest.raises(ValueError, match="no bias"):
        to_sklearn(LSSVR(fit_intercept=True).fit(X, TARGETS + 5.0))
