"""scikit-learn's own conventions for the schemes of many classes, without expected failures."""

from __future__ import annotations

from typing import Any

import pytest

from machines.test_estimator_checks import FeasibleNuSVC
from mercer import LSSVC, RLSC, SVC
from mercer.multiclass.formulations import ALL_IN_ONE
from mercer.selection import make_objective
from sampling import checks_of


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@checks_of(
    machines=[],
    settings=[
        SVC(multiclass="one-vs-all"),
        SVC(multiclass="code", code="hadamard"),
        SVC(multiclass="code", code="sparse", decoding="exponential"),
        *(SVC(multiclass=name) for name in ALL_IN_ONE),
        SVC(multiclass="crammer-singer", fit_intercept=False),
        FeasibleNuSVC(gamma="auto", multiclass="one-vs-all"),
        FeasibleNuSVC(gamma="auto", multiclass="code", code="complete", decoding="hamming"),
        RLSC(multiclass="code", code="dense"),
        RLSC(multiclass="one-vs-one"),
        LSSVC(multiclass="code", code="complete", decoding="hinge"),
    ],
)
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_model_selection_of_least_squares_knows_one_against_all_only() -> None:
    X, y = [[0.0], [1.0], [2.0], [0.1], [1.1], [2.1]], [0, 1, 2, 0, 1, 2]
    with pytest.raises(ValueError, match="must be 'one-vs-all' in model selection, got"):
        make_objective("cv", RLSC(multiclass="one-vs-one"), X, y, cv=2)
