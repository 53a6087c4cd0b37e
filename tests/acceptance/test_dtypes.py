"""Rows are taken as they are: float32 in place, any index width, read-only, from a file."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import mercer.machines.kernel_values as kernel_values
from machines.machine_cases import CASES, sample
from mercer import SVC, SVR, Gram

TYPES = [np.float32, np.float64, np.uint8, np.int8]


def rows(dtype: type = np.float64, n: int = 80) -> Any:
    """Whole numbers, exact in every type."""
    return np.random.default_rng(0).integers(0, 12, (n, 5)).astype(dtype)


def labels(n: int = 80) -> Any:
    X = rows(n=n)
    return (X[:, 0] + X[:, 1] > 11).astype(int)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the machines hand to their Gram."""
    kept: list[Any] = []

    class Spy(Gram):
        def __init__(self, kernel: Any, X: Any, **options: Any) -> None:
            kept.append(X)
            super().__init__(kernel, X, **options)

    monkeypatch.setattr(kernel_values, "Gram", Spy)
    return kept


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["svc", "svr", "nu-svc", "nu-svr", "one-class"])
def test_contiguous_rows_are_not_copied(name: str, dtype: type, seen: list[Any]) -> None:
    X = rows(dtype)
    CASES[name].fit(X, labels() if "svc" in name else labels() + 0.5 * X[:, 2])
    assert seen[0].dtype == dtype
    assert np.shares_memory(seen[0], X)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_rows_are_not_copied(dtype: type, seen: list[Any]) -> None:
    X = sparse.csr_array(rows(dtype))
    SVC().fit(X, labels())
    assert seen[0].dtype == dtype
    assert np.shares_memory(seen[0].data, X.data)


@pytest.mark.parametrize("dtype", [*TYPES, np.int64, np.int8, np.float16, bool])
def test_types_agree(dtype: type) -> None:
    X = rows(dtype) if dtype is not bool else rows() > 5
    exact = SVC().fit(X.astype(np.float64), labels())
    machine = SVC().fit(X, labels())
    assert machine.objective_ == pytest.approx(exact.objective_, rel=1e-12)
    values = exact.decision_function(X.astype(np.float64))
    np.testing.assert_allclose(machine.decision_function(X), values, atol=1e-12)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_width_of_sparse_indices(index: type) -> None:
    dense = rows() * (rows() > 6)
    X = sparse.csr_array(dense)
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    machine = SVC().fit(X, labels())
    assert machine.objective_ == pytest.approx(SVC().fit(dense, labels()).objective_, rel=1e-12)
    np.testing.assert_array_equal(machine.predict(X), machine.predict(dense))


@pytest.mark.parametrize("form", ["csc", "coo", "lil", "dok", "bsr"])
def test_other_sparse_forms(form: str) -> None:
    X = sparse.csr_array(rows() * (rows() > 6))
    machine = SVC().fit(X.asformat(form), labels())
    assert machine.objective_ == SVC().fit(X, labels()).objective_


def test_columns_out_of_order_and_entries_given_twice() -> None:
    """The caller's matrix stays as it was."""
    indices, data = [3, 1, 1, 0, 2, 2], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    X = sparse.csr_array((data, indices, [0, 3, 6, 6]), shape=(3, 4))
    kept = X.data.copy(), X.indices.copy()
    targets = [1.0, 2.0, 0.0]
    machine, exact = (SVR(C=100).fit(Z, targets) for Z in (X, X.toarray()))
    assert machine.objective_ == pytest.approx(exact.objective_, rel=1e-12)
    np.testing.assert_array_equal(X.data, kept[0])
    np.testing.assert_array_equal(X.indices, kept[1])


def test_rows_in_a_file(tmp_path: Path) -> None:
    """A read-only memory map, as joblib hands it to workers."""
    X = rows(np.float32)
    X.tofile(tmp_path / "rows")
    stored = np.memmap(tmp_path / "rows", dtype=np.float32, mode="r", shape=X.shape)
    machine = SVC().fit(stored, labels())
    assert machine.objective_ == SVC().fit(X, labels()).objective_
    np.testing.assert_array_equal(machine.predict(stored), machine.predict(X))


def test_read_only_everything() -> None:
    data = sample()
    X = sparse.csr_array(data.X)
    for array in (data.X, data.labels, data.weight, X.data, X.indices, X.indptr):
        array.flags.writeable = False
    for Z in (data.X, X):
        machine = SVC().fit(Z, data.labels, sample_weight=data.weight)
        machine.predict(Z)
    K = data.X @ data.X.T
    K.flags.writeable = False
    SVC(kernel="precomputed").fit(K, data.labels).predict(K)


@pytest.mark.parametrize("order", ["F", "strided"])
def test_rows_that_are_not_contiguous(order: str) -> None:
    X = rows()
    other = np.asfortranarray(X) if order == "F" else np.repeat(X, 2, axis=1)[:, ::2]
    assert SVC().fit(other, labels()).objective_ == SVC().fit(X, labels()).objective_


def test_the_callers_arrays_are_left_alone() -> None:
    for case in CASES.values():
        data = sample()
        arrays = (data.X, data.targets(case), data.weight)
        kept = [array.copy() for array in arrays]
        case.values(case.fit(*arrays), data.X)
        for array, before in zip(arrays, kept, strict=True):
            np.testing.assert_array_equal(array, before)


@pytest.mark.filterwarnings("ignore:Solver terminated early")
@pytest.mark.parametrize("gamma", [1e-3, "scale"])
@pytest.mark.parametrize("machine", [SVC, SVR])
def test_python_makes_no_copy_of_the_rows(machine: Any, gamma: Any) -> None:
    """A kernel width once turned all of them to float64."""
    X = np.random.default_rng(0).normal(size=(6000, 500)).astype(np.float32)
    tracemalloc.start()
    machine(gamma=gamma, max_iter=1, cache_size=1).fit(X, X[:, 0] > 0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.8 * X.nbytes
