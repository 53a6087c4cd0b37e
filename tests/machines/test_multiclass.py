"""Schemes of more than two classes: each machine is that of its column alone."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

import mercer.formulations as fm
from mercer import SVC, Gram, NuSVC, certify, solve
from mercer.codes import make_code
from mercer.codes.decoding import decoding_named
from mercer.kernels import Constant

OWN = np.array([[1, 0, 1, -1], [-1, 1, 1, 1], [0, -1, -1, 1], [1, 1, -1, -1]])
SCHEMES: dict[str, dict[str, Any]] = {
    "one-vs-one": {"multiclass": "one-vs-one"},
    "one-vs-all": {"multiclass": "one-vs-all"},
    "complete": {"multiclass": "code", "code": "complete"},
    "hadamard": {"multiclass": "code", "code": "hadamard", "decoding": "exponential"},
    "sparse": {"multiclass": "code", "code": "sparse", "decoding": "hamming"},
    "own": {"multiclass": "code", "code": OWN},
}


def drawn(n: int, classes: int, seed: int, spread: float = 0.8) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    centres = rng.normal(scale=2.0, size=(classes, 3))
    y = np.r_[np.arange(classes), rng.integers(0, classes, n - classes)]
    return centres[y] + spread * rng.normal(size=(n, 3)), y


def matrix_of(machine: Any) -> np.ndarray:
    """The code, also that of pairs."""
    code = getattr(machine, "code_", None)
    return make_code("one-vs-one", len(machine.classes_)).matrix if code is None else code.matrix


@pytest.mark.parametrize("bias", [True, False, "penalized"])
@pytest.mark.parametrize("name", SCHEMES)
def test_machines_are_those_of_each_column_alone(name: str, bias: Any) -> None:
    X, y = drawn(70, 4, 0)
    machine = SVC(C=2.0, tol=1e-8, fit_intercept=bias, **SCHEMES[name]).fit(X, y)
    decisions = machine.machine_decisions(X)
    kernel = machine.kernel_ + Constant(1.0) if bias == "penalized" else machine.kernel_
    matrix = matrix_of(machine)
    assert len(machine.solutions_) == matrix.shape[1] == decisions.shape[1]
    for k, column in enumerate(matrix.T):
        rows = column[y] != 0
        formulation = fm.svc(column[y[rows]].astype(float), 2.0, fit_intercept=bias)
        gram = Gram(kernel, X[rows], precision="double")
        alone = solve(formulation.problem, gram, tol=1e-8)
        found = machine.solutions_[k]
        assert found.objective == pytest.approx(alone.objective, rel=1e-7)
        fitted = formulation.fitted_parameters(alone)
        values = machine.kernel_(X, X[rows]) @ fitted.coef + fitted.intercept
        np.testing.assert_allclose(decisions[:, k], values, atol=1e-5)


@pytest.mark.parametrize("name", SCHEMES)
def test_the_certificate_of_a_machine_is_that_of_its_rows(name: str) -> None:
    X, y = drawn(90, 4, 1)
    machine = SVC(C=5.0, **SCHEMES[name]).fit(X, y)
    order = np.argsort(y, kind="stable") if name in ("one-vs-one", "sparse", "own") else None
    rows = np.arange(90) if order is None else order
    for column, solution in zip(matrix_of(machine).T, machine.solutions_, strict=True):
        own = rows[column[y[rows]] != 0]
        problem = fm.svc(column[y[own]].astype(float), 5.0).problem
        gram = Gram(machine.kernel_, X[own], precision="double")
        alone = certify(problem, gram, solution.coef)
        assert solution.violation == pytest.approx(alone.violation, abs=1e-12)
        assert solution.objective == pytest.approx(alone.objective, rel=1e-12)


@pytest.mark.parametrize("kind", [SVC, NuSVC])
@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_shapes_and_the_argmax(name: str, kind: type) -> None:
    X, y = drawn(120, 4, 2)
    options = {"nu": 0.1} if kind is NuSVC else {"C": 1.0}
    machine = kind(**options, **SCHEMES[name]).fit(X, y)
    scores = machine.decision_function(X)
    assert scores.shape == (120, 4)
    np.testing.assert_array_equal(machine.predict(X), machine.classes_[scores.argmax(axis=1)])
    n_machines = matrix_of(machine).shape[1]
    assert machine.machine_decisions(X).shape == (120, n_machines)
    assert machine.intercept_.shape == machine.n_iter_.shape == (n_machines,)
    n_rows = 3 if name == "one-vs-one" else n_machines
    assert machine.dual_coef_.shape == (n_rows, len(machine.support_))
    assert machine.n_support_.sum() == len(machine.support_)
    np.testing.assert_array_equal(machine.support_vectors_, X[machine.support_])
    np.testing.assert_array_equal(np.sort(y[machine.support_]), y[machine.support_])
    # the union: every support vector is one of some machine, and stored once
    assert len(np.unique(machine.support_)) == len(machine.support_)
    assert (np.abs(machine.dual_coef_).sum(axis=0) > 0).all()


def test_scores_of_a_code_are_negated_losses() -> None:
    X, y = drawn(80, 4, 3)
    for decoding in ("hamming", "hinge", "squared_error", "exponential"):
        machine = SVC(multiclass="code", code="sparse", decoding=decoding).fit(X, y)
        outputs = machine.machine_decisions(X)
        wanted = decoding_named(decoding).scores(machine.code_, outputs)
        np.testing.assert_array_equal(machine.decision_function(X), wanted)


@pytest.mark.parametrize(
    ("loss", "decoding"),
    [("hinge", "hinge"), ("squared_hinge", "squared_hinge"), ("squared_error", "squared_error")],
)
def test_decoding_is_by_the_loss_of_the_machines(loss: str, decoding: str) -> None:
    X, y = drawn(60, 4, 4)
    machine = SVC(multiclass="code", code="hadamard", loss=loss).fit(X, y)
    values = machine.decision_function(X)
    machine.set_params(decoding=decoding)
    np.testing.assert_array_equal(values, machine.decision_function(X))


@pytest.mark.parametrize("name", [name for name in SCHEMES if name != "own"])
def test_two_classes_are_one_machine_in_every_scheme(name: str) -> None:
    X, y = drawn(50, 2, 5)
    plain, machine = SVC().fit(X, y), SVC(**SCHEMES[name]).fit(X, y)
    assert len(machine.solutions_) == 1
    assert not hasattr(machine, "code_")
    np.testing.assert_array_equal(machine.decision_function(X), plain.decision_function(X))
    np.testing.assert_array_equal(machine.predict(X), plain.predict(X))
    assert machine.machine_decisions(X).shape == (50, 1)


@pytest.mark.parametrize("name", ["one-vs-one", "one-vs-all", "complete"])
def test_names_of_classes_do_not_matter(name: str) -> None:
    X, y = drawn(90, 4, 6)
    rng = np.random.default_rng(0)
    rename = rng.permutation(4)
    options = {"tol": 1e-8, "C": 3.0, **SCHEMES[name]}
    machine, other = SVC(**options).fit(X, y), SVC(**options).fit(X, rename[y])
    Z = rng.normal(scale=2.0, size=(300, 3))
    np.testing.assert_array_equal(rename[machine.predict(Z)], other.predict(Z))


@settings(max_examples=15, deadline=None)
@given(st.sampled_from(list(SCHEMES)), st.integers(0, 10**6))
def test_weights_are_repetitions(name: str, seed: int) -> None:
    X, y = drawn(40, 4, seed)
    rng = np.random.default_rng(seed)
    weight = rng.integers(0, 3, 40)
    weight[:4] = 1
    options = {"gamma": 0.3, "tol": 1e-8, "C": 2.0, **SCHEMES[name]}
    weighted = SVC(**options).fit(X, y, sample_weight=weight)
    rows = np.repeat(np.arange(40), weight)
    repeated = SVC(**options).fit(X[rows], y[rows])
    for a, b in zip(weighted.solutions_, repeated.solutions_, strict=True):
        assert a.objective == pytest.approx(b.objective, rel=1e-7, abs=1e-9)
    a, b = weighted.machine_decisions(X), repeated.machine_decisions(X)
    np.testing.assert_allclose(a, b, atol=2e-4)


@pytest.mark.parametrize("name", ["one-vs-all", "sparse"])
def test_class_weights_are_weights_of_their_rows(name: str) -> None:
    X, y = drawn(60, 4, 7)
    class_weight = {0: 2.0, 1: 0.5, 2: 1.0, 3: 3.0}
    options = {"gamma": 0.3, "tol": 1e-8, **SCHEMES[name]}
    by_class = SVC(class_weight=class_weight, **options).fit(X, y)
    by_row = SVC(**options).fit(X, y, sample_weight=[class_weight[label] for label in y])
    np.testing.assert_array_equal(by_class.dual_coef_, by_row.dual_coef_)


@pytest.mark.parametrize(
    "names",
    [
        np.array(["d", "a", "c", "b"]),
        np.array(["d", "a", "c", "b"], dtype=object),
        np.array([-1.0, 0.0, 2.0, 7.0]),
        np.array([10, 3, 200, -4], dtype=np.int16),
    ],
)
def test_labels_of_any_type(names: np.ndarray) -> None:
    X, y = drawn(60, 4, 8, spread=0.2)
    machine = SVC(multiclass="code", code="bch").fit(X, names[y])
    assert set(machine.predict(X)) == set(names)


@pytest.mark.parametrize("name", ["one-vs-all", "dense", "sparse", "one-vs-one"])
@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_classes_with_one_example_each(name: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(9, 2)), np.arange(9)
    scheme = (
        {"multiclass": name}
        if name in SCHEMES and "vs" in name
        else {"multiclass": "code", "code": name}
    )
    machine = SVC(C=1e4, gamma=5.0, **scheme).fit(X, y)
    np.testing.assert_array_equal(machine.predict(X), y)


def test_a_hundred_classes() -> None:
    rng = np.random.default_rng(1)
    centres = rng.normal(size=(100, 8))
    y = np.repeat(np.arange(100), 3)
    X = centres[y] + 0.05 * rng.normal(size=(300, 8))
    for scheme in ({"multiclass": "one-vs-all"}, {"multiclass": "code", "code": "hadamard"}):
        machine = SVC(C=10.0, gamma=0.5, **scheme).fit(X, y)
        assert machine.score(X, y) > 0.99


@pytest.mark.parametrize("name", SCHEMES)
def test_labels_of_many_rows_are_the_argmax(name: str) -> None:
    """Labels are found in single precision where it is certain of them."""
    X, y = drawn(300, 4, 9)
    machine = SVC(**SCHEMES[name]).fit(X, y)
    Z = np.random.default_rng(2).normal(scale=3.0, size=(3000, 3))
    screened, certain = machine._screen(Z)
    wanted = machine.decision_function(Z).argmax(axis=1)
    np.testing.assert_array_equal(screened[certain], wanted[certain])
    assert certain.mean() > (0.5 if name == "sparse" else 0.9)
    np.testing.assert_array_equal(machine.predict(Z), machine.classes_[wanted])


@pytest.mark.parametrize("name", ["one-vs-one", "one-vs-all", "sparse"])
def test_threads_solve_side_by_side_to_the_same_bits(name: str) -> None:
    X, y = drawn(1200, 4, 10)
    one, two = (SVC(n_threads=n, **SCHEMES[name]).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.dual_coef_, two.dual_coef_)
    np.testing.assert_array_equal(one.intercept_, two.intercept_)
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


def test_an_error_in_one_of_several_threads_is_raised() -> None:
    X, y = drawn(1200, 6, 11)
    with pytest.raises(ValueError, match="nu must lie in"):
        NuSVC(nu=0.9, multiclass="one-vs-all", n_threads=2).fit(X, y)


INTERRUPTED = """
import signal, threading
import numpy as np
from mercer import SVC

rng = np.random.default_rng(0)
X, y = rng.normal(size=(3000, 20)), rng.integers(0, 4, 3000)
main = threading.main_thread().ident

def interrupt():
    while threading.active_count() < 4:  # this one, the main one and two that solve
        pass
    signal.pthread_kill(main, signal.SIGINT)

threading.Thread(target=interrupt).start()
try:
    SVC(C=1e6, tol=1e-9, multiclass="one-vs-all", n_threads=2, max_time=60).fit(X, y)
except KeyboardInterrupt:
    print("interrupted", threading.active_count())
"""


@pytest.mark.usefixtures("interruptible")
def test_an_interrupted_fit_leaves_no_thread_that_aborts_the_program() -> None:
    command = [sys.executable, "-c", INTERRUPTED]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.stdout.strip() == "interrupted 1", result.stderr
    assert result.returncode == 0, result.stderr


def test_the_end_of_the_time_leaves_a_machine_for_every_column() -> None:
    X, y = drawn(1500, 5, 12)
    with pytest.warns(ConvergenceWarning, match="5 of 5 machines are unfinished"):
        machine = SVC(multiclass="one-vs-all", max_time=1e-9, n_threads=2).fit(X, y)
    assert [solution.status for solution in machine.solutions_] == ["max-time"] * 5
    assert machine.predict(X).shape == (1500,)


def test_a_fit_goes_on_from_the_last_one() -> None:
    X, y = drawn(200, 4, 13)
    machine = SVC(multiclass="one-vs-all", warm_start=True).fit(X, y)
    before = machine.n_iter_.sum()
    assert machine.fit(X, y).n_iter_.sum() < 0.2 * before


@pytest.mark.parametrize("name", SCHEMES)
def test_weights_of_the_features_give_the_decisions(name: str) -> None:
    X, y = drawn(80, 4, 14)
    X = X + 1000.0  # far from the origin
    machine = SVC(kernel="linear", **SCHEMES[name]).fit(X, y)
    values = X @ machine.coef_.T + machine.intercept_
    np.testing.assert_allclose(values, machine.machine_decisions(X), atol=1e-6)


def test_sparse_rows_and_stored_kernels_are_the_same_machines() -> None:
    import scipy.sparse as sp

    X, y = drawn(60, 4, 15)
    for name in ("one-vs-all", "sparse"):
        options = {"gamma": 0.5, "tol": 1e-8, **SCHEMES[name]}
        dense = SVC(**options).fit(X, y)
        other = SVC(**options).fit(sp.csr_matrix(X), y)
        K = dense.kernel_(X, X)
        stored = SVC(kernel="precomputed", tol=1e-8, **SCHEMES[name]).fit(K, y)
        np.testing.assert_allclose(
            other.machine_decisions(sp.csr_matrix(X)), dense.machine_decisions(X), atol=1e-6
        )
        np.testing.assert_allclose(
            stored.machine_decisions(K), dense.machine_decisions(X), atol=1e-6
        )


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_copies_and_probabilities() -> None:
    X, y = load_iris(return_X_y=True)
    machine = SVC(multiclass="code", code=make_code("complete", 3), probability=True, C=2.0)
    machine.fit(X, y)
    proba = machine.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    again = pickle.loads(pickle.dumps(machine))
    np.testing.assert_array_equal(again.decision_function(X), machine.decision_function(X))
    assert clone(machine).fit(X, y).score(X, y) == machine.score(X, y)


def test_another_scheme_leaves_nothing_of_the_last_one() -> None:
    X, y = load_iris(return_X_y=True)
    machine = SVC(multiclass="one-vs-all").fit(X, y)
    machine.set_params(multiclass="one-vs-one").fit(X, y)
    assert not hasattr(machine, "code_")
    np.testing.assert_array_equal(
        machine.decision_function(X), SVC().fit(X, y).decision_function(X)
    )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"multiclass": "ova"}, "multiclass"),
        ({"multiclass": "code", "code": "ova"}, "code"),
        ({"multiclass": "code", "code": [[1], [-1]]}, "each of the 3 classes, got 2 rows"),
        ({"multiclass": "code", "code": [[1, 1], [-1, 1], [0, 1]]}, "column 1"),
        ({"decoding": "votes"}, "decoding"),
        ({"multiclass": "one-vs-all", "decision_function_shape": "ovo"}, "one-vs-one"),
    ],
)
def test_wrong_schemes_are_named(parameters: dict[str, Any], message: str) -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        SVC(**parameters).fit(X, y)
