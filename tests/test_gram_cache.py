"""Kernel rows are kept within a budget, counted, and shared between threads."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kernels.kernel_cases import rows
from mercer import Gram, Smo, solve
from mercer import formulations as fm
from mercer.kernels import Constant, FunctionKernel, Gaussian, Linear, Precomputed

N = 40


def small_gram(n_kept: float, **options: Any) -> Gram:
    """A Gram with memory for so many rows."""
    megabytes = n_kept * N * 8 / 2**20
    return Gram(Gaussian(0.3), rows(N, seed=1), cache_size=megabytes, **options)


def misses(gram: Gram) -> int:
    return int(gram.native().n_misses)


def test_rows_beyond_the_budget_are_computed_again() -> None:
    gram, K = small_gram(3), Gaussian(0.3)(rows(N, seed=1))
    for i in np.random.default_rng(0).integers(0, N, 200):
        np.testing.assert_allclose(gram.row(i), K[i], atol=1e-12)
    assert gram.n_evaluations == N * misses(gram)
    assert misses(gram) > 100


def test_the_least_recently_used_row_goes_first() -> None:
    gram = small_gram(3)
    for i, expected in [(0, 1), (1, 2), (2, 3), (0, 3), (3, 4), (0, 4), (2, 4), (1, 5), (3, 6)]:
        gram.row(i)
        assert misses(gram) == expected, f"row {i}"
    assert gram.hit_rate == pytest.approx(3 / 9)


def test_no_more_rows_are_kept_than_the_budget_allows() -> None:
    gram = small_gram(3.9)
    for _ in range(5):
        for i in range(4):
            gram.row(i)
    assert misses(gram) == 20


def test_with_enough_memory_every_row_is_computed_once() -> None:
    gram = small_gram(N)
    for _ in range(3):
        for i in range(N):
            gram.row(i)
    assert misses(gram) == N
    assert gram.n_evaluations == N * N
    assert gram.hit_rate == pytest.approx(2 / 3)


def test_segments_are_cached_one_by_one() -> None:
    gram = small_gram(3, segments=[0, 10, 10, N])
    gram.row(0)
    gram.row(0)
    assert (gram.native().n_misses, gram.native().n_hits) == (3, 3)
    assert gram.n_evaluations == N


def test_blocks_and_products_are_counted_but_not_kept() -> None:
    gram = small_gram(N)
    gram.block([1, 2], [0, 1, 2])
    gram.product([1, 2], [1.0, 1.0])
    assert gram.n_evaluations == 6 + 2 * N
    assert (misses(gram), gram.hit_rate) == (0, 0.0)


def test_a_solve_with_three_rows_of_memory_ends_at_the_optimum() -> None:
    problem = fm.svc(np.where(rows(N, seed=1)[:, 1] > 0, 1.0, -1.0), 2.0).problem
    tight, ample = (solve(problem, small_gram(k), tol=1e-8) for k in (3, N))
    assert tight.objective == pytest.approx(ample.objective, rel=1e-9)
    assert tight.n_kernel > ample.n_kernel


class Counting:
    """A kernel function that counts its calls and fails when told to."""

    def __init__(self) -> None:
        self.calls = 0
        self.answer: Any = None
        self.lock = threading.Lock()

    def __call__(self, left: NDArray[Any], right: NDArray[Any]) -> Any:
        with self.lock:
            self.calls += 1
        if self.answer is ZeroDivisionError:
            raise ZeroDivisionError("by the user")
        return left @ right.T if self.answer is None else self.answer

    def gram(self, X: NDArray[Any], **options: Any) -> Gram:
        kernel = FunctionKernel(self, diagonal=lambda rows: (rows**2).sum(axis=1))
        return Gram(kernel, X, **options)


def test_a_function_is_asked_for_several_rows_at_once() -> None:
    function, X = Counting(), rows(100, seed=2)
    gram = function.gram(X)
    for i in range(100):
        np.testing.assert_allclose(gram.row(i), X @ X[i], atol=1e-12)
    assert function.calls == 7
    assert gram.n_evaluations == 100 * 100


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (ZeroDivisionError, ZeroDivisionError, "by the user"),
        (np.ones((2, 2)), ValueError, r"must return an array of shape .* got \(2, 2\)"),
        (np.full((N, 1), np.nan), ValueError, "not finite"),
        ("text", ValueError, "must return an array"),
    ],
)
def test_after_a_function_failed_the_gram_still_works(
    answer: Any, error: type[Exception], message: str
) -> None:
    function, X = Counting(), rows(N, seed=2)
    gram = function.gram(X)
    gram.row(20)
    function.answer = answer
    with pytest.raises(error, match=message):
        gram.row(3)
    with pytest.raises(error):
        gram.block([0], [1, 2, 3])
    with pytest.raises(error):
        gram.product(None, np.ones(N))
    np.testing.assert_allclose(gram.row(20), X @ X[20], atol=1e-12)
    function.answer = None
    np.testing.assert_allclose(gram.row(3), X @ X[3], atol=1e-12)


def test_a_function_that_fails_during_a_solve() -> None:
    function, X = Counting(), rows(N, seed=2)
    gram = function.gram(X)
    problem = fm.svc(np.where(X[:, 1] > 0, 1.0, -1.0), 2.0).problem
    function.answer = ZeroDivisionError
    with pytest.raises(ZeroDivisionError, match="by the user"):
        solve(problem, gram)
    function.answer = None
    assert solve(problem, gram).converged


def test_rows_asked_for_by_several_threads() -> None:
    X = rows(N, seed=3)
    K = X @ X.T
    order = np.random.default_rng(0).integers(0, N, 400)
    for gram in (
        Gram(Linear(), X, cache_size=5 * N * 8 / 2**20, n_threads=2),
        Counting().gram(X, cache_size=5 * N * 8 / 2**20),
        Counting().gram(X),
    ):
        with ThreadPoolExecutor(8) as pool:
            for i, row in zip(order, pool.map(gram.row, order.tolist()), strict=True):
                np.testing.assert_allclose(row, K[i], atol=1e-12)


def test_a_failing_function_fails_for_all_threads_that_wait() -> None:
    function, X = Counting(), rows(N, seed=3)
    gram = function.gram(X)
    gram.diagonal()
    function.answer = ZeroDivisionError
    with ThreadPoolExecutor(8) as pool:
        results = [pool.submit(gram.row, i % 16) for i in range(64)]
    assert all(isinstance(r.exception(), (ZeroDivisionError, RuntimeError)) for r in results)
    function.answer = None
    np.testing.assert_allclose(gram.row(3), X @ X[3], atol=1e-12)


@pytest.mark.parametrize("precision", ["single", "double"])
def test_several_solves_share_one_gram(precision: Any) -> None:
    """Solves side by side give the bytes of solves one after the other."""
    X = np.random.default_rng(0).normal(size=(300, 3))
    y = np.where(X[:, 0] * X[:, 1] > 0, 1.0, -1.0)
    problems = [fm.svc(y, C).problem for C in np.logspace(-1, 2, 8)]

    def coef(gram: Gram, problem: Any) -> bytes:
        return solve(problem, gram, Smo(refine=False), tol=1e-4).coef.tobytes()

    options = {"precision": precision, "cache_size": 0.2, "n_threads": 2}
    expected = [coef(Gram(Gaussian(1.0), X, **options), problem) for problem in problems]
    gram = Gram(Gaussian(1.0), X, **options)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda problem: coef(gram, problem), problems)) == expected


def test_threads_that_come_first_together_build_one_matrix() -> None:
    gram, start = small_gram(N), threading.Barrier(8)

    def first_row(i: int) -> int:
        start.wait()
        gram.row(i)
        return id(gram.native())

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(first_row, range(8)))) == 1
    assert gram.n_evaluations == 8 * N


class Endless:
    """More rows than there is memory for their square."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n


def test_nothing_is_allocated_in_advance() -> None:
    for n in (2**20, 2**33, 2**62):
        for cache_size in ("auto", 1e300, np.inf):
            gram = Gram(Constant(2.0), Endless(n), cache_size=cache_size)  # type: ignore[arg-type]
            assert gram.n_rows == n
    n = 2**15
    gram = Gram(Precomputed(), np.broadcast_to(np.float64(3.0), (n, n)), cache_size=10)
    np.testing.assert_array_equal(gram.row(n - 1), np.full(n, 3.0, np.float32))
    np.testing.assert_array_equal(gram.product([n - 1], [2.0]), np.full(n, 6.0))
