"""What the least squares machines share: one system, one fit, its diagnostics."""

from __future__ import annotations

import time
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgWarning
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import get_scorer_names

from mercer._sklearn import Interval, StrOptions
from mercer._warning import warn
from mercer.gram.native import take_rows
from mercer.gram.shift import moved
from mercer.kernels import Kernel
from mercer.kernels.blocks import row_slices
from mercer.least_squares.choice import fit_least_squares
from mercer.least_squares.job import Job, LeastSquaresFit, Loss
from mercer.least_squares.scan import Scan
from mercer.least_squares.sparse import fit_pruned, fit_sparse
from mercer.lowrank import LowRank
from mercer.lowrank.low_rank import warn_of_rough_values
from mercer.machines.base import KernelMachine
from mercer.machines.kernel_values import resolve_kernel
from mercer.machines.least_squares.left_out import left_out_score
from mercer.machines.linear_coef import linear_factor, near_vectors
from mercer.solvers.linear_system import System
from mercer.training.rows import is_precomputed

__all__ = ["LeastSquaresMachine", "check_extremes", "count_all_rows"]

FloatArray = NDArray[np.float64]
# A machine of known values, and the targets it is to meet.
Known = Callable[[], tuple[Any, NDArray[Any]]]

# Share of the rows below which the freedom left to the residuals is rounding.
LEAST_FREEDOM = 1e-8
# Relative residual that rounding may leave however small tol is.
ROUNDING = 1e-8
# Weight beyond which sums of weighted kernel values may be beyond the range of numbers.
HEAVIEST = 1e100
# Positive weight below which alpha over the weight may be.
LIGHTEST = 1e-200
# Solvers that give leave-one-out values of one alpha if there is time.
FACTORING = frozenset((
    "direct", "eigen", "primal", "smw", "rectangle", "subset", "nystrom", "proximal",
    "l0", "pruned",
))  # fmt: skip


class LeastSquaresMachine(KernelMachine):
    """Base of RLSC, LSSVC and LSSVR: everything but the meaning of the targets."""

    loo_values_: FloatArray | None
    loo_errors_: FloatArray | None
    loo_scores_: FloatArray | None
    loo_error_: float | None
    gcv_: float | None
    dof_: float | None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [
            Interval(Real, 0.0, None, closed="neither"),
            "array-like",
            StrOptions({"loo", "gcv"}),
        ],
        **{
            name: KernelMachine._parameter_constraints[name]
            for name in (
                *("kernel", "degree", "gamma", "coef0", "tol", "max_iter", "solver"),
                *("max_time", "precision", "n_threads"),
            )
        },
        "fit_intercept": ["boolean", StrOptions({"penalized"})],
        "low_rank": [Interval(Integral, 1, None, closed="left"), LowRank, None],
        "penalty": [StrOptions({"norm", "coefficients"})],
        "sparse": [StrOptions({"prune", "l0"}), None],
        "loo": ["boolean"],
        "scoring": [StrOptions(set(get_scorer_names())), callable, None],
    }

    def _alphas(self) -> FloatArray | None:
        """The alphas to choose from; None stands for the default grid."""
        if isinstance(self.alpha, str):
            return None
        alphas = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64))
        if alphas.ndim != 1 or not len(alphas) or not (np.isfinite(alphas) & (alphas > 0)).all():
            raise ValueError(
                "alpha must be a positive number, a vector of positive numbers, 'loo' or 'gcv', "
                f"got {self.alpha!r}"
            )
        return alphas

    def _left_out_score(
        self, known: Known, weight: FloatArray
    ) -> Callable[[FloatArray], float] | None:
        if self.scoring is None:
            return None
        if isinstance(self.alpha, str) and self.alpha == "gcv":
            raise ValueError(f"scoring must be None with alpha='gcv', got {self.scoring!r}")
        return left_out_score(self.scoring, *known(), weight)

    def _low_rank(self) -> LowRank | None:
        if isinstance(self.low_rank, Integral):
            return LowRank(rank=int(self.low_rank), random_state=0)
        return self.low_rank

    def _low_rank_among(self, X: Any, rows: NDArray[np.intp], n: int) -> LowRank | None:
        """The approximation, the positions of given landmarks counted among ``rows`` only."""
        low_rank = self._low_rank()
        if low_rank is None or not low_rank.has_positions or len(rows) == n:
            return low_rank
        positions = low_rank.positions(n)
        place = np.full(n, -1)
        place[rows] = np.arange(len(rows))
        found = place[positions]
        absent = positions[found < 0]
        is_subset = low_rank.method == "subset"
        if (
            len(absent) == len(positions)
            if is_subset
            else len(absent) and is_precomputed(self.kernel)
        ):
            raise ValueError(
                "basis must hold rows of positive weight for method='subset' or a precomputed "
                f"kernel, got {absent.tolist()}"
            )
        if not is_subset and len(absent):
            # a row without weight may be a landmark all the same
            return clone(low_rank).set_params(basis=take_rows(X, positions))
        return clone(low_rank).set_params(basis=found[found >= 0])

    def _fit_targets(
        self,
        X: Any,
        targets: FloatArray,
        weight: FloatArray,
        loss: Loss,
        loss_weight: FloatArray,
        known: Known,
    ) -> Scan | None:
        """Fit on the rows of positive weight and keep what came of it.

        ``loss`` and ``loss_weight`` are those of the rows of positive weight; ``known``
        makes what a scorer gets for a machine, and the targets of these rows.
        """
        began = time.perf_counter()
        self.__dict__.pop("_stream", None)  # a fit ends a stream of blocks
        check_extremes(weight)
        kernel = resolve_kernel(self, X, weight)
        rows = np.flatnonzero(weight > 0)
        job = self._job(X, rows, kernel, targets, weight, began, loss, loss_weight, known)
        fit = self._fit_job(job)
        count_all_rows(fit.low_rank, rows)
        self.shape_fit_ = np.shape(X)
        self._keep_fit(fit, kernel, X, rows)
        self._keep_diagnostics(fit.scan, targets, rows, X)
        self._warn_of_interpolation(len(rows))
        return fit.scan

    def _job(
        self,
        X: Any,
        rows: NDArray[np.intp],
        kernel: Kernel,
        targets: FloatArray,
        weight: FloatArray,
        began: float,
        loss: Loss,
        loss_weight: FloatArray,
        known: Known,
    ) -> Job:
        """What is fitted on some of the rows, which have positive weight."""
        return Job(
            kernel=kernel,
            X=self._rows_of(X, rows, len(weight)),
            system=System(targets[rows], weight[rows], self.fit_intercept is True),
            alphas=self._alphas(),
            score=self._left_out_score(known, loss_weight),
            by_gcv=isinstance(self.alpha, str) and self.alpha == "gcv",
            loss=loss,
            loss_weight=loss_weight,
            penalized=self.fit_intercept == "penalized",
            proximal=self.penalty == "coefficients",
            low_rank=self._low_rank_among(X, rows, len(weight)),
            solver=self.solver,
            loo=self.loo,
            tol=self.tol,
            max_iter=None if self.max_iter < 0 else self.max_iter,
            deadline=np.inf if self.max_time is None else began + self.max_time,
            precision="single" if self.precision == "single" else "double",
            n_threads=self.n_threads,
        )

    def _rows_of(self, X: Any, rows: NDArray[np.intp], n: int) -> Any:
        if len(rows) == n:
            return X
        return X[np.ix_(rows, rows)] if is_precomputed(self.kernel) else take_rows(X, rows)

    def _fit_job(self, job: Job) -> LeastSquaresFit:
        if self.sparse is None:
            return fit_least_squares(job)
        if job.low_rank is not None or job.proximal or job.solver != "auto":
            raise ValueError(
                f"sparse={self.sparse!r} works on the exact machine: low_rank must be None, "
                "penalty 'norm' and solver 'auto'"
            )
        return fit_pruned(job) if self.sparse == "prune" else fit_sparse(job)

    def _keep_fit(
        self, fit: LeastSquaresFit, kernel: Kernel, X: Any, rows: NDArray[np.intp]
    ) -> None:
        """Fitted attributes; positions are those among all rows of ``X``."""
        self.kernel_ = kernel
        self.alpha_ = fit.alpha
        self.intercept_ = np.asarray(fit.intercept, dtype=np.float64)
        self._keep_shift(fit.shift, fit.near_intercept, self.intercept_)
        self.solver_ = fit.solver
        self.n_iter_ = fit.n_iter
        self.condition_ = fit.condition
        self.residual_ = fit.residual
        for name in ("coef_", "dual_coef_", "support_", "support_vectors_", "low_rank_"):
            self.__dict__.pop(name, None)
        if fit.weights is not None:
            self.coef_ = fit.weights.T
        else:
            self._keep_expansion(fit, X, rows)
        if fit.low_rank is not None:
            self.low_rank_ = fit.low_rank
            fit.low_rank.warn_of_loss(self.max_time)
        if fit.is_rough:
            warn_of_rough_values()
        self._warn(fit)

    def _keep_expansion(self, fit: LeastSquaresFit, X: Any, rows: NDArray[np.intp]) -> None:
        assert fit.coef is not None
        self.dual_coef_ = fit.coef.T
        if fit.support is not None:
            self._keep_support(X, rows[fit.support])
        elif is_precomputed(self.kernel):
            self._keep_support(X, rows[fit.rows])
        else:
            self.support_vectors_ = fit.rows
        factor = linear_factor(self.kernel_)
        if factor is not None:
            vectors = near_vectors(self)
            self.coef_ = factor * np.asarray((vectors.T @ fit.coef).T, dtype=np.float64)
        self._forget_expansion()

    def _sums_vanish(self) -> bool:
        return self.fit_intercept is True and self.penalty == "norm" and self.sparse != "l0"

    def _warn(self, fit: LeastSquaresFit) -> None:
        # beyond this no digit of the coefficients is sure
        solved = fit.weights if fit.weights is not None else fit.coef
        limit = 1 / (np.finfo(float).eps * max(len(solved) if solved is not None else 0, 1))
        if not fit.converged:
            reason, advice = self._reason(fit.n_iter)
            warn(
                f"{fit.solver} stopped after {fit.n_iter} iterations ({reason}) at a relative "
                f"residual of {fit.residual:.3g} (tol={self.tol:g}). {advice}",
                ConvergenceWarning,
            )
        elif fit.condition is not None and fit.condition > limit:
            warn(
                f"the matrix is ill-conditioned (condition_={fit.condition:.2g}, relative "
                f"residual_={fit.residual:.2g}): coefficients may be inaccurate. A larger alpha "
                f"(now {fit.alpha:g}) helps",
                LinAlgWarning,
            )
        elif not fit.residual <= max(self.tol, ROUNDING):
            warn(
                f"the relative residual_ of the system is {fit.residual:.3g}, above "
                f"tol={self.tol:g}. A larger alpha (now {fit.alpha:g}) helps",
                LinAlgWarning,
            )

    def _reason(self, n_iter: int) -> tuple[str, str]:
        """Why a solver ended before its tolerance, and what helps."""
        if 0 <= self.max_iter <= n_iter:
            return f"max_iter={self.max_iter}", "Increase max_iter, tol or alpha"
        if self.max_time is not None:
            return f"max_time={self.max_time}", "Increase max_time, tol or alpha"
        return "rounding allows no better", "Increase tol or alpha"

    def _keep_diagnostics(
        self, result: Scan | None, targets: FloatArray, rows: NDArray[np.intp], X: Any
    ) -> None:
        """Leave-one-out and GCV of the alpha used; rows of weight 0 were left out anyway."""
        self.alphas_ = np.array([self.alpha_]) if result is None else result.alphas
        self.loo_values_ = self.loo_errors_ = self.loo_scores_ = None
        self.loo_error_ = self.gcv_ = self.dof_ = None
        if result is None:
            if self.loo and self.max_time is not None and self.solver_ in FACTORING:
                self._warn_of_time("there are no loo_values_")
            return
        if result.n_seen < len(rows):
            self._warn_of_time(
                f"the errors are those of {result.n_seen} of {len(rows)} rows when left out"
            )
        values = np.empty(targets.shape)
        values[rows] = result.values
        absent = np.setdiff1d(np.arange(len(values)), rows)
        if len(absent):
            values[absent] = self._outputs(take_rows(X, absent))
        self.loo_values_ = values[:, 0] if self._is_flat else values
        self.loo_errors_ = result.errors
        self.loo_scores_ = result.scores
        self.loo_error_ = float(result.errors[result.best])
        self.gcv_ = float(result.gcv[result.best])
        self.dof_ = float(result.dof[result.best])

    def _warn_of_time(self, what: str) -> None:
        warn(
            f"max_time={self.max_time:g} was over before all rows were left out: {what}",
            ConvergenceWarning,
        )

    def _warn_of_interpolation(self, n_rows: int) -> None:
        """In the space of features 1 - h_i is a difference: nothing is left of it if h_i is 1."""
        if self.dof_ is None or self.solver_ in ("direct", "eigen", "subset", "pruned"):
            return
        if n_rows - self.dof_ < LEAST_FREEDOM * n_rows:
            warn(
                f"the machine goes through its rows (dof_={self.dof_:.6g} of {n_rows}): "
                f"loo_values_ may be inaccurate. A larger alpha (now {self.alpha_:g}) or a "
                "smaller rank helps",
                LinAlgWarning,
            )

    @property
    def _is_flat(self) -> bool:
        """Whether there is one output, given and returned as a vector."""
        return len(self.intercept_) == 1

    def _outputs(self, X: Any) -> FloatArray:
        """Values of all outputs at validated rows, (n_rows, n_outputs)."""
        if not hasattr(self, "coef_"):
            return self._expanded.exact.evaluate(X)[0] + self._bias
        shift = vars(self).get("_shift")
        if shift is None:
            return np.asarray(X @ self.coef_.T) + self.intercept_
        out = np.empty((X.shape[0], len(self.coef_)))
        for rows in row_slices(len(out), 8 * X.shape[1]):
            out[rows] = moved(X[rows], shift) @ self.coef_.T
        return out + self._bias


def check_extremes(weight: FloatArray) -> None:
    """Refuse weights with which sums, or quotients, may be beyond the range of numbers."""
    heaviest = float(weight.max())
    lightest = float(weight[weight > 0].min(initial=HEAVIEST))
    if not heaviest <= HEAVIEST:
        raise ValueError(
            f"sample_weight must be at most {HEAVIEST:g} (times class_weight), got {heaviest!r}"
        )
    if not lightest >= LIGHTEST:
        raise ValueError(
            f"sample_weight must be 0 or at least {LIGHTEST:g} (times class_weight), got "
            f"{lightest!r}"
        )


def count_all_rows(low_rank: LowRank | None, rows: NDArray[np.intp]) -> None:
    """Positions of the landmarks among all rows, given those of positive weight."""
    if low_rank is not None and (isinstance(low_rank.basis, str) or low_rank.has_positions):
        low_rank.basis_ = tuple(rows[basis] for basis in low_rank.basis_)
