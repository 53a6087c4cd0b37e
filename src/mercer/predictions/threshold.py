"""The threshold between two classes of least cost, chosen on left-out rows."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer._reported import Reported
from mercer._sklearn import CallbackSupportMixin, HasMethods, StrOptions
from mercer.machines.fit_context import counting_all_rows, fit_context
from mercer.machines.svm.classifiers import SVC
from mercer.predictions.gains import Gain, check_cost, gain_of
from mercer.predictions.out_of_sample import out_of_sample
from mercer.predictions.values import values_of
from mercer.training.estimator_kind import check_kind

__all__ = ["ThresholdSVC", "choose_threshold"]

FloatArray = NDArray[np.float64]


class ThresholdSVC(
    MetaEstimatorMixin, ClassifierMixin, Reported, CallbackSupportMixin, BaseEstimator
):
    """A classifier of two classes with the threshold that costs least.

    One machine is trained on all rows; its threshold is chosen by values of the same rows from
    machines that were not trained on them (:func:`out_of_sample`).

    Parameters
    ----------
    estimator : classifier, default=None
        The machine; None means :class:`SVC`.
    cost : str, scorer or array-like of shape (2, 2), default="balanced_accuracy"
        A score of predicted labels that is to be large, or what predictions cost, none of it
        negative: a row for each class, a column for each class that is predicted.
    cv : "loo", int, splitter or iterable of (train, test), default=5
        The splits, as in scikit-learn.

    Attributes
    ----------
    estimator_ : classifier
        The machine, fitted on all rows.
    classes_ : ndarray of shape (2,)
        The classes, ascending.
    threshold_ : float
        Decision values above it mean ``classes_[1]``.
    thresholds_ : ndarray of shape (n_folds,)
        What the rows of each fold alone would choose; empty for "loo".
    spread_ : float
        Standard deviation of ``thresholds_``; NaN for "loo".
    best_score_ : float
        The score of left-out rows at the threshold, or minus their mean cost.
    n_features_in_ : int
        Number of features, if rows have any.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if all are strings.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mercer import SVC, ThresholdSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> machine = ThresholdSVC(SVC(C=100), cost=[[0, 10], [1, 0]]).fit(X, y)
    >>> machine.threshold_ > 0
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "cost": [str, callable, "array-like"],
        "cv": ["cv_object", StrOptions({"loo"})],
    }

    def __init__(
        self, estimator: Any = None, *, cost: Any = "balanced_accuracy", cv: Any = 5
    ) -> None:
        self.estimator = estimator
        self.cost = cost
        self.cv = cv

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._machine).input_tags
        tags.input_tags.pairwise, tags.input_tags.sparse = inner.pairwise, inner.sparse
        tags.classifier_tags.multi_class = False
        return tags

    @property
    def _machine(self) -> Any:
        return SVC() if self.estimator is None else self.estimator

    @fit_context(prefer_skip_nested_validation=False)
    @counting_all_rows
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Fit the machine and choose its threshold.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Labels of two classes.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, of the machine and of the costs.
        groups : array-like of shape (n_samples,), default=None
            Groups of rows that stay together, for a ``cv`` that looks at them.

        Returns
        -------
        self : object
        """
        check_cost(self.cost)
        check_kind(self._machine, "classifier")
        found = out_of_sample(self._machine, X, y, self.cv, sample_weight, groups)
        full = found.full
        if len(full.classes_) != 2:
            raise ValueError(
                "Only binary classification is supported: y must have 2 classes for a threshold, "
                f"got {len(full.classes_)}"
            )
        labels = np.searchsorted(full.classes_, np.asarray(y).ravel())
        weight = np.ones(len(labels))
        if sample_weight is not None:
            weight = np.asarray(sample_weight, dtype=np.float64)
        gain = gain_of(self.cost, full.classes_)
        folds = [] if isinstance(self.cv, str) else np.unique(found.fold[found.fold >= 0]).tolist()
        best = _best(gain, found.values, labels, weight, found.fold >= 0)
        each = [_best(gain, found.values, labels, weight, found.fold == k)[0] for k in folds]
        self.estimator_, self.classes_ = full, full.classes_
        self.threshold_, self.best_score_ = best
        self.thresholds_ = np.array(each)
        self.spread_ = float(np.std(each, ddof=1)) if len(each) > 1 else float("nan")
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(full, name):
                setattr(self, name, getattr(full, name))
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Decision values of the machine minus the threshold."""
        check_is_fitted(self)
        return values_of(self.estimator_, X) - self.threshold_

    @available_if(lambda self: hasattr(getattr(self, "estimator_", self._machine), "predict_proba"))
    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities by the machine, if it has any; the threshold leaves them as they are."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """``classes_[1]`` where decision values are above the threshold."""
        check_is_fitted(self)
        return np.asarray(self.classes_[(self.decision_function(X) > 0).astype(np.intp)])


def choose_threshold(
    machine: Any,
    X: Any,
    y: ArrayLike,
    cost: Any = "balanced_accuracy",
    *,
    cv: Any = 5,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> ThresholdSVC:
    """The machine with the threshold that costs least for rows that were left out.

    Parameters
    ----------
    machine : classifier
        A machine of two classes; it is copied, never changed.
    X, y
        Rows and their classes.
    cost, cv
        As in :class:`ThresholdSVC`.
    sample_weight, groups
        As in its ``fit``.

    Returns
    -------
    ThresholdSVC
        Fitted: ``threshold_``, ``spread_``, ``predict``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC, choose_threshold
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = choose_threshold(SVC(), X[50:], y[50:], [[0, 1], [5, 0]])  # misses cost 5
    >>> machine.threshold_ < 0
    True
    """
    chosen = ThresholdSVC(machine, cost=cost, cv=cv)
    return chosen.fit(X, y, sample_weight=sample_weight, groups=groups)


def _best(
    gain: Gain,
    values: FloatArray,
    labels: NDArray[np.intp],
    weight: FloatArray,
    used: NDArray[np.bool_],
) -> tuple[float, float]:
    """The threshold of the largest gain, and that; of equal ones the nearest to 0."""
    used = used & (weight > 0)
    values, labels, weight = values[used], labels[used], weight[used]
    known = np.unique(values)
    margin = max(1.0, float(np.ptp(known)))
    between = (known[:-1] + known[1:]) / 2.0
    candidates = np.concatenate([[known[0] - margin], between, [known[-1] + margin], [0.0]])
    found = gain(candidates, values, labels, weight)
    ties = candidates[found >= np.nanmax(found) - 1e-12 * max(1.0, abs(np.nanmax(found)))]
    return float(ties[np.argmin(np.abs(ties))]), float(np.nanmax(found))
