"""Every fit states the residual of its system and its condition."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.linalg import LinAlgWarning
from sklearn.exceptions import ConvergenceWarning

from machines.least_squares.test_solvers import BIASES, KERNEL_SOLVERS, data
from mercer import LSSVR, RLSC, LowRank
from mercer.solvers import ConjugateGradient

VARIANTS = [
    *({"low_rank": LowRank(20, method=m, random_state=0)} for m in ("rectangle", "nystrom")),
    {"low_rank": LowRank(20, method="subset", random_state=0)},
    {"low_rank": LowRank(20, n_models=2, random_state=0)},
    *({"sparse": "prune"}, {"sparse": "l0"}, {"penalty": "coefficients"}),
    *({"kernel": "linear", "solver": s} for s in ("primal", "smw", "cg", "lsqr")),
    {"kernel": lambda A, B: np.exp(-((A[:, None] - B) ** 2).sum(axis=2))},
]


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("solver", KERNEL_SOLVERS, ids=str)
def test_residual_is_that_of_the_system_as_it_stands(solver, bias):
    X, Y, weight = data()
    machine = LSSVR(alpha=0.1, gamma=0.2, solver=solver, fit_intercept=bias).fit(X, Y, weight)
    kept = np.flatnonzero(weight)
    rest = Y[kept] - machine.predict(X)[kept] - 0.1 * machine.dual_coef_.T / weight[kept, None]
    residuals = []
    for most in (np.inf, 0.1 / (2.0 if bias == "penalized" else 1.0)):
        even = np.minimum(weight[kept], most)
        centre = np.average(Y[kept], axis=0, weights=even) if bias is True else 0.0
        residuals.append((even @ rest**2) / (even @ (Y[kept] - centre) ** 2))
    np.testing.assert_allclose(machine.residual_, np.sqrt(np.max(residuals)), atol=1e-12)
    assert machine.residual_ <= machine.tol


@pytest.mark.parametrize("parameters", VARIANTS)
def test_every_variant_states_its_residual(parameters):
    X, Y, weight = data()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        machine = LSSVR(alpha=0.1, **parameters).fit(X, Y[:, 0], weight)
    assert machine.residual_ <= 1e-8
    assert machine.condition_ is None or machine.condition_ >= 1.0


def test_a_stream_states_its_residual():
    X, Y, _ = data()
    machine = LSSVR(kernel="linear").partial_fit(X[:30], Y[:30]).partial_fit(X[30:], Y[30:])
    assert machine.residual_ < 1e-12


def test_a_residual_above_the_tolerance_is_said():
    X, Y, _ = data()
    with pytest.warns(LinAlgWarning, match="relative residual_"):
        machine = LSSVR(kernel="linear", solver="direct", alpha=1e-11, tol=1e-9).fit(X, Y)
    assert machine.residual_ > 1e-9
    with pytest.warns(ConvergenceWarning, match="relative residual"):
        machine = RLSC(alpha=1e-9, solver="cg", max_iter=3).fit(X, Y[:, 0] > 0)
    assert machine.residual_ > machine.tol


@pytest.mark.parametrize("solver", ["cg", ConjugateGradient()], ids=str)
def test_the_condition_of_conjugate_gradients_is_near_that_of_the_spectrum(solver):
    X, Y, _ = data()
    exact = LSSVR(alpha=0.1, gamma=0.2, solver="eigen").fit(X, Y).condition_
    estimate = LSSVR(alpha=0.1, gamma=0.2, solver=solver).fit(X, Y).condition_
    assert exact / 30 < estimate < exact * 10


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("solver", ["direct", "eigen", "cg"])
@pytest.mark.parametrize("heavy", [1.0, 1e6, 1e12, 1e15, 1e60, 1e100])
def test_one_heavy_row_hides_no_error_of_the_others(heavy, solver, bias):
    X = np.random.default_rng(0).normal(size=(60, 3))
    weight = np.r_[heavy, np.ones(59)]
    machine = LSSVR(gamma=1.0, solver=solver, fit_intercept=bias, tol=1e-7)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        machine.fit(X, X[:, 0], weight)
    ones = np.ones((60, 1))
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=2)) + (bias == "penalized")
    solved = np.linalg.solve(K + np.diag(1 / weight), np.c_[X[:, :1], ones])
    shift = solved[:, 0].sum() / solved[:, 1].sum() if bias is True else 0.0
    expected = K @ (solved[:, 0] - shift * solved[:, 1]) + shift
    error = np.abs(machine.predict(X) - expected).max()
    assert error < 1e-5 or (machine.residual_ > machine.tol and said)


def test_weights_that_grow_light_raise_no_alarm():
    X = np.random.default_rng(0).normal(size=(60, 3))
    for bias in BIASES:
        for solver in ("direct", "eigen", "cg"):
            machine = LSSVR(gamma=1.0, solver=solver, fit_intercept=bias)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                machine.fit(X, X[:, 0], np.logspace(0, -200, 60))
            assert machine.residual_ <= machine.tol


def test_weights_beyond_the_range_of_numbers_are_refused():
    X, Y, _ = data()
    weight = np.r_[1e300, np.ones(len(X) - 1)]
    for solver in ("auto", "eigen", "cg", "smo"):
        with pytest.raises(ValueError, match=r"sample_weight must be at most 1e\+100.*1e\+300"):
            LSSVR(solver=solver).fit(X, Y, weight)
    with pytest.raises(ValueError, match=r"sample_weight must be at most 1e\+100.*1e\+300"):
        LSSVR(kernel="linear").partial_fit(X, Y, weight)


@pytest.mark.parametrize("spread", [10.0, 1e3, 1e6])
def test_conjugate_gradients_state_what_light_rows_lack(spread):
    """With weights of a range below 1e8 their residual was that of the heavy rows."""
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(80, 3)), spread ** rng.random(80)
    machine = LSSVR(gamma=1.0, alpha=0.1, solver="cg", tol=1e-7).fit(X, X[:, 0] ** 2, weight)
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
    light = np.minimum(weight, 0.1)
    coef = machine.dual_coef_[0]
    rest = X[:, 0] ** 2 - K @ coef - 0.1 * coef / weight - machine.intercept_
    centred = X[:, 0] ** 2 - np.average(X[:, 0] ** 2, weights=light)
    relative = np.sqrt((light @ rest**2) / (light @ centred**2))
    assert relative <= 1.001 * machine.residual_ <= 1.001e-7
