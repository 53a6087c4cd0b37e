"""A one-class machine that tunes itself, and the criterion it goes by."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, OneClassSVM, TunedOneClassSVM, TunedSVC
from mercer.diagnostics import diagnose
from mercer.kernels import Gaussian, Linear
from mercer.selection import make_objective


def ring(n: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    angle = random.uniform(0.0, 2.0 * np.pi, n)
    return np.column_stack([np.cos(angle), np.sin(angle)]) + 0.05 * random.normal(size=(n, 2))


X = ring(300, 0)
BOX = np.random.default_rng(1).uniform(-1.5, 1.5, size=(2000, 2))


def test_the_boundary_is_tight_and_rejects_as_many_new_rows_as_it_should() -> None:
    rows = ring(800, 0)
    machine = TunedOneClassSVM(nu=0.1, objective="rejection").fit(rows)
    assert np.mean(machine.predict(ring(2000, 2)) == -1) == pytest.approx(0.1, abs=0.04)
    assert machine.predict([[0.0, 0.0]]) == [-1]
    plain = OneClassSVM(nu=0.1).fit(rows)
    assert plain.predict([[0.0, 0.0]]) == [1]
    assert np.mean(machine.predict(BOX) == 1) < 0.7 * np.mean(plain.predict(BOX) == 1)


def test_the_value_is_that_of_the_definition() -> None:
    cv = KFold(4, shuffle=True, random_state=0)
    objective = make_objective("rejection", OneClassSVM(nu=0.1, tol=1e-6), X, cv=cv)
    for gamma in (0.5, 2.0, 50.0):
        value = objective.value([np.log(0.1), np.log(gamma)])
        out = []
        for train, test in cv.split(X):
            machine = OneClassSVM(nu=0.1, gamma=gamma, tol=1e-6).fit(X[train])
            out.extend(machine.decision_function(X[test]) < 0)
        assert objective.rejected == pytest.approx(np.mean(out))
        error = np.sqrt(2 * 0.1 * 0.9 / 300)
        K = Gaussian(gamma)(X)
        similarity = (K.sum() - 300) / (300 * 299)
        excess = (np.mean(out) - 0.1) / error
        assert value == pytest.approx(excess if excess > 1 else similarity, rel=1e-9)


def test_a_machine_that_agrees_wins_over_one_that_does_not() -> None:
    objective = make_objective("rejection", OneClassSVM(nu=0.1), X, cv=3)
    wide, narrow = (objective.value([np.log(0.1), np.log(g)]) for g in (0.01, 1e4))
    assert wide <= 1.0 < narrow


def test_nu_stays_what_it_was() -> None:
    machine = TunedOneClassSVM(nu=0.05, max_evals=5).fit(X[:80])
    assert machine.best_estimator_.nu == 0.05
    assert machine.best_params_["nu"] == 0.05
    assert {theta[0] for theta in machine.history_[0].thetas} == {np.log(0.05)}
    assert machine.search_status_ == "max-evals"


def test_it_is_an_estimator_like_others() -> None:
    machine = clone(TunedOneClassSVM(nu=0.2, objective="rejection", max_evals=6)).fit(
        X[:60], sample_weight=np.ones(60)
    )
    values = machine.decision_function(X)
    np.testing.assert_allclose(values, machine.score_samples(X) - machine.offset_)
    assert set(machine.fit_predict(X[:60])) == {-1, 1}
    pipeline = make_pipeline(StandardScaler(), TunedOneClassSVM(max_evals=3)).fit(X[:60])
    assert pipeline.predict(X).shape == (300,)
    assert diagnose(machine).n_rows == 60
    again = TunedOneClassSVM(nu=0.2, objective="rejection", max_evals=6).fit(X[:60])
    assert again.kernel_ == machine.kernel_


def test_what_does_not_fit_is_named() -> None:
    with pytest.raises(ValueError, match="needs a OneClassSVM, got SVC"):
        make_objective("rejection", SVC(), X, X[:, 0] > 0)
    with pytest.raises(ValueError, match="needs a OneClassSVM"):
        TunedSVC(objective="rejection").fit(X, X[:, 0] > 0)
    with pytest.raises(ValueError, match="no width"):
        TunedOneClassSVM(kernel=Linear()).fit(X)
    with pytest.raises(ValueError, match="'nu' parameter"):
        TunedOneClassSVM(nu=2.0).fit(X)


def test_detection_is_the_share_of_pairs_that_are_told_apart() -> None:
    cv = KFold(3, shuffle=True, random_state=0)
    machine = OneClassSVM(nu=0.1, tol=1e-6)
    objective = make_objective("detection", machine, X, cv=cv, random_state=0)
    for gamma in (1.0, 20.0):
        value = objective.value([np.log(0.1), np.log(gamma)])
        areas = []
        for (train, test), made in zip(cv.split(X), objective._made, strict=True):
            fitted = OneClassSVM(nu=0.1, gamma=gamma, tol=1e-6).fit(X[train])
            truth = np.repeat([1, 0], [len(test), len(made)])
            areas.append(roc_auc_score(truth, fitted.score_samples(np.vstack([X[test], made]))))
        assert value == pytest.approx(1.0 - np.mean(areas), abs=1e-3)


def test_outliers_were_ranked_worse_than_by_the_usual_width() -> None:
    usual, tuned = OneClassSVM(nu=0.1).fit(X), TunedOneClassSVM(nu=0.1).fit(X)
    far = BOX[np.abs(np.hypot(*BOX.T) - 1.0) > 0.2]
    rows = np.vstack([ring(300, 3), far])
    truth = np.repeat([1, 0], [300, len(far)])
    by_usual, by_tuned = (roc_auc_score(truth, m.score_samples(rows)) for m in (usual, tuned))
    assert by_tuned > by_usual + 0.1
    assert tuned.kernel_.gamma >= usual.kernel_.gamma * (1.0 - 1e-9)
    assert 0.5 < tuned.best_score_ < 1.0


def test_a_machine_that_rejects_more_than_nu_says_so() -> None:
    rows = np.random.default_rng(0).normal(size=(80, 30))
    with pytest.warns(UserWarning, match="of rows held out were rejected, not nu=0.05"):
        machine = TunedOneClassSVM(nu=0.05).fit(rows)
    assert machine.rejected_ == np.mean(np.concatenate(machine.held_out_.predicted) == -1)


def test_rows_that_cannot_be_moved_are_judged_by_rejection() -> None:
    wide = csr_array((X[:60].ravel(), np.indices(X[:60].shape).reshape(2, -1)), (60, 20_000))
    machine = TunedOneClassSVM(max_evals=4).fit(wide)
    assert machine.best_score_ < 0.0
    with pytest.raises(ValueError, match="needs rows of numbers with at most 13333 features"):
        TunedOneClassSVM(objective="detection").fit(wide)


def test_sparse_rows_with_zeros_are_judged_as_dense_ones() -> None:
    rows = np.where(X[:60] > 0.3, X[:60], 0.0)
    dense, thin = (TunedOneClassSVM(max_evals=8).fit(form(rows)) for form in (np.array, csr_array))
    assert dense.best_score_ == pytest.approx(thin.best_score_, rel=1e-9)


def test_rows_that_are_all_alike_tell_nothing() -> None:
    with pytest.warns(UserWarning, match="the same everywhere"):
        machine = TunedOneClassSVM().fit(np.ones((20, 3)))
    assert machine.search_status_ == "flat"
