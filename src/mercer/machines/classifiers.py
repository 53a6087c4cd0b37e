"""Support vector classifiers."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.utils._param_validation import Hidden, Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from mercer.formulations import (
    Formulation,
    ReadOut,
    absolute,
    least_squares,
    nu_svc,
    one_sided_huber,
    svc,
)
from mercer.gram import Gram
from mercer.machines.base import KernelMachine
from mercer.machines.checks import (
    check_finite_price,
    check_weighted_classes,
    warn_of_overlap,
    weigh_classes,
)
from mercer.machines.linear import linear_coef
from mercer.machines.one_vs_one import (
    class_pairs,
    dual_coefficients,
    pair_decisions,
    scores,
    votes,
)
from mercer.machines.probability import PlattMixin
from mercer.native_kernel import take_rows
from mercer.solvers.progress import Callback

__all__ = ["SVC", "NuSVC"]

FloatArray = NDArray[np.float64]


class KernelClassifier(PlattMixin, ClassifierMixin, KernelMachine):
    """Classification by pairs of classes that share one Gram."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelMachine._parameter_constraints,
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "decision_function_shape": [StrOptions({"ovr", "ovo"})],
        "break_ties": ["boolean"],
        "probability": ["boolean", Hidden(StrOptions({"deprecated"}))],
        "random_state": ["random_state"],
    }

    @abstractmethod
    def _formulate(self, sign: FloatArray, weight: FloatArray) -> Formulation:
        """The two-class formulation."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the machine.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the kernel matrix; for a function
            anything it takes.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a weight of 2 is the same as the row given twice.

        Returns
        -------
        self : object
        """
        X, y, weight = self._validate_fit(X, y, sample_weight)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        classes, labels = np.unique(y, return_inverse=True)
        check_weighted_classes(classes, labels, weight)
        class_weight = weigh_classes(self.class_weight, classes, y, weight)
        self._fit_pairs(X, labels, classes, class_weight, weight)
        self._fit_probability(X, y, sample_weight)
        return self

    def _fit_pairs(
        self,
        X: Any,
        labels: NDArray[np.intp],
        classes: NDArray[Any],
        class_weight: FloatArray,
        weight: FloatArray,
    ) -> None:
        n_classes = len(classes)
        kernel = self._resolve_kernel(X, weight)
        order, segments = self._class_order(labels, n_classes)
        rows = X if order is None else take_rows(X, order)
        sorted_labels = labels if order is None else labels[order]
        weights = (weight * class_weight[labels])[order if order is not None else slice(None)]
        pairs = list(class_pairs(sorted_labels, n_classes))
        formulations = [
            self._formulate(pair.sign, weights[pair.rows]).on_rows(pair.rows, len(labels))
            for pair in pairs
        ]
        gram = self._make_gram(kernel, rows, segments)
        solutions, read_outs = self._solve_all(formulations, gram)
        support, coef = dual_coefficients(pairs, read_outs, sorted_labels, n_classes)
        self.classes_ = classes
        self.class_weight_ = class_weight
        self._keep_support(X, support if order is None else order[support])
        self.dual_coef_ = sp.csr_matrix(coef) if sp.issparse(X) else coef
        self.intercept_ = np.array([read_out.intercept for read_out in read_outs])
        self._n_support = np.bincount(sorted_labels[support], minlength=n_classes)
        self.n_iter_ = np.array([solution.n_iter for solution in solutions], dtype=np.int32)
        self._keep_read_outs(read_outs, gram)
        self._keep_solutions(solutions, kernel, np.shape(X))

    def _class_order(
        self, labels: NDArray[np.intp], n_classes: int
    ) -> tuple[NDArray[np.intp] | None, NDArray[np.intp] | None]:
        """Rows sorted by class, so that pairs of classes need only their own segments."""
        if n_classes == 2 or self._is_precomputed():
            return None, None
        order = np.argsort(labels, kind="stable")
        counts = np.bincount(labels, minlength=n_classes)
        return order, np.concatenate([[0], np.cumsum(counts)])

    def _keep_read_outs(self, read_outs: list[ReadOut], gram: Gram) -> None:
        """For machines that learn more than coefficients."""

    @property
    def n_support_(self) -> NDArray[np.int32]:
        """Number of support vectors of each class."""
        check_is_fitted(self)
        return self._n_support.astype(np.int32)

    @property
    def coef_(self) -> Any:
        """Weights of the features; linear kernels only."""
        check_is_fitted(self)
        return linear_coef(self, np.cumsum(self._n_support)[:-1])

    def _pair_decisions(self, X: Any) -> FloatArray:
        values = self._evaluate(self._validate_predict(X))
        if len(self.classes_) == 2:
            return values[0] + self.intercept_
        return pair_decisions(values, self.intercept_)

    def _expansion_parts(self) -> ArrayLike | None:
        if len(self.classes_) == 2:
            return None
        return np.concatenate([[0], np.cumsum(self._n_support)])

    def decision_function(self, X: Any) -> FloatArray:
        """Decision values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            Two classes: positive means ``classes_[1]``. More: one score a class ("ovr"), or
            the value of each pair ("ovo"), positive meaning its first class.
        """
        decisions = self._pair_decisions(X)
        if len(self.classes_) == 2:
            return decisions[:, 0]
        if self.decision_function_shape == "ovo":
            return decisions
        return scores(decisions, len(self.classes_))

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row: the argmax of :meth:`decision_function`.

        With ``break_ties=False`` ties between more than two classes go to the first.
        """
        decisions = self._pair_decisions(X)
        if len(self.classes_) == 2:
            return self.classes_[(decisions[:, 0] > 0).astype(np.intp)]
        count = scores if self.break_ties else votes
        return self.classes_[count(decisions, len(self.classes_)).argmax(axis=1)]


class SVC(KernelClassifier):
    """Support vector classification with a certificate.

    A drop-in replacement of :class:`sklearn.svm.SVC`: parameters and attributes of that
    class mean the same here; the others are listed below.

    Parameters
    ----------
    C : float, default=1.0
        Price of the loss; ``inf`` asks for the hard margin.
    kernel : str, Kernel or callable, default="rbf"
        "linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed", a kernel object of
        :mod:`mercer.kernels` or :mod:`sklearn.gaussian_process.kernels`, or a function
        ``k(rows, other_rows)`` asked for blocks.
    loss : {"hinge", "squared_hinge", "squared_error", "absolute_error", "huber"}
        The loss. Squared losses carry C/2. "huber" is the squared hinge with a linear
        price ``delta`` for margins beyond 1.
    delta : float, default=1.0
        Slope of the "huber" loss beyond the margin.
    fit_intercept : {True, False, "penalized"}, default=True
        Whether there is a bias; "penalized" treats it as a weight (kernel k + 1).
    solver : str or Solver, default="auto"
        Solver of :mod:`mercer.solvers`.
    precision : {"auto", "single", "double"}, default="auto"
        Precision of kernel values; the certificate is always computed in double.
    max_time : float, default=None
        Seconds after which the best iterate so far is kept.
    n_threads : int, default=None
        Threads; None means ``OMP_NUM_THREADS`` or all CPUs. Results do not depend on it.
    warm_start : bool, default=False
        Whether to start from the solution of the last fit.
    callback : callable, default=None
        Called with a :class:`~mercer.solvers.Progress` about every 50 ms; a true value
        ends the fit.
    break_ties : bool, default=True
        Whether ties between more than two classes are broken by the scores, so that
        ``predict`` is the argmax of ``decision_function``.

    Attributes
    ----------
    solutions_ : tuple of Solution
        One for each pair of classes, with coefficients and certificate.
    objective_ : float
        Dual objective, summed over pairs.
    dual_gap_ : float or None
        Largest relative duality gap; None for indefinite kernels.
    violation_ : float
        Largest KKT violation.
    solver_ : str
        Solver that was used.
    kernel_ : Kernel
        The kernel with its parameters as numbers.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = SVC(C=10).fit(X, y)
    >>> machine.violation_ <= machine.tol
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelClassifier._parameter_constraints,
        "C": [Interval(Real, 0.0, None, closed="right")],
        "loss": [
            StrOptions({"hinge", "squared_hinge", "squared_error", "absolute_error", "huber"})
        ],
        "delta": [Interval(Real, 0.0, None, closed="left")],
        "fit_intercept": ["boolean", StrOptions({"penalized"})],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        loss: str = "hinge",
        delta: float = 1.0,
        fit_intercept: bool | Literal["penalized"] = True,
        shrinking: bool = True,
        probability: bool | str = "deprecated",
        tol: float = 1e-3,
        cache_size: float | str = "auto",
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = True,
        random_state: Any = None,
        solver: Any = "auto",
        precision: str = "auto",
        max_time: float | None = None,
        n_threads: int | None = None,
        warm_start: bool = False,
        callback: Callback | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.loss = loss
        self.delta = delta
        self.fit_intercept = fit_intercept
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.solver = solver
        self.precision = precision
        self.max_time = max_time
        self.n_threads = n_threads
        self.warm_start = warm_start
        self.callback = callback

    def _formulate(self, sign: FloatArray, weight: FloatArray) -> Formulation:
        bias = self.fit_intercept
        if self.loss not in ("hinge", "squared_hinge"):
            check_finite_price(self.C, self.loss)
        if self.loss == "squared_error":
            return least_squares(sign, 1.0 / self.C, weight, fit_intercept=bias)
        if self.loss == "absolute_error":
            return absolute(sign, self.C, weight, fit_intercept=bias)
        if self.loss == "huber":
            return one_sided_huber(sign, self.C, self.delta, weight, fit_intercept=bias)
        return svc(sign, self.C, weight, loss=self.loss, fit_intercept=bias)  # type: ignore[arg-type]


class NuSVC(KernelClassifier):
    """Support vector classification with the fraction ``nu`` in place of C.

    A drop-in replacement of :class:`sklearn.svm.NuSVC`; see :class:`SVC` for the parameters
    and attributes that are not scikit-learn's.

    Parameters
    ----------
    nu : float, default=0.5
        Lower bound of the weighted fraction of support vectors and upper bound of that of
        margin errors; at most twice the share of the lighter class of a pair.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        The loss; with the squared hinge nu has no effect.

    Attributes
    ----------
    rho_ : ndarray of shape (n_pairs,)
        Functional margin of each pair before coefficients were scaled to margin 1;
        ``1 / rho_`` is the C of the equivalent :class:`SVC`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelClassifier._parameter_constraints,
        "nu": [Interval(Real, 0.0, 1.0, closed="right")],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
    }

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        loss: str = "hinge",
        shrinking: bool = True,
        probability: bool | str = "deprecated",
        tol: float = 1e-3,
        cache_size: float | str = "auto",
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = True,
        random_state: Any = None,
        solver: Any = "auto",
        precision: str = "auto",
        max_time: float | None = None,
        n_threads: int | None = None,
        warm_start: bool = False,
        callback: Callback | None = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.loss = loss
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.solver = solver
        self.precision = precision
        self.max_time = max_time
        self.n_threads = n_threads
        self.warm_start = warm_start
        self.callback = callback

    def _formulate(self, sign: FloatArray, weight: FloatArray) -> Formulation:
        return nu_svc(sign, self.nu, weight, loss=self.loss)  # type: ignore[arg-type]

    def _keep_read_outs(self, read_outs: list[ReadOut], gram: Gram) -> None:
        self.rho_ = np.array([read_out.rho for read_out in read_outs])
        warn_of_overlap(self.nu, read_outs, gram)
