"""The choice among kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import KFold, cross_val_score

from mercer import SVC, TunedRLSC, TunedSVC, TunedSVR, io
from mercer.kernels import Gaussian, Laplacian, Linear, Polynomial, Precomputed

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(120, 4))
PRODUCT = (X[:, 0] * X[:, 1] > 0).astype(int)
KERNELS = [Gaussian, Laplacian, Linear, Polynomial, Polynomial]


def tried(machine: Any) -> set[tuple[Any, Any]]:
    """Kinds of the kernels that stand in the table."""
    kernels = machine.cv_results_["param_kernel"]
    return {(type(own), getattr(own, "degree", None)) for own in kernels}


USUAL = {(Gaussian, None), (Laplacian, None), (Linear, None), (Polynomial, 2), (Polynomial, 3)}


@pytest.mark.parametrize("make", [TunedSVC, TunedSVR, TunedRLSC])
def test_every_kernel_that_was_tried_stands_in_the_table(make: Any) -> None:
    machine = make(kernel="auto", cv=3).fit(X, PRODUCT)
    assert tried(machine) == USUAL
    table, best = machine.cv_results_, machine.best_index_
    assert table["mean_test_score"][best] == machine.best_score_
    assert table["param_kernel"][best] == machine.kernel_
    assert all(len(column) == len(table["params"]) for column in table.values())
    is_linear = [isinstance(kernel, Linear) for kernel in table["param_kernel"]]
    np.testing.assert_array_equal(np.isnan(table["theta_gamma"]), is_linear)


def test_the_best_score_is_that_of_cross_validation() -> None:
    machine = TunedSVC(kernel="auto", cv=4, tol=1e-6).fit(X, PRODUCT)
    for row in (machine.best_index_, len(machine.cv_results_["params"]) - 1):
        again = SVC(tol=1e-6).set_params(**machine.cv_results_["params"][row])
        expected = cross_val_score(again, X, PRODUCT, cv=4).mean()
        assert machine.cv_results_["mean_test_score"][row] == pytest.approx(expected, abs=1e-12)


def test_a_product_of_two_features_is_learned_by_a_polynomial() -> None:
    random = np.random.default_rng(1)
    rows = random.normal(size=(160, 12))
    target = rows[:, 0] * rows[:, 1] + rows[:, 2]
    machine = TunedSVR(kernel="auto", cv=3).fit(rows, target)
    assert (type(machine.kernel_), machine.kernel_.degree) == (Polynomial, 2)
    assert machine.score(rows, target) > 0.99


def test_a_straight_border_of_many_features_is_not_lost_to_a_narrow_kernel() -> None:
    random = np.random.default_rng(2)
    rows = random.normal(size=(700, 30))
    target = rows @ random.normal(size=30)
    machine = TunedSVR(kernel=["linear", "laplacian", "rbf"], cv=3).fit(rows, target)
    assert isinstance(machine.kernel_, Linear)
    # the others are given up on a sample, but listed
    assert tried(machine) == {(Gaussian, None), (Laplacian, None), (Linear, None)}
    behind = [history for history in machine.history_ if history.status == "behind"]
    assert {history.n_rows for history in behind} == {400, 700}


def test_what_is_behind_ends_early() -> None:
    random = np.random.default_rng(4)
    rows = random.uniform(-3.0, 3.0, size=(200, 2))
    labels = np.hypot(*rows.T) < 2.0
    machine = TunedSVC(kernel=["rbf", "linear"], cv=3).fit(rows, labels)
    assert isinstance(machine.kernel_, Gaussian)
    linear = next(own for own in machine.history_ if own.names == ["log C"])
    assert linear.status == "behind"
    assert len(linear) < 9
    assert machine.search_status_ in ("converged", "boundary")


def test_the_first_kernel_is_kept_unless_another_is_clearly_better() -> None:
    random = np.random.default_rng(5)
    rows, noise = random.normal(size=(90, 5)), random.normal(size=90)
    machine = TunedSVC(kernel="auto", cv=5).fit(rows, rows[:, 0] + noise > 0)
    assert isinstance(machine.kernel_, Gaussian)
    table = machine.cv_results_
    best = table["mean_test_score"].argmax()
    by_split = np.array([table[f"split{k}_test_score"][best] for k in range(5)])
    error = by_split.std(ddof=1) / np.sqrt(5)
    assert machine.best_score_ >= table["mean_test_score"][best] - error - 1e-9


def test_one_kernel_of_a_list_is_that_kernel() -> None:
    several = TunedSVC(kernel=["rbf"], cv=3).fit(X, PRODUCT)
    alone = TunedSVC(cv=3).fit(X, PRODUCT)
    assert several.kernel_ == alone.kernel_
    assert several.honest_interval_ == alone.honest_interval_
    np.testing.assert_array_equal(
        several.cv_results_["mean_test_score"], alone.cv_results_["mean_test_score"]
    )


def test_the_first_of_equal_kernels_is_chosen() -> None:
    machine = TunedSVC(kernel=[Linear(), 2.0 * Linear()], C_range=(1.0, 10.0), cv=3)
    assert machine.fit(X, PRODUCT).kernel_ == Linear()


def test_the_honest_score_covers_the_choice_of_the_kernel() -> None:
    random = np.random.default_rng(0)
    rows, labels = random.normal(size=(60, 10)), np.repeat([0, 1], 30)
    machine = TunedSVC(kernel="auto", cv=3).fit(rows, labels)
    table = machine.cv_results_
    by_split = np.column_stack([table[f"split{k}_test_score"] for k in range(3)])
    kinds = np.array(
        [f"{type(k).__name__}{getattr(k, 'degree', '')}" for k in table["param_kernel"]]
    )
    order = ["Gaussian", "Laplacian", "Linear", "Polynomial2", "Polynomial3"]
    expected = []
    for k in range(3):
        others = np.delete(by_split, k, axis=1)
        means = others.mean(axis=1)
        best = {kind: means[kinds == kind].max() for kind in order}
        is_best = np.isclose(means, [best[kind] for kind in kinds])
        leader = max(best, key=best.__getitem__)
        row = others[is_best & (kinds == leader)][0]
        enough = row.mean() - row.std(ddof=1) / np.sqrt(2) - 1e-9
        chosen = next(kind for kind in order if best[kind] >= enough)
        expected.append(by_split[is_best & (kinds == chosen), k].mean())
    assert machine.honest_score_ == pytest.approx(np.mean(expected), abs=1e-12)
    # labels without meaning: the best of five kernels is not believed
    assert machine.honest_score_ < machine.best_score_


def test_a_splitter_that_draws_gives_every_kernel_the_same_splits() -> None:
    kernels = [Gaussian(0.3, gamma_bounds="fixed")] * 2
    splitter = KFold(3, shuffle=True, random_state=np.random.RandomState(0))
    machine = TunedSVC(kernel=kernels, cv=splitter, C_range=(1.0, 2.0)).fit(X, PRODUCT)
    table = machine.cv_results_
    first = table["split0_test_score"]
    scores = {C: set(first[table["param_C"] == C]) for C in set(table["param_C"])}
    assert all(len(own) == 1 for own in scores.values())


def test_limits_are_shared_by_the_kernels() -> None:
    machine = TunedSVC(kernel="auto", max_evals=12, cv=3).fit(X, PRODUCT)
    assert len(machine.cv_results_["params"]) == 12
    assert tried(machine) == USUAL
    assert TunedSVC(kernel="auto", max_time=1e-6).fit(X, PRODUCT).search_status_ == "max-time"
    ended = TunedSVC(kernel="auto", callback=lambda history: len(history) > 4).fit(X, PRODUCT)
    assert ended.search_status_ == "callback"
    assert tried(ended) == {(Gaussian, None)}


def test_with_little_time_a_kernel_was_chosen_for_its_larger_sample() -> None:
    """Each measured how many rows it had time for, and the one with most of them won."""
    random = np.random.default_rng(0)
    rows = random.normal(size=(5000, 10))
    labels = (rows[:, 0] * rows[:, 1] + rows[:, 2] > 0).astype(int)
    machine = TunedSVC(kernel=["rbf", "laplacian"], max_time=1.0).fit(rows, labels)
    sizes: dict[type, set[int]] = {kind: set() for kind in (Gaussian, Laplacian)}
    for history in filter(len, machine.history_):
        sizes[type(history.spaces[0].kernel)].add(history.n_rows)
    assert sizes[Laplacian] <= sizes[Gaussian]


def test_an_interrupted_choice_keeps_the_best_kernel_so_far() -> None:
    def stop(history: Any) -> None:
        if len(history.names) == 1 and len(history) == 2:
            raise KeyboardInterrupt

    rows = np.random.default_rng(4).uniform(-3.0, 3.0, size=(100, 2))
    machine = TunedSVC(kernel=["rbf", "linear"], callback=stop, cv=3)
    with pytest.raises(KeyboardInterrupt):
        machine.fit(rows, np.hypot(*rows.T) < 2.0)
    assert isinstance(machine.best_params_["kernel"], Gaussian)


def test_widths_of_a_list_are_searched_and_judged_by_splits_put_aside() -> None:
    random = np.random.default_rng(3)
    rows = random.normal(size=(150, 24))
    labels = (rows[:, 0] + rows[:, 1] > 0).astype(int)
    machine = TunedSVC(kernel=["linear", "ard"], cv=3).fit(rows, labels)
    assert machine.honest_score_ <= machine.best_score_
    assert {len(history.names) for history in machine.history_} == {1, 25}


@pytest.mark.parametrize("make", [TunedSVC, TunedSVR, TunedRLSC])
def test_a_choice_is_saved_with_all_its_searches(make: Any, tmp_path: Path) -> None:
    machine = make(kernel=["linear", Gaussian()], cv=2, max_evals=6).fit(X, PRODUCT)
    io.save(machine, tmp_path / "m")
    again = io.load(tmp_path / "m")
    assert repr(again) == repr(machine)
    assert len(again.history_) == len(machine.history_)
    for name in ("theta_gamma", "mean_test_score", "param_kernel"):
        np.testing.assert_array_equal(again.cv_results_[name], machine.cv_results_[name])
    np.testing.assert_array_equal(again.predict(X), machine.predict(X))


def test_sparse_rows_have_the_same_choice() -> None:
    rows, labels = make_classification(80, 6, random_state=0)
    dense, sparse = (
        TunedSVC(kernel="auto", cv=3).fit(own, labels) for own in (rows, csr_matrix(rows))
    )
    assert type(dense.kernel_) is type(sparse.kernel_)
    assert dense.best_score_ == pytest.approx(sparse.best_score_, abs=0.02)


def test_a_range_of_gamma_is_that_of_the_kernels_that_have_one() -> None:
    machine = TunedSVC(kernel=["rbf", "linear"], gamma_range=(0.01, 0.1), cv=3).fit(X, PRODUCT)
    gammas = machine.cv_results_["param_kernel__gamma"]
    assert np.nanmin(gammas) >= 0.01 - 1e-12
    assert np.nanmax(gammas) <= 0.1 + 1e-12
    assert np.isnan(gammas).any()


def test_the_search_of_the_chosen_kernel_can_be_drawn() -> None:
    pytest.importorskip("matplotlib")
    machine = TunedSVC(kernel=["laplacian", "linear", "rbf"], cv=3).fit(X, PRODUCT)
    assert machine.plot().get_xlabel() in ("C", "evaluation")


def test_it_is_an_estimator_like_others() -> None:
    machine = TunedSVC(kernel=["rbf", Laplacian()])
    assert clone(machine).kernel == ["rbf", Laplacian()]
    assert (
        cross_val_score(TunedSVC(kernel="auto", max_evals=10, cv=2), X, PRODUCT, cv=2).min() > 0.4
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel": []}, "at least one kernel"),
        ({"kernel": ["rbf", "foo"]}, "kernel must be one of"),
        ({"kernel": ["rbf", Precomputed()]}, "same rows"),
        ({"kernel": "auto", "objective": "span_like"}, "to choose among kernels"),
    ],
)
def test_what_cannot_be_compared_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TunedSVC(**options).fit(X, PRODUCT)


def test_a_limit_that_ends_the_search_of_another_kernel_is_told() -> None:
    """The status was "converged" where the first kernel was done, and no other one was."""
    X = np.random.default_rng(0).normal(size=(80, 2))
    machine = TunedSVC(kernel=["linear", "rbf", "laplacian"], max_evals=20)
    machine.fit(X, X[:, 0] > 0)
    assert machine.search_status_ == "max-evals"
    assert machine.set_params(max_evals=None).fit(X, X[:, 0] > 0).search_status_ != "max-evals"
