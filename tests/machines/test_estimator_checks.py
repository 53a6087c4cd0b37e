"""scikit-learn's own conventions, without a single expected failure."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from mercer.formulations import nu_svc


class FeasibleNuSVC(NuSVC):
    """NuSVC with the largest feasible nu of each pair of classes, if ``nu`` is not feasible.

    One check weighs classes 1000 : 0.0001, which leaves nu <= 2e-7, differently for each pair.
    """

    def _formulate(self, sign, weight):
        classes = weight[sign > 0].sum(), weight[sign < 0].sum()
        nu = min(self.nu, 2 * min(classes) / sum(classes))
        return nu_svc(sign, nu, weight, loss=self.loss)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks([SVC(), FeasibleNuSVC(gamma="auto"), SVR(), NuSVR(), OneClassSVM()])
def test_estimator_checks(estimator, check):
    check(estimator)
