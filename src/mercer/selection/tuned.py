"""Machines that choose their own C and kernel parameters."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, RegressorMixin
from sklearn.utils import Tags, get_tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer._warning import warn
from mercer.machines.base import KernelMachine
from mercer.machines.fit_context import fit_context
from mercer.machines.least_squares.rlsc import RLSC
from mercer.machines.svm.classifiers import SVC
from mercer.machines.svm.regressors import SVR
from mercer.selection.history import Budget, History
from mercer.selection.optimizers import OPTIMIZERS
from mercer.selection.results import cv_results, plot_search, relevance
from mercer.selection.strategies import STRATEGIES, Found, search
from mercer.selection.task import Task

__all__ = ["TunedRLSC", "TunedSVC", "TunedSVR"]

FloatArray = NDArray[np.float64]

_MESSAGES = {
    "flat": "the criterion is the same everywhere: the parameters chosen are as good as any others",
    "boundary": "the best parameters lie at the edge of those searched: better ones may lie beyond",
}


class TunedMachine(MetaEstimatorMixin, BaseEstimator):
    """What all machines that tune themselves share."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            name: KernelMachine._parameter_constraints[name]
            for name in ("kernel", "tol", "max_time", "n_threads", "verbose")
        },
        "objective": [StrOptions(set(STRATEGIES))],
        "optimizer": [StrOptions({"auto", *OPTIMIZERS}), object],
        "cv": ["cv_object"],
        "scoring": [str, callable, None],
        "max_evals": [Interval(Integral, 1, None, closed="left"), None],
        "max_time": [Interval(Real, 0.0, None, closed="neither"), None],
        "random_state": ["random_state"],
        "callback": [callable, None],
    }

    def _machine(self) -> Any:
        """The machine that is tuned, unfitted."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._machine()).input_tags
        return tags

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Choose the parameters, and fit the machine with them on all rows.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Classes or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a weight of 2 is the same as the row given twice.
        groups : array-like of shape (n_samples,), default=None
            Groups of rows that stay together, for a ``cv`` that needs them.

        Returns
        -------
        self : object
        """
        task = Task(self._machine(), X, y, sample_weight)
        budget = Budget(self.max_evals, self.max_time, self._watch())
        found = search(task, self.objective, self.optimizer, self._options(groups), budget)
        self._keep(found, found.space.tuned(found.theta).fit(X, y, sample_weight))
        return self

    def _options(self, groups: ArrayLike | None) -> dict[str, Any]:
        """What criteria may ask for."""
        options: dict[str, Any] = {
            "cv": self.cv,
            "groups": groups,
            "random_state": self.random_state,
        }
        if self.objective in ("likelihood", "posterior"):
            del options["cv"]
        if self.scoring is not None:
            options["loss"] = self.scoring
        if self.objective == "posterior" and getattr(self, "prior", None) is not None:
            options["prior"] = self.prior
        return options

    def _watch(self) -> Any:
        """The callback, and lines that show the search if that is wanted."""
        if not self.verbose:
            return self.callback
        name = type(self).__name__

        def watch(history: History) -> Any:
            where = ", ".join(
                f"{name} {value:.3g}"
                for name, value in zip(history.names[:4], history.thetas[-1], strict=False)
            )
            print(f"[{name}] {len(history)}: {history.values[-1]:.6g} at {where}", flush=True)
            return self.callback(history) if self.callback is not None else None

        return watch

    def _keep(self, found: Found, machine: Any) -> None:
        self.best_estimator_ = machine
        self.history_ = found.histories
        self.search_status_ = found.histories[-1].status
        self.kernel_ = machine.kernel_
        self.best_params_ = {
            found.space.price: getattr(machine, found.space.price),
            "kernel": machine.kernel_,
        }
        self.best_score_ = found.score
        self.relevance_ = relevance(machine.kernel_)
        self.cv_results_ = cv_results(found)
        self.n_features_in_ = getattr(machine, "n_features_in_", None)
        for name in ("classes_", "feature_names_in_"):
            if hasattr(machine, name):
                setattr(self, name, getattr(machine, name))
        if self.search_status_ in _MESSAGES:
            warn(f"{type(self).__name__}: {_MESSAGES[self.search_status_]}")

    def predict(self, X: Any) -> Any:
        """Predictions of the tuned machine."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    def plot(self, ax: Any = None) -> Any:
        """Draw the search: the criterion over C and the width, or over the evaluations."""
        check_is_fitted(self)
        return plot_search(self.history_, ax)


def _has(name: str) -> Any:
    """Whether the tuned machine, or the one to be tuned, has a method."""
    return lambda self: hasattr(getattr(self, "best_estimator_", self._machine()), name)


class TunedClassifier(ClassifierMixin, TunedMachine):
    """Decision values and probabilities of a tuned classifier."""

    @available_if(_has("decision_function"))
    def decision_function(self, X: Any) -> FloatArray:
        """Decision values of the tuned machine."""
        check_is_fitted(self)
        values: FloatArray = self.best_estimator_.decision_function(X)
        return values


class TunedSVC(TunedClassifier):
    """An :class:`SVC` that chooses its C and the parameters of its kernel.

    Says only ``TunedSVC()``: stratified five-fold cross-validation of a Gaussian kernel, by a
    grid of C and gamma that zooms in. Kernels with several widths are then refined by the
    gradient of a smooth loss of held-out rows.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        As in :class:`SVC`. ``Gaussian(metric="diagonal")`` has one width for each feature,
        ``metric="full"`` a whole matrix; all parameters that are not fixed are tuned.
    objective : str, default="auto"
        The criterion: "auto", or one of :func:`mercer.selection.make_objective`.
    optimizer : str or object, default="auto"
        How it is searched: "auto" for what suits it, "zoom", "grid", "focused-grid",
        "coordinate", "l-bfgs", "rprop", "irprop+", "noisy-rprop" or "cma", or an object of
        :mod:`mercer.selection.optimizers`.
    prior : Prior or callable, default=None
        Of the objective "posterior".
    cv : int, splitter or iterable, default=5
        Splits of the criteria that have them, as in scikit-learn.
    scoring : str or callable, default=None
        What is to be large on held-out rows; None for the share of right predictions.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        As in :class:`SVC`.
    class_weight : dict or "balanced", default=None
        As in :class:`SVC`; "balanced" means the training rows of each split.
    tol : float, default=1e-3
        As in :class:`SVC`.
    max_time : float, default=None
        Seconds after which the best parameters so far are taken; the fit with them comes after.
    max_evals : int, default=None
        Evaluations of the criterion after which the same happens.
    random_state : int, RandomState or None, default=None
        For criteria that draw rows.
    n_threads : int, default=None
        Threads; None means ``OMP_NUM_THREADS`` or all CPUs.
    verbose : bool, default=False
        Whether to show the search.
    callback : callable, default=None
        Called with the history after every evaluation; a true value ends the search.

    Attributes
    ----------
    best_estimator_ : SVC
        The machine, fitted on all rows.
    best_params_ : dict
        Its C and kernel.
    best_score_ : float
        The criterion there, large is good: the share of right predictions of held-out rows.
    kernel_ : Kernel
        The tuned kernel.
    C_ : float
        The chosen C.
    relevance_ : ndarray or None
        How much each feature counts, 1 for the largest, if there is a width for each.
    history_ : list of History
        The searches, with every point that was evaluated.
    cv_results_ : dict
        The same as in scikit-learn's searches.
    search_status_ : str
        Why the search ended: "converged", "max-time", "max-evals", "callback", "flat" or
        "boundary".
    classes_ : ndarray of shape (n_classes,)
        The labels.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import TunedSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = TunedSVC().fit(X, y)
    >>> bool(machine.best_score_ > 0.95)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TunedMachine._parameter_constraints,
        "prior": [callable, None],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        objective: str = "auto",
        optimizer: Any = "auto",
        prior: Any = None,
        cv: Any = 5,
        scoring: Any = None,
        loss: Literal["hinge", "squared_hinge"] = "hinge",
        class_weight: Any = None,
        tol: float = 1e-3,
        max_time: float | None = None,
        max_evals: int | None = None,
        random_state: Any = None,
        n_threads: int | None = None,
        verbose: bool = False,
        callback: Any = None,
    ) -> None:
        self.kernel = kernel
        self.objective = objective
        self.optimizer = optimizer
        self.prior = prior
        self.cv = cv
        self.scoring = scoring
        self.loss = loss
        self.class_weight = class_weight
        self.tol = tol
        self.max_time = max_time
        self.max_evals = max_evals
        self.random_state = random_state
        self.n_threads = n_threads
        self.verbose = verbose
        self.callback = callback

    def _machine(self) -> SVC:
        return SVC(
            kernel=self.kernel,
            loss=self.loss,
            class_weight=self.class_weight,
            tol=self.tol,
            n_threads=self.n_threads,
        )

    @property
    def C_(self) -> float:
        """The chosen C."""
        check_is_fitted(self)
        return float(self.best_estimator_.C)


class TunedSVR(RegressorMixin, TunedMachine):
    """An :class:`SVR` that chooses its C and the parameters of its kernel.

    By the squared error of held-out rows, unless ``scoring`` says otherwise.

    Parameters
    ----------
    kernel, objective, optimizer, cv, scoring, tol, max_time, max_evals, random_state, n_threads, \
verbose, callback
        As in :class:`TunedSVC`.
    epsilon : float, default=0.1
        Half-width of the tube, as in :class:`SVR`.

    Attributes
    ----------
    best_estimator_, best_params_, best_score_, kernel_, C_, relevance_, history_, cv_results_, \
search_status_
        As in :class:`TunedSVC`; the score is minus the squared error.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import TunedSVR
    >>> X = np.linspace(0.0, 6.0, 60)[:, None]
    >>> machine = TunedSVR(epsilon=0.01).fit(X, np.sin(X).ravel())
    >>> bool(machine.score(X, np.sin(X).ravel()) > 0.99)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TunedMachine._parameter_constraints,
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        epsilon: float = 0.1,
        objective: str = "auto",
        optimizer: Any = "auto",
        cv: Any = 5,
        scoring: Any = None,
        tol: float = 1e-3,
        max_time: float | None = None,
        max_evals: int | None = None,
        random_state: Any = None,
        n_threads: int | None = None,
        verbose: bool = False,
        callback: Any = None,
    ) -> None:
        self.kernel = kernel
        self.epsilon = epsilon
        self.objective = objective
        self.optimizer = optimizer
        self.cv = cv
        self.scoring = scoring
        self.tol = tol
        self.max_time = max_time
        self.max_evals = max_evals
        self.random_state = random_state
        self.n_threads = n_threads
        self.verbose = verbose
        self.callback = callback

    def _machine(self) -> SVR:
        return SVR(kernel=self.kernel, epsilon=self.epsilon, tol=self.tol, n_threads=self.n_threads)

    @property
    def C_(self) -> float:
        """The chosen C."""
        check_is_fitted(self)
        return float(self.best_estimator_.C)


class TunedRLSC(TunedClassifier):
    """An :class:`RLSC` that chooses its alpha and the parameters of its kernel.

    By the exact leave-one-out error of least squares and its gradient.

    Parameters
    ----------
    kernel, objective, optimizer, cv, scoring, class_weight, tol, max_time, max_evals, \
random_state, n_threads, verbose, callback
        As in :class:`TunedSVC`.

    Attributes
    ----------
    best_estimator_, best_params_, best_score_, kernel_, relevance_, history_, cv_results_, \
search_status_, classes_
        As in :class:`TunedSVC`; the score of "auto" is minus the squared leave-one-out error.
    alpha_ : float
        The chosen alpha.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import TunedRLSC
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(TunedRLSC().fit(X, y).score(X, y) > 0.95)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TunedMachine._parameter_constraints,
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        objective: str = "auto",
        optimizer: Any = "auto",
        cv: Any = 5,
        scoring: Any = None,
        class_weight: Any = None,
        tol: float = 1e-3,
        max_time: float | None = None,
        max_evals: int | None = None,
        random_state: Any = None,
        n_threads: int | None = None,
        verbose: bool = False,
        callback: Any = None,
    ) -> None:
        self.kernel = kernel
        self.objective = objective
        self.optimizer = optimizer
        self.cv = cv
        self.scoring = scoring
        self.class_weight = class_weight
        self.tol = tol
        self.max_time = max_time
        self.max_evals = max_evals
        self.random_state = random_state
        self.n_threads = n_threads
        self.verbose = verbose
        self.callback = callback

    def _machine(self) -> RLSC:
        return RLSC(kernel=self.kernel, class_weight=self.class_weight, n_threads=self.n_threads)

    @property
    def alpha_(self) -> float:
        """The chosen alpha."""
        check_is_fitted(self)
        return float(self.best_estimator_.alpha)
