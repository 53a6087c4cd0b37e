"""The soft smallest ball around rows, as a detector of outliers."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import OutlierMixin

from mercer._sklearn import Interval
from mercer.formulations import enclosing_ball
from mercer.gram import Gram
from mercer.machines.docstrings import documented
from mercer.machines.fit_context import fit_context
from mercer.machines.kernel_values import make_gram, resolve_kernel
from mercer.machines.svm.one_class import OneClassSVM
from mercer.machines.svm.regressors import KernelFunction
from mercer.solvers.runs.progress import Callback
from mercer.training.rows import is_precomputed, read_new_rows, read_training_rows

__all__ = ["SVDD"]

FloatArray = NDArray[np.float64]
_NEAR_BOUNDARY = 1e-3  # times the squared radius
_ROUNDED = 1e-12  # times the largest k(x, x)


@documented(like=OneClassSVM)
class SVDD(OutlierMixin, KernelFunction):
    """The smallest ball that holds most rows, in the space of the kernel (Tax & Duin 2004).

    The least R^2 + 1 / (nu W) sum_i w_i max(|x_i - c|^2 - R^2, 0), W being the sum of the weights
    w. Rows inside the ball are inliers. Where k(x, x) is the same for all x, as with a Gaussian
    kernel, it separates the same rows as :class:`OneClassSVM`; with linear and polynomial kernels
    it is a ball around the rows, wherever they lie, and not a half-space.

    Parameters
    ----------
    nu : float, default=0.5
        Upper bound of the weighted fraction of training rows outside, lower bound of that of
        support vectors. Rows on the boundary count as inside.
    tol : float, default=1e-3
        Largest KKT violation, relative to the largest k(x, x).

    Attributes
    ----------
    radius_ : float
        R.
    offset_ : ndarray of shape (1,)
        -R^2: ``decision_function = score_samples - offset_``.

    Examples
    --------
    >>> from mercer import SVDD
    >>> machine = SVDD(kernel="linear", nu=0.1).fit([[0.0, 0.0], [4.0, 0.0], [2.0, 1.0]])
    >>> round(machine.radius_, 6)
    2.0
    >>> machine.predict([[2.0, -1.0], [9.0, 0.0]])
    array([ 1, -1])
    """

    _needs_targets = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelFunction._parameter_constraints,
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
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
            Training rows; for ``kernel="precomputed"`` the kernel matrix, with equal values on its
            diagonal; for a function anything it takes.
        y : Ignored
            Not used, present for API consistency by convention.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a weight of 2 is the same as the row given twice.

        Returns
        -------
        self : object
        """
        X, _, weight = read_training_rows(self, X, None, sample_weight)
        kernel = resolve_kernel(self, X, weight)
        gram = make_gram(self, kernel, X, weight)
        diagonal = gram.check_values().diagonal(precision="double")
        self._largest = float(diagonal.max()) or 1.0
        self._stored_square = self._checked_square(diagonal)
        share = 1.0 / (self.nu * float(weight.sum()))
        found = self._fit_on(gram, kernel, X, enclosing_ball(diagonal, share, weight))
        assert found.radius is not None
        self.radius_ = found.radius
        self.offset_ = np.array([-found.radius * found.radius])
        # R^2 - |x - c|^2 = 2 f(x) - k(x, x) + R^2 - |c|^2
        self.intercept_ = -self.offset_ - found.norm_squared
        return self

    def _checked_square(self, diagonal: FloatArray) -> float | None:
        """k(x, x) of new rows, which a stored matrix does not tell."""
        if not is_precomputed(self.kernel):
            return None
        if float(np.ptp(diagonal)) > _ROUNDED * self._largest:
            raise ValueError(
                "kernel='precomputed' must have equal values on its diagonal, got values from "
                f"{diagonal.min():g} to {diagonal.max():g}: k(x, x) of new rows is not known"
            )
        return float(diagonal[0])

    def _tolerance(self, gram: Gram) -> float:
        return self.tol * self._largest

    def decision_function(self, X: Any) -> FloatArray:
        """``R^2 - |x - c|^2``, positive inside.

        Values no larger than their error are 0: the row lies on the boundary.
        """
        X = read_new_rows(self, X)
        values = (
            2.0 * self._expanded.exact.evaluate(X)[0, :, 0] - self._squares(X) + self.intercept_[0]
        )
        values[np.abs(values) <= self._error()] = 0.0
        return values

    def _squares(self, X: Any) -> FloatArray | float:
        """k(x, x) of rows."""
        return self.kernel_.diag(X) if self._stored_square is None else self._stored_square

    def _error(self) -> float:
        """What the tolerance and rounding may make of a value of 0."""
        error = 2.0 * self.violation_ + _ROUNDED * self._largest
        return min(error, max(_NEAR_BOUNDARY * self.radius_**2, _ROUNDED * self._largest))

    def score_samples(self, X: Any) -> FloatArray:
        """``-|x - c|^2``."""
        return self.decision_function(X) + self.offset_

    def predict(self, X: Any) -> NDArray[np.intp]:
        """+1 for rows inside, -1 for outliers."""
        return np.where(self.decision_function(X) >= 0, 1, -1)
