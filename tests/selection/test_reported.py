"""What users saw that was wrong."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import median_abs_deviation
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.model_selection import cross_val_score

from mercer import (
    RLSC,
    SVC,
    NuSVC,
    OneClassSVM,
    TunedOneClassSVM,
    TunedRLSC,
    TunedSVC,
    TunedSVR,
)
from mercer.kernels import Gaussian, Sigmoid
from mercer.selection import make_objective
from mercer.selection.deviation import robust_spread, spreads

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = (X[:, 0] + 0.5 * X[:, 1] ** 2 - 0.4 + 0.4 * RNG.normal(size=60) > 0).astype(int)


@pytest.mark.parametrize("kernel", [RBF(1.0), ConstantKernel(2.0) * RBF([1.0, 2.0, 1.0, 1.5])])
@pytest.mark.parametrize(
    ("name", "machine", "options"),
    [
        ("cv", SVC(solver="active-set", tol=1e-10), {"loss": "logistic"}),
        ("alignment", SVC(), {}),
        ("gcv", RLSC(alpha=0.5), {}),
    ],
)
def test_kernels_of_scikit_learn_have_gradients(
    kernel: Any, name: str, machine: Any, options: dict[str, Any]
) -> None:
    objective = make_objective(name, machine.set_params(kernel=kernel), X, Y, **options)
    theta, step = objective.space.start, 1e-5
    expected = [
        (objective.value(theta + step * unit) - objective.value(theta - step * unit)) / (2 * step)
        for unit in np.eye(len(theta))
    ]
    np.testing.assert_allclose(objective(theta)[1], expected, rtol=1e-5, atol=1e-8)


def test_the_width_of_a_kernel_of_scikit_learn_is_tuned() -> None:
    machine = TunedSVC(kernel=RBF(100.0), cv=3).fit(X, Y)
    assert machine.kernel_.kernel.length_scale < 20.0
    gaussian = TunedSVC(kernel=Gaussian(1.0), cv=3).fit(X, Y)
    assert machine.best_score_ == pytest.approx(gaussian.best_score_, abs=0.02)


@pytest.mark.parametrize("optimizer", ["grid", "focused-grid"])
def test_a_grid_of_many_parameters_ends_at_its_limit(optimizer: str) -> None:
    # 10^21 and 5^21 cells
    kernel = Gaussian("scale", metric="diagonal")
    rows = RNG.normal(size=(30, 20))
    machine = TunedSVC(kernel=kernel, optimizer=optimizer, max_evals=3, cv=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # equal everywhere
        assert machine.fit(rows, rows[:, 0] > 0).search_status_ == "max-evals"


@pytest.mark.parametrize("objective", ["likelihood", "bootstrap"])
def test_a_grid_over_draws_takes_its_best_cell(objective: str) -> None:
    machine = TunedSVC(objective=objective, optimizer="grid", random_state=0).fit(X, Y)
    history = machine.history_[0]
    order = np.argsort(history.values)[:: -1 if objective == "likelihood" else 1]
    # one of those that were best, by new draws
    assert machine.best_index_ in order[:5]
    assert machine.best_score_ < machine.cv_results_["mean_test_score"].max()


def test_least_squares_go_by_the_score_asked_for() -> None:
    machine = TunedRLSC(scoring="roc_auc", cv=3).fit(X, Y)
    assert 0.7 < machine.best_score_ <= 1.0
    assert "split2_test_score" in machine.cv_results_
    with pytest.raises(ValueError, match="foo"):
        TunedRLSC(scoring="foo").fit(X, Y)


RARE = np.where(np.isin(np.arange(60), [0, 9]), "rare", np.where(Y == 1, "a", "b"))
RARE[9] = "odd"


@pytest.mark.filterwarnings("ignore:The least populated class")
@pytest.mark.parametrize("objective", ["auto", "alignment", "holdout"])
def test_a_class_of_one_row_is_tuned_with(objective: str) -> None:
    machine = TunedSVC(objective=objective, max_evals=4, random_state=2)
    with pytest.warns(UserWarning, match=r"no row to train on of the classes .*\(1 of all rows\)"):
        machine.fit(X, RARE)
    assert set(machine.classes_) == {"a", "b", "rare", "odd"}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("tol", [1e-3, 1e-8])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_folds_without_a_class_score_as_those_of_scikit_learn(tol: float, loss: Any) -> None:
    machine = SVC(C=3.0, kernel=Gaussian(0.3), tol=tol, loss=loss)
    objective = make_objective("cv", machine, X, RARE, cv=5)
    expected = cross_val_score(machine, X, RARE, cv=5)
    assert 1.0 - objective.value(objective.space.start) == pytest.approx(expected.mean())


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_gradients_know_folds_without_a_class(loss: str) -> None:
    machine = SVC(solver="active-set", tol=1e-10)
    objective = make_objective("cv", machine, X, RARE, cv=5, loss=loss)
    theta, step = objective.space.start, 1e-5
    expected = [
        (objective.value(theta + step * unit) - objective.value(theta - step * unit)) / (2 * step)
        for unit in np.eye(len(theta))
    ]
    np.testing.assert_allclose(objective(theta)[1], expected, rtol=1e-5, atol=1e-8)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_two_classes_of_which_one_has_one_row_are_tuned() -> None:
    labels = np.where(np.arange(60) == 7, "rare", "usual")
    assert TunedSVC().fit(X, labels).best_score_ == pytest.approx(59 / 60, abs=1e-2)
    weighted = TunedSVC(class_weight={"rare": 2.0, "usual": 1.0}, max_evals=3).fit(X, labels)
    assert weighted.best_score_ > 0.9


def test_classes_of_fewer_rows_than_folds_have_fewer_folds() -> None:
    with pytest.warns(UserWarning, match="3 folds instead of cv=5"):
        machine = TunedSVC(max_evals=3).fit(X, np.arange(60) % 20)
    assert "split2_test_score" in machine.cv_results_
    assert "split3_test_score" not in machine.cv_results_


@pytest.mark.filterwarnings("ignore:The least populated class")
def test_nu_machines_refuse_folds_without_a_class() -> None:
    with pytest.raises(ValueError, match=r"classes 'odd' \(1 of all rows\), 'rare'"):
        make_objective("cv", NuSVC(nu=0.01), X, RARE, cv=3)


def test_scores_that_are_no_numbers_are_told() -> None:
    with pytest.warns(UserWarning, match="no score of the search is a number"):
        machine = TunedSVC(scoring=lambda *_: np.nan, cv=3).fit(X, Y)
    assert machine.search_status_ == "no-value"
    assert 1.0 < machine.C_ < 100.0


def test_an_unknown_optimizer_is_named() -> None:
    with pytest.raises(ValueError, match=r"optimizer must be .*'foo'"):
        TunedSVC(optimizer="foo").fit(X, Y)


def test_pairs_without_held_out_rows_raise_no_warning() -> None:
    labels = np.arange(60) % 20
    objective = make_objective("likelihood", SVC(), X, labels, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(objective.value(objective.space.start))


def test_scores_of_what_machines_of_a_search_do_not_have_are_refused_by_name() -> None:
    def support(machine: Any, rows: Any, labels: Any) -> float:
        return float(len(machine.support_))

    with pytest.raises(ValueError, match=r"support at .* asks for more than predictions"):
        TunedSVC(scoring=support, cv=2).fit(X, Y)


@pytest.mark.parametrize("factor", [2.0**40, 2.0**-40, 1e100, 1e-100])
@pytest.mark.parametrize("metric", ["radial", "diagonal"])
def test_targets_of_another_scale_give_the_same_machine(factor: float, metric: Any) -> None:
    """Single precision ends at 3e38, and squares of squared errors of 1e100 beyond 1e308."""
    target = np.sin(X[:, 0]) + 0.2 * X[:, 1]
    kernel, evals = Gaussian("scale", metric=metric), 40 if metric == "diagonal" else None
    one, other = (
        TunedSVR(kernel=kernel, cv=3, max_evals=evals).fit(X, scale * target)
        for scale in (1.0, factor)
    )
    assert one.score(X, target) > 0.9
    np.testing.assert_allclose(other.predict(X) / factor, one.predict(X), rtol=1e-6, atol=1e-6)
    assert other.best_score_ / factor**2 == pytest.approx(one.best_score_, rel=1e-6)
    np.testing.assert_allclose(other.C_ / factor, one.C_)
    np.testing.assert_allclose(other.cv_results_["param_C"] / factor, one.cv_results_["param_C"])
    noise, plain = (machine.cv_results_["std_test_score"] for machine in (other, one))
    np.testing.assert_allclose(noise / factor**2, plain, rtol=0.01)  # of solutions within tol


@pytest.mark.parametrize("factor", [1e6, 1e-9])
def test_large_and_small_targets_are_learned(factor: float) -> None:
    target = factor * (np.sin(X[:, 0]) + 0.2 * X[:, 1])
    machine = TunedSVR(cv=3).fit(X, target)
    assert machine.score(X, target) > 0.9
    assert machine.search_status_ == "converged"


def test_epsilon_is_the_one_given_or_follows_the_targets() -> None:
    target = 50.0 * X[:, 0]
    given = TunedSVR(epsilon=0.5, max_evals=2, cv=2).fit(X, target)
    assert given.best_estimator_.epsilon == 0.5
    scaled = TunedSVR(max_evals=2, cv=2).fit(X, target)
    scale = min(target.std(), median_abs_deviation(target, scale="normal"))
    assert scaled.best_estimator_.epsilon == pytest.approx(0.1 * scale)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_an_indefinite_kernel_has_no_perfect_leave_one_out_error() -> None:
    machine = TunedRLSC(kernel="sigmoid").fit(X, Y)
    matrix = machine.kernel_(X)
    assert np.linalg.eigvalsh(matrix)[0] >= -0.5 * machine.alpha_ * (1 + 1e-9)
    estimator = machine.best_estimator_
    errors = [
        (
            1
            - 2 * Y[i]
            + estimator.fit(np.delete(X, i, 0), np.delete(Y, i)).decision_function(X[[i]])
        )
        for i in range(60)
    ]
    assert machine.best_score_ == pytest.approx(-np.mean(np.square(errors)), rel=1e-6)
    objective = make_objective("gcv", RLSC(kernel=Sigmoid(1.0, 0.0), alpha=1e-3), X, Y)
    with pytest.raises(ValueError, match=r"not positive definite.*alpha=0.001 is too small"):
        objective.value(objective.space.start)


def test_an_interrupted_search_keeps_its_best_point() -> None:
    def interrupt(history: Any) -> None:
        if len(history) == 7:
            raise KeyboardInterrupt

    machine = TunedSVC(cv=3, callback=interrupt)
    with pytest.raises(KeyboardInterrupt):
        machine.fit(X, Y)
    history = machine.history_[-1]
    assert machine.search_status_ == history.status == "interrupted"
    assert machine.best_params_["C"] == pytest.approx(np.exp(history.thetas[history.best][0]))
    SVC(**machine.best_params_).fit(X, Y)
    with pytest.raises(NotFittedError):
        machine.predict(X)


def test_a_refinement_that_is_interrupted_keeps_the_best_by_the_criterion() -> None:
    """The point of the least logistic loss was kept, of which the error was never looked at."""
    seen: list[Any] = []

    def interrupt(history: Any) -> None:
        if not seen or seen[-1] is not history:
            seen.append(history)
        if len(seen) == 2 and len(history) == 4:
            raise KeyboardInterrupt

    kernel = Gaussian("scale", metric="diagonal")
    machine = TunedSVC(kernel=kernel, cv=3, callback=interrupt)
    with pytest.raises(KeyboardInterrupt):
        machine.fit(X, Y)
    first, second = machine.history_
    assert (first.decides, second.decides, second.status) == (True, False, "interrupted")
    assert machine.best_params_["C"] == pytest.approx(np.exp(first.thetas[first.best][0]))
    gamma = first.spaces[first.best].kernel_at(first.thetas[first.best]).gamma
    np.testing.assert_array_equal(machine.best_params_["kernel"].gamma, gamma)


def test_a_share_of_outliers_that_no_width_keeps_to_is_told() -> None:
    with pytest.warns(UserWarning, match="nu=1e-06 allows"):
        TunedOneClassSVM(nu=1e-6, objective="rejection").fit(X[:20])


def test_a_wrong_score_is_reported_as_scoring() -> None:
    with pytest.raises(ValueError, match="scoring"):
        TunedSVC(scoring="foo").fit(X, Y)
    with pytest.raises(ValueError, match="loss='squared' needs targets"):
        make_objective("cv", OneClassSVM(), X, loss="squared")


@pytest.mark.parametrize("scale", [1e-8, 1e8])
def test_features_of_any_scale_are_tuned(scale: float) -> None:
    for machine in (TunedSVC(cv=3), TunedRLSC()):
        plain, moved = (clone(machine).fit(rows, Y) for rows in (X, scale * X))
        assert moved.best_score_ == pytest.approx(plain.best_score_, rel=1e-3)
        assert moved.search_status_ == plain.search_status_


def test_a_best_cell_at_the_edge_of_its_range_is_told() -> None:
    kernel = Gaussian("scale", gamma_bounds=(1e-5, 3e-5))
    with pytest.warns(UserWarning, match="edge of those searched"):
        machine = TunedSVC(kernel=kernel, cv=3).fit(X, Y)
    assert machine.search_status_ == "boundary"
    assert 1e-5 <= machine.kernel_.gamma <= 3e-5 * (1 + 1e-12)


def test_of_equal_cells_the_middle_one_is_chosen() -> None:
    rare = np.zeros(60)
    rare[:6] = 1.0  # no cell predicts them
    machine = TunedSVC(cv=3).fit(RNG.normal(size=(60, 4)), rare)
    equal = machine.cv_results_["rank_test_score"] == 1
    values = machine.cv_results_["param_C"][equal]
    assert values.min() < machine.C_ < values.max()


@pytest.mark.parametrize("limit", [{"max_evals": 1}, {"max_time": 1e-9}])
def test_a_search_that_ends_at_once_ends_at_a_moderate_machine(limit: dict[str, Any]) -> None:
    with pytest.warns(UserWarning, match="first evaluation"):
        machine = TunedSVC(cv=3, **limit).fit(X, Y)
    assert pytest.approx(10.0) == machine.C_
    assert machine.best_score_ > max(Y.mean(), 1.0 - Y.mean())
    with pytest.warns(UserWarning, match="first evaluation"):
        widest = TunedOneClassSVM(nu=0.1, cv=3, **limit).fit(X)
    assert widest.kernel_.gamma > 1e-3


def test_least_squares_of_many_rows_are_tuned_on_a_sample(monkeypatch: Any) -> None:
    monkeypatch.setattr("mercer.selection.least_squares_search._MOST_ROWS", 40)
    machine = TunedRLSC().fit(X, Y)
    assert machine.history_[0].n_rows <= 42
    assert machine.best_estimator_.shape_fit_ == X.shape


@pytest.mark.parametrize("seed", range(12, 24))
def test_gradients_without_free_support_vectors_are_those_of_the_bias_in_the_middle(
    seed: int,
) -> None:
    """The active set left a coefficient an ulp beside its bound, which then counted as free."""
    rows, labels = np.random.default_rng(seed).normal(size=(24, 2)), np.arange(24) % 2
    machine = SVC(C=0.01, kernel=Gaussian(0.7), solver="active-set", tol=1e-12)
    split = [(np.arange(20), np.arange(20, 24))]
    objective = make_objective("cv", machine, rows, labels, loss="squared", cv=split)
    theta, step = objective.space.start, 1e-4
    expected = [
        (objective.value(theta + step * unit) - objective.value(theta - step * unit)) / (2 * step)
        for unit in np.eye(2)
    ]
    np.testing.assert_allclose(objective(theta)[1], expected, rtol=1e-4)


def test_a_constant_feature_is_not_relevant() -> None:
    rows = np.column_stack([X, np.full(60, 7.0)])
    machine = TunedSVC(kernel=Gaussian("scale", metric="diagonal"), cv=3, max_evals=20)
    found = machine.fit(rows, Y).relevance_
    assert found is not None
    assert found[-1] < 1e-9
    assert found.max() == 1.0
    sparse = machine.fit(csr_array(rows), Y).relevance_
    np.testing.assert_allclose(sparse, found, atol=0.05)


def test_an_interrupted_fit_leaves_nothing_of_the_one_before() -> None:
    machine = TunedSVC(cv=3).fit(X, Y)

    def interrupt(history: Any) -> None:
        if len(history) > 3:
            raise KeyboardInterrupt

    machine.set_params(callback=interrupt)
    with pytest.raises(KeyboardInterrupt):
        machine.fit(X[:, :2], Y)
    fitted = {name for name in vars(machine) if name.endswith("_") and name[0] != "_"}
    assert fitted == {"best_params_", "history_", "search_status_", "held_out_"}


def test_a_score_that_cannot_be_beaten_ends_the_search() -> None:
    rows = RNG.normal(size=(60, 2)) + 20.0 * Y[:, None]
    machine = TunedSVC().fit(rows, Y)
    assert machine.best_score_ == 1.0
    assert machine.search_status_ == "converged"
    assert len(machine.cv_results_["params"]) < 20


def test_the_best_of_many_draws_is_judged_by_new_ones() -> None:
    labels = RNG.integers(0, 2, 60)  # nothing to learn
    machine = TunedSVC(objective="bootstrap", max_evals=60, random_state=0).fit(X, labels)
    drawn = machine.cv_results_["mean_test_score"]
    assert machine.best_score_ < drawn.max() - 0.05


def test_a_grid_lies_around_the_width_that_the_rows_suggest() -> None:
    machine = TunedSVC(optimizer="grid", cv=3).fit(X, Y)
    table = machine.cv_results_
    assert len(table["params"]) == 100
    assert machine.best_score_ > 0.75
    widths = np.unique([params["kernel"].gamma for params in table["params"]])
    assert widths.max() / widths.min() == pytest.approx(1e6)
    independent = cross_val_score(SVC(**machine.best_params_), X, Y, cv=3).mean()
    assert machine.best_score_ == pytest.approx(independent, abs=1e-9)


def test_two_rows_cannot_be_split() -> None:
    with pytest.raises(ValueError, match="needs a class of at least two rows"):
        TunedSVC().fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("make", [TunedSVC, TunedRLSC])
def test_a_split_that_trains_on_one_class_was_taken_without_a_word(make: Any) -> None:
    labels = np.arange(60) % 3
    split = np.flatnonzero(labels == 0), np.flatnonzero(labels != 0)
    with pytest.raises(ValueError, match=r"at least two classes, got \[0\] .* of split 0"):
        make(cv=[split]).fit(X, labels)


def test_outliers_widened_the_tube() -> None:
    target = X[:, 0] + 0.1 * X[:, 1]
    plain = TunedSVR(max_evals=2, cv=2).fit(X, target)
    spoilt = target.copy()
    spoilt[:3] += 1e3
    with pytest.warns(UserWarning, match="targets have outliers .*neg_mean_absolute_error"):
        moved = TunedSVR(max_evals=2, cv=2).fit(X, spoilt)
    epsilon = plain.best_estimator_.epsilon
    assert moved.best_estimator_.epsilon == pytest.approx(epsilon, rel=0.3)
    assert moved.best_estimator_.tol == pytest.approx(plain.best_estimator_.tol, rel=0.3)


def test_the_scale_of_targets_counts_weights_as_repetitions() -> None:
    rng = np.random.default_rng(1)
    values, times = rng.standard_t(2, size=31), rng.integers(0, 4, size=31)
    repeated = np.repeat(values, times)
    expected = spreads(repeated, np.ones(len(repeated)))
    assert spreads(values, times.astype(float)) == pytest.approx(expected)
    assert expected[1] == pytest.approx(median_abs_deviation(repeated, scale="normal"))
    assert robust_spread(np.full(5, 3.0), np.ones(5)) == 1.0
    assert robust_spread(np.r_[np.zeros(9), 1.0], np.ones(10)) == pytest.approx(0.3)


@pytest.mark.parametrize("make", [TunedSVC, TunedRLSC])
def test_a_constant_predictor_was_converged_without_a_word(make: Any) -> None:
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(200, 3)), np.where(np.arange(200) < 4, "yes", "no")
    with pytest.warns(UserWarning, match="predicted to be 'no', as 98 % .*class_weight.*scoring"):
        make().fit(rows, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make().fit(X, Y)


def test_radius_margin_of_the_hinge_returned_a_c_that_was_never_searched() -> None:
    with pytest.raises(ValueError, match=r"needs loss='squared_hinge', got 'hinge'.*'auto'"):
        TunedSVC(objective="radius_margin").fit(X, Y)
    searched = TunedSVC(objective="radius_margin", loss="squared_hinge", max_evals=5).fit(X, Y)
    assert len(np.unique(searched.cv_results_["param_C"])) > 1


@pytest.mark.parametrize("n_classes", [2, 3])
def test_polarization_of_unequal_classes_chose_the_widest_kernel(n_classes: int) -> None:
    random = np.random.default_rng(0)
    rows = random.normal(size=(90, 2))
    labels = np.r_[np.zeros(70, int), np.arange(1, n_classes).repeat(20 // (n_classes - 1))]
    rows[70:] = 0.3 * rows[70:] + labels[70:, None]
    objective = make_objective("polarization", SVC(), rows, labels)
    values = [objective.value([0.0, np.log(gamma)]) for gamma in np.logspace(-6, 3, 10)]
    assert 0 < int(np.argmax(values)) < 9
    assert abs(values[0]) < 1e-2 * max(values)  # a kernel of ones agrees with nothing
    T = np.where(labels[:, None] == labels, 1.0, -1.0 / (n_classes - 1))
    H = np.eye(90) - 1.0 / 90
    assert values[5] == pytest.approx(np.vdot(H @ T @ H, Gaussian(0.1)(rows)), rel=1e-9)
