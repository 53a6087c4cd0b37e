"""The base of machines that choose their own C and kernel parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer._log import LOG
from mercer._reported import Reported
from mercer._sklearn import CallbackSupportMixin, Interval, StrOptions
from mercer._threads import blas_threads
from mercer._warning import warn
from mercer.machines.base import KernelMachine
from mercer.machines.certified import certificate_html, table_html
from mercer.machines.fit_context import fit_context
from mercer.selection.history import Budget, History
from mercer.selection.honest import honest_of
from mercer.selection.optimizers import OPTIMIZERS
from mercer.selection.results import cv_results, plot_search, point_params, relevance
from mercer.selection.search_result import SearchResult
from mercer.selection.simplest import simplest_within_error
from mercer.selection.strategies import STRATEGIES, search
from mercer.selection.training_task import TrainingTask
from mercer.selection.tuned.continued import earlier_histories, key_of
from mercer.selection.tuned.judged_rows import are_comparable, judged_and_fitted
from mercer.selection.tuned.kernel_names import kernels_of
from mercer.selection.tuned.last_fit import last_fit
from mercer.selection.tuned.messages import constant_prediction, messages_of
from mercer.selection.tuned.scaling import last_machine, scaled_rows, scaler_for, with_scaler
from mercer.selection.tuned.scores import scoring_options
from mercer.solvers.runs.deadline import Deadline

__all__ = ["TunedClassifier", "TunedMachine"]

FloatArray = NDArray[np.float64]

_RANGES = ("C_range", "gamma_range")  # parameters of those machines that search them
_COMPARES = ("auto", "cv", "holdout", "gcv")  # objectives that are of one unit for all kernels
_LAST_SHARE = 0.25  # of the time, at least, for the fit with the parameters found
_OF_GROUPS = ("auto", "cv", "alignment", "polarization", "rejection", "detection")  # objectives


def _is_hard(machine: Any) -> bool:
    """Whether no coefficient is at its bound, so that a larger C is the same machine."""
    if getattr(machine, "loss", None) not in ("hinge", "epsilon_insensitive"):
        return False
    coef = machine.dual_coef_
    return hasattr(machine, "C") and (coef.shape[1] == 0 or float(abs(coef).max()) < machine.C)


def _best_of(seen: list[History]) -> History:
    """The last search that decides, or one of another kernel on as many rows that is better."""
    known = [history for history in seen if history.decides]
    last, sign = known[-1], -1.0 if known[-1].greater_is_better else 1.0
    others = [own for own in known if own.n_rows >= last.n_rows and not own.is_of_machine(last)]
    return min([last, *others], key=lambda own: sign * own.values[own.best])


def _checked_range(name: str, given: Any) -> tuple[float, float] | None:
    """Two positive numbers, the smaller one first; None for the usual range."""
    if given is None:
        return None
    ends = np.asarray(given)
    is_pair = ends.shape == (2,) and ends.dtype.kind in "iuf"
    if not (is_pair and np.isfinite(ends).all() and 0 < ends[0] < ends[1]):
        raise ValueError(
            f"{name} must be None or two positive numbers, the smaller one first, got {given!r}"
        )
    return float(ends[0]), float(ends[1])


class TunedMachine(MetaEstimatorMixin, Reported, CallbackSupportMixin, BaseEstimator):
    """The base of all machines that tune themselves."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            name: KernelMachine._parameter_constraints[name]
            for name in ("kernel", "tol", "max_time", "n_threads", "verbose")
        },
        "objective": [StrOptions(set(STRATEGIES))],
        "optimizer": [StrOptions({"auto", *OPTIMIZERS}), object],
        "cv": ["cv_object"],
        "scoring": [str, callable, list, tuple, dict, None],
        "refit": [str, None],
        "scale": ["boolean", StrOptions({"auto"})],
        "warm_start": ["boolean"],
        "max_evals": [Interval(Integral, 1, None, closed="left"), None],
        "max_time": [Interval(Real, 0.0, None, closed="neither"), None],
        "random_state": ["random_state"],
        "callback": [callable, None],
    }

    scale: bool | str = False
    refit: str | None = None
    warm_start: bool = False
    best_estimator_: Any

    def _machine(self) -> Any:
        """The machine that is tuned, unfitted."""
        raise NotImplementedError

    def _html_repr(self) -> str:
        """What a notebook shows: the parameters and, after the fit, the choice and certificate."""
        shown = str(super()._html_repr())
        return shown + (self._chosen_html() if hasattr(self, "best_estimator_") else "")

    def _chosen_html(self) -> str:
        """What was chosen, and the certificate of the machine."""
        chosen = {name: str(value) for name, value in self.best_params_.items()}
        chosen |= {"score": f"{self.best_score_:.6g}", "search": str(self.search_status_)}
        interval = getattr(self, "honest_interval_", None)
        if interval is not None:
            low, high = interval
            chosen["on new rows"] = f"{self.honest_score_:.6g} ({low:.6g} to {high:.6g})"
        elif (sizes := judged_and_fitted(self)) is not None:
            chosen["on new rows"] = (
                "not told: the score is of machines of a sample of {:,} rows, this one has {:,}"
            ).format(*sizes)
        return table_html(chosen) + certificate_html(last_machine(self.best_estimator_))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._machine()).input_tags
        return tags

    @fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: Any,
        y: Any,
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
        limit = None if self.max_time is None else (1.0 - _LAST_SHARE) * self.max_time
        deadline, for_search = Deadline.after(self.max_time), Deadline.after(limit)
        task = self._task(X, y, sample_weight)
        scaler = scaler_for(self.scale, task, X, sample_weight)
        if scaler is not None:
            X = scaler.transform(X)
            task = task.scaled(scaled_rows(scaler, task, X))
        seen: list[History] = []
        budget = Budget(self.max_evals, for_search, self._watch(seen))
        try:
            options = self._options(groups)
            if self.warm_start:
                key = key_of(self, task, options)
                budget = replace(budget, known=earlier_histories(self, key))
                self._search_key = key
            best = search(task, self.objective, self.optimizer, options, budget)
            found = self._chosen(best)
            count = sum(len(history) for history in found.histories)
            LOG.info("%s: %d candidates, best score %.6g", type(self).__name__, count, best.score)
            fitted = last_fit(self._tuned(found), task, X, y, sample_weight, deadline)
        except KeyboardInterrupt:
            self._keep_interrupted(seen)
            raise
        self._keep(found, fitted.machine, best)
        n_fitted = int(fitted.machine.shape_fit_[0])
        self._keep_honest(best, task, n_fitted, has_groups=groups is not None)
        self._tell_constant(task)
        fitted.tell(task.n_rows, type(self).__name__)
        with blas_threads(1):  # others spin for a while, on the cores of what comes next
            self.relevance_ = relevance(self.best_estimator_, task)
            self._keep_probabilities(found, task, options)
        for history in found.histories:
            if history.held_out is not None:
                history.held_out.forget_values()
        self._keep_scaler(scaler)
        return self

    def _keep_scaler(self, scaler: StandardScaler | None) -> None:
        """From here on the machine takes rows as they were given."""
        self.best_estimator_ = with_scaler(self.best_estimator_, scaler)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(scaler, name):
                setattr(self, name, getattr(scaler, name))

    def _keep_honest(
        self, best: SearchResult, task: TrainingTask, n_fitted: int, *, has_groups: bool
    ) -> None:
        """The score that the choice has not seen, of machines of about as many rows."""
        is_careful = getattr(self, "choice", "best") != "best"
        found = honest_of(best, task, self.objective, is_careful=is_careful, has_groups=has_groups)
        if not are_comparable(best.listed.n_rows, n_fitted):
            found = None
        self.honest_score_ = None if found is None else found.score
        self.honest_interval_ = None if found is None else found.interval
        self.honest_kind_ = None if found is None else found.kind

    def _keep_probabilities(
        self, found: SearchResult, task: TrainingTask, options: dict[str, Any]
    ) -> None:
        """For classifiers that need a map to probabilities."""

    def _tell_constant(self, task: TrainingTask) -> None:
        """Warn of a classifier that predicts one class for all rows."""

    def _task(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> TrainingTask:
        """What is learned, and where parameters are looked for."""
        task = TrainingTask(self._machine(), X, y, sample_weight)
        task.variants = self._variants()
        if task.variants and self.objective not in _COMPARES:
            raise ValueError(
                f"objective must be one of {', '.join(map(repr, _COMPARES))} to choose among "
                f"kernels, losses or class weights, got {self.objective!r}"
            )
        for name in _RANGES:
            setattr(task, name, _checked_range(name, getattr(self, name, None)))
        return task

    def _variants(self) -> list[dict[str, Any]]:
        """Parameters of the machines to choose from; none if there is one only."""
        return [{"kernel": kernel} for kernel in kernels_of(self.kernel)]

    def _varied(self) -> tuple[str, ...]:
        """Parameters that are searched beside C and the kernel."""
        return ()

    def _chosen(self, found: SearchResult) -> SearchResult:
        """The best point, or the simplest that is as good."""
        is_careful = getattr(self, "choice", "best") != "best"
        return simplest_within_error(found) if is_careful else found

    def _check_choice(self) -> None:
        """Refuse a careful choice where the error of a score is not known."""
        has_splits = self.objective in ("auto", "cv") and self.cv is not None
        if getattr(self, "choice", "best") != "best" and not has_splits:
            raise ValueError(
                f"choice={self.choice!r} needs splits that tell the error of a score: an "
                f"objective 'auto' or 'cv' with a cv, got objective={self.objective!r} and "
                f"cv={self.cv!r}"
            )

    def _tuned(self, found: SearchResult) -> Any:
        """The machine with the parameters found, unfitted."""
        return found.space.tuned(found.theta)

    def _options(self, groups: ArrayLike | None) -> dict[str, Any]:
        """The options that criteria may use."""
        self._check_choice()
        if groups is not None and self.objective not in _OF_GROUPS:
            raise ValueError(
                f"groups must be None with objective={self.objective!r}, which does not look at "
                f"them, or the objective one of {', '.join(map(repr, _OF_GROUPS))}"
            )
        options: dict[str, Any] = {"groups": groups, "random_state": self.random_state}
        if self.cv is not None and self.objective not in ("likelihood", "posterior"):
            # several criteria read what can be read once
            options["cv"] = list(self.cv) if isinstance(self.cv, Iterator) else self.cv
        if self.scoring is not None or self.refit is not None:
            options |= scoring_options(self.scoring, self.refit)
        if self.objective == "posterior" and getattr(self, "prior", None) is not None:
            options["prior"] = self.prior
        return options

    def _watch(self, seen: list[History]) -> Any:
        """The callback, and lines that show the search if that is wanted; notes the histories."""
        name = type(self).__name__

        def watch(history: History) -> Any:
            if not seen or seen[-1] is not history:
                seen.append(history)
            if self.verbose:
                show(history)
            return self.callback(history) if self.callback is not None else None

        def show(history: History) -> None:
            where = ", ".join(
                f"{name} {value:.3g}"
                for name, value in zip(history.names[:4], history.thetas[-1], strict=False)
            )
            print(f"[{name}] {len(history)}: {history.values[-1]:.6g} at {where}", flush=True)

        return watch

    def _keep_interrupted(self, seen: list[History]) -> None:
        """The best parameters of the search that was interrupted; there is no machine."""
        self._forget()
        if seen:
            seen[-1].status = self.search_status_ = "interrupted"
            history = _best_of(seen)
            space, theta = history.spaces[history.best], history.thetas[history.best]
            self.history_, self.best_params_ = seen, point_params(space, theta, self._varied())
            self.held_out_ = history.held_out_at(theta)
        else:
            self.__dict__.pop("_search_key", None)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "best_estimator_")

    def _forget(self) -> None:
        """Delete the attributes of an earlier fit."""
        for name in [name for name in vars(self) if name.endswith("_") and name[0] != "_"]:
            delattr(self, name)

    def _keep(self, found: SearchResult, machine: Any, best: SearchResult) -> None:
        self._forget()
        self.best_estimator_ = machine
        self.history_ = found.histories
        self.search_status_ = found.histories[-1].status
        self.kernel_ = machine.kernel_
        self.best_params_ = {
            found.space.penalty: getattr(machine, found.space.penalty),
            "kernel": machine.kernel_,
            **{name: getattr(machine, name) for name in found.varied},
        }
        self.best_score_ = found.score
        if found.chosen is not None:
            self.best_index_ = found.chosen
        self.cv_results_ = cv_results(found)
        self.held_out_ = found.listed.held_out_at(found.theta)
        self.n_features_in_ = getattr(machine, "n_features_in_", None)
        for name in ("classes_", "feature_names_in_"):
            if hasattr(machine, name):
                setattr(self, name, getattr(machine, name))
        # the simplest of good points may well lie at an edge, as long as the best does not
        self._edges = best.space.edges(best.theta, is_hard=_is_hard(machine))
        if self._edges and self.search_status_ == "converged":
            self.search_status_ = found.histories[-1].status = "boundary"
        ranges = [name for name in _RANGES if hasattr(self, name)]
        for message in messages_of(found, self.search_status_, self._edges, machine, ranges):
            warn(f"{type(self).__name__}: {message}")

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

    def _tell_constant(self, task: TrainingTask) -> None:
        message = constant_prediction(self.best_estimator_, self.held_out_, task)
        if message is not None and self.search_status_ != "flat":
            warn(f"{type(self).__name__}: {message}")

    @available_if(_has("decision_function"))
    def decision_function(self, X: Any) -> FloatArray:
        """Decision values of the tuned machine."""
        check_is_fitted(self)
        values: FloatArray = self.best_estimator_.decision_function(X)
        return values
