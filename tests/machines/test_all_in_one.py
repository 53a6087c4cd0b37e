"""Classifiers that learn all classes in one machine."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import cross_val_score

from machines.test_multiclass import drawn
from mercer import SVC, Gram, NuSVC
from mercer.kernels import Constant
from mercer.multiclass import certify_multiclass, multiclass_problem
from mercer.multiclass.formulations import ALL_IN_ONE

SCHEMES = pytest.mark.parametrize("scheme", ALL_IN_ONE)


@pytest.mark.parametrize("C", [0.1, 3.0])
def test_crammer_and_singer_are_those_of_linear_svc(C: float) -> None:
    X, y = drawn(80, 4, 0)
    X += 1.0
    peer = sklearn.svm.LinearSVC(
        multi_class="crammer_singer", fit_intercept=False, C=C, tol=1e-9, max_iter=10**6
    ).fit(X, y)
    machine = SVC(
        kernel="linear", multiclass="crammer-singer", fit_intercept=False, C=C, tol=1e-8
    ).fit(X, y)

    def objective(w: np.ndarray) -> float:
        f = X @ w.T
        margin = f - f[np.arange(80), y][:, None] + (np.arange(4) != y[:, None])
        return float(0.5 * (w**2).sum() + C * margin.max(axis=1).sum())

    assert objective(machine.coef_) == pytest.approx(objective(peer.coef_), rel=1e-5)
    assert machine.objective_ == pytest.approx(objective(peer.coef_), rel=1e-5)


@SCHEMES
@pytest.mark.parametrize("bias", [True, False, "penalized"])
def test_the_machine_is_what_its_certificate_says(scheme: str, bias: Any) -> None:
    X, y = drawn(90, 4, 1)
    machine = SVC(C=2.0, multiclass=scheme, fit_intercept=bias).fit(X, y)
    kernel = machine.kernel_ + Constant(1.0) if bias else machine.kernel_
    gram = Gram(kernel, X, precision="double")
    (solution,) = machine.solutions_
    problem = multiclass_problem(scheme, y, 4, 2.0)
    certificate = certify_multiclass(problem, gram, solution.coef)
    assert machine.violation_ == pytest.approx(certificate.violation, abs=1e-12)
    assert machine.violation_ <= 1e-3
    assert machine.objective_ == pytest.approx(certificate.objective, rel=1e-12)
    assert machine.dual_gap_ == pytest.approx(certificate.relative_gap, rel=1e-9)
    coef = problem.coefficients(solution.coef)
    np.testing.assert_allclose(machine.decision_function(X), gram.product(None, coef.T), atol=1e-10)
    assert machine.multiclass_ == scheme
    assert machine.solver_ == "chunked"


@SCHEMES
def test_shapes_and_the_argmax(scheme: str) -> None:
    X, y = drawn(700, 4, 2)
    machine = SVC(multiclass=scheme).fit(X, y)
    scores = machine.decision_function(X)
    assert scores.shape == machine.machine_decisions(X).shape == (700, 4)
    np.testing.assert_array_equal(machine.predict(X), machine.classes_[scores.argmax(axis=1)])
    screened, certain = machine._screen(X)
    np.testing.assert_array_equal(screened[certain], scores.argmax(axis=1)[certain])
    assert certain.mean() > 0.9
    assert machine.dual_coef_.shape == (4, len(machine.support_))
    assert machine.intercept_.shape == (4,)
    assert machine.n_iter_.shape == (1,)
    assert len(machine.solutions_) == 1
    assert not hasattr(machine, "code_")
    assert machine.n_support_.sum() == len(machine.support_)
    np.testing.assert_array_equal(machine.support_vectors_, X[machine.support_])
    np.testing.assert_array_equal(np.sort(y[machine.support_]), y[machine.support_])


@SCHEMES
def test_two_classes_are_one_machine_in_every_scheme(scheme: str) -> None:
    X, y = drawn(50, 2, 3)
    plain, machine = SVC().fit(X, y), SVC(multiclass=scheme).fit(X, y)
    np.testing.assert_array_equal(machine.decision_function(X), plain.decision_function(X))
    assert machine.multiclass_ == "one-vs-one"


@SCHEMES
def test_functions_of_lee_lin_and_wahba_and_all_others_add_up_to_zero(scheme: str) -> None:
    X, y = drawn(60, 4, 4)
    machine = SVC(multiclass=scheme).fit(X, y)
    Z = np.random.default_rng(0).normal(size=(30, 3))
    np.testing.assert_allclose(machine.decision_function(Z).sum(axis=1), 0.0, atol=1e-10)


@settings(max_examples=10, deadline=None)
@given(st.sampled_from(ALL_IN_ONE), st.integers(0, 10**6))
def test_weights_are_repetitions(scheme: str, seed: int) -> None:
    X, y = drawn(40, 4, seed)
    weight = np.random.default_rng(seed).integers(0, 3, 40)
    weight[:4] = 1
    options = {"gamma": 0.3, "tol": 1e-7, "C": 2.0, "multiclass": scheme}
    weighted = SVC(**options).fit(X, y, sample_weight=weight)
    rows = np.repeat(np.arange(40), weight)
    repeated = SVC(**options).fit(X[rows], y[rows])
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-7)
    a, b = weighted.decision_function(X), repeated.decision_function(X)
    np.testing.assert_allclose(a, b, atol=2e-4)
    assert not set(weighted.support_) & set(np.flatnonzero(weight == 0))


@SCHEMES
def test_class_weights_are_weights_of_their_rows(scheme: str) -> None:
    X, y = drawn(60, 4, 5)
    class_weight = {0: 2.0, 1: 0.5, 2: 1.0, 3: 3.0}
    options = {"gamma": 0.3, "multiclass": scheme}
    by_class = SVC(class_weight=class_weight, **options).fit(X, y)
    by_row = SVC(**options).fit(X, y, sample_weight=[class_weight[label] for label in y])
    np.testing.assert_array_equal(by_class.dual_coef_, by_row.dual_coef_)


@SCHEMES
def test_names_of_classes_do_not_matter(scheme: str) -> None:
    X, y = drawn(90, 4, 6)
    rename = np.random.default_rng(0).permutation(4)
    options = {"tol": 1e-8, "C": 3.0, "multiclass": scheme}
    machine, other = SVC(**options).fit(X, y), SVC(**options).fit(X, rename[y])
    np.testing.assert_allclose(
        machine.decision_function(X), other.decision_function(X)[:, rename], atol=1e-6
    )


@SCHEMES
@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_classes_with_one_example_each(scheme: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(9, 2)), np.arange(9)
    machine = SVC(C=1e3, gamma=5.0, multiclass=scheme).fit(X, y)
    np.testing.assert_array_equal(machine.predict(X), y)


@pytest.mark.parametrize("scheme", ["weston-watkins", "crammer-singer"])
@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_hundreds_of_classes(scheme: str) -> None:
    rng = np.random.default_rng(1)
    y = np.repeat(np.arange(200), 2)
    X = rng.normal(size=(200, 8))[y] + 0.02 * rng.normal(size=(400, 8))
    machine = SVC(C=1.0, gamma=1.0, multiclass=scheme, tol=1e-2).fit(X, y)
    assert machine.score(X, y) > 0.99
    assert machine.violation_ <= 1e-2


@SCHEMES
def test_all_kinds_of_rows_are_the_same_machine(scheme: str) -> None:
    X, y = drawn(60, 4, 7)
    options = {"tol": 1e-7, "multiclass": scheme}
    dense = SVC(gamma=0.5, **options).fit(X, y)
    wanted = dense.decision_function(X)
    K = dense.kernel_(X, X)
    rows: dict[str, tuple[Any, Any]] = {
        "sparse": (SVC(gamma=0.5, **options), sp.csr_matrix(X)),
        "stored": (SVC(kernel="precomputed", **options), K),
        "function": (SVC(kernel=lambda a, b: dense.kernel_(a, b), **options), X),
        "float32": (SVC(gamma=0.5, **options), X.astype(np.float32)),
    }
    for name, (machine, Z) in rows.items():
        values = machine.fit(Z, y).decision_function(Z)
        np.testing.assert_allclose(values, wanted, atol=1e-5, err_msg=name)


def test_rows_of_bytes() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 80)
    X = (40 * y[:, None] + rng.integers(0, 60, (80, 5))).astype(np.uint8)
    options = {"multiclass": "crammer-singer", "gamma": 1e-3}
    machine, other = SVC(**options).fit(X, y), SVC(**options).fit(X.astype(float), y)
    assert machine.objective_ == pytest.approx(other.objective_, rel=1e-6)
    assert machine.support_vectors_.dtype == np.uint8


@SCHEMES
def test_weights_of_the_features_give_the_decisions(scheme: str) -> None:
    X, y = drawn(80, 4, 8)
    machine = SVC(kernel="linear", multiclass=scheme, C=0.1).fit(X, y)
    values = X @ machine.coef_.T + machine.intercept_
    np.testing.assert_allclose(values, machine.decision_function(X), atol=1e-8)


def test_a_fit_goes_on_from_the_last_one() -> None:
    X, y = drawn(200, 4, 9)
    machine = SVC(multiclass="weston-watkins", warm_start=True).fit(X, y)
    assert machine.fit(X, y).n_iter_[0] == 0
    # another scheme starts anew, or from what fits
    machine.set_params(multiclass="crammer-singer").fit(X, y)
    assert machine.violation_ <= 1e-3
    machine.set_params(multiclass="one-vs-all").fit(X, y)
    assert len(machine.solutions_) == 4


def test_the_end_of_the_time_leaves_a_machine_and_a_warning() -> None:
    X, y = drawn(1500, 5, 10)
    machine = SVC(multiclass="lee-lin-wahba", max_time=1e-9)
    with pytest.warns(ConvergenceWarning, match="max_time=1e-09"):
        machine.fit(X, y)
    assert machine.solutions_[0].status == "max-time"
    assert machine.fit_status_ == 1
    assert machine.predict(X).shape == (1500,)


def test_callbacks_hear_of_the_run_and_may_end_it() -> None:
    X, y = drawn(600, 4, 11)
    seen: list[Any] = []
    machine = SVC(
        multiclass="lee-lin-wahba", C=1e4, gamma=1e-3, tol=1e-9, callback=lambda p: seen.append(p)
    )
    with pytest.warns(ConvergenceWarning):
        machine.set_params(max_time=0.4).fit(X, y)
    assert len(seen) >= 2
    assert seen[-1].iteration > seen[0].iteration
    assert seen[-1].objective > seen[0].objective
    with pytest.warns(ConvergenceWarning, match="callback"):
        machine.set_params(max_time=None, callback=lambda p: True).fit(X, y)


@SCHEMES
def test_threads_do_not_matter(scheme: str) -> None:
    X, y = drawn(1300, 4, 12)
    one, two = (SVC(n_threads=n, multiclass=scheme).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.dual_coef_, two.dual_coef_)
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_copies_probabilities_and_cross_validation() -> None:
    X, y = load_iris(return_X_y=True)
    machine = SVC(multiclass="crammer-singer", probability=True, C=2.0).fit(X, y)
    np.testing.assert_allclose(machine.predict_proba(X).sum(axis=1), 1.0)
    again = pickle.loads(pickle.dumps(machine))
    np.testing.assert_array_equal(again.decision_function(X), machine.decision_function(X))
    assert clone(machine).fit(X, y).score(X, y) == machine.score(X, y)
    assert cross_val_score(SVC(multiclass="weston-watkins"), X, y).mean() > 0.93


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("scheme", ["one-vs-one", "crammer-singer"])
def test_a_fit_forgets_the_probabilities_of_the_last_one(scheme: str) -> None:
    X, y = load_iris(return_X_y=True)
    machine = SVC(multiclass=scheme, probability=True).fit(X, y)
    machine.set_params(probability=False).fit(-X, y).set_params(probability=True)
    with pytest.raises(NotFittedError, match="when fitted with probability=False"):
        machine.predict_proba(X)


def test_another_scheme_leaves_nothing_of_the_last_one() -> None:
    X, y = load_iris(return_X_y=True)
    X = X + 1000.0  # pairs measure a linear kernel from the mean of such rows
    machine = SVC(kernel="linear", multiclass="crammer-singer", max_iter=50)
    with pytest.warns(ConvergenceWarning):
        machine.fit(X, y)
    machine.set_params(multiclass="one-vs-one", max_iter=-1).fit(X, y)
    plain = SVC(kernel="linear").fit(X, y)
    np.testing.assert_array_equal(machine.decision_function(X), plain.decision_function(X))


@pytest.mark.parametrize(
    ("machine", "message"),
    [
        (SVC(loss="squared_hinge"), "loss must be 'hinge' for multiclass='weston-watkins'"),
        (SVC(loss="pinball"), "loss must be 'hinge'"),
        (SVC(solver="smo"), "solver must be 'auto' for multiclass="),
        (SVC(C=np.inf), "C must be finite for multiclass="),
        (SVC(decision_function_shape="ovo"), "needs multiclass='one-vs-one'"),
        (NuSVC(nu=0.1), "'multiclass' parameter of NuSVC"),
    ],
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_what_these_machines_do_not_have_is_named(
    machine: Any, message: str, n_classes: int
) -> None:
    X, y = drawn(30, n_classes, 13)
    with pytest.raises(ValueError, match=message):
        clone(machine).set_params(multiclass="weston-watkins").fit(X, y)
