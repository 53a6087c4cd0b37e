"""The active set on a low-rank approximation of the kernel (Sentelle 2014, algorithm 6)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.gram import Gram
from mercer.kernels import Linear
from mercer.lowrank import IncompleteCholesky, incomplete_cholesky
from mercer.problem import Certificate, Problem, Solution, certify
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.margin import violation_scale

__all__ = ["solve_low_rank"]

FloatArray = NDArray[np.float64]


def solve_low_rank(
    problem: Problem,
    gram: Gram,
    rank: int,
    solve: Callable[..., Solution],
    *,
    tol: float,
    max_time: float | None,
    **options: Any,
) -> Solution:
    """Solve with K~ = F F' in place of K, F of ``rank`` columns; certify with K itself.

    Without a ridge at most rank + 1 variables are free (Sentelle 2014, lemma 4), so that F, their
    kernel rows and the factor are O(n rank + rank^2) numbers. K itself is asked for ``rank``
    columns and, by the certificate, for one product that stores nothing.

    Parameters
    ----------
    problem : Problem
        What to solve.
    gram : Gram
        The kernel values K.
    rank : int
        Largest number of pivots of the incomplete Cholesky factor F.
    solve : callable
        From a problem and a gram to a solution; gets ``tol``, ``max_time`` and ``options``.

    Returns
    -------
    Solution
        The fields of the certificate are those of the point for the problem with K, ``primal``
        that of its machine. ``trace`` has those of the problem with K~: ``low_rank_objective``,
        ``low_rank_gap``, ``low_rank_violation``; ``best_primal`` and ``best_gap``, the smallest
        upper bound of the optimal value found and its distance; and ``rank`` and
        ``trace_error``, the share tr(K - K~) / tr(K) that is missing.
    """
    began, evaluations = time.perf_counter(), gram.n_evaluations
    deadline = Deadline.after(max_time)
    found = incomplete_cholesky(_DoubleValues(gram), rank)
    rough = Gram(
        Linear(), _features(found), precision="double", cache_size=1.0, n_threads=gram.n_threads
    )
    inner = solve(problem, rough, tol=tol, max_time=deadline.seconds_left, **options)
    certificate = certify(problem, gram, inner.coef)
    missing, diagonal = found.trace_error, float(_DoubleValues(gram).diagonal().sum())
    return replace(
        inner,
        **vars(certificate),
        n_kernel=gram.n_evaluations - evaluations,
        seconds=time.perf_counter() - began,
        status=_status(problem, gram, inner, certificate, tol),
        trace={
            **inner.trace,
            "rank": len(found.pivots),
            "trace_error": missing / diagonal if diagonal > 0 else 0.0,
            "low_rank_objective": inner.objective,
            "low_rank_gap": inner.gap,
            "low_rank_violation": inner.violation,
            **_best_bound(inner, certificate),
        },
    )


@dataclass(frozen=True)
class _DoubleValues:
    """The kernel values of a Gram in double precision, for a Gram of any precision."""

    gram: Gram

    @property
    def n_rows(self) -> int:
        return self.gram.n_rows

    def diagonal(self) -> FloatArray:
        return np.asarray(self.gram.native("double").diagonal())

    def block(self, rows: ArrayLike, columns: ArrayLike) -> FloatArray:
        left, right = np.asarray(rows, dtype=np.intp), np.asarray(columns, dtype=np.intp)
        return np.asarray(self.gram.native("double").block(left, right))


def _features(found: IncompleteCholesky) -> FloatArray:
    """The factor; one column of zeros if the kernel is zero everywhere."""
    factor = found.factor
    return factor if factor.shape[1] else np.zeros((len(found.residual), 1))


def _best_bound(inner: Solution, certificate: Certificate) -> dict[str, float | None]:
    """The better of two upper bounds of the optimal value, and how far the point is from it.

    K - K~ is positive semi-definite, so that no point is worth more with K than with K~: what
    bounds the optimal value with K~ from above bounds that with K too. Hence

        gap <= gap~ + beta'(K - K~) beta / 2.

    The machine with the smaller primal value is not the one returned, which is why this is no
    part of the certificate.
    """
    if inner.primal is None or certificate.gap is None:
        return {"best_primal": certificate.primal, "best_gap": certificate.gap}
    gap = min(certificate.gap, max(inner.primal - certificate.objective, 0.0))
    return {"best_primal": certificate.objective + gap, "best_gap": gap}


def _status(
    problem: Problem, gram: Gram, inner: Solution, certificate: Certificate, tol: float
) -> Any:
    """How the run ended; a solution of K~ that does not solve K has the precision of the rank."""
    if inner.status != "converged":
        return inner.status
    aim = tol * violation_scale(problem, gram, inner.coef, certificate)
    is_good = certificate.is_within(aim) and certificate.is_feasible
    return "converged" if is_good else "precision-limit"
