"""Every option on every kind of rows gives the same machine, or an error that says why not."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from mercer import LSSVR, RLSC, LowRank, ReducedSVC

RNG = np.random.default_rng(0)
X = np.abs(RNG.normal(size=(40, 3)) * 10 + 20).round()
NUMBERS, CLASSES = X[:, 0] + RNG.normal(size=40), np.arange(40) % 3
WEIGHT = np.where(np.arange(40) % 5 == 1, 0.0, 1.5)


def gaussian(A, B):
    A, B = np.asarray(A, dtype=float), np.asarray(B, dtype=float)
    return np.exp(-0.01 * ((A[:, None] - B) ** 2).sum(axis=2))


K = gaussian(X, X)
INPUTS = [
    ("rbf", X.astype(np.float32)),
    ("rbf", X.astype(np.uint8)),
    ("rbf", sp.csr_matrix(X)),
    ("rbf", X.tolist()),
    ("rbf", pd.DataFrame(X, columns=["a", "b", "c"])),
    ("precomputed", K),
    ("precomputed", pd.DataFrame(K)),
    (gaussian, X),
    (gaussian, [tuple(row) for row in X]),
]
LOW_RANKS = [
    *(LowRank(8, basis=b, random_state=0) for b in ("random", "greedy", "k-means++", "leverage")),
    LowRank(8, basis=[0, 5, 7, 9]),
    LowRank(8, n_models=2, random_state=0),
    *(LowRank(8, method=method, random_state=0) for method in ("subset", "nystrom")),
]
OPTIONS = [
    *({}, {"alpha": "loo"}, {"solver": "cg"}, {"penalty": "coefficients"}),
    *({"sparse": "prune"}, {"sparse": "l0"}),
    *({"low_rank": low_rank} for low_rank in LOW_RANKS),
    {"fit_intercept": "penalized", "low_rank": LowRank(8, method="nystrom", random_state=0)},
]
ROBUST = [
    *({"robust": "huber"}, {"robust": "hampel", "fit_intercept": "penalized"}),
    *({"robust": "huber", "penalty": "coefficients"}, {"robust": "huber", "low_rank": 8}),
    {"robust": "huber", "low_rank": LowRank(8, method="nystrom", random_state=0)},
]
REDUCED = [{"low_rank": r} for r in LOW_RANKS if r.method != "subset"]


def values(machine, parameters, kernel, rows, y):
    gamma = {"gamma": 0.01} if kernel == "rbf" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = machine(kernel=kernel, **gamma, **parameters)
        fitted.fit(rows, y, sample_weight=WEIGHT)
    predict = getattr(fitted, "decision_function", fitted.predict)
    return predict(rows), getattr(fitted, "loo_values_", None)


MACHINES = [
    *((RLSC, CLASSES, option) for option in OPTIONS),
    *((LSSVR, NUMBERS, option) for option in ROBUST),
    *((ReducedSVC, CLASSES, option) for option in REDUCED),
]


@pytest.mark.parametrize("turn", range(len(MACHINES)))
def test_all_kinds_of_rows_give_the_same_machine(turn):
    """Each machine takes every second kind, the next one the others."""
    machine, y, parameters = MACHINES[turn]
    expected, left_out = values(machine, parameters, "rbf", X, y)
    size = np.abs(expected).max()
    for kernel, rows in INPUTS[turn % 2 :: 2]:
        found, others = values(machine, parameters, kernel, rows, y)
        np.testing.assert_allclose(found, expected, atol=1e-4 * size)
        if left_out is not None:
            np.testing.assert_allclose(others, left_out, atol=1e-4 * np.abs(left_out).max())


def test_a_basis_row_without_weight_needs_its_rows():
    low_rank = LowRank(basis=[0, 1, 6])
    dense = LSSVR(gamma=0.01, low_rank=low_rank).fit(X, NUMBERS, WEIGHT)
    sparse = LSSVR(gamma=0.01, low_rank=low_rank).fit(sp.csr_matrix(X), NUMBERS, WEIGHT)
    np.testing.assert_allclose(sparse.predict(X), dense.predict(X), rtol=1e-9)
    with pytest.raises(ValueError, match=r"basis must hold rows of positive weight.*\[1, 6\]"):
        LSSVR(kernel="precomputed", low_rank=low_rank).fit(K, NUMBERS, WEIGHT)
    subset = LowRank(basis=[1, 6], method="subset")
    with pytest.raises(ValueError, match=r"basis must hold rows of positive weight.*\[1, 6\]"):
        LSSVR(low_rank=subset).fit(X, NUMBERS, WEIGHT)
    with pytest.raises(ValueError, match="basis must hold at least one row"):
        LSSVR(low_rank=LowRank(basis=[])).fit(X, NUMBERS)


@pytest.mark.parametrize("method", ["rectangle", "subset", "nystrom"])
@pytest.mark.parametrize("basis", ["incomplete-cholesky", "greedy", "k-means++", "leverage"])
def test_a_matrix_of_zeros_has_a_basis(method, basis, capfd):
    low_rank = LowRank(5, method=method, basis=basis, random_state=0)
    machine = LSSVR(kernel="precomputed", low_rank=low_rank).fit(np.zeros((6, 6)), np.arange(6.0))
    assert np.isfinite(machine.predict(np.zeros((2, 6)))).all()
    assert capfd.readouterr().out == ""
