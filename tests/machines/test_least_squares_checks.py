"""scikit-learn's own conventions for the least squares machines, without expected failures."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import LSSVC, LSSVR, RLSC


@parametrize_with_checks([RLSC(), LSSVC(), LSSVR()])
def test_estimator_checks(estimator, check):
    check(estimator)
