"""A classifier that knows every C and chooses one."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import type_of_target

from mercer.formulations import svc
from mercer.gram import Gram
from mercer.kernels import Kernel
from mercer.machines.base import KernelMachine
from mercer.machines.checks import check_weighted_classes, find_classes
from mercer.paths.display import shown
from mercer.paths.inputs import Inputs
from mercer.paths.kernel_values import KernelValues
from mercer.paths.limits import Limits, PathCallback
from mercer.paths.numbers import plain
from mercer.paths.path import Path
from mercer.paths.splits import Split, read_splits
from mercer.paths.step_function import StepFunction
from mercer.paths.svc import check_range, trace
from mercer.paths.training_rows import TrainingRows
from mercer.paths.validation import (
    ENDED,
    HeldOut,
    cross_validated_error,
    leave_one_out_error,
)
from mercer.solvers.deadline import Deadline

__all__ = ["PathSVC"]

FloatArray = NDArray[np.float64]


class PathSVC(ClassifierMixin, KernelMachine):
    """Support vector classification that follows the whole path and chooses C on it.

    The error on held-out rows is known exactly for every C, from one path for each fold;
    the machine at the chosen C is read off the path of all rows: nothing is refitted. All
    paths share one set of kernel values.

    Parameters
    ----------
    kernel, degree, gamma, coef0
        As in :class:`SVC`; the kernel must be positive semi-definite.
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
    support_, support_vectors_, dual_coef_, intercept_
        The machine at ``C_``, as in :class:`SVC`.

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

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Follow the path of all rows and those of the folds, and choose C.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the kernel matrix.
        y : array-like of shape (n_samples,)
            Labels of two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, of rows and of their errors.
        groups : array-like of shape (n_samples,), default=None
            Groups of rows, handed to ``cv``.

        Returns
        -------
        self : object
        """
        deadline = Deadline.after(self.max_time)
        check_range(self.C_min, self.C_max, self.accuracy)
        X, y, weight = self._validate_fit(X, y, sample_weight)
        self.shape_fit_ = np.shape(X)
        classes, codes = _two_classes(y, weight)
        inputs = Inputs(X, classes, codes, weight, self.class_weight, TrainingRows.of(self))
        splits = self._splits(inputs, groups)
        kernel = self._resolve_kernel(X, weight)
        gram = self._make_gram(kernel, X)
        problem = svc(inputs.sign, 1.0, inputs.full_weight()).problem
        values = KernelValues(kernel, X, inputs.training, gram=gram)
        limits = Limits(float(self.C_max), deadline=deadline, callback=self.callback)
        with shown(self.verbose, limits) as shown_limits:
            path = trace(
                problem, gram, shown_limits, classes=classes, values=values, C_min=self.C_min,
                accuracy=self.accuracy,
            )  # fmt: skip
            if path.C_end == 0.0:
                raise ValueError(
                    f"the path ended before its first solution ({path.status}): there is no "
                    f"machine, allow more than max_time={self.max_time}"
                )
            held_out = self._validate_path(inputs, splits, gram, shown_limits, path)
        self.classes_, self.path_ = classes, path
        self.cv_error_, self.cv_errors_ = held_out.error, held_out.parts
        self.C_ = choose_C(path, held_out.error)
        if not held_out.warn_if_incomplete(f"C_={self.C_:.4g} is chosen by what is known"):
            self._warn_of_early_end(path)
        self._keep_machine(X, kernel)
        return self

    def _warn_of_early_end(self, path: Path) -> None:
        """Of a choice from only a part of the range that was asked for."""
        end = min(path.C_end, np.inf if self.cv_error_ is None else self.cv_error_.end)
        if end < min(self.C_max, path.C[-1]) * (1 - 1e-9) or path.status in ENDED:
            warnings.warn(
                f"a path ended early ({path.status}): C_={self.C_:.4g} is chosen up to {end:.4g}, "
                f"not up to C_max={plain(self.C_max)}",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _splits(self, inputs: Inputs, groups: ArrayLike | None) -> list[Split]:
        """The splits of ``cv``; none for "loo" where one path tells which rows matter."""
        n, cv = len(inputs.codes), self.cv
        if isinstance(cv, str):
            # balanced weights change with every row that is left out, for all rows
            alone = range(n if self.class_weight == "balanced" else 0)
            return [Split(1 - np.eye(1, n, i, dtype=np.intp)[0], np.array([i])) for i in alone]
        if isinstance(cv, Integral):
            smaller = int(np.bincount(inputs.codes).min())
            cv = max(min(int(cv), smaller), 2)
        return read_splits(cv, inputs, groups)

    def _validate_path(
        self, inputs: Inputs, splits: list[Split], gram: Gram, limits: Limits, path: Path
    ) -> HeldOut:
        if not splits:
            return leave_one_out_error(path, limits, inputs.weight)
        return cross_validated_error(inputs, splits, gram, limits, path)

    def _keep_machine(self, X: Any, kernel: Kernel) -> None:
        """The machine at the chosen C, in the layout of the other machines."""
        coef = self.path_.coef(self.C_)
        self.kernel_ = kernel
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
            return self.path_._decide(X, C)
        return np.asarray(self._evaluate(X)[0][:, 0] + self.intercept_[0])

    def predict(self, X: Any, C: float | None = None) -> NDArray[Any]:
        """Class of each row, at ``C_`` or any other C."""
        positive = self.decision_function(X, C) > 0
        return np.asarray(self.classes_[positive.astype(np.intp)])


def choose_C(path: Path, error: StepFunction | None) -> float:
    """Middle (of log C) of the widest range with the smallest error, where C matters.

    Without an error: 1, or the next C that is known.
    """
    if error is None:
        return float(np.clip(1.0, path.C_begin, path.C_end))
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


def _two_classes(y: Any, weight: FloatArray) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The two classes, and which of them each row has."""
    classes, codes = find_classes(y)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is "
            f"{type_of_target(y)}."
        )
    check_weighted_classes(classes, codes, weight)
    return classes, codes
