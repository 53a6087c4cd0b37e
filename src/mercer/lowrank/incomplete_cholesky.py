"""Incomplete Cholesky factors of a kernel matrix, grown column by column."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._shown import shown

__all__ = ["IncompleteCholesky", "greedy_cholesky", "incomplete_cholesky"]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

# Below this share of the largest diagonal entry a pivot is rounding.
PIVOT = 1e-12
# The best of 59 random points is among the best 5 % of all with probability 0.95.
CANDIDATES = 59


class KernelRows(Protocol):
    """What a factorization asks of the kernel values (a :class:`~mercer.Gram`)."""

    @property
    def n_rows(self) -> int: ...

    def diagonal(self) -> FloatArray: ...

    def block(self, rows: ArrayLike, columns: ArrayLike) -> NDArray[Any]: ...


@dataclass(frozen=True, eq=False)
class IncompleteCholesky:
    """``K ~ factor factor'``, exact in the rows and columns of the pivots.

    Attributes
    ----------
    pivots : ndarray of shape (rank,)
        The rows chosen, in order; as many as the matrix has rank, if that is less than
        what was asked for.
    factor : ndarray of shape (n_rows, rank)
        The factor; ``factor factor'`` is the Nystrom matrix on the pivots.
    residual : ndarray of shape (n_rows,)
        Diagonal of ``K - factor factor'``, never negative.

    Examples
    --------
    >>> from mercer import Gram
    >>> from mercer.kernels import Linear
    >>> from mercer.lowrank import incomplete_cholesky
    >>> found = incomplete_cholesky(Gram(Linear(), [[1.0, 0.0], [0.0, 2.0], [1.0, 2.0]]), rank=3)
    >>> found.pivots.tolist(), found.factor.shape, float(found.residual.max().round(9))
    ([2, 1], (3, 2), 0.0)
    """

    pivots: IndexArray
    factor: FloatArray
    residual: FloatArray

    __repr__ = shown()

    @property
    def trace_error(self) -> float:
        """``tr(K - factor factor')``."""
        return float(self.residual.sum())


def incomplete_cholesky(
    gram: KernelRows, rank: int, *, deadline: float = np.inf
) -> IncompleteCholesky:
    """Pivot on the worst represented row: the largest residual (Fine & Scheinberg 2001).

    O(n rank^2) time, n rank kernel values.

    Parameters
    ----------
    gram : Gram
        Kernel values.
    rank : int
        Largest number of pivots.
    deadline : float, default=inf
        Time of ``time.perf_counter`` after which no pivot but the first is added.

    Examples
    --------
    >>> from mercer import Gram
    >>> from mercer.kernels import Gaussian
    >>> from mercer.lowrank import incomplete_cholesky
    >>> found = incomplete_cholesky(Gram(Gaussian(), [[0.0], [0.1], [5.0]]), rank=2)
    >>> found.residual.round(3).tolist()  # what is left of k(x, x)
    [0.0, 0.02, 0.0]
    """
    return _grow(gram, rank, lambda residual, _: int(residual.argmax()), deadline)


def greedy_cholesky(
    gram: KernelRows,
    rank: int,
    rng: np.random.Generator,
    n_candidates: int = CANDIDATES,
    *,
    deadline: float = np.inf,
) -> IncompleteCholesky:
    """Pivot on the row that lowers tr(K - K~) most (Smola & Schoelkopf 2000).

    Each step weighs up ``n_candidates`` random rows p by the squared norm of their residual
    columns, gain_p = |(K - K~) e_p|^2 / (K - K~)_pp.
    """
    everything = np.arange(gram.n_rows)

    def best(residual: FloatArray, rows: FloatArray) -> int:
        open_rows = np.flatnonzero(residual > 0)
        drawn = rng.choice(open_rows, min(n_candidates, len(open_rows)), replace=False)
        columns = gram.block(drawn, everything) - rows[:, drawn].T @ rows
        gain = np.einsum("ij,ij->i", columns, columns) / residual[drawn]
        return int(drawn[gain.argmax()])

    return _grow(gram, rank, best, deadline)


def _grow(
    gram: KernelRows,
    rank: int,
    choose: Callable[[FloatArray, FloatArray], int],
    deadline: float,
) -> IncompleteCholesky:
    """Adds pivots: row_k = (K[p] - sum_{s<k} row_s[p] row_s) / sqrt(d_p), d -= row_k^2."""
    n = gram.n_rows
    residual = np.array(gram.diagonal(), dtype=np.float64)
    if (residual < 0).any():
        raise ValueError(
            f"the kernel must be positive semi-definite, got a negative k(x, x): {residual.min()!r}"
        )
    floor = PIVOT * residual.max(initial=0.0)
    rows = np.empty((min(rank, n), n))
    pivots: list[int] = []
    everything = np.arange(n)
    residual[residual <= floor] = 0.0
    while len(pivots) < len(rows) and residual.any():
        k, p = len(pivots), choose(residual, rows[: len(pivots)])
        row = rows[k]
        row[:] = gram.block([p], everything)[0]
        row -= rows[:k, p] @ rows[:k]
        row /= np.sqrt(residual[p])
        residual -= row**2
        pivots.append(p)
        residual[p] = 0.0
        residual[residual <= floor] = 0.0
        if time.perf_counter() > deadline:
            break
    return IncompleteCholesky(np.array(pivots, dtype=np.intp), rows[: len(pivots)].T, residual)
