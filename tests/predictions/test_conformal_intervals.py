"""Intervals: closed forms are those of refits, ends are ranks, coverage holds."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import Ridge

from mercer import LSSVR, SVR, ConformalSVR, NuSVR
from mercer.predictions.ranks import lower_ends
from mercer.predictions.searched_ends import SearchedEnds

RNG = np.random.default_rng(0)
X = RNG.uniform(-2, 2, size=(40, 2))
Y = np.sin(2 * X[:, 0]) + 0.3 * RNG.normal(size=40)
Z = RNG.uniform(-2, 2, size=(5, 2))


def jackknife_by_refits(machine: Any, alpha: float, weight: Any = None) -> NDArray[Any]:
    """Barber et al. 2021, row by row."""
    low, high = [], []
    for i in range(len(Y)):
        rest = np.arange(len(Y)) != i
        options = {} if weight is None else {"sample_weight": weight[rest]}
        without = clone(machine).fit(X[rest], Y[rest], **options)
        size = abs(Y[i] - without.predict(X[i : i + 1])[0])
        low.append(without.predict(Z) - size)
        high.append(without.predict(Z) + size)
    times = np.ones(len(Y), dtype=int) if weight is None else weight
    below, above = (np.sort(np.repeat(ends, times, axis=0), axis=0) for ends in (low, high))
    n = len(below)
    return np.column_stack(
        [below[int(np.floor(alpha * (n + 1))) - 1], above[int(np.ceil((1 - alpha) * (n + 1))) - 1]]
    )


@pytest.mark.parametrize(
    "machine",
    [
        LSSVR(gamma=0.7, alpha=0.3),
        LSSVR(gamma=0.7, alpha=0.3, fit_intercept=False),
        LSSVR(gamma=0.7, alpha=0.3, fit_intercept="penalized"),
        LSSVR(kernel="linear"),
        SVR(gamma=0.7, tol=1e-8),
        SVR(gamma=0.7, tol=1e-8, fit_intercept="penalized"),
        SVR(kernel="linear", tol=1e-8),
        NuSVR(gamma=0.7, tol=1e-8),
        Ridge(),
    ],
)
def test_jackknife_is_that_of_refits(machine: Any) -> None:
    found = ConformalSVR(machine, alpha=0.13).fit(X, Y).predict_interval(Z)
    np.testing.assert_allclose(found, jackknife_by_refits(machine, 0.13), atol=1e-5)


@pytest.mark.parametrize("machine", [LSSVR(gamma=0.7, alpha=0.3), SVR(gamma=0.7, tol=1e-8)])
def test_a_row_is_left_out_with_all_its_weight_and_counts_as_often(machine: Any) -> None:
    weight = np.random.default_rng(1).integers(1, 4, len(Y))
    found = ConformalSVR(machine, alpha=0.13).fit(X, Y, sample_weight=weight).predict_interval(Z)
    np.testing.assert_allclose(found, jackknife_by_refits(machine, 0.13, weight), atol=1e-5)


def share_as_strange(machine: Any, row: NDArray[Any], value: float) -> float:
    rows, y = np.vstack([X, row]), np.append(Y, value)
    size = np.abs(y - clone(machine).fit(rows, y).predict(rows))
    return float(np.mean(size >= size[-1] - 1e-9))


@pytest.mark.parametrize("gamma", ["scale", 0.7])
@pytest.mark.parametrize("bias", [True, False, "penalized"])
def test_full_intervals_of_least_squares_end_where_p_values_fall_to_alpha(
    gamma: Any, bias: Any
) -> None:
    machine = LSSVR(gamma=gamma, alpha=0.3, fit_intercept=bias)
    found = ConformalSVR(machine, alpha=0.2, kind="full").fit(X, Y).predict_interval(Z)
    for row, (low, high) in zip(Z, found, strict=True):
        inside, step = (low + high) / 2, 1e-6
        for end, outwards in ((low, -step), (high, step)):
            assert share_as_strange(machine, row, end - outwards) > 0.2
            assert share_as_strange(machine, row, end + outwards) <= 0.2
        assert share_as_strange(machine, row, inside) > 0.2


@pytest.mark.parametrize("machine", [SVR(gamma=0.7), Ridge()])
def test_full_intervals_by_search_leave_out_what_is_too_strange(machine: Any) -> None:
    found = ConformalSVR(machine, alpha=0.2, kind="full").fit(X, Y).predict_interval(Z[:2])
    for row, (low, high) in zip(Z, found, strict=False):
        reach = 2e-3 * Y.std()
        assert share_as_strange(machine, row, low + reach) > 0.2
        assert share_as_strange(machine, row, high - reach) > 0.2
        assert share_as_strange(machine, row, low - 1e-9) <= 0.2
        assert share_as_strange(machine, row, high + 1e-9) <= 0.2


def test_search_finds_the_closed_form() -> None:
    machine = LSSVR(gamma=0.7, alpha=0.3)
    centre = clone(machine).fit(X, Y).predict(Z)
    searched = SearchedEnds(machine, X, Y, None).intervals(Z, centre, 0.2)
    closed = ConformalSVR(machine, alpha=0.2, kind="full").fit(X, Y).predict_interval(Z)
    np.testing.assert_allclose(searched, closed, atol=2e-3 * Y.std())


def test_ends_are_whole_ranks() -> None:
    ends = np.arange(19.0)[::-1][None]
    assert lower_ends(ends, np.ones(19), 0.1)[0] == 1.0  # floor(0.1 * 20) = 2nd smallest
    assert lower_ends(ends, np.ones(19), 0.05)[0] == 0.0
    assert lower_ends(ends, np.ones(19), 0.0499)[0] == -np.inf
    assert lower_ends(ends, np.full(19, 2.0), 0.1)[0] == 1.0  # floor(0.1 * 39) = 3rd of the copies


@pytest.mark.parametrize("kind", ["jackknife+", "cv+", "full", "split"])
def test_coverage_in_simulation(kind: str) -> None:
    """Heavy-tailed noise whose size depends on the row, and a machine that is wrong."""
    rng = np.random.default_rng(5)
    machine = ConformalSVR(
        LSSVR(kernel="linear", alpha=1.0),
        alpha=0.2,
        kind=kind,
        random_state=0,
        calibration_size=0.5,
    )
    hits = []
    for _ in range(150):
        rows = rng.normal(size=(44, 1))
        y = rows[:, 0] ** 2 + rng.standard_t(2, 44) * (1 + np.abs(rows[:, 0]))
        ends = machine.fit(rows[:39], y[:39]).predict_interval(rows[39:])
        hits.append(((ends[:, 0] <= y[39:]) & (y[39:] <= ends[:, 1])).mean())
    assert np.mean(hits) >= 0.8 - 4 * np.std(hits) / np.sqrt(len(hits))
    assert np.mean(hits) <= 0.9


@pytest.mark.parametrize("kind", ["jackknife+", "cv+", "split"])
def test_widths_of_quantiles_follow_the_noise(kind: str) -> None:
    rng = np.random.default_rng(6)
    rows = rng.uniform(0, 1, (120, 1))
    y = rng.normal(0, 0.1 + rows[:, 0])
    machine = SVR(loss="quantile", kernel="linear", C=10.0)
    conformal = ConformalSVR(machine, alpha=0.2, kind=kind, random_state=0).fit(rows, y)
    near, far = np.diff(conformal.predict_interval([[0.05], [0.95]]), axis=1)[:, 0]
    assert far > 2 * near
    with pytest.raises(ValueError, match="loss='quantile'"):
        ConformalSVR(machine, kind="full").fit(rows, y)


@pytest.mark.parametrize("kind", ["jackknife+", "cv+", "full", "split"])
@pytest.mark.parametrize("machine", [SVR(gamma=0.7), LSSVR(gamma=0.7)])
def test_frames_sparse_rows_and_copies_of_the_machine(machine: Any, kind: str) -> None:
    plain = ConformalSVR(machine, kind=kind, random_state=0).fit(X, Y)
    few = Z[:2]
    expected = plain.predict_interval(few)
    assert (expected[:, 0] <= expected[:, 1]).all()
    framed = ConformalSVR(machine, kind=kind, random_state=0)
    framed.fit(pd.DataFrame(X, columns=["a", "b"]), Y)
    given = framed.predict_interval(pd.DataFrame(few, columns=["a", "b"]))
    np.testing.assert_allclose(given, expected)
    thin = ConformalSVR(machine, kind=kind, random_state=0).fit(sp.csr_array(X), Y)
    np.testing.assert_allclose(thin.predict_interval(sp.csr_array(few)), expected, rtol=1e-6)
    copy = pickle.loads(pickle.dumps(plain))
    np.testing.assert_allclose(copy.predict_interval(few), expected, rtol=1e-12)


def test_too_few_rows_and_wrong_input_are_told() -> None:
    with pytest.warns(UserWarning, match="intervals are infinite"):
        machine = ConformalSVR(LSSVR()).fit([[0.0], [1.0]], [0.0, 1.0])
    assert np.isinf(machine.predict_interval([[0.5]])).all()
    with pytest.raises(ValueError, match="alpha='loo'"):
        ConformalSVR(LSSVR(alpha="loo"), kind="full").fit(X, Y)
    with pytest.raises(ValueError, match="NaN"):
        ConformalSVR().fit(X, np.where(Y > 0, np.nan, Y))
    with pytest.raises(ValueError, match="precomputed"):
        ConformalSVR(SVR(kernel="precomputed"), kind="full").fit(np.eye(4), np.arange(4.0))
    stored = ConformalSVR(SVR(kernel="precomputed"), kind="cv+", alpha=0.3).fit(X @ X.T, Y)
    assert stored.predict_interval(Z @ X.T).shape == (5, 2)
    chosen = ConformalSVR(LSSVR(alpha="loo", gamma=0.7)).fit(X, Y)
    assert np.isfinite(chosen.predict_interval(Z)).all()
