"""A machine that was pickled, copied or cloned is the same machine."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from machines.machine_cases import CASES, sample
from mercer import SVC, SVR
from mercer.kernels import FunctionKernel, Gaussian, Linear, Normalized


def overlap(left: Any, right: Any) -> Any:
    """A kernel function that a pickle can name."""
    return np.minimum(np.abs(left)[:, None], np.abs(right)).sum(axis=2)


KERNELS: dict[str, Any] = {
    "object": Normalized(Linear() + 1.0) * Gaussian(0.3),
    "full metric": Gaussian(np.eye(3) + 0.1),
    "function": overlap,
    "function kernel": FunctionKernel(overlap),
}


def assert_same_machine(one: Any, other: Any, X: Any) -> None:
    names = {name for name in vars(one) if not name.startswith("_expansion")}
    assert names == {name for name in vars(other) if not name.startswith("_expansion")}
    assert repr(one) == repr(other)
    values = [getattr(m, "decision_function", m.predict)(X) for m in (one, other)]
    assert values[0].tobytes() == values[1].tobytes()
    assert one.objective_ == other.objective_
    np.testing.assert_array_equal(one.solutions_[0].coef, other.solutions_[0].coef)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", CASES)
def test_pickle(name: str, store: Any) -> None:
    case, data = CASES[name], sample()
    X = store(data.X)
    machine = case.fit(X, data.targets(case), data.weight)
    assert_same_machine(machine, pickle.loads(pickle.dumps(machine)), X)


@pytest.mark.parametrize("name", KERNELS)
def test_kernels(name: str) -> None:
    data = sample()
    machine = SVR(kernel=KERNELS[name]).fit(data.X, data.numbers)
    assert_same_machine(machine, pickle.loads(pickle.dumps(machine)), data.X)


def test_several_classes_and_probabilities() -> None:
    data = sample()
    y = np.digitize(data.X[:, 0], [-0.5, 0.5])
    with pytest.warns(FutureWarning, match="probability"):
        machine = SVC(probability=True).fit(data.X, y)
    other = pickle.loads(pickle.dumps(machine))
    assert_same_machine(machine, other, data.X)
    assert machine.predict_proba(data.X).tobytes() == other.predict_proba(data.X).tobytes()


def test_joblib_with_memory_maps(tmp_path: Path) -> None:
    data = sample(0, 200)
    machine = SVC().fit(data.X, data.labels)
    joblib.dump(machine, tmp_path / "machine")
    assert_same_machine(machine, joblib.load(tmp_path / "machine", mmap_mode="r"), data.X)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_go_their_own_way(copied: Any) -> None:
    data = sample()
    machine = SVC().fit(data.X, data.labels)
    values = machine.decision_function(data.X)
    other = copied(machine)
    assert_same_machine(machine, other, data.X)
    other.fit(-data.X, data.labels)
    np.testing.assert_array_equal(machine.decision_function(data.X), values)


@pytest.mark.parametrize("name", CASES)
def test_clones_are_not_fitted_and_learn_the_same(name: str) -> None:
    case, data = CASES[name], sample()
    machine = case.fit(data.X, data.targets(case))
    other = clone(machine)
    assert other.get_params().keys() == machine.get_params().keys()
    assert not hasattr(other, "solutions_")
    assert_same_machine(machine, case.fit(data.X, data.targets(case)), data.X)


def test_an_unfitted_machine() -> None:
    machine = pickle.loads(pickle.dumps(SVC(C=3.0)))
    assert machine.C == 3.0
    assert not hasattr(machine, "solutions_")


def test_a_pickle_holds_the_support_vectors_not_the_rows() -> None:
    """Of an easy problem: few of many."""
    X = np.random.default_rng(0).normal(size=(3000, 50))
    X[:, 0] += np.where(X[:, 0] > 0, 5.0, -5.0)
    machine = SVC(kernel="linear").fit(X, X[:, 0] > 0)
    solved = sum(s.coef.nbytes + s.gradient.nbytes for s in machine.solutions_)
    assert len(pickle.dumps(machine)) < solved + X.nbytes / 10
