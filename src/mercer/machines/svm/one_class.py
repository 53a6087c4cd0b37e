"""One-class support vector machine."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import OutlierMixin

from mercer._sklearn import Interval, StrOptions
from mercer.formulations import one_class
from mercer.gram.native import count_rows
from mercer.machines.docstrings import documented
from mercer.machines.fit_context import fit_context
from mercer.machines.svm.label_screening import label_rows
from mercer.machines.svm.regressors import SVR, KernelFunction
from mercer.machines.svm.vanishing_margin import warn_of_no_margin
from mercer.problem import Solution
from mercer.problem.solution import likely_rounding
from mercer.solvers.runs.progress import Callback
from mercer.training.rows import read_new_rows, read_training_rows

__all__ = ["OneClassSVM"]

FloatArray = NDArray[np.float64]
# Times the offset: more than rounding makes of a height of 0, and than a fit that has converged.
_ON_BOUNDARY, _NEAR_BOUNDARY = 1e-9, 1e-3
_USABLE = 1e-3  # error of values, relative to those of the support vectors
_U = 2.0**-53


@documented(like=SVR)
class OneClassSVM(OutlierMixin, KernelFunction):
    """The support of a distribution, with a certificate.

    A drop-in replacement for :class:`sklearn.svm.OneClassSVM`.

    Parameters
    ----------
    nu : float, default=0.5
        Upper bound of the weighted fraction of training rows outside, lower bound of that
        of support vectors. The rows between the two lie on the boundary and count as inside:
        with many features and a small ``nu`` these are nearly all, and few training rows or
        none are outside (breast cancer, 569 scaled rows of 30 features, ``nu=0.05``: 6 outside,
        62 on the boundary). scikit-learn leaves them to rounding, which puts about half of them
        outside, more than ``nu`` allows (35).
    loss : {"hinge", "squared_hinge"}, default="hinge"
        Weight of rows outside the ball.

    Attributes
    ----------
    offset_ : ndarray of shape (1,)
        ``decision_function = score_samples - offset_``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import OneClassSVM
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> machine = OneClassSVM(nu=0.1).fit(X)
    >>> bool((machine.predict(X) < 0).sum() <= 0.1 * len(X))
    True
    >>> machine.predict([[9.0, 9.0]]).tolist()
    [-1]
    """

    _needs_targets = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelFunction._parameter_constraints,
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        loss: str = "hinge",
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
        self.nu = nu
        self.loss = loss
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

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the machine.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the kernel matrix; for a function
            anything it takes.
        y : Ignored
            Not used, present for API consistency by convention.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a weight of 2 is the same as the row given twice.

        Returns
        -------
        self : object
        """
        X, _, weight = read_training_rows(self, X, None, sample_weight)
        formulation = one_class(
            count_rows(X), self.nu, weight, squared=self.loss == "squared_hinge"
        )
        self._fit_function(X, formulation, weight)
        warn_of_no_margin(self.nu, self.solutions_[0])
        self.offset_ = -self.intercept_
        return self

    def _is_done(self, solution: Solution) -> bool:
        """The gap is relative to the offset; values may be small compared with it."""
        if not super()._is_done(solution):
            return False
        heights = float(np.ptp(solution.gradient[solution.coef != 0.0]))
        error = solution.violation + 2.0 * likely_rounding(solution)
        return solution.converged or error <= _USABLE * heights

    def decision_function(self, X: Any) -> FloatArray:
        """Height above the boundary, positive inside.

        Values that differ from those of the boundary, where free support vectors lie, by no more
        than their error are 0.
        """
        return self._heights(read_new_rows(self, X))

    def _heights(self, X: Any) -> FloatArray:
        values = self._expanded.exact.evaluate(X)[0, :, 0] + self.intercept_[0]
        values[np.abs(values) <= self._boundary_error()] = 0.0
        return values

    def _boundary_error(self) -> float:
        """How far rounding and the tolerance may move a value of 0."""
        offset, expansion = abs(float(self.offset_[0])), self._expanded.exact
        adding = 2.0 * _U * (2.0 + np.sqrt(len(expansion.weights))) * offset
        violation = getattr(self, "violation_", np.inf)  # a file may not tell it
        is_open = getattr(self, "fit_status_", 1) or violation == np.inf
        error = violation + 2.0 * expansion.rounding + adding
        return min(error, (_ON_BOUNDARY if is_open else _NEAR_BOUNDARY) * offset)

    def score_samples(self, X: Any) -> FloatArray:
        """:meth:`decision_function` before the offset is subtracted."""
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> NDArray[np.intp]:
        """+1 for rows inside, -1 for outliers."""
        X = read_new_rows(self, X)
        return label_rows(X, self._decide, self._screen if self._can_screen() else None)

    def _decide(self, X: Any) -> NDArray[np.intp]:
        return np.where(self._heights(X) >= 0, 1, -1)

    def _screen(self, X: Any) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """:meth:`_decide` in single precision, and where that is certain."""
        values, bound = self._expanded.bounded.evaluate(X)
        height = values[0, :, 0] + self.intercept_[0]
        is_certain = np.abs(height) > bound[0] + self._boundary_error()
        return np.where(height >= 0, 1, -1), is_certain
