"""A weight of 2 is the row given twice, a weight of 0 is its absence: in every machine."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from machines.machine_cases import CASES, MachineCase, sample
from mercer import SVC, NuSVC

STORES = {"dense": np.asarray, "sparse": sparse.csr_array}


def assert_equal_machines(case: MachineCase, one: Any, other: Any, X: Any) -> None:
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-9)
    values = case.values(one, X)
    tolerance = 1e-7 * np.abs(values).max()
    np.testing.assert_allclose(case.values(other, X), values, rtol=0, atol=tolerance)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("name", CASES)
def test_weights_are_repetitions(name: str, store: str) -> None:
    case, data = CASES[name], sample()
    again = data.repeated()
    X, rows = STORES[store](data.X), STORES[store](again.X)
    weighted = case.fit(X, data.targets(case), data.weight)
    repeated = case.fit(rows, again.targets(case))
    assert_equal_machines(case, weighted, repeated, X)
    assert case.certify(weighted, X, data.targets(case), data.weight).violation <= 1e-9


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].targets == "labels"])
def test_class_weights_are_repetitions(name: str) -> None:
    case, data = CASES[name], sample()
    class_weight = {-1.0: 3, 1.0: 1}
    counts = np.where(data.labels < 0, 3, 1)
    rows = data.take(np.repeat(np.arange(len(counts)), counts))
    # gamma="scale" sees sample weights, not class weights
    weighted = case.fit(data.X, data.labels, class_weight=class_weight, gamma=0.3)
    repeated = case.fit(rows.X, rows.labels, gamma=0.3)
    by_sample = case.fit(data.X, data.labels, counts, gamma=0.3)
    assert_equal_machines(case, weighted, repeated, data.X)
    assert_equal_machines(case, weighted, by_sample, data.X)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("machine", [SVC(), NuSVC(nu=0.2), SVC(class_weight="balanced")])
def test_several_classes(machine: Any, store: str) -> None:
    data = sample(1, 60)
    y = np.digitize(data.X[:, 0] + 0.3 * data.numbers, [-0.6, 0.5])
    counts = data.weight.astype(int)
    X, rows = STORES[store](data.X), STORES[store](np.repeat(data.X, counts, axis=0))
    machine.set_params(decision_function_shape="ovo")
    weighted = clone(machine).fit(X, y, sample_weight=data.weight)
    repeated = clone(machine).fit(rows, np.repeat(y, counts))
    assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-9)
    values = weighted.decision_function(X)
    np.testing.assert_allclose(values, repeated.decision_function(X), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("gamma", ["scale", "auto", "median"])
def test_widths_taken_from_the_data(gamma: str) -> None:
    data = sample()
    weighted = SVC(gamma=gamma).fit(data.X, data.labels, data.weight)
    again = data.repeated()
    repeated = SVC(gamma=gamma).fit(again.X, again.labels)
    assert weighted.kernel_.gamma == pytest.approx(repeated.kernel_.gamma, rel=1e-12)


def test_a_fractional_weight_scales_C() -> None:
    data = sample()
    weighted = SVC(C=2.0, gamma=0.3).fit(data.X, data.labels, np.full(len(data.X), 0.25))
    scaled = SVC(C=0.5, gamma=0.3).fit(data.X, data.labels)
    assert weighted.objective_ == pytest.approx(scaled.objective_, rel=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_rows_of_no_weight_may_be_anything(name: str) -> None:
    case, data = CASES[name], sample()
    far = data.X.copy()
    far[data.weight == 0] = 1e6
    one = case.fit(data.X, data.targets(case), data.weight)
    other = case.fit(far, data.targets(case), data.weight)
    assert_equal_machines(case, one, other, data.X[data.weight > 0])
    assert (data.weight[other.support_] > 0).all()
