"""Least squares machines on a low-rank kernel, in passes over blocks of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone

from mercer._memory import require_memory
from mercer.gram.cross import CrossGram
from mercer.gram.native import take_rows
from mercer.gram.shift import balanced, moved, shift_offset
from mercer.least_squares.features import FeatureSystem
from mercer.least_squares.job import Job, LeastSquaresFit, scanned
from mercer.least_squares.leave_one_out import LeaveOneOutSystem
from mercer.least_squares.linear import dual_condition, woodbury
from mercer.least_squares.low_rank_systems import AverageSystem, NystromSystem, SubsetSystem
from mercer.least_squares.moments import Moments
from mercer.least_squares.penalized_bias import with_constant
from mercer.lowrank import FeatureMap, LowRank
from mercer.lowrank.low_rank import feature_blocks

__all__ = ["captured_trace", "expansion_of_maps", "fit_low_rank"]

FloatArray = NDArray[np.float64]


def fit_low_rank(job: Job) -> LeastSquaresFit:
    """The machines of ``job.low_rank``, averaged if there are several.

    Rifkin 2002, section 3.7.
    """
    low_rank: LowRank = clone(job.low_rank)
    if job.proximal and low_rank.method != "rectangle":
        raise ValueError(
            f"penalty='coefficients' needs method='rectangle' of low_rank, got {low_rank.method!r}"
        )
    kernel = job.kernel if job.proximal else job.full_kernel
    _require_room(job, low_rank)
    low_rank.choose(
        kernel,
        job.X,
        # rows of a subset are data, which depend on each other or not
        whiten=not job.proximal and low_rank.method != "subset",
        precision=job.precision,
        n_threads=job.n_threads,
        deadline=job.deadline,
        shift=job.shift,
    )
    build = {"rectangle": _rectangle, "subset": _subset, "nystrom": _nystrom}[low_rank.method]
    evaluators = [build(job, features) for features in low_rank.maps_]
    low_rank.trace_error_ = _trace_error(job, evaluators)
    whole: Any = evaluators[0] if len(evaluators) == 1 else AverageSystem(evaluators)
    alpha, result = scanned(job, whole)
    is_dual = low_rank.method == "nystrom"
    return LeastSquaresFit(
        solver=low_rank.method,
        alpha=alpha,
        **_expansion(job, low_rank, evaluators, alpha),
        scan=result,
        condition=dual_condition(whole, alpha) if is_dual else whole.condition(alpha),
        residual=whole.residual(alpha),
        low_rank=low_rank,
    )


def _require_room(job: Job, low_rank: LowRank) -> None:
    """Three squares of the rank, and for left-out values of "nystrom" features of all rows."""
    n = job.system.n_rows
    rank = min(low_rank.size, n)
    size = 3 * rank**2
    if low_rank.method == "nystrom" and (job.loo or job.alpha is None):
        size += 4 * n * rank
    require_memory(
        8.0 * size * low_rank.n_models,
        f"low_rank of rank {rank} and method {low_rank.method!r} with {n} rows",
        "a smaller rank, fewer n_models or method='rectangle' works",
    )


def _rectangle(job: Job, features: FeatureMap) -> FeatureSystem:
    blocks = feature_blocks(job.system.n_rows, features.rank)
    extra = job.proximal and job.penalized
    source = lambda rows: with_constant(features(job.X[rows]), extra)  # noqa: E731
    return FeatureSystem(job.system, source, features.rank + extra, blocks, job.alpha)


def _nystrom(job: Job, features: FeatureMap) -> FeatureSystem | NystromSystem:
    inner = _rectangle(job, features)
    if job.alpha is not None and (not job.loo or job.is_late):
        return inner
    gram = job.gram()
    return NystromSystem(
        inner, lambda V: gram.product(None, V), np.asarray(gram.diagonal(), dtype=np.float64)
    )


def _subset(job: Job, features: FeatureMap) -> SubsetSystem:
    subset = features.landmarks
    assert job.low_rank is not None
    if not isinstance(job.low_rank.basis, str) and not job.low_rank.has_positions:
        raise ValueError("method='subset' needs a basis among the training rows")
    among = take_rows(job.X, subset)
    cross = CrossGram(
        job.full_kernel,
        features.rows,
        precision=job.precision,
        n_threads=job.n_threads,
        shift=job.shift,
    )
    matrix = lambda: cross.block(among)  # noqa: E731
    inner = LeaveOneOutSystem.of(job.system.on_rows(subset), matrix, job.alpha)
    return SubsetSystem(job.system, subset, inner, lambda rows: cross.block(job.X[rows]), matrix)


def _expansion(job: Job, low_rank: LowRank, systems: list[Any], alpha: float) -> dict[str, Any]:
    """Rows, coefficients and intercept of the averaged expansion."""
    coefs, intercepts = [], []
    extra = job.proximal and job.penalized
    for features, system in zip(low_rank.maps_, systems, strict=True):
        if low_rank.method == "nystrom":
            is_bare = isinstance(system, FeatureSystem)
            coef, intercept = woodbury(system, alpha) if is_bare else system.solve(alpha)
        else:
            coef, intercept = system.solve(alpha)
            if low_rank.method == "rectangle":
                bias = coef[-1] if extra else intercept
                coef, intercept = features.coefficients(coef[: features.rank]), bias
        if job.penalized and not extra:
            intercept = coef.sum(axis=0)
        coefs.append(coef / len(systems))
        intercepts.append(intercept)
    average = np.mean(intercepts, axis=0)
    if low_rank.method == "nystrom":
        coef, near = np.sum(coefs, axis=0), average
        if job.shift is not None:
            rows = moved(job.X, job.shift)
            average = average - shift_offset(job.kernel.form(), rows, job.shift, coef)
        return {
            "support": np.arange(job.system.n_rows),
            "coef": coef,
            "intercept": average,
            "shift": job.shift,
            "near_intercept": near,
        }
    return expansion_of_maps(low_rank, coefs, average)


def expansion_of_maps(
    low_rank: LowRank, coefs: list[FloatArray], intercept: FloatArray
) -> dict[str, Any]:
    """Rows, coefficients and bias of the sum of expansions over the landmarks of each model."""
    maps, near = low_rank.maps_, intercept
    shift = maps[0].shift
    rows, coef = _stacked([features.rows for features in maps]), np.vstack(coefs)
    if shift is not None:
        rows, coef, intercept = balanced(maps[0].kernel.form(), rows, coef, near, shift)
    found = {"rows": rows, "coef": coef, "intercept": intercept}
    return found | {"shift": shift, "near_intercept": near}


def _stacked(parts: list[Any]) -> Any:
    """Rows of all parts, one after the other, whatever they are."""
    if len(parts) == 1:
        return parts[0]
    if sp.issparse(parts[0]):
        return sp.vstack(parts).tocsr()
    if hasattr(parts[0], "shape"):
        return np.concatenate(parts)
    return [row for part in parts for row in part]


def captured_trace(moments: Moments) -> float:
    """sum_i w_i |phi_i|^2, from the centred moments."""
    return float(np.trace(moments.inner) + moments.total * (moments.mean @ moments.mean))


def _weighted_trace(job: Job) -> float:
    """sum_i w_i k(x_i, x_i), in blocks: kernels convert the rows they are given."""
    kernel, weight = job.full_kernel, job.system.weight
    if kernel.form().reads_stored:
        return float(weight @ (np.diagonal(job.X) + float(job.penalized)))
    blocks = feature_blocks(job.system.n_rows, 64)
    total = 0.0
    for rows in blocks:
        near = job.X[rows] if job.shift is None else moved(job.X[rows], job.shift)
        total += float(weight[rows] @ kernel.diag(near))
    return total


def _trace_error(job: Job, systems: list[Any]) -> float:
    """tr(K - K~) / tr(K), rows counted by their weights; NaN where K~ is not passed over."""
    if job.proximal or isinstance(systems[0], SubsetSystem):
        return float("nan")
    whole = _weighted_trace(job)
    if not whole > 0:
        return 0.0
    inner = [s.inner if isinstance(s, NystromSystem) else s for s in systems]
    captured = np.mean([captured_trace(s.solver.moments) for s in inner])
    return max(1.0 - float(captured) / whole, 0.0)
