"""Bad arguments are refused before any kernel value, by name and with what is allowed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mercer import formulations as fm

Y = [1, 1, 1, -1]
T = [0.5, 1.0, -1.0, 2.0]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: fm.svc(Y, 0.0), r"C must lie in \(0.0, inf\], got 0.0"),
        (lambda: fm.svc(Y, -1), "C must lie"),
        (lambda: fm.svc(Y, np.nan), "C must lie"),
        (lambda: fm.svc(Y, 1.0, loss="log"), "loss must be one of"),
        (lambda: fm.svc(Y, 1.0, fit_intercept="maybe"), "fit_intercept must be one of"),
        (lambda: fm.svc([1, 1, 1], 1.0), "y must hold both classes"),
        (lambda: fm.svc([0, 1, 1], 1.0), r"labels -1 and \+1, got y\[0\]"),
        (lambda: fm.svc([[1, -1]], 1.0), "y must be a non-empty vector"),
        (lambda: fm.svc([], 1.0), "y must be a non-empty vector"),
        (lambda: fm.svc(Y, 1.0, [1, 1, 1]), r"weight must have one entry per row \(4\), got 3"),
        (lambda: fm.svc(Y, 1.0, [1, 1, -1, 1]), r"weight\[2\]=-1"),
        (lambda: fm.svc(Y, 1.0, [1, 1, np.inf, 1]), "weight must be finite"),
        (lambda: fm.svc(Y, 1.0, [1, 1, 1, 0]), "zero for the whole class -1"),
        (lambda: fm.svr(T, 1.0, 0.1, np.zeros(4)), "weight must not be zero for every row"),
        (lambda: fm.svr([0.0, np.nan], 1.0, 0.1), r"y must be finite, got y\[1\]"),
        (lambda: fm.svr(T, 1.0, -0.1), r"epsilon must lie in \[0.0, inf\)"),
        (lambda: fm.svr(T, 1.0, 0.1, loss="hinge"), "loss must be one of"),
        (lambda: fm.nu_svc(Y, 0.6), r"nu must lie in \(0.0, 0.5\], got 0.6"),
        (lambda: fm.nu_svc(Y, 0.0), "nu must lie"),
        (lambda: fm.nu_svc(Y, 0.6, [1, 1, 2, 1]), r"nu must lie in \(0.0, 0.4\]"),
        (lambda: fm.nu_svc(Y, 1.1, loss="squared_hinge"), "nu must lie"),
        (lambda: fm.nu_svr(T, 1.0, 1.5), r"nu must lie in \(0.0, 1.0\]"),
        (lambda: fm.nu_svr(T, np.inf, 0.5), "C must lie"),
        (lambda: fm.one_class(5, 1.2), r"nu must lie in \(0.0, 1.0\]"),
        (lambda: fm.one_class(0, 0.5), "n must be at least 1"),
        (lambda: fm.quantile(T, 1.0, 1.0), r"tau must lie in \(0.0, 1.0\)"),
        (lambda: fm.absolute(T, np.inf), "C must lie"),
        (lambda: fm.huber(T, 1.0, 0.0), "delta must lie"),
        (lambda: fm.one_sided_huber(Y, 1.0, -0.1), "lower_slope must lie"),
        (lambda: fm.least_squares(T, 0.0), "alpha must lie"),
        (lambda: fm.nearest_points(Y, 0.9), r"mu must lie in \[1.0, inf\], got 0.9"),
        (lambda: fm.nearest_points(Y, 0.0, soft=True), "mu must lie"),
        (lambda: fm.minimum_norm(4, 0.2), r"mu must lie in \[0.25, inf\]"),
        (lambda: fm.enclosing_ball([1.0, -0.5]), r"diagonal\[1\]=.*-0.5"),
    ],
)
def test_bad_value_is_named(build: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()


@pytest.mark.parametrize(
    "build", [lambda: fm.svc(Y, "1"), lambda: fm.svc(Y, True), lambda: fm.one_class(2.5, 0.5)]
)
def test_bad_type_is_named(build: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match="must be"):
        build()


@pytest.mark.parametrize("n", range(2, 60))
def test_largest_nu_and_smallest_mu_are_feasible_despite_rounding(n: int) -> None:
    labels = np.r_[np.ones(n), -np.ones(n + 3)]
    fm.nu_svc(labels, 2 * n / (2 * n + 3))
    fm.nu_svc(labels, 2 * (n * 0.1) / ((2 * n + 3) * 0.1), 0.1)
    fm.nearest_points(labels, 1 / n)
    fm.minimum_norm(n, 1 / n)
    fm.one_class(n, 1.0, 0.1)


def test_numpy_scalars_are_numbers() -> None:
    problem = fm.svc(Y, np.float32(2.0), np.int64(1)).problem
    np.testing.assert_array_equal(problem.upper, [2, 2, 2, 0])
    fm.one_class(np.int64(3), np.float64(0.5))
