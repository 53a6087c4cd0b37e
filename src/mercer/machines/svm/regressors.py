"""Support vector regressors."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted, column_or_1d

from mercer._sklearn import Interval, StrOptions
from mercer.formulations import (
    FittedParameters,
    Formulation,
    absolute,
    huber,
    least_squares,
    nu_svr,
    quantile,
    svr,
)
from mercer.formulations.checks import check_finite_C
from mercer.gram import Gram
from mercer.kernels import Kernel
from mercer.machines.base import KernelMachine, has_free_bias
from mercer.machines.docstrings import documented
from mercer.machines.fit_context import fit_context
from mercer.machines.kernel_values import make_gram, resolve_kernel
from mercer.machines.linear_coef import linear_coef
from mercer.machines.svm.classifiers import SVC
from mercer.machines.svm.vanishing_margin import warn_of_small_targets
from mercer.solvers.runs.progress import Callback
from mercer.training.checked_input import naming
from mercer.training.rows import read_new_rows, read_training_rows

__all__ = ["OF_CLASSES", "SVR", "NuSVR"]

OF_CLASSES = (
    *("classes_", "class_weight_", "multiclass_", "code_", "multilabel_", "probability_slope_"),
)

FloatArray = NDArray[np.float64]


class KernelFunction(KernelMachine):
    """A machine that is one function: one problem, one expansion."""

    def _fit_function(
        self, X: Any, formulation: Formulation, weight: FloatArray
    ) -> FittedParameters:
        kernel = resolve_kernel(self, X, weight)
        return self._fit_on(make_gram(self, kernel, X, weight), kernel, X, formulation)

    def _fit_on(
        self, gram: Gram, kernel: Kernel, X: Any, formulation: Formulation
    ) -> FittedParameters:
        """Solve on the kernel values of the rows, and keep what came of it."""
        solutions, parameters = self._solve_all([formulation], gram)
        fitted = parameters[0]
        support = np.flatnonzero(fitted.coef)
        coef = fitted.coef[support][np.newaxis]
        self._keep_support(X, support)
        self.dual_coef_ = sp.csr_matrix(coef) if sp.issparse(X) else coef
        self.intercept_ = np.array([fitted.intercept])
        self.n_iter_ = solutions[0].n_iter
        self._keep_solutions(solutions, kernel, np.shape(X))
        return fitted

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """Number of support vectors."""
        check_is_fitted(self)
        return np.array([len(self.support_)], dtype=np.int32)

    @property
    def coef_(self) -> Any:
        """Weights of the features; linear kernels only."""
        check_is_fitted(self)
        return linear_coef(self, np.empty(0, dtype=np.intp))

    def _values(self, X: Any) -> FloatArray:
        X = read_new_rows(self, X)
        return self._expanded.exact.evaluate(X)[0, :, 0] + self._bias[0]


class KernelRegressor(RegressorMixin, KernelFunction):
    """Regression."""

    @abstractmethod
    def _formulate(self, y: FloatArray, weight: FloatArray) -> Formulation:
        """The formulation."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the machine.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the kernel matrix; for a function
            anything it takes.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a weight of 2 is the same as the row given twice.

        Returns
        -------
        self : object
        """
        X, y, weight = read_training_rows(self, X, y, sample_weight, y_numeric=True)
        with naming(y=y):
            y = y if np.ndim(y) == 1 else column_or_1d(y, warn=True)
            targets = np.asarray(y, dtype=np.float64)
        self._keep_fitted(self._fit_function(X, self._formulate(targets, weight), weight))
        return self

    def _sums_vanish(self) -> bool:
        return has_free_bias(self)

    def _keep_fitted(self, fitted: FittedParameters) -> None:
        """For machines that learn more than coefficients."""

    def predict(self, X: Any) -> FloatArray:
        """Value at each row."""
        return self._values(X)


@documented(like=SVC, without=OF_CLASSES)
class SVR(KernelRegressor):
    """Support vector regression with a certificate.

    A drop-in replacement for :class:`sklearn.svm.SVR`.

    Parameters
    ----------
    C : float, default=1.0
        Regularization parameter: the weight of the loss.
    epsilon : float, default=0.1
        Half-width of the tube without loss.
    loss : str, default="epsilon_insensitive"
        "epsilon_insensitive", "squared_epsilon_insensitive", "squared_error" (least
        squares), "absolute_error", "quantile" or "huber". Squared losses carry C/2.
    quantile : float, default=0.5
        Level of the "quantile" loss.
    delta : float or tuple of two floats, default=1.0
        Residual at which the "huber" loss turns from quadratic to linear; two for targets
        below and above the fit, one of which may be infinite.
    fit_intercept : {True, False, "penalized"}, default=True
        Whether there is a bias; "penalized" treats it as a weight (kernel k + 1).

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import SVR
    >>> X = np.linspace(0, 6, 100)[:, None]
    >>> median = SVR(loss="quantile", quantile=0.5, C=10).fit(X, np.sin(X[:, 0]))
    >>> bool(median.score(X, np.sin(X[:, 0])) > 0.99)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelRegressor._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="right")],
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
        "loss": [
            StrOptions(
                {
                    "epsilon_insensitive",
                    "squared_epsilon_insensitive",
                    "squared_error",
                    "absolute_error",
                    "quantile",
                    "huber",
                }
            )
        ],
        "quantile": [Interval(Real, 0.0, 1.0, closed="neither")],
        "delta": [Interval(Real, 0.0, None, closed="neither"), tuple, list],
        "fit_intercept": ["boolean", StrOptions({"penalized"})],
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        loss: str = "epsilon_insensitive",
        quantile: float = 0.5,
        delta: float | tuple[float, float] = 1.0,
        fit_intercept: bool | Literal["penalized"] = True,
        shrinking: bool = True,
        cache_size: float | str = "auto",
        verbose: bool = False,
        max_iter: int = -1,
        solver: Any = "auto",
        precision: str = "auto",
        max_time: float | None = None,
        n_threads: int | None = None,
        warm_start: bool = False,
        callback: Callback | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.loss = loss
        self.quantile = quantile
        self.delta = delta
        self.fit_intercept = fit_intercept
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.solver = solver
        self.precision = precision
        self.max_time = max_time
        self.n_threads = n_threads
        self.warm_start = warm_start
        self.callback = callback

    def _formulate(self, y: FloatArray, weight: FloatArray) -> Formulation:
        bias = self.fit_intercept
        if not self.loss.endswith("epsilon_insensitive"):
            check_finite_C(self.C, self.loss)
        if self.loss == "squared_error":
            return least_squares(y, 1.0 / self.C, weight, fit_intercept=bias)
        if self.loss == "absolute_error":
            return absolute(y, self.C, weight, fit_intercept=bias)
        if self.loss == "quantile":
            return quantile(y, self.C, self.quantile, weight, fit_intercept=bias)
        if self.loss == "huber":
            return huber(y, self.C, self.delta, weight, fit_intercept=bias)
        return svr(y, self.C, self.epsilon, weight, loss=self.loss, fit_intercept=bias)  # type: ignore[arg-type]


@documented(like=SVR)
class NuSVR(KernelRegressor):
    """Support vector regression that learns the width of its tube.

    A drop-in replacement for :class:`sklearn.svm.NuSVR`.

    Parameters
    ----------
    nu : float, default=0.5
        Upper bound of the fraction of rows outside the tube, lower bound of that of support
        vectors. With the squared loss: the mean residual beyond the tube.
    C : float, default=1.0
        Regularization parameter: the weight of the loss.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, \
default="epsilon_insensitive"
        The loss; the squared one carries C/2.

    Attributes
    ----------
    epsilon_ : float
        Half-width of the learned tube.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import NuSVR
    >>> X = np.linspace(0, 6, 100)[:, None]
    >>> machine = NuSVR(nu=0.3, C=10).fit(X, np.sin(X[:, 0]))
    >>> machine.epsilon_ < 0.1, machine.score(X, np.sin(X[:, 0])) > 0.99
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelRegressor._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
        "loss": [StrOptions({"epsilon_insensitive", "squared_epsilon_insensitive"})],
    }

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        loss: str = "epsilon_insensitive",
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float | str = "auto",
        verbose: bool = False,
        max_iter: int = -1,
        solver: Any = "auto",
        precision: str = "auto",
        max_time: float | None = None,
        n_threads: int | None = None,
        warm_start: bool = False,
        callback: Callback | None = None,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.loss = loss
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.solver = solver
        self.precision = precision
        self.max_time = max_time
        self.n_threads = n_threads
        self.warm_start = warm_start
        self.callback = callback

    def _formulate(self, y: FloatArray, weight: FloatArray) -> Formulation:
        return nu_svr(y, self.C, self.nu, weight, loss=self.loss)  # type: ignore[arg-type]

    def _keep_fitted(self, fitted: FittedParameters) -> None:
        self.epsilon_ = fitted.epsilon
        warn_of_small_targets(self.tol, self.solutions_[0])
