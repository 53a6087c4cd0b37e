"""What scikit-learn asks of estimators."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import TunedOneClassSVM, TunedRLSC, TunedSVC, TunedSVR


@pytest.mark.filterwarnings("ignore::UserWarning")
@parametrize_with_checks(
    [
        TunedSVC(max_evals=3, cv=2),
        TunedSVR(max_evals=3, cv=2),
        TunedRLSC(max_evals=3),
        TunedOneClassSVM(max_evals=3),
        TunedSVC(kernel=["rbf", "linear"], scale=True, loss="search", max_evals=8, cv=2),
        TunedSVR(kernel=["linear", "rbf"], scale=True, max_evals=4, cv=2),
    ]
)
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)
