"""Least squares classifiers: RLSC and LS-SVM."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer.least_squares import Scan
from mercer.machines.class_weights import find_classes, read_classes, weigh_classes
from mercer.machines.documented import documented
from mercer.machines.fit_context import fit_context
from mercer.machines.least_squares.left_out import LeftOutClassifier
from mercer.machines.least_squares.one_against_all import (
    chosen_class,
    places_of,
    read_indicators,
    signed_labels,
    wrong_class,
    wrong_labels,
)
from mercer.machines.least_squares.streamed import StreamedMachine
from mercer.machines.least_squares.streaming import can_stream
from mercer.machines.least_squares.temperature import (
    by_class,
    can_calibrate,
    fit_slope,
    without_one_copy,
)
from mercer.machines.svm.classifiers import SVC

__all__ = ["LSSVC", "RLSC"]

OF_PROBLEMS = ("solutions_", "objective_", "dual_gap_", "violation_", "fit_status_", "n_support_")

FloatArray = NDArray[np.float64]


class LeastSquaresClassifier(ClassifierMixin, StreamedMachine):
    """Least squares on labels -1 and +1, one class against all others."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StreamedMachine._parameter_constraints,
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the machine; all classes share one factorization.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the kernel matrix; for a function
            anything it takes.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Class labels, or 0 and 1 for each of several labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a weight of 2 is the same as the row given twice.

        Returns
        -------
        self : object
        """
        X, y, weight = self._validate_fit(X, y, sample_weight, multi_output=True)
        self.__dict__.pop("probability_slope_", None)
        self.multilabel_ = np.ndim(y) == 2 and np.shape(y)[1] > 1
        if self.multilabel_:
            return self._fit_indicators(X, y, weight)
        self.classes_, labels, self.class_weight_ = read_classes(y, self.class_weight, weight)
        weights = weight * self.class_weight_[labels]
        rows = weights > 0
        targets = signed_labels(labels, len(self.classes_))
        choose = lambda values: self.classes_[chosen_class(values)]  # noqa: E731
        known = LeftOutClassifier(self.classes_, choose), self.classes_[labels[rows]]
        loss = wrong_class(labels[rows])
        scan = self._fit_targets(X, targets, weights, loss, weights[rows], known)
        self._calibrate(scan, targets[rows], labels[rows], weight[rows])
        return self

    def _fit_indicators(self, X: Any, y: Any, weight: FloatArray) -> Self:
        """Fit every label as two classes of its own; all share one factorization."""
        y, targets = read_indicators(y, self.class_weight)
        self.classes_, self.class_weight_ = np.arange(y.shape[1]), np.ones(y.shape[1])
        rows = weight > 0
        loss = wrong_labels(y[rows])
        choose = lambda values: (values > 0).astype(np.intp)  # noqa: E731
        known = LeftOutClassifier(self.classes_, choose), y[rows]
        scan = self._fit_targets(X, targets, weight, loss, weight[rows], known)
        self._calibrate(scan, targets[rows], y[rows].ravel(), weight[rows])
        return self

    def _calibrate(
        self, scan: Scan | None, targets: FloatArray, labels: NDArray[np.intp], weight: FloatArray
    ) -> None:
        """Fit the slope of the probabilities to left-out values of the rows of positive weight."""
        if scan is None:
            return
        seen = slice(0, scan.n_seen)
        values = without_one_copy(targets[seen], scan.fitted[seen], scan.values[seen], weight[seen])
        copies = values.shape[1] if self.multilabel_ else 1
        values = by_class(values.ravel() if self._is_binary else values)
        weight = np.repeat(weight[seen], copies)
        self.probability_slope_ = fit_slope(values, labels[: len(values)], weight)

    @property
    def _is_binary(self) -> bool:
        """Whether every value decides between two classes."""
        return self.multilabel_ or len(self.classes_) == 2

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    @available_if(can_stream)
    @fit_context(prefer_skip_nested_validation=False)
    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Take in a block of rows, which need not be kept; low rank or linear kernels only.

        The basis and rules such as ``gamma="scale"`` come from the first block. The result is
        that of :meth:`fit` on all blocks together; of several alphas the one of the least GCV
        is taken, because rows that are gone cannot be left out.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            A block of rows.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All classes there are; required at the first block unless it has them all.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.

        Returns
        -------
        self : object
        """
        first = not hasattr(self, "_stream")
        X, y, weight = self._validate_fit(X, y, sample_weight, reset=first)
        if self.class_weight == "balanced":
            raise ValueError("class_weight='balanced' needs all rows: use a dict in partial_fit")
        found, labels = find_classes(y)
        if first:
            self.classes_ = found if classes is None else np.unique(classes)
        labels = places_of(found, self.classes_)[labels]
        ones = np.ones(len(self.classes_))
        self.class_weight_ = weigh_classes(self.class_weight, self.classes_, self.classes_, ones)
        targets = signed_labels(labels, len(self.classes_))
        self.__dict__.pop("probability_slope_", None)
        self.multilabel_ = False
        self._stream_block(X, targets, weight * self.class_weight_[labels], first)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Decision values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: positive means ``classes_[1]``. More: the value of each class against
            all others. Several labels: positive means that the row has the label.
        """
        values = self._outputs(self._validate_predict(X))
        return values[:, 0] if values.shape[1] == 1 else values

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row, the argmax of :meth:`decision_function`, or 0 and 1 for each label."""
        values = self._outputs(self._validate_predict(X))
        if self.multilabel_:
            return (values > 0).astype(np.intp)
        return self.classes_[chosen_class(values)]

    @available_if(can_calibrate)
    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class, columns as in ``classes_``, or of each label.

        softmax(slope f), for two classes expit(2 slope f): the most probable class is the predicted
        one. The slope is that of the greatest likelihood of the training rows, each judged by
        the machine of all others, so no row is held back (Platt 1999, without his offset).
        """
        check_is_fitted(self)
        values = self.probability_slope_ * self.decision_function(X)
        return expit(2.0 * values) if self.multilabel_ else softmax(by_class(values), axis=1)

    @available_if(can_calibrate)
    def predict_log_proba(self, X: Any) -> FloatArray:
        """Logarithm of :meth:`predict_proba`."""
        check_is_fitted(self)
        values = self.probability_slope_ * self.decision_function(X)
        return (
            log_expit(2.0 * values) if self.multilabel_ else log_softmax(by_class(values), axis=1)
        )


@documented(like=SVC, without=OF_PROBLEMS)
class RLSC(LeastSquaresClassifier):
    """Regularized least-squares classification.

    Minimizes ``1/2 |w|^2 + 1/(2 alpha) sum_i w_i (y_i - f(x_i))^2`` on labels -1 and +1: one
    linear system (K + alpha) c = y, and one factorization for every class, every alpha and
    every left-out row.

    Parameters
    ----------
    alpha : float, array-like, "loo" or "gcv", default=1.0
        The number on the diagonal: lambda n of regularization, 1/C of the LS-SVM. Of several
        values the one of the least leave-one-out error is taken; "loo" asks for a grid that
        spans the spectrum of the kernel matrix, "gcv" for the one of that grid with the least
        generalized cross-validation.
    fit_intercept : {False, True, "penalized"}, default=False
        Whether there is a bias; "penalized" treats it as a weight (kernel k + 1).
    class_weight : dict or "balanced", default=None
        Factors of the weights of the classes, in the fit and in the choice of alpha.
    low_rank : int, LowRank or None, default=None
        Approximate the kernel matrix by columns of this many random rows (the same in every
        fit), or as the object says.
    solver : str or Solver, default="auto"
        "direct" (Cholesky), "eigen" (all alphas at once), "cg", "smo", a
        :class:`~mercer.solvers.linear_system.ConjugateGradient` or
        :class:`~mercer.Smo`; for linear kernels also "primal", "smw" and "lsqr".
    penalty : {"norm", "coefficients"}, default="norm"
        What is small: |w|^2 = c'Kc, or |c|^2 as in the nonlinear proximal SVM.
    sparse : {None, "prune", "l0"}, default=None
        How support vectors are made few: by dropping the smallest coefficients as long as
        held-out rows do not suffer, or by reweighting towards zeros.
    loo : bool, default=True
        Whether leave-one-out values are computed for a single alpha, too; it takes as long
        again as the fit.
    scoring : str, callable or None, default=None
        Score of scikit-learn on left-out rows by which alpha is chosen, any that works on
        predictions or decision values; None is the share of wrong rows, or the mean squared error.
    tol : float, default=1e-6
        Relative residual at which "cg", "lsqr" and "smo" end.
    max_iter : int, default=-1
        Bound on their iterations; -1 means ten times the size of the system.
    max_time : float, default=None
        Seconds after which no iteration, round or pass over the rows begins; what there is then is
        kept, with a warning. A factorization that has begun is finished.
    precision : {"auto", "single", "double"}, default="auto"
        Precision of kernel values; "auto" is double.
    n_threads : int, default=None
        Threads for kernel values; None means ``OMP_NUM_THREADS`` or all CPUs.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    alpha_ : float
        The alpha used.
    alphas_ : ndarray of shape (n_alphas,)
        Those it was chosen from.
    loo_values_ : ndarray of shape (n_samples,) or (n_samples, n_classes), or None
        Decision value of each training row by the machine of all others (alpha fixed, the row
        left out with all its weight; a low-rank basis is kept). None for solvers that do not
        factor: "cg", "lsqr", "smo".
    loo_error_ : float or None
        Weighted share of rows that are wrong when left out.
    loo_errors_ : ndarray of shape (n_alphas,) or None
        The same for each alpha.
    loo_scores_ : ndarray of shape (n_alphas,) or None
        The score of each alpha, with ``scoring``.
    multilabel_ : bool
        Whether the targets were several labels a row.
    probability_slope_ : float
        Slope of the probabilities of :meth:`predict_proba`, fitted to values of left-out rows.
    gcv_ : float or None
        Generalized cross-validation, the mean over outputs.
    dof_ : float or None
        Effective degrees of freedom, the trace of the smoother.
    residual_ : float
        The certificate: largest relative residual of the linear system over the outputs.
    condition_ : float or None
        Condition of the matrix solved with; of "direct" and "cg" an estimate from below.
    solver_ : str
        Solver that was used.
    n_iter_ : int or None
        Iterations of the solver, if it has any.
    dual_coef_ : ndarray of shape (n_outputs, n_support)
        Coefficients of ``support_vectors_``, which are the rows ``support_``.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of the weights of each class.
    coef_ : ndarray of shape (n_outputs, n_features)
        Weights of the features, of linear kernels (also scaled ones and sums of them); in
        place of the dual coefficients for solvers of linear kernels.
    intercept_ : ndarray of shape (n_outputs,)
        The bias.
    low_rank_ : LowRank
        The fitted approximation, with ``basis_`` and ``trace_error_``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import RLSC
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = RLSC(alpha="loo").fit(X, y)
    >>> bool(machine.loo_error_ < 0.06)
    True
    """

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        fit_intercept: bool | Literal["penalized"] = False,
        class_weight: Any = None,
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
        self.class_weight = class_weight
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


@documented(like=RLSC)
class LSSVC(LeastSquaresClassifier):
    """Least squares support vector classification: :class:`RLSC` with a free bias.

    Solves [[0, 1'], [1, K + alpha]] [b; c] = [0; y].

    Parameters
    ----------
    fit_intercept : {True, False, "penalized"}, default=True
        Whether there is a bias; "penalized" treats it as a weight (kernel k + 1).
    """

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        fit_intercept: bool | Literal["penalized"] = True,
        class_weight: Any = None,
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
        self.class_weight = class_weight
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
