"""Machines on chunks of rows that are spread over a cluster."""

from __future__ import annotations

from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import clone

from mercer import RLSC, SVC, ChunkedEnsemble, CodeClassifier, TunedSVC, io

da = pytest.importorskip("dask.array")
from dask import delayed  # noqa: E402

from mercer.dask import BlockError, DaskChunkedEnsemble, DaskTunedSVC  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.uniform(-2, 2, size=(600, 2))
Y = np.array(["in", "out"])[(np.hypot(*X.T) > 1.3).astype(int)]
OPTIONS: dict[str, Any] = {"n_chunks": 3, "random_state": 0, "block_size": 100}


def lazy(array: Any, size: int) -> Any:
    return da.from_array(array, chunks=(size, *array.shape[1:]))


def fitted(machine: Any, size: int = 170, **others: Any) -> Any:
    return machine.fit(lazy(X, size), lazy(Y, 77), **others)


@pytest.mark.parametrize("partition", ["random", "cells"])
def test_partitions_of_the_rows_change_no_bit(partition: str) -> None:
    combine = "cell" if partition == "cells" else "average"
    found = [
        fitted(DaskChunkedEnsemble(SVC(), partition=partition, combine=combine, **OPTIONS), size)
        for size in (40, 600)
    ]
    values = [machine.decision_function(X).tobytes() for machine in found]
    assert values[0] == values[1]
    assert found[0].score(X, Y) > 0.9
    assert found[0].chunk_sizes_.sum() == len(X)


def test_chunks_are_disjoint_and_of_about_the_same_size(tmp_path: Any) -> None:
    machine = fitted(DaskChunkedEnsemble(RLSC(gamma=1.0), **OPTIONS))
    rows = np.vstack([own.support_vectors_ for own in machine.estimators_])
    assert len(np.unique(rows, axis=0)) == len(X)
    assert np.ptp(machine.chunk_sizes_) <= 6  # one for each block
    local = machine.to_local()
    assert type(local) is ChunkedEnsemble
    np.testing.assert_array_equal(
        machine.predict_proba(lazy(X, 99)).compute(), local.predict_proba(X)
    )
    io.save(local, tmp_path / "machine.mercer")
    np.testing.assert_array_equal(
        io.load(tmp_path / "machine.mercer").predict(X), machine.predict(X)
    )


def test_rows_of_no_weight_are_in_no_chunk() -> None:
    weight = (np.arange(len(X)) % 3 > 0).astype(float)
    machine = fitted(DaskChunkedEnsemble(RLSC(), **OPTIONS), sample_weight=lazy(weight, 50))
    assert machine.chunk_sizes_.sum() == 400


def test_a_chunk_that_raises_is_reported_or_left_out() -> None:
    holed = X.copy()
    holed[0, 0] = np.nan
    machine = DaskChunkedEnsemble(SVC(), combine="average", **OPTIONS)
    with pytest.raises(BlockError, match=r"chunk \d: ValueError.*NaN"):
        machine.fit(holed, Y)
    machine.set_params(on_bad_block="skip")
    with pytest.warns(UserWarning, match="left out"):
        machine.fit(holed, Y)
    assert len(machine.estimators_) == 2
    assert [report.status for report in machine.blocks_].count("skipped") == 1


def test_a_block_of_another_width_is_reported_with_its_rows_or_left_out() -> None:
    parts = [delayed(X[:300]), delayed(X[300:301, :1]), delayed(X[301:])]
    machine = DaskChunkedEnsemble(SVC(), combine="average", **OPTIONS | {"block_size": 80})
    with pytest.raises(BlockError, match="rows 240 to 319: ValueError"):
        machine.fit(parts, Y)
    machine.set_params(on_bad_block="skip")
    with pytest.warns(UserWarning, match="rows 240 to 319, left out"):
        machine.fit(parts, Y)
    assert machine.chunk_sizes_.sum() == len(X) - 80
    assert [report.start for report in machine.blocks_ if report.status == "skipped"] == [240]


@pytest.mark.parametrize("final", ["chunks", "sample"])
def test_a_search_on_a_sample_tunes_all_chunks(final: str) -> None:
    search = TunedSVC(cv=2, max_evals=3, random_state=0)
    machine = DaskTunedSVC(search, sample_size=200, final=final, random_state=0, block_size=100)
    fitted(machine)
    assert machine.score(X, Y) > 0.9
    best = machine.search_.best_estimator_
    local = machine.to_local()
    if final == "sample":
        assert type(local) is TunedSVC
    else:
        assert {own.C for own in local.estimators_} == {best.C}
        assert len(local.estimators_) == 3
    np.testing.assert_array_equal(machine.predict(lazy(X, 250)).compute(), local.predict(X))
    values = machine.decision_function(lazy(X, 250)).compute()
    np.testing.assert_allclose(values, local.decision_function(X), rtol=1e-12)
    assert hasattr(machine, "predict_proba") == (final == "sample")
    if final == "sample":
        proba = machine.predict_proba(lazy(X, 250)).compute()
        np.testing.assert_allclose(proba, local.predict_proba(X), rtol=1e-12)


def test_what_has_n_jobs_runs_on_the_workers_of_a_client() -> None:
    """``joblib.parallel_config("dask")``, and a client as an executor."""
    distributed = pytest.importorskip("distributed")
    options: dict[str, Any] = {"n_chunks": 3, "partition": "random", "combine": "average"}
    machine = ChunkedEnsemble(SVC(), **options, random_state=0)
    alone = clone(machine).fit(X, Y).decision_function(X).tobytes()
    labels = np.arange(len(X)) % 3
    coded = CodeClassifier(RLSC(), code="one-vs-all", n_jobs=2)
    with distributed.Client(processes=False, n_workers=2, dashboard_address=None) as client:
        with joblib.parallel_config("dask"):
            assert clone(machine).fit(X, Y).decision_function(X).tobytes() == alone
            there = clone(coded).fit(X, labels).machine_decisions(X)
        by_client = clone(machine).fit(X, Y, executor=client)
    assert by_client.decision_function(X).tobytes() == alone
    here = coded.set_params(n_jobs=None).fit(X, labels).machine_decisions(X)
    np.testing.assert_allclose(there, here, rtol=1e-9, atol=1e-10)  # LAPACK counts threads
