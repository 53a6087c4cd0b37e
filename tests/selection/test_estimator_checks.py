"""What scikit-learn asks of estimators."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import TunedOneClassSVM, TunedRLSC, TunedSVC, TunedSVR

# where one of two equal rows is left out, the other one stays
_WEIGHTS = {
    f"check_sample_weight_equivalence_on_{kind}_data": "rows given twice are left out one by one"
    for kind in ("dense", "sparse")
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@parametrize_with_checks(
    [
        TunedSVC(max_evals=3, cv=2),
        TunedSVR(max_evals=3, cv=2),
        TunedRLSC(max_evals=3),
        TunedOneClassSVM(max_evals=3),
    ],
    expected_failed_checks=lambda machine: _WEIGHTS if isinstance(machine, TunedRLSC) else {},
)
def test_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)
