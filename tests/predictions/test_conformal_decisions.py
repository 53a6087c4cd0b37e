"""Decision values and probabilities beside sets."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_iris

from mercer import SVC, CalibratedSVC, ConformalSVC


def test_a_conformal_machine_has_the_values_and_probabilities_of_the_one_inside():
    X, y = load_iris(return_X_y=True)
    machine = ConformalSVC(SVC(), kind="cross").fit(X[::2], y[::2])
    inside = machine.estimator_.decision_function(X)
    assert np.array_equal(machine.decision_function(X), inside)
    assert not hasattr(machine, "predict_proba")
    machine = ConformalSVC(CalibratedSVC(), kind="split", random_state=0).fit(X[::2], y[::2])
    assert np.array_equal(machine.predict_proba(X), machine.estimator_.predict_proba(X))
