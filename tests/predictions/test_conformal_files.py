"""Conformal machines in model files: the same sets and intervals after loading."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from mercer import LSSVR, RLSC, SVC, SVR, ChunkedEnsemble, ConformalSVC, ConformalSVR, io

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))
Y = X[:, 0] + 0.5 * RNG.normal(size=30)
NAMES = np.where(Y > 0, "yes", "no")
Z = RNG.normal(size=(3, 2))


@pytest.mark.parametrize("kind", ["full", "cross", "split"])
@pytest.mark.parametrize("machine", [SVC(gamma=0.5), make_pipeline(StandardScaler(), RLSC())])
def test_sets_are_the_same_after_loading(machine: Any, kind: str, tmp_path: Path) -> None:
    conformal = ConformalSVC(machine, kind=kind, random_state=0, cv=3, alpha=0.2)
    conformal.fit(X, NAMES)
    io.save(conformal, tmp_path / "machine.mercer")
    loaded = io.load(tmp_path / "machine.mercer")
    assert np.array_equal(loaded.p_values(Z), conformal.p_values(Z))
    assert np.array_equal(loaded.predict(Z), conformal.predict(Z))


@pytest.mark.parametrize("kind", ["jackknife+", "cv+", "full", "split"])
@pytest.mark.parametrize("machine", [SVR(gamma=0.5), LSSVR(gamma=0.5)])
def test_intervals_are_the_same_after_loading(machine: Any, kind: str, tmp_path: Path) -> None:
    conformal = ConformalSVR(machine, kind=kind, random_state=0, cv=3, alpha=0.2)
    conformal.fit(pd.DataFrame(X, columns=["a", "b"]), Y)
    rows = pd.DataFrame(Z, columns=["a", "b"])
    io.save(conformal, tmp_path / "machine.mercer")
    loaded = io.load(tmp_path / "machine.mercer")
    np.testing.assert_allclose(loaded.predict_interval(rows), conformal.predict_interval(rows))


def mixed(rows: Any) -> Any:
    colour = np.where(rows[:, 0] > 0, "red", "blue")
    columns = {"a": rows[:, 0], "b": rows[:, 1].round().astype(int), "colour": colour}
    frame = pd.DataFrame({**columns, "old": rows[:, 1] > 0, "of": pd.Categorical(colour)})
    return frame.astype({"colour": object})


def prepared(machine: Any) -> Any:
    kinds = ColumnTransformer(
        [("words", OneHotEncoder(), ["colour", "of"])], remainder="passthrough"
    )
    return make_pipeline(kinds, StandardScaler(), machine)


def test_a_table_that_full_sets_of_a_pipeline_keep_is_saved(tmp_path: Path) -> None:
    conformal = ConformalSVC(prepared(SVC())).fit(mixed(X), NAMES)
    io.save(conformal, tmp_path / "machine.mercer")
    loaded = io.load(tmp_path / "machine.mercer")
    pd.testing.assert_frame_equal(loaded._rows, conformal._rows)
    assert np.array_equal(loaded.p_values(mixed(Z)), conformal.p_values(mixed(Z)))


def test_a_table_that_full_intervals_of_a_pipeline_keep_is_saved(tmp_path: Path) -> None:
    conformal = ConformalSVR(prepared(LSSVR()), kind="full", alpha=0.2).fit(mixed(X), Y)
    io.save(conformal, tmp_path / "machine.mercer")
    found = io.load(tmp_path / "machine.mercer").predict_interval(mixed(Z[:1]))
    assert np.array_equal(found, conformal.predict_interval(mixed(Z[:1])))


def test_a_column_that_no_file_can_hold_is_named(tmp_path: Path) -> None:
    frame = mixed(X)[["a", "b"]].astype({"b": "Int64"})
    conformal = ConformalSVC(make_pipeline(StandardScaler(), SVC())).fit(frame, NAMES)
    with pytest.raises(ValueError, match=r"_rows\['b'\] is a column of Int64"):
        io.save(conformal, tmp_path / "machine.mercer")


def test_parts_that_do_not_fit_together_are_refused(tmp_path: Path) -> None:
    sets = ConformalSVC(SVC(gamma=0.5)).fit(X, NAMES)
    sets._labels = np.full(30, 2)
    io.save(sets, tmp_path / "sets.mercer")
    with pytest.raises(ValueError, match=r"labels must lie in 0\.\.1"):
        io.load(tmp_path / "sets.mercer")
    intervals = ConformalSVR(SVR(gamma=0.5)).fit(X, Y)
    intervals._known.bands[0].member[0] = 1000
    io.save(intervals, tmp_path / "intervals.mercer")
    with pytest.raises(ValueError, match="members must lie in"):
        io.load(tmp_path / "intervals.mercer")


def test_ensembles_are_the_same_after_loading(tmp_path: Path) -> None:
    machine = ChunkedEnsemble([RLSC(), RLSC(gamma=2.0)], n_chunks=2, random_state=0).fit(X, NAMES)
    io.save(machine, tmp_path / "machine.mercer")
    loaded = io.load(tmp_path / "machine.mercer")
    np.testing.assert_allclose(loaded.predict_proba(Z), machine.predict_proba(Z))


@pytest.mark.parametrize("partition", ["random", "cells"])
def test_chunks_and_cells_are_the_same_after_loading(partition: str, tmp_path: Path) -> None:
    rows = np.vstack([X, X + 50.0])
    names = np.concatenate([NAMES, np.full(30, "no")])
    combine = "cell" if partition == "cells" else "average"
    machine = ChunkedEnsemble(
        SVC(), n_chunks=2, partition=partition, combine=combine, random_state=0
    ).fit(rows, names)
    io.save(machine, tmp_path / "machine.mercer")
    loaded = io.load(tmp_path / "machine.mercer")
    np.testing.assert_array_equal(loaded.decision_function(rows), machine.decision_function(rows))
