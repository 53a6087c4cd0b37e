"""scikit-learn's own conventions for the least squares machines, without expected failures."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import LSSVC, LSSVR, RLSC, ReducedSVC

# a random basis differs for repeated rows, unless it is all of them
EVERYTHING = 1000


@parametrize_with_checks(
    [
        RLSC(),
        LSSVC(),
        LSSVR(),
        LSSVC(kernel="linear"),
        RLSC(low_rank=EVERYTHING),
        ReducedSVC(low_rank=EVERYTHING),
    ]
)
def test_estimator_checks(estimator, check):
    check(estimator)
