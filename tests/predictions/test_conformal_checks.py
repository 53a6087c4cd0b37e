"""scikit-learn's checks of the conformal estimators; none is expected to fail."""

from __future__ import annotations

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import LSSVR, SVC, SVR, ConformalSVC, ConformalSVR


@parametrize_with_checks(
    [
        ConformalSVC(),
        ConformalSVC(SVC(gamma="auto"), kind="cross", cv=2, random_state=0),
        ConformalSVR(),
        ConformalSVR(LSSVR(), kind="full"),
        ConformalSVR(SVR(), kind="cv+", cv=2, random_state=0),
    ]
)
def test_sklearn_checks(estimator: Any, check: Any) -> None:
    check(estimator)
