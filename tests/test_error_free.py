"""Products with twice the digits, against rational numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from mercer.problem.error_free import Long, add_with_rest, long_expansion, long_product

FloatArray = NDArray[np.float64]


def wild(rng: np.random.Generator, *shape: int) -> FloatArray:
    """Numbers of very different sizes, some of them zero."""
    values = rng.normal(size=shape) * 10.0 ** rng.integers(-6, 7, shape)
    return np.where(rng.random(shape) < 0.2, 0.0, values)


def exact_product(rows: FloatArray, weights: Long) -> list[Fraction]:
    total = [Fraction(a) + Fraction(b) for a, b in zip(*weights, strict=True)]
    return [
        sum((Fraction(x) * w for x, w in zip(row, total, strict=True)), Fraction(0)) for row in rows
    ]


def sparse_rows(rows: FloatArray) -> Any:
    return sparse.csr_matrix(rows)


@pytest.mark.parametrize("store", [np.asarray, sparse_rows])
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(0, 5), m=st.integers(0, 40))
@settings(deadline=None, max_examples=30)
def test_a_product_has_twice_the_digits(store: Any, seed: int, n: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    rows, weights = wild(rng, n, m), wild(rng, m)
    pair = (weights, 1e-17 * weights * rng.normal(size=m))
    value, rest = long_product(store(rows), pair)
    for row, a, b, exact in zip(rows, value, rest, exact_product(rows, pair), strict=True):
        largest = np.abs(row).max(initial=0.0) * np.abs(weights).max(initial=0.0)
        assert abs(Fraction(a) + Fraction(b) - exact) <= Fraction(m * largest) / 2**100
        assert abs(b) <= np.spacing(abs(a))


@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300))
@settings(deadline=None, max_examples=50)
def test_a_sum_and_its_rest_are_the_sum(a: float, b: float) -> None:
    total, rest = add_with_rest(np.array(a), np.array(b))
    assert Fraction(float(total)) + Fraction(float(rest)) == Fraction(a) + Fraction(b)


@pytest.mark.parametrize("store", [np.asarray, sparse_rows])
def test_rows_that_share_a_row_do_not_round_its_coefficient(store: Any) -> None:
    """1e5 and -1e5 + 1e-9 on one row: adding them first would lose nothing, 1e5 and 1e-12 would."""
    rng = np.random.default_rng(0)
    rows, index = wild(rng, 6, 4), np.array([0, 1, 2, 3, 4, 5, 0, 1])
    coef = np.array([1e5, -1e5, 3.0, 0.0, -7e4, 1.0, 1e-12, 1e-13 - 2.0])
    value, rest = long_expansion(store(rows), index, (coef, np.zeros(8)))
    w = [exact_product(rows[index].T[[k]], (coef, np.zeros(8)))[0] for k in range(4)]
    for i, a, b in zip(index, value, rest, strict=True):
        exact = sum((Fraction(x) * y for x, y in zip(rows[i], w, strict=True)), Fraction(0))
        size = float(sum(abs(y) for y in w)) * np.abs(rows[i]).max()
        assert abs(Fraction(a) + Fraction(b) - exact) <= Fraction(size) / 2**95
