"""Codes with zeros: every column is a machine on the rows of its own classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._memory import require_memory
from mercer.codes import OutputCode
from mercer.least_squares.choice import fit_least_squares
from mercer.least_squares.job import Job, LeastSquaresFit
from mercer.least_squares.scan import default_alphas
from mercer.machines.least_squares.one_against_all import wrong_class
from mercer.solvers.linear_system import System

__all__ = ["ColumnFits", "column_jobs", "fit_columns"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

_PRODUCTS = 8  # for a rough largest eigenvalue


@dataclass(frozen=True, eq=False)
class ColumnFits:
    """The machines of a code.

    Attributes
    ----------
    fits : list of LeastSquaresFit
        One for each column.
    rows : list of ndarray
        The rows each of them was fitted on.
    alphas, errors : ndarray of shape (n_alphas,)
        What alpha was chosen from, and the mean share of wrong rows when left out.
    """

    fits: list[LeastSquaresFit]
    rows: list[IntArray]
    alphas: FloatArray
    errors: FloatArray | None

    def collected(self, n_rows: int) -> LeastSquaresFit:
        """One machine of as many outputs as there are columns."""
        first, n = self.fits[0], len(self.fits)
        common: dict[str, Any] = {
            "intercept": np.concatenate([fit.intercept for fit in self.fits]),
            "condition": max((f.condition for f in self.fits if f.condition), default=None),
            "residual": max(fit.residual for fit in self.fits),
            "n_iter": max(fit.n_iter for fit in self.fits),
            "converged": all(fit.converged for fit in self.fits),
            "is_rough": any(fit.is_rough for fit in self.fits),
            **{"scan": None, "shift": None, "near_intercept": None, "rows": None},
        }
        if first.weights is not None:
            weights = np.hstack([fit.weights for fit in self.fits if fit.weights is not None])
            return replace(first, weights=weights, coef=None, support=None, **common)
        require_memory(
            8.0 * n * n_rows, f"coefficients of {n} machines", "a code without zeros needs less"
        )
        coef = np.zeros((n_rows, n))
        for k, (fit, rows) in enumerate(zip(self.fits, self.rows, strict=True)):
            assert fit.coef is not None
            assert fit.support is not None
            coef[rows[fit.support], k] = fit.coef[:, 0]
        support = np.flatnonzero(coef.any(axis=1))
        return replace(first, coef=coef[support], support=support, weights=None, **common)

    def left_out(self, outputs: FloatArray) -> FloatArray | None:
        """Outputs of each row by machines that have not seen it, from those of all machines."""
        found = outputs.copy()
        for k, (fit, rows) in enumerate(zip(self.fits, self.rows, strict=True)):
            if fit.scan is None or fit.scan.n_seen < len(rows):
                return None
            found[rows, k] = fit.scan.values[:, 0]
        return found


def column_jobs(
    whole: Job, code: OutputCode, labels: IntArray, take: Any
) -> list[tuple[Job, IntArray]]:
    """The job of each column, on its rows; ``take`` gives some of the rows of ``whole``."""
    jobs = []
    for column in code.matrix.T:
        sign = column[labels].astype(np.float64)
        rows = np.flatnonzero(sign)
        weight = whole.system.weight[rows]
        job = replace(
            whole,
            X=take(rows),
            system=System(sign[rows, None], weight, whole.system.bias),
            loss=wrong_class((sign[rows] > 0).astype(np.intp)),
            loss_weight=weight,
        )
        jobs.append((job, rows))
    return jobs


def fit_columns(jobs: list[tuple[Job, IntArray]], whole: Job) -> ColumnFits:
    """Fit every column with one alpha for all, that of the least mean error (or GCV).

    Several alphas take two passes: the first looks at each of them, the second fits.
    """
    alphas, errors = whole.alphas, None
    if alphas is None:
        alphas = default_alphas(_largest(whole))
    if len(alphas) > 1:
        errors = np.zeros(len(alphas))
        judged = np.zeros(len(alphas))
        total = sum(float(job.loss_weight.sum()) for job, _ in jobs)
        for job, _ in jobs:
            scan = fit_least_squares(replace(job, alphas=alphas)).scan
            assert scan is not None
            share = float(job.loss_weight.sum()) / total
            errors += share * scan.errors
            judged += share * (scan.gcv if whole.by_gcv else scan.errors)
        # ties go to the larger alpha
        best = float(alphas[np.lexsort((-alphas, judged))[0]])
    else:
        best = float(alphas[0])
    fits = [fit_least_squares(replace(job, alphas=np.array([best]))) for job, _ in jobs]
    return ColumnFits(fits, [rows for _, rows in jobs], alphas, errors)


def _largest(job: Job) -> float:
    """About the largest eigenvalue of the weighted kernel matrix, by a few products."""
    gram, scale = job.gram(), np.sqrt(job.system.weight)
    v = scale / np.linalg.norm(scale)
    size = 0.0
    for _ in range(_PRODUCTS):
        v = scale * gram.product(None, scale * v)
        size = float(np.linalg.norm(v))
        if not size > 0.0:
            break
        v /= size
    return size
