"""The exact machine by one factorization of the kernel matrix."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mercer._memory import require_memory
from mercer.gram import Gram
from mercer.least_squares.job import Job, LeastSquaresFit, scanned
from mercer.least_squares.leave_one_out import LeaveOneOutSystem
from mercer.solvers.linear_system.factors import CholeskyFactor
from mercer.solvers.linear_system.residual import dual_residual

__all__ = ["LESS", "fit_direct", "require_squares"]

FloatArray = NDArray[np.float64]

# What takes less memory than n x n matrices.
LESS = (
    "low_rank works in blocks of rows, and solver='cg', which takes one alpha, stores no "
    "kernel values"
)


def fit_direct(job: Job, *, spectral: bool) -> LeastSquaresFit:
    """One n x n factorization: Cholesky for one alpha, the spectrum for many.

    A spectrum of one alpha, ten times the work, is left undone where the time is up.
    """
    require_squares(3 if spectral else 2, job.system.n_rows, "eigen" if spectral else "direct")
    gram, everything = job.gram(), np.arange(job.system.n_rows)
    matrix, product = _values_and_product(gram)
    one_alpha = job.alpha if not spectral or job.is_late else None
    evaluator = LeaveOneOutSystem.of(job.system, matrix, one_alpha, clip=gram.is_positive_definite)
    alpha, result = scanned(job, evaluator)
    coef, intercept = evaluator.solve(alpha)
    return LeastSquaresFit(
        solver="direct" if isinstance(evaluator.factor, CholeskyFactor) else "eigen",
        alpha=alpha,
        intercept=coef.sum(axis=0) if job.penalized else intercept,
        coef=coef,
        support=everything,
        scan=result,
        condition=evaluator.condition(alpha),
        residual=dual_residual(job.system, alpha, coef, intercept, product, gram.diagonal()),
    )


def _values_and_product(
    gram: Gram,
) -> tuple[Callable[[], FloatArray], Callable[[FloatArray], FloatArray]]:
    """A new matrix of kernel values, and products with it.

    Python functions are slow next to a factorization: their values are kept.
    """
    everything = np.arange(gram.n_rows)
    whole = lambda: np.asarray(gram.block(everything, everything), dtype=np.float64)  # noqa: E731
    if not gram.kernel.form().reads_python:
        return whole, lambda V: gram.product(None, V)
    kept = whole()
    return kept.copy, lambda V: kept @ V


def require_squares(count: int, n_rows: int, solver: str, instead: str = LESS) -> None:
    """Refuse so many n x n matrices of doubles if there is no room for them."""
    require_memory(8.0 * count * n_rows**2, f"solver {solver!r} with {n_rows} rows", instead)
