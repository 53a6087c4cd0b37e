"""Criteria against their definitions, by machines that are trained one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import solve as solve_system
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedShuffleSplit

from mercer import SVC, SVR
from mercer.kernels import Gaussian, Precomputed
from mercer.selection import Prior, make_objective
from mercer.selection.adjoint import Trained
from mercer.selection.objectives import OBJECTIVES
from mercer.selection.objectives.leave_one_out import span_changes, without_row
from mercer.selection.widths import jaakkola_gamma
from mercer.solvers import solve

RNG = np.random.default_rng(2)
X = RNG.normal(size=(36, 2))
Y = (X[:, 0] + 0.8 * RNG.normal(size=36) > 0).astype(int)
SIGN = np.where(Y == 1, 1.0, -1.0)
EXACT: dict[str, Any] = {"solver": "active-set", "tol": 1e-11}
MACHINE = SVC(C=2.0, kernel=Gaussian(0.5), **EXACT)
FOLDS = KFold(4, shuffle=True, random_state=0)


def value(name: str, machine: Any = MACHINE, y: Any = Y, **options: Any) -> float:
    objective = make_objective(name, machine, X, y, **options)
    return objective.value(objective.space.start)


def held_out() -> list[tuple[Any, Any]]:
    """Rows of each fold, and their decision values by a machine of the others."""
    return [
        (test, clone(MACHINE).fit(X[train], Y[train]).decision_function(X[test]))
        for train, test in FOLDS.split(X)
    ]


def trained() -> Trained:
    objective = make_objective("loo", MACHINE, X, Y)
    return objective._train(objective.space.start, [objective.task.training_weight()])[0][0]


def test_the_names_are_those_that_are_documented() -> None:
    names = "cv holdout loo n_support radius_margin span span_like alignment polarization "
    names += "bootstrap likelihood posterior gcv rejection detection"
    assert set(OBJECTIVES) == set(names.split())


def test_smooth_losses_are_means_over_the_rows_of_a_fold() -> None:
    squared = [np.mean((SIGN[at] - f) ** 2) for at, f in held_out()]
    logistic = [np.mean(np.log1p(np.exp(-SIGN[at] * f))) for at, f in held_out()]
    assert value("cv", cv=FOLDS, loss="squared") == pytest.approx(np.mean(squared))
    assert value("cv", cv=FOLDS, loss="logistic") == pytest.approx(np.mean(logistic))


def test_costs_are_those_of_the_true_and_the_predicted_class() -> None:
    costs = np.array([[0.0, 5.0], [2.0, -1.0]])
    expected = [np.mean(costs[Y[at], (f > 0).astype(int)]) for at, f in held_out()]
    assert value("cv", cv=FOLDS, loss=costs) == pytest.approx(np.mean(expected))


def test_a_hold_out_is_one_split_that_stays() -> None:
    split = StratifiedShuffleSplit(1, test_size=0.2, random_state=3)
    for loss in ("zero_one", "squared"):
        objective = make_objective("holdout", MACHINE, X, Y, loss=loss, random_state=3)
        found = [objective.value(objective.space.start) for _ in range(2)]
        assert found[0] == found[1] == pytest.approx(value("cv", cv=split, loss=loss))


def test_leave_one_out_trains_again_for_support_vectors_only() -> None:
    objective = make_objective("loo", MACHINE, X, Y)
    objective.value(objective.space.start)
    assert objective.n_trainings == 1 + len(clone(MACHINE).fit(X, Y).support_)


def test_leaving_a_row_out_goes_on_from_the_solution() -> None:
    machine, steps = trained(), np.zeros(2)
    for row in np.flatnonzero(machine.solution.coef):
        warm = without_row(machine, int(row), "smo", 1e-6)
        cold = solve(warm.problem, machine.gram, "smo", tol=1e-6)
        assert warm.solution.objective == pytest.approx(cold.objective, rel=1e-6)
        steps += [warm.solution.n_iter, cold.n_iter]
    assert steps[0] < 0.9 * steps[1]


def test_the_span_is_exact_if_the_same_rows_stay_free() -> None:
    machine = trained()
    beta, free = machine.solution.coef, set(machine.free.tolist())
    rows, changes = span_changes(machine)
    K, values = Gaussian(0.5)(X), machine.values(np.arange(36))
    assert free
    assert len(free) < len(rows)
    for row, change in zip(rows, changes, strict=True):
        others = sorted(free - {int(row)})
        fixed = np.where(np.isin(np.arange(36), [*others, row]), 0.0, beta)
        system = np.block([[K[np.ix_(others, others)], np.ones((len(others), 1))]])
        system = np.vstack([system, np.append(np.ones(len(others)), 0.0)])
        right = np.append(SIGN[others] - K[others] @ fixed, -fixed.sum())
        *moved, bias = solve_system(system, right)
        without = K[row] @ fixed + K[row, others] @ np.array(moved) + bias
        assert SIGN[row] * (values[row] - without) == pytest.approx(change, rel=1e-8, abs=1e-9)


def test_span_like_is_the_sum_over_machines_trained_without_a_row() -> None:
    full, total = clone(MACHINE).fit(X, Y), 0.0
    for row in full.support_:
        left = np.delete(np.arange(36), row)
        without = clone(MACHINE).fit(X[left], Y[left]).decision_function(X[[row]])[0]
        share = without / full.decision_function(X[[row]])[0]
        total += 1.0 if SIGN[row] * without <= 0 else 1.0 - min(share, 1.0)
    assert value("span_like") == pytest.approx(total / 36, rel=1e-6)


def test_the_squared_hinge_is_a_hard_margin_with_more_on_the_diagonal() -> None:
    soft = SVC(C=2.0, kernel=Gaussian(0.5), loss="squared_hinge", **EXACT)
    hard = SVC(kernel=Precomputed(positive_definite=True), **EXACT)
    objective = make_objective("radius_margin", hard, Gaussian(0.5)(X) + np.eye(36) / 2.0, Y)
    assert value("radius_margin", soft) == pytest.approx(objective.value([0.0]), rel=1e-9)


def test_a_kernel_of_the_labels_is_aligned_with_them() -> None:
    K = np.multiply.outer(SIGN, SIGN)
    objective = make_objective("alignment", SVC(kernel="precomputed"), K, Y)
    assert objective.value([0.0]) == pytest.approx(1.0)
    objective = make_objective("alignment", SVC(kernel="precomputed"), K, RNG.permutation(Y))
    assert -1.0 <= objective.value([0.0]) < 1.0


@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
def test_the_likelihood_is_never_below_chance_and_does_not_know_classes_by_name(C: float) -> None:
    machine = SVC(C=C, kernel=Gaussian(0.5), **EXACT)
    for labels in (Y, RNG.permutation(Y)):
        found = value("likelihood", machine, labels, cv=4)
        assert found >= -36 / 4 * np.log(2.0) - 1e-9
        splits = list(KFold(4).split(X))
        one, other = (value("likelihood", machine, y, cv=splits) for y in (labels, 1 - labels))
        assert one == pytest.approx(other, rel=1e-8)


@pytest.mark.parametrize("kernel", [Gaussian(0.5), Gaussian([0.5, 0.2])], ids=["one", "two"])
def test_the_posterior_adds_the_logarithm_of_a_normal_law(kernel: Any) -> None:
    machine = SVC(kernel=kernel, **EXACT)
    likelihood, posterior = (
        make_objective(name, machine, X, Y, cv=3) for name in ("likelihood", "posterior")
    )
    theta = likelihood.space.start + 0.3
    apart = theta[1:] - np.log(jaakkola_gamma(likelihood.task))
    (value_of, slope_of), (value_with, slope_with) = likelihood(theta), posterior(theta)
    np.testing.assert_allclose(slope_with - slope_of, [-1e-3, *-apart / 4.0], atol=1e-12)
    assert value_with - value_of == pytest.approx(-1e-3 * theta[0] - (apart**2).sum() / 8.0)
    given = make_objective("posterior", machine, X, Y, cv=3, prior=Prior(1.0, deviation=0.5))
    np.testing.assert_allclose(given(theta)[1][1:] - slope_of[1:], -theta[1:] / 0.25, atol=1e-12)


def test_the_width_to_begin_with_is_that_of_the_median_distance_of_two_classes() -> None:
    task = make_objective("alignment", SVC(), X, Y).task
    distances = np.linalg.norm(X[Y == 0][:, None] - X[Y == 1], axis=2)
    assert jaakkola_gamma(task) == pytest.approx(0.5 / np.median(distances) ** 2, rel=1e-3)


@pytest.mark.parametrize("kernel", [Gaussian(0.4), Gaussian(0.4 * np.eye(2))], ids=["one", "full"])
def test_all_parameters_take_one_system_for_each_machine(
    kernel: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    solved, adjoint = [], Trained._adjoint

    def counted(machine: Trained, *given: Any) -> Any:
        solved.append(machine)
        return adjoint(machine, *given)

    monkeypatch.setattr(Trained, "_adjoint", counted)
    objective = make_objective("cv", SVR(kernel=kernel, **EXACT), X, X[:, 0], cv=4)
    objective(objective.space.start)
    assert len(solved) == 4
