"""Rows in every form that a cluster has them in."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")
from dask import delayed  # noqa: E402

from mercer import RLSC, LowRank  # noqa: E402
from mercer.dask import BlockError, DaskLSSVR, DaskRLSC  # noqa: E402

RNG = np.random.default_rng(1)
X = RNG.normal(size=(400, 3))
Y = (X[:, 0] > 0).astype(int)
FRAME = pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(400) * 3 + 7)
MACHINE: dict[str, Any] = {"alpha": 0.1, "low_rank": 30, "block_size": 64}
EXPECTED = DaskRLSC(**MACHINE).fit(X, Y).decision_function(X).tobytes()


def unknown(array: Any, size: int) -> Any:
    """A Dask array that does not know its chunks."""
    lazy = da.from_array(array, chunks=(size, *array.shape[1:]))
    return lazy[da.from_array(np.ones(len(array), dtype=bool), chunks=size)]


def with_empty(array: Any) -> Any:
    whole = da.from_array(array, chunks=(100, *array.shape[1:]))
    nothing = da.from_array(array[:0], chunks=(1, *array.shape[1:]))
    return da.concatenate([nothing, whole[:100], nothing, whole[100:], nothing])


FORMS = {
    "memory": (X, Y),
    "unknown lengths": (unknown(X, 90), unknown(Y, 70)),
    "empty partitions": (with_empty(X), with_empty(Y)),
    "columns in chunks": (da.from_array(X, chunks=(90, 1)), da.from_array(Y, chunks=400)),
    "unequal partitions": (
        da.from_array(X, chunks=((1, 399), 3)),
        da.from_array(Y, chunks=((350, 50),)),
    ),
    "delayed blocks": (
        [delayed(X[:150]), delayed(X[150:150]), delayed(X[150:])],
        [delayed(Y[:30]), delayed(Y[30:])],
    ),
    "lists of numbers": (X.tolist(), Y.tolist()),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_rows_gives_the_same_bytes(form: str) -> None:
    machine = DaskRLSC(**MACHINE).fit(*FORMS[form])
    assert machine.decision_function(X).tobytes() == EXPECTED
    assert sum(report.stop - report.start for report in machine.blocks_) == len(X)


def test_a_class_may_be_absent_from_a_partition() -> None:
    order = np.argsort(Y, kind="stable")
    machine = DaskRLSC(**MACHINE).fit(da.from_array(X[order], chunks=(50, 3)), Y[order])
    local = RLSC(alpha=0.1, low_rank=30).fit(X[order], Y[order])
    np.testing.assert_allclose(machine.decision_function(X), local.decision_function(X), atol=1e-10)


def test_a_frame_keeps_its_index_and_names() -> None:
    rows = dd.from_pandas(FRAME, npartitions=3)
    labels = dd.from_pandas(pd.Series(Y, index=FRAME.index), npartitions=3)
    machine = DaskRLSC(**MACHINE).fit(rows, labels)
    assert list(machine.feature_names_in_) == ["a", "b", "c"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of names that are not those of the training rows
        found = machine.predict(rows)
        values = machine.predict_proba(rows)
        local = machine.to_local().predict_proba(FRAME)
    assert found.dtype == Y.dtype
    computed = found.compute()
    np.testing.assert_array_equal(computed.index, FRAME.index)
    np.testing.assert_array_equal(values.compute().to_numpy(), local)
    assert list(values.columns) == [0, 1]


def test_predictions_are_lazy_and_say_what_they_are() -> None:
    calls: list[int] = []

    def noted(block: Any) -> Any:
        calls.append(len(block))
        return block

    rows = da.from_array(X, chunks=(90, 2)).map_blocks(noted, dtype=float, meta=np.empty((0, 0)))
    names = np.array(["no", "yes", "perhaps"])[Y + (X[:, 1] > 1)]
    machine = DaskRLSC(**MACHINE).fit(X, names)
    labels, values = machine.predict(rows), machine.decision_function(rows)
    assert not calls
    assert labels.dtype == machine.classes_.dtype
    assert labels.shape == (400,)
    assert values.shape == (400, 3)
    assert values.chunks[0] == (90, 90, 90, 90, 40)
    local = machine.to_local()
    np.testing.assert_array_equal(labels.compute(), local.predict(X))
    np.testing.assert_array_equal(values.compute(), local.decision_function(X))
    gaps = machine.predict(with_empty(X))
    np.testing.assert_array_equal(gaps.compute(), local.predict(X))
    parts = machine.predict([delayed(X[:10]), delayed(X[10:10])])
    assert [len(part.compute()) for part in parts] == [10, 0]


def test_several_targets_are_predicted_lazily() -> None:
    machine = DaskLSSVR(**MACHINE).fit(X, X[:, :2])
    lazy = machine.predict(da.from_array(X, chunks=(90, 3)))
    assert lazy.shape == (400, 2)
    np.testing.assert_array_equal(lazy.compute(), machine.predict(X))


def test_columns_of_other_kinds_are_named() -> None:
    frame = FRAME.assign(kind=pd.Categorical(["x", "y"] * 200), word=["w"] * 400)
    for rows in (frame, dd.from_pandas(frame, npartitions=2)):
        with pytest.raises(ValueError, match=r"numbers.*\['kind', 'word'\]"):
            DaskRLSC(**MACHINE).fit(rows, Y)


def test_a_block_that_raises_is_reported_or_left_out() -> None:
    holed = X.copy()
    holed[130, 1] = np.nan
    rows = da.from_array(holed, chunks=(90, 3))
    machine = DaskRLSC(**MACHINE, gamma=0.5)
    with pytest.raises(BlockError, match=r"rows 128 to 191: ValueError.*NaN") as caught:
        machine.fit(rows, Y)
    assert (caught.value.report.start, caught.value.report.stop) == (128, 192)
    machine.set_params(on_bad_block="skip")
    with pytest.warns(UserWarning, match="rows 128 to 191, left out"):
        machine.fit(rows, Y)
    bad = [report for report in machine.blocks_ if report.status == "skipped"]
    assert [(report.start, report.stop) for report in bad] == [(128, 192)]
    assert "NaN" in bad[0].reason
    kept = np.r_[0:128, 192:400]
    basis = np.searchsorted(kept, machine.low_rank_.basis_[0])
    assert np.isin(machine.low_rank_.basis_[0], kept).all()
    local = RLSC(alpha=0.1, gamma=0.5, low_rank=LowRank(basis=basis)).fit(X[kept], Y[kept])
    np.testing.assert_allclose(machine.decision_function(X), local.decision_function(X), atol=1e-10)


def test_nothing_left_is_an_error() -> None:
    machine = DaskRLSC(**MACHINE, on_bad_block="skip")
    with (
        pytest.warns(UserWarning, match="left out"),
        pytest.raises(ValueError, match="every block"),
    ):
        machine.fit(np.full((100, 3), np.nan), Y[:100])
