"""A classifier that knows every C and chooses one."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from mercer._log import LOG
from mercer._sklearn import Interval, StrOptions
from mercer._warning import warn
from mercer.formulations import FittedParameters
from mercer.gram import Gram
from mercer.kernels import Kernel
from mercer.lowrank import LowRank
from mercer.machines.base import KernelMachine
from mercer.machines.docstrings import documented
from mercer.machines.fit_context import fit_context
from mercer.machines.kernel_values import resolve_kernel
from mercer.machines.svm.classifiers import SVC
from mercer.machines.svm.kernel_classifier import KernelClassifier
from mercer.machines.svm.schemes import (
    MULTICLASS,
    SCHEME_CONSTRAINTS,
    SubproblemScheme,
    make_scheme,
)
from mercer.multiclass.formulations import ALL_IN_ONE
from mercer.paths.inputs.data import KernelChoice
from mercer.paths.inputs.kernel_values import KernelValues
from mercer.paths.inputs.limits import Limits
from mercer.paths.results.class_paths import ClassPaths
from mercer.paths.results.statuses import ENDED
from mercer.paths.results.trace_classes import trace_classes
from mercer.paths.svc import check_range
from mercer.paths.validation.choice import choose_C
from mercer.paths.validation.cross_validation import HeldOut, cross_validate
from mercer.paths.validation.leave_one_out import leave_one_out_error
from mercer.paths.validation.scoring import Scoring
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.progress import Callback
from mercer.training.numbers import plain, real
from mercer.training.rows import TrainingRows, read_new_rows, read_training_rows
from mercer.training.splits import Split, leave_one_out_splits, two_class_splits
from mercer.training.training_set import TrainingSet
from mercer.training.weights import check_total, unit_weight

__all__ = ["PathSVC"]

FloatArray = NDArray[np.float64]

# What the problems of SVC leave behind.
UNUSED = (
    *("solutions_", "objective_", "dual_gap_", "violation_", "solver_", "fit_status_"),
    *("n_iter_", "class_weight_"),
)


@documented(like=SVC, without=UNUSED)
class PathSVC(KernelClassifier):
    """Support vector classification that follows the whole path and chooses C on it.

    The error on held-out rows is known exactly for every C, from one path for each split and
    machine of ``multiclass``. The paths of all rows give the machine at the chosen C without a
    refit. All paths share one set of kernel values, and ``gamma="scale"`` is resolved once, on all
    rows.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        As in :class:`SVC`; it must be positive semi-definite.
    C_min : float, default=None
        Where the path begins; None means from the smallest C.
    C_max : float, default=1000.0
        Where the path ends.
    cv : int, "loo", cross-validation generator or iterable, default=5
        How C is chosen: by stratified folds (at most as many as the smallest class has rows), by
        leaving out each row, or by the given splits: machines are trained on exactly the rows of a
        split.
    scoring : str or callable, default=None
        The score on held-out rows, as in scikit-learn; None for the share of right predictions.
        Scores of predicted labels are followed exactly; others are evaluated at 100 values of C.
    choice : {"best", "one-standard-error"}, default="best"
        Which C is taken: the middle (of log C) of the widest range with the best score, or (also
        "one-se") of the first range whose score is within one standard error of that. For scores
        that are not followed exactly it is the nearest evaluated C.
    multiclass : {"one-vs-one", "one-vs-all", "code"}, default="one-vs-one"
        How more than two classes are learned, as in :class:`SVC`: there is a path for each pair of
        classes, for each class, or for each column of ``code``.
    code : str, array-like or OutputCode, default="dense"
        With ``multiclass="code"``, as in :class:`SVC`.
    decoding : str, default="auto"
        The same; "auto" is "hinge". The classes that "hinge" and "hamming" tell are followed
        exactly, those of other losses evaluated at 100 values of C, of which ``C_`` is one.
    accuracy : float, default=0.0
        0 for exact paths; otherwise the largest relative duality gap of approximate ones, which
        have fewer breakpoints.
    class_weight : dict or "balanced", default=None
        As in :class:`SVC`; "balanced" means the training rows of each split.
    low_rank : int, LowRank or None, default=None
        As in :func:`svc_path`.
    cache_size : float or "auto", default="auto"
        Memory for kernel rows that are not free, in MB; "auto" takes up to a quarter of what is
        available.
    max_time : float, default=None
        Seconds after which the paths so far are used; an error says if they are too few for the
        first solution of the path of all rows.
    n_threads : int, default=None
        Threads; None means ``OMP_NUM_THREADS`` or all CPUs.
    callback : callable, default=None
        Called with a :class:`~mercer.solvers.Progress` about every 50 ms; a true value ends the
        path it is called from.
    verbose : bool, default=False
        Whether to show the progress.

    Attributes
    ----------
    path_ : Path, PairPaths or CodePaths
        The path of all rows; with more than two classes the paths of all machines.
    paths_ : tuple of Path
        One path for each pair of classes, for each class or for each column of the code.
    C_ : float
        The chosen C.
    cv_error_ : StepFunction or None
        Error on held-out rows as a function of C, the mean over the splits; None if
        ``max_time`` was over before any split was done.
    cv_errors_ : list of StepFunction
        That of each split; empty for "loo" with two classes.
    cv_score_ : StepFunction or None
        Mean of ``scoring`` over the splits, or one minus the error.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    dual_coef_ : ndarray of shape (1, n_support)
        Coefficients of the support vectors at ``C_``; of more than two classes as in :class:`SVC`.
    intercept_ : ndarray of shape (1,)
        The bias at ``C_``; of more than two classes that of every machine.

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
    probability = "deprecated"
    decision_function_shape = "ovr"
    break_ties = False
    solver = "active-set"

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
        "scoring": [str, callable, None],
        "choice": [StrOptions({"best", "one-standard-error", "one-se"})],
        "accuracy": [Interval(Real, 0.0, None, closed="left")],
        **SCHEME_CONSTRAINTS,
        "multiclass": [StrOptions({*MULTICLASS, *ALL_IN_ONE})],
        "low_rank": [Interval(Integral, 1, None, closed="left"), LowRank, None],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "cache_size": [StrOptions({"auto"}), Interval(Real, 0, None, closed="neither")],
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
        scoring: Any = None,
        choice: Literal["best", "one-standard-error", "one-se"] = "best",
        multiclass: str = "one-vs-one",
        code: Any = "dense",
        decoding: str = "auto",
        accuracy: float = 0.0,
        class_weight: Any = None,
        low_rank: int | LowRank | None = None,
        cache_size: float | str = "auto",
        max_time: float | None = None,
        n_threads: int | None = None,
        callback: Callback | None = None,
        verbose: bool = False,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.C_min = C_min
        self.C_max = C_max
        self.cv = cv
        self.scoring = scoring
        self.choice = choice
        self.multiclass = multiclass
        self.code = code
        self.decoding = decoding
        self.accuracy = accuracy
        self.class_weight = class_weight
        self.low_rank = low_rank
        self.cache_size = cache_size
        self.max_time = max_time
        self.n_threads = n_threads
        self.callback = callback
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
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
            Class labels.
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
        limits = Limits(float(self.C_max), deadline=deadline, callback=self.callback)
        inputs = self._read(X, y, sample_weight)
        scheme = self._make_scheme(len(inputs.classes))
        splits = self._splits(inputs, groups)
        kernel = resolve_kernel(self, inputs.rows, unit_weight(inputs.weight))
        choice = KernelChoice(
            kernel,
            low_rank=self.low_rank,
            cache_size=self.cache_size,
            n_threads=self.n_threads,
            deadline=deadline,
        )
        values = choice.values(inputs.rows, inputs.rows, inputs.weight, inputs.training)
        with limits.shown(self.verbose) as shown_limits:
            full = self._trace(inputs, scheme, values, shown_limits)
            held_out = self._validate_paths(inputs, scheme, splits, values.gram, shown_limits, full)
        self.classes_, self.paths_ = inputs.classes, full.paths
        self.path_ = full.paths[0] if len(inputs.classes) == 2 else full
        self._choose(full, held_out)
        self._keep_machine(inputs, kernel, scheme, full)
        LOG.info("%s: paths up to C=%.4g, %s, chosen C=%.6g", type(self).__name__, full.end,
                 full.status, self.C_)  # fmt: skip
        return self

    def _read(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> TrainingSet:
        """The arguments, checked."""
        X, y, weight = read_training_rows(self, X, y, sample_weight)
        check_total(weight)
        self.shape_fit_ = getattr(X, "shape", (len(weight),))
        training = TrainingRows.of(self)
        return TrainingSet.of_classes(X, y, weight, self.class_weight, training).checked()

    def _make_scheme(self, n_classes: int) -> SubproblemScheme:
        """The two-class machines that have paths."""
        if self.multiclass in ALL_IN_ONE:
            raise ValueError(
                f"multiclass must be one of {', '.join(map(repr, MULTICLASS))}, got "
                f"{self.multiclass!r}, whose classes are one problem that no path is known of: "
                "TunedSVC chooses its C"
            )
        scheme: Any = make_scheme(self, n_classes)
        return scheme

    def _trace(
        self, inputs: TrainingSet, scheme: SubproblemScheme, values: KernelValues, limits: Limits
    ) -> ClassPaths:
        """The paths of all rows."""
        full = trace_classes(
            inputs, inputs.full_weight(), values.gram, limits, scheme=scheme, values=values,
            C_min=self.C_min, accuracy=self.accuracy,
        )  # fmt: skip
        if not full.end > full.begin:
            raise ValueError(
                f"a path ended before its first solution ({full.status}): there is no machine, "
                f"allow more than max_time={self.max_time}"
            )
        if self.C_min is not None and full.end < self.C_min:
            raise ValueError(
                f"a path ended before C_min={plain(self.C_min)} ({full.status}): there is no "
                f"machine, allow more than max_time={self.max_time}"
            )
        return full

    def _splits(self, inputs: TrainingSet, groups: ArrayLike | None) -> list[Split]:
        """The splits of ``cv``; none for "loo" where one path tells which rows matter."""
        cv = self.cv
        if isinstance(cv, str):
            if self.scoring is not None:
                raise ValueError("scoring must be None with cv='loo': a single row has no score")
            # balanced weights change with every row that is left out, for all rows
            is_short = len(inputs.classes) == 2 and self.class_weight != "balanced"
            return [] if is_short else leave_one_out_splits(inputs)
        if isinstance(cv, Integral):
            smaller = int(np.bincount(inputs.class_index[inputs.weight > 0]).min())
            cv = max(min(int(cv), smaller), 2)
        return two_class_splits(inputs, cv, groups)

    def _validate_paths(
        self,
        inputs: TrainingSet,
        scheme: SubproblemScheme,
        splits: list[Split],
        gram: Gram,
        limits: Limits,
        full: ClassPaths,
    ) -> HeldOut:
        if not splits:
            return leave_one_out_error(full.paths[0], limits, inputs.weight)
        scoring = None
        if self.scoring is not None:
            scoring = Scoring.read(self.scoring, full.sampled)
        unit = "rows" if isinstance(self.cv, str) else "splits"
        return cross_validate(
            inputs, splits, gram, limits, full, self.accuracy, scoring, unit, scheme
        )

    def _choose(self, full: ClassPaths, held_out: HeldOut) -> None:
        """C by what the held-out rows say, with a warning if that is not all of them."""
        self.cv_error_, self.cv_errors_ = held_out.error, held_out.errors
        self.cv_score_ = held_out.score
        self.C_ = choose_C(
            full, held_out, self.C_min or 0.0, self.C_max,
            is_careful=self.choice != "best",
        )  # fmt: skip
        if held_out.warn_if_incomplete(f"C_={self.C_:.4g} is chosen by what is known"):
            return
        end = min(full.end, np.inf if self.cv_error_ is None else self.cv_error_.end)
        if full.status in ENDED:
            warn(
                f"a path ended early ({full.status}): C_={self.C_:.4g} is chosen up to "
                f"{end:.4g}, not up to C_max={plain(self.C_max)}",
                ConvergenceWarning,
            )

    def _keep_machine(
        self, inputs: TrainingSet, kernel: Kernel, scheme: SubproblemScheme, full: ClassPaths
    ) -> None:
        """The machine at the chosen C, in the layout of the other machines."""
        n_classes = len(inputs.classes)
        parts = scheme.subproblems(inputs.class_index)
        parameters = [
            FittedParameters(path.coef(self.C_), path.intercept(self.C_), 0.0)
            for path in full.paths
        ]
        coef = np.concatenate([own.coef[parts[k].rows] for k, own in enumerate(parameters)])
        support, coef = scheme.coefficients(parts, coef, inputs.class_index)
        if n_classes == 2:
            # rows in their own order, as they were given
            support = np.flatnonzero(parameters[0].coef)
            coef = parameters[0].coef[None, support]
        self.kernel_ = kernel
        self._keep_scheme(scheme)
        self._keep_support(inputs.rows, support)
        self.dual_coef_ = coef
        self.intercept_ = np.array([fitted.intercept for fitted in parameters])
        self._n_support = np.bincount(inputs.class_index[support], minlength=n_classes)
        near = [path.solutions.bias(self.C_) for path in full.paths]
        self._keep_shift(full.paths[0].shift, near, self.intercept_)
        self._forget_expansion()

    def decision_function(self, X: Any, C: float | None = None) -> FloatArray:
        """Decision values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        C : float, default=None
            Any C of the path; None means ``C_``.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: positive means ``classes_[1]``. More: a score for each.
        """
        decisions = self._decisions(X, C)
        return decisions[:, 0] if len(self.classes_) == 2 else self._scheme.scores(decisions)

    def predict(self, X: Any, C: float | None = None) -> NDArray[Any]:
        """Class of each row, at ``C_`` or any other C: of more than two the one that wins most
        pairs, or has the best score; ties go to the first, as ``cv_error_`` counts them.
        """
        decisions = self._decisions(X, C)
        return np.asarray(self.classes_[self._scheme.choose(decisions, break_ties=False)])

    def machine_decisions(self, X: Any) -> FloatArray:
        """Values of all machines at ``C_``, shape (n_samples, n_machines)."""
        return self._decisions(X, None)

    def plot(self, *, axes: Any = None) -> Any:
        """Error on held-out rows against C, and the C that was chosen.

        Parameters
        ----------
        axes : matplotlib axes or sequence of them, default=None
            Where to draw; a new figure if None.

        Returns
        -------
        ndarray of matplotlib axes
        """
        check_is_fitted(self)
        from mercer.paths.results.plot_results import plot_choice

        return plot_choice(self, axes)

    def _decisions(self, X: Any, C: float | None) -> FloatArray:
        """Values of all machines."""
        X = read_new_rows(self, X)
        if C is None and self.low_rank is None:
            return self._machine_decisions(X)
        at = self.C_ if C is None else real("C", C)
        features = self.paths_[0]._known_values().features(X)
        return np.stack([path.decide(features, at) for path in self.paths_], axis=-1)
