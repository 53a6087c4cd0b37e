"""Conjugate gradients on kernel values that are never stored."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.lowrank import LowRank
from mercer.lowrank.low_rank import feature_blocks
from mercer.solvers.linear_system.conjugate_gradient import (
    Iterate,
    LowRankPreconditioner,
    conjugate_gradient,
)
from mercer.solvers.linear_system.system import System

__all__ = ["kernel_cg", "preconditioner_features"]

FloatArray = NDArray[np.float64]


def kernel_cg(
    gram: Gram,
    system: System,
    alpha: float,
    *,
    features: FloatArray | None = None,
    start: FloatArray | None = None,
    tol: float = 1e-8,
    max_iter: int | None = None,
    deadline: float = np.inf,
    precision: Any = "double",
) -> tuple[FloatArray, FloatArray, Iterate]:
    """Coefficients, intercepts and the iterate of (P sKs P + alpha) U = P sY.

    P removes the direction s if there is a bias. It stands on both sides: where outputs depend
    on each other (the classes of a classifier do) the method searches directions outside the
    subspace, and with P on one side only the operator is not symmetric there. Each iteration
    is one pass over the kernel values for all outputs together.

    Parameters
    ----------
    gram : Gram
        Kernel values of the rows.
    system : System
        Targets, weights and bias.
    alpha : float
        The number on the diagonal.
    features : ndarray of shape (n_rows, rank), default=None
        Low-rank features of the rows for the preconditioner; None for none.
    start : ndarray of shape (n_rows, n_outputs), default=None
        Coefficients to go on from; None means zero.
    tol, max_iter, deadline
        As for :func:`conjugate_gradient`.
    """
    scale = system.scale[:, None]

    def image(V: FloatArray) -> FloatArray:
        return scale * gram.product(None, scale * V, precision=precision)

    preconditioner = None
    if features is not None:
        preconditioner = LowRankPreconditioner(_projected(system, features), alpha)
    run = conjugate_gradient(
        lambda V: system.project(image(system.project(V))) + alpha * V,
        system.centred,
        preconditioner=preconditioner,
        tol=tol,
        max_iter=max_iter,
        deadline=deadline,
        start=None if start is None else start / scale,
    )
    if run.condition is not None:
        # alpha bounds the smallest eigenvalue, and is near it where those of a kernel decay
        largest = max(run.largest, alpha + (preconditioner.largest if preconditioner else 0.0))
        run = replace(run, condition=largest / alpha)
    U = system.project(run.x)
    intercept = np.zeros(system.targets.shape[1])
    if system.bias:
        row_sums = image(system.scale[:, None])[:, 0]
        intercept = system.intercept(U, row_sums)
    return scale * U, intercept, run


def _projected(system: System, features: FloatArray) -> FloatArray:
    """P s times the features, block by block: Ctrl-C waits for one of them."""
    out = np.empty_like(features)
    along = (system.unit * system.scale) @ features if system.bias else 0.0
    for rows in feature_blocks(*features.shape):
        out[rows] = system.scale[rows, None] * features[rows]
        if system.bias:
            out[rows] -= np.outer(system.unit[rows], along)
    return out


def preconditioner_features(
    low_rank: LowRank, gram: Gram, X: Any, deadline: float = np.inf
) -> FloatArray | None:
    """Features of all rows of the first model of ``low_rank``, fitted here; None if too late."""
    features = low_rank.choose(gram.kernel, X, n_threads=gram.n_threads).maps_[0]
    out = np.empty((gram.n_rows, features.rank))
    for rows in feature_blocks(gram.n_rows, features.rank):
        if time.perf_counter() > deadline:
            return None
        out[rows] = features(X[rows])
    return out
