"""scikit-learn's checks of the conformal estimators; none is expected to fail."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import (
    LSSVR,
    SVC,
    SVR,
    CalibratedOneClassSVM,
    ChunkedEnsemble,
    CodeClassifier,
    ConformalSVC,
    ConformalSVR,
    OneClassSVM,
    PathSVC,
    ThresholdSVC,
    TunedSVC,
    out_of_sample,
)
from mercer.predictions.repeated_search import warn_of_searches
from sampling import checks_of

X = np.random.default_rng(0).normal(size=(40, 3))
Y = (X[:, 0] > 0).astype(int)


@checks_of(
    machines=[ConformalSVC(), ConformalSVR()],
    settings=[
        ConformalSVC(SVC(gamma="auto"), kind="cross", cv=2, random_state=0),
        ConformalSVR(LSSVR(), kind="full"),
        ConformalSVR(SVR(), kind="cv+", cv=2, random_state=0),
    ],
)
def test_sklearn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize(
    ("outer", "inner", "kind"),
    [
        (ConformalSVC, SVR(), "classifier"),
        (ConformalSVR, SVC(), "regressor"),
        (ThresholdSVC, SVR(), "classifier"),
        (ChunkedEnsemble, OneClassSVM(), "classifier"),
        (CodeClassifier, SVR(), "classifier"),
        (CalibratedOneClassSVM, SVC(), "outlier detector"),
    ],
)
def test_an_estimator_of_another_kind_is_refused_by_name(outer: Any, inner: Any, kind: str) -> None:
    with pytest.raises(
        TypeError, match=f"^estimator must be a.? {kind}, got {type(inner).__name__}"
    ):
        outer(inner).fit(X, Y)


def test_clusters_have_no_value_out_of_sample() -> None:
    with pytest.raises(TypeError, match="classifier or regressor or outlier detector, got KMeans"):
        out_of_sample(KMeans(2), X, Y)


@pytest.mark.parametrize(
    "machine",
    [
        TunedSVC(),
        make_pipeline(StandardScaler(), PathSVC()),
        GridSearchCV(SVC(), {"C": [1.0, 10.0]}),
    ],
)
def test_a_search_inside_full_sets_is_told_what_it_costs(machine: Any) -> None:
    with pytest.warns(UserWarning, match="kind='full' searches the parameters of .* anew often"):
        warn_of_searches(machine, "full", "often", "cross")


def test_a_search_inside_intervals_is_told_what_it_costs() -> None:
    search = GridSearchCV(SVR(), {"C": [1.0, 2.0]}, cv=2)
    with pytest.warns(UserWarning, match="anew for each of the 12 rows.*kind='cv\\+'"):
        ConformalSVR(search).fit(X[:12], X[:12, 0])
