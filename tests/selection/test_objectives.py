"""Every criterion: its gradient is that of finite differences, or asking for one is an error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mercer import LSSVC, LSSVR, RLSC, SVC, SVR, NuSVC, NuSVR
from mercer.kernels import Gaussian, Kernel, Laplacian, Precomputed
from mercer.selection import make_objective

RNG = np.random.default_rng(3)
X = RNG.normal(size=(48, 3))
X[7], X[31] = X[3], X[12]  # rows given twice
SCORE = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.7 * RNG.normal(size=48)
TWO = (SCORE > 0.4).astype(int)
TWO[7], TWO[31] = TWO[3], TWO[12]
THREE = np.digitize(SCORE, [0.0, 0.9])
TARGET = np.sin(X[:, 0]) + 0.3 * RNG.normal(size=48)
WEIGHT = RNG.integers(1, 3, size=48).astype(float)
EXACT: dict[str, Any] = {"solver": "active-set", "tol": 1e-12}

# test_gradient_table.py has the others, of two classes
KERNELS: dict[str, Kernel] = {"widths": Gaussian([0.3, 0.5, 0.2]), "laplacian": Laplacian(0.5)}
CASES: dict[str, tuple[str, Any, Any, dict[str, Any]]] = {
    "cv squared, SVC": ("cv", SVC(**EXACT), TWO, {"loss": "squared"}),
    "cv logistic, SVC": ("cv", SVC(C=3.0, **EXACT), TWO, {"loss": "logistic", "cv": 3}),
    "cv logistic, three classes": ("cv", SVC(**EXACT), THREE, {"loss": "logistic", "cv": 2}),
    "cv logistic, squared hinge": (
        "cv",
        SVC(loss="squared_hinge", **EXACT),
        TWO,
        {"loss": "logistic"},
    ),
    "cv squared, NuSVC": ("cv", NuSVC(nu=0.6, **EXACT), TWO, {"loss": "squared", "cv": 3}),
    "cv, SVR": ("cv", SVR(**EXACT), TARGET, {"cv": 4}),
    "cv, NuSVR": ("cv", NuSVR(nu=0.4, **EXACT), TARGET, {"cv": 3}),
    "cv, LSSVR": ("cv", LSSVR(alpha=0.3), TARGET, {"cv": 3}),
    "cv logistic, RLSC of three": ("cv", RLSC(alpha=0.5), THREE, {"loss": "logistic", "cv": 3}),
    "cv logistic, penalized bias": (
        "cv",
        SVC(fit_intercept="penalized", **EXACT),
        TWO,
        {"loss": "logistic"},
    ),
    "cv, penalized bias of SVR": ("cv", SVR(fit_intercept="penalized", **EXACT), TARGET, {}),
    "cv squared, penalized bias of RLSC": (
        "cv",
        RLSC(alpha=0.5, fit_intercept="penalized"),
        TWO,
        {"loss": "squared"},
    ),
    "span_like, penalized bias": ("span_like", SVC(fit_intercept="penalized", **EXACT), TWO, {}),
    "gcv, penalized bias": ("gcv", LSSVC(alpha=0.5, fit_intercept="penalized"), TWO, {}),
    "holdout": ("holdout", SVC(**EXACT), TWO, {"loss": "logistic", "random_state": 0}),
    "likelihood": ("likelihood", SVC(**EXACT), TWO, {"cv": 3}),
    "posterior": ("posterior", SVC(**EXACT), TWO, {"cv": 3}),
    "radius_margin": ("radius_margin", SVC(loss="squared_hinge", **EXACT), TWO, {}),
    "span_like": ("span_like", SVC(**EXACT), TWO, {}),
    "alignment": ("alignment", SVC(), TWO, {}),
    "alignment of three": ("alignment", SVC(), THREE, {}),
    "polarization": ("polarization", SVC(), TWO, {}),
    "gcv": ("gcv", RLSC(alpha=0.5), TWO, {}),
    "gcv with a bias": ("gcv", LSSVC(alpha=0.5), THREE, {}),
    "loo, LSSVR": ("gcv", LSSVR(alpha=0.2), TARGET, {"method": "loo"}),
}


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("case", CASES)
def test_gradients_are_central_differences(case: str, kernel: str) -> None:
    name, estimator, y, options = CASES[case]
    estimator.set_params(kernel=KERNELS[kernel])
    objective = make_objective(name, estimator, X, y, **options)
    theta = objective.space.start + 0.05
    value, gradient = objective(theta)
    assert value == pytest.approx(objective.value(theta), rel=1e-12)
    expected = differences(objective, theta)
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("case", CASES)
def test_kernel_values_that_are_given_have_the_gradient_of_their_scale(case: str) -> None:
    name, estimator, y, options = CASES[case]
    estimator.set_params(kernel=0.5 * Precomputed(positive_definite=True))
    values = Gaussian(0.4)(X)
    # rows that do not count have no part in the machines either
    weight = None if name == "radius_margin" else np.where(np.arange(48) % 6 == 5, 0.0, 1.0)
    objective = make_objective(name, estimator, values, y, sample_weight=weight, **options)
    theta = objective.space.start + 0.06
    expected = differences(objective, theta)
    atol = 1e-5 * max(np.abs(expected).max(), 1e-5)
    np.testing.assert_allclose(objective(theta)[1], expected, rtol=1e-5, atol=atol)


def differences(objective: Any, theta: Any, step: float = 1e-5) -> Any:
    return np.array(
        [
            (objective.value(theta + step * unit) - objective.value(theta - step * unit))
            / (2 * step)
            for unit in np.eye(len(theta))
        ]
    )
