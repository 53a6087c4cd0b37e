"""Nu-SVC machines for every nu, read off the path over C."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification

from mercer import NuSVC, nu_svc_path
from solvers.active_set_cases import random_case


def sample() -> tuple[np.ndarray, np.ndarray]:
    return make_classification(80, 4, flip_y=0.1, weights=[0.6], random_state=0)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_machines_are_those_of_nu_svc(kernel: str) -> None:
    """Also where a class has no free row, and C is an interval: of the linear kernel mostly."""
    X, y = sample()
    weight = np.random.default_rng(0).integers(1, 4, 80)
    path = nu_svc_path(X, y, kernel=kernel, gamma=0.3, sample_weight=weight, C_max=100.0)
    wide, flat = 0, path.nu[1:][np.diff(path.nu) > -1e-12]
    flat = flat[flat < 0.999 * path.begin]  # for which every small C would do
    between = np.linspace(1.05 * path.end, 0.99 * path.begin, 5)
    for nu in (*between, *flat[:: max(len(flat) // 3, 1)]):
        machine = NuSVC(nu=nu, kernel=kernel, gamma=0.3, tol=1e-10, solver="active-set")
        machine.fit(X, y, sample_weight=weight)
        low, high = path.solutions.C_interval(nu)
        assert (1 - 1e-6) * low <= 1 / machine.rho_[0] <= (1 + 1e-6) * high
        assert low <= path.solutions.C_at(nu) <= high
        if high > 1.0001 * low:
            wide += 1
            continue
        values = machine.decision_function(X)
        assert path.decision_function(X, nu) == pytest.approx(values, abs=1e-6)
        assert np.array_equal(path.predict(X, nu), machine.predict(X))
    assert wide > 0 or kernel == "rbf"


@pytest.mark.parametrize("seed", range(8))
def test_nu_is_the_share_of_the_coefficients(seed: int) -> None:
    case = random_case(seed, max_rows=25)
    path = nu_svc_path(case.X, case.y, kernel=case.kernel, sample_weight=case.weight, C_max=1e3)
    if path.status == "trivial":
        with pytest.raises(ValueError, match="no nu has a machine"):
            path.coef(0.5)
        return
    light = min(case.weight[case.y > 0].sum(), case.weight[case.y < 0].sum())
    assert path.begin == pytest.approx(2 * light / case.weight.sum())
    assert (np.diff(path.nu) <= 0).all()
    for nu in np.random.default_rng(seed).uniform(path.end, path.begin, 5):
        for C in (path.solutions.C_at(nu), *path.solutions.C_interval(nu)):
            share = np.abs(path.solutions.over_C.variables(C)).sum() / (C * case.weight.sum())
            assert share == pytest.approx(nu, rel=1e-6)
        assert path.certificate(nu).relative_gap < 1e-8


def test_a_nu_outside_is_refused() -> None:
    X, y = sample()
    path = nu_svc_path(X, y, gamma=0.3, C_max=10.0)
    assert "Path over nu of 80 rows" in repr(path)
    for nu in (0.99, 0.01, np.nan):
        with pytest.raises(ValueError, match="nu must be positive and lie in"):
            path.coef(nu)
    with pytest.raises(ValueError, match="no C is known"):
        nu_svc_path(X, y, max_time=0.0).coef(0.5)
