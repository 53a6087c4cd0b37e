"""Frames of polars go in and out as those of pandas do; parameters of fit are routed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_iris
from sklearn.model_selection import GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, SVR, LowRank, OneClassSVM, PathSVC, TunedSVC, explain, write_report

pl = pytest.importorskip("polars")
pd = pytest.importorskip("pandas")

ROWS, NUMBERS = load_iris(return_X_y=True)
NAMES = ["a", "b", "c", "d"]
FRAME = pl.DataFrame(ROWS, schema=NAMES)
LABELS = np.array(["x", "y", "z"])[NUMBERS]
MACHINES = [SVC(), PathSVC(cv=3, C_max=10.0), TunedSVC(cv=3), OneClassSVM(nu=0.1)]


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: type(machine).__name__)
def test_polars_and_pandas_frames_give_the_same_machine(machine: Any) -> None:
    theirs = sklearn.clone(machine).fit(pd.DataFrame(ROWS, columns=NAMES), pd.Series(LABELS))
    ours = sklearn.clone(machine).fit(FRAME, pl.Series(LABELS))
    assert ours.feature_names_in_.tolist() == NAMES
    assert ours.predict(FRAME).tolist() == theirs.predict(theirs_frame()).tolist()
    with pytest.raises(ValueError, match="feature names"):
        ours.predict(FRAME.select(NAMES[::-1]))


def theirs_frame() -> Any:
    return pd.DataFrame(ROWS, columns=NAMES)


def test_transformers_give_polars_frames_when_asked() -> None:
    features = LowRank(5).set_output(transform="polars").fit_transform(FRAME)
    assert isinstance(features, pl.DataFrame)
    assert features.shape == (150, 5)
    scaled = make_pipeline(StandardScaler().set_output(transform="polars"), SVC())
    assert scaled.fit(FRAME, LABELS)[-1].feature_names_in_.tolist() == NAMES


def test_reports_and_explanations_of_polars_frames() -> None:
    """``write_report`` of a polars frame raised AttributeError: no attribute 'iloc'."""
    machine = SVC().fit(FRAME, LABELS)
    assert explain(machine, FRAME[:2], FRAME[::15]).feature_names == NAMES
    polars = write_report(machine, FRAME, pl.Series(LABELS)).data
    pandas = write_report(machine, theirs_frame(), pd.Series(LABELS)).data
    assert polars == pandas


def test_weights_and_groups_are_routed() -> None:
    """By scikit-learn's metadata routing, through a pipeline and a cross-validation."""
    weight = np.random.default_rng(0).integers(0, 3, len(ROWS)).astype(float)
    target = ROWS @ [1.0, -1.0, 0.5, 0.0]
    with sklearn.config_context(enable_metadata_routing=True):
        machine = SVR().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        model = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), machine)
        found = cross_validate(
            model,
            ROWS,
            target,
            cv=GroupKFold(3),
            params={"sample_weight": weight, "groups": NUMBERS},
            return_estimator=True,
            return_indices=True,
        )
    train = found["indices"]["train"][0]
    by_hand = make_pipeline(StandardScaler(), SVR())
    by_hand.fit(ROWS[train], target[train], svr__sample_weight=weight[train])
    assert found["estimator"][0].predict(ROWS) == pytest.approx(by_hand.predict(ROWS))
