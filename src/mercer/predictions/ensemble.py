"""Several classifiers, or one on chunks or cells of the rows, put together."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import Tags, check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer._reported import Reported
from mercer._sklearn import CallbackSupportMixin, HasMethods, Interval, StrOptions
from mercer.gram.native import count_rows
from mercer.machines.fit_context import counting_all_rows, fit_context
from mercer.predictions.calibrated import CalibratedSVC
from mercer.predictions.cells import Cells, make_cells
from mercer.predictions.chunk_fits import ChunkFits
from mercer.predictions.class_values import decision_values, probabilities
from mercer.predictions.given_rows import (
    checked_rows,
    checked_weight,
    known_rows,
    weighted_rows,
)
from mercer.predictions.stacked_rows import some_rows
from mercer.training.classes import check_weighted_classes, find_classes
from mercer.training.estimator_kind import check_kind

__all__ = ["ChunkedEnsemble"]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]
_LEAST = 1e-12  # a probability of 0 would outweigh all the others


def _has_probabilities(ensemble: Any) -> bool:
    """Whether its classifiers have probabilities, or an error that says that they have none."""
    members = getattr(ensemble, "estimators_", None) or ensemble._machines
    for member in members:
        if not hasattr(member, "predict_proba"):
            raise AttributeError(f"predict_proba needs that of {type(member).__name__}")
    return True


def _has_values(ensemble: Any) -> bool:
    """Whether classes are told by decision values: where there are no probabilities."""
    try:
        _has_probabilities(ensemble)
    except AttributeError:
        return True
    raise AttributeError("decision_function is there for classifiers without predict_proba")


class ChunkedEnsemble(
    MetaEstimatorMixin, ClassifierMixin, Reported, CallbackSupportMixin, BaseEstimator
):
    """Several classifiers, each trained on every chunk of the rows.

    Training a support vector machine on m chunks takes about an m-th of the time and memory; the
    average of machines of disjoint chunks is stable even if a single one is not (Rifkin 2002,
    section 5.3).

    Parameters
    ----------
    estimator : classifier or list of classifiers, default=None
        It needs ``predict_proba``, or ``decision_function`` for "average" and "cell"; None means
        :class:`mercer.CalibratedSVC`. A :class:`mercer.TunedSVC` is tuned on every chunk.
    n_chunks : int, default=1
        Number of chunks; the number of cells is only near it.
    chunk_size : int, default=None
        Approximate number of rows of a chunk; replaces ``n_chunks``.
    partition : {"stratified", "random", "cells"}, default="stratified"
        - "stratified": rows are drawn at random, and each chunk has its share of every class.
        - "random": rows are drawn at random.
        - "cells": rows near each other, by Euclidean distance from landmarks (of the features as
          given: scale them before). Each query is answered by the machine of its cell.
    combine : {"auto", "vote", "product", "average", "cell"}, default="auto"
        - "vote": every classifier votes for its class with the probability it assigns to it;
          ``predict_proba`` is the share of the votes.
        - "product": the product of the probabilities, normalised: right if classifiers err
          independently of each other, overconfident if they do not.
        - "average": the mean of the probabilities, with chunks weighted by their numbers of rows,
          or of decision values if there are no probabilities.
        - "cell": the machines of the cell of the query, averaged if there are several.

        "auto" is "cell" for cells, otherwise "vote".
    overlap : float, default=0.0
        Cells are also trained on rows whose distance from their landmark is at most 1 + overlap
        times that from the nearest one: smoother borders for a longer fit.
    n_jobs : int, default=None
        Threads that train chunks at the same time, or workers of the backend that
        ``joblib.parallel_config`` names; each then uses one thread, unless ``n_threads`` of the
        classifier says otherwise.
    random_state : int, RandomState or None, default=None
        Draws the chunks and the landmarks.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, ascending.
    estimators_ : list of classifiers
        Those of the first chunk, of the second, and so on.
    chunk_sizes_ : ndarray of shape (n_chunks,)
        Rows of each chunk.
    cells_ : Cells
        The cells, with their ``centers``, for ``partition="cells"``.
    n_features_in_ : int
        Number of features, if rows have any.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if all are strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC, CalibratedSVC, ChunkedEnsemble
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = ChunkedEnsemble(CalibratedSVC(SVC()), n_chunks=3, random_state=0).fit(X, y)
    >>> len(machine.estimators_)
    3
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), list, None],
        "n_chunks": [Interval(Integral, 1, None, closed="left")],
        "chunk_size": [Interval(Integral, 1, None, closed="left"), None],
        "partition": [StrOptions({"stratified", "random", "cells"})],
        "combine": [StrOptions({"auto", "vote", "product", "average", "cell"})],
        "overlap": [Interval(Real, 0.0, None, closed="left")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_chunks: int = 1,
        chunk_size: int | None = None,
        partition: str = "stratified",
        combine: str = "auto",
        overlap: float = 0.0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_chunks = n_chunks
        self.chunk_size = chunk_size
        self.partition = partition
        self.combine = combine
        self.overlap = overlap
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def _machines(self) -> list[Any]:
        if self.estimator is None:
            return [CalibratedSVC()]
        return self.estimator if isinstance(self.estimator, list) else [self.estimator]

    @property
    def _rule(self) -> str:
        """How values are combined."""
        if self.combine != "auto":
            return self.combine
        return "cell" if self.partition == "cells" else "vote"

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = [get_tags(machine).input_tags for machine in self._machines]
        tags.input_tags.sparse = all(own.sparse for own in inner)
        tags.input_tags.allow_nan = all(own.allow_nan for own in inner) and not self._has_cells
        return tags

    @property
    def _has_cells(self) -> bool:
        return self.partition == "cells"

    @fit_context(prefer_skip_nested_validation=False)
    @counting_all_rows
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        executor: Any = None,
    ) -> Self:
        """Fit all classifiers to all chunks.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Training rows, handed to the classifiers as they are, a chunk at a time: a memory map is
            never read as a whole.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, if the classifiers take any.
        executor : object with ``submit``, default=None
            Trains the chunks in place of joblib, as ``concurrent.futures`` and Dask clients
            do: ``submit(function, *arguments)`` returns a future with ``result()``.

        Returns
        -------
        self : object
        """
        self._check_machines()
        if executor is not None and not callable(getattr(executor, "submit", None)):
            name = type(executor).__name__
            raise TypeError(f"executor must have a submit method, which {name} has not")
        X, y = checked_rows(self, X, y)
        weight = None
        for machine in self._machines:
            weight = checked_weight(machine, sample_weight, len(y))
        classes, labels = find_classes(y)
        check_weighted_classes(classes, labels, np.ones(len(y)) if weight is None else weight)
        X, labels, weight = weighted_rows(X, labels, weight, False)
        chunks = self._chunks(X, labels)
        self.classes_ = classes
        self.chunk_sizes_ = np.array([len(rows) for rows in chunks])
        fits = ChunkFits(self._machines, X, classes[labels], weight, chunks)
        self.estimators_ = (
            fits.by_joblib(self.n_jobs) if executor is None else fits.by_executor(executor)
        )
        return self

    def _check_machines(self) -> None:
        if not self._machines:
            raise ValueError("estimator must have a classifier at least, got an empty list")
        if (self._rule == "cell") != self._has_cells:
            raise ValueError(
                "combine must be 'cell' for partition='cells', and for no other, got "
                f"combine={self.combine!r} and partition={self.partition!r}"
            )
        for machine in self._machines:
            check_kind(machine, "classifier")
            name = type(machine).__name__
            needed = ["predict_proba"]
            if self._rule in ("average", "cell"):
                needed.append("decision_function")
            if not any(hasattr(machine, method) for method in needed):
                remedy = ""
                if hasattr(machine, "decision_function"):
                    remedy = ": give a CalibratedSVC of it, or combine='average'"
                raise TypeError(
                    f"estimator must have {' or '.join(needed)}, which {name} has not{remedy}"
                )
            if get_tags(machine).input_tags.pairwise:
                raise ValueError("estimator must not have a precomputed kernel: rows go in chunks")

    def _chunks(self, X: Any, labels: IndexArray) -> list[IndexArray]:
        self.__dict__.pop("cells_", None)
        n = len(labels)
        wanted = self.n_chunks if self.chunk_size is None else -(-n // self.chunk_size)
        if self._has_cells:
            rng = check_random_state(self.random_state)
            self.cells_ = make_cells(X, wanted, rng)
            chunks = self.cells_.rows(X, self.overlap)
            self.cells_ = Cells(self.cells_.centers[[len(rows) > 0 for rows in chunks]])
            return [rows for rows in chunks if len(rows)]
        if wanted == 1:
            return [np.arange(n)]
        if self.partition == "random":
            order = check_random_state(self.random_state).permutation(n)
            return [np.sort(rows) for rows in np.array_split(order, min(wanted, n))]
        fewest = int(np.bincount(labels).min())
        if fewest < wanted:
            raise ValueError(
                f"n_chunks={wanted} must not exceed the rows of the smallest class, got {fewest}"
            )
        deal = StratifiedKFold(wanted, shuffle=True, random_state=self.random_state)
        return [rows for _, rows in deal.split(labels, labels)]

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class, by the rule.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns as in ``classes_``.
        """
        check_is_fitted(self)
        X = known_rows(self, X)
        if self._rule in ("average", "cell"):
            return self._mean(X, probabilities)
        each = np.stack([probabilities(own, X, self.classes_) for own in self.estimators_])
        if self._rule == "vote":
            total = np.where(each == each.max(axis=2, keepdims=True), each, 0.0).sum(axis=0)
        else:
            logs = np.log(np.maximum(each, _LEAST)).sum(axis=0)
            total = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.asarray(total / total.sum(axis=1, keepdims=True))

    @available_if(_has_values)
    def decision_function(self, X: Any) -> FloatArray:
        """Averaged decision values of classifiers that have no probabilities.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: positive means ``classes_[1]``.
        """
        check_is_fitted(self)
        values = self._mean(known_rows(self, X), decision_values)
        return (values[:, 1] - values[:, 0]) / 2.0 if len(self.classes_) == 2 else values

    def _mean(self, X: Any, values_of: Any) -> FloatArray:
        """Mean over the chunks, weighed by their rows, or over the machines of a cell."""
        n_machines = len(self._machines)
        if self._rule == "average":
            share = np.repeat(
                self.chunk_sizes_ / (self.chunk_sizes_.sum() * n_machines), n_machines
            )
            pairs = zip(share, self.estimators_, strict=True)
            total = sum(part * values_of(own, X, self.classes_) for part, own in pairs)
            return np.asarray(total)
        found = np.empty((count_rows(X), len(self.classes_)))
        places = self.cells_.places(X)
        for cell in np.unique(places):
            rows = np.flatnonzero(places == cell)
            members = self.estimators_[cell * n_machines : (cell + 1) * n_machines]
            own = some_rows(X, rows)
            each = [values_of(member, own, self.classes_) for member in members]
            found[rows] = np.mean(each, axis=0)
        return found

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row: the argmax of probabilities or decision values, first of several."""
        check_is_fitted(self)
        if hasattr(self, "predict_proba"):
            return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])
        values = self.decision_function(X)
        best = (values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
        return np.asarray(self.classes_[best])
