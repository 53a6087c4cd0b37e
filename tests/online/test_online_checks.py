"""scikit-learn's own conventions, without a single expected failure."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import OnlineSVC, OnlineSVR


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([OnlineSVC(), OnlineSVR()])
def test_estimator_checks(estimator, check):
    check(estimator)
