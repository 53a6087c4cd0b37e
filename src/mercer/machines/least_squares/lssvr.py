"""Least squares support vector regression."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import column_or_1d

from mercer._sklearn import StrOptions
from mercer._warning import warn
from mercer.least_squares.job import Job, LeastSquaresFit, squared_loss
from mercer.machines.docstrings import documented
from mercer.machines.fit_context import fit_context
from mercer.machines.least_squares.left_out import LeftOutRegressor
from mercer.machines.least_squares.rlsc import RLSC
from mercer.machines.least_squares.robust import CHANGE, fit_robust
from mercer.machines.least_squares.streamed import StreamedMachine
from mercer.machines.least_squares.streaming import can_stream
from mercer.machines.svm.regressors import OF_CLASSES
from mercer.training.rows import read_new_rows, read_training_rows

__all__ = ["LSSVR"]

FloatArray = NDArray[np.float64]


@documented(like=RLSC, without=OF_CLASSES)
class LSSVR(RegressorMixin, StreamedMachine):
    """Least squares support vector regression: kernel ridge regression with a free bias.

    Minimizes ``1/2 |w|^2 + 1/(2 alpha) sum_i w_i (y_i - f(x_i))^2``. Several targets share one
    factorization.

    Parameters
    ----------
    fit_intercept : {True, False, "penalized"}, default=True
        Whether there is a bias; False is kernel ridge regression.
    robust : {None, "huber", "hampel"}, default=None
        Rows with large residuals lose weight, round after round: in inverse proportion to
        them, or altogether. One target only.

    Attributes
    ----------
    loo_values_ : ndarray of shape (n_samples,) or (n_samples, n_targets), or None
        Value of each training row by the machine of all others.
    loo_error_ : float or None
        Weighted mean of the squared errors of the left-out rows.
    robust_weight_ : ndarray of shape (n_samples,)
        Factor of the weight of each row; with ``robust`` only.
    scale_ : float
        Scale of the residuals; with ``robust`` only.
    n_iter_ : int or None
        Iterations of the solver, if it has any; with ``robust`` the number of rounds.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import LSSVR
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> machine = LSSVR(alpha="loo").fit(X, np.sin(X[:, 0]))
    >>> bool(machine.loo_error_ < 1e-6)
    True
    """

    robust_weight_: FloatArray
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StreamedMachine._parameter_constraints,
        "robust": [StrOptions({"huber", "hampel"}), None],
    }

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        fit_intercept: bool | Literal["penalized"] = True,
        robust: str | None = None,
        low_rank: Any = None,
        solver: Any = "auto",
        penalty: str = "norm",
        sparse: str | None = None,
        loo: bool = True,
        scoring: Any = None,
        tol: float = 1e-6,
        max_iter: int = -1,
        max_time: float | None = None,
        precision: str = "auto",
        n_threads: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.robust = robust
        self.low_rank = low_rank
        self.solver = solver
        self.penalty = penalty
        self.sparse = sparse
        self.loo = loo
        self.scoring = scoring
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.precision = precision
        self.n_threads = n_threads

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self.robust is None
        return tags

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the machine.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the kernel matrix; for a function
            anything it takes.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a weight of 2 is the same as the row given twice.

        Returns
        -------
        self : object
        """
        X, targets, weight = self._validate_targets(X, y, sample_weight)
        rows = weight > 0
        self._warn_of_grid(targets.shape[1])
        met = targets[rows, 0] if self._is_flat else targets[rows]
        known = lambda: (LeftOutRegressor(), met)  # noqa: E731
        loss = squared_loss(targets[rows])
        self._fit_targets(X, targets, weight, loss, weight[rows], known)
        if self.robust is not None:
            share = np.ones(len(weight))
            share[rows] = self.robust_weight_
            self.robust_weight_ = share
        return self

    def _warn_of_grid(self, n_targets: int) -> None:
        """KernelRidge would take such a vector as one alpha for each target."""
        if n_targets > 1 and np.size(self.alpha) == n_targets:
            warn(
                f"alpha holds {n_targets} values and there are as many targets: it is a grid, of "
                "which one value is chosen for all targets, not an alpha for each as in "
                "KernelRidge. Fit one machine a target for that"
            )

    def _validate_targets(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, reset: bool = True
    ) -> tuple[Any, FloatArray, FloatArray]:
        if y is None:
            raise ValueError("LSSVR requires y to be passed, but the target y is None")
        X, y, weight = read_training_rows(
            self, X, y, sample_weight, y_numeric=True, multi_output=True, reset=reset
        )
        if self.robust is not None:
            if y.ndim > 1 and y.shape[1] > 1:
                raise ValueError(f"robust={self.robust!r} needs one target, got {y.shape[1]}")
            y = column_or_1d(y, warn=True)
        targets = np.asarray(y, dtype=np.float64)
        self._n_dimensions = targets.ndim
        return X, targets.reshape(len(targets), -1), weight

    @available_if(can_stream)
    @fit_context(prefer_skip_nested_validation=False)
    def partial_fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Take in a block of rows, which need not be kept; low rank or linear kernels only.

        Landmarks and rules such as ``gamma="scale"`` come from the first block. The result is
        that of :meth:`fit` on all blocks together; of several alphas the one of the least GCV
        is taken, because rows that are gone cannot be left out.
        """
        first = not hasattr(self, "_stream")
        if self.robust is not None:
            raise ValueError(f"partial_fit needs robust=None, got {self.robust!r}")
        X, targets, weight = self._validate_targets(X, y, sample_weight, reset=first)
        self._stream_block(X, targets, weight, first)
        return self

    def _fit_job(self, job: Job) -> LeastSquaresFit:
        if self.robust is None:
            return super()._fit_job(job)
        if self.sparse is not None:
            raise ValueError(f"robust={self.robust!r} cannot be combined with sparse machines")
        fit, share, scale = fit_robust(job, self.robust)  # type: ignore[arg-type]
        self.robust_weight_ = share
        self.scale_ = scale
        return fit

    def _warn(self, fit: LeastSquaresFit) -> None:
        if fit.change > CHANGE:
            warn(
                f"the weights of robust={self.robust!r} still change by {fit.change:.3g} after "
                f"{fit.n_iter} rounds. A larger alpha (now {fit.alpha:g}) may help",
                ConvergenceWarning,
            )
        super()._warn(fit)

    @property
    def _is_flat(self) -> bool:
        return self._n_dimensions == 1

    def predict(self, X: Any) -> FloatArray:
        """Value at each row: shape (n_samples,) or (n_samples, n_targets)."""
        values = self._outputs(read_new_rows(self, X))
        return values[:, 0] if self._is_flat else values
