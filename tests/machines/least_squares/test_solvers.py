"""Direct = eigen = CG = SMW = primal = LSQR = SMO, to 1e-8."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import LinAlgWarning
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge

from mercer import LSSVC, LSSVR, RLSC, LowRank, Smo
from mercer.solvers import ConjugateGradient

BIASES = [False, True, "penalized"]
KERNEL_SOLVERS = ["direct", "eigen", "cg", ConjugateGradient(), ConjugateGradient(20), "smo"]
LINEAR_SOLVERS = ["direct", "eigen", "cg", "primal", "smw", "lsqr", "smo", Smo()]


def data(shape=(60, 5), n_outputs=2):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=shape) + 1.0, rng.normal(size=(shape[0], n_outputs))
    weight = rng.choice([0.0, 0.5, 1.0, 3.0], shape[0])
    return X, Y, weight


def bordered_values(K, Y, weight, alpha, bias):
    """Values of the machine on its own rows (docs/theory/least_squares.md#the-system)."""
    kept = np.flatnonzero(weight)
    n = len(kept)
    if bias == "penalized":
        K = K + 1.0
    B = np.zeros((n + 1, n + 1))
    B[:n, :n] = K[np.ix_(kept, kept)] + alpha * np.diag(1 / weight[kept])
    B[n, n] = 1.0
    if bias is True:
        B[n] = B[:, n] = 1.0
        B[n, n] = 0.0
    solved = np.linalg.solve(B, np.vstack([Y[kept], np.zeros((1, Y.shape[1]))]))
    return K[:, kept] @ solved[:n] + solved[n]


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("solver", KERNEL_SOLVERS, ids=str)
def test_kernel_solvers_agree(solver, bias):
    X, Y, weight = data()
    machine = LSSVR(alpha=0.1, gamma=0.2, solver=solver, fit_intercept=bias, tol=1e-12)
    machine.fit(X, Y, weight)
    K = np.exp(-0.2 * ((X[:, None] - X) ** 2).sum(axis=2))
    expected = bordered_values(K, Y, weight, 0.1, bias)
    np.testing.assert_allclose(machine.predict(X), expected, atol=1e-8)
    # c = w (y - f) / alpha
    kept = machine.support_
    coef = weight[kept, None] * (Y - machine.predict(X))[kept] / 0.1
    np.testing.assert_allclose(machine.dual_coef_.T, coef, atol=1e-7)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("shape", [(60, 5), (30, 45)])
@pytest.mark.parametrize("solver", LINEAR_SOLVERS, ids=str)
def test_linear_solvers_agree(solver, shape, form, bias):
    X, Y, weight = data(shape)
    machine = LSSVR(alpha=0.1, kernel="linear", solver=solver, fit_intercept=bias, tol=1e-12)
    machine.fit(form(X), Y, weight)
    expected = bordered_values(X @ X.T, Y, weight, 0.1, bias)
    np.testing.assert_allclose(machine.predict(form(X)), expected, atol=1e-8)
    assert machine.solver_ == (solver if isinstance(solver, str) else solver.name)


def test_peers_agree():
    X, Y, _ = data()
    ours = LSSVR(alpha=0.3, gamma=0.2, fit_intercept=False).fit(X, Y)
    peer = KernelRidge(alpha=0.3, kernel="rbf", gamma=0.2).fit(X, Y)
    np.testing.assert_allclose(ours.predict(X), peer.predict(X), atol=1e-9)
    linear = LSSVR(alpha=0.3, kernel="linear").fit(X, Y)
    np.testing.assert_allclose(linear.predict(X), Ridge(0.3).fit(X, Y).predict(X), atol=1e-9)
    np.testing.assert_allclose(linear.coef_, Ridge(0.3).fit(X, Y).coef_, atol=1e-9)


@pytest.mark.parametrize(
    ("kernel", "shape", "form", "alpha", "solver"),
    [
        ("rbf", (40, 3), np.asarray, 1.0, "direct"),
        ("rbf", (40, 3), np.asarray, "loo", "eigen"),
        ("rbf", (40, 3), np.asarray, [0.1, 1.0], "eigen"),
        ("linear", (40, 3), np.asarray, 1.0, "primal"),
        ("linear", (40, 3), sp.csr_matrix, "loo", "primal"),
        ("linear", (20, 30), np.asarray, 1.0, "direct"),
        ("linear", (20, 30), sp.csr_matrix, [1.0, 2.0], "eigen"),
        ("linear", (2500, 2600), sp.csr_matrix, 1.0, "cg"),
    ],
)
def test_shape_chooses_the_solver(kernel, shape, form, alpha, solver):
    X = form(np.eye(*shape) + np.eye(*shape, k=1))
    y = np.arange(shape[0]) % 2
    assert RLSC(alpha=alpha, kernel=kernel).fit(X, y).solver_ == solver


def test_many_rows_use_conjugate_gradients(monkeypatch):
    X, Y, _ = data()
    monkeypatch.setattr("mercer.least_squares.choice.DENSE_SIDE", 50)
    assert LSSVR().fit(X, Y).solver_ == "cg"
    assert LSSVR(alpha=[1.0, 2.0]).fit(X, Y).solver_ == "eigen"
    monkeypatch.setattr("mercer.least_squares.choice.SPECTRUM_SIDE", 55)
    with pytest.raises(ValueError, match="alpha must be one number for 60 rows"):
        LSSVR(alpha="loo").fit(X, Y)
    assert LSSVR(alpha="loo", kernel="linear").fit(X, Y).solver_ == "primal"


@pytest.mark.parametrize("solver", ["primal", "smw", "lsqr"])
def test_linear_solvers_refuse_other_kernels(solver):
    X, Y, _ = data()
    with pytest.raises(ValueError, match="needs a linear kernel"):
        LSSVR(solver=solver).fit(X, Y)


@pytest.mark.parametrize("solver", ["cg", "smo", ConjugateGradient()])
def test_iterative_solvers_refuse_a_grid(solver):
    X, Y, _ = data()
    with pytest.raises(ValueError, match="needs one alpha"):
        LSSVR(alpha="loo", solver=solver).fit(X, Y)


def test_unknown_solver_is_refused():
    X, Y, _ = data()
    with pytest.raises(ValueError, match="solver must be one of"):
        LSSVR(solver="magic").fit(X, Y)


def test_cg_warns_if_it_may_not_go_on():
    X, Y, _ = data()
    with pytest.warns(ConvergenceWarning, match="relative residual"):
        LSSVR(alpha=1e-6, solver=ConjugateGradient(), max_iter=2).fit(X, Y)


@pytest.mark.parametrize("alpha", [1e-14, [1e-14, 1e-13]])
@pytest.mark.parametrize("machine", [RLSC, LSSVC])
def test_duplicates_without_a_ridge_give_an_answer_with_its_condition(machine, alpha):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(20, 2)), 3, axis=0)
    y = np.repeat(rng.integers(2, size=20), 3)
    fitted = machine(alpha=alpha)
    with pytest.warns(LinAlgWarning, match="ill-conditioned"):
        fitted.fit(X, y)
    assert fitted.condition_ > 1e14
    assert np.isfinite(fitted.loo_values_).all()
    assert fitted.score(X, y) == 1.0


def test_interpolation_in_feature_space_says_that_left_out_values_are_rounding():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), rng.normal(size=30)
    machine = LSSVR(alpha=1e-14, gamma=2.0, low_rank=30, fit_intercept=False)
    with pytest.warns(LinAlgWarning, match="loo_values_ may be inaccurate"):
        machine.fit(X, y)
    np.testing.assert_allclose(machine.predict(X), y, atol=1e-6)


@pytest.mark.parametrize("loo", [False, True])
@pytest.mark.parametrize(
    "parameters",
    [
        {"kernel": "linear", "solver": "smw"},
        {"low_rank": LowRank(9, method="nystrom", random_state=0)},
    ],
)
def test_dual_coefficients_of_few_features_state_the_condition_of_all_rows(parameters, loo):
    X, Y, _ = data()
    with pytest.warns(LinAlgWarning, match="ill-conditioned"):
        machine = LSSVR(alpha=1e-14, loo=loo, **parameters).fit(X, Y)
    assert machine.condition_ > 1e14


def test_contradicting_duplicates_share_the_mean():
    X = np.array([[0.0], [0.0], [1.0]])
    machine = LSSVR(alpha=1e-8, fit_intercept=False).fit(X, [1.0, 3.0, 5.0])
    np.testing.assert_allclose(machine.predict(X), [2.0, 2.0, 5.0], atol=1e-6)


def test_an_indefinite_kernel_is_solved_as_it_stands():
    X, Y, _ = data()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine = LSSVR(kernel="sigmoid", gamma=1.0, coef0=-1.0, alpha=0.05).fit(X, Y)
    K = np.tanh(X @ X.T - 1.0)
    expected = bordered_values(K, Y, np.ones(len(X)), 0.05, True)
    assert machine.solver_ == "eigen"
    np.testing.assert_allclose(machine.predict(X), expected, atol=1e-6)


def test_a_well_conditioned_fit_states_its_condition_and_does_not_warn():
    X, Y, _ = data()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        direct = LSSVR(gamma=0.2, alpha=0.5).fit(X, Y)
        eigen = LSSVR(gamma=0.2, alpha=0.5, solver="eigen").fit(X, Y)
    # by power iteration, so from below
    assert eigen.condition_ / 2 < direct.condition_ < eigen.condition_ * 1.001
