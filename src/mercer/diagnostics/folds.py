"""Estimators compared over the splits of a cross-validation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import t as student
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import indexable

from mercer._sklearn import safe_indexing
from mercer.diagnostics.intervals import holm
from mercer.formulations.checks import check_scalar

__all__ = ["FoldComparison", "FoldTest", "compare_over_folds"]

FloatArray = NDArray[np.float64]
Splits = list[tuple[NDArray[np.int64], NDArray[np.int64]]]


@dataclass(frozen=True)
class FoldTest:
    """Two estimators on the same splits.

    Attributes
    ----------
    first, second : str
        Their names.
    difference : float
        Mean score of the first minus that of the second.
    interval : tuple of float
        Interval of the difference.
    p_value : float
        Of the corrected resampled t-test that both have the same score.
    adjusted : float
        The same for all pairs together (Holm 1979).

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from mercer import SVC
    >>> from mercer.diagnostics import compare_over_folds
    >>> X, y = [[0.1 * i] for i in range(20)], [0] * 10 + [1] * 10
    >>> machines = {"SVC": SVC(), "prior": DummyClassifier()}
    >>> test = compare_over_folds(machines, X, y, cv=2).pairs[0]
    >>> test.first, test.second, test.difference > 0
    ('SVC', 'prior', True)
    """

    first: str
    second: str
    difference: float
    interval: tuple[float, float]
    p_value: float
    adjusted: float


@dataclass(frozen=True, eq=False)
class FoldComparison:
    """Scores of several estimators on the same splits.

    Attributes
    ----------
    names : tuple of str
        The estimators.
    scores : ndarray of shape (n_estimators, n_splits)
        Scores on the rows left out; larger is better.
    n_train, n_test : ndarray of shape (n_splits,)
        Rows trained on and left out.
    confidence : float
        Of the intervals.
    pairs : tuple of FoldTest
        Each against each.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from mercer import SVC
    >>> from mercer.diagnostics import compare_over_folds
    >>> X, y = [[0.1 * i] for i in range(20)], [0, 1] * 10
    >>> machines = {"SVC": SVC(), "prior": DummyClassifier()}
    >>> compare_over_folds(machines, X, y, cv=2).scores.shape
    (2, 2)
    """

    names: tuple[str, ...]
    scores: FloatArray
    n_train: NDArray[np.int64]
    n_test: NDArray[np.int64]
    confidence: float
    pairs: tuple[FoldTest, ...]

    def __repr__(self) -> str:
        width = max(10, *(len(name) for name in self.names))
        lines = [f"{self.scores.shape[1]} splits", "", f"{'estimator':{width}}  mean score"]
        for name, score in zip(self.names, self.scores.mean(axis=1), strict=True):
            lines.append(f"{name:{width}}  {score:10.4f}")
        percent = f"{100 * self.confidence:g} %"
        lines += ["", f"{'pair':{2 * width + 4}}  difference  {percent} interval        p"]
        for test in self.pairs:
            low, high = test.interval
            lines.append(
                f"{test.first + ' -- ' + test.second:{2 * width + 4}}  {test.difference:+10.4f}"
                f"  {low:+7.4f} ... {high:+7.4f}  {test.adjusted:.3g}"
            )
        return "\n".join(lines)


def compare_over_folds(
    estimators: Mapping[str, Any],
    X: Any,
    y: ArrayLike,
    *,
    cv: Any = 10,
    scoring: Any = None,
    groups: ArrayLike | None = None,
    confidence: float = 0.95,
) -> FoldComparison:
    """Compare estimators that are retrained on each split of a cross-validation.

    Scores of several splits are not independent, because their training rows are shared: a plain
    t-test finds differences that do not exist. The corrected test accounts for that (Nadeau &
    Bengio 2003). Repeated splits are more informative than one round of folds, e.g.
    ``RepeatedStratifiedKFold(n_splits=10, n_repeats=10)``.

    Parameters
    ----------
    estimators : mapping of str to estimator, or to array-like of shape (n_splits,)
        Estimators, of which copies are trained; or scores on exactly the splits of ``cv``.
    X : array-like, sparse matrix or sequence of shape (n_rows, n_features)
        Rows.
    y : array-like of shape (n_rows,)
        Their classes or targets.
    cv : int, splitter or iterable of (train, test), default=10
        The splits, at least two, as in scikit-learn; the same ones for all.
    scoring : str or callable, default=None
        What to compare, larger is better; None for the ``score`` of the estimators.
    groups : array-like of shape (n_rows,), default=None
        Groups that ``cv`` keeps together.
    confidence : float, default=0.95
        Of the intervals.

    Returns
    -------
    FoldComparison
        Prints as a table.

    See Also
    --------
    compare_classifiers : Trained classifiers on rows that none of them has seen.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC
    >>> from mercer.diagnostics import compare_over_folds
    >>> X, y = load_iris(return_X_y=True)
    >>> found = compare_over_folds({"wide": SVC(gamma=0.1), "narrow": SVC(gamma=100.0)}, X, y, cv=5)
    >>> found.pairs[0].adjusted < 0.05
    True
    """
    if not isinstance(estimators, Mapping) or not estimators:
        raise TypeError(f"estimators must map names to estimators, got {estimators!r}")
    confidence = check_scalar("confidence", confidence, high=1.0)
    X, y, groups = indexable(X, y, groups)
    splits = _splits(estimators, X, y, cv, groups)
    names = tuple(estimators)
    scores = np.array([_scores(name, estimators[name], X, y, splits, scoring) for name in names])
    n_train, n_test = (np.array([len(split[side]) for split in splits]) for side in (0, 1))
    ratio = float((n_test / n_train).mean())
    pairs = _paired_tests(names, scores, ratio, confidence)
    return FoldComparison(names, scores, n_train, n_test, confidence, pairs)


def _splits(estimators: Mapping[str, Any], X: Any, y: Any, cv: Any, groups: Any) -> Splits:
    classify = any(is_classifier(one) for one in estimators.values() if hasattr(one, "fit"))
    classify = classify or not any(hasattr(one, "fit") for one in estimators.values())
    once = list(cv) if isinstance(cv, Iterable) and not hasattr(cv, "split") else cv
    splits = [
        (_rows_of(train), _rows_of(test))
        for train, test in check_cv(once, y, classifier=classify).split(X, y, groups)
    ]
    if len(splits) < 2 or min(len(rows) for split in splits for rows in split) == 0:
        raise ValueError(
            f"cv must make at least two splits, none of them without rows, got {len(splits)}"
        )
    return splits


def _rows_of(chosen: Any) -> NDArray[np.int64]:
    """Indices of the rows that were chosen by indices or by a mask."""
    found = np.asarray(chosen)
    return np.asarray(np.flatnonzero(found) if found.dtype == bool else found)


def _scores(name: str, estimator: Any, X: Any, y: Any, splits: Splits, scoring: Any) -> FloatArray:
    if not hasattr(estimator, "fit"):
        scores = np.asarray(estimator, dtype=np.float64)
        if scores.shape != (len(splits),) or not np.isfinite(scores).all():
            raise ValueError(
                f"the scores of {name!r} must be finite numbers, one for each of the "
                f"{len(splits)} splits, got {scores}"
            )
        return scores
    score = check_scoring(estimator, scoring)
    return np.array([_score(estimator, X, y, train, test, score) for train, test in splits])


def _score(estimator: Any, X: Any, y: Any, train: Any, test: Any, score: Any) -> float:
    fitted = clone(estimator).fit(safe_indexing(X, train), safe_indexing(y, train))
    return float(score(fitted, safe_indexing(X, test), safe_indexing(y, test)))


def _paired_tests(
    names: tuple[str, ...], scores: FloatArray, ratio: float, confidence: float
) -> tuple[FoldTest, ...]:
    pairs = list(combinations(range(len(names)), 2))
    found = [corrected_t_test(scores[a] - scores[b], ratio, confidence) for a, b in pairs]
    adjusted = holm(np.array([p for _, p in found]))
    return tuple(
        FoldTest(
            *(names[a], names[b]),
            difference=float((scores[a] - scores[b]).mean()),
            interval=interval,
            p_value=p,
            adjusted=float(adjusted[k]),
        )
        for k, ((a, b), (interval, p)) in enumerate(zip(pairs, found, strict=True))
    )


def corrected_t_test(
    differences: FloatArray, ratio: float, confidence: float
) -> tuple[tuple[float, float], float]:
    """Interval of the mean difference of scores, and the probability of it without any.

    mean / sqrt((1/J + n_test/n_train) S^2) has Student's distribution with J - 1 degrees of
    freedom, S^2 the variance over the J splits (Nadeau & Bengio 2003, section 4).
    """
    n, mean = len(differences), float(differences.mean())
    spread = float(np.sqrt((1.0 / n + ratio) * differences.var(ddof=1)))
    reach = spread * float(student.ppf(0.5 * (1.0 + confidence), n - 1))
    if spread > 0.0:
        p_value = 2.0 * float(student.sf(abs(mean) / spread, n - 1))
    else:
        p_value = 1.0 if mean == 0.0 else 0.0
    return (mean - reach, mean + reach), p_value
