"""Output codes around any two-class classifier."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    has_fit_parameter,
    validate_data,
)

from mercer._reported import Reported
from mercer._sklearn import CallbackSupportMixin, HasMethods, StrOptions, safe_split
from mercer.codes import OutputCode
from mercer.codes.decoding import decoding_named
from mercer.codes.making import as_code
from mercer.machines.fit_context import counting_all_rows, fit_context
from mercer.machines.learned_decoding import learned_decoder
from mercer.machines.svm.classifiers import SVC
from mercer.machines.svm.schemes import SCHEME_CONSTRAINTS
from mercer.training.classes import read_classes
from mercer.training.estimator_kind import check_kind
from mercer.training.weights import check_weight

__all__ = ["CodeClassifier"]

FloatArray = NDArray[np.float64]


class CodeClassifier(
    MetaEstimatorMixin, ClassifierMixin, Reported, CallbackSupportMixin, BaseEstimator
):
    """Many classes by two-class classifiers, one for each column of an output code.

    :class:`mercer.SVC`, ``NuSVC``, ``RLSC`` and ``LSSVC`` have built-in codes, which share kernel
    values; this class works with any classifier.

    Parameters
    ----------
    estimator : classifier, default=None
        Fitted to labels -1 and +1; None means :class:`mercer.SVC`. Its ``decision_function`` is
        decoded, else the difference of its two probabilities, else its predictions.
    code : str or array-like of shape (n_classes, n_machines), default="dense"
        "one-vs-all", "one-vs-one", "complete", "dense", "sparse", "hadamard", "bch", a matrix
        with entries -1, 0 and 1, or what :func:`mercer.codes.make_code` makes. Random codes are
        the same in every fit.
    decoding : {"auto", "hamming", "hinge", "squared_hinge", "squared_error", "exponential", \
"learned"}, default="auto"
        How values tell the class: "hamming" counts signs, others add up losses; "auto" is
        "hinge". "learned" finds a code of real numbers for the values of classifiers that have
        not seen the rows, which takes five more fits of each column (Crammer & Singer 2002); with
        two classes the sign decides.
    n_jobs : int, default=None
        Classifiers fitted at a time, as in scikit-learn.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, ascending.
    code_ : OutputCode
        The code; of two classes one column.
    estimators_ : list of classifiers
        One for each column.
    decoder_ : SVC
        Of ``decoding="learned"`` and more than two classes: the row of each class of its
        ``coef_`` is the learned code word.
    n_features_in_ : int
        Number of features, if rows have any.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if all are strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from mercer import CodeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = CodeClassifier(LogisticRegression(), code="complete").fit(X, y)
    >>> machine.code_
    OutputCode('complete': 3 classes, 3 machines, row separation 2)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "code": SCHEME_CONSTRAINTS["code"],
        "decoding": [*SCHEME_CONSTRAINTS["decoding"], StrOptions({"learned"})],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        code: Any = "dense",
        decoding: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.code = code
        self.decoding = decoding
        self.n_jobs = n_jobs

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
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit a classifier to every column of the code.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Training rows, handed to the classifiers as they are.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, if the classifier takes any.

        Returns
        -------
        self : object
        """
        check_kind(self._machine, "classifier")
        X = _indexable(X)
        X, y = validate_data(self, X, y, skip_check_array=True)
        y = np.asarray(y)
        check_consistent_length(X, y)
        weight = self._checked_weight(sample_weight, len(y))
        ones = np.ones(len(y)) if weight is None else weight
        self.classes_, labels, _ = read_classes(y, None, ones)
        self.code_ = self._made_code(len(self.classes_))
        signs = self.code_.matrix.T[:, labels]
        self._rows = self._training_rows(signs)
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_column)(clone(self._machine), X, sign, weight) for sign in signs
        )
        self.__dict__.pop("decoder_", None)
        if self.decoding == "learned" and len(self.classes_) > 2:
            self.decoder_ = learned_decoder(self, X, y, labels, weight)
        return self

    def _checked_weight(self, sample_weight: ArrayLike | None, n: int) -> FloatArray | None:
        if sample_weight is None:
            return None
        if not has_fit_parameter(self._machine, "sample_weight"):
            raise ValueError(
                f"sample_weight must be None: {type(self._machine).__name__} takes no weights"
            )
        return check_weight(sample_weight, n)

    def _made_code(self, n_classes: int) -> OutputCode:
        code = as_code(self.code, n_classes)
        return as_code("one-vs-all", 2) if n_classes == 2 else code

    def _training_rows(self, signs: NDArray[np.int8]) -> list[NDArray[np.intp]] | None:
        """What columns of a stored kernel matrix each classifier was trained on, if not all."""
        if not get_tags(self._machine).input_tags.pairwise or not self.code_.has_zeros:
            return None
        return [np.flatnonzero(sign) for sign in signs]

    def machine_decisions(self, X: Any) -> FloatArray:
        """Values of the two-class classifiers.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_machines)
            One column for each column of ``code_``.
        """
        check_is_fitted(self)
        X = _indexable(X)
        if hasattr(self, "n_features_in_") and isinstance(X, np.ndarray) and X.ndim == 1:
            raise ValueError(
                f"Expected 2D array, got X of shape {np.shape(X)} instead. Reshape your data: "
                "X.reshape(1, -1) if it is one row"
            )
        validate_data(self, X, reset=False, skip_check_array=True)
        rows = self._rows
        parts = [X if rows is None else X[:, rows[k]] for k in range(len(self.estimators_))]
        # rows need not be sent to other processes for so little
        values = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(_values)(machine, part)
            for machine, part in zip(self.estimators_, parts, strict=True)
        )
        return np.column_stack(values)

    def decision_function(self, X: Any) -> FloatArray:
        """Decision values: negated decoding losses.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Two classes: positive means ``classes_[1]``.
        """
        values = self.machine_decisions(X)
        if len(self.classes_) == 2:
            return np.asarray(values[:, 0])
        if self.decoding == "learned":
            return np.asarray(self.decoder_.decision_function(values))
        name = "hinge" if self.decoding == "auto" else self.decoding
        return decoding_named(name).scores(self.code_, values)

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row: the argmax of :meth:`decision_function`; ties go to the first."""
        values = self.decision_function(X)
        chosen = values > 0 if values.ndim == 1 else values.argmax(axis=1)
        return np.asarray(self.classes_[chosen.astype(np.intp)])


def _indexable(X: Any) -> Any:
    """Rows that can be taken one by one."""
    return X.tocsr() if sp.issparse(X) else X


def _fit_column(machine: Any, X: Any, sign: NDArray[np.int8], weight: FloatArray | None) -> Any:
    """The classifier of one column, on the rows whose classes take part."""
    rows = np.flatnonzero(sign)
    part = X if len(rows) == len(sign) else safe_split(machine, X, None, rows)[0]
    if weight is None:
        return machine.fit(part, sign[rows].astype(np.intp))
    return machine.fit(part, sign[rows].astype(np.intp), sample_weight=weight[rows])


def _values(machine: Any, X: Any) -> FloatArray:
    """Decision values, or the difference of the probabilities, or predictions."""
    if hasattr(machine, "decision_function"):
        return np.asarray(machine.decision_function(X), dtype=np.float64).reshape(-1)
    if hasattr(machine, "predict_proba"):
        proba = np.asarray(machine.predict_proba(X), dtype=np.float64)
        return np.asarray(proba[:, 1] - proba[:, 0])
    return np.asarray(machine.predict(X), dtype=np.float64)
