"""Which training rows pull, and which are contradicted by all others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer import LSSVR, RLSC, SVC, SVR, OneClassSVM, OnlineSVC, influence, suspects
from mercer.kernels import Sigmoid

FloatArray = NDArray[np.float64]


@pytest.fixture(scope="module")
def rows() -> FloatArray:
    return np.random.default_rng(0).normal(size=(80, 4))


def labels(X: FloatArray, n_classes: int = 2) -> NDArray[np.intp]:
    return np.searchsorted(np.quantile(X[:, 0], np.arange(1, n_classes) / n_classes), X[:, 0])


@pytest.mark.filterwarnings("ignore:.*positive semi-definite")
@pytest.mark.parametrize(
    "machine",
    [SVC(), SVC(kernel=Sigmoid(0.1)), RLSC(), SVC(multiclass="one-vs-all"), OnlineSVC(C=1.0)],
    ids=repr,
)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_influence_adds_up_to_the_values(machine: Any, n_classes: int, rows: FloatArray) -> None:
    machine.fit(rows, labels(rows, n_classes))
    pull = influence(machine, rows[:5], output="machines")
    decide = getattr(machine, "machine_decisions", machine.decision_function)
    values = decide(rows[:5]).reshape(5, -1)
    total = pull.values.sum(axis=1) + pull.base_values
    np.testing.assert_allclose(total.reshape(5, -1), values, atol=1e-10)


@pytest.mark.parametrize("machine", [SVR(), LSSVR()])
def test_influence_on_numbers(machine: Any, rows: FloatArray) -> None:
    machine.fit(rows, rows[:, 0])
    pull = influence(machine, rows[:5])
    total = pull.values.sum(axis=1) + pull.base_values
    np.testing.assert_allclose(total, machine.predict(rows[:5]), atol=1e-10)


def test_influence_of_other_rows(rows: FloatArray) -> None:
    machine = OneClassSVM(nu=0.3).fit(rows)
    assert (influence(machine, rows).values >= 0).all()
    K = rows @ rows.T
    stored = SVC(kernel="precomputed").fit(K, labels(rows))
    direct = SVC(kernel="linear").fit(rows, labels(rows))
    one, other = influence(stored, K[:3]), influence(direct, rows[:3])
    np.testing.assert_array_equal(one.support, other.support)
    np.testing.assert_allclose(one.values, other.values, atol=1e-8)
    sparse = influence(SVC().fit(sp.csr_matrix(rows), labels(rows)), sp.csr_matrix(rows[:3]))
    assert sparse.values.shape == (3, len(sparse.support))


def test_the_strongest_rows_come_first(rows: FloatArray) -> None:
    machine = SVC(gamma=5.0).fit(rows, labels(rows))
    row = machine.support_[3]
    found = influence(machine, rows[[row]]).strongest(2)
    assert found.shape == (1, 2)
    assert found[0, 0] == row


def test_a_machine_of_weights_has_no_rows_to_pull(rows: FloatArray) -> None:
    machine = RLSC(kernel="linear", solver="primal").fit(rows, labels(rows))
    with pytest.raises(ValueError, match="weights of features"):
        influence(machine, rows[:2])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("machine", [SVC(C=10.0), RLSC(), SVC(multiclass="one-vs-all")], ids=repr)
def test_a_wrong_label_is_the_first_suspect(machine: Any, n_classes: int, rows: FloatArray) -> None:
    names = np.array(["a", "b", "c"])[labels(rows, n_classes)]
    far = int(rows[:, 0].argmax())
    wrong = names.copy()
    wrong[far] = "a"
    found = suspects(machine, rows, wrong)
    assert found.rows[0] == far
    assert found.predicted[far] == names[far]
    assert (np.diff(found.margins[found.rows]) >= 0).all()
    # a contradicted row is one that is predicted otherwise
    assert set(found.rows) == set(np.flatnonzero(found.predicted != wrong))


def test_a_wrong_target_is_the_first_suspect(rows: FloatArray) -> None:
    target = rows[:, 0].copy()
    target[11] += 20.0
    found = suspects(SVR(C=10.0), rows, target, cv="loo")
    assert found.rows[0] == 11
    assert len(found.rows) < len(rows) / 2


@pytest.mark.parametrize("machine", [SVC(tol=1e-8), LSSVR(alpha=0.1)])
def test_rows_of_weight_0_are_no_suspects_and_decide_nothing(
    machine: Any, rows: FloatArray
) -> None:
    y = np.where(rows[:, 0] > 0, 1.0, -1.0)
    y[:8] = -y[:8]
    weight = np.append(np.zeros(5), np.ones(len(y) - 5))
    found = suspects(machine.set_params(gamma=0.5), rows, y, sample_weight=weight, cv="loo")
    without = suspects(machine, rows[5:], y[5:], cv="loo")
    assert list(found.rows) == list(without.rows + 5)
    np.testing.assert_allclose(found.margins[5:], without.margins, atol=1e-6)


def test_suspects_need_labels(rows: FloatArray) -> None:
    with pytest.raises(TypeError, match="classifier or a regressor"):
        suspects(OneClassSVM(), rows, labels(rows))
    with pytest.raises(ValueError, match="y must be a vector"):
        suspects(SVC(), rows, np.ones((80, 2)))
