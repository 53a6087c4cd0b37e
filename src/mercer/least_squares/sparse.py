"""Least squares machines with few support vectors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mercer.least_squares.direct import LESS, fit_direct, require_squares
from mercer.least_squares.far_rows import fit_near
from mercer.least_squares.features import FeatureSystem
from mercer.least_squares.job import Job, LeastSquaresFit
from mercer.least_squares.leave_one_out import LeaveOneOutSystem
from mercer.least_squares.low_rank_systems import SubsetSystem
from mercer.least_squares.scan import scan
from mercer.lowrank.features import hides_differences

__all__ = ["fit_pruned", "fit_sparse"]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]

# Share of the rows a round of pruning drops.
FRACTION = 0.05
# Rounds of reweighting, the change that ends them, and the share of the largest coefficient
# that counts as zero (docs/theory/least_squares.md#reweighting).
ROUNDS, CHANGE, ZERO = 200, 1e-8, 1e-6
# Error of a kernel value next to the largest one.
ROUNDED = 1e-14


def fit_pruned(job: Job) -> LeastSquaresFit:
    """The pruned machine, of rows measured from their mean if they are far from the origin."""
    return fit_near(job, _fit_pruned)


def _fit_pruned(job: Job) -> LeastSquaresFit:
    """Drop the rows of the smallest |c_i| and train again, as long as it does no harm.

    (Rifkin 2002, section 3.5.3.) The error is that of all rows, each seen by a machine it took no
    part in: leave-one-out values of the rows that are left, plain values of those that went. The
    smallest machine within one standard error of the best is kept.
    """
    require_squares(3, job.system.n_rows, "pruned", f"with sparse=None {LESS}")
    first = fit_direct(replace(job, loo=False), spectral=job.alpha is None)
    job = replace(job, alphas=np.array([first.alpha]))
    K = _matrix(job)
    rows, coef = np.arange(len(K)), first.coef
    best, limit, rounds = first, np.inf, 0
    lowest = np.inf
    while len(rows) > 1 and coef is not None and not job.is_late:
        fit, error, spread = _on_subset(job, K, rows)
        rounds += 1
        if error < lowest:
            lowest, limit = error, error + spread
        if error > limit:
            break
        best, coef = fit, fit.coef
        if coef is None:
            break
        n_dropped = max(int(FRACTION * len(rows)), 1)
        order = np.argsort(np.linalg.norm(coef, axis=1), kind="stable")
        rows = np.sort(rows[order[n_dropped:]])
    return replace(best, solver="pruned", n_iter=rounds, converged=not job.is_late)


def _on_subset(job: Job, K: FloatArray, rows: IndexArray) -> tuple[LeastSquaresFit, float, float]:
    """The machine of some rows, its error on all, and the standard error of that."""
    assert job.alpha is not None
    assert job.alphas is not None
    among = lambda: K[np.ix_(rows, rows)]  # noqa: E731
    inner = LeaveOneOutSystem.of(job.system.on_rows(rows), among, job.alpha)
    evaluator = SubsetSystem(job.system, rows, inner, lambda part: K[part][:, rows], among)
    result = scan(evaluator, job.system, job.alphas, job.loss, job.loss_weight)
    coef, intercept = inner.solve(job.alpha)
    if job.penalized:
        intercept = coef.sum(axis=0)
    losses = job.loss(result.values[None], slice(0, len(K)))[0]
    share = job.loss_weight / job.loss_weight.sum()
    error = float(share @ losses)
    spread = float(np.sqrt(share**2 @ (losses - error) ** 2))
    fit = LeastSquaresFit(
        solver="pruned",
        alpha=job.alpha,
        intercept=intercept,
        coef=coef,
        support=rows,
        scan=result,
        condition=inner.condition(job.alpha),
        residual=evaluator.residual(job.alpha),
    )
    return fit, error, spread


def fit_sparse(job: Job) -> LeastSquaresFit:
    """Iteratively reweighted towards few non-zero coefficients (Lopez et al. 2011b).

    Each round solves least squares with f = K a + b and the penalty sum_i a_i^2 / d_i^2, d
    the coefficients of the round before (their norm over the outputs): the features are
    K diag(d), and what shrinks once shrinks to zero. Of several copies of a row one is left.
    """
    require_squares(5, job.system.n_rows, "l0", f"with sparse=None {LESS}")
    first = fit_direct(replace(job, loo=False), spectral=job.alpha is None)
    assert first.coef is not None
    alpha, K = first.alpha, _matrix(job)
    coef, support = first.coef, np.arange(len(K))
    rounds, is_done = 0, False
    while rounds < ROUNDS and not is_done and not (rounds and job.is_late):
        rounds += 1
        before, size = coef, np.linalg.norm(coef, axis=1)
        alive = size > ZERO * size.max(initial=0.0)
        support, before, size = support[alive], before[alive], size[alive]
        evaluator = _reweighted(job, K[:, support] * size, alpha)
        theta, intercept = evaluator.solve(alpha)
        coef = size[:, None] * theta
        is_done = np.abs(coef - before).max(initial=0.0) <= CHANGE * size.max(initial=0.0)
    if job.penalized:
        intercept = coef.sum(axis=0)
    result = None
    if job.loo and not job.is_late:
        result = scan(evaluator, job.system, np.array([alpha]), job.loss, job.loss_weight)
    return LeastSquaresFit(
        solver="l0",
        alpha=alpha,
        intercept=intercept,
        coef=coef,
        support=support,
        scan=result,
        condition=evaluator.condition(alpha),
        residual=evaluator.residual(alpha),
        n_iter=rounds,
        converged=is_done or not job.is_late,
        is_rough=hides_differences(K, ROUNDED),
    )


def _reweighted(job: Job, features: FloatArray, alpha: float) -> FeatureSystem:
    source = lambda rows: np.array(features[rows], order="F")  # noqa: E731
    everything = [slice(0, len(features))]
    return FeatureSystem(job.system, source, features.shape[1], everything, alpha)


def _matrix(job: Job) -> FloatArray:
    everything = np.arange(job.system.n_rows)
    return np.asarray(job.gram().block(everything, everything), dtype=np.float64)
