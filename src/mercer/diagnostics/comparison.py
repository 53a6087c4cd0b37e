"""Classifiers compared on the same rows: differences, and which may be chance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import binom, chi2

from mercer.diagnostics.class_kinds import check_kinds
from mercer.diagnostics.error_profile import error_profile
from mercer.diagnostics.intervals import difference_interval, error_interval, holm
from mercer.formulations.checks import check_scalar

__all__ = ["ClassifierComparison", "PairedTest", "compare_classifiers"]

FloatArray = NDArray[np.float64]

_FEW = 25  # discordant rows below which the exact test is taken


@dataclass(frozen=True)
class PairedTest:
    """Two classifiers on the same rows.

    Attributes
    ----------
    first, second : str
        Their names.
    only_first_wrong, only_second_wrong : int
        Rows that one of them gets wrong and the other right.
    difference : float
        Error of the first minus that of the second.
    interval : tuple of float
        Interval of the difference (Bonett & Price 2012).
    p_value : float
        Of McNemar's test that both err equally often.
    adjusted : float
        The same for all pairs together (Holm 1979).

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from mercer.diagnostics import compare_classifiers
    >>> X, y = [[0.0]] * 6, [0, 0, 0, 0, 1, 1]
    >>> zeros = DummyClassifier(strategy="constant", constant=0).fit(X, y)
    >>> ones = DummyClassifier(strategy="constant", constant=1).fit(X, y)
    >>> test = compare_classifiers({"zeros": zeros, "ones": ones}, X, y).pairs[0]
    >>> test.only_first_wrong, test.only_second_wrong
    (2, 4)
    """

    first: str
    second: str
    only_first_wrong: int
    only_second_wrong: int
    difference: float
    interval: tuple[float, float]
    p_value: float
    adjusted: float


@dataclass(frozen=True, eq=False)
class ClassifierComparison:
    """How several classifiers compare on the same rows.

    Attributes
    ----------
    names : tuple of str
        The classifiers.
    n_rows : int
        Rows compared on.
    confidence : float
        Of the intervals.
    errors : ndarray of shape (n_classifiers,)
        Share of rows each gets wrong.
    intervals : ndarray of shape (n_classifiers, 2)
        Exact intervals of the errors (Clopper & Pearson 1934): they cover the true error at least
        as often as ``confidence`` says, on any number of rows.
    pairs : tuple of PairedTest
        Each against each.
    overlap : ndarray of shape (n_classifiers, n_classifiers)
        Share of rows for which two of them predict the same class.
    all_agree : float
        Share of rows for which all of them do.
    error_correlation : ndarray of shape (n_classifiers, n_classifiers)
        Correlation of being wrong; NaN for classifiers that are never, or always, wrong.
    reference : str
        Whose errors the profiles look at.
    profiles : dict of str to ndarray
        For classifiers made of two-class machines: of each row that the reference puts in a wrong
        class, the share of the machines between the two classes that are wrong, too, ascending.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from mercer.diagnostics import compare_classifiers
    >>> X, y = [[0.0]] * 6, [0, 0, 0, 0, 1, 1]
    >>> zeros = DummyClassifier(strategy="constant", constant=0).fit(X, y)
    >>> ones = DummyClassifier(strategy="constant", constant=1).fit(X, y)
    >>> compare_classifiers({"zeros": zeros, "ones": ones}, X, y).errors.round(3).tolist()
    [0.333, 0.667]
    """

    names: tuple[str, ...]
    n_rows: int
    confidence: float
    errors: FloatArray
    intervals: FloatArray
    pairs: tuple[PairedTest, ...]
    overlap: FloatArray
    all_agree: float
    error_correlation: FloatArray
    reference: str
    profiles: dict[str, FloatArray]

    def reverse_cdf(self, name: str, at: ArrayLike) -> FloatArray:
        """Share of the rows of a profile with at least a share ``at`` of wrong machines."""
        if name not in self.profiles:
            raise ValueError(f"name must be one of {sorted(self.profiles)}, got {name!r}")
        shares, points = self.profiles[name], np.asarray(at, dtype=np.float64)
        if not len(shares):
            return np.zeros(points.shape)
        return np.asarray(1.0 - np.searchsorted(shares, points - 1e-12) / len(shares))

    def __repr__(self) -> str:
        percent = f"{100 * self.confidence:g} %"
        lines = [f"{self.n_rows:,} rows, all agree on {100 * self.all_agree:.1f} %", ""]
        width = max(len(name) for name in self.names)
        lines.append(f"{'classifier':{max(width, 10)}}  error %  {percent} interval")
        for name, error, (low, high) in zip(self.names, self.errors, self.intervals, strict=True):
            interval = f"{100 * low:.2f} ... {100 * high:.2f}"
            lines.append(f"{name:{max(width, 10)}}  {100 * error:7.2f}  {interval}")
        lines += ["", f"{'pair':{2 * width + 4}}  difference  {percent} interval    wrong alone  p"]
        for test in self.pairs:
            low, high = test.interval
            alone = f"{test.only_first_wrong} / {test.only_second_wrong}"
            both = f"{test.first} -- {test.second}"
            lines.append(
                f"{both:{2 * width + 4}}  {100 * test.difference:+10.2f}"
                f"  {100 * low:+6.2f} ... {100 * high:+6.2f}  {alone:>11}  {test.adjusted:.3g}"
            )
        return "\n".join(lines)

    def plot(self, *, axes: Any = None) -> Any:
        """Errors with their intervals, the overlap, and the profiles.

        Parameters
        ----------
        axes : sequence of three matplotlib axes, default=None
            Where to draw; a new figure if None.

        Returns
        -------
        ndarray of matplotlib axes
        """
        from mercer.diagnostics.plot_comparison import plot_comparison

        return plot_comparison(self, axes)


def compare_classifiers(
    classifiers: Mapping[str, Any],
    X: Any,
    y: ArrayLike,
    *,
    reference: str | None = None,
    confidence: float = 0.95,
) -> ClassifierComparison:
    """Compare classifiers on rows that none of them has seen (Rifkin 2002, section 4.3).

    Parameters
    ----------
    classifiers : mapping of str to classifier, or to array-like of shape (n_rows,)
        Fitted classifiers, or the classes they predict.
    X : array-like, sparse matrix or sequence of shape (n_rows, n_features)
        Rows.
    y : array-like of shape (n_rows,)
        Their classes.
    reference : str, default=None
        Whose errors the profiles look at; None means the first one.
    confidence : float, default=0.95
        Of the intervals.

    Returns
    -------
    ClassifierComparison
        Prints as a table.

    See Also
    --------
    compare_over_folds : Estimators that are trained anew on each of several splits.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC
    >>> from mercer.diagnostics import compare_classifiers
    >>> X, y = load_iris(return_X_y=True)
    >>> machines = {name: SVC(multiclass=name).fit(X[::2], y[::2])
    ...             for name in ("one-vs-all", "one-vs-one")}
    >>> compare_classifiers(machines, X[1::2], y[1::2]).all_agree > 0.9
    True
    """
    if not isinstance(classifiers, Mapping):
        raise TypeError(f"classifiers must map names to classifiers, got {type(classifiers)}")
    names = tuple(classifiers)
    confidence = check_scalar("confidence", confidence, high=1.0)
    labels = np.asarray(y)
    if labels.ndim != 1 or not len(labels) or not names:
        raise ValueError(
            "classifiers and y must not be empty, and y a vector, got "
            f"{len(names)} classifiers and y of shape {labels.shape}"
        )
    check_kinds("y", labels, labels)
    reference = names[0] if reference is None else reference
    if reference not in classifiers:
        raise ValueError(f"reference must be one of {list(names)}, got {reference!r}")
    predicted = {name: _predictions(name, classifiers[name], X, labels) for name in names}
    wrong = np.column_stack([predicted[name] != labels for name in names])
    chosen = [predicted[name] for name in names]
    overlap = np.array([[float((a == b).mean()) for b in chosen] for a in chosen])
    return ClassifierComparison(
        names=names,
        n_rows=len(labels),
        confidence=confidence,
        errors=wrong.mean(axis=0),
        intervals=error_interval(wrong.sum(axis=0), len(labels), confidence),
        pairs=_paired_tests(names, wrong, confidence),
        overlap=overlap,
        all_agree=float(np.all([row == chosen[0] for row in chosen], axis=0).mean()),
        error_correlation=_correlation(wrong),
        reference=reference,
        profiles=_profiles(classifiers, X, labels, predicted[reference]),
    )


def _predictions(name: str, classifier: Any, X: Any, labels: NDArray[Any]) -> NDArray[Any]:
    found = classifier.predict(X) if hasattr(classifier, "predict") else classifier
    predicted = np.asarray(found)
    if predicted.shape != labels.shape:
        raise ValueError(
            f"the predictions of {name!r} must have the shape of y, {labels.shape}, got "
            f"{predicted.shape}"
        )
    check_kinds(f"the predictions of {name!r}", predicted, labels)
    return predicted


def mcnemar(only_first: int, only_second: int) -> float:
    """Probability of counts as uneven as these if both were equally likely (McNemar 1947).

    Exact by the binomial distribution for fewer than 25 rows, else by chi square with the
    correction for continuity.
    """
    total = only_first + only_second
    if total < _FEW:
        return min(1.0, 2.0 * float(binom.cdf(min(only_first, only_second), total, 0.5)))
    return float(chi2.sf(max(abs(only_first - only_second) - 1, 0) ** 2 / total, 1))


def _paired_tests(
    names: tuple[str, ...], wrong: NDArray[np.bool_], confidence: float
) -> tuple[PairedTest, ...]:
    pairs = list(combinations(range(len(names)), 2))
    counts = [
        (int((wrong[:, a] & ~wrong[:, b]).sum()), int((wrong[:, b] & ~wrong[:, a]).sum()))
        for a, b in pairs
    ]
    p_values = np.array([mcnemar(*count) for count in counts])
    adjusted = holm(p_values)
    return tuple(
        PairedTest(
            *(names[a], names[b], *counts[k]),
            difference=float(wrong[:, a].mean() - wrong[:, b].mean()),
            interval=difference_interval(*counts[k], len(wrong), confidence),
            p_value=float(p_values[k]),
            adjusted=float(adjusted[k]),
        )
        for k, (a, b) in enumerate(pairs)
    )


def _correlation(wrong: NDArray[np.bool_]) -> FloatArray:
    centred = wrong - wrong.mean(axis=0)
    products = centred.T @ centred
    size = np.sqrt(np.diag(products))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.clip(products / np.outer(size, size), -1.0, 1.0))


def _profiles(
    classifiers: Mapping[str, Any], X: Any, labels: NDArray[Any], predicted: NDArray[Any]
) -> dict[str, FloatArray]:
    rows = np.flatnonzero(predicted != labels)
    found = {
        name: error_profile(classifier, X, rows, labels[rows], predicted[rows])
        for name, classifier in classifiers.items()
    }
    return {name: profile for name, profile in found.items() if profile is not None}
