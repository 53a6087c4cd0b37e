"""Passing over the rows: leave-one-out errors, GCV, and the alpha they choose."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mercer._shown import shown
from mercer.solvers.linear_system.system import System

__all__ = ["Evaluator", "Loss", "Scan", "default_alphas", "gcv", "scan"]

FloatArray = NDArray[np.float64]

# Values of all alphas at once, kept so that the rows need not be passed over again.
KEPT = 2**25

# From values (n_alphas, n_rows, n_outputs) and their rows to losses (n_alphas, n_rows).
Loss = Callable[[FloatArray, slice], FloatArray]


class Evaluator(Protocol):
    """A factored problem: fitted and held-out values for many alphas at little cost each."""

    @property
    def n_rows(self) -> int: ...

    def evaluate(self, alphas: FloatArray, rows: slice) -> tuple[FloatArray, FloatArray]:
        """Fitted values f(x_i) and leave-one-out values f_-i(x_i) of some rows.

        Both have shape (n_alphas, n_rows, n_outputs). Row i is left out with all its weight
        while alpha and the weights of the others stay (docs/theory/least_squares.md#alpha-is-held).
        """

    def dof(self, alphas: FloatArray) -> FloatArray:
        """Effective degrees of freedom tr(S) of the smoother S: Y -> f."""

    def condition(self, alpha: float) -> float:
        """Condition of the matrix solved with."""

    @property
    def largest(self) -> float:
        """Largest eigenvalue of the matrix alpha is added to."""

    @property
    def rounding(self) -> float:
        """Eigenvalue that rounding may make of zero where centring cancels; 0 if it does not."""


@dataclass(frozen=True, eq=False)
class Scan:
    """What one or more alphas do to left-out rows.

    Attributes
    ----------
    alphas : ndarray of shape (n_alphas,)
        The alphas.
    errors : ndarray of shape (n_alphas,)
        Weighted mean of the loss of the left-out rows.
    squares : ndarray of shape (n_alphas,)
        Weighted mean of their squared errors, averaged over outputs.
    gcv : ndarray of shape (n_alphas,)
        Generalized cross-validation.
    dof : ndarray of shape (n_alphas,)
        Effective degrees of freedom.
    best : int
        The alpha of the least error; ties go to the least squared error, then to the
        larger alpha.
    values : ndarray of shape (n_rows, n_outputs)
        Leave-one-out values of the best alpha; NaN for rows there was no time for.
    fitted : ndarray of shape (n_rows, n_outputs)
        Values of the machine of all rows, likewise.
    scores : ndarray of shape (n_alphas,) or None
        Scores of the left-out rows, if one was asked for.
    n_seen : int
        Rows left out before the time was up; errors are those of these rows.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Gaussian
    >>> from mercer.least_squares.choice import fit_least_squares
    >>> from mercer.least_squares.job import Job
    >>> from mercer.least_squares.job import squared_loss
    >>> from mercer.solvers.linear_system.system import System
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([[0.0], [1.0], [2.0]])
    >>> system, alphas = System(y, np.ones(3), bias=True), np.array([0.1, 1.0])
    >>> found = fit_least_squares(Job(Gaussian(), X, system, alphas, squared_loss(y), np.ones(3)))
    >>> found.scan.best, found.scan.errors.round(3).tolist()
    (0, [1.061, 1.293])
    """

    alphas: FloatArray
    errors: FloatArray
    squares: FloatArray
    gcv: FloatArray
    dof: FloatArray
    best: int
    values: FloatArray
    fitted: FloatArray
    n_seen: int
    scores: FloatArray | None = None

    __repr__ = shown()


def default_alphas(largest: float, rounding: float = 0.0) -> FloatArray:
    """Four values a decade, from the largest eigenvalue down by ten orders of magnitude.

    None is below ``rounding``, an eigenvalue that rounding may make of zero. Where the largest
    is not above, there is nothing to fit but the bias: alpha is as large as the kernel itself.

    Examples
    --------
    >>> from mercer.least_squares.scan import default_alphas
    >>> alphas = default_alphas(100.0)
    >>> float(alphas.max() / alphas.min()) > 1e10
    True
    """
    if rounding > 0 and largest <= rounding:
        return rounding / np.finfo(float).eps * 10.0 ** np.linspace(1.0, 0.0, 5)
    alphas = (largest if largest > 0 else 1.0) * 10.0 ** np.linspace(1.0, -10.0, 45)
    return alphas[alphas >= rounding]


def gcv(residual_square: FloatArray, dof: FloatArray, total: float) -> FloatArray:
    """(RSS / N) / (1 - tr(S) / N)^2 (Craven & Wahba 1979), N the sum of the weights."""
    free = np.maximum(1.0 - dof / total, np.finfo(float).eps)
    return residual_square / total / free**2


def scan(
    evaluator: Evaluator,
    system: System,
    alphas: FloatArray,
    loss: Loss,
    weight: FloatArray,
    *,
    by_gcv: bool = False,
    score: Callable[[FloatArray], float] | None = None,
    deadline: float = np.inf,
) -> Scan:
    """Evaluate every alpha by leaving out every row.

    Parameters
    ----------
    evaluator : Evaluator
        The factored problem.
    system : System
        Its targets and weights.
    alphas : ndarray of shape (n_alphas,)
        What to choose from.
    loss : callable
        Loss of left-out rows.
    weight : ndarray of shape (n_rows,)
        How much each row counts in the mean loss.
    by_gcv : bool, default=False
        Whether the best is that of the least GCV.
    score : callable, default=None
        From left-out values to a score; the best is that of the largest.
    deadline : float, default=inf
        Time of ``time.perf_counter`` after which no more rows are left out.
    """
    n, n_outputs = system.targets.shape
    keep = 2 * len(alphas) * n * n_outputs <= KEPT
    kept = np.full((2, len(alphas) if keep else 0, n, n_outputs), np.nan)
    errors, squares, fit = np.zeros((3, len(alphas)))
    n_seen = 0
    for rows in _blocks(n, len(alphas) * n_outputs):
        fitted, held_out = evaluator.evaluate(alphas, rows)
        y = system.targets[rows]
        errors += loss(held_out, rows) @ weight[rows]
        squares += ((y - held_out) ** 2).mean(axis=2) @ weight[rows]
        fit += ((y - fitted) ** 2).mean(axis=2) @ system.weight[rows]
        if keep:
            kept[:, :, rows] = fitted, held_out
        n_seen = rows.stop
        if time.perf_counter() > deadline:
            break
    total = weight[:n_seen].sum()
    errors, squares = errors / total, squares / total
    dof = evaluator.dof(alphas)
    general = gcv(fit * (system.total / system.weight[:n_seen].sum()), dof, system.total)

    def values(k: int) -> FloatArray:
        return kept[:, k] if keep else _values(evaluator, alphas[[k]], n_seen, (n, n_outputs))

    scores, judged = None, general if by_gcv else errors
    if score is not None:
        scores = np.array([score(values(k)[1, :n_seen]) for k in range(len(alphas))])
        judged = -scores
    best = int(np.lexsort((-alphas, squares, judged))[0])
    fitted, held_out = values(best).copy()
    return Scan(alphas, errors, squares, general, dof, best, held_out, fitted, n_seen, scores)


def _values(
    evaluator: Evaluator, alpha: FloatArray, n_seen: int, shape: tuple[int, int]
) -> FloatArray:
    """Fitted and leave-one-out values of one alpha."""
    values = np.full((2, *shape), np.nan)
    for rows in _blocks(n_seen, shape[1]):
        values[:, rows] = [part[0] for part in evaluator.evaluate(alpha, rows)]
    return values


def _blocks(n: int, width: int) -> Iterator[slice]:
    """Slices of rows: long enough for matrix products, short enough for the memory."""
    height = int(np.clip(2**22 // max(width, 1), 64, 4096))
    for start in range(0, n, height):
        yield slice(start, min(start + height, n))
