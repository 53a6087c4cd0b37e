"""A classifier with probabilities: one machine, and a map of values it was not trained on."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, is_classifier
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer._reported import Reported
from mercer._sklearn import CallbackSupportMixin, HasMethods, StrOptions
from mercer.calibration import Calibration
from mercer.calibration.joined import METHODS
from mercer.calibration.layout import layout_of
from mercer.machines.fit_context import counting_all_rows, fit_context
from mercer.machines.svm.classifiers import SVC
from mercer.predictions.out_of_sample import OutOfSample, out_of_sample, values_without
from mercer.predictions.values import values_of

__all__ = ["CalibratedSVC"]

FloatArray = NDArray[np.float64]


def _has_intervals(machine: Any) -> bool:
    if machine.method != "venn-abers":
        raise AttributeError(f"predict_interval needs method='venn-abers', got {machine.method!r}")
    return True


class CalibratedSVC(
    MetaEstimatorMixin, ClassifierMixin, Reported, CallbackSupportMixin, BaseEstimator
):
    """A classifier with calibrated probabilities, which predicts their argmax.

    One machine is trained on all rows. The map from its values to probabilities is fitted to
    values of the same rows by machines that were not trained on them (:func:`out_of_sample`).

    Parameters
    ----------
    estimator : classifier, default=None
        The machine; None means :class:`SVC`. Any classifier with a ``decision_function`` will do;
        those of mercer share their kernel values between splits.
    method : {"platt", "temperature", "beta", "isotonic", "venn-abers"}, default="platt"
        The map: a sigmoid with slope and offset; one slope for all classes, which never changes a
        prediction; a sigmoid with a slope for either side; a monotone function; the same, with
        the interval of probabilities that one more row leaves open.
    cv : "loo", int, splitter or iterable of (train, test), default=5
        The splits, as in scikit-learn; "loo" leaves out one row at a time.

    Attributes
    ----------
    estimator_ : classifier
        The machine, fitted on all rows; its ``decision_function`` and its own predictions.
    classes_ : ndarray of shape (n_classes,)
        The classes, ascending.
    calibration_ : Calibration
        The maps.
    values_ : ndarray of shape (n_samples,) or (n_samples, n_machines)
        The out-of-sample values that they were fitted to.
    fold_ : ndarray of int of shape (n_samples,)
        Which split left each row out; -1 for rows of weight 0.
    disagreement_ : float
        Share of the rows of positive weight for which the argmax of the probabilities is not what
        the machine itself predicts, both from ``values_``. 0 for "temperature".
    n_features_in_ : int
        Number of features, if rows have any.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if all are strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC, CalibratedSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = CalibratedSVC(SVC(C=10)).fit(X, y)
    >>> machine.predict_proba(X[:1]).round(1)
    array([[1., 0., 0.]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "method": [StrOptions(set(METHODS))],
        "cv": ["cv_object", StrOptions({"loo"})],
    }

    def __init__(self, estimator: Any = None, *, method: str = "platt", cv: Any = 5) -> None:
        self.estimator = estimator
        self.method = method
        self.cv = cv

    @property
    def _machine(self) -> Any:
        return SVC() if self.estimator is None else self.estimator

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._machine).input_tags
        tags.input_tags.pairwise, tags.input_tags.sparse = inner.pairwise, inner.sparse
        tags.input_tags.allow_nan = inner.allow_nan
        return tags

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
        """Fit the machine and its map.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of shape (n_samples, n_features)
            Training rows, handed to the machine as they are.
        y : array-like of shape (n_samples,)
            Class labels; two rows of each class at least.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, of the machine and of the map.
        groups : array-like of shape (n_samples,), default=None
            Groups of rows that stay together, for a ``cv`` that looks at them.

        Returns
        -------
        self : object
        """
        self._check_estimator()
        found = out_of_sample(self._machine, X, y, self.cv, sample_weight, groups)
        full = found.full
        self.estimator_, self.classes_ = full, full.classes_
        self.values_, self.fold_ = found.values, found.fold
        self.calibration_ = calibration_of(found, y, sample_weight, self.method)
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(full, name):
                setattr(self, name, getattr(full, name))
        return self

    @property
    def disagreement_(self) -> float:
        """How often the map changes what the machine predicts, for out-of-sample values."""
        check_is_fitted(self)
        values = self.values_[self.fold_ >= 0]
        chosen = self.calibration_.probabilities(values).argmax(axis=1)
        return float((chosen != self.calibration_.layout.chosen(values)).mean())

    def _check_estimator(self) -> None:
        machine = self._machine
        has_values = hasattr(machine, "decision_function") or hasattr(machine, "machine_decisions")
        if not is_classifier(machine) or not has_values:
            raise TypeError(
                "estimator must be a classifier with a decision_function, got "
                f"{type(machine).__name__}"
            )

    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns as in ``classes_``.
        """
        check_is_fitted(self)
        return self.calibration_.probabilities(values_of(self.estimator_, X))

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Logarithm of :meth:`predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row: the argmax of :meth:`predict_proba`; ties go to the first."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    @available_if(_has_intervals)
    def predict_interval(self, X: Any) -> FloatArray:
        """The two probabilities of ``classes_[1]`` that Venn-Abers gives, two classes only.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            If the row is of ``classes_[0]``, and if it is of ``classes_[1]``.
        """
        check_is_fitted(self)
        return self.calibration_.interval(values_of(self.estimator_, X))


def calibration_of(
    found: OutOfSample, y: ArrayLike, sample_weight: ArrayLike | None, method: str
) -> Calibration:
    """The map of a classifier, fitted to its out-of-sample values."""
    classes = found.full.classes_
    labels = np.searchsorted(classes, np.asarray(y).ravel())
    weight = np.ones(len(labels))
    if sample_weight is not None:
        weight = np.asarray(sample_weight, dtype=np.float64)
    _check_counts(classes, labels, weight)
    return Calibration.fitted(layout_of(found.full), found.values, labels, weight, method)


def _check_counts(classes: NDArray[Any], labels: NDArray[np.intp], weight: FloatArray) -> None:
    """A class of one row has no machine that was not trained on it."""
    counts = np.bincount(labels[weight > 0], minlength=len(classes))
    if counts.min() < 2:
        few = classes[counts < 2].tolist()
        raise ValueError(
            f"y must have at least 2 rows of each class for probabilities, got one of {few}"
        )


def calibration_of_machine(
    machine: Any, X: Any, y: Any, sample_weight: ArrayLike | None
) -> Calibration:
    """The map of a fitted machine with ``probability=True``."""
    found = values_without(machine, X, y, 5, sample_weight)
    return calibration_of(found, y, sample_weight, "platt")
