"""Landmarks: the rows that represent all others."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.gram.native import count_rows, take_rows
from mercer.kernels import Kernel
from mercer.lowrank.incomplete_cholesky import CANDIDATES, greedy_cholesky, incomplete_cholesky
from mercer.lowrank.random_landmarks import leverage_landmarks, spread_landmarks, uniform_landmarks

__all__ = ["LANDMARKS", "Landmarks", "choose_landmarks"]

IndexArray = NDArray[np.intp]
Landmarks = Literal["random", "incomplete-cholesky", "greedy", "k-means++", "leverage"]
LANDMARKS: tuple[str, ...] = get_args(Landmarks)

# What a choice may cost on large data: numbers kept at once, and multiplications.
STORED = 2**25
WORK = 2e11


def choose_landmarks(
    choice: Landmarks,
    kernel: Kernel,
    X: Any,
    rank: int,
    rng: np.random.Generator,
    *,
    n_threads: int | None = None,
    deadline: float = np.inf,
    shift: NDArray[np.float64] | None = None,
) -> IndexArray:
    """Positions of at most ``rank`` rows of ``X`` that represent the others.

    All choices but "random" look at no more rows than their cost allows, about 30,000 for
    ``rank=1000``: a random part of ``X`` if there are more.

    Parameters
    ----------
    choice : {"random", "incomplete-cholesky", "greedy", "k-means++", "leverage"}
        "random": uniformly; "incomplete-cholesky": the worst represented row next;
        "greedy": of some rows, the one that lowers the trace of the error most;
        "k-means++": far from the rows chosen already, in feature space; "leverage": by
        estimated ridge leverage.
    deadline : float, default=inf
        Time of ``time.perf_counter`` after which no more rows are looked for: "leverage" takes
        random ones then, and the others leave it at those chosen, at least one.
    shift : ndarray of shape (n_features,), default=None
        Point that rows are measured from; None means zero.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Gaussian
    >>> from mercer.lowrank.landmarks import choose_landmarks
    >>> X, rng = [[0.0], [0.1], [5.0], [5.1]], np.random.default_rng(0)
    >>> len(choose_landmarks("incomplete-cholesky", Gaussian(), X, 2, rng))
    2
    """
    n = count_rows(X)
    if choice == "random":
        return uniform_landmarks(n, rank, rng)
    seen = _rows_to_look_at(choice, n, rank, rng)
    is_part = len(seen) < n
    rows = X if not is_part else _part(kernel, X, seen)
    gram = Gram(kernel, rows, precision="double", cache_size=1, n_threads=n_threads, shift=shift)
    if choice == "incomplete-cholesky":
        chosen = incomplete_cholesky(gram, rank, deadline=deadline).pivots
    elif choice == "greedy":
        chosen = greedy_cholesky(gram, rank, rng, deadline=deadline).pivots
    elif choice == "k-means++":
        chosen = spread_landmarks(gram, rank, rng, deadline)
    else:
        chosen = leverage_landmarks(gram, rows, rank, rng, deadline)
    # where all kernel values are 0 every row is as good as none
    return seen[chosen] if len(chosen) else seen[:1]


def _rows_to_look_at(choice: Landmarks, n: int, rank: int, rng: np.random.Generator) -> IndexArray:
    limit = STORED // rank
    if choice == "greedy":
        limit = min(limit, int(WORK / (CANDIDATES * rank**2 / 2)))
    limit = max(limit, 2 * rank)
    return np.arange(n) if n <= limit else np.sort(rng.choice(n, limit, replace=False))


def _part(kernel: Kernel, X: Any, seen: IndexArray) -> Any:
    rows = take_rows(X, seen)
    return rows[:, seen] if kernel.form().reads_stored else rows
