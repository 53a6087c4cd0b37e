"""What RLSC and LSSVC share: classes as targets -1 and +1, and probabilities."""

from __future__ import annotations

import time
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer._sklearn import StrOptions
from mercer.calibration.temperature import by_class, fit_slope
from mercer.codes.decoding import decoding_named
from mercer.codes.making import as_code
from mercer.least_squares.scan import Scan
from mercer.machines.fit_context import fit_context
from mercer.machines.kernel_values import resolve_kernel
from mercer.machines.least_squares.class_scores import ClassScores, CodeScores, PairScores
from mercer.machines.least_squares.columns import ColumnFits, column_jobs, fit_columns
from mercer.machines.least_squares.left_out import LeftOutClassifier
from mercer.machines.least_squares.machine import check_extremes
from mercer.machines.least_squares.one_against_all import (
    indicators,
    places_of,
    read_indicators,
    signed_labels,
    wrong_class,
    wrong_labels,
)
from mercer.machines.least_squares.streamed import StreamedMachine
from mercer.machines.least_squares.streaming import can_stream
from mercer.machines.least_squares.temperature import can_calibrate, without_one_copy
from mercer.machines.svm.schemes import SCHEME_CONSTRAINTS
from mercer.training.classes import find_classes, read_classes, weigh_classes
from mercer.training.rows import read_new_rows, read_training_rows

__all__ = ["LeastSquaresClassifier"]

FloatArray = NDArray[np.float64]


class LeastSquaresClassifier(ClassifierMixin, StreamedMachine):
    """Least squares on labels -1 and +1, one class against all others, or by a code."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StreamedMachine._parameter_constraints,
        "class_weight": [StrOptions({"balanced"}), dict, None],
        **SCHEME_CONSTRAINTS,
    }

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the machine; all classes share one factorization.

        Parameters
        ----------
        X : array-like, sparse matrix or sequence of shape (n_samples, n_features)
            Training rows; for ``kernel="precomputed"`` the kernel matrix; for a function
            anything it takes.
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
            Class labels, or 0 and 1 for each of several labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; a weight of 2 is the same as the row given twice.

        Returns
        -------
        self : object
        """
        X, y, weight = read_training_rows(self, X, y, sample_weight, multi_output=True)
        self.__dict__.pop("probability_slope_", None)
        self.multilabel_ = np.ndim(y) == 2 and np.shape(y)[1] > 1
        if self.multilabel_:
            return self._fit_indicators(X, y, weight)
        self.classes_, labels, self.class_weight_ = read_classes(y, self.class_weight, weight)
        self._keep_scheme(len(self.classes_))
        weights = weight * self.class_weight_[labels]
        if self._has_columns:
            return self._fit_columns(X, labels, weight, weights)
        rows = weights > 0
        targets = self._targets(labels)
        scores = self._class_scores
        choose = lambda values: self.classes_[scores.choose(values)]  # noqa: E731
        known = lambda: (  # noqa: E731
            LeftOutClassifier(self.classes_, choose, scores),
            self.classes_[labels[rows]],
        )
        loss = wrong_class(labels[rows], scores.choose)
        scan = self._fit_targets(X, targets, weights, loss, weights[rows], known)
        if self.loo_values_ is not None and not self._is_flat:
            self.loo_values_ = scores(self.loo_values_)
        self._calibrate(scan, targets[rows], labels[rows], weight[rows])
        return self

    def _keep_scheme(self, n_classes: int) -> None:
        """Keep what tells classes from outputs; two classes are one machine in every scheme."""
        self.multiclass_ = self.multiclass
        self.__dict__.pop("code_", None)
        code = None
        if self.multiclass == "code":
            code = as_code(self.code, n_classes, self.max_time)
        elif self.multiclass == "one-vs-one":
            code = as_code("one-vs-one", n_classes)
        if n_classes == 2:
            self.multiclass_ = "one-vs-all"
        elif code is not None:
            self.code_ = code

    @property
    def _class_scores(self) -> ClassScores:
        """What makes scores of classes from outputs."""
        code = vars(self).get("code_")
        if code is None:
            return ClassScores()
        if self.multiclass_ == "one-vs-one":
            return PairScores(code.n_classes)
        name = "squared_error" if self.decoding == "auto" else self.decoding
        return CodeScores(code, decoding_named(name))

    @property
    def _has_columns(self) -> bool:
        """Whether outputs are those of the columns of a code, which have rows of their own."""
        code = vars(self).get("code_")
        return code is not None and code.has_zeros

    def _targets(self, labels: NDArray[np.intp]) -> FloatArray:
        """-1 and +1, or 0 and 1 for a code, which is made of these machines."""
        n_classes = len(self.classes_)
        return (indicators if "code_" in vars(self) else signed_labels)(labels, n_classes)

    def _fit_columns(
        self, X: Any, labels: NDArray[np.intp], weight: FloatArray, weights: FloatArray
    ) -> Self:
        """Fit the columns of a code with zeros, each on the rows of its classes."""
        for name in ("low_rank", "sparse", "scoring"):
            if getattr(self, name) is not None:
                raise ValueError(
                    f"{name} must be None for a code with zeros, got {getattr(self, name)!r}: "
                    "every column has rows of its own"
                )
        began = time.perf_counter()
        self.__dict__.pop("_stream", None)
        check_extremes(weights)
        kernel = resolve_kernel(self, X, weights)
        rows = np.flatnonzero(weights > 0)
        own = labels[rows]
        targets = indicators(labels, len(self.classes_))
        known: Any = None
        loss = wrong_class(own)
        whole = self._job(X, rows, kernel, targets, weights, began, loss, weights[rows], known)
        take = lambda places: self._rows_of(X, rows[places], len(weights))  # noqa: E731
        found = fit_columns(column_jobs(whole, self.code_, own, take), whole)
        self.shape_fit_ = np.shape(X)
        self._keep_fit(found.collected(len(rows)), kernel, X, rows)
        self._keep_left_out(found, X, labels, rows, weights[rows], weight)
        return self

    def _keep_left_out(
        self,
        found: ColumnFits,
        X: Any,
        labels: NDArray[np.intp],
        rows: NDArray[np.intp],
        loss_weight: FloatArray,
        weight: FloatArray,
    ) -> None:
        """Leave-one-out values of the classes, exactly: a row counts in machines that saw it."""
        self.alphas_, self.loo_errors_, self.loo_scores_ = found.alphas, found.errors, None
        self.loo_values_ = self.loo_error_ = self.gcv_ = self.dof_ = None
        fitted = self._outputs(X)
        left_out = found.left_out(fitted[rows])
        if left_out is None:
            return
        outputs = fitted.copy()
        outputs[rows] = left_out
        self.loo_values_ = self._class_scores(outputs)
        wrong = self.loo_values_[rows].argmax(axis=1) != labels[rows]
        self.loo_error_ = float(wrong @ loss_weight / loss_weight.sum())
        signs = self.code_.matrix[labels[rows]].astype(np.float64)
        values = without_one_copy(signs, fitted[rows], left_out, weight[rows])
        values = self._class_scores(np.where(signs == 0.0, fitted[rows], values))
        self.probability_slope_ = fit_slope(values, labels[rows], weight[rows])

    def _fit_indicators(self, X: Any, y: Any, weight: FloatArray) -> Self:
        """Fit every label as two classes of its own; all share one factorization."""
        if self.multiclass != "one-vs-all":
            raise ValueError(
                f"multiclass must be 'one-vs-all' for several labels, got {self.multiclass!r}"
            )
        y, targets = read_indicators(y, self.class_weight)
        self._keep_scheme(2)
        self.classes_, self.class_weight_ = np.arange(y.shape[1]), np.ones(y.shape[1])
        rows = weight > 0
        loss = wrong_labels(y[rows])
        choose = lambda values: (values > 0).astype(np.intp)  # noqa: E731
        known = lambda: (LeftOutClassifier(self.classes_, choose), y[rows])  # noqa: E731
        scan = self._fit_targets(X, targets, weight, loss, weight[rows], known)
        self._calibrate(scan, targets[rows], y[rows].ravel(), weight[rows])
        return self

    def _calibrate(
        self, scan: Scan | None, targets: FloatArray, labels: NDArray[np.intp], weight: FloatArray
    ) -> None:
        """Fit the slope of the probabilities to left-out values of the rows of positive weight."""
        if scan is None:
            return
        seen = slice(0, scan.n_seen)
        values = without_one_copy(targets[seen], scan.fitted[seen], scan.values[seen], weight[seen])
        copies = values.shape[1] if self.multilabel_ else 1
        values = by_class(values.ravel() if self._is_binary else self._class_scores(values))
        weight = np.repeat(weight[seen], copies)
        self.probability_slope_ = fit_slope(values, labels[: len(values)], weight)

    @property
    def _is_binary(self) -> bool:
        """Whether every value decides between two classes."""
        return self.multilabel_ or len(self.classes_) == 2

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = self.multiclass == "one-vs-all"
        return tags

    @available_if(can_stream)
    @fit_context(prefer_skip_nested_validation=False)
    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Take in a block of rows, which need not be kept; low rank or linear kernels only.

        Landmarks and rules such as ``gamma="scale"`` come from the first block. The result is
        that of :meth:`fit` on all blocks together; of several alphas the one of the least GCV
        is taken, because rows that are gone cannot be left out.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            A block of rows.
        y : array-like of shape (n_samples,)
            Class labels.
        classes : array-like of shape (n_classes,), default=None
            All classes there are; required at the first block unless it has them all.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.

        Returns
        -------
        self : object
        """
        first = not hasattr(self, "_stream")
        X, y, weight = read_training_rows(self, X, y, sample_weight, reset=first)
        if self.class_weight == "balanced":
            raise ValueError("class_weight='balanced' needs all rows: use a dict in partial_fit")
        found, labels = find_classes(y)
        if first:
            self.classes_ = found if classes is None else np.unique(classes)
        labels = places_of(found, self.classes_)[labels]
        ones = np.ones(len(self.classes_))
        self.class_weight_ = weigh_classes(self.class_weight, self.classes_, self.classes_, ones)
        if first:
            self._keep_scheme(len(self.classes_))
        if self._has_columns:
            raise ValueError(
                "multiclass must be 'one-vs-all' or a code without zeros in partial_fit, got "
                f"{self.multiclass!r}"
            )
        targets = self._targets(labels)
        self.__dict__.pop("probability_slope_", None)
        self.multilabel_ = False
        self._stream_block(X, targets, weight * self.class_weight_[labels], first)
        return self

    def decision_function(self, X: Any) -> FloatArray:
        """Decision values.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: positive means ``classes_[1]``. More: the value of each class against
            all others, its votes, or the negated loss of its code word. Several labels: positive
            means that the row has the label.
        """
        values = self._outputs(read_new_rows(self, X))
        if values.shape[1] == 1:
            return values[:, 0]
        return values if self.multilabel_ else self._class_scores(values)

    def machine_decisions(self, X: Any) -> FloatArray:
        """Values of the two-class machines.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_machines)
            One column for each class or label, pair of classes or column of ``code_``; of two
            classes one.
        """
        return self._class_scores.machines(self._outputs(read_new_rows(self, X)))

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row, the argmax of :meth:`decision_function`, or 0 and 1 for each label."""
        values = self._outputs(read_new_rows(self, X))
        if self.multilabel_:
            return (values > 0).astype(np.intp)
        return self.classes_[self._class_scores.choose(values)]

    @available_if(can_calibrate)
    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class, columns as in ``classes_``, or of each label.

        softmax(slope f), for two classes expit(2 slope f): the most probable class is the predicted
        one. The slope is that of the greatest likelihood of the training rows, each judged by
        the machine of all others, so no row is held back (Platt 1999, without his offset).
        """
        check_is_fitted(self)
        values = self.probability_slope_ * self.decision_function(X)
        return expit(2.0 * values) if self.multilabel_ else softmax(by_class(values), axis=1)

    @available_if(can_calibrate)
    def predict_log_proba(self, X: Any) -> FloatArray:
        """Logarithm of :meth:`predict_proba`."""
        check_is_fitted(self)
        values = self.probability_slope_ * self.decision_function(X)
        return (
            log_expit(2.0 * values) if self.multilabel_ else log_softmax(by_class(values), axis=1)
        )
