"""Sets of labels with a guarantee."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import Tags, check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer._floating import without_warnings
from mercer._reported import Reported
from mercer._sklearn import CallbackSupportMixin, HasMethods, Interval, StrOptions
from mercer._warning import warn
from mercer.gram.native import count_rows
from mercer.machines.base import KernelMachine
from mercer.machines.fit_context import counting_all_rows, fit_context
from mercer.machines.svm.classifiers import SVC
from mercer.predictions.given_rows import (
    checked_alpha,
    checked_rows,
    checked_weight,
    fit_machine,
    known_rows,
    weighted_rows,
)
from mercer.predictions.margins import margins
from mercer.predictions.parts import cross_parts, fit_parts, refuse_stored, split_part
from mercer.predictions.ranks import Counts, count
from mercer.predictions.repeated_search import warn_of_searches
from mercer.predictions.retrained import retrained
from mercer.predictions.splits import are_given
from mercer.predictions.trials import Retrained, Trial
from mercer.training.classes import check_weighted_classes, find_classes
from mercer.training.estimator_kind import check_kind
from mercer.training.rows import read_new_rows

__all__ = ["ConformalSVC"]

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


def _inner_has(name: str) -> Callable[[Any], bool]:
    """Whether the classifier inside has a method."""
    return lambda self: hasattr(getattr(self, "estimator_", self._machine), name)


class ConformalSVC(
    MetaEstimatorMixin, ClassifierMixin, Reported, CallbackSupportMixin, BaseEstimator
):
    """Sets of labels that contain the true one with a probability of at least 1 - alpha.

    A label stays in the set of a row unless the row with that label fits worse than nearly all
    others, so that its p-value is at most ``alpha``. The margin ``y f(x)`` measures how well a row
    fits; with several classes it is the worst margin against another class. The guarantee only
    requires that old and new rows are exchangeable (drawn alike, in no particular order). It holds
    for the mean over training sets and rows, not for each single row.

    Parameters
    ----------
    estimator : classifier, default=None
        None means :class:`mercer.SVC`. Any classifier with a ``decision_function`` or
        ``predict_proba``; not fitted yet.
    alpha : float, default=0.1
        Share of new rows whose label may be missing from its set.
    kind : {"full", "cross", "split"}, default="full"
        How p-values are computed.

        - "full": each new row is added to all training rows with each label, and the machine is
          trained again (from its solution, if it is a :class:`mercer.SVC` or ``NuSVC``). All rows
          are used for training and for ranking. Guarantee: 1 - alpha. A machine that searches its
          parameters (``TunedSVC``) repeats the search for each row and label, and a warning says
          so: use "cross" for it.
        - "cross": margins of the rows of each of ``cv`` folds by the machine of the others.
          Guarantee: 1 - 2 alpha - 2 (1 - 1/K) / (n/K + 1) with K folds; in practice mostly close
          to 1 - alpha or above.
        - "split": the machine is trained on some rows, and the share ``calibration_size`` of all
          rows is ranked. Guarantee: 1 - alpha. It is the cheapest, with the largest sets.
    class_conditional : bool, default=False
        Whether rows are ranked among those of the same label only: the guarantee then holds within
        each class, also in small ones.
    cv : int, splitter or iterable, default=5
        Folds of "cross", as in scikit-learn; whole numbers mean stratified ones, shuffled.
    calibration_size : float, default=0.3
        Share of the rows that "split" does not train on.
    smoothed : bool, default=False
        Whether ties count by a random share: for "full" and "split" the coverage is then exactly 1
        - alpha instead of at least that, and sets are smaller if margins tie.
    random_state : int, RandomState or None, default=None
        Draws the folds, the split and the shares of ties.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, ascending.
    estimator_ : classifier
        Fitted to all rows; with "split" to its training rows.
    estimators_ : list of classifiers
        The machines that rank new rows: one for each fold, or one for "split". Missing with "full".
    calibration_scores_ : ndarray of shape (n_calibration,) or None
        Negated margins of the rows that were not trained on; None with "full".
    n_features_in_ : int
        Number of features, if rows have any.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if all are strings.

    See Also
    --------
    ConformalSVR : Intervals for regression.

    Notes
    -----
    An empty set means that the row is unlike the training rows with any label; a set of several
    labels means that the machine cannot decide between them. A p-value is at least 1 / (n +
    1): with ``alpha`` below that (in the smallest class, if conditional) no label is ever excluded,
    and a warning says so.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC, ConformalSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = ConformalSVC(SVC(gamma=0.5), alpha=0.1).fit(X[:-1], y[:-1])
    >>> machine.predict_set(X[-1:])
    array([[False, False,  True]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "alpha": [Interval(Real, 0.0, 1.0, closed="neither")],
        "kind": [StrOptions({"full", "cross", "split"})],
        "class_conditional": ["boolean"],
        "cv": [Interval(Integral, 2, None, closed="left"), HasMethods(["split"]), "cv_object"],
        "calibration_size": [Interval(Real, 0.0, 1.0, closed="neither")],
        "smoothed": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        alpha: float = 0.1,
        kind: str = "full",
        class_conditional: bool = False,
        cv: Any = 5,
        calibration_size: float = 0.3,
        smoothed: bool = False,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.alpha = alpha
        self.kind = kind
        self.class_conditional = class_conditional
        self.cv = cv
        self.calibration_size = calibration_size
        self.smoothed = smoothed
        self.random_state = random_state

    @property
    def _machine(self) -> Any:
        return SVC() if self.estimator is None else self.estimator

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._machine)
        tags.input_tags.pairwise = inner.input_tags.pairwise
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        if inner.classifier_tags is not None:
            tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        return tags

    @fit_context(prefer_skip_nested_validation=False)
    @counting_all_rows
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Fit the machine, and rank the training rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Training rows, handed to the classifier as they are.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a row of weight 2 trains and counts as two.
        groups : array-like of shape (n_samples,), default=None
            Handed to the splitter of "cross".

        Returns
        -------
        self : object
        """
        check_kind(self._machine, "classifier")
        X, y = checked_rows(self, X, y)
        weight = checked_weight(self._machine, sample_weight, len(y))
        classes, labels = find_classes(y)
        check_weighted_classes(classes, labels, np.ones(len(y)) if weight is None else weight)
        if not (self.kind == "cross" and are_given(self.cv, groups)):
            X, labels, weight = weighted_rows(X, labels, weight, self._is_pairwise)
        self.classes_ = classes
        if self.kind == "full":
            self._fit_full(X, labels, weight)
        else:
            self._fit_parts(X, labels, weight, groups)
        self._warn_of_few_rows()
        return self

    @property
    def _is_pairwise(self) -> bool:
        return bool(get_tags(self._machine).input_tags.pairwise)

    def _fit_full(self, X: Any, labels: NDArray[np.intp], weight: FloatArray | None) -> None:
        refuse_stored(self._is_pairwise)
        times = f"for each new row with each of the {len(self.classes_)} labels"
        warn_of_searches(self._machine, self.kind, times, "cross")
        y = self.classes_[labels]
        self.estimator_ = fit_machine(clone(self._machine), X, y, weight)
        self.__dict__.pop("estimators_", None)
        self.calibration_scores_: FloatArray | None = None
        # our own machines see numbers only, which a file can hold
        is_own = isinstance(self.estimator_, KernelMachine)
        self._rows = read_new_rows(self.estimator_, X) if is_own else X
        self._row_weight, self._labels = weight, labels
        self._weight = np.ones(len(labels)) if weight is None else weight

    def _fit_parts(
        self, X: Any, labels: NDArray[np.intp], weight: FloatArray | None, groups: Any
    ) -> None:
        """Train on parts of the rows and rank the others."""
        y = self.classes_[labels]
        if self.kind == "split":
            parts = split_part(X, labels, self.calibration_size, self.random_state)
        else:
            seed = self.random_state
            parts = cross_parts(self._machine, self.cv, X, y, weight, groups, seed)
        found = fit_parts(self._machine, X, y, weight, parts, self._is_pairwise)
        fits = zip(found.machines, found.held_out, strict=True)
        own = [margins(machine, rows, classes=self.classes_) for machine, rows in fits]
        self._labels, self._fold = labels[found.index], found.fold
        self._weight = found.weight
        mine = np.concatenate(own)[np.arange(len(found.index)), self._labels]
        self.calibration_scores_ = -mine
        self.estimators_, self._columns = found.machines, found.columns
        whole = self.kind == "cross"
        fitted = fit_machine(clone(self._machine), X, y, weight) if whole else found.machines[0]
        self.estimator_ = fitted

    def _warn_of_few_rows(self) -> None:
        """Tell of p-values that never come down to alpha."""
        if not self.class_conditional:
            if self.alpha * (self._weight.sum() + 1.0) < 1.0:
                warn(
                    f"alpha={self.alpha:g} is below 1 / (n + 1) for n = {self._weight.sum():g} "
                    "ranked rows: every set holds all labels"
                )
            return
        totals = np.bincount(self._labels, self._weight, len(self.classes_))
        rare = self.alpha * (totals + 1.0) < 1.0
        if rare.any():
            warn(
                f"alpha={self.alpha:g} is below 1 / (n + 1) for the ranked rows of the classes "
                f"{self.classes_[rare].tolist()}: they are in every set"
            )

    @without_warnings
    def p_values(self, X: Any) -> FloatArray:
        """How unusual a row would be with each label.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Share of the rows, the new one among them, whose margin is no larger than that of the
            new one; in (0, 1].
        """
        check_is_fitted(self)
        X = known_rows(self, X)
        counts = self._count_trials(X) if self.kind == "full" else self._count_parts(X)
        if not self.smoothed:
            return counts.p_values()
        draws = check_random_state(self.random_state).uniform(size=counts.total.shape)
        return counts.p_values(draws)

    def _count_trials(self, X: Any) -> Counts:
        """Ranks of new rows among all rows of the machine trained with them."""
        trials = self._retrained().trials(X)
        found = [[self._rank(trial, c) for c, trial in enumerate(row)] for row in trials]
        shape = (count_rows(X), len(self.classes_))
        each = np.array([[(c.above, c.tied, c.total) for c in row] for row in found])
        return Counts(*(each.reshape(*shape, 3).transpose(2, 0, 1)))

    def _retrained(self) -> Retrained:
        return retrained(self.estimator_, self._rows, self._labels, self._row_weight, self.classes_)

    def _rank(self, trial: Trial, label: int) -> Counts:
        among = self._among(label)
        known, new = -trial.margins[:-1][among], np.asarray(-trial.margins[-1])
        return count(known, self._weight[among], new, trial.slack)

    def _among(self, label: int) -> Any:
        """The rows that a new one of this label is ranked among."""
        return self._labels == label if self.class_conditional else slice(None)

    def _count_parts(self, X: Any) -> Counts:
        """Ranks among the rows of each fold, by the machine of the others."""
        shape = (count_rows(X), len(self.classes_))
        above, tied, total = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        assert self.calibration_scores_ is not None
        for k, machine in enumerate(self.estimators_):
            rows = X if self._columns is None else X[:, self._columns[k]]
            new = -margins(machine, rows, self.classes_)
            for c in range(len(self.classes_)):
                among = (self._fold == k) & (self._labels == c if self.class_conditional else True)
                found = count(self.calibration_scores_[among], self._weight[among], new[:, c])
                above[:, c] += found.above
                tied[:, c] += found.tied
                total[:, c] += found.total
        return Counts(above, tied, total)

    def predict_set(self, X: Any, alpha: float | None = None) -> BoolArray:
        """Labels that cannot be excluded.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.
        alpha : float, default=None
            In place of that of the constructor.

        Returns
        -------
        ndarray of bool, of shape (n_samples, n_classes)
            Whether each of ``classes_`` is in the set: its p-value exceeds ``alpha``.
        """
        level = self.alpha if alpha is None else checked_alpha(alpha)
        return np.asarray(self.p_values(X) > level)

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row, as ``estimator_`` says."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict(known_rows(self, X)))

    @available_if(_inner_has("decision_function"))
    def decision_function(self, X: Any) -> FloatArray:
        """Values of ``estimator_``, if it has any."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.decision_function(known_rows(self, X)))

    @available_if(_inner_has("predict_proba"))
    def predict_proba(self, X: Any) -> FloatArray:
        """Probabilities by ``estimator_``, if it has any."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(known_rows(self, X)))
