"""Where no coefficient is free, the way back from nu is an interval: any value of it will do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from mercer import Gram, Solution
from mercer import formulations as fm
from mercer.kernels import Gaussian, Linear
from mercer.solvers import solve

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Rows:
    """Few rows, half of them on a grid, where coefficients on their bounds are common."""

    seed: int

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.seed)
        n = int(rng.integers(4, 12))
        on_grid = self.seed % 2 == 1
        X = rng.integers(-2, 3, (n, 2)).astype(float) if on_grid else rng.normal(size=(n, 2))
        kernel = Gaussian(0.5) if self.seed % 3 == 0 else Linear()
        y = rng.permutation(np.r_[1.0, 1, -1, -1, rng.choice([-1.0, 1], n - 4)])
        targets = rng.integers(-2, 3, n).astype(float) if self.seed % 5 else rng.normal(size=n)
        C, epsilon = float(rng.choice([0.02, 0.1, 0.5, 2, 10])), float(rng.choice([0, 0.1, 0.3, 1]))
        weight = rng.choice([1.0, 1, 2, 3], n) if self.seed % 7 == 0 else np.ones(n)
        vars(self).update(gram=Gram(kernel, X), K=kernel(X), y=y, targets=targets, C=C,
                          epsilon=epsilon, weight=weight)  # fmt: skip

    def solved(
        self, formulation: fm.Formulation
    ) -> tuple[Solution, fm.FittedParameters, FloatArray]:
        solution = solve(formulation.problem, self.gram, "active-set", tol=1e-12)
        fitted = formulation.fitted_parameters(solution)
        return solution, fitted, self.K @ fitted.coef


def some(low: float, high: float) -> list[float]:
    """Both ends and the middle; an infinite or vanishing end is left out."""
    high = min(high, 1e3)
    low = max(low, 1e-3 * high)
    return [low, 0.5 * (low + high), high]


def close(one: FloatArray, other: FloatArray) -> None:
    np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-8)


def test_every_C_of_the_range_has_the_machine_of_nu() -> None:
    """The machine of nu-SVC differed by up to 6 from the SVC that its nu was taken from."""
    n_ranges = n_different = 0
    for seed in range(150):
        rows = Rows(seed)
        svc, weight = fm.svc(rows.y, rows.C, rows.weight), rows.weight
        _, given, values = rows.solved(svc)
        nu = fm.nu_from_C(given.coef, rows.C, weight.sum())
        nu_svc = fm.nu_svc(rows.y, nu, weight)
        solution, fitted, scaled = rows.solved(nu_svc)
        if not fitted.rho > 1e-9:
            continue
        low, high = fm.C_range(nu_svc, solution)
        assert low * (1 - 1e-9) <= rows.C <= high * (1 + 1e-9)
        assert low * (1 - 1e-9) <= fm.C_from_nu_svc(fitted) <= high * (1 + 1e-9)
        own = scaled / fitted.scale
        close(rows.C * own, values)
        n_ranges += low < (1 - 1e-6) * high
        n_different += np.abs(scaled - values).max() > 1e-3
        for C in some(low, high):
            _, _, others = rows.solved(fm.svc(rows.y, C, weight))
            close(others / C, own)
        if low >= (1 - 1e-9) * high:
            close(values + given.intercept, scaled + fitted.intercept)
    assert n_ranges > 40
    assert n_different > 20


def test_every_bias_of_the_range_is_optimal() -> None:
    """The primal value does not change inside the range, and grows outside."""
    n_ranges = 0
    for seed in range(60):
        rows = Rows(seed)
        svc = fm.svc(rows.y, rows.C, rows.weight)
        solution, fitted, values = rows.solved(svc)
        low, high = fm.parameter_range(svc, solution).intercept
        assert low - 1e-9 <= fitted.intercept <= high + 1e-9

        def primal(bias: float, rows: Rows = rows, values: FloatArray = values) -> float:
            return float(rows.weight @ np.maximum(0.0, 1 - rows.y * (values + bias)))

        best = primal(fitted.intercept)
        for bias in (low, high):
            assert primal(bias) == pytest.approx(best, abs=1e-8)
        assert primal(low - 0.01) > best + 1e-4
        assert primal(high + 0.01) > best + 1e-4
        n_ranges += low < high - 1e-6
    assert n_ranges > 3


def test_every_epsilon_of_the_range_has_the_machine_of_nu() -> None:
    n_ranges = 0
    for seed in range(120):
        rows = Rows(seed)
        _, given, values = rows.solved(fm.svr(rows.targets, rows.C, rows.epsilon, rows.weight))
        nu = fm.nu_from_C(given.coef, rows.C, rows.weight.sum())
        if nu < 1e-9:
            continue
        nu_svr = fm.nu_svr(rows.targets, rows.C, nu, rows.weight)
        solution, fitted, own = rows.solved(nu_svr)
        close(own, values)
        low, high = fm.parameter_range(nu_svr, solution).epsilon
        assert low - 1e-9 <= rows.epsilon <= high + 1e-9
        assert low - 1e-9 <= fitted.epsilon <= high + 1e-9
        n_ranges += low < high - 1e-6
        for epsilon in (low, 0.5 * (low + high), high):
            close(rows.solved(fm.svr(rows.targets, rows.C, epsilon, rows.weight))[2], own)
    assert n_ranges > 20


def test_every_C_of_the_range_has_the_machine_of_the_hulls() -> None:
    n_ranges = 0
    for seed in range(60):
        rows = Rows(seed)
        _, given, values = rows.solved(fm.svc(rows.y, rows.C))
        mu = fm.mu_from_svc(given.coef, rows.C)
        if mu > 1:
            continue
        hulls = fm.nearest_points(rows.y, mu)
        solution, fitted, own = rows.solved(hulls)
        if not fitted.rho > 1e-9:
            continue
        low, high = fm.C_range(hulls, solution)
        assert low * (1 - 1e-9) <= rows.C <= high * (1 + 1e-9)
        close(rows.C / mu * own, values)
        n_ranges += low < (1 - 1e-6) * high
    assert n_ranges > 10


def test_level_of_the_one_class_machine() -> None:
    rows = Rows(2)
    n = len(rows.y)
    one_class = fm.one_class(n, 2 / n)
    solution, fitted, _ = rows.solved(one_class)
    found = fm.parameter_range(one_class, solution)
    assert found.rho[0] <= fitted.rho <= found.rho[1]
    assert found.intercept == (-found.rho[1], -found.rho[0])


def test_what_has_no_range_is_refused() -> None:
    rows = Rows(2)
    penalized = fm.svc(rows.y, 1.0, fit_intercept="penalized")
    with pytest.raises(ValueError, match="no free bias"):
        fm.parameter_range(penalized, rows.solved(penalized)[0])
    svc = fm.svc(rows.y, 1.0)
    with pytest.raises(ValueError, match="nu-SVC or nearest points"):
        fm.C_range(svc, rows.solved(svc)[0])
