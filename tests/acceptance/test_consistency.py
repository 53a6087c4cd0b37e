"""``predict`` is the argmax of ``decision_function``, ties and all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.utils.multiclass import _ovr_decision_function

from mercer import SVC, NuSVC, OneClassSVM

MACHINES = [SVC(), SVC(kernel="linear", C=0.01), SVC(loss="squared_error"), NuSVC(nu=0.05)]


def crowded(seed: int, n_classes: int, n: int = 50) -> tuple[Any, Any]:
    """Rows on a small grid, so that many decisions are equal or zero."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    return rng.integers(-1, 2, (n, 2)).astype(float), y


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.integers(3, 6),
    kernel=st.sampled_from(["linear", "rbf", "poly"]),
)
def test_several_classes(seed: int, n_classes: int, kernel: str) -> None:
    X, y = crowded(seed, n_classes)
    machine = SVC(kernel=kernel, C=0.5).fit(X, y)
    grid = np.mgrid[-2:2.1:0.5, -2:2.1:0.5].reshape(2, -1).T
    scores = machine.decision_function(grid)
    assert scores.shape == (len(grid), n_classes)
    assert (machine.predict(grid) == machine.classes_[scores.argmax(axis=1)]).all()


@pytest.mark.parametrize("machine", MACHINES, ids=str)
def test_real_data(machine: Any) -> None:
    X, y = load_digits(return_X_y=True)
    names = np.array([f"digit {label}" for label in y])
    machine = clone(machine).fit(X[:400], names[:400])
    scores = machine.decision_function(X)
    assert (machine.predict(X) == machine.classes_[scores.argmax(axis=1)]).all()


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1))
def test_two_classes(seed: int) -> None:
    """Positive means the second class; a tie goes to the first."""
    X, y = crowded(seed, 2)
    machine = SVC(kernel="linear").fit(X, y)
    values = machine.decision_function(X)
    assert values.shape == (len(X),)
    assert (machine.predict(X) == machine.classes_[(values > 0).astype(int)]).all()


def test_two_classes_that_cannot_be_told_apart() -> None:
    machine = SVC().fit([[1.0], [1.0]], ["a", "b"])
    assert machine.decision_function([[1.0], [5.0]]).tolist() == [0.0, 0.0]
    assert machine.predict([[1.0], [5.0]]).tolist() == ["a", "a"]


def test_scores_are_built_from_the_pairs() -> None:
    """The same for both shapes; what is predicted does not depend on the shape."""
    X, y = load_digits(return_X_y=True)
    machine = SVC().fit(X[:300], y[:300])
    pairs = machine.set_params(decision_function_shape="ovo").decision_function(X)
    predicted = machine.predict(X)
    scores = machine.set_params(decision_function_shape="ovr").decision_function(X)
    assert pairs.shape == (len(X), 45)
    np.testing.assert_array_equal(scores, _ovr_decision_function(pairs < 0, -pairs, 10))
    assert (predicted == machine.predict(X)).all()


def test_inside_is_not_negative() -> None:
    X, _ = crowded(0, 2)
    machine = OneClassSVM(nu=0.3).fit(X)
    values = machine.decision_function(X)
    assert (machine.predict(X) == np.where(values >= 0, 1, -1)).all()
    np.testing.assert_allclose(machine.score_samples(X), values + machine.offset_, rtol=1e-15)
