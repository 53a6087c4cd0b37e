"""What a Gram refuses, and how clearly it says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from mercer import Gram
from mercer.kernels import FunctionKernel, Gaussian, Linear, Precomputed

X = np.random.default_rng(0).normal(size=(6, 4))


def refuse(call: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"precision": "half"}, ValueError, "precision must be .* got 'half'"),
        ({"cache_size": 0}, ValueError, "cache_size must be a positive number of MB .* got 0"),
        ({"cache_size": -1.5}, ValueError, "got -1.5"),
        ({"cache_size": np.nan}, ValueError, "got nan"),
        ({"cache_size": "all"}, ValueError, "got 'all'"),
        ({"n_threads": 0}, ValueError, "n_threads must be at least 1 or None, got 0"),
        ({"segments": [0, 5]}, ValueError, r"ascend from 0 to n_rows=6 .* got \[0, 5\]"),
        ({"segments": [1, 6]}, ValueError, "segments must ascend"),
        ({"segments": [0, 4, 2, 6]}, ValueError, "segments must ascend"),
        ({"segments": []}, ValueError, "segments must ascend"),
        ({"segments": [6]}, ValueError, "segments must ascend"),
        ({"segments": [0, 7]}, IndexError, r"segments must lie in 0\.\.6, got 7"),
        ({"segments": [0, 2.5, 6]}, TypeError, "segments must be a vector of integers"),
        ({"segments": [[0, 6]]}, TypeError, r"segments must be .* of shape \(1, 2\)"),
        ({"segments": "0-6"}, TypeError, "segments must be a vector of integers"),
        ({"segments": [0, *[3] * 2**16, 6]}, ValueError, "at most 65535 steps"),
    ],
)
def test_options(options: dict[str, Any], error: type[Exception], message: str) -> None:
    refuse(lambda: Gram(Linear(), X, **options), error, message)


def test_kernel() -> None:
    refuse(lambda: Gram("rbf", X), TypeError, "kernel must be a Kernel, got 'rbf'")  # type: ignore[arg-type]
    refuse(lambda: Gram(Gaussian("scale"), X).row(0), ValueError, "use the kernel that resolve")


@pytest.mark.parametrize(
    ("kernel", "rows", "error", "message"),
    [
        (Linear(), X[0], ValueError, r"X must be two-dimensional .* got \(4,\)"),
        (Linear(), ["a", "b"], ValueError, "X must be two-dimensional"),
        (Gaussian([1.0, 2.0, 3.0]), X, ValueError, r"is for 3 features, but .* \(6, 4\)"),
        (Gaussian(np.eye(3)), X, ValueError, "is for 3 features"),
        (Gaussian([1.0, 2.0]), sparse.csr_array(X), ValueError, "is for 2 features"),
        (Precomputed(), X, ValueError, "must be a square matrix. Input is a 6x4"),
        (Precomputed(), X.T, ValueError, "must be a square matrix. Input is a 4x6"),
        (
            Precomputed(),
            sparse.eye_array(3),
            TypeError,
            "Sparse precomputed kernels are not supported",
        ),
        (Linear(), np.where(X[2, 1] == X, np.nan, X), ValueError, "X must be finite, got nan"),
        (Gaussian(1.0), np.where(X[2, 1] == X, -np.inf, X), ValueError, "finite, got -inf"),
        (Linear(), sparse.csc_array([[0.0, np.nan]]), ValueError, "X must be finite, got nan"),
        (Precomputed(), np.full((2, 2), np.nan), ValueError, "X must be finite, got nan"),
    ],
)
def test_rows(kernel: Any, rows: Any, error: type[Exception], message: str) -> None:
    """Rows that do not fit their kernel were read past their end."""
    refuse(lambda: Gram(kernel, rows).row(0), error, message)


@pytest.mark.parametrize("i", [-1, 6, 2**70])
def test_row_out_of_range(i: int) -> None:
    refuse(lambda: Gram(Linear(), X).row(i), IndexError, rf"row must lie in 0\.\.5, got {i}")


def test_row_must_be_an_integer() -> None:
    refuse(lambda: Gram(Linear(), X).row(1.0), TypeError, "float")  # type: ignore[arg-type]
    assert Gram(Linear(), X).row(np.int32(2)).shape == (6,)


@pytest.mark.parametrize(
    ("index", "error", "message"),
    [
        ([0, 6], IndexError, r"lie in 0\.\.5, got 6"),
        ([-1], IndexError, r"lie in 0\.\.5, got -1"),
        ([[0, 1]], TypeError, r"vector of integers, got int64 of shape \(1, 2\)"),
        ([0.0, 1.0], TypeError, "vector of integers, got float64"),
        (X[:, 0] > 0, TypeError, "vector of integers, got bool"),
        (np.array([2**63], np.uint64), IndexError, "got 9223372036854775808"),
    ],
)
def test_indices(index: Any, error: type[Exception], message: str) -> None:
    """Masks were taken for the rows 0 and 1, fractions rounded down."""
    gram, ones = Gram(Linear(), X), np.ones(np.shape(index)[0])
    refuse(lambda: gram.block(index, [0]), error, f"rows must .*{message}")
    refuse(lambda: gram.block([0], index), error, f"columns must .*{message}")
    refuse(lambda: gram.product(index, ones), error, f"columns must .*{message}")


def test_indices_of_any_integer_type() -> None:
    gram = Gram(Linear(), X)
    for dtype in (np.uint8, np.int16, np.int32, np.uint64):
        np.testing.assert_array_equal(
            gram.block(np.array([3, 1], dtype), np.array([2], dtype)), gram.block([3, 1], [2])
        )
    assert gram.block(np.arange(6)[::2], range(4)).shape == (3, 4)


@pytest.mark.parametrize("weights", [np.ones(5), np.ones((7, 2)), np.ones((6, 1, 1)), 1.0])
def test_weights(weights: Any) -> None:
    refuse(lambda: Gram(Linear(), X).product(None, weights), ValueError, "weights must have 6 rows")


def test_precision_of_a_product() -> None:
    gram = Gram(Linear(), X)
    refuse(
        lambda: gram.product(None, np.ones(6), precision="half"),  # type: ignore[arg-type]
        ValueError,
        "precision must be 'single', 'double' or None, got 'half'",
    )


def test_rows_whose_sum_overflows_are_finite() -> None:
    Gram(Linear(), np.full((6, 2), 1e308))


def test_a_function_may_read_rows_with_holes() -> None:
    rows = np.where(X[2, 1] == X, np.nan, X)
    kernel = FunctionKernel(lambda a, b: np.nan_to_num(a) @ np.nan_to_num(b).T)
    assert np.isfinite(Gram(kernel, rows).row(2)).all()
