"""Searches by every multiclass scheme score as the machine fitted to each fold does."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score

from mercer import SVC, TunedSVC
from mercer.codes import make_code
from mercer.kernels import Gaussian
from mercer.machines.svm import uncertified as uncertified_module
from mercer.multiclass.formulations import ALL_IN_ONE
from mercer.selection import make_objective

RNG = np.random.default_rng(8)
Y = np.arange(160) % 4
X = RNG.normal(size=(160, 3)) + np.array([[0, 0], [1.5, 0], [0, 1.5], [1.5, 1.5]])[Y] @ np.eye(2, 3)
SCHEMES: list[dict[str, Any]] = [
    {"multiclass": "one-vs-one"},
    {"multiclass": "one-vs-all"},
    {"multiclass": "code"},
    {"multiclass": "code", "code": "sparse"},
    {"multiclass": "code", "code": "complete", "decoding": "hamming"},
    {"multiclass": "code", "code": "dense", "loss": "squared_hinge"},
]
WHOLE = [{"multiclass": name} for name in ALL_IN_ONE]


def told(options: dict[str, Any]) -> str:
    return " ".join(map(str, options.values()))


@pytest.mark.parametrize("options", [*SCHEMES, *WHOLE], ids=told)
@pytest.mark.parametrize("Cs", [[0.1, 3.0], [30.0, 1.0]])
def test_scores_are_those_of_machines_of_the_folds(
    options: dict[str, Any], Cs: list[float]
) -> None:
    machine = SVC(kernel=Gaussian(0.5), break_ties=True, **options)
    objective: Any = make_objective("cv", machine, X, Y, cv=4, loss="accuracy")
    thetas = [np.array([np.log(C), np.log(0.5)]) for C in Cs]
    for theta, losses in zip(thetas, objective.series(thetas), strict=True):
        fitted = objective.space.tuned(theta)
        expected = cross_val_score(fitted, X, Y, cv=StratifiedKFold(4))
        # two rows of forty near a boundary of either machine
        np.testing.assert_allclose(losses, expected, atol=2.001 / 40)
        assert abs(losses.mean() - expected.mean()) <= 2.001 / 160


@pytest.mark.parametrize("options", SCHEMES[1:], ids=told)
def test_all_parts_of_all_splits_are_one_native_call(
    options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []
    follow = uncertified_module._core.follow_parts
    monkeypatch.setattr(
        uncertified_module._core,
        "follow_parts",
        lambda *given: calls.append(1) or follow(*given),  # type: ignore[func-returns-value]
    )
    objective: Any = make_objective("cv", SVC(kernel=Gaussian(0.5), **options), X, Y, cv=3)
    objective.series([np.array([np.log(C), np.log(0.5)]) for C in (0.1, 1.0, 10.0)])
    assert len(calls) == 1


@pytest.mark.parametrize("code", [make_code("one-vs-one", 4), make_code("one-vs-all", 4)], ids=str)
def test_a_code_that_is_a_scheme_has_its_values(code: Any) -> None:
    """The columns of these two codes are the parts of the schemes."""
    name = "one-vs-one" if code.has_zeros else "one-vs-all"
    values = []
    for options in ({"multiclass": name}, {"multiclass": "code", "code": code}):
        machine = SVC(kernel=Gaussian(0.5), tol=1e-4, **options)
        objective: Any = make_objective("cv", machine, X, Y, cv=3, loss="accuracy")
        objective.series([np.zeros(2)])
        values.append(objective.held_out.values_at(np.zeros(2)))
    (rows, first), (same, second) = values
    np.testing.assert_array_equal(rows, same)
    np.testing.assert_allclose(first, second, atol=2e-3)


def test_near_the_identity_one_against_all_is_solved_more_exactly() -> None:
    """Values of all classes then lie within the tolerance of each other."""
    kernel, theta = Gaussian(1e4), np.array([np.log(10.0), np.log(1e4)])
    machine = SVC(kernel=kernel, C=10.0, multiclass="one-vs-all", tol=1e-2)
    objective: Any = make_objective("cv", machine, X, Y, cv=2, loss="accuracy")
    exact = SVC(kernel=kernel, C=10.0, multiclass="one-vs-all", tol=1e-8)
    expected = cross_val_score(exact, X, Y, cv=StratifiedKFold(2))
    np.testing.assert_allclose(objective.series([theta])[0], expected, atol=0.05)


@pytest.mark.parametrize("options", [*SCHEMES[1:4], WHOLE[0]], ids=told)
def test_the_tuned_machine_learns_by_the_scheme_it_was_tuned_for(options: dict[str, Any]) -> None:
    machine = TunedSVC(cv=3, C_range=(0.3, 30), gamma_range=(0.1, 3), **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine.fit(X, Y)
    best = machine.best_estimator_
    assert best.multiclass_ == options["multiclass"]
    assert machine.best_score_ > 0.5
    probability = machine.predict_proba(X)
    np.testing.assert_array_equal(machine.classes_[probability.argmax(axis=1)], machine.predict(X))
    rows, values = np.concatenate(machine.held_out_.rows), machine.held_out_.predicted
    found = np.empty(len(Y), dtype=int)
    found[rows] = np.concatenate(values)
    expected = cross_val_predict(best, X, Y, cv=StratifiedKFold(3))
    assert (found == expected).mean() > 0.97


@pytest.mark.parametrize("scoring", ["roc_auc_ovr", "neg_log_loss"])
@pytest.mark.parametrize("options", [*SCHEMES[1:3], WHOLE[1]], ids=told)
def test_scores_of_values_and_probabilities_know_the_scheme(
    options: dict[str, Any], scoring: str
) -> None:
    machine = TunedSVC(cv=3, max_evals=6, scoring=scoring, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine.fit(X, Y)
    assert machine.best_score_ > (0.75 if scoring == "roc_auc_ovr" else -1.1)


def test_weights_are_repetitions_in_searches_of_one_problem() -> None:
    weight = 1.0 + (np.arange(len(Y)) % 3 == 0)
    rows = np.repeat(np.arange(len(Y)), weight.astype(int))
    first = [np.flatnonzero(np.arange(len(Y)) // 4 % 2 == k) for k in (0, 1)]
    again = [np.flatnonzero(np.isin(rows, own)) for own in first]
    machine = SVC(kernel=Gaussian(0.5), multiclass="weston-watkins", tol=1e-6)
    weighted: Any = make_objective(
        "cv", machine, X, Y, sample_weight=weight, cv=[first, first[::-1]]
    )
    repeated: Any = make_objective("cv", machine, X[rows], Y[rows], cv=[again, again[::-1]])
    assert weighted.value(np.zeros(2)) == pytest.approx(repeated.value(np.zeros(2)), abs=0.02)


@pytest.mark.parametrize("name", ["loo", "span_like", "likelihood", "radius_margin"])
def test_criteria_of_two_class_machines_refuse_one_problem_of_all(name: str) -> None:
    with pytest.raises(ValueError, match="needs machines of two classes, not multiclass="):
        make_objective(name, SVC(multiclass="crammer-singer"), X, Y)


def test_what_one_problem_of_all_classes_has_not_is_refused_with_advice() -> None:
    machine = SVC(multiclass="crammer-singer")
    with pytest.raises(ValueError, match=r"needs two-class problems.*use 'zero_one' or a scorer"):
        make_objective("cv", machine, X, Y, loss="logistic")
    with pytest.raises(ValueError, match=r"no gradient for the 3 parameters.*CMA-ES"):
        TunedSVC(kernel="ard", multiclass="crammer-singer").fit(X, Y)
    with pytest.raises(ValueError, match="loss must be 'hinge' for multiclass="):
        TunedSVC(loss="search", multiclass="crammer-singer").fit(X, Y)


def test_kernels_are_chosen_by_any_scheme() -> None:
    machine = TunedSVC(kernel=["linear", "rbf"], loss="search", multiclass="code", cv=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine.fit(X, Y)
    assert set(machine.cv_results_["param_loss"]) == {"hinge", "squared_hinge"}
    assert machine.best_estimator_._decoding == machine.best_params_["loss"]
