"""Sets of labels: p-values are those of refits, ties count, coverage holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import RLSC, SVC, ConformalSVC, NuSVC, PathSVC

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] + 0.7 * RNG.normal(size=60) > 0).astype(int)
Z = RNG.normal(size=(6, 3))
IRIS, KIND = load_iris(return_X_y=True)


def left_in_margins(machine: Any, X: Any, y: NDArray[Any]) -> NDArray[Any]:
    """y f(x) - |beta| k(x, x), from the fitted attributes of a machine of two classes."""
    coef = np.zeros(len(y))
    coef[machine.support_] = machine.dual_coef_[0]
    sign = np.where(y == machine.classes_[1], 1.0, -1.0)
    # a penalized bias is one of the weights: the kernel is k + 1
    own = machine.kernel_.diag(X) + (getattr(machine, "fit_intercept", True) == "penalized")
    return np.asarray(sign * machine.decision_function(X) - np.abs(coef) * own)


@pytest.mark.parametrize("gamma", ["scale", 0.3])
@pytest.mark.parametrize("C", [1.0, 100.0])
def test_full_p_values_are_those_of_refits(gamma: Any, C: float) -> None:
    machine = SVC(C=C, gamma=gamma, tol=1e-8)
    found = ConformalSVC(machine).fit(X, Y).p_values(Z)
    for j, row in enumerate(Z):
        for label in (0, 1):
            rows, y = np.vstack([X, row]), np.append(Y, label)
            margins = left_in_margins(SVC(C=C, gamma=gamma, tol=1e-8).fit(rows, y), rows, y)
            assert found[j, label] == np.mean(margins <= margins[-1] + 1e-6)


def test_a_path_chooses_its_C_anew_for_every_label() -> None:
    machine = PathSVC(gamma=0.3, C_max=10.0, cv=3)
    with pytest.warns(UserWarning, match="each of the 2 labels.*kind='cross' searches once a fold"):
        conformal = ConformalSVC(machine).fit(X[:30], Y[:30])
    found = conformal.p_values(Z[:1])
    for label in (0, 1):
        rows, y = np.vstack([X[:30], Z[:1]]), np.append(Y[:30], label)
        fitted = PathSVC(gamma=0.3, C_max=10.0, cv=3).fit(rows, y)
        margins = np.where(y == 1, 1.0, -1.0) * fitted.decision_function(rows)
        assert found[0, label] == np.mean(margins <= margins[-1] + 1e-6)


@pytest.mark.parametrize(
    "machine", [NuSVC(nu=0.4), SVC(loss="squared_hinge"), SVC(fit_intercept="penalized")]
)
def test_margins_of_other_losses_and_biases_are_those_of_refits(machine: Any) -> None:
    conformal = ConformalSVC(machine.set_params(tol=1e-8, gamma=0.3)).fit(X, Y)
    engine = conformal._retrained()
    for j, row in enumerate(engine.trials(Z[:2])):
        for label, trial in enumerate(row):
            rows, y = np.vstack([X, Z[j]]), np.append(Y, label)
            fitted = type(machine)(**machine.get_params()).fit(rows, y)
            margins = left_in_margins(fitted, rows, y)
            np.testing.assert_allclose(trial.margins, margins, atol=1e-4)


def test_pairs_of_classes_that_a_row_is_not_in_stay() -> None:
    """Three classes: every pair trained again gives the same margins."""
    # iris has copies of rows, which share their coefficients in one machine only
    iris = IRIS + RNG.normal(0.0, 1e-3, IRIS.shape)
    rows, kind, new = iris[::3], KIND[::3], iris[1::24]
    engine = ConformalSVC(SVC(gamma=0.5, tol=1e-8)).fit(rows, kind)._retrained()
    for row, trials in zip(new, engine.trials(new), strict=True):
        for label, trial in enumerate(trials):
            stacked, labels = np.vstack([rows, row]), np.append(kind, label)
            worst = np.full(len(labels), np.inf)
            for a, b in ((0, 1), (0, 2), (1, 2)):
                some = np.isin(labels, (a, b))
                pair = SVC(gamma=0.5, tol=1e-8).fit(stacked[some], labels[some])
                own = left_in_margins(pair, stacked[some], labels[some])
                worst[some] = np.minimum(worst[some], own)
            np.testing.assert_allclose(trial.margins, worst, atol=1e-4)


def test_p_values_do_not_depend_on_the_order_of_rows_or_on_the_batch() -> None:
    order = np.random.default_rng(1).permutation(len(Y))
    machine = ConformalSVC(SVC(gamma=0.3, C=10.0))
    found = machine.fit(X, Y).p_values(Z)
    assert np.array_equal(machine.fit(X[order], Y[order]).p_values(Z), found)
    assert np.array_equal(machine.p_values(Z[2:3]), found[2:3])


@pytest.mark.parametrize("conditional", [False, True])
def test_a_weight_is_a_repetition(conditional: bool) -> None:
    weight = np.random.default_rng(2).integers(0, 3, len(Y))
    machine = ConformalSVC(SVC(gamma=0.3), class_conditional=conditional)
    weighted = machine.fit(X, Y, sample_weight=weight).p_values(Z)
    repeated = machine.fit(X.repeat(weight, axis=0), Y.repeat(weight)).p_values(Z)
    np.testing.assert_allclose(weighted, repeated)


def test_copies_of_a_row_are_ranked_alike() -> None:
    """A solver may give all of a coefficient to one of two copies."""
    engine = ConformalSVC(SVC(gamma=0.3, C=100.0)).fit(np.vstack([X, X]), np.tile(Y, 2))
    for row in engine._retrained().trials(Z[:2]):
        for trial in row:
            first, second = trial.margins[: len(Y)], trial.margins[len(Y) : -1]
            np.testing.assert_allclose(first, second, atol=trial.slack)


def coverage(conformal: ConformalSVC, n_sets: int, n: int) -> NDArray[Any]:
    """Of one new row of each class after n rows, over many sets: the share of hits."""
    rng = np.random.default_rng(3)
    hits = []
    for _ in range(n_sets):
        y = np.arange(n + 2) % 2
        rows = rng.normal(size=(n + 2, 2)) + 0.8 * y[:, None]
        sets = conformal.fit(rows[:n], y[:n]).predict_set(rows[n:])
        hits.append(sets[np.arange(2), y[n:]])
    return np.mean(hits, axis=0)


@pytest.mark.parametrize("kind", ["full", "split"])
def test_coverage_in_simulation(kind: str) -> None:
    conformal = ConformalSVC(
        SVC(gamma=0.5), alpha=0.2, kind=kind, class_conditional=True, random_state=0
    )
    n_sets = 250
    # four standard errors; ties and whole numbers make it more than 1 - alpha, hence one side
    least = 0.8 - 4 * np.sqrt(0.8 * 0.2 / n_sets)
    assert (coverage(conformal, n_sets, 38) >= least).all()


def test_smoothed_p_values_are_uniform() -> None:
    rng = np.random.default_rng(4)
    machine = ConformalSVC(SVC(gamma=0.5, C=50.0), smoothed=True, random_state=rng.integers(2**31))
    found = []
    for seed in range(150):
        y = rng.integers(0, 2, 25)
        rows = rng.normal(size=(25, 2)) + y[:, None]
        machine.set_params(random_state=seed).fit(rows[:-1], y[:-1])
        found.append(machine.p_values(rows[-1:])[0, y[-1]])
    deciles = np.histogram(found, bins=5, range=(0, 1))[0]
    assert np.abs(deciles - 30).max() < 4 * np.sqrt(30 * 0.8)


def test_cross_ranks_rows_by_the_machine_that_has_not_seen_them() -> None:
    machine = ConformalSVC(SVC(gamma=0.3), kind="cross", cv=3, random_state=0).fit(X, Y)
    count = np.zeros((len(Z), 2))
    for k, fold in enumerate(machine.estimators_):
        new = np.column_stack([-fold.decision_function(Z), fold.decision_function(Z)])
        known = machine.calibration_scores_[machine._fold == k]
        count += (known[:, None, None] >= -new).sum(axis=0)
    np.testing.assert_allclose(machine.p_values(Z), (count + 1) / (len(Y) + 1))
    assert len(machine.calibration_scores_) == len(Y)


@pytest.mark.parametrize("kind", ["full", "cross", "split"])
def test_sets_grow_as_alpha_falls(kind: str) -> None:
    machine = ConformalSVC(SVC(gamma=0.5), kind=kind, random_state=0).fit(IRIS, KIND)
    small, large = machine.predict_set(IRIS[::10], alpha=0.3), machine.predict_set(IRIS[::10], 0.05)
    assert (small <= large).all()
    assert large.shape == (15, 3)
    with pytest.raises(ValueError, match=r"alpha must be a number in \(0, 1\), got 2"):
        machine.predict_set(IRIS, alpha=2)


@pytest.mark.parametrize("machine", [RLSC(), SVC(multiclass="one-vs-all"), LogisticRegression()])
def test_any_classifier_will_do(machine: Any) -> None:
    rows, kind = IRIS[::6], KIND[::6]
    conformal = ConformalSVC(machine).fit(rows, kind)
    p = conformal.p_values(IRIS[3::50])
    assert (p.argmax(axis=1) == KIND[3::50]).all()
    balanced = ConformalSVC(SVC(class_weight="balanced", gamma=0.5)).fit(rows, kind)
    assert (balanced.p_values(IRIS[3::50]).argmax(axis=1) == KIND[3::50]).all()


@pytest.mark.parametrize("kind", ["full", "cross", "split"])
def test_frames_names_and_sparse_rows(kind: str) -> None:
    names = np.array(["no", "yes"])[Y]
    plain = ConformalSVC(SVC(gamma=0.3), kind=kind, random_state=0).fit(X, names)
    expected = plain.p_values(Z)
    assert plain.classes_.tolist() == ["no", "yes"]
    frame = pd.DataFrame(X, columns=list("abc"))
    pipe = make_pipeline(StandardScaler(with_mean=False, with_std=False), SVC(gamma=0.3))
    framed = ConformalSVC(pipe, kind=kind, random_state=0).fit(frame, names)
    assert framed.p_values(pd.DataFrame(Z, columns=list("abc"))).shape == expected.shape
    direct = ConformalSVC(SVC(gamma=0.3), kind=kind, random_state=0).fit(frame, names)
    np.testing.assert_allclose(direct.p_values(pd.DataFrame(Z, columns=list("abc"))), expected)
    thin = ConformalSVC(SVC(gamma=0.3), kind=kind, random_state=0).fit(sp.csr_array(X), names)
    np.testing.assert_allclose(thin.p_values(sp.csr_array(Z)), expected)


def test_a_kernel_matrix_serves_all_but_full() -> None:
    gram, cross = SVC(gamma=0.3).fit(X, Y).kernel_(X), SVC(gamma=0.3).fit(X, Y).kernel_(Z, X)
    for kind in ("cross", "split"):
        machine = ConformalSVC(SVC(gamma=0.3), kind=kind, random_state=0).fit(X, Y)
        stored = ConformalSVC(SVC(kernel="precomputed"), kind=kind, random_state=0).fit(gram, Y)
        np.testing.assert_allclose(stored.p_values(cross), machine.p_values(Z))
    with pytest.raises(ValueError, match="precomputed"):
        ConformalSVC(SVC(kernel="precomputed")).fit(gram, Y)


def test_two_rows_and_one_class() -> None:
    with pytest.warns(UserWarning, match="every set holds all labels"):
        machine = ConformalSVC().fit([[0.0], [1.0]], [0, 1])
    assert machine.predict_set([[0.5]]).all()
    with pytest.raises(ValueError, match="classes has to be greater than one"):
        ConformalSVC().fit([[0.0], [1.0]], [1, 1])
    with pytest.warns(UserWarning, match=r"of the classes \['b'\]: they are in every set"):
        rare = ConformalSVC(class_conditional=True).fit(X[:30], ["a"] * 27 + ["b"] * 3)
    assert rare.predict_set(Z)[:, 1].all()


def test_wrong_input_is_named() -> None:
    machine = ConformalSVC(SVC(gamma=0.3)).fit(X, Y)
    with pytest.raises(ValueError, match="NaN"):
        machine.p_values(np.full((1, 3), np.nan))
    with pytest.raises(ValueError, match="kind"):
        ConformalSVC(kind="half").fit(X, Y)
    with pytest.raises(ValueError, match="alpha"):
        ConformalSVC(alpha=0.0).fit(X, Y)
    with pytest.raises(ValueError, match="leave every row out exactly once"):
        ConformalSVC(kind="cross", cv=[(np.arange(30), np.arange(30, 60))]).fit(X, Y)
