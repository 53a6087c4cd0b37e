"""The machines of a cluster are the local ones, to rounding, and the same bytes each time."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from mercer import LSSVR, RLSC, LowRank

da = pytest.importorskip("dask.array")
from mercer.dask import DaskLSSVR, DaskRLSC  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.normal(size=(700, 3))
NAMES = np.array(["ash", "elm", "oak"])[(X[:, 0] > 0).astype(int) + (X[:, 1] > 1)]
NUMBERS = np.sin(X[:, 0]) + X[:, 1] ** 2
WEIGHT = RNG.integers(0, 3, len(X)).astype(float)

CASES: list[dict[str, Any]] = [
    {"alpha": "loo"},
    {"alpha": 0.1, "class_weight": "balanced"},
    {"alpha": "gcv", "fit_intercept": True},
    {"alpha": [0.01, 1.0], "fit_intercept": "penalized", "gamma": 0.4},
    {"alpha": 0.1, "multiclass": "code", "kernel": "laplacian"},
    {"alpha": "loo", "kernel": "linear", "low_rank": None, "fit_intercept": True},
    {"alpha": "loo", "low_rank": LowRank(basis=np.arange(0, 60, 2))},
]


def chunked(array: Any, size: int = 170) -> Any:
    return da.from_array(array, chunks=(size, *(2 for _ in array.shape[1:])))


def fitted(machine: Any, y: Any = NAMES, weight: Any = None, size: int = 170) -> Any:
    weight = None if weight is None else chunked(weight, 99)
    return machine.fit(chunked(X, size), chunked(y, 123), weight)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_a_classifier_equals_the_local_one(case: dict[str, Any], weight: Any) -> None:
    options = {"low_rank": 40} | case
    if weight is not None and isinstance(options["low_rank"], LowRank):
        weight = weight + 1.0
    local = RLSC(**options).fit(X, NAMES, weight)
    machine = fitted(DaskRLSC(**options, block_size=64), weight=weight)
    close = {"rtol": 1e-10, "atol": 1e-10}
    np.testing.assert_allclose(machine.alpha_, local.alpha_, **close)
    np.testing.assert_allclose(machine.alphas_, local.alphas_, **close)
    for method in ("decision_function", "predict_proba"):
        own, other = getattr(machine, method)(X), getattr(local, method)(X)
        np.testing.assert_allclose(own, other, **close)
    np.testing.assert_array_equal(machine.predict(X), local.predict(X))
    for name in ("loo_error_", "gcv_", "dof_"):
        np.testing.assert_allclose(getattr(machine, name), getattr(local, name), **close)
    if local.low_rank is not None:
        np.testing.assert_array_equal(machine.low_rank_.basis_[0], local.low_rank_.basis_[0])
        assert machine.low_rank_.trace_error_ == pytest.approx(local.low_rank_.trace_error_)


@pytest.mark.parametrize("targets", [NUMBERS, np.column_stack([NUMBERS, X[:, 2]])])
@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_a_regressor_equals_the_local_one(targets: Any, weight: Any) -> None:
    options: dict[str, Any] = {"alpha": "loo", "low_rank": 40}
    local = LSSVR(**options).fit(X, targets, weight)
    machine = fitted(DaskLSSVR(**options, block_size=100), targets, weight)
    np.testing.assert_allclose(machine.predict(X), local.predict(X), rtol=1e-9, atol=1e-10)
    assert machine.loo_error_ == pytest.approx(local.loo_error_, rel=1e-9)
    np.testing.assert_allclose(machine.loo_errors_, local.loo_errors_, rtol=1e-6)


def test_one_pass_gives_gcv_of_every_alpha() -> None:
    machine = fitted(DaskRLSC(alpha="gcv", low_rank=40, loo=False, block_size=64))
    local = RLSC(alpha="gcv", low_rank=40).fit(X, NAMES)
    assert machine.alpha_ == pytest.approx(local.alpha_)
    assert machine.gcv_ == pytest.approx(local.gcv_)
    assert not hasattr(machine, "predict_proba")


def test_the_partition_of_the_rows_does_not_change_a_bit() -> None:
    machine = DaskRLSC(alpha="loo", low_rank=40, block_size=64)
    found = {fitted(clone(machine), size=size).dual_coef_.tobytes() for size in (7, 170, 700)}
    in_memory = clone(machine).fit(X, NAMES).dual_coef_
    assert {in_memory.tobytes()} == found


@pytest.mark.parametrize("basis", ["k-means++", "incomplete-cholesky"])
def test_landmarks_may_be_chosen_among_a_sample(basis: str) -> None:
    machine = fitted(DaskRLSC(low_rank=LowRank(30, basis=basis, random_state=0)))
    local = RLSC(low_rank=LowRank(basis=machine.low_rank_.basis_[0])).fit(X, NAMES)
    np.testing.assert_allclose(
        machine.decision_function(X), local.decision_function(X), rtol=1e-10, atol=1e-10
    )


def test_the_local_machine_needs_no_cluster() -> None:
    machine = fitted(DaskRLSC(alpha=0.1, low_rank=40))
    local = machine.to_local()
    assert type(local) is RLSC
    np.testing.assert_array_equal(local.predict(X), machine.predict(X))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(machine)).predict(X), local.predict(X))
    assert local.n_features_in_ == machine.n_features_in_ == 3


def test_the_parameters_are_those_of_the_local_class() -> None:
    for cluster, local in ((DaskRLSC, RLSC), (DaskLSSVR, LSSVR)):
        own = set(cluster().get_params())
        assert own - set(local().get_params()) == {"block_size", "on_bad_block", "client"}


def test_sparse_rows_are_learned_from() -> None:
    thin = sp.random(300, 20, 0.2, format="csr", random_state=0)
    labels = (thin[:, [0, 1]].sum(axis=1) > 0.1).astype(int)
    labels = np.asarray(labels).ravel()
    rows = chunked(thin.toarray(), 50).map_blocks(sp.csr_matrix)
    machine = DaskRLSC(low_rank=30, block_size=64).fit(rows, chunked(labels, 80))
    local = RLSC(low_rank=30).fit(thin, labels)
    np.testing.assert_allclose(
        machine.decision_function(thin), local.decision_function(thin), atol=1e-10
    )
    assert machine.predict(rows).compute().shape == (300,)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"solver": "cg"}, "solver must be 'auto'"),
        ({"scoring": "roc_auc"}, "scoring must be None"),
        ({"low_rank": LowRank(n_models=2)}, "n_models"),
        ({"multiclass": "one-vs-one"}, "multiclass must be"),
        ({"kernel": "precomputed"}, "kernel must be"),
        ({"block_size": 1}, "block_size"),
        ({"on_bad_block": "ignore"}, "on_bad_block"),
    ],
)
def test_what_cannot_be_done_in_blocks_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        fitted(DaskRLSC(**options))


def test_one_class_is_refused() -> None:
    with pytest.raises(ValueError, match="greater than one"):
        fitted(DaskRLSC(), np.zeros(len(X), dtype=int))
    with pytest.raises(ValueError, match="must be as long"):
        DaskRLSC().fit(chunked(X), chunked(NAMES[1:]))
    with pytest.raises(ValueError, match="at least one row"):
        DaskRLSC().fit(chunked(X[:0]), chunked(NAMES[:0]))
