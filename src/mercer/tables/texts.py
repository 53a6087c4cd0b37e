"""Texts as numbers: the weights of their words."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.utils.validation import check_is_fitted

from mercer._sklearn import Interval
from mercer.tables.cells import cells_of, is_missing, names_of

__all__ = ["TextFeatures"]


class TextFeatures(TransformerMixin, BaseEstimator):
    """Replace each column of texts by the TF-IDF weights of its words.

    Weights are those of scikit-learn's ``TfidfVectorizer``; a missing text has no words.

    Parameters
    ----------
    max_words : int, default=2000
        The most words of a column, the most frequent ones.

    Attributes
    ----------
    words_ : list of ndarray of str
        The words of each column.
    idf_ : list of ndarray
        The weight of each word: log((1 + n) / (1 + rows that hold it)) + 1.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        Their names, if they have any.

    Examples
    --------
    >>> from mercer.tables import TextFeatures
    >>> texts = [["red wine"], ["white wine"], [None]]
    >>> TextFeatures().fit_transform(texts).toarray().round(2)
    array([[0.8 , 0.  , 0.61],
           [0.  , 0.8 , 0.61],
           [0.  , 0.  , 0.  ]])
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "max_words": [Interval(Integral, 1, None, closed="left")]
    }

    def __init__(self, *, max_words: int = 2000) -> None:
        self.max_words = max_words

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the words of each column and their weights."""
        self._validate_params()
        columns, names = cells_of(X), names_of(X)
        self.n_features_in_ = len(columns)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.words_, self.idf_ = [], []
        for k, own in enumerate(columns):
            counted = TfidfVectorizer(max_features=self.max_words)
            try:
                counted.fit(_texts(own))
            except ValueError as error:
                raise ValueError(f"column {k} of texts: {error}") from None
            self.words_.append(np.array(counted.get_feature_names_out(), dtype=object))
            self.idf_.append(np.asarray(counted.idf_, dtype=np.float64))
        return self

    def transform(self, X: Any) -> Any:
        """Return the weights of the words of each column, side by side."""
        check_is_fitted(self, "words_")
        columns = cells_of(X)
        if len(columns) != self.n_features_in_:
            raise ValueError(f"X must have {self.n_features_in_} columns, got {len(columns)}")
        parts = []
        for own, words, idf in zip(columns, self.words_, self.idf_, strict=True):
            counted = TfidfVectorizer(vocabulary={word: k for k, word in enumerate(words)})
            counted.idf_ = idf
            parts.append(counted.transform(_texts(own)))
        return sp.csr_matrix(sp.hstack(parts))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return NAME_word for each word of each column."""
        check_is_fitted(self, "words_")
        names = getattr(self, "feature_names_in_", input_features)
        if names is None:
            names = [f"x{k}" for k in range(self.n_features_in_)]
        each = zip(names, self.words_, strict=True)
        return np.array([f"{own}_{word}" for own, words in each for word in words], dtype=object)


def _texts(cells: NDArray[Any]) -> list[str]:
    return ["" if is_missing(cell) else str(cell) for cell in cells]
