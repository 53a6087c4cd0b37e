"""Machines of a search that need no certificate: the same predictions as those that have one."""

from __future__ import annotations

import warnings
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import cross_val_score

from mercer import SVC, SVR, TunedSVC, TunedSVR
from mercer.kernels import Gaussian
from mercer.machines.svm import uncertified as uncertified_module
from mercer.machines.svm.uncertified import UncertifiedMachines
from mercer.selection import make_objective
from mercer.selection.uncertified import uncertified_machines

matplotlib.use("Agg")
RNG = np.random.default_rng(5)
X = RNG.normal(size=(240, 4))
SCORE = X[:, 0] + X[:, 1] ** 2 + 0.6 * RNG.normal(size=240)
THREE = np.digitize(SCORE, [0.3, 1.5])
CS = [0.1, 1.0, 30.0]


def machines_of(estimator: Any, y: Any, **options: Any) -> tuple[Any, UncertifiedMachines]:
    objective: Any = make_objective("cv", estimator, X, y, cv=3)
    unit, powers = objective.space.machine_at(np.zeros(1)), objective.space.powers
    splits = objective._splits()
    return objective, uncertified_machines(objective.task, splits, unit, powers, **options)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize(
    ("estimator", "y"),
    [
        (SVC(kernel=Gaussian(0.3)), THREE),
        (SVC(kernel=Gaussian(0.3), loss="squared_hinge"), THREE > 1),
        (SVC(kernel=Gaussian(0.3), class_weight="balanced", fit_intercept=False), THREE),
        (SVR(kernel=Gaussian(0.3)), SCORE),
    ],
    ids=["pairs", "squared hinge", "no bias", "SVR"],
)
def test_values_are_those_of_certified_machines(estimator: Any, y: Any, n_threads: int) -> None:
    estimator.set_params(n_threads=n_threads)
    objective, uncertified = machines_of(estimator, y)
    gram = objective.task.gram(Gaussian(0.3))
    for split, values in zip(objective._splits(), uncertified.values(gram, CS), strict=True):
        weight = objective.task.training_weight(split.times)
        for j, C in enumerate(CS):
            machine = objective.space.machine_at(np.log([C]))
            trained = objective.task.train_series(
                [machine], gram, [weight], objective.space.powers
            )[0][0]
            for p, own in enumerate(trained):
                # both are within the tolerance of the optimum
                np.testing.assert_allclose(values[:, j, p], own.values(split.test), atol=0.02)


def test_a_machine_that_rounding_spoils_is_solved_in_double_precision() -> None:
    objective, uncertified = machines_of(SVC(kernel=Gaussian(0.3)), THREE)
    _, exact = machines_of(SVC(kernel=Gaussian(0.3)), THREE, most_error=0.0)
    gram = objective.task.gram(Gaussian(0.3))
    exact_values = exact.values(gram, [1.0])
    for one, other in zip(exact_values, uncertified.values(gram, [1.0]), strict=True):
        np.testing.assert_allclose(one, other, atol=0.02)


SMALL = np.repeat(np.arange(8), 30)  # 28 pairs of 60 rows, 20 of a class to train on
SMALL_KINDS = [
    SVC(kernel=Gaussian(0.3)),
    SVC(kernel=Gaussian(0.3), loss="squared_hinge"),
    SVC(kernel=Gaussian(0.3), class_weight="balanced", fit_intercept=False),
]


def gathered(uncertified: UncertifiedMachines, gram: Any) -> np.ndarray:
    return np.concatenate(list(uncertified.values(gram, CS)))


@pytest.mark.parametrize("machine", SMALL_KINDS, ids=["hinge", "squared hinge", "no bias"])
def test_machines_of_all_splits_pairs_and_C_take_one_call(
    machine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    objective, uncertified = machines_of(machine, SMALL)
    gram = objective.task.gram(Gaussian(0.3))
    calls: list[int] = []
    follow = uncertified_module._core.follow_parts

    def counted(problem: Any, offsets: Any, *given: Any) -> Any:
        calls.append(len(offsets) - 1)
        return follow(problem, offsets, *given)

    monkeypatch.setattr(uncertified_module._core, "follow_parts", counted)
    found = gathered(uncertified, gram)
    assert calls == [3 * 28]
    assert np.isfinite(found).all()


def test_a_machine_that_is_left_open_is_solved_singly(monkeypatch: pytest.MonkeyPatch) -> None:
    objective, uncertified = machines_of(SVC(kernel=Gaussian(0.3)), SMALL)
    gram = objective.task.gram(Gaussian(0.3))
    plain, follow = gathered(uncertified, gram), uncertified_module._core.follow_parts

    def undecided(*given: Any) -> Any:
        multiplier, n_iter, state = follow(*given)
        for values in (*given[-3:-1], multiplier):
            values[:, :2] *= 0.5
        state[:, 0] = uncertified_module._NOT_CONVERGED
        return multiplier, n_iter, state

    monkeypatch.setattr(uncertified_module._core, "follow_parts", undecided)
    found = gathered(uncertified, gram)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found[:, :, 0], plain[:, :, 0], atol=0.02)


@pytest.mark.parametrize("y", [THREE > 1, SMALL], ids=["two classes", "eight classes"])
def test_a_whole_solve_and_one_in_chunks_find_the_same(
    y: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for most in (10, 1000):
        objective, uncertified = machines_of(SVC(kernel=Gaussian(0.3)), y)
        options = uncertified._options(1.0)
        options.most_at_once = most
        monkeypatch.setattr(uncertified, "_options", lambda accuracy, options=options: options)
        found.append(gathered(uncertified, objective.task.gram(Gaussian(0.3))))
    np.testing.assert_allclose(found[0], found[1], atol=0.02)


def test_small_tolerances_have_certificates() -> None:
    objective, uncertified = machines_of(SVC(kernel=Gaussian(0.3), tol=1e-6), THREE)
    assert not uncertified.suit(objective.task.gram(Gaussian(0.3)))
    for machine in (SVC(precision="double"), SVC(kernel="linear", C=1.0)):
        objective, uncertified = machines_of(machine, THREE)
        suits = uncertified.suit(objective.task.gram(objective.space.kernel))
        assert suits == (machine.kernel == "linear")


@pytest.mark.parametrize("gamma", [2.0, 5.0, 30.0])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_kernel_near_the_identity_predicts_as_certified_machines_do(
    n_classes: int, gamma: float
) -> None:
    """Held-out values are smaller than the tolerance there: up to 49 of 300 rows were others."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(160, 20))
    order = np.argsort(np.argsort(rows[:, 0] + 0.5 * rng.normal(size=160)))
    thetas = [np.log([C, gamma]) for C in (0.5, 3.0, 100.0)]
    uncertified, sure = (
        make_objective("cv", SVC(tol=tol), rows, order * n_classes // 160, cv=4)
        for tol in (1e-3, 1e-9)
    )
    found, expected = (np.mean(o.series(thetas), axis=1) for o in (uncertified, sure))  # type: ignore[attr-defined]
    np.testing.assert_allclose(found, expected, atol=1.5 / 160)


def test_many_rows_are_searched_from_a_sample() -> None:
    rows, labels = make_classification(
        900, 6, n_informative=4, n_classes=3, n_clusters_per_class=1, random_state=0
    )
    machine = TunedSVC().fit(rows, labels)
    assert [len(history) > 5 for history in machine.history_] == [True, True]
    assert len(machine.cv_results_["params"]) == len(machine.history_[1]) < 25
    expected = cross_val_score(machine.best_estimator_, rows, labels, cv=5)
    assert machine.best_score_ == pytest.approx(expected.mean(), abs=0.004)
    star = machine.plot(plt.subplots()[1]).lines[0].get_xydata()[0]
    np.testing.assert_allclose(star, [machine.C_, machine.kernel_.gamma])
    untuned = cross_val_score(SVC(), rows, labels, cv=5)
    assert machine.best_score_ >= untuned.mean()


def test_a_sample_keeps_rare_classes() -> None:
    rows = RNG.normal(size=(800, 2))
    labels = np.where(np.arange(800) < 12, "rare", np.where(rows[:, 0] > 0, "a", "b"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        machine = TunedSVC(cv=4).fit(rows, labels)
    assert list(machine.classes_) == ["a", "b", "rare"]


def test_regression_of_many_rows_tunes_from_a_sample() -> None:
    rows = RNG.uniform(-2.0, 2.0, size=(700, 2))
    target = np.sin(2 * rows[:, 0]) + 0.1 * RNG.normal(size=700)
    machine = TunedSVR().fit(rows, target)
    assert len(machine.history_) == 2
    assert machine.score(rows, target) > 0.95


def test_threads_change_no_choice() -> None:
    rows, labels = make_classification(700, 6, n_informative=4, random_state=1)
    one, two = (TunedSVC(n_threads=n).fit(rows, labels) for n in (1, 2))
    np.testing.assert_array_equal(one.history_[1].thetas, two.history_[1].thetas)
    assert one.history_[1].values == two.history_[1].values


def test_all_folds_and_C_take_one_matrix() -> None:
    objective: Any = make_objective("cv", SVC(kernel=Gaussian(0.3)), X, THREE > 1, cv=5)
    objective.series([np.log([C, 0.3]) for C in CS])
    n = len(X)
    assert objective.n_kernel <= n * (n + 1) // 2 + 96 * n  # blocks on the diagonal are whole


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_rows_that_a_split_leaves_out_or_has_twice(fit_intercept: bool) -> None:
    splits = [(np.r_[0:100, 0:30], np.r_[20:60, 150:200]), (np.r_[100:240], np.r_[0:20])]
    machine = SVC(kernel=Gaussian(0.3), fit_intercept=fit_intercept)
    objective: Any = make_objective("cv", machine, X, THREE > 1, cv=splits)
    found = objective.series([np.log([C, 0.3]) for C in CS])
    for C, by_split in zip(CS, found, strict=True):
        for (train, test), loss in zip(splits, by_split, strict=True):
            fitted = machine.set_params(C=C).fit(X[train], THREE[train] > 1)
            wrong = np.mean(fitted.predict(X[test]) != (THREE[test] > 1))
            assert loss == pytest.approx(wrong, abs=1.01 / len(test))
