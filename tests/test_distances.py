"""Distances of rows that lie far from each other, or from the origin, keep their digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.svm import SVC as PeerSVC

from mercer import LSSVR, SVC, SVR, Gram, NuSVC, OneClassSVM, svc_path
from mercer.gram.cross import cross_block
from mercer.gram.expansion import Expansion
from mercer.gram.native import distance_packing, fixed_rows
from mercer.kernels import Gaussian, Kernel, Laplacian, Linear, Normalized, Polynomial

RNG = np.random.default_rng(0)
BASE, OTHER = RNG.normal(size=(50, 4)), RNG.normal(size=(20, 4))
WIDTHS = np.array([0.3, 0.7, 1.1, 0.5])
LOWER = np.tril(RNG.normal(size=(4, 4)) / 3) + np.eye(4)

Long = NDArray[np.longdouble]


def halves(size: float) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Every other row far away along one feature."""
    return lambda X: X + size * (np.arange(len(X)) % 2)[:, None] * np.eye(4)[1]


SPREADS: dict[str, Callable[[NDArray[np.float64]], Any]] = {
    "ordinary": lambda X: X,
    "offset 1e4": lambda X: X + 1e4,
    "offset 1e9": lambda X: X + 1e9,
    "halves 1e3 apart": halves(1e3),
    "halves 1e6 apart": halves(1e6),
    "halves 1e8 apart": halves(1e8),
    "one huge column": lambda X: X * [1.0, 1.0, 1e7, 1.0],
    "many sizes": lambda X: X * 10.0 ** (np.arange(len(X)) % 12)[:, None],
    "few near the origin": lambda X: X + 1e8 * (np.arange(len(X)) % 9 > 0)[:, None],
    "single": lambda X: (X + 1e4).astype(np.float32),
    "beyond squares": lambda X: np.where(np.arange(len(X))[:, None] % 2, X, X * 1e200),
    "sparse": lambda X: sparse.csr_array(np.where(np.abs(X) > 0.8, X, 0.0)),
    "sparse offset 1e4": lambda X: sparse.csr_array(X + 1e4),
    "sparse halves": lambda X: sparse.csr_array(halves(1e8)(np.where(np.abs(X) > 0.8, X, 0.0))),
    "sparse far entries": lambda X: sparse.csr_array(np.where(np.abs(X) > 1.2, X + 1e7, 0.0)),
}
all_spreads = pytest.mark.parametrize("spread", SPREADS)
both_precisions = pytest.mark.parametrize("precision", ["single", "double"])


def long(X: Any) -> Long:
    return np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.longdouble)


def gaussian(X: Long, Z: Long, widths: Any = 1.0, mapping: Any = None) -> Long:
    apart = X[:, None] - Z
    apart = apart if mapping is None else apart @ mapping
    return np.exp(-(apart**2 * widths).sum(axis=2))


def laplacian(X: Long, Z: Long) -> Long:
    return np.exp(-0.3 * np.abs(X[:, None] - Z).sum(axis=2))


KERNELS: dict[str, tuple[Kernel, Callable[[Long, Long], Long]]] = {
    "gaussian": (Gaussian(0.5), lambda X, Z: gaussian(X, Z, 0.5)),
    "widths": (Gaussian(WIDTHS), lambda X, Z: gaussian(X, Z, WIDTHS)),
    "metric": (Gaussian(LOWER @ LOWER.T), lambda X, Z: gaussian(X, Z, mapping=LOWER)),
    "laplacian": (Laplacian(0.3), laplacian),
    "composite": (
        Normalized(2.0 * Gaussian(0.5)) * Laplacian(0.3) + 0.5 * Gaussian(0.1),
        lambda X, Z: gaussian(X, Z, 0.5) * laplacian(X, Z) + gaussian(X, Z, 0.1) / 2,
    ),
}
# Rows with a map, or widths, are rounded before they are compared: by some 1e-16 of their length.
MAPPED = {"widths", "metric"}


def tolerance(name: str, spread: str, precision: str) -> float:
    if name in MAPPED and spread not in ("ordinary", "sparse"):
        return 3e-5 if precision == "single" or "many" in spread else 1e-6
    return 3e-5 if precision == "single" else 1e-11


@all_spreads
@both_precisions
@pytest.mark.parametrize("name", KERNELS)
def test_values_are_those_of_exact_differences(name: str, precision: Any, spread: str) -> None:
    kernel, exact = KERNELS[name]
    X, Z = SPREADS[spread](BASE), SPREADS[spread](OTHER)
    gram, every = Gram(kernel, X, precision=precision), np.arange(len(BASE))
    atol = tolerance(name, spread, precision)
    with np.errstate(over="ignore"):
        within, across = exact(long(X), long(X)), exact(long(Z), long(X))
    assert np.abs(gram.block(every, every) - within).max() <= atol
    assert np.abs(gram.row(7) - within[7]).max() <= atol
    assert np.abs(gram.product(None, np.eye(len(BASE))) - within).max() <= atol
    assert np.abs(cross_block(kernel, Z, X, precision=precision) - across).max() <= atol
    assert np.abs(kernel(Z, X) - across).max() <= 1e-11


@all_spreads
@pytest.mark.parametrize("name", KERNELS)
def test_the_bound_of_rounding_holds(name: str, spread: str) -> None:
    kernel, exact = KERNELS[name]
    X = SPREADS[spread](BASE)
    gram, every = Gram(kernel, X, precision="double"), np.arange(len(BASE))
    with np.errstate(over="ignore"):
        error = np.abs(gram.block(every, every) - exact(long(X), long(X))).max()
    assert gram.expansion_error(np.ones(1)) > 0.0
    assert error <= gram.expansion_error(np.ones(1))


@both_precisions
@pytest.mark.parametrize("spread", ["halves 1e6 apart", "many sizes", "sparse far entries"])
def test_a_value_is_one_number_however_it_is_computed(precision: Any, spread: str) -> None:
    X = SPREADS[spread](BASE)
    for kernel in (Gaussian(0.5), Laplacian(0.3)):
        gram, every = Gram(kernel, X, precision=precision), np.arange(len(BASE))
        K = gram.block(every, every)
        assert K.tobytes() == np.ascontiguousarray(K.T).tobytes()
        assert (np.diagonal(K) == 1.0).all()
        assert gram.block([3], [8, 2, 9]).tobytes() == K[[3]][:, [8, 2, 9]].tobytes()
        assert all(gram.row(i).tobytes() == K[i].tobytes() for i in range(len(BASE)))
        product = gram.product(None, np.eye(len(BASE)))
        assert product.tobytes() == K.astype(np.float64).tobytes()


def test_ordinary_rows_go_by_inner_products() -> None:
    for X in (BASE, BASE.astype(np.float32), sparse.csr_array(BASE), BASE + 1e4):
        for precision in ("single", "double"):
            form = Gaussian(0.5).form()
            rows = fixed_rows(X, precision, form)
            assert not distance_packing(form, rows)[1]


@both_precisions
@pytest.mark.parametrize("kernel", [Gaussian(0.5), Laplacian(0.3), Gaussian(np.full(100, 0.5))])
def test_sparse_rows_with_few_or_many_heavy_features(kernel: Kernel, precision: Any) -> None:
    """Few of them are compared as dense rows, with many the rows are merged."""
    width = np.ravel(np.asarray(kernel.gamma))[0]
    exact = laplacian if isinstance(kernel, Laplacian) else lambda X, Z: gaussian(X, Z, width)
    rows = np.where(RNG.random((60, 100)) < 0.05, RNG.normal(size=(60, 100)), 0.0)
    for heavy in ([17], [3, 99], np.arange(90)):
        X = rows.copy()
        X[:, heavy] += 1e8 * (X[:, heavy] != 0.0)
        for store in (sparse.csr_array, np.asarray):
            found = cross_block(kernel, store(X[:20]), store(X), precision=precision)
            atol = 1e-7 if np.ndim(kernel.gamma) else 1e-11
            assert np.abs(found - exact(long(X[:20]), long(X))).max() <= atol


LABELS = (BASE[:, 0] + 0.5 * RNG.normal(size=len(BASE)) > 0).astype(int)
BINARY = ["halves 1e6 apart", "halves 1e8 apart", "sparse offset 1e4", "sparse far entries"]


def true_violation(machine: Any, X: Any) -> float:
    """Of the KKT conditions, from exact kernel values."""
    beta, y = long(machine.solutions_[0].coef), np.where(LABELS == 1, 1.0, -1.0)
    gradient = y - gaussian(long(X), long(X)) @ beta
    low, high = np.minimum(0.0, machine.C * y), np.maximum(0.0, machine.C * y)
    return float(gradient[beta < high].max() - gradient[beta > low].min())


@both_precisions
@pytest.mark.parametrize("spread", BINARY)
def test_a_violation_reported_as_nothing_was_large(spread: str, precision: Any) -> None:
    X = SPREADS[spread](BASE)
    machine = SVC(gamma=1.0, C=10.0, precision=precision).fit(X, LABELS)
    solution = machine.solutions_[0]
    assert solution.converged
    assert true_violation(machine, X) <= solution.violation + 2.0 * solution.error
    assert solution.error < 1e-8


@all_spreads
def test_decision_values_are_those_of_the_coefficients(spread: str) -> None:
    X, Z = SPREADS[spread](BASE), SPREADS[spread](OTHER)
    machine = SVC(gamma=1.0, C=10.0).fit(X, LABELS)
    with np.errstate(over="ignore"):
        values = gaussian(long(Z), long(machine.support_vectors_)) @ long(machine.dual_coef_)[0]
    values = values + machine.intercept_[0]
    found = machine.decision_function(Z)
    assert np.abs(found - values).max() <= 1e-9
    assert (machine.predict(Z) == (found > 0)).all()


def test_predictions_agree_with_the_peer() -> None:
    """Whose training on such rows loses the digits, but whose predictions do not."""
    X, Z = (SPREADS["halves 1e6 apart"](rows) for rows in (BASE, OTHER))
    machine = SVC(gamma=1.0, C=10.0, tol=1e-8).fit(X, LABELS)
    # the halves do not know of each other: 30 apart they do not, either
    peer = PeerSVC(gamma=1.0, C=10.0, tol=1e-10).fit(halves(30.0)(BASE), LABELS)
    expected = peer.decision_function(halves(30.0)(OTHER))
    np.testing.assert_allclose(machine.decision_function(Z), expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_single_precision_far_from_the_origin_gave_wrong_labels(store: Any) -> None:
    machine = SVC(precision="single").fit(store(BASE + 1e4), LABELS)
    expected = SVC().fit(BASE, LABELS)
    assert (machine.predict(store(OTHER + 1e4)) == expected.predict(OTHER)).all()


@both_precisions
@pytest.mark.parametrize("spread", SPREADS)
def test_a_prediction_does_not_depend_on_its_batch(spread: str, precision: Any) -> None:
    X, Z = SPREADS[spread](BASE), SPREADS[spread](OTHER)
    machine = SVR(gamma=0.5, precision=precision).fit(X, BASE[:, 0])
    whole = machine.predict(Z)
    singly = np.concatenate([machine.predict(Z[[i]]) for i in range(len(OTHER))])
    assert whole.tobytes() == singly.tobytes()


@both_precisions
def test_rows_far_from_all_training_rows_have_no_value(precision: Any) -> None:
    far = np.array([1e3, 1e10, 1e25, 1e160, 1e300])[:, None] * np.array([1.0, -1.0, 0.5, 1.0])
    machine = OneClassSVM(gamma=0.5, precision=precision).fit(BASE)
    assert (machine.score_samples(far) == 0.0).all()
    assert (machine.predict(far) == -1).all()


def test_rows_far_away_but_within_reach() -> None:
    """Their kernel values are small, and not spoiled by the length of the rows."""
    kernel, far = Gaussian(1e-4), BASE * 50
    exact = gaussian(long(far), long(BASE), 1e-4)
    assert np.abs(cross_block(kernel, far, BASE) - exact).max() <= 1e-12


@pytest.mark.parametrize(
    "kernel", [Linear(), Polynomial(degree=3, coef0=1.0), Polynomial(degree=2) * Gaussian(1.0)]
)
def test_single_precision_that_overflows_takes_double(kernel: Kernel) -> None:
    X = BASE * 1e16
    gram = Gram(kernel, X, precision="single")
    assert np.isfinite(gram.block(np.arange(9), np.arange(9))).all()
    narrow = Expansion(kernel, BASE, np.ones((len(BASE), 1)), precision="single").evaluate(X)
    wide = Expansion(kernel, BASE, np.ones((len(BASE), 1))).evaluate(X)
    assert np.isfinite(narrow).all()
    np.testing.assert_allclose(narrow, wide, rtol=1e-4)


def test_derivatives_of_rows_far_apart() -> None:
    left, right = RNG.normal(size=len(BASE)), RNG.normal(size=len(BASE))
    for gamma in (0.5, WIDTHS, LOWER @ LOWER.T):
        near, far = (
            Gaussian(gamma).gradient(halves(t)(BASE), None, left, right) for t in (40, 1e8)
        )
        scale = np.abs(near).max()
        np.testing.assert_allclose(far, near, rtol=0, atol=1e-5 * scale)


def test_widths_of_sparse_rows_far_from_the_origin() -> None:
    X = BASE + 1e7
    for rule in ("scale", "median"):
        dense, stored = (Gaussian(rule).resolve(rows).gamma for rows in (X, sparse.csr_array(X)))
        np.testing.assert_allclose(stored, dense, rtol=1e-6)


APART: dict[str, Callable[[Any], Any]] = {
    "classes": lambda X: SVC(gamma=1.0, tol=1e-8).fit(X, LABELS).decision_function(X),
    "nu": lambda X: NuSVC(gamma=1.0, nu=0.3, tol=1e-8).fit(X, LABELS).decision_function(X),
    "numbers": lambda X: SVR(gamma=1.0, tol=1e-8).fit(X, BASE[:, 0]).predict(X),
    "one class": lambda X: OneClassSVM(gamma=1.0, nu=0.2, tol=1e-8).fit(X).score_samples(X),
    "chunks": lambda X: SVR(gamma=1.0, tol=1e-8, solver="chunked").fit(X, BASE[:, 0]).predict(X),
    "active set": lambda X: SVR(gamma=1.0, solver="active-set").fit(X, BASE[:, 0]).predict(X),
    "least squares": lambda X: LSSVR(kernel="rbf", gamma=1.0).fit(X, LABELS).predict(X),
    "low rank": lambda X: LSSVR(kernel="rbf", gamma=1.0, low_rank=40).fit(X, LABELS).predict(X),
    "path": lambda X: svc_path(X, LABELS, kernel="rbf", gamma=1.0).decision_function(X, 3.0),
}


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("name", APART)
def test_rows_farther_apart_than_the_kernel_reaches(name: str, store: Any) -> None:
    """How far halves that do not know of each other lie apart makes no difference."""
    near, far = (APART[name](store(halves(size)(BASE))) for size in (40.0, 1e8))
    np.testing.assert_allclose(far, near, rtol=0, atol=1e-6)
