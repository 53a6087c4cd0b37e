"""A fit that ends early says why, how far it came and what helps; so does one without a margin."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from mercer import LSSVC, LSSVR, RLSC, SVC, SVR, NuSVC, NuSVR, OneClassSVM, formulations
from mercer.codes import making
from mercer.codes.random_codes import best_draw
from mercer.gram import Gram
from mercer.kernels import Gaussian
from mercer.problem.solutions import Solutions
from mercer.solvers import solve

MACHINES = (SVC, NuSVC, SVR, NuSVR, OneClassSVM)


def rows(n=300):
    X, labels = load_digits(return_X_y=True)
    return StandardScaler().fit_transform(X[:n]), (labels[:n] > 4).astype(int)


def warning_of(fit):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit()
    (found,) = [w for w in caught if issubclass(w.category, ConvergenceWarning)]
    return str(found.message)


@pytest.mark.parametrize("machine", MACHINES)
def test_the_end_of_max_time_says_so_and_does_not_ask_for_scaled_rows(machine):
    X, y = rows()
    message = warning_of(lambda: machine(max_time=1e-9).fit(X, y))
    assert "(max_time=1e-09)" in message
    assert "Raise max_time" in message
    assert "max_iter" not in message
    assert "Scaler" not in message
    assert "KKT violation" in message
    assert "relative duality gap" in message


@pytest.mark.parametrize("machine", MACHINES)
def test_the_end_of_max_iter_says_so(machine):
    X, y = rows()
    message = warning_of(lambda: machine(max_iter=1).fit(X, y))
    assert "(max_iter=1)" in message
    assert "max_time" not in message
    assert ("smaller C" in message) == ("C" in machine().get_params())


@pytest.mark.parametrize("machine", MACHINES)
def test_a_callback_that_ends_a_fit_is_named(machine):
    X, y = rows()
    message = warning_of(lambda: machine(callback=lambda progress: True).fit(X, y))
    assert "(callback)" in message
    assert "Raise" not in message


@pytest.mark.parametrize("limit", [{"max_time": 1e-9}, {"max_iter": 3}])
def test_unfinished_pairs_of_classes_are_counted(limit):
    X, y = load_iris(return_X_y=True)
    machine = SVC(**limit)
    message = warning_of(lambda: machine.fit(X, y))
    n_open = sum(not s.converged for s in machine.solutions_)
    assert f"{n_open} of 3 class pairs are unfinished" in message


def test_a_fit_of_two_classes_counts_nothing():
    X, y = rows()
    assert " of 1 " not in warning_of(lambda: SVC(max_iter=1).fit(X, y))


@pytest.mark.parametrize("solver", ["cg", "smo"])
@pytest.mark.parametrize("machine", [LSSVC, LSSVR])
def test_least_squares_that_end_at_max_iter_say_so(machine, solver):
    X, y = rows()
    message = warning_of(lambda: machine(solver=solver, max_iter=2).fit(X, y))
    assert "after 2 iterations (max_iter=2)" in message
    assert "Increase max_iter" in message


def test_least_squares_at_the_limit_of_rounding_do_not_ask_for_more_steps():
    X, y = rows(100)
    message = warning_of(lambda: LSSVR(solver="cg", tol=1e-30, alpha=1.0).fit(X, y))
    assert "rounding allows no better" in message
    assert "max_iter" not in message


def test_conjugate_gradients_that_end_at_max_iter_have_that_status():
    X, y = rows()
    problem = formulations.least_squares(2.0 * y - 1.0, 1.0).problem
    solution = solve(problem, Gram(Gaussian(0.02), X), "cg", tol=1e-9, max_iter=1)
    assert solution.status == "max-iter"


def test_overlapping_hulls_are_named_where_the_gap_shows_them():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), rng.random(200) > 0.5
    for kernel in ("linear", "rbf", "poly"):
        machine = NuSVC(nu=0.3, kernel=kernel)
        message = warning_of(lambda machine=machine: machine.fit(X, y))
        assert "nu=0.3 is too small: the reduced convex hulls" in message
        assert machine.dual_gap_ > 0.5


@pytest.mark.parametrize("kernel", ["linear", "poly"])
@pytest.mark.parametrize("nu", [0.05, 0.5])
def test_one_class_machines_around_the_origin_say_that_there_is_no_margin(kernel, nu):
    X = np.random.default_rng(0).normal(size=(200, 2))
    message = warning_of(lambda: OneClassSVM(nu=nu, kernel=kernel).fit(X))
    assert f"nu={nu} is too small" in message
    assert "origin" in message
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OneClassSVM(nu=nu).fit(X)
        OneClassSVM(nu=nu, kernel=kernel).fit(X + 5.0)


def test_one_class_machines_of_rows_of_zeros_have_no_margin():
    assert "origin" in warning_of(lambda: OneClassSVM(kernel="linear").fit(np.zeros((20, 2))))


def test_targets_that_the_tolerance_takes_for_zero_are_named():
    X = np.random.default_rng(0).normal(size=(200, 2))
    message = warning_of(lambda: NuSVR(kernel="linear").fit(X, 1e-6 * X[:, 0]))
    assert "tol=0.001 is not small" in message
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        NuSVR(kernel="linear", tol=1e-9).fit(X, 1e-6 * X[:, 0])
        NuSVR(kernel="linear").fit(X, X[:, 0])
        NuSVR().fit(X, np.full(200, 3.0))


@pytest.mark.parametrize(
    "machine", [NuSVC(nu=1e-162), NuSVC(nu=1e-162, solver="chunked"), OneClassSVM(nu=1e-162)]
)
def test_tiny_coefficients_are_the_reason_and_not_the_selection(machine):
    """Products of such coefficients are 0, and no step seems to gain anything."""
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2
    message = warning_of(lambda: machine.fit(X, y))
    assert "(underflow)" in message
    assert "raise nu" in message
    assert "StandardScaler" not in message


@pytest.mark.parametrize("kind", [SVC, RLSC])
def test_a_code_was_drawn_for_half_a_second_before_max_time_began(
    kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Draws are as many as half of ``max_time`` allows, at 5e6 entries a second."""
    asked: list[int] = []

    def counted(drawn: Any, n_classes: int, n_columns: int, n_draws: int, seed: Any) -> Any:
        asked.append(n_draws * n_classes * n_columns)
        return best_draw(drawn, n_classes, n_columns, 1, seed)

    monkeypatch.setattr(making, "best_draw", counted)
    making._usual_code.cache_clear()
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 20
    machine = kind(multiclass="code", code="dense", max_time=0.05)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        codes = [machine.fit(X, y).code_.matrix for _ in range(2)]
        machine.set_params(max_time=None).fit(X, y)
    making._usual_code.cache_clear()
    assert (codes[0] == codes[1]).all()
    limited, full = asked
    assert limited <= 0.5 * 0.05 * 5e6
    assert full == 10_000 * 20 * 44


def test_an_early_end_of_many_pairs_took_longer_than_the_fit(monkeypatch):
    """Half a million solutions were made to count them: the limit of the fit was long over."""
    made = []
    one = Solutions.__getitem__
    monkeypatch.setattr(Solutions, "__getitem__", lambda self, k: made.append(k) or one(self, k))
    X = np.random.default_rng(0).normal(size=(120, 3))
    message = warning_of(lambda: SVC(max_iter=1).fit(X, np.arange(120) % 12))
    assert "66 of 66 class pairs are unfinished" in message
    assert len(made) <= 5


def test_coefficients_of_pairs_are_by_class_and_by_row():
    X, labels = np.random.default_rng(0).normal(size=(60, 3)), np.arange(60) % 3
    for kernel, rows in (("linear", X), ("precomputed", X @ X.T)):
        machine = SVC(kernel=kernel).fit(rows, labels)
        for k, pair in enumerate([(0, 1), (0, 2), (1, 2)]):
            own = np.flatnonzero(np.isin(labels, pair))
            own = own if kernel == "precomputed" else own[np.argsort(labels[own], kind="stable")]
            sign = np.where(labels[own] == pair[0], 1.0, -1.0)
            assert (sign * machine.solutions_[k].coef >= 0).all()
