"""Division ends where every solver ends: at the optimum of all rows, with a certificate."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from mercer import SVC, SVR, Gram, NuSVC, OneClassSVM, certify, solve
from mercer.formulations import svc
from mercer.kernels import Gaussian
from mercer.lab import make_chessboard
from mercer.solvers import Divide
from mercer.solvers.cells import between_cells, nested_cells

X, y = make_chessboard(600, random_state=0)
SMALL = Divide(cell_size=60, branches=4)


def gram(**options):
    return Gram(Gaussian(20.0), X, **options)


def problem(C=10.0, **options):
    return svc(np.where(y > 0, 1.0, -1.0), C, **options).problem


@pytest.mark.filterwarnings("ignore:dividing does not pay")  # 1 is added to every kernel value
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "pinball", "squared_error"])
@pytest.mark.parametrize("bias", [True, False, "penalized"])
def test_the_optimum_is_that_of_auto(loss, bias):
    weight = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 2.0], len(y))
    machine = SVC(C=3.0, gamma=20.0, loss=loss, fit_intercept=bias, tol=1e-5)
    if loss == "squared_error":
        machine.set_params(C=0.5)
    whole = clone(machine).fit(X, y, sample_weight=weight)
    divided = clone(machine).set_params(solver=SMALL).fit(X, y, sample_weight=weight)
    assert divided.solver_ == "divide"
    assert divided.objective_ == pytest.approx(whole.objective_, rel=1e-6)
    assert divided.violation_ <= 1e-5


@pytest.mark.parametrize("levels", [1, 2, 5])
def test_every_level_ends_with_a_certificate_over_all_rows(levels):
    found = solve(problem(), gram(), Divide(cell_size=40, branches=3, n_levels=levels))
    assert found.converged
    assert found.trace["cells"] > 10
    checked = certify(problem(), gram(precision="double"), found.coef)
    assert checked.violation <= 1e-3 + 1e-6
    assert checked.is_feasible


def test_quantiles_and_many_classes_are_divided_too():
    targets = X[:, 0] + np.sin(X[:, 1])
    machine = SVR(loss="quantile", quantile=0.7, C=5.0, gamma=20.0, tol=1e-6)
    divided = clone(machine).set_params(solver=SMALL).fit(X, targets)
    whole = machine.fit(X, targets)
    assert divided.objective_ == pytest.approx(whole.objective_, rel=1e-6)
    labels = np.digitize(X[:, 0], np.quantile(X[:, 0], [0.3, 0.6]))
    three = SVC(C=5.0, gamma=20.0, solver=SMALL).fit(X, labels)
    assert (three.predict(X) == SVC(C=5.0, gamma=20.0).fit(X, labels).predict(X)).mean() > 0.99


@pytest.mark.parametrize("kind", ["sparse", "precomputed", "callable", "float32"])
def test_rows_of_any_kind_are_divided(kind):
    rows, options = X, {"gamma": 20.0}
    if kind == "sparse":
        rows = sp.csr_array(X)
    if kind == "float32":
        rows = X.astype(np.float32)
    if kind == "precomputed":
        rows, options = Gaussian(20.0)(X), {"kernel": "precomputed"}
    if kind == "callable":
        options = {"kernel": lambda a, b: Gaussian(20.0)(a, b)}
    divided = SVC(C=10.0, tol=1e-5, solver=SMALL, **options).fit(rows, y)
    whole = SVC(C=10.0, tol=1e-5, **options).fit(rows, y)
    assert divided.objective_ == pytest.approx(whole.objective_, rel=1e-5)


def test_a_small_gamma_is_said_not_to_pay_and_solved_all_the_same():
    flat = Gram(Gaussian(1e-3), X)
    with pytest.warns(UserWarning, match="does not pay"):
        found = solve(problem(), flat, SMALL)
    assert found.objective == pytest.approx(solve(problem(), flat).objective, rel=1e-4)
    assert "cell_seconds" not in found.trace


def test_few_rows_are_not_divided():
    found = solve(problem(), gram(), "divide")
    assert found.solver == "divide"
    assert "cells" not in found.trace


def test_copies_of_one_row_are_divided_somehow():
    alike = Gram(Gaussian(1.0), np.zeros((600, 2)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        found = solve(problem(), alike, SMALL)
    assert found.objective == pytest.approx(solve(problem(), alike).objective, rel=1e-6)


def test_a_start_takes_the_place_of_the_cells():
    best = solve(problem(), gram(), tol=1e-6)
    found = solve(problem(), gram(), SMALL, start=best.coef, tol=1e-5)
    assert found.n_iter <= best.n_iter
    assert "cells" not in found.trace
    machine = SVC(C=10.0, gamma=20.0, solver=SMALL, warm_start=True).fit(X, y)
    assert machine.set_params(C=11.0).fit(X, y).solutions_[0].converged


def test_limits_end_the_run_with_a_feasible_point():
    for limit in ({"max_time": 0.0}, {"max_iter": 3}):
        found = solve(problem(), gram(), SMALL, **limit)
        assert found.status in ("max-time", "max-iter")
        assert certify(problem(), gram(), found.coef).is_feasible


def test_a_callback_watches_cells_and_ends_them():
    seen = []

    def stop(progress):
        seen.append(progress)
        return True

    found = solve(problem(), gram(), SMALL, callback=stop)
    assert found.status == "callback"
    assert len(seen) == 1
    steps = []
    found = solve(problem(), gram(), SMALL, callback=lambda now: steps.append(now.iteration))
    assert found.converged
    assert steps == sorted(steps)


def test_a_key_pressed_between_cells_reaches_the_user():
    def press(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve(problem(), gram(), SMALL, callback=press)


def test_the_bytes_do_not_depend_on_threads():
    one, two = (solve(problem(), gram(n_threads=threads), SMALL) for threads in (1, 2))
    np.testing.assert_array_equal(one.coef, two.coef)


def test_levels_are_nested_and_cover_all_rows_once():
    levels = nested_cells(gram(), np.arange(600), 50, 3, np.random.default_rng(0))
    for cells in levels:
        np.testing.assert_array_equal(np.sort(np.concatenate(cells)), np.arange(600))
    assert max(map(len, levels[0])) <= 50
    sets = [set(cell.tolist()) for cell in levels[-1]]
    for cell in levels[0]:
        assert sum(set(cell.tolist()) <= large for large in sets) == 1
    rng = np.random.default_rng(0)
    assert between_cells(gram(), np.arange(600), levels[0], rng) < 0.2
    assert between_cells(Gram(Gaussian(1e-6), X), np.arange(600), levels[0], rng) > 0.99


@pytest.mark.parametrize(
    "machine", [NuSVC(nu=0.2), OneClassSVM(), SVR(), SVC(C=np.inf, gamma=500.0)]
)
def test_what_cannot_be_divided_is_refused(machine):
    machine.set_params(solver="divide")
    with pytest.raises(ValueError, match="use 'auto'"):
        machine.fit(X, y)


@pytest.mark.parametrize("name", ["cell_size", "branches", "n_levels", "random_state"])
def test_numbers_of_cells_are_checked(name):
    with pytest.raises(ValueError, match=name):
        Divide(**{name: -1})
