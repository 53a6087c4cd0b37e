"""Test, then train: each chunk of a stream is predicted before it is learned."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring

from mercer._shown import shown
from mercer.gram.native import count_rows, take_rows
from mercer.online.active import check_count

__all__ = ["PrequentialCurve", "prequential"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class PrequentialCurve:
    """Scores of a machine on what came next, as it learned.

    Attributes
    ----------
    n_seen : ndarray of shape (n_chunks,)
        Examples that were learned when a chunk was predicted.
    n_rows : ndarray of shape (n_chunks,)
        Rows of each chunk.
    scores : ndarray of shape (n_chunks,)
        Score on each chunk before it was learned.
    seconds : ndarray of shape (n_chunks,)
        Time to learn each chunk.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.online import PrequentialCurve
    >>> seen, rows = np.array([0, 100]), np.array([100, 50])
    >>> PrequentialCurve(seen, rows, np.array([0.5, 0.8]), np.array([0.1, 0.1])).cumulative.tolist()
    [0.5, 0.6]
    """

    n_seen: NDArray[np.intp]
    n_rows: NDArray[np.intp]
    scores: FloatArray
    seconds: FloatArray

    __repr__ = shown()

    @property
    def mean(self) -> float:
        """Mean score of all rows that were predicted."""
        return float(np.average(self.scores, weights=self.n_rows))

    @property
    def cumulative(self) -> FloatArray:
        """Mean score of all rows up to each chunk (Dawid 1984)."""
        return np.cumsum(self.scores * self.n_rows) / np.cumsum(self.n_rows)

    def fading(self, factor: float = 0.9) -> FloatArray:
        """Mean score up to each chunk, in which older chunks count less (Gama et al. 2013).

        Parameters
        ----------
        factor : float, default=0.9
            What a chunk counts, relative to the one after it; in (0, 1].
        """
        if not 0.0 < factor <= 1.0:
            raise ValueError(f"factor must lie in (0, 1], got {factor!r}")
        total = weight = 0.0
        found = np.empty(len(self.scores))
        for i, (score, n) in enumerate(zip(self.scores, self.n_rows, strict=True)):
            total, weight = factor * total + score * n, factor * weight + n
            found[i] = total / weight
        return found

    def plot(self, ax: Any = None) -> Any:
        """Draw the score of each chunk and the fading mean; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes new ones.

        Returns
        -------
        matplotlib Axes
        """
        if ax is None:
            from matplotlib import pyplot as plt

            ax = plt.subplots()[1]
        ax.plot(self.n_seen, self.scores, ".", alpha=0.4, label="chunk")
        ax.plot(self.n_seen, self.fading(), label="fading mean")
        ax.set(xlabel="examples learned", ylabel="score on the next chunk")
        ax.legend()
        return ax


def prequential(
    machine: Any,
    X: Any,
    y: ArrayLike | None = None,
    *,
    chunk_size: int = 100,
    classes: ArrayLike | None = None,
    scoring: Any = None,
) -> PrequentialCurve:
    """Predict each chunk of a stream, then learn from it.

    No row is evaluated by a machine that has seen it, and none is held back: this is the predictive
    sequential evaluation of streams. The first chunk is only learned, unless the machine has
    learned before.

    Parameters
    ----------
    machine : estimator
        With ``partial_fit``; it is not cloned, and goes on from where it stands.
    X : array-like or sparse matrix of shape (n_samples, n_features), or iterable
        Rows in the order of the stream; without ``y`` an iterable of chunks ``(X, y)``.
    y : array-like of shape (n_samples,), default=None
        Labels or targets.
    chunk_size : int, default=100
        Rows of a chunk of arrays.
    classes : array-like of shape (n_classes,), default=None
        Classes to announce with the first chunk.
    scoring : str or callable, default=None
        A scorer as in scikit-learn; None means ``machine.score``.

    Returns
    -------
    PrequentialCurve

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import OnlineSVC
    >>> from mercer.online import prequential
    >>> X = np.random.default_rng(0).uniform(0, 4, size=(1000, 2))
    >>> y = np.floor(X).sum(axis=1) % 2  # a chessboard
    >>> curve = prequential(OnlineSVC(C=100.0, gamma=2.0), X, y, chunk_size=200)
    >>> bool(curve.scores[-1] > curve.scores[0])
    True
    """
    check_count("chunk_size", chunk_size)
    scorer = check_scoring(machine, scoring=scoring)
    options = {"classes": classes} if classes is not None and is_classifier(machine) else {}
    found: list[tuple[int, int, float, float]] = []
    n_seen = int(getattr(machine, "n_seen_", 0))
    for rows, labels in _chunks(X, y, chunk_size):
        n = count_rows(rows)
        is_begun = n_seen > 0
        score = float(scorer(machine, rows, labels)) if is_begun else np.nan
        began = time.perf_counter()
        machine.partial_fit(rows, labels, **({} if is_begun else options))
        if is_begun:
            found.append((n_seen, n, score, time.perf_counter() - began))
        n_seen += n
    if not found:
        raise ValueError("X must hold two chunks at least: the first one is only learned")
    columns = [np.array(column) for column in zip(*found, strict=True)]
    return PrequentialCurve(*columns)


def _chunks(X: Any, y: ArrayLike | None, size: int) -> Iterator[tuple[Any, Any]]:
    """Chunks of arrays, or those that are given."""
    if y is None:
        given: Iterable[tuple[Any, Any]] = X
        yield from given
        return
    labels, n = np.asarray(y), count_rows(X)
    if len(labels) != n:
        raise ValueError(f"y must have as many entries as X has rows, {n}, got {len(labels)}")
    for begin in range(0, n, size):
        rows = np.arange(begin, min(begin + size, n))
        some = X.iloc[rows] if hasattr(X, "iloc") else take_rows(X, rows)
        yield some, labels[rows]
