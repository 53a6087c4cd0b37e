"""p-values of one-class machines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mercer import CalibratedOneClassSVM, OneClassSVM, TunedOneClassSVM
from sampling import checks_of

RNG = np.random.default_rng(0)


@checks_of([CalibratedOneClassSVM()], [CalibratedOneClassSVM(cv="loo", alpha=0.2)])
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_p_values_are_the_share_of_rows_as_far_out() -> None:
    X, Z = RNG.normal(size=(60, 2)), RNG.normal(size=(20, 2))
    machine = CalibratedOneClassSVM(OneClassSVM(nu=0.2), cv="loo").fit(X)
    heights = machine.estimator_.decision_function(Z)
    expected = [(1 + (machine.values_ <= h).sum()) / 61 for h in heights]
    np.testing.assert_allclose(machine.p_values(Z), expected)
    assert machine.p_values([[50.0, 50.0]])[0] == pytest.approx(1 / 61)


def test_p_values_of_rows_like_those_of_training_are_uniform() -> None:
    p = np.concatenate([
        CalibratedOneClassSVM(OneClassSVM(nu=0.2, gamma=0.5))
        .fit(RNG.normal(size=(100, 2)))
        .p_values(RNG.normal(size=(100, 2)))
        for _ in range(20)
    ])  # fmt: skip
    for level in (0.1, 0.3, 0.5, 0.8):
        assert (p <= level).mean() == pytest.approx(level, abs=0.05)


@pytest.mark.parametrize("objective", ["detection", "rejection"])
@pytest.mark.parametrize("scale", [1.0, 1000.0])  # of a feature, which is then standardised
@pytest.mark.filterwarnings("ignore:.*were rejected")
def test_p_values_of_tuned_machines_are_uniform(objective: str, scale: float) -> None:
    """Folds that searched widths of their own had other scales: a median row had p = 0.9."""
    X, Z = np.random.default_rng(0).normal(size=(2, 500, 3)) * [1.0, 1.0, scale]
    tuned = TunedOneClassSVM(nu=0.05, objective=objective)
    machine = CalibratedOneClassSVM(tuned, cv="loo").fit(X)
    assert isinstance(machine.estimator_, TunedOneClassSVM)
    for level in (0.1, 0.3, 0.5, 0.8):
        assert (machine.p_values(Z) <= level).mean() == pytest.approx(level, abs=0.09)
