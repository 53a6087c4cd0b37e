"""Intervals with a guarantee."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, RegressorMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.validation import check_is_fitted, column_or_1d

from mercer._floating import without_warnings
from mercer._reported import Reported
from mercer._sklearn import CallbackSupportMixin, HasMethods, Interval, StrOptions
from mercer._warning import warn
from mercer.machines.fit_context import counting_all_rows, fit_context
from mercer.machines.svm.regressors import SVR
from mercer.predictions.given_rows import (
    checked_alpha,
    checked_rows,
    checked_weight,
    fit_machine,
    known_rows,
    weighted_rows,
)
from mercer.predictions.interval_kinds import fit_kind, ranked_intervals
from mercer.predictions.part_ends import PartEnds, is_quantile
from mercer.predictions.parts import refuse_stored
from mercer.predictions.repeated_search import warn_of_searches
from mercer.predictions.searched_ends import SearchedEnds
from mercer.predictions.splits import are_given
from mercer.training.checked_input import naming
from mercer.training.estimator_kind import check_kind

__all__ = ["ConformalSVR"]

FloatArray = NDArray[np.float64]


class ConformalSVR(
    MetaEstimatorMixin, RegressorMixin, Reported, CallbackSupportMixin, BaseEstimator
):
    """Intervals that contain the target with a guaranteed probability.

    The guarantee only requires that old and new rows are exchangeable (drawn alike, in no
    particular order): the machine may be wrong and the noise need not be Gaussian. It holds for the
    mean over training sets and rows, not for each single row.

    Parameters
    ----------
    estimator : regressor, default=None
        None means :class:`mercer.SVR`. Any regressor of one target; not fitted yet. For
        ``SVR(loss="quantile")`` two machines are trained, at the quantiles alpha/2 and 1 - alpha/2,
        and held-out rows widen or narrow their intervals: the width then follows the noise.
    alpha : float, default=0.1
        Share of new rows whose target may lie outside.
    kind : {"jackknife+", "cv+", "full", "split"}, default="jackknife+"
        How intervals are computed.

        - "jackknife+": left-out residuals of each row, and the values of new rows by the machine
          without each row. Guarantee: 1 - 2 alpha; in practice mostly close to 1 - alpha. By
          formula for :class:`mercer.LSSVR`; for ``SVR`` and ``NuSVR`` only support vectors are left
          out anew. The kernel is that of all rows: give ``gamma`` as a number for the exact
          guarantee.
        - "cv+": the same with ``cv`` folds. Guarantee: 1 - 2 alpha - sqrt(2/n).
        - "full": all values for which the new row is not among the share alpha of the strangest
          rows, with a machine that is also trained on it. Guarantee: 1 - alpha. By formula for
          :class:`mercer.LSSVR`; other machines are trained again about 20 to 40 times per row.
        - "split": a machine trained on some rows, and the residuals of the others, the share
          ``calibration_size`` of all. Guarantee: 1 - alpha. It is the cheapest, with the widest
          intervals.
    cv : int, splitter or iterable, default=5
        Folds of "cv+", as in scikit-learn; whole numbers mean shuffled ones.
    calibration_size : float, default=0.3
        Share of the rows that "split" does not train on.
    random_state : int, RandomState or None, default=None
        Draws the folds or the split.

    Attributes
    ----------
    estimator_ : regressor
        Fitted to all rows; with "split" to its training rows, unless it is of quantiles.
    calibration_scores_ : ndarray of shape (n_calibration,) or None
        Absolute residuals of the rows that were not trained on; for quantiles how far targets lie
        outside, negative inside. None with "full".
    n_features_in_ : int
        Number of features, if rows have any.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if all are strings.

    See Also
    --------
    ConformalSVC : Sets of labels for classification.

    Notes
    -----
    A row is left out with all its weight, and counts as often as it weighs. With
    ``alpha`` below 1 / (n + 1) for n ranked rows intervals are infinite, and a warning says so.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import LSSVR, ConformalSVR
    >>> X = np.linspace(0, 6, 60)[:, None]
    >>> y = np.sin(X[:, 0]) + np.random.default_rng(0).normal(0, 0.1, 60)
    >>> machine = ConformalSVR(LSSVR(alpha=0.1, gamma=1.0), kind="full").fit(X, y)
    >>> machine.predict_interval([[3.0]]).shape
    (1, 2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "alpha": [Interval(Real, 0.0, 1.0, closed="neither")],
        "kind": [StrOptions({"jackknife+", "cv+", "full", "split"})],
        "cv": [Interval(Integral, 2, None, closed="left"), HasMethods(["split"]), "cv_object"],
        "calibration_size": [Interval(Real, 0.0, 1.0, closed="neither")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        alpha: float = 0.1,
        kind: str = "jackknife+",
        cv: Any = 5,
        calibration_size: float = 0.3,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.alpha = alpha
        self.kind = kind
        self.cv = cv
        self.calibration_size = calibration_size
        self.random_state = random_state

    @property
    def _machine(self) -> Any:
        return SVR() if self.estimator is None else self.estimator

    @property
    def _is_pairwise(self) -> bool:
        return bool(get_tags(self._machine).input_tags.pairwise)

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
        groups: ArrayLike | None = None,
    ) -> Self:
        """Fit the machine, and see how far it is off.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Training rows, handed to the regressor as they are.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.
        groups : array-like of shape (n_samples,), default=None
            Handed to the splitter of "cv+".

        Returns
        -------
        self : object
        """
        check_kind(self._machine, "regressor")
        X, y = checked_rows(self, X, y)
        with naming(y=y):
            targets = column_or_1d(y, dtype=np.float64, warn=True)
        if not np.isfinite(targets).all():
            raise ValueError("Input y contains NaN or infinity")
        weight = checked_weight(self._machine, sample_weight, len(targets))
        if not (self.kind == "cv+" and are_given(self.cv, groups)):
            X, targets, weight = weighted_rows(X, targets, weight, self._is_pairwise)
        if self.kind == "full":
            refuse_stored(self._is_pairwise)
            if is_quantile(self._machine):
                raise ValueError("kind='full' ranks residuals, which loss='quantile' has not")
        if self.kind in ("full", "jackknife+"):
            times = "some 20 to 40 times for each new row"
            times = times if self.kind == "full" else f"for each of the {len(targets)} rows"
            warn_of_searches(self._machine, self.kind, times, "cv+")
        self._known = fit_kind(self, X, targets, weight, groups)
        self.calibration_scores_ = self._known.scores
        if isinstance(self._known, PartEnds) and self.kind == "split":
            self.estimator_ = self._known.machines[0][0]
        if self.kind != "split" or is_quantile(self._machine):
            self.estimator_ = fit_machine(clone(self._machine), X, targets, weight)
        self._warn_of_few_rows()
        return self

    def _warn_of_few_rows(self) -> None:
        total = float(self._known.weight.sum())
        if self.alpha * (total + 1.0) < 1.0:
            warn(
                f"alpha={self.alpha:g} is below 1 / (n + 1) for n = {total:g} ranked rows: "
                "intervals are infinite"
            )

    @without_warnings
    def predict_interval(self, X: Any, alpha: float | None = None) -> FloatArray:
        """Lower and upper end for each row.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.
        alpha : float, default=None
            In place of that of the constructor; quantile machines keep their levels.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Ends, ascending; infinite if there are too few rows for ``alpha``.
        """
        check_is_fitted(self)
        level = self.alpha if alpha is None else checked_alpha(alpha)
        X = known_rows(self, X)
        if isinstance(self._known, SearchedEnds):
            return self._known.intervals(X, self.estimator_.predict(X), level)
        return ranked_intervals(self._known, X, level)

    def predict(self, X: Any) -> FloatArray:
        """Value at each row, as ``estimator_`` says."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict(known_rows(self, X)))
