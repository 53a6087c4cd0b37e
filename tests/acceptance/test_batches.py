"""A row's prediction does not depend on the rows it is predicted with: not by a single bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from mercer.kernels import FunctionKernel, Gaussian, Linear, Normalized, Polynomial

RNG = np.random.default_rng(0)
TRAIN, TEST = RNG.normal(size=(150, 7)), RNG.normal(size=(90, 7))
CLASSES = (TRAIN[:, 0] > 0).astype(int) + (TRAIN[:, 1] > 0.3)
MACHINES: dict[str, Any] = {
    "two classes": SVC(),
    "three classes": SVC(decision_function_shape="ovo"),
    "nu": NuSVC(nu=0.1),
    "regression": SVR(kernel="poly", coef0=1.0),
    "nu regression": NuSVR(kernel="laplacian"),
    "one class": OneClassSVM(nu=0.2),
    "single precision": SVR(precision="single"),
    "linear": SVC(kernel="linear"),
    "composite": SVR(kernel=Normalized(Polynomial(degree=2, coef0=1.0)) * Gaussian(0.2) + Linear()),
    "full metric": SVR(kernel=Gaussian(np.eye(7) + 0.1)),
}
STORES: dict[str, Callable[[Any], Any]] = {
    "dense": np.asarray,
    "single": lambda X: X.astype(np.float32),
    "sparse": lambda X: sparse.csr_array(X * (np.abs(X) > 0.5)),
}


def fitted(name: str, X: Any, **parameters: Any) -> Any:
    machine = clone(MACHINES[name]).set_params(**parameters)
    if name == "three classes":
        return machine.fit(X, CLASSES)
    return machine.fit(X, CLASSES > 0 if hasattr(machine, "class_weight") else TRAIN[:, 0])


def values(machine: Any, X: Any) -> Any:
    return getattr(machine, "decision_function", machine.predict)(X)


def assert_same_bits(machine: Any, X: Any) -> None:
    whole = values(machine, X)
    singly = np.concatenate([values(machine, X[[i]]) for i in range(whole.shape[0])])
    assert whole.tobytes() == singly.tobytes()
    order = RNG.permutation(whole.shape[0])
    assert values(machine, X[order]).tobytes() == whole[order].tobytes()
    assert values(machine, X[17:50]).tobytes() == whole[17:50].tobytes()


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("name", MACHINES)
def test_one_by_one(name: str, store: str) -> None:
    assert_same_bits(fitted(name, STORES[store](TRAIN)), STORES[store](TEST))


@pytest.mark.parametrize("name", ["two classes", "three classes", "regression"])
def test_precomputed(name: str) -> None:
    machine = fitted(name, TRAIN @ TRAIN.T, kernel="precomputed")
    assert_same_bits(machine, TEST @ TRAIN.T)


def minimum(left: Any, right: Any) -> Any:
    """Histogram intersection, which adds up in one order whatever the batch."""
    return np.minimum(np.abs(left)[:, None], np.abs(right)).sum(axis=2)


def common_letters(left: list[str], right: list[str]) -> list[list[int]]:
    return [[len(set(a) & set(b)) for b in right] for a in left]


def test_function_of_arrays() -> None:
    assert_same_bits(SVC(kernel=minimum).fit(TRAIN, CLASSES), TEST)


def test_function_of_texts() -> None:
    words = ["".join(RNG.choice(list("abcdefgh"), 5)) for _ in range(60)]
    machine = SVR(kernel=FunctionKernel(common_letters)).fit(words, RNG.normal(size=60))
    whole = machine.predict(words)
    assert whole.tobytes() == np.concatenate([machine.predict([w]) for w in words]).tobytes()


@pytest.mark.parametrize("name", ["two classes", "regression"])
def test_a_batch_larger_than_a_block(name: str) -> None:
    """Predictions are made 8192 rows at a time."""
    machine = fitted(name, TRAIN)
    X = RNG.normal(size=(8292, 7))
    whole = values(machine, X)
    assert values(machine, X[8100:]).tobytes() == whole[8100:].tobytes()
    assert values(machine, X[:1]).tobytes() == whole[:1].tobytes()


def test_dense_and_sparse_rows_agree() -> None:
    X = TEST * (np.abs(TEST) > 0.5)
    for rows, others in ((np.asarray, sparse.csr_array), (sparse.csr_array, np.asarray)):
        machine = SVR().fit(rows(TRAIN), TRAIN[:, 0])
        one, other = machine.predict(rows(X)), machine.predict(others(X))
        assert one.tobytes() == other.tobytes()
