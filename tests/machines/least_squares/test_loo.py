"""Leave-one-out values are what training without the row gives, in every machine."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest
from scipy.linalg import LinAlgWarning
from sklearn.base import clone
from sklearn.metrics import get_scorer
from sklearn.metrics.pairwise import rbf_kernel

from mercer import LSSVR, RLSC, LowRank
from mercer.diagnostics import loo_path
from sampling import some_of_each

N = 9
BASIS = np.array([1, 4, 8, 6, 4])


def without(machine: LSSVR, i: int) -> LSSVR:
    """The machine for the data without row i, on the same basis."""
    copy = clone(machine).set_params(alpha=machine.alpha_)
    low_rank = copy.low_rank
    if low_rank is not None and low_rank.has_positions:
        basis = np.asarray(low_rank.basis)
        basis = basis[basis != i]
        low_rank.set_params(basis=basis - (basis > i))
    return copy


APPROXIMATIONS = ["none", "rectangle", "subset", "nystrom", "averaged"]


def approximation(name: str, X: np.ndarray) -> LowRank | None:
    if name == "none":
        return None
    if name == "averaged":
        return LowRank(basis=X[BASIS], n_models=2)
    basis = BASIS[:4] if name == "subset" else X[BASIS]
    return LowRank(basis=basis, method=name)


VARIANTS = [
    *product(["one alpha", "grid"], APPROXIMATIONS),
    ("linear", "none"),
    ("linear", "subset"),
    ("proximal", "none"),
    ("proximal", "rectangle"),
]
BIASES = [False, True, "penalized"]
DATA = [(False, 1), (True, 1), (True, 3), (False, 3)]  # with weights, of so many outputs


@pytest.mark.parametrize(("case", "data"), some_of_each(product(VARIANTS, BIASES), DATA, 2))
def test_leave_one_out_is_training_without_the_row(case, data):
    ((variant, low_rank), bias), (weighted, n_outputs) = case, data
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(N, 3)), rng.normal(size=(N, n_outputs))
    weight = rng.choice([0.5, 1.0, 3.0], N) if weighted else np.ones(N)
    machine = LSSVR(
        alpha=[0.05, 0.4, 3.0] if variant == "grid" else 0.4,
        kernel="linear" if variant == "linear" else "rbf",
        gamma=0.3,
        fit_intercept=bias,
        low_rank=approximation(low_rank, X),
        penalty="coefficients" if variant == "proximal" else "norm",
    )
    machine.fit(X, y, weight)
    expected = np.empty_like(y)
    for i in range(N):
        rest = np.arange(N) != i
        refitted = without(machine, i).set_params(loo=False)
        rows = X
        if variant == "proximal" and low_rank == "none":
            # the features are kernel values with all rows, the left-out one among them
            rows = rbf_kernel(X, gamma=0.3) * np.sqrt(weight)
            refitted.set_params(kernel="linear", penalty="norm")
        refitted.fit(rows[rest], y[rest], weight[rest])
        expected[i] = refitted.predict(rows[i : i + 1])
    np.testing.assert_allclose(machine.loo_values_, expected, atol=1e-8)
    error = (weight @ (y - expected) ** 2).mean() / weight.sum()
    assert machine.loo_error_ == pytest.approx(error, rel=1e-7)
    fitted = machine.predict(X)
    residual = (weight @ (y - fitted) ** 2).mean() / weight.sum()
    assert machine.gcv_ == pytest.approx(residual / (1 - machine.dof_ / weight.sum()) ** 2)


@pytest.mark.parametrize("sparse", ["prune", "l0"])
def test_sparse_machines_leave_out_on_their_final_support(sparse):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 2))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=40)
    machine = LSSVR(alpha=0.2, gamma=0.5, sparse=sparse).fit(X, y)
    kept = machine.support_
    assert 0 < len(kept) < 40
    if sparse == "prune":
        expected = machine.predict(X)
        for k in kept:
            rest = kept[kept != k]
            refitted = LSSVR(alpha=0.2, gamma=0.5).fit(X[rest], y[rest])
            expected[k] = refitted.predict(X[[k]])[0]
        np.testing.assert_allclose(machine.loo_values_, expected, atol=1e-8)
    assert machine.loo_error_ == pytest.approx(np.mean((y - machine.loo_values_) ** 2))


def test_rows_without_weight_were_left_out_from_the_start():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(N, 2)), rng.normal(size=N)
    weight = np.ones(N)
    weight[[2, 7]] = 0.0
    machine = LSSVR(alpha=0.4).fit(X, y, weight)
    np.testing.assert_allclose(machine.loo_values_[[2, 7]], machine.predict(X[[2, 7]]))
    rest = weight > 0
    alone = LSSVR(alpha=0.4, gamma=machine.kernel_.gamma).fit(X[rest], y[rest])
    np.testing.assert_allclose(machine.loo_values_[rest], alone.loo_values_, atol=1e-12)


def test_path_function_is_the_machine():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(N, 2)), rng.normal(size=N)
    weight = rng.choice([1.0, 2.0], N)
    grid = [0.1, 1.0, 10.0]
    machine = LSSVR(alpha=grid, gamma=0.5).fit(X, y, weight)
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    path = loo_path(K, y, grid, sample_weight=weight, fit_intercept=True)
    best = int(np.argmin(path.squared_error))
    assert machine.alpha_ == grid[best]
    np.testing.assert_allclose(path.squared_error, machine.loo_errors_, rtol=1e-9)
    np.testing.assert_allclose(path.values[best], machine.loo_values_, atol=1e-9)
    np.testing.assert_allclose(path.gcv[best], machine.gcv_)
    np.testing.assert_allclose(path.dof[best], machine.dof_)
    np.testing.assert_allclose(path.fitted[best], machine.predict(X), atol=1e-9)


def test_gcv_is_the_mean_of_the_approximate_residuals():
    """(y - f)/(1 - tr S/n) = c/(tr G/n)."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(N, 2)), rng.normal(size=N)
    K = np.exp(-0.5 * ((X[:, None] - X) ** 2).sum(axis=2))
    G = np.linalg.inv(K + 0.3 * np.eye(N))
    path = loo_path(K, y, 0.3)
    np.testing.assert_allclose(path.gcv, np.mean((G @ y / (np.trace(G) / N)) ** 2))
    np.testing.assert_allclose(path.residuals[0], (G @ y) / np.diagonal(G))


def test_one_row_left_out_of_one():
    assert LSSVR(fit_intercept=False).fit([[1.0]], [2.0]).loo_values_[0] == 0.0
    lone = LSSVR().fit([[1.0]], [2.0])
    assert lone.loo_values_[0] == 0.0
    assert lone.predict([[5.0]])[0] == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"K": np.eye(2)}, "K must have shape"),
        ({"alphas": [0.0]}, "alphas must be positive"),
        ({"sample_weight": [1.0, -1.0, 1.0]}, "weight must not be negative"),
    ],
)
def test_path_refuses_nonsense(arguments, message):
    given = {"K": np.eye(3), "y": [1.0, 2.0, 3.0], "alphas": [1.0]} | arguments
    with pytest.raises(ValueError, match=message):
        loo_path(**given)


@pytest.mark.parametrize("scoring", ["roc_auc", "f1", "balanced_accuracy"])
def test_any_score_of_left_out_rows_chooses_alpha(scoring):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3 == 0
    X = rng.normal(size=(60, 2)) + y[:, None]
    machine = RLSC(alpha=[0.1, 1.0, 10.0, 100.0], scoring=scoring).fit(X, y)
    scores = []
    for alpha in machine.alphas_:
        values = RLSC(alpha=alpha).fit(X, y).loo_values_
        metric = get_scorer(scoring)
        values = values if scoring == "roc_auc" else values > 0
        scores.append(metric._score_func(y, values, **metric._kwargs))
    np.testing.assert_allclose(machine.loo_scores_, scores)
    assert machine.alpha_ in machine.alphas_[np.isclose(scores, np.max(scores))]


def test_scores_of_numbers_weights_and_labels():
    rng = np.random.default_rng(0)
    X, y, weight = rng.normal(size=(40, 2)), rng.normal(size=40), rng.integers(1, 3, 40)
    machine = LSSVR(alpha=[0.1, 1.0], scoring="neg_mean_absolute_error").fit(X, y, weight)
    error = np.average(np.abs(machine.loo_values_ - y), weights=weight)
    np.testing.assert_allclose(machine.loo_scores_.max(), -error)
    three = RLSC(alpha="loo", scoring="accuracy").fit(X, np.arange(40) % 3)
    np.testing.assert_allclose(three.loo_scores_, 1 - three.loo_errors_)
    labels = RLSC(alpha=[0.1, 1.0], scoring="f1_micro").fit(X, (X > 0).astype(int))
    assert len(labels.loo_scores_) == 2


def test_scores_that_cannot_be_are_refused():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    with pytest.raises(ValueError, match="scoring must work on predictions or decision values"):
        RLSC(alpha="loo", scoring="neg_log_loss").fit(X, y)
    with pytest.raises(ValueError, match="scoring must be None with alpha='gcv'"):
        RLSC(alpha="gcv", scoring="accuracy").fit(X, y)
    with pytest.raises(ValueError, match="scoring must be None in partial_fit"):
        RLSC(kernel="linear", scoring="accuracy").partial_fit(X, y)


@pytest.mark.parametrize("solver", ["primal", "smw"])
@pytest.mark.parametrize("bias", [False, True, "penalized"])
@pytest.mark.parametrize("alpha", [1.0, [1.0, 2.0]])
def test_row_far_from_all_others_is_left_out_to_all_digits(solver, bias, alpha):
    X = np.array([[0.0, 1e8], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0]])
    y = np.array([1.0, 2.0, 3.0, 5.0, 4.0])
    machine = LSSVR(kernel="linear", alpha=alpha, solver=solver, fit_intercept=bias)
    with warnings.catch_warnings():
        # of an ill-conditioned matrix, which leaves the digits of this row alone
        warnings.simplefilter("ignore", LinAlgWarning)
        machine.fit(X, y)
    refitted = clone(machine).set_params(alpha=machine.alpha_, loo=False).fit(X[1:], y[1:])
    assert machine.loo_values_[0] == pytest.approx(refitted.predict(X[:1])[0], rel=1e-10)
    if bias is True:
        assert machine.loo_values_[0] == pytest.approx(3.5 - 2.5 * refitted.coef_[0, 0])
