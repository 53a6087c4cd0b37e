"""No bound is ever violated: 10,000 random problems each."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from batched import leave_each_out, random_problems, with_bias, without_bias

from mercer import LSSVC, RLSC, SVC, SVR
from mercer.diagnostics import (
    jaakkola_haussler,
    loo_bound,
    loo_interval,
    rlsc_bound,
    rlsc_multiclass_bound,
    xi_alpha,
)

COUNT = 10_000
TOL = 1e-5


def rlsc_problems(n=6):
    y, K, _ = random_problems(COUNT, n, seed=0)
    alpha = 10.0 ** np.random.default_rng(1).uniform(-3, 1, (COUNT, 1))
    G = np.linalg.inv(K + alpha[:, :, None] * np.eye(n))
    return y, K, alpha, G


def test_rlsc_bound_holds_and_its_forms_are_one():
    y, K, alpha, G = rlsc_problems()
    coef = np.einsum("pij,pj->pi", G, y)
    diagonal, inverse = np.einsum("pii->pi", K), np.einsum("pii->pi", G)
    decision = y - alpha * coef
    held_out = y - coef / inverse
    masks = [rlsc_bound(y, decision, alpha, diagonal, form) for form in "abc"]
    threshold = np.abs(y * decision - diagonal / (diagonal + alpha))
    clear = threshold > 1e-9
    for mask in masks:
        assert not (~mask & (y * held_out <= -TOL)).any()
        np.testing.assert_array_equal(mask[clear], masks[2][clear])
    low, high = loo_interval(y, decision, alpha, diagonal)
    assert (held_out >= low - TOL).all()
    assert (held_out <= high + TOL).all()
    assert not (masks[2] & (y * decision > 1)).any()
    # it says something: most rows of these problems cannot be errors
    assert masks[2].mean() < 0.7


def test_interval_holds_for_real_targets():
    _, K, alpha, G = rlsc_problems()
    targets = np.random.default_rng(2).normal(size=(COUNT, 6))
    coef = np.einsum("pij,pj->pi", G, targets)
    held_out = targets - coef / np.einsum("pii->pi", G)
    low, high = loo_interval(targets, targets - alpha * coef, alpha, np.einsum("pii->pi", K))
    assert (held_out >= low - TOL).all()
    assert (held_out <= high + TOL).all()


def test_retraining_with_a_smaller_ridge_may_break_the_interval():
    """With lambda (n - 1) there is no such theorem (docs/theory/least_squares.md#alpha-is-held)."""
    y, K, alpha, G = rlsc_problems()
    n = 6
    coef = np.einsum("pij,pj->pi", G, y)
    low, high = loo_interval(y, y - alpha * coef, alpha, np.einsum("pii->pi", K))
    rest = np.arange(n) != 0
    smaller = alpha[:, :, None] * (n - 1) / n * np.eye(n - 1)
    inner = np.linalg.solve(K[:, rest][:, :, rest] + smaller, y[:, rest, None])[:, :, 0]
    held_out = np.einsum("pj,pj->p", K[:, 0, rest], inner)
    assert ((held_out < low[:, 0] - TOL) | (held_out > high[:, 0] + TOL)).mean() > 0.02


@pytest.mark.parametrize("squared", [False, True])
def test_jaakkola_haussler_bound_holds(squared):
    y, K, C = random_problems(COUNT, 5, seed=3)
    full = without_bias(y, K, C, squared=squared)
    decision = np.einsum("pij,pj->pi", K, y * full)
    parts = without_bias(*leave_each_out(y, K, C), squared=squared).reshape(-1, 5, 5)
    held_out = np.einsum("pij,pij->pi", K, parts * y[:, None])
    diagonal = np.einsum("pii->pi", K)
    possible = jaakkola_haussler(y, decision, y * full, diagonal)
    assert not (~possible & (y * held_out <= -TOL)).any()
    # the theorem is about each value
    assert (y * held_out >= y * (decision - y * full * diagonal) - TOL).all()
    assert (y * held_out <= 0).sum() <= possible.sum() < 4 * COUNT


def test_xi_alpha_bound_holds_for_stable_machines():
    y, K, C = random_problems(COUNT, 5, seed=4)
    full, bias = with_bias(y, K, C)
    part, part_bias = with_bias(*leave_each_out(y, K, C))
    inside = (full > TOL) & (full < C - TOL)
    parts = part.reshape(-1, 5, 5)
    part_inside = ((parts > TOL) & (parts < C[:, None] - TOL)).any(axis=2)
    decision = np.einsum("pij,pj->pi", K, y * full) + bias[:, None]
    held_out = np.einsum("pij,pij->pi", K, parts * y[:, None]) + part_bias.reshape(-1, 5)
    spread = (K.max(axis=(1, 2)) - K.min(axis=(1, 2)))[:, None]
    possible = xi_alpha(y, decision, y * full, spread)
    stable = inside.any(axis=1)[:, None] & part_inside
    assert not (~possible & stable & (y * held_out <= -TOL)).any()
    assert stable.sum() > COUNT


@pytest.mark.parametrize("n_classes", [3, 4])
def test_multiclass_bound_holds(n_classes):
    _, K, alpha, G = rlsc_problems()
    labels = np.random.default_rng(5).integers(n_classes, size=(COUNT, 6))
    Y = np.where(labels[:, :, None] == np.arange(n_classes), 1.0, -1.0)
    coef = G @ Y
    held_out = Y - coef / np.einsum("pii->pi", G)[:, :, None]
    decision = Y - alpha[:, :, None] * coef
    # the rows of all problems at once: each is judged by its own values alone
    possible = rlsc_multiclass_bound(
        labels.ravel(),
        decision.reshape(-1, n_classes),
        np.repeat(alpha, 6),
        np.einsum("pii->pi", K).ravel(),
    )
    own = np.take_along_axis(held_out, labels[:, :, None], axis=2)[:, :, 0]
    others = np.where(Y > 0, -np.inf, held_out).max(axis=2)
    assert not (~possible & (others > own + TOL).ravel()).any()
    assert possible.mean() < 0.95


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bias", [False, "penalized"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_bound_of_a_least_squares_machine(bias, n_classes, weighted):
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(50, 2))
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=50), np.linspace(-1, 1, n_classes + 1)[1:-1])
    weight = rng.choice([0.0, 1.0, 2.0], 50) if weighted else None
    machine = RLSC(alpha=0.5, fit_intercept=bias).fit(X, y, weight)
    bound = loo_bound(machine, X, y, weight)
    values = machine.loo_values_
    chosen = (values > 0) if n_classes == 2 else values.argmax(axis=1)
    errors = chosen != y
    assert not (errors & ~bound.possible).any()
    assert errors.sum() <= bound.n_errors < 50
    assert bound.from_source
    assert bound.error == bound.n_errors / 50
    # the solver does not matter: values on the training rows are enough
    again = loo_bound(
        RLSC(alpha=0.5, fit_intercept=bias, solver="cg", tol=1e-10).fit(X, y, weight), X, y, weight
    )
    np.testing.assert_array_equal(again.possible, bound.possible)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("bias", [False, "penalized", True])
def test_bound_of_a_support_vector_machine(bias, loss):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=40) > 0, "b", "a")
    machine = SVC(C=0.7, gamma=0.5, fit_intercept=bias, loss=loss, tol=1e-8).fit(X, y)
    if bias is True and loss == "squared_hinge":
        with pytest.raises(ValueError, match="free bias"):
            loo_bound(machine, X, y)
        return
    bound = loo_bound(machine, X, y)
    errors = np.zeros(40, bool)
    for i in range(40):
        weight = np.ones(40)
        weight[i] = 0.0
        machine.set_params(gamma=0.5).fit(X, y, weight)
        errors[i] = machine.predict(X[[i]])[0] != y[i]
    assert not (errors & ~bound.possible).any()
    assert bound.name == ("xi-alpha" if bias is True else "jaakkola-haussler")
    assert bound.from_source == (bias is not True)


def has_free(machine):
    size = np.abs(machine.dual_coef_)
    return bool(((size > 1e-9 * machine.C) & (size < (1 - 1e-9) * machine.C)).any())


def small_problem(seed):
    """Few rows on a grid, where machines without a free coefficient are common."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 9))
    y = rng.permutation(np.r_[0, 0, 1, 1, rng.integers(0, 2, n - 4)])
    kernel = str(rng.choice(["linear", "rbf"]))
    C = float(rng.choice([0.01, 0.1, 0.3, 1, 10]))
    return rng.integers(-2, 3, (n, 2)).astype(float), y, SVC(kernel=kernel, gamma=0.5, C=C)


def test_xi_alpha_below_the_leave_one_out_error_is_flagged():
    below = {False: 0, None: 0, True: 0}
    for seed in range(250):
        X, y, machine = small_problem(seed)
        machine.set_params(tol=1e-9).fit(X, y)
        free = has_free(machine)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            bound = loo_bound(machine, X, y)
        assert (bound.holds is False) == (not free) == bool(told)
        for i in np.flatnonzero(~bound.possible):
            others = np.arange(len(y)) != i
            machine.fit(X[others], y[others])
            if machine.predict(X[[i]])[0] != y[i]:
                assert not (free and has_free(machine))
                below[bound.holds] += 1
    assert below[True] == 0
    assert below[False] > 0
    assert below[None] > 0


def test_machines_without_a_bound_are_refused():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
    with pytest.raises(ValueError, match="free bias"):
        loo_bound(LSSVC().fit(X, y), X, y)
    with pytest.raises(ValueError, match="exact machine"):
        loo_bound(RLSC(low_rank=5).fit(X, y), X, y)
    with pytest.raises(ValueError, match="loss="):
        loo_bound(SVC(loss="huber").fit(X, y), X, y)
    with pytest.raises(ValueError, match="two classes"):
        loo_bound(SVC().fit(X, np.arange(20) % 3), X, np.arange(20) % 3)
    with pytest.raises(TypeError, match="SVR"):
        loo_bound(SVR().fit(X, y), X, y)
    with pytest.raises(ValueError, match="form"):
        rlsc_bound([1], [1], 1.0, [1], form="d")
