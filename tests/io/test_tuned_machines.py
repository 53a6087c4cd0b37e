"""Machines that tuned themselves, and files."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from damage import packed, unpacked
from io_cases import assert_same_outputs
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, TunedOneClassSVM, TunedRLSC, TunedSVC, TunedSVR
from mercer.diagnostics import diagnose
from mercer.io import load, save
from mercer.io.npy import array_of, write_array
from mercer.kernels import Gaussian, Linear, Normalized, Oligo
from mercer.selection.optimizers import Restarts, Rprop
from mercer.selection.prior import Prior

X = np.random.default_rng(0).normal(size=(40, 2))
Y = (X[:, 0] > 0).astype(float)
MACHINES = [TunedSVC, TunedSVR, TunedRLSC, TunedOneClassSVM]


@pytest.mark.parametrize("cls", MACHINES)
def test_the_best_estimator_comes_back_as_it_was(cls: Any, tmp_path: Path) -> None:
    tuned = cls(max_evals=3).fit(X, Y)
    save(tuned.best_estimator_, tmp_path / "m.mercer")
    again = load(tmp_path / "m.mercer")
    assert again.kernel_ == tuned.kernel_
    assert np.array_equal(again.predict(X), tuned.predict(X))


def test_tuned_kernels_of_many_parameters_come_back(tmp_path: Path) -> None:
    kernel = 0.5 * Gaussian([1.0, 2.0]) + Normalized(Linear() + 1.0)
    tuned = TunedSVC(kernel=kernel, cv=2, max_evals=5).fit(X, Y)
    save(tuned.best_estimator_, tmp_path / "m.mercer")
    assert load(tmp_path / "m.mercer").kernel_ == tuned.kernel_


def told(tuned: Any) -> dict[str, Any]:
    """All that a search says of itself, but for when."""
    table = {name: own for name, own in tuned.cv_results_.items() if name != "seconds"}
    names = ("names", "thetas", "values", "by_split", "n_rows", "status", "points", "best")
    searches = [[getattr(own, name) for name in names] for own in tuned.history_]
    names = ("best_params_", "best_score_", "relevance_", "search_status_", "_edges", "kernel_")
    return {name: getattr(tuned, name) for name in names} | {"all": searches, "table": table}


def assert_equal(left: Any, right: Any) -> None:
    if isinstance(left, dict):
        assert list(left) == list(right)
        left, right = list(left.values()), list(right.values())
    if isinstance(left, list | tuple):
        assert len(left) == len(right)
        for one, other in zip(left, right, strict=True):
            assert_equal(one, other)
    else:
        np.testing.assert_array_equal(left, right)


SEARCHES = {
    "TunedSVC": TunedSVC(max_evals=4),
    "TunedSVR": TunedSVR(max_evals=4, cv=KFold(2)),
    "TunedRLSC": TunedRLSC(max_evals=4),
    "TunedOneClassSVM": TunedOneClassSVM(max_evals=4),
    "widths": TunedSVC(kernel=Gaussian(metric="diagonal"), max_evals=6, cv=2),
    "metric": TunedSVC(kernel=Gaussian(metric="full"), max_evals=6, cv=2),
    "parts": TunedSVC(optimizer=Restarts(Rprop(), 2), objective="posterior", max_evals=4),
    "prior": TunedSVC(objective="posterior", prior=Prior(0.5), max_evals=3),
}


@pytest.mark.parametrize("name", SEARCHES)
@pytest.mark.filterwarnings("ignore")
def test_a_machine_that_tuned_itself_is_saved_with_its_search(name: str, tmp_path: Path) -> None:
    """It was refused, alone and in a pipeline, and the advice dropped the scaler."""
    tuned = SEARCHES[name].fit(X, Y)
    save(tuned, tmp_path / "m")
    again = load(tmp_path / "m")
    assert repr(again) == repr(tuned)
    assert set(vars(again)) == set(vars(tuned))
    assert_equal(told(again), told(tuned))
    assert np.isnan(again.cv_results_["seconds"]).all()
    assert_same_outputs(again, tuned, X)
    save(again, tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "m").read_bytes()


def test_a_pipeline_with_a_search_keeps_its_scaler(tmp_path: Path) -> None:
    pipeline = make_pipeline(StandardScaler(), TunedSVC(max_evals=2)).fit(100 * X, Y)
    save(pipeline, tmp_path / "m")
    again = load(tmp_path / "m")
    assert_same_outputs(again, pipeline, 100 * X)
    assert diagnose(again) == diagnose(pipeline)


def test_a_search_that_was_interrupted_is_saved(tmp_path: Path) -> None:
    def stop(history: Any) -> None:
        if len(history) == 2:
            raise KeyboardInterrupt

    tuned = TunedSVC(callback=stop)
    with pytest.raises(KeyboardInterrupt):
        tuned.fit(X, Y)
    save(tuned, tmp_path / "m")
    again = load(tmp_path / "m")
    assert again.best_params_ == tuned.best_params_
    assert again.search_status_ == "interrupted"
    with pytest.raises(NotFittedError):
        again.predict(X)
    again.set_params(max_evals=2).fit(X, Y)


@pytest.mark.parametrize("name", ["thetas", "values", "by_split", "space", "n_splits", "machine"])
@pytest.mark.filterwarnings("ignore")
def test_a_search_whose_parts_do_not_fit_is_refused(name: str, tmp_path: Path) -> None:
    save(TunedSVC(max_evals=2).fit(X, Y), tmp_path / "m")
    entries = unpacked((tmp_path / "m").read_bytes())
    document = json.loads(entries["model.json"])
    place = document["model"]["state"]["history_"][0]["state"][name]["array"]
    array = array_of(entries[f"arrays/{place}.npy"], name)
    for wrong in (array[:-1], array + 0.5, array - 7, array.astype("U9")):
        buffer = io.BytesIO()
        write_array(buffer, wrong)
        changed = entries | {f"arrays/{place}.npy": buffer.getvalue()}
        if wrong.dtype != array.dtype or wrong.shape != array.shape or array.dtype.kind == "i":
            (tmp_path / "m").write_bytes(packed(changed))
            with pytest.raises(ValueError, match="do not fit together"):
                load(tmp_path / "m")


def test_machines_of_strings_are_refused_by_name(tmp_path: Path) -> None:
    machine = SVC(kernel=Oligo(k=1)).fit(["ACGT", "TTTT"], [0, 1])
    with pytest.raises(ValueError, match="machines of strings cannot be saved"):
        save(machine, tmp_path / "m.mercer")
