"""Derivatives of trained machines equal finite differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mercer import Gram, formulations, solve
from mercer.formulations import Formulation
from mercer.kernels import Gaussian, Kernel, Laplacian, Linear, Polynomial
from mercer.problem.family import Powers
from mercer.selection.adjoint import Trained
from mercer.selection.gradient_sum import GradientSum

RNG = np.random.default_rng(5)
X = RNG.normal(size=(40, 3))
X[7], X[31] = X[3], X[12]  # rows given twice
SIGN = np.where(X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.8 * RNG.normal(size=40) > 0.4, 1.0, -1.0)
TARGET = np.sin(X[:, 0]) + 0.2 * RNG.normal(size=40)
HELD_OUT = np.arange(30, 40)
WEIGHT = np.r_[RNG.uniform(0.5, 2.0, 30), np.zeros(10)]
SLOPE = RNG.normal(size=10)

FORMULATIONS: dict[str, tuple[Callable[[float], Formulation], Powers]] = {
    "hinge": (lambda C: formulations.svc(SIGN, C, WEIGHT), Powers()),
    "squared hinge": (
        lambda C: formulations.svc(SIGN, C, WEIGHT, loss="squared_hinge"),
        Powers(),
    ),
    "no bias": (lambda C: formulations.svc(SIGN, C, WEIGHT, fit_intercept=False), Powers()),
    "svr": (lambda C: formulations.svr(TARGET, C, 0.1, WEIGHT), Powers()),
    "squared svr": (
        lambda C: formulations.svr(TARGET, C, 0.1, WEIGHT, loss="squared_epsilon_insensitive"),
        Powers(),
    ),
    "nu-svc": (
        lambda nu: formulations.nu_svc(SIGN, 0.6 * nu, WEIGHT),
        Powers(box=0.0, ridge=0.0),
    ),
    "one-class": (
        lambda nu: formulations.one_class(40, 0.3 * nu, WEIGHT),
        Powers(box=0.0, ridge=0.0),
    ),
}
KERNELS: dict[str, Kernel] = {
    "radial": Gaussian(0.4),
    "diagonal": Gaussian([0.3, 0.5, 0.2]),
    "full": Gaussian(0.4 * np.eye(3) + 0.1),
    "laplacian": Laplacian(0.5),
    "polynomial": Polynomial(2, gamma=0.5, coef0=1.0),
    "sum": Gaussian(0.5) + 0.3 * Linear(),
}


def trained(
    make: Callable[[float], Formulation], powers: Powers, theta: Any, kernel: Kernel
) -> Trained:
    moved = kernel.clone_with_theta(theta[1:])
    gram = Gram(moved, X, precision="double")
    formulation = make(float(np.exp(theta[0])))
    solution = solve(formulation.problem, gram, "active-set", tol=1e-12)
    return Trained(formulation, solution, gram, X, powers)


def gradient(machine: Trained, at: Any, slope: Any) -> Any:
    gradients = GradientSum()
    gradients.add(machine, at, slope)
    return gradients.gradient(1 + machine.gram.kernel.n_dims)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", FORMULATIONS)
def test_gradients_are_central_differences(name: str, kernel: str) -> None:
    make, powers = FORMULATIONS[name]
    theta = np.concatenate([[0.1], KERNELS[kernel].theta])

    def value(point: Any) -> float:
        return float(SLOPE @ trained(make, powers, point, KERNELS[kernel]).values(HELD_OUT))

    found = gradient(trained(make, powers, theta, KERNELS[kernel]), HELD_OUT, SLOPE)
    step = 1e-5
    expected = [
        (value(theta + step * unit) - value(theta - step * unit)) / (2 * step)
        for unit in np.eye(len(theta))
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=2e-6 * np.abs(expected).max())


def test_without_a_free_variable_the_bias_lies_midway() -> None:
    rows, sign = np.array([[0.0], [1.0], [2.5], [3.0]]), np.array([-1.0, 1.0, -1.0, 1.0])
    at, slope = np.array([0, 2]), np.array([1.0, -0.5])

    def machine(theta: Any) -> Trained:
        gram = Gram(Gaussian(float(np.exp(theta[1]))), rows, precision="double")
        formulation = formulations.svc(sign, float(np.exp(theta[0])))
        solution = solve(formulation.problem, gram, "active-set", tol=1e-12)
        return Trained(formulation, solution, gram, rows, Powers())

    theta = np.log([0.01, 0.5])
    assert not len(machine(theta).free)
    found = gradient(machine(theta), at, slope)
    for k, unit in enumerate(1e-6 * np.eye(2)):
        ends = [slope @ machine(theta + sign * unit).values(at) for sign in (1.0, -1.0)]
        assert found[k] == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6)


def test_many_free_variables_are_solved_without_a_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    make, powers = FORMULATIONS["squared hinge"]
    machine = trained(make, powers, np.r_[0.1, KERNELS["diagonal"].theta], KERNELS["diagonal"])
    expected = gradient(machine, HELD_OUT, SLOPE)
    monkeypatch.setattr("mercer.selection.adjoint._DIRECT", 0)
    np.testing.assert_allclose(gradient(machine, HELD_OUT, SLOPE), expected, rtol=1e-7, atol=1e-9)
