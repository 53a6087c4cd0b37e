"""The toy problem (Sentelle 2014, table 6.1)."""

from __future__ import annotations

import numpy as np
import pytest

from mercer.paths import svc_path
from paths.path_cases import TOY_LABELS, TOY_ROWS, violation

BREAKPOINTS = [7.44, 3.75, 1.5, 1.25, 1.0]


def distinct(values: np.ndarray) -> list[float]:
    kept = [float(values[0])]
    for value in values[1:]:
        if abs(value - kept[-1]) > 1e-9:
            kept.append(float(value))
    return kept


@pytest.mark.parametrize("start", ["exact", "artificial"])
def test_breakpoints_and_coefficients(start: str) -> None:
    path = svc_path(TOY_ROWS, TOY_LABELS, kernel="linear", C_max=np.inf, start=start)
    assert path.status == "complete"
    assert distinct(path.segments.parameter) == pytest.approx(BREAKPOINTS)
    assert len(path.events) == 11
    wanted = ([1] * 6, [0, 1, 1, 0, 1, 1], [0, 0, 0, 0, 1, 1])
    for parameter, share in zip(BREAKPOINTS, (*wanted, wanted[2], wanted[2]), strict=True):
        coef = path.coef(1 / parameter) * parameter
        assert coef == pytest.approx(np.array(share) * TOY_LABELS, abs=1e-12)


def test_biases() -> None:
    path = svc_path(TOY_ROWS, TOY_LABELS, kernel="linear", C_max=np.inf)
    for parameter, bias in zip(BREAKPOINTS, (10.96, 6.25, 2.5, 2.5, 2.5), strict=True):
        assert path.intercept(1 / parameter) * parameter == pytest.approx(bias)


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4, 5), (3, 2, 0, 1, 5, 4)])
def test_the_order_of_the_rows_does_not_choose_the_bias(order: tuple[int, ...]) -> None:
    path = svc_path(TOY_ROWS[list(order)], TOY_LABELS[list(order)], kernel="linear", C_max=np.inf)
    low, high = path.intercept_interval(0.8)
    assert high - low == pytest.approx(0.5 * 0.8)
    assert path.intercept(0.8) == pytest.approx(0.5 * (low + high))


def test_the_interval_of_the_bias() -> None:
    path = svc_path(TOY_ROWS, TOY_LABELS, kernel="linear", C_max=np.inf)
    assert path.intercept_interval(1 / 1.25) == pytest.approx((2.25 * 0.8, 2.75 * 0.8))


def test_the_first_segment() -> None:
    path = svc_path(TOY_ROWS, TOY_LABELS, kernel="linear", C_max=np.inf)
    values, rates = path.segments.free(1)
    assert values == pytest.approx([1.0, -1.0])
    assert np.abs(rates) == pytest.approx([0.271002] * 2, abs=1e-6)
    assert path.segments.bias_rate[1] == pytest.approx(1.2764, abs=1e-4)


def test_every_solution_is_optimal() -> None:
    path = svc_path(TOY_ROWS, TOY_LABELS, kernel="linear", C_max=np.inf)
    for C in np.geomspace(0.05, 5, 60):
        assert violation(path, C) < 1e-12


def test_the_end_is_the_hard_margin() -> None:
    path = svc_path(TOY_ROWS, TOY_LABELS, kernel="linear", C_max=np.inf)
    assert path.coef(np.inf) == pytest.approx([0, 0, 0, 0, 1, -1], abs=1e-12)
    assert np.array_equal(path.coef(50.0), path.coef(np.inf))
    assert path.intercept(np.inf) == pytest.approx(2.5)
