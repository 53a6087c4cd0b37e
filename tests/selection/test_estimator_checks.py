"""What scikit-learn asks of estimators."""

from __future__ import annotations

from typing import Any

import pytest

from mercer import TunedOneClassSVM, TunedRLSC, TunedSVC, TunedSVR
from sampling import checks_of


@pytest.mark.filterwarnings("ignore::UserWarning")
@checks_of(
    machines=[
        TunedSVC(max_evals=3, cv=2),
        TunedSVR(max_evals=3, cv=2),
        TunedRLSC(max_evals=3),
        TunedOneClassSVM(max_evals=3),
    ],
    settings=[
        TunedSVC(kernel=["rbf", "linear"], scale=True, loss="search", max_evals=8, cv=2),
        TunedSVR(kernel=["linear", "rbf"], scale=True, max_evals=4, cv=2),
    ],
    share=2,
)
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)
