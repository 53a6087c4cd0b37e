"""From rows and targets to coefficients: which solver, which alpha, and what came of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer._shown import shown
from mercer.gram import Gram
from mercer.gram.native import Precision
from mercer.kernels import Constant, Kernel
from mercer.least_squares.scan import Loss, Scan, default_alphas, scan
from mercer.lowrank import LowRank
from mercer.solvers.linear_system.system import System

__all__ = ["Job", "LeastSquaresFit", "scanned", "squared_loss"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Job:
    """Everything a least squares machine is made from.

    Attributes
    ----------
    kernel : Kernel
        The kernel, with all its parameters numbers.
    X : array, sparse matrix or sequence
        Rows of positive weight; for a precomputed kernel their square matrix.
    system : System
        Targets, weights, and whether there is a free bias.
    alphas : ndarray of shape (n_alphas,) or None
        What to choose from; None asks for the default grid.
    by_gcv : bool
        Whether the least GCV chooses, and not the least loss.
    score : callable or None
        From left-out values to the score by which alpha is chosen in place of the loss.
    loss : callable
        Loss of left-out rows by which alpha is chosen.
    loss_weight : ndarray of shape (n_rows,)
        How much each row counts in that choice.
    penalized : bool
        Whether the bias is a weight like the others (kernel k + 1).
    proximal : bool
        Whether |c|^2 takes the place of c'Kc as the penalty.
    low_rank : LowRank or None
        The approximation, not fitted yet.
    solver : Any
        Name or solver object.
    loo : bool
        Whether leave-one-out values are wanted even if alpha is known.
    deadline : float
        Time of ``time.perf_counter`` after which nothing begins that can be left undone.
    shift : ndarray of shape (n_features,) or None
        Where a low-rank approximation measures the rows from, if it is not zero.

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
    >>> job = Job(Gaussian(), X, system, np.array([0.1, 1.0]), squared_loss(y), np.ones(3))
    >>> fit_least_squares(job).alpha
    0.1
    """

    kernel: Kernel
    X: Any
    system: System
    alphas: FloatArray | None
    loss: Loss
    loss_weight: FloatArray
    by_gcv: bool = False
    score: Callable[[FloatArray], float] | None = None
    penalized: bool = False
    proximal: bool = False
    low_rank: LowRank | None = None
    solver: Any = "auto"
    loo: bool = True
    tol: float = 1e-6
    max_iter: int | None = None
    deadline: float = np.inf
    precision: Precision = "double"
    n_threads: int | None = None
    shift: FloatArray | None = None

    __repr__ = shown("kernel alphas solver low_rank penalized proximal loo")

    @property
    def alpha(self) -> float | None:
        """The alpha, if there is only one."""
        one = self.alphas is not None and len(self.alphas) == 1
        return float(self.alphas[0]) if one and self.alphas is not None else None

    def one_alpha(self, method: str) -> float:
        """The alpha, for a solver that gives no leave-one-out values to choose by."""
        if self.alpha is None:
            raise ValueError(
                f"solver={method!r} needs one alpha: a grid or alpha='loo' needs leave-one-out "
                "values, which solver='eigen' gives, 'primal' for linear kernels, or low_rank"
            )
        return self.alpha

    @property
    def is_late(self) -> bool:
        """Whether the time is up."""
        return time.perf_counter() > self.deadline

    @property
    def seconds_left(self) -> float | None:
        """Time until the deadline; None if there is none."""
        left = self.deadline - time.perf_counter()
        return None if left == np.inf else max(left, 0.0)

    @property
    def full_kernel(self) -> Kernel:
        """The kernel, plus 1 if the bias is penalized."""
        return self.kernel + Constant(1.0, value_bounds="fixed") if self.penalized else self.kernel

    @property
    def full_X(self) -> Any:
        """The rows of a linear kernel, with a constant feature if the bias is penalized."""
        if not self.penalized:
            return self.X
        ones = np.ones((self.X.shape[0], 1))
        return (
            sp.hstack([self.X, ones]).tocsr() if sp.issparse(self.X) else np.hstack([self.X, ones])
        )

    def gram(self) -> Gram:
        """Kernel values of the rows; nothing is cached."""
        gram = Gram(
            self.full_kernel,
            self.X,
            precision=self.precision,
            cache_size=1,
            n_threads=self.n_threads,
            shift=self.shift,
        )
        gram.inspect()
        return gram


@dataclass(frozen=True, eq=False)
class LeastSquaresFit:
    """A fitted least squares machine: f(x) = sum_j coef_j k(x, rows_j) + intercept.

    Attributes
    ----------
    solver : str
        What was used.
    alpha : float
        The alpha used.
    coef : ndarray of shape (m, n_outputs) or None
        Coefficients of the rows of the expansion; None where only ``weights`` are known.
    support : ndarray of shape (m,) or None
        Their positions among the rows of the job, or ``rows`` themselves.
    weights : ndarray of shape (n_features, n_outputs) or None
        Weights of the features; linear kernels only.
    intercept : ndarray of shape (n_outputs,)
        The bias, penalized or not.
    shift, near_intercept : ndarray or None
        Where rows far from zero are measured from, and the bias there.
    scan : Scan or None
        Leave-one-out values and errors, if they were computed.
    condition : float or None
        Condition of the matrix solved with, or an estimate; None where there is none.
    n_iter : int
        Iterations or rounds.
    residual : float
        Largest relative residual of the system over the outputs, from the solution itself.
    converged : bool
        Whether the solver ended by its own rule.
    is_rough : bool
        Whether what rows differ by is lost among the digits of kernel values.
    change : float
        By how much the weights of a robust machine still changed in the last round.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.kernels import Linear
    >>> from mercer.least_squares.choice import fit_least_squares
    >>> from mercer.least_squares.job import Job
    >>> from mercer.least_squares.job import squared_loss
    >>> from mercer.solvers.linear_system.system import System
    >>> X, y = np.array([[1.0], [2.0]]), np.array([[1.0], [2.0]])
    >>> system = System(y, np.ones(2), bias=False)
    >>> job = Job(Linear(), X, system, np.array([1.0]), squared_loss(y), np.ones(2))
    >>> found = fit_least_squares(job)
    >>> found.alpha, found.intercept.tolist()
    (1.0, [0.0])
    """

    solver: str
    alpha: float
    intercept: FloatArray
    coef: FloatArray | None = None
    support: NDArray[np.intp] | None = None
    rows: Any = None
    weights: FloatArray | None = None
    shift: FloatArray | None = None
    near_intercept: FloatArray | None = None
    scan: Scan | None = None
    condition: float | None = None
    n_iter: int = 1
    residual: float = 0.0
    converged: bool = True
    low_rank: LowRank | None = None
    is_rough: bool = False
    change: float = 0.0

    __repr__ = shown("solver alpha intercept coef residual condition converged")


def scanned(job: Job, evaluator: Any) -> tuple[float, Scan | None]:
    """The alpha to use, and the scan that chose it or gave its leave-one-out values."""
    if job.alpha is not None and (not job.loo or job.is_late):
        return job.alpha, None
    alphas = job.alphas
    if alphas is None:
        alphas = default_alphas(evaluator.largest, evaluator.rounding)
    result = scan(
        evaluator,
        job.system,
        alphas,
        job.loss,
        job.loss_weight,
        by_gcv=job.by_gcv,
        score=job.score,
        deadline=job.deadline,
    )
    return float(result.alphas[result.best]), result


def squared_loss(targets: FloatArray) -> Loss:
    """Squared error of the left-out rows, averaged over the outputs."""

    def loss(values: FloatArray, rows: slice) -> FloatArray:
        return ((targets[rows] - values) ** 2).mean(axis=2)

    return loss
