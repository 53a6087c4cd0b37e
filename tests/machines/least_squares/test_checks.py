"""scikit-learn's own conventions for the least squares machines, without expected failures."""

from mercer import LSSVC, LSSVR, RLSC, ReducedSVC
from sampling import checks_of

# a random basis differs for repeated rows, unless it is all of them
EVERYTHING = 1000


@checks_of(
    machines=[RLSC(), LSSVC(), LSSVR(), ReducedSVC(low_rank=EVERYTHING)],
    settings=[LSSVC(kernel="linear"), RLSC(low_rank=EVERYTHING)],
    share=2,
)
def test_estimator_checks(estimator, check):
    check(estimator)
