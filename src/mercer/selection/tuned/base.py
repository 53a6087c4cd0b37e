"""What machines that choose their own C and kernel parameters share."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import Tags, get_tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer._warning import warn
from mercer.machines.base import KernelMachine
from mercer.machines.fit_context import fit_context
from mercer.selection.found import Found
from mercer.selection.history import Budget, History
from mercer.selection.optimizers import OPTIMIZERS
from mercer.selection.results import cv_results, plot_search, relevance
from mercer.selection.strategies import STRATEGIES, search
from mercer.selection.task import Task
from mercer.selection.tuned.messages import messages_of
from mercer.solvers.runs.deadline import Deadline

__all__ = ["TunedClassifier", "TunedMachine"]

FloatArray = NDArray[np.float64]

_LAST_SHARE = 0.25  # of the time, for the fit with the parameters found
_LEAST_SECONDS = 1.0  # after which that fit is given up


def _is_hard(machine: Any) -> bool:
    """Whether no coefficient is at its bound, so that a larger C is the same machine."""
    if getattr(machine, "loss", None) not in ("hinge", "epsilon_insensitive"):
        return False
    coef = machine.dual_coef_
    return hasattr(machine, "C") and (coef.shape[1] == 0 or float(abs(coef).max()) < machine.C)


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
        task = self._task(X, y, sample_weight)
        limit = None if self.max_time is None else (1.0 - _LAST_SHARE) * self.max_time
        seen: list[History] = []
        budget = Budget(self.max_evals, Deadline.after(limit), self._watch(seen))
        try:
            found = search(task, self.objective, self.optimizer, self._options(groups), budget)
        except KeyboardInterrupt:
            self._keep_interrupted(seen)
            raise
        machine = self._tuned(found)
        if self.max_time is not None:
            machine.set_params(max_time=max(self.max_time, _LEAST_SECONDS))
        self._keep(found, machine.fit(X, y, sample_weight).set_params(max_time=None))
        self.relevance_ = relevance(self.kernel_, task)
        return self

    def _task(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Task:
        """What is learned."""
        return Task(self._machine(), X, y, sample_weight)

    def _tuned(self, found: Found) -> Any:
        """The machine with the parameters found, unfitted."""
        return found.space.tuned(found.theta)

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
            history = seen[-1]
            history.status = self.search_status_ = "interrupted"
            space, theta = history.spaces[history.best], history.thetas[history.best]
            price = {space.price: space.price_at(theta)}
            self.history_, self.best_params_ = seen, {**price, "kernel": space.kernel_at(theta)}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "best_estimator_")

    def _forget(self) -> None:
        """Drop what an earlier fit has left."""
        for name in [name for name in vars(self) if name.endswith("_") and name[0] != "_"]:
            delattr(self, name)

    def _keep(self, found: Found, machine: Any) -> None:
        self._forget()
        self.best_estimator_ = machine
        self.history_ = found.histories
        self.search_status_ = found.histories[-1].status
        self.kernel_ = machine.kernel_
        self.best_params_ = {
            found.space.price: getattr(machine, found.space.price),
            "kernel": machine.kernel_,
        }
        self.best_score_ = found.score
        if found.chosen is not None:
            self.best_index_ = found.chosen
        self.cv_results_ = cv_results(found)
        self.n_features_in_ = getattr(machine, "n_features_in_", None)
        for name in ("classes_", "feature_names_in_"):
            if hasattr(machine, name):
                setattr(self, name, getattr(machine, name))
        self._edges = found.space.edges(found.theta, is_hard=_is_hard(machine))
        if self._edges and self.search_status_ == "converged":
            self.search_status_ = found.histories[-1].status = "boundary"
        for message in messages_of(found, self.search_status_, self._edges, machine):
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

    @available_if(_has("decision_function"))
    def decision_function(self, X: Any) -> FloatArray:
        """Decision values of the tuned machine."""
        check_is_fitted(self)
        values: FloatArray = self.best_estimator_.decision_function(X)
        return values
