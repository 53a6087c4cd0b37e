"""Paths of low-rank approximations of a kernel (Sentelle 2014, algorithm 6)."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from mercer import Gram, LowRank, PathSVC, nu_svr_path, one_class_path, svc_path, svr_path
from mercer.kernels import Gaussian
from mercer.lowrank import incomplete_cholesky
from paths.path_cases import violation


def cancer(n: int = 250) -> tuple[np.ndarray, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True)
    return ((X - X.mean(axis=0)) / X.std(axis=0))[:n], y[:n]


def test_at_full_rank_it_is_the_exact_path() -> None:
    X, y = cancer(80)
    exact = svc_path(X, y, gamma=0.1, C_max=50.0)
    whole = svc_path(X, y, gamma=0.1, C_max=50.0, low_rank=80)
    assert whole.low_rank.trace_error_ < 1e-9
    assert len(whole.C) == len(exact.C)
    for C in (0.05, 1.0, 30.0):
        wanted = exact.decision_function(X, C)
        assert whole.decision_function(X, C) == pytest.approx(wanted, abs=1e-5)


def test_it_is_the_exact_path_of_the_approximate_kernel() -> None:
    X, y = cancer()
    path = svc_path(X, y, gamma=0.03, low_rank=25, C_max=100.0)
    assert path.segments.n_free.max() <= 26
    for C in (path.first_event, 0.5, 20.0):
        assert violation(path, C) <= 1e-8
    gram = Gram(Gaussian(0.03), X, precision="double")
    factor = incomplete_cholesky(gram, 25)
    assert path.low_rank.trace_error_ == pytest.approx(factor.trace_error / len(X))
    matrix = svc_path(factor.factor @ factor.factor.T, y, kernel="precomputed", C_max=100.0)
    for C in (0.05, 1.0, 30.0):
        a, b = path.certificate(C), matrix.certificate(C)
        assert a.objective == pytest.approx(b.objective, rel=1e-8)


def test_the_error_falls_with_the_rank() -> None:
    X, y = cancer()
    exact = svc_path(X, y, gamma=0.01, C_max=10.0).certificate(1.0).objective
    errors, objectives = [], []
    for rank in (5, 20, 60):
        path = svc_path(X, y, gamma=0.01, C_max=10.0, low_rank=rank)
        errors.append(path.low_rank.trace_error_)
        objectives.append(abs(path.certificate(1.0).objective - exact))
    assert errors == sorted(errors, reverse=True)
    assert objectives[2] < 0.2 * objectives[0]


def test_errors_and_predictions_are_of_the_approximate_machine() -> None:
    X, y = cancer()
    path = svc_path(X[:150], y[:150], low_rank=LowRank(20, basis="k-means++", random_state=0))
    error = path.error(X[150:], y[150:])
    for C in (0.01, 0.3, 4.0):
        assert error(C) == pytest.approx((path.predict(X[150:], C) != y[150:]).mean())
    again = pickle.loads(pickle.dumps(path))
    assert np.array_equal(again.predict(X, 2.0), path.predict(X, 2.0))


def test_a_gram_can_be_approximated() -> None:
    X, y = cancer(100)
    gram = Gram(Gaussian(0.05), X)
    a, b = svc_path(gram, y, low_rank=15), svc_path(X, y, kernel=Gaussian(0.05), low_rank=15)
    assert np.array_equal(a.C, b.C)


@pytest.mark.parametrize("rank", [0, -3, 2.5])
def test_a_bad_rank_is_named(rank: float) -> None:
    X, y = cancer(30)
    with pytest.raises(ValueError, match="low_rank must be a positive integer"):
        svc_path(X, y, low_rank=rank)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", [svc_path, svr_path, nu_svr_path, one_class_path])
def test_the_choice_of_landmarks_did_not_hear_of_max_time(path) -> None:
    X, y = cancer()
    given = (X,) if path is one_class_path else (X, y)
    found = path(*given, low_rank=100, max_time=0.0)
    assert found.status == "max-time"
    assert len(found.low_rank.basis_) < 100


def test_the_landmarks_of_a_classifier_did_not_hear_of_max_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = cancer(60)
    heard, choose = [], LowRank.choose

    def listen(self, *args, deadline=np.inf, **options):
        heard.append(deadline)
        return choose(self, *args, deadline=deadline, **options)

    monkeypatch.setattr(LowRank, "choose", listen)
    PathSVC(low_rank=10, max_time=1e6, cv=2).fit(X, y)
    assert heard
    assert np.isfinite(heard).all()
