"""Data sets on which other libraries never return: every fit ends, and says how.

The bounds are the machines' own (max_iter, max_time); the iteration counts are small enough
for a test.
"""

from __future__ import annotations

import warnings
from typing import Any, get_args

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from mercer.problem import Status

# Six rows, two of them almost equal (scikit-learn issue 13075).
SIX_ROWS = [
    [0, 0, 0.3, 0, 0, 1, 0.625, 0, 0, 0.31865753, 0, 0, 0],
    [0, 0, 0, 0, 0, 0.33333333, 0.61538462, 0, 0, 0.59230137, 1, 0, 1],
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0.31778082, 1, 0, 0],
    [0.66666667, 0, 0, 0.5, 1, 0.8, 0, 1, 0.5625, 0.36430137, 0, 0, 0],
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0.33638356, 1, 0, 0],
    [0, 0, 0.3, 0, 0, 1, 0.625, 0, 0, 0.31843836, 0, 0, 0],
]
SIX_LABELS = [False, True, True, False, True, False]


def noise(n: int = 200, n_features: int = 3) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, n_features)), rng.integers(0, 2, n)


def fit(machine: Any, X: Any, y: Any) -> Any:
    """Fits and checks that the end is reported: a status, and a warning unless converged."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        machine.fit(X, y)
    statuses = {solution.status for solution in machine.solutions_}
    assert statuses <= set(get_args(Status))
    warned = any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
    assert warned == (statuses != {"converged"})
    assert np.isfinite(machine.violation_)
    assert np.isfinite(machine.objective_)
    return machine


@pytest.mark.parametrize(
    ("C", "degree", "gamma"),
    [(0.6653, 7, 4178.386), (1.2347, 7, 4317.581), (0.8157, 8, 864.158)],
)
def test_polynomials_of_huge_values(C: float, degree: int, gamma: float) -> None:
    """Kernel values of 1e40 (scikit-learn issue 13557)."""
    X, y = load_iris(return_X_y=True)
    machine = SVC(C=C, kernel="poly", degree=degree, gamma=gamma, max_iter=400_000)
    fit(machine, X, y)
    assert (machine.n_iter_ <= 400_000).all()
    assert machine.dual_gap_ <= 1e-6
    assert machine.score(X, y) > 0.95


@pytest.mark.parametrize("gamma", ["scale", "auto"])
def test_two_rows_far_from_the_origin(gamma: str) -> None:
    """scikit-learn issue 4648."""
    machine = fit(SVC(kernel="poly", degree=2, gamma=gamma), [[1, 99999], [2, 99999]], [0, 1])
    assert machine.solutions_[0].status == "converged"


def test_six_rows() -> None:
    machine = NuSVC(kernel="poly", coef0=10.0, gamma="auto", nu=2 / 7)
    fit(machine, SIX_ROWS, SIX_LABELS)
    assert machine.solutions_[0].status == "converged"
    assert machine.dual_gap_ <= 1e-9
    assert machine.score(SIX_ROWS, SIX_LABELS) == 1.0


@pytest.mark.filterwarnings("ignore:the kernel Sigmoid:UserWarning")
@pytest.mark.parametrize("C", [1.0, 1e3, 1e6])
def test_indefinite_kernel_on_random_labels(C: float) -> None:
    X, y = noise()
    machine = SVC(kernel="sigmoid", gamma=3.0, coef0=-1.0, C=C, max_iter=100_000)
    fit(machine, X, y)
    assert machine.dual_gap_ is None


@pytest.mark.parametrize("kernel", ["linear", "poly"])
@pytest.mark.parametrize("C", [1e6, 1e12, 1e15])
def test_huge_C_of_random_labels(kernel: str, C: float) -> None:
    X, y = noise()
    machine = fit(SVC(kernel=kernel, C=C, max_iter=20_000), X, y)
    assert machine.n_iter_[0] <= 20_000


@pytest.mark.parametrize("machine", [SVR, NuSVR])
def test_regression_on_noise_without_scaling(machine: Any) -> None:
    """scikit-learn issue 11079: rows and targets of wild sizes."""
    X, y = noise()
    fit(machine(kernel="linear", C=1e4, max_iter=20_000), X * [1.0, 1e3, 1e6], 1e5 * y)


def test_one_class_machine_with_a_tiny_nu() -> None:
    """scikit-learn issues 4195 and 6617."""
    X, _ = noise()
    machine = fit(OneClassSVM(nu=1e-6, gamma=10.0), X, None)
    assert machine.solutions_[0].status == "converged"


def test_time_ends_a_fit() -> None:
    X, y = noise(2000, 2)
    machine = fit(SVC(kernel="linear", C=1e9, max_time=0.1), X, y)
    assert machine.solutions_[0].status == "max-time"
