"""Stability: constants that are attained and never exceeded, bounds that hold, counter-examples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from mercer import LSSVC, LSSVR, RLSC, SVC, SVR, ChunkedEnsemble, OneClassSVM, out_of_sample
from mercer.codes import make_code
from mercer.codes.decoding import decoding_named
from mercer.diagnostics.stability import (
    chunk_stability,
    code_stability,
    consistent_C,
    loss_constants,
    machine_stability,
    margin_bound,
    margin_loss,
    measured_stability,
    normal_interval,
    stability_bound,
    tikhonov_stability,
    vc_bound,
    vc_dimension,
)

LOSS = {
    "hinge": lambda y, f: np.maximum(1 - y * f, 0),
    "squared_hinge": lambda y, f: np.maximum(1 - y * f, 0) ** 2,
    "squared_error": lambda y, f: (y - f) ** 2,
    "absolute_error": lambda y, f: np.abs(y - f),
    "pinball": lambda y, f: np.maximum(1 - y * f, -0.5 * (1 - y * f)),
    "epsilon_insensitive": lambda y, f: np.maximum(np.abs(y - f) - 0.1, 0),
    "squared_epsilon_insensitive": lambda y, f: np.maximum(np.abs(y - f) - 0.1, 0) ** 2,
    "quantile": lambda y, f: np.maximum(0.8 * (y - f), 0.2 * (f - y)),
    "huber": lambda y, f: np.where(np.abs(y - f) <= 1, 0.5 * (y - f) ** 2, np.abs(y - f) - 0.5),
}
SVC_LOSSES = ["hinge", "squared_hinge", "squared_error", "absolute_error", "pinball"]
SVR_LOSSES = ["epsilon_insensitive", "squared_epsilon_insensitive", "quantile", "huber"]


def machine_of(loss, C, bias=False):
    common = {"C": C, "gamma": 1.0, "loss": loss, "fit_intercept": bias, "tol": 1e-7}
    if loss in SVC_LOSSES:
        return SVC(**common)
    return SVR(**common, epsilon=0.1, quantile=0.8, delta=1.0)


def data(n, loss, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] + rng.normal(size=n) > 0, 1.0, -1.0)
    return X, y if loss in SVC_LOSSES else np.clip(X[:, 0] + 0.3 * rng.normal(size=n), -1, 1)


def values(machine, X):
    return machine.decision_function(X) if isinstance(machine, SVC) else machine.predict(X)


@pytest.mark.parametrize("loss", SVC_LOSSES + SVR_LOSSES)
@pytest.mark.parametrize("C", [0.05, 3.0])
@pytest.mark.parametrize("bias", [False, "penalized"])
def test_no_row_changes_more_than_the_constants_allow(loss, C, bias):
    X, y = data(16, loss, 0)
    machine = machine_of(loss, C, bias).fit(X, y)
    of_targets = {} if loss in SVC_LOSSES else {"largest_target": 1.0}
    promised = machine_stability(machine, X, **of_targets)
    Z, labels = data(200, loss, 1)
    labels = np.concatenate([labels, -labels])
    before = np.tile(values(machine, Z), 2)
    assert (
        np.abs(before).max()
        <= loss_constants(
            loss, kappa=np.sqrt(2.0), lam=1 / (2 * C * 16) / 2, epsilon=0.1, quantile=0.8
        ).largest_output
    )
    for row in range(0, 16, 3):
        weight = np.ones(16)
        weight[row] = 0.0
        removed = clone(machine).fit(X, y, sample_weight=weight)
        after = np.tile(values(removed, Z), 2)
        assert np.abs(after - before).max() <= promised.output * (1 + 1e-6) + 1e-6
        change = np.abs(LOSS[loss](labels, after) - LOSS[loss](labels, before)).max()
        assert change <= promised.loss * (1 + 1e-6) + 1e-6
        assert LOSS[loss](labels, after).max() <= promised.largest_loss
        other = y.copy()
        other[row] = -other[row]
        replaced = clone(machine).fit(X, other)
        after = np.tile(values(replaced, Z), 2)
        change = np.abs(LOSS[loss](labels, after) - LOSS[loss](labels, before)).max()
        assert change <= promised.replacement * (1 + 1e-6) + 1e-6


@pytest.mark.parametrize("machine", [RLSC(alpha=2.0), LSSVC(alpha=2.0), LSSVR(alpha=2.0)])
def test_least_squares_machines_keep_their_constants(machine):
    X, y = data(20, "squared_error", 2)
    machine.set_params(fit_intercept=False, gamma=1.0).fit(X, y)
    of_targets = {"largest_target": 1.0} if isinstance(machine, LSSVR) else {}
    promised = machine_stability(machine, X, **of_targets)
    found = measured_stability(machine, X, y, n_rows=None)
    assert 0 < found.output <= promised.output
    by_formula = tikhonov_stability("squared_error", n=20, kappa=1.0, lam=2.0 / 20)
    assert promised.output == pytest.approx(by_formula.output)


@pytest.mark.parametrize("n", [1, 4, 15])
def test_copies_of_one_row_attain_the_constants_of_the_hinge(n):
    """f = C sum of labels while |f| < 1: removal takes C, replacement 2 C."""
    C = 0.01
    X, y = np.zeros((2 * n, 1)), np.tile([1.0, -1.0], n)
    machine = SVC(C=C, gamma=1.0, fit_intercept=False, tol=1e-9).fit(X, y)
    promised = machine_stability(machine, X)
    assert promised.output == promised.loss == pytest.approx(C)
    if n > 1:
        found = measured_stability(machine, X, y, n_rows=None)
        assert found.output == pytest.approx(promised.output, rel=1e-6)
        other = np.append(y[:-1], 1.0)
        change = clone(machine).fit(X, other).decision_function(X[:1])
        change -= machine.decision_function(X[:1])
        assert abs(change[0]) == pytest.approx(promised.replacement, rel=1e-6)


@pytest.mark.parametrize("n", [3, 30, 300])
def test_least_squares_in_a_ball_is_not_stable_but_with_a_penalty_it_is(n):
    """Lines through 0 with |slope| <= 1, n - 1 points at 0 and one at 1 (Rifkin 2002, 5.2)."""
    x = np.zeros(n)
    x[-1] = 1.0
    slopes, penalized = [], []
    for target in (0.0, 1.0):
        y = np.zeros(n)
        y[-1] = target
        slopes.append(np.clip(x @ y / (x @ x), -1.0, 1.0))
        machine = LSSVR(alpha=0.1 * n, kernel="linear", fit_intercept=False).fit(x[:, None], y)
        penalized.append(machine.predict([[1.0]])[0])
    assert slopes[1] - slopes[0] == 1.0
    assert penalized[1] - penalized[0] == pytest.approx(1 / (1 + 0.1 * n))


@pytest.mark.parametrize("n", [3, 31, 301])
def test_one_label_turns_a_free_bias_over_whatever_the_number_of_rows(n):
    X, y = np.zeros((n, 1)), np.where(np.arange(n) <= n // 2, 1.0, -1.0)
    other = y.copy()
    other[0] = -1.0
    biases = [SVC(gamma=1.0, tol=1e-9).fit(X, labels).intercept_[0] for labels in (y, other)]
    assert biases == pytest.approx([1.0, -1.0], abs=1e-6)
    with pytest.raises(ValueError, match="free bias"):
        machine_stability(SVC(gamma=1.0).fit(X, y), X)


def test_the_mean_of_chunks_changes_by_the_share_of_one_chunk():
    X, y = data(60, "hinge", 3)
    machine = ChunkedEnsemble(
        SVC(C=100.0, gamma=1.0), n_chunks=6, partition="random", combine="average", random_state=0
    )
    other = y.copy()
    other[7] = -other[7]
    first, second = machine.fit(X, y), clone(machine).fit(X, other)
    Z, _ = data(50, "hinge", 4)
    change = np.abs(first.decision_function(Z) - second.decision_function(Z)).max()
    pairs = zip(first.estimators_, second.estimators_, strict=True)
    alone = max(np.abs(a.decision_function(Z) - b.decision_function(Z)).max() for a, b in pairs)
    assert alone > 0.1
    assert change == pytest.approx(chunk_stability(alone, first.chunk_sizes_))


@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-9, 0.3, 2.0]))
def test_the_margin_loss_is_at_least_the_error_and_has_its_slope(seed, gamma):
    rng = np.random.default_rng(seed)
    losses, labels = rng.normal(size=(20, 4)).round(1), rng.integers(4, size=20)
    own = losses[np.arange(20), labels]
    others = np.where(np.arange(4) == labels[:, None], np.inf, losses).min(axis=1)
    found = margin_loss(losses, labels, gamma)
    wrong = own >= others
    assert (found >= wrong).all()
    assert (found <= 1).all()
    if gamma == 1e-9:
        np.testing.assert_array_equal(found, wrong)
    moved = losses.copy()
    moved[np.arange(20), labels] += 0.1
    change = np.abs(margin_loss(moved, labels, gamma) - found)
    assert (change <= 0.1 / gamma + 1e-12).all()


@pytest.mark.parametrize(("name", "classes", "G"), [("one-vs-all", 5, 2), ("complete", 5, 8)])
def test_many_classes_are_as_stable_as_the_code_says(name, classes, G):
    binary = tikhonov_stability("hinge", n=100, kappa=1.0, lam=0.1)
    found = code_stability(binary, make_code(name, classes), gamma=0.5)
    assert found.loss == pytest.approx(2 * G * binary.loss / 0.5)
    assert found.largest_loss == 1.0
    with pytest.raises(ValueError, match="zeros"):
        code_stability(binary, make_code("one-vs-one", classes), gamma=1.0)


def test_a_row_changes_the_loss_of_many_classes_by_less_than_the_code_allows():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(40, 2)), rng.integers(3, size=40)
    machine = SVC(C=0.2, gamma=1.0, fit_intercept=False, multiclass="one-vs-all", tol=1e-8)
    Z, labels = rng.normal(size=(100, 2)), rng.integers(3, size=100)
    losses = []
    for weight in (np.ones(40), np.where(np.arange(40) == 3, 0.0, 1.0)):
        own = clone(machine).fit(X, y, sample_weight=weight)
        of_classes = decoding_named("hinge").losses(own.code_, own.machine_decisions(Z))
        losses.append(margin_loss(of_classes, labels, 0.7))
    promised = code_stability(machine_stability(own, X), own.code_, 0.7)
    assert 0 < np.abs(losses[0] - losses[1]).max() <= promised.loss


def test_bounds_hold_on_draws_of_a_known_distribution():
    """They are loose: not one of 40 draws may fail, though 5 % would be allowed."""
    n, C = 120, 0.02
    Z, truth = data(20_000, "hinge", 6)
    for seed in range(40):
        X, y = data(n, "hinge", 100 + seed)
        machine = SVC(C=C, gamma=1.0, fit_intercept=False).fit(X, y)
        promised = machine_stability(machine, X)
        f, seen = machine.decision_function(Z), machine.decision_function(X)
        risk, mean = LOSS["hinge"](truth, f).mean(), LOSS["hinge"](y, seen).mean()
        assert risk <= promised.bound(mean)
        assert promised.bound(mean, form="replacement") == pytest.approx(promised.bound(mean))
        clipped = np.clip(1 - y * seen / 0.5, 0, 1).mean()
        error = (truth * f <= 0).mean()
        assert error <= promised.with_margin(0.5).bound(clipped)
        size = np.sqrt(machine.dual_coef_[0] @ machine.decision_function(X)[machine.support_])
        slack = np.maximum(0.3 - y * seen / size, 0).mean()
        assert error <= margin_bound(slack, float(n), n=n, margin=0.3)
        left_out = LOSS["hinge"](y, out_of_sample(machine, X, y, "loo").values).mean()
        assert risk <= promised.bound(left_out, form="leave-one-out")


def test_the_vc_bound_holds_for_thresholds():
    """Thresholds on a line have VC dimension 1."""
    rng = np.random.default_rng(7)
    for _ in range(100):
        x = rng.uniform(size=200)
        y = (x > 0.5) ^ (rng.uniform(size=200) < 0.2)
        cuts = np.linspace(0, 1, 101)
        errors = ((x > cuts[:, None]) != y).mean(axis=1)
        best = cuts[errors.argmin()]
        risk = 0.2 + 0.6 * abs(best - 0.5)
        assert risk <= vc_bound(float(errors.min()), 1, n=200)
    assert vc_bound(0.0, 5, n=1000) == pytest.approx(
        4 / 1000 * (5 * (np.log(400) + 1) - np.log(0.0125))
    )
    assert vc_dimension(2.0, 1.5) == 10


def test_the_normal_interval_covers_as_often_as_it_says():
    wrong = np.random.default_rng(8).binomial(1000, 0.2, size=2000)
    ends = np.array([normal_interval(k / 1000, 1000) for k in wrong])
    assert ((ends[:, 0] <= 0.2) & (ends[:, 1] >= 0.2)).mean() == pytest.approx(0.9, abs=0.02)
    assert normal_interval(0.1, 10_000)[1] - 0.1 == pytest.approx(0.005, abs=1e-4)
    assert normal_interval(0.0, 10) == (0.0, 0.0)


@given(st.integers(1, 20), st.floats(0.01, 0.99))
def test_the_schedule_of_C_lets_n_C_grow_and_C_fall(n_features, rate):
    Cs = [consistent_C(10**k, n_features=n_features, C=3.0, n_at=100, rate=rate) for k in (2, 4, 6)]
    assert Cs[0] == 3.0
    assert Cs[0] > Cs[1] > Cs[2]
    assert 10**2 * Cs[0] < 10**4 * Cs[1] < 10**6 * Cs[2]
    exponent = np.log(Cs[2] / Cs[1]) / np.log(100)
    assert exponent + 1 < 1 / n_features


@pytest.mark.parametrize("bias", [True, False])
def test_what_is_measured_is_what_refits_show(bias):
    X, y = data(40, "hinge", 9)
    machine = SVC(C=2.0, gamma=1.0, fit_intercept=bias, tol=1e-8).fit(X, y)
    coef = machine.dual_coef_.copy()
    Z, _ = data(30, "hinge", 10)
    found = measured_stability(machine, X, y, n_rows=12, X_seen=Z, random_state=0)
    for row, change, own in zip(found.rows, found.changes, found.own_changes, strict=True):
        rest = np.arange(40) != row
        refit = clone(machine).fit(X[rest], y[rest])
        gone = np.abs(refit.decision_function(Z) - machine.decision_function(Z)).max()
        assert change == pytest.approx(gone, abs=1e-5)
        at_row = refit.decision_function(X[[row]]) - machine.decision_function(X[[row]])
        assert own == pytest.approx(abs(at_row[0]), abs=1e-5)
    np.testing.assert_array_equal(machine.dual_coef_, coef)


def test_a_balanced_machine_changes_with_rows_that_support_nothing():
    X, y = data(30, "hinge", 11)
    X[0] = 4.0 * y[0]
    machine = SVC(gamma=1.0, class_weight="balanced", tol=1e-8).fit(X, y)
    found = measured_stability(machine, X, y, n_rows=None)
    idle = np.setdiff1d(np.arange(30), machine.support_)
    assert (found.changes[idle] > 0).all() if len(idle) else True


def test_what_has_no_stability_is_refused_by_name():
    X, y = data(20, "hinge", 12)
    with pytest.raises(TypeError, match="OneClassSVM"):
        machine_stability(OneClassSVM().fit(X), X)
    with pytest.raises(TypeError, match="OneClassSVM"):
        measured_stability(OneClassSVM().fit(X), X, y)
    with pytest.raises(ValueError, match="finite C"):
        machine_stability(SVC(C=np.inf, gamma=50.0, fit_intercept=False).fit(X, y), X)
    with pytest.raises(ValueError, match="largest_target"):
        machine_stability(SVR(fit_intercept=False).fit(X, y), X)
    with pytest.raises(ValueError, match="low_rank"):
        machine_stability(RLSC(low_rank=5, alpha=1.0).fit(X, y), X)
    labels = np.arange(20) % 3
    machine = SVC().fit(X, labels)
    with pytest.raises(ValueError, match="two classes"):
        measured_stability(machine, X, labels)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: loss_constants("log", kappa=1.0, lam=1.0), "loss must be"),
        (lambda: tikhonov_stability("hinge", n=10, kappa=1.0, lam=0.0), "lam"),
        (lambda: tikhonov_stability("hinge", n=0, kappa=1.0, lam=1.0), "n must"),
        (lambda: stability_bound(0.1, 0.1, n=10, largest_loss=1.0, delta=0.0), "delta"),
        (lambda: stability_bound(0.1, 0.1, n=10, largest_loss=1.0, form="x"), "form"),
        (lambda: stability_bound(np.nan, 0.1, n=10, largest_loss=1.0), "risk"),
        (lambda: vc_bound(0.1, 20, n=10), "dimension"),
        (lambda: normal_interval(1.5, 10), "error"),
        (lambda: margin_loss([[1.0]], [0], 1.0), "losses"),
        (lambda: chunk_stability(1.0, []), "chunk_sizes"),
        (lambda: chunk_stability(-1.0, [3]), "output"),
        (lambda: consistent_C(10, n_features=2, C=1.0, n_at=5, rate=1.0), "rate"),
    ],
)
def test_numbers_that_mean_nothing_are_refused_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()
