"""Probabilities of several classifiers put together."""

from __future__ import annotations

import tracemalloc
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import RLSC, SVC, CalibratedSVC, ChunkedEnsemble
from sampling import checks_of

X, Y = load_iris(return_X_y=True)


@parametrize_with_checks([ChunkedEnsemble(RLSC())])
def test_sklearn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("combine", ["vote", "product"])
def test_one_classifier_decides_alone(combine: str) -> None:
    alone = CalibratedSVC(SVC(gamma=0.5)).fit(X, Y)
    around = ChunkedEnsemble(CalibratedSVC(SVC(gamma=0.5)), combine=combine).fit(X, Y)
    assert np.array_equal(around.predict(X), alone.predict(X))
    if combine == "product":
        np.testing.assert_allclose(around.predict_proba(X), alone.predict_proba(X), atol=1e-9)


def test_rules_are_what_they_are_called() -> None:
    machines = [LogisticRegression(C=0.1), LogisticRegression(C=0.01), RLSC()]
    each = np.stack([machine.fit(X, Y).predict_proba(X) for machine in machines])
    product = ChunkedEnsemble(machines, combine="product").fit(X, Y).predict_proba(X)
    expected = each.prod(axis=0)
    np.testing.assert_allclose(product, expected / expected.sum(axis=1, keepdims=True), atol=1e-9)
    votes = ChunkedEnsemble(machines).fit(X, Y).predict_proba(X)
    counted = np.zeros_like(expected)
    for own in each:
        counted[np.arange(len(X)), own.argmax(axis=1)] += own.max(axis=1)
    np.testing.assert_allclose(votes, counted / counted.sum(axis=1, keepdims=True))


def test_chunks_have_their_share_of_every_class() -> None:
    machine = ChunkedEnsemble([LogisticRegression(), RLSC()], n_chunks=5, random_state=0)
    machine.fit(X, Y, sample_weight=np.ones(len(Y)))
    assert len(machine.estimators_) == 10
    assert machine.score(X, Y) > 0.9
    with pytest.raises(ValueError, match="n_chunks=60 must not exceed"):
        machine.set_params(n_chunks=60).fit(X, Y)
    with pytest.raises(TypeError, match="predict_proba"):
        ChunkedEnsemble([SVC()]).fit(X, Y)


RNG = np.random.default_rng(0)
ROWS = RNG.uniform(-3, 3, size=(600, 2))
CLASSES = np.array(["in", "out", "up"])[
    (np.hypot(*ROWS.T) > 1.5).astype(int) + (ROWS[:, 1] > 2).astype(int)
]


@pytest.mark.parametrize("partition", ["random", "stratified"])
def test_decision_values_are_averaged_where_there_are_no_probabilities(partition: str) -> None:
    labels = (ROWS[:, 0] > 0).astype(int)
    machine = ChunkedEnsemble(
        SVC(), chunk_size=250, partition=partition, combine="average", random_state=0
    ).fit(ROWS, labels)
    assert len(machine.estimators_) == 3
    assert machine.chunk_sizes_.sum() == 600
    expected = np.average(
        [own.decision_function(ROWS) for own in machine.estimators_],
        axis=0,
        weights=machine.chunk_sizes_,
    )
    np.testing.assert_allclose(machine.decision_function(ROWS), expected)
    np.testing.assert_array_equal(machine.predict(ROWS), expected > 0)
    assert not hasattr(machine, "predict_proba")


def test_probabilities_are_averaged_where_there_are_some() -> None:
    machine = ChunkedEnsemble(RLSC(), n_chunks=4, combine="average", random_state=0)
    machine.fit(ROWS, CLASSES)
    expected = np.average(
        [own.predict_proba(ROWS) for own in machine.estimators_],
        axis=0,
        weights=machine.chunk_sizes_,
    )
    np.testing.assert_allclose(machine.predict_proba(ROWS), expected)
    assert not hasattr(machine, "decision_function")


@pytest.mark.parametrize("estimator", [SVC(C=10.0), [RLSC(), RLSC(alpha=0.1)]])
@pytest.mark.parametrize("overlap", [0.0, 0.3])
def test_a_query_is_answered_by_its_cell(estimator: Any, overlap: float) -> None:
    machine = ChunkedEnsemble(
        estimator, n_chunks=6, partition="cells", overlap=overlap, random_state=0
    ).fit(ROWS, CLASSES)
    places = machine.cells_.places(ROWS)
    assert len(machine.chunk_sizes_) == len(machine.cells_.centers)
    sizes = np.bincount(places)
    assert sizes.max() <= 2.5 * 600 / 6
    assert (machine.chunk_sizes_ >= sizes).all()
    assert machine.chunk_sizes_.sum() > 600 if overlap else machine.chunk_sizes_.sum() == 600
    if not isinstance(estimator, list):
        for cell, own in enumerate(machine.estimators_):
            rows = ROWS[places == cell]
            np.testing.assert_array_equal(own.predict(rows), machine.predict(rows))
    assert machine.score(ROWS, CLASSES) > 0.9


def test_cells_of_one_class_need_no_machine() -> None:
    rows = np.vstack([RNG.normal(size=(50, 2)) + far for far in (0.0, 100.0, 200.0)])
    labels = np.repeat(["a", "b", "c"], 50)
    machine = ChunkedEnsemble(SVC(), n_chunks=3, partition="cells", random_state=0)
    np.testing.assert_array_equal(machine.fit(rows, labels).predict(rows), labels)
    random = ChunkedEnsemble(SVC(), n_chunks=75, partition="random", combine="average")
    assert random.fit(rows, labels).score(rows, labels) > 0.5


def test_equal_rows_cannot_be_halved() -> None:
    rows, labels = np.zeros((60, 2)), np.arange(60) % 2
    machine = ChunkedEnsemble(RLSC(), n_chunks=5, partition="cells").fit(rows, labels)
    assert machine.predict(rows).shape == (60,)


def test_threads_do_not_change_an_ensemble() -> None:
    options: dict[str, Any] = {"n_chunks": 4, "combine": "average", "random_state": 0}
    alone = ChunkedEnsemble(SVC(), **options).fit(ROWS, CLASSES)
    together = ChunkedEnsemble(SVC(), **options, n_jobs=2).fit(ROWS, CLASSES)
    assert alone.decision_function(ROWS).tobytes() == together.decision_function(ROWS).tobytes()


@pytest.mark.parametrize("partition", ["random", "cells"])
def test_any_executor_trains_the_same_ensemble(partition: str) -> None:
    options: dict[str, Any] = {"n_chunks": 20, "partition": partition, "random_state": 0}
    options["combine"] = "average" if partition == "random" else "auto"
    weight = RNG.uniform(0.5, 2.0, len(ROWS))
    alone = ChunkedEnsemble(SVC(), **options).fit(ROWS, CLASSES, weight)
    with ThreadPoolExecutor(2) as pool:
        other = ChunkedEnsemble(SVC(), **options).fit(ROWS, CLASSES, weight, executor=pool)
    assert alone.decision_function(ROWS).tobytes() == other.decision_function(ROWS).tobytes()


def test_an_executor_that_fails_is_not_asked_for_more() -> None:
    asked = []

    class Broken(Future[Any]):
        def result(self, timeout: float | None = None) -> Any:
            raise RuntimeError("lost")

    class Pool:
        def submit(self, function: Any, *arguments: Any) -> Any:
            asked.append(Broken())
            return asked[-1]

    machine = ChunkedEnsemble(SVC(), n_chunks=30, partition="random", combine="average")
    with pytest.raises(RuntimeError, match="lost"):
        machine.fit(ROWS, CLASSES, executor=Pool())
    assert len(asked) < 30
    assert all(future.cancelled() for future in asked[1:])
    with pytest.raises(TypeError, match="executor must have a submit method, which int has not"):
        machine.fit(ROWS, CLASSES, executor=2)
    with pytest.raises(TypeError, match="a CalibratedSVC of it, or combine='average'"):
        ChunkedEnsemble(SVC(), n_chunks=4).fit(ROWS, CLASSES)


def test_joblib_backends_train_the_same_ensemble() -> None:
    options: dict[str, Any] = {"n_chunks": 4, "combine": "average", "random_state": 0}
    alone = ChunkedEnsemble(SVC(), **options).fit(ROWS, CLASSES)
    with joblib.parallel_config("loky", n_jobs=2):
        other = ChunkedEnsemble(SVC(), **options).fit(ROWS, CLASSES)
    assert alone.decision_function(ROWS).tobytes() == other.decision_function(ROWS).tobytes()


@pytest.mark.parametrize(
    ("partition", "combine", "n_jobs"), [("random", "average", None), ("cells", "cell", 2)]
)
def test_a_memory_map_is_not_read_as_a_whole(
    tmp_path: Any, partition: str, combine: str, n_jobs: int | None
) -> None:
    """The peak is that of some chunks, of blocks of distances and of the positions of rows."""
    rows = np.lib.format.open_memmap(tmp_path / "rows.npy", "w+", np.float64, (80_000, 40))
    rows[:] = RNG.uniform(-1, 1, size=rows.shape)
    labels = (rows[:, 0] > 0).astype(int)
    machine = ChunkedEnsemble(
        RLSC(kernel="linear", loo=False),
        chunk_size=4_000,
        partition=partition,
        combine=combine,
        n_jobs=n_jobs,
        random_state=0,
    )
    tracemalloc.start()
    machine.fit(rows, labels)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < rows.nbytes


def test_rules_and_partitions_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="combine must be 'cell' for partition='cells'"):
        ChunkedEnsemble(SVC(), partition="cells", combine="average").fit(X, Y)
    with pytest.raises(ValueError, match="combine must be 'cell' for partition='cells'"):
        ChunkedEnsemble(SVC(), combine="cell").fit(X, Y)


# With several chunks a weight is no repetition: copies of a row may be dealt to different ones.
CHECKED = [
    ChunkedEnsemble(SVC(), partition="random", combine="average"),
    ChunkedEnsemble(RLSC(), partition="cells"),
]


@checks_of(machines=[], settings=CHECKED, share=2)
def test_sklearn_checks_of_partitions(estimator: Any, check: Any) -> None:
    check(estimator)
