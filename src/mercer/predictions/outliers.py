"""How unusual a row is, as a p-value."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, OutlierMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted

from mercer._reported import Reported
from mercer._sklearn import CallbackSupportMixin, HasMethods, Interval, StrOptions
from mercer.machines.fit_context import counting_all_rows, fit_context
from mercer.machines.svm.one_class import OneClassSVM
from mercer.predictions.out_of_sample import values_without
from mercer.predictions.values import values_of
from mercer.selection.tuned import TunedMachine
from mercer.selection.tuned.scaling import last_machine
from mercer.training.estimator_kind import check_kind

__all__ = ["CalibratedOneClassSVM"]

FloatArray = NDArray[np.float64]
_ROUNDED = 1e-7  # of the largest value: values of equal rows differ by no more


class CalibratedOneClassSVM(
    MetaEstimatorMixin, OutlierMixin, Reported, CallbackSupportMixin, BaseEstimator
):
    """A one-class machine with p-values: how often a row like the training rows is as far out.

    One machine is trained on all rows. The p-value of a new row is the share of training rows,
    and of itself, whose height by a machine that was not trained on them is at most its own:

        p(x) = (1 + sum_i w_i [f_-i(x_i) <= f(x)]) / (1 + sum_i w_i).

    A machine that searches its parameters, as :class:`TunedOneClassSVM`, does so once, on all rows.

    Parameters
    ----------
    estimator : OneClassSVM, default=None
        The machine, or any other with a ``decision_function`` that is large inside; None means
        :class:`OneClassSVM`.
    alpha : float, default=0.05
        Rows with a p-value of at most alpha are outliers.
    cv : "loo", int, splitter or iterable of (train, test), default=5
        The splits, as in scikit-learn. Machines of fewer rows are lower where a kernel is narrow,
        and p-values are then too large rather than too small; "loo" is nearest to the machine.

    Attributes
    ----------
    estimator_ : OneClassSVM
        The machine, fitted on all rows.
    values_ : ndarray of shape (n_samples,)
        Height of each row by a machine that was not trained on it, in the scale of the machine of
        all rows.
    offset_ : float
        ``alpha``: ``decision_function = score_samples - offset_``.
    n_features_in_ : int
        Number of features, if rows have any.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import CalibratedOneClassSVM
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> machine = CalibratedOneClassSVM().fit(X)
    >>> bool(machine.p_values([[9.0, 9.0]])[0] < 0.05)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "decision_function"]), None],
        "alpha": [Interval(Real, 0.0, 1.0, closed="both")],
        "cv": ["cv_object", StrOptions({"loo"})],
    }

    def __init__(self, estimator: Any = None, *, alpha: float = 0.05, cv: Any = 5) -> None:
        self.estimator = estimator
        self.alpha = alpha
        self.cv = cv

    @property
    def _machine(self) -> Any:
        return OneClassSVM() if self.estimator is None else self.estimator

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._machine).input_tags
        tags.input_tags.pairwise, tags.input_tags.sparse = inner.pairwise, inner.sparse
        return tags

    @fit_context(prefer_skip_nested_validation=False)
    @counting_all_rows
    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Fit the machine, and compute the values of left-out rows.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of shape (n_samples, n_features)
            Training rows.
        y : Ignored
            Not used, present for API consistency by convention.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.
        groups : array-like of shape (n_samples,), default=None
            Groups of rows that stay together, for a ``cv`` that looks at them.

        Returns
        -------
        self : object
        """
        check_kind(self._machine, "outlier_detector")
        full = clone(self._machine)
        full = full.fit(X) if sample_weight is None else full.fit(X, sample_weight=sample_weight)
        # Folds that searched their own widths would have values on different scales.
        chosen = full.best_estimator_ if isinstance(full, TunedMachine) else full
        found = values_without(chosen, X, None, self.cv, sample_weight, groups)
        weight = np.ones(len(found.values))
        if sample_weight is not None:
            weight = np.asarray(sample_weight, dtype=np.float64)
        values = found.values
        if isinstance(last_machine(chosen), OneClassSVM):
            values = values * _scale(found.fold, weight)
        order = np.argsort(values, kind="stable")
        self.estimator_, self.values_ = full, values
        self._heights = values[order]
        self._below = np.append(0.0, np.cumsum(weight[order]))
        self.offset_ = float(self.alpha)
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(full, name):
                setattr(self, name, getattr(full, name))
        return self

    def p_values(self, X: Any) -> FloatArray:
        """Share of rows that lie as far out.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Between 1 / (1 + total weight) and 1.
        """
        check_is_fitted(self)
        values = values_of(self.estimator_, X)
        near = _ROUNDED * float(np.abs(self._heights).max())
        below = self._below[np.searchsorted(self._heights, values + near, side="right")]
        return np.asarray((1.0 + below) / (1.0 + self._below[-1]))

    def score_samples(self, X: Any) -> FloatArray:
        """:meth:`p_values`."""
        return self.p_values(X)

    def decision_function(self, X: Any) -> FloatArray:
        """The p-value minus ``alpha``; not above 0 for outliers."""
        return self.p_values(X) - self.offset_

    def predict(self, X: Any) -> NDArray[np.intp]:
        """-1 for outliers, whose p-value is at most ``alpha``, else 1."""
        return np.where(self.decision_function(X) > 0, 1, -1)


def _scale(fold: NDArray[np.intp], weight: FloatArray) -> FloatArray:
    """Scales values of fewer rows to all rows: coefficients add up to nu times the weight."""
    total = weight.sum()
    left_out = np.bincount(fold[fold >= 0], weight[fold >= 0], minlength=int(fold.max()) + 1)
    return np.where(fold >= 0, total / (total - left_out[fold]), 1.0)
