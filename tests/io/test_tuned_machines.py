"""Machines that tuned themselves, and files."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, TunedOneClassSVM, TunedRLSC, TunedSVC, TunedSVR
from mercer.io import load, save
from mercer.kernels import Gaussian, Linear, Normalized, Oligo

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


@pytest.mark.parametrize("cls", MACHINES)
def test_a_search_is_refused_with_what_to_save_instead(cls: Any, tmp_path: Path) -> None:
    tuned = cls(max_evals=2).fit(X, Y)
    with pytest.raises(ValueError, match=f"{cls.__name__} with its search.*best_estimator_"):
        save(tuned, tmp_path / "m.mercer")
    with pytest.raises(ValueError, match=r"with its search.*best_estimator_"):
        save(make_pipeline(StandardScaler(), cls(max_evals=2)).fit(X, Y), tmp_path / "m.mercer")
    assert not list(tmp_path.iterdir())
    again = pickle.loads(pickle.dumps(tuned))
    assert np.array_equal(again.predict(X), tuned.predict(X))


def test_machines_of_strings_are_refused_by_name(tmp_path: Path) -> None:
    machine = SVC(kernel=Oligo(k=1)).fit(["ACGT", "TTTT"], [0, 1])
    with pytest.raises(ValueError, match="machines of strings cannot be saved"):
        save(machine, tmp_path / "m.mercer")
