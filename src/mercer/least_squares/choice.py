"""Which solver a least squares machine gets, by the shape of its data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer._memory import LITTLE, available_bytes
from mercer.gram.native import count_rows
from mercer.gram.shift import shift_of_products
from mercer.kernels import Linear
from mercer.least_squares.direct import fit_direct
from mercer.least_squares.far_rows import fit_near
from mercer.least_squares.iterative import fit_cg, fit_smo
from mercer.least_squares.job import Job, LeastSquaresFit
from mercer.least_squares.linear_fit import fit_iterative_linear, fit_primal
from mercer.least_squares.low_rank_fit import fit_low_rank
from mercer.least_squares.proximal import fit_proximal
from mercer.solvers.linear_system.solvers import ConjugateGradient

__all__ = ["SOLVERS", "choose_solver", "fit_least_squares", "is_linear"]

SOLVERS = ("auto", "direct", "eigen", "primal", "smw", "cg", "lsqr", "smo")

# Sides of a matrix that is factored without being asked for.
DENSE_SIDE = 10_000
SPARSE_SIDE = 2_000
# Rows up to which the spectrum (memory for three n x n matrices) is computed.
SPECTRUM_SIDE = 20_000


def fit_least_squares(job: Job) -> LeastSquaresFit:
    """Fit by the solver of the job, or by the one its shape suggests.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Gaussian
    >>> from mercer.least_squares.choice import fit_least_squares
    >>> from mercer.least_squares.job import Job
    >>> from mercer.least_squares.job import squared_loss
    >>> from mercer.solvers.linear_system.system import System
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([[0.0], [1.0], [2.0]])
    >>> system = System(y, np.ones(3), bias=True)
    >>> found = fit_least_squares(Job(Gaussian(), X, system, None, squared_loss(y), np.ones(3)))
    >>> found.coef.shape, found.solver
    ((3, 1), 'eigen')
    """
    if job.low_rank is not None:
        if job.solver != "auto":
            raise ValueError(f"solver must be 'auto' with low_rank, got {job.solver!r}")
        may_move = job.system.bias and not job.proximal
        shift = shift_of_products(job.kernel.form(), job.X) if may_move else None
        return fit_low_rank(replace(job, shift=shift))
    if job.proximal:
        if job.solver != "auto":
            raise ValueError(f"solver must be 'auto' with this penalty, got {job.solver!r}")
        return fit_proximal(job)
    solver = choose_solver(job) if job.solver == "auto" else job.solver
    if not job.system.bias:
        return _fit_with(job, solver)
    return fit_near(job, lambda near: _fit_with(near, solver))


def _fit_with(job: Job, solver: Any) -> LeastSquaresFit:
    if solver in ("primal", "smw", "lsqr") and not is_linear(job):
        raise ValueError(f"solver={solver!r} needs a linear kernel, got {job.kernel!r}")
    if solver in ("direct", "eigen"):
        return fit_direct(job, spectral=solver == "eigen")
    if solver in ("primal", "smw"):
        return fit_primal(job, dual=solver == "smw")
    if solver == "lsqr" or (solver == "cg" and is_linear(job)):
        return fit_iterative_linear(job, solver)
    if solver == "cg":
        solver = ConjugateGradient(rank=default_rank(job.system.n_rows))
    if isinstance(solver, ConjugateGradient):
        return fit_cg(job, solver)
    if isinstance(solver, str) and solver != "smo":
        raise ValueError(f"solver must be one of {SOLVERS} or a solver object, got {solver!r}")
    return fit_smo(job, solver)


def is_linear(job: Job) -> bool:
    """Whether the kernel is the inner product of the rows."""
    return isinstance(job.kernel, Linear)


def choose_solver(job: Job) -> str:
    """The name of the solver for the shape of the data (Rifkin 2002, section 3.6).

    Linear kernels use the smaller side of the data, and neither side if the data are sparse
    and both sides long. Other kernels are factored up to 10,000 rows.
    """
    n = count_rows(job.X)
    many = job.alpha is None
    if is_linear(job):
        d = job.X.shape[1]
        side = SPARSE_SIDE if sp.issparse(job.X) else DENSE_SIDE
        if d <= n and d <= side:
            return "primal"
        if n <= side or (many and n <= SPECTRUM_SIDE):
            return "eigen" if many else "direct"
        if many and d <= SPECTRUM_SIDE:
            return "primal"
    elif n <= DENSE_SIDE or (many and n <= SPECTRUM_SIDE):
        return "eigen" if many else "direct"
    if many:
        raise ValueError(
            f"alpha must be one number for {n} rows, got a choice: leave-one-out values need a "
            f"decomposition of the {n} x {n} kernel matrix. low_rank gives them for any number of "
            f"rows; solver='eigen' takes {24 * n**2 / 2**30:.0f} GB"
        )
    return "cg"


def default_rank(n_rows: int) -> int:
    """Rank of the preconditioner: grows as the square root of the number of rows.

    Its features and their directions, three arrays, take a quarter of the memory at most.
    """
    rank = int(min(n_rows, np.clip(4 * np.sqrt(n_rows), 50, 1500)))
    if 24 * n_rows * rank <= LITTLE:
        return rank
    return max(min(rank, available_bytes() // (4 * 24 * n_rows)), 1)
