"""Labels found in single precision are those of double precision, to the last row."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from mercer import SVC, NuSVC, OneClassSVM
from mercer.gram.bounded_expansion import BoundedExpansion
from mercer.kernels import Gaussian, Laplacian, Linear
from mercer.machines.svm.label_screening import label_rows
from mercer.training.rows import read_new_rows

MACHINES: dict[str, Any] = {
    "rbf": SVC,
    "large C": lambda **p: SVC(C=1e5, max_iter=20_000, **p),
    "narrow": lambda **p: SVC(**{**p, "gamma": 50.0}),
    "poly": lambda **p: SVC(kernel="poly", coef0=1.0, max_iter=20_000, **p),
    "sigmoid": lambda **p: SVC(kernel="sigmoid", max_iter=20_000, **p),
    "laplacian": lambda **p: SVC(kernel="laplacian", **p),
    "linear": lambda **p: SVC(kernel="linear", max_iter=20_000, **p),
    "nu": lambda **p: NuSVC(nu=0.1, **p),
    "votes": lambda **p: SVC(break_ties=False, **p),
    "one class": lambda **p: OneClassSVM(nu=0.3, **p),
}


def draw(d: int, n_classes: int, scale: float, offset: float, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, d))
    X[60:90] = X[:30]
    y = np.argmax(X @ rng.normal(size=(d, n_classes)) + 0.3 * rng.normal(size=(120, 1)), axis=1)
    y[:n_classes] = np.arange(n_classes)
    return scale * X + offset, y


def fit(name: str, X: Any, y: Any, **parameters: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return MACHINES[name](**parameters).fit(X, y)
        except ValueError:  # nu that cannot be
            return SVC(**parameters).fit(X, y)


def near_boundary(machine: Any, X: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """Rows between two others, by bisection as close to a change of label as numbers allow."""
    a, b = X[rng.integers(0, len(X), 150)], X[rng.integers(0, len(X), 150)]
    of_a = machine._decide(a)
    for _ in range(60):
        middle = 0.5 * (a + b)
        same = (machine._decide(middle) == of_a)[:, None]
        a, b = np.where(same, middle, a), np.where(same, b, middle)
    return np.vstack([a, b, a * (1 + 1e-6), b * (1 - 1e-5)])


@settings(deadline=None, max_examples=60)
@given(
    name=st.sampled_from(sorted(MACHINES)),
    d=st.sampled_from([1, 2, 9, 40]),
    n_classes=st.integers(2, 4),
    scale=st.sampled_from([1.0, 1.0, 1e-6, 300.0, 1e6]),
    offset=st.sampled_from([0.0, 0.0, 5.0, 1e5]),
    is_sparse=st.booleans(),
    seed=st.integers(0, 2**16),
)
def test_labels_are_those_of_double_precision(
    name: str, d: int, n_classes: int, scale: float, offset: float, is_sparse: bool, seed: int
) -> None:
    X, y = draw(d, n_classes, scale, offset, seed)
    machine = fit(name, X, y)
    rng = np.random.default_rng(seed)
    rows = np.vstack(
        [X, near_boundary(machine, X, rng), scale * rng.normal(size=(500, d)) + offset]
    )
    if is_sparse:
        rows = sparse.csr_array(rows)
    labels = machine._decide(read_new_rows(machine, rows))
    expected = labels if name == "one class" else machine.classes_[labels]
    np.testing.assert_array_equal(machine.predict(rows), expected)
    if machine._can_screen():
        screened, is_certain = machine._screen(rows)
        np.testing.assert_array_equal(screened[is_certain], labels[is_certain])


def test_terms_that_overflow_single_precision_are_left_to_double_precision() -> None:
    """Terms of opposite signs overflowed, and their sum warned of an invalid value."""
    X, y = draw(1, 3, 1e-6, 5.0, seed=609)
    machine = fit("poly", X, y)
    rows = np.full((1000, 1), 1e12)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels = machine.predict(rows)
    np.testing.assert_array_equal(labels, machine.classes_[machine._decide(rows)])


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("name", ["rbf", "poly", "laplacian", "nu", "one class"])
def test_single_precision_decides_nearly_all_ordinary_rows(name: str, n_classes: int) -> None:
    X, y = draw(9, n_classes, 1.0, 0.0, seed=1)
    _, is_certain = fit(name, X, y)._screen(np.random.default_rng(2).normal(size=(3000, 9)))
    assert is_certain.mean() > 0.8


def screened_rows(monkeypatch: pytest.MonkeyPatch, machine: Any, X: Any) -> int:
    """How many rows ``machine.predict`` looks at in single precision."""
    seen: list[int] = []
    evaluate = BoundedExpansion.evaluate

    def count(self: BoundedExpansion, rows: Any) -> Any:
        seen.append(rows.shape[0])
        return evaluate(self, rows)

    with monkeypatch.context() as patch:
        patch.setattr(BoundedExpansion, "evaluate", count)
        machine.predict(X)
    return sum(seen)


def test_a_given_precision_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = draw(5, 3, 1.0, 0.0, seed=0)
    rows = np.random.default_rng(0).normal(size=(1000, 5))
    for precision, screened in (("auto", 1000), ("single", 0), ("double", 0)):
        for machine in (SVC(precision=precision), OneClassSVM(precision=precision)):
            assert screened_rows(monkeypatch, machine.fit(X, y), rows) == screened


def test_kernels_without_a_bound_are_evaluated_in_double(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = draw(5, 2, 1.0, 0.0, seed=0)
    rows = np.random.default_rng(0).normal(size=(1000, 5))
    for kernel in (Linear(), Gaussian(0.1) + Laplacian(0.1), lambda A, B: A @ B.T):
        assert screened_rows(monkeypatch, SVC(kernel=kernel).fit(X, y), rows) == 0
    machine = SVC(kernel="precomputed").fit(X @ X.T, y)
    assert screened_rows(monkeypatch, machine, rows @ X.T) == 0


@pytest.mark.filterwarnings("ignore:the kernel Sigmoid")
def test_rows_that_single_precision_cannot_decide_are_tried_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = draw(5, 2, 1.0, 0.0, seed=0)
    machine = SVC(kernel="sigmoid", gamma=1.0, precision="auto").fit(1e6 * X, y)
    rows = 1e6 * np.random.default_rng(0).normal(size=(3200, 5))
    assert screened_rows(monkeypatch, machine, rows) == 200


def test_distances_that_single_precision_does_not_carry_are_not_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = draw(5, 2, 1.0, 0.0, seed=0)
    machine = SVC(gamma=1.0, precision="auto").fit(1e6 * X, y)
    assert screened_rows(monkeypatch, machine, 1e6 * X) == 0


@settings(deadline=None, max_examples=50)
@given(n=st.integers(0, 3000), share=st.floats(0, 1), seed=st.integers(0, 99))
def test_uncertain_rows_are_decided_and_few_are_screened_in_vain(
    n: int, share: float, seed: int
) -> None:
    X, in_vain = np.arange(n), 0
    uncertain = np.random.default_rng(seed).random(n) < share

    def screen(rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        nonlocal in_vain
        in_vain += uncertain[rows].sum()
        return np.where(uncertain[rows], -1, rows % 7), ~uncertain[rows]

    found = label_rows(X, lambda rows: rows % 7, screen)
    np.testing.assert_array_equal(found, X % 7)
    assert in_vain <= 0.25 * n + n / 16 + 1


def test_a_machine_screens_after_a_pickle_and_a_second_fit() -> None:
    X, y = draw(5, 3, 1.0, 0.0, seed=0)
    rows = np.random.default_rng(0).normal(size=(1000, 5))
    machine = SVC().fit(X, y)
    labels = machine.predict(rows)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(machine)).predict(rows), labels)
    machine.fit(X, (y + 1) % 3)
    np.testing.assert_array_equal(machine.predict(rows), machine.classes_[machine._decide(rows)])
