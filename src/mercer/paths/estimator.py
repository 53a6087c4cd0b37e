"""A classifier that knows every C and chooses one."""

from __future__ import annotations

import time
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.model_selection import check_cv
from sklearn.utils import Tags, compute_class_weight
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from mercer.formulations import svc
from mercer.gram import Gram
from mercer.kernels import Kernel
from mercer.machines.base import KernelMachine
from mercer.machines.classifiers import SVC
from mercer.machines.documented import documented
from mercer.machines.fit_context import fit_context
from mercer.paths.display import shown
from mercer.paths.follow import Limits, PathCallback
from mercer.paths.path import Path
from mercer.paths.step_function import StepFunction
from mercer.paths.svc import trace
from mercer.paths.validation import cross_validated_error, leave_one_out_error

__all__ = ["PathSVC"]

FloatArray = NDArray[np.float64]

# What the problems of SVC leave behind.
UNUSED = (
    *("solutions_", "objective_", "dual_gap_", "violation_", "solver_", "fit_status_"),
    *("n_support_", "n_iter_", "coef_", "class_weight_"),
)


@documented(like=SVC, without=UNUSED)
class PathSVC(ClassifierMixin, KernelMachine):
    """Support vector classification that follows the whole path and chooses C on it.

    The error on held-out rows is known exactly for every C, from one path for each fold;
    the machine at the chosen C is read off the path of all rows: nothing is refitted. All
    paths share one set of kernel values.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        As in :class:`SVC`; it must be positive semi-definite.
    C_min : float, default=None
        Where the path begins; None means from the smallest C.
    C_max : float, default=1000.0
        Where the path ends.
    cv : int, "loo", cross-validation generator or iterable, default=5
        How C is chosen: by stratified folds (at most as many as the smaller class has rows),
        by leaving out each row, or by the given splits.
    accuracy : float, default=0.0
        0 for exact paths; else the relative duality gap allowed on approximate ones, which
        have fewer breakpoints.
    class_weight : dict or "balanced", default=None
        As in :class:`SVC`.
    cache_size : float, default=100.0
        Memory for kernel rows that are not free, in MB.
    max_time : float, default=None
        Seconds after which the paths so far are used.
    n_threads : int, default=None
        Threads; None means ``OMP_NUM_THREADS`` or all CPUs.
    callback : callable, default=None
        Called with a :class:`PathProgress` about every 50 ms; a true value ends the path it
        is called from.
    verbose : bool, default=False
        Whether to show the progress.

    Attributes
    ----------
    path_ : Path
        The path of all rows.
    C_ : float
        The chosen C: in the middle (of log C) of the widest range where the error on
        held-out rows is smallest.
    cv_error_ : StepFunction
        Error on held-out rows as a function of C.
    classes_ : ndarray of shape (2,)
        The labels.
    dual_coef_ : ndarray of shape (1, n_support)
        Coefficients of the support vectors at ``C_``.
    intercept_ : ndarray of shape (1,)
        The bias at ``C_``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import StandardScaler
    >>> from mercer import PathSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> machine = PathSVC().fit(StandardScaler().fit_transform(X), y)
    >>> bool(machine.cv_error_(machine.C_) == machine.cv_error_.minimum)
    True
    """

    precision = "double"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            name: KernelMachine._parameter_constraints[name]
            for name in ("kernel", "degree", "gamma", "coef0", "max_time", "n_threads", "callback")
        },
        "C_min": [Interval(Real, 0.0, None, closed="neither"), None],
        "C_max": [
            Interval(Real, 0.0, None, closed="neither"),
            Interval(Real, 0.0, None, closed="right"),
        ],
        "cv": [Interval(Integral, 2, None, closed="left"), StrOptions({"loo"}), "cv_object"],
        "accuracy": [Interval(Real, 0.0, None, closed="left")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "cache_size": [Interval(Real, 0, None, closed="neither")],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        C_min: float | None = None,
        C_max: float = 1e3,
        cv: int | Literal["loo"] | Any = 5,
        accuracy: float = 0.0,
        class_weight: Any = None,
        cache_size: float = 100.0,
        max_time: float | None = None,
        n_threads: int | None = None,
        callback: PathCallback | None = None,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.C_min = C_min
        self.C_max = C_max
        self.cv = cv
        self.accuracy = accuracy
        self.class_weight = class_weight
        self.cache_size = cache_size
        self.max_time = max_time
        self.n_threads = n_threads
        self.callback = callback
        self.verbose = verbose

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Follow the path of all rows and those of the folds, and choose C.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the kernel matrix.
        y : array-like of shape (n_samples,)
            Labels of two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, of rows and of their errors.

        Returns
        -------
        self : object
        """
        began = time.perf_counter()
        X, y, weight = self._validate_fit(X, y, sample_weight)
        labels = np.asarray(column_or_1d(y, warn=True))
        self.classes_, sign = _signs(labels, weight)
        kernel = self._resolve_kernel(X, weight)
        gram = Gram(kernel, X, cache_size=self.cache_size, precision="double",
                    n_threads=self.n_threads)  # fmt: skip
        balance = compute_class_weight(
            self.class_weight, classes=self.classes_, y=labels, sample_weight=weight
        )
        problem = svc(sign, 1.0, weight * balance[(sign > 0).astype(int)]).problem
        deadline = np.inf if self.max_time is None else began + self.max_time
        with shown(self.verbose, self.callback) as report:
            limits = Limits(self.C_max, deadline=deadline, callback=report)
            self.path_ = trace(
                problem, gram, limits, classes=self.classes_, rows=X, C_min=self.C_min,
                accuracy=self.accuracy,
            )  # fmt: skip
            self.cv_error_ = self._validate_path(limits, labels, weight)
        self.C_ = choose_C(self.path_, self.cv_error_)
        self._keep_machine(X, kernel)
        return self

    def _validate_path(self, limits: Limits, y: NDArray[Any], weight: FloatArray) -> StepFunction:
        if isinstance(self.cv, str):
            return leave_one_out_error(self.path_, limits, weight)
        cv = self.cv
        if isinstance(cv, Integral):
            smaller = int(np.unique(y, return_counts=True)[1].min())
            cv = max(min(int(cv), smaller), 2)
        splits = check_cv(cv, y, classifier=True).split(np.zeros(len(y)), y)
        held_out = [test for _, test in splits if weight[test].any()]
        return cross_validated_error(self.path_, held_out, limits, weight)

    def _keep_machine(self, X: Any, kernel: Kernel) -> None:
        """The machine at the chosen C, in the layout of the other machines."""
        coef = self.path_.coef(self.C_)
        self.kernel_ = kernel
        self.shape_fit_ = np.shape(X)
        self._keep_support(X, np.flatnonzero(coef))
        self.dual_coef_ = coef[None, self.support_]
        self.intercept_ = np.array([self.path_.intercept(self.C_)])
        self._expand()

    def decision_function(self, X: Any, C: float | None = None) -> FloatArray:
        """Decision values, positive for ``classes_[1]``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        C : float, default=None
            Any C of the path; None means ``C_``.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        X = self._validate_predict(X)
        if C is not None:
            return self.path_.decision_function(X, C)
        return np.asarray(self._evaluate(X)[0][:, 0] + self.intercept_[0])

    def predict(self, X: Any, C: float | None = None) -> NDArray[Any]:
        """Class of each row, at ``C_`` or any other C."""
        positive = self.decision_function(X, C) > 0
        return np.asarray(self.classes_[positive.astype(np.intp)])


def choose_C(path: Path, error: StepFunction) -> float:
    """Middle (of log C) of the widest range with the smallest error, where C matters."""
    if path.status == "trivial":
        return float(np.clip(1.0, error.x[0] or 1.0, error.end))
    low = max(0.5 * path.C_start, path.C_begin)
    high = min(max(2.0 * float(path.C[-1]), low), path.C_end, error.end)
    low = min(low, high)
    best, widest = low, -1.0
    for begin, end, value in error.pieces():
        begin, end = max(begin, low), min(end, high)
        if value <= error.minimum + 1e-12 and end >= begin and np.log(end / begin) > widest:
            best, widest = float(np.sqrt(begin * end)), float(np.log(end / begin))
    return min(best, high)


def _signs(y: NDArray[Any], weight: FloatArray) -> tuple[NDArray[Any], FloatArray]:
    """The two classes, and -1 or +1 for each row."""
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is "
            f"{type_of_target(y)}."
        )
    seen = np.unique(codes[weight > 0])
    if len(seen) < 2:
        raise ValueError(
            "The number of classes has to be greater than one; got "
            f"{len(seen)} class{'' if len(seen) == 1 else 'es'} with positive weight"
        )
    return classes, np.where(codes == 1, 1.0, -1.0)
