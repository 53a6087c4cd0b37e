"""What labels that are asked for are worth, next to random ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from mercer._shown import shown
from mercer.online.active import check_count
from mercer.online.svc import OnlineSVC

__all__ = ["LearningCurves", "learning_curves"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class LearningCurves:
    """Scores against the number of labels, by strategy.

    Attributes
    ----------
    n_labels : dict of str to ndarray of shape (n_points,)
        Labels asked for.
    scores : dict of str to ndarray of shape (n_repeats, n_points)
        Accuracy on the test rows; a run that stopped early keeps its last one.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.online import LearningCurves
    >>> curves = LearningCurves({"margin": np.array([4, 8])}, {"margin": np.array([[0.7, 0.9]])})
    >>> curves.scores["margin"].mean(axis=0).tolist()
    [0.7, 0.9]
    """

    n_labels: dict[str, NDArray[np.intp]]
    scores: dict[str, FloatArray]

    __repr__ = shown()

    def plot(self, ax: Any = None) -> Any:
        """Draw the mean of each strategy, and the range of its runs; needs matplotlib.

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
        for strategy, scores in self.scores.items():
            n = self.n_labels[strategy]
            (line,) = ax.plot(n, scores.mean(axis=0), label=strategy)
            low, high = scores.min(axis=0), scores.max(axis=0)
            ax.fill_between(n, low, high, color=line.get_color(), alpha=0.2)
        ax.set(xlabel="labels", ylabel="accuracy")
        ax.legend()
        return ax


def learning_curves(
    machine: OnlineSVC,
    X: Any,
    y: ArrayLike,
    X_test: Any,
    y_test: ArrayLike,
    budget: int,
    *,
    strategies: Sequence[str] = ("margin", "random"),
    n_repeats: int = 3,
    random_state: Any = None,
    **options: Any,
) -> LearningCurves:
    """Run :meth:`OnlineSVC.active_fit` by several strategies on the same pool.

    Parameters
    ----------
    machine : OnlineSVC
        A prototype; it is cloned.
    X, y : array-like
        The pool and its labels, which are looked up as they are asked for.
    X_test, y_test : array-like
        Rows to score on.
    budget : int
        Most labels of a run.
    strategies : sequence of str, default=("margin", "random")
        Those of :meth:`OnlineSVC.query`.
    n_repeats : int, default=3
        Runs of each, from different first rows; the same for all strategies.
    random_state : int, RandomState or None, default=None
        Seed of the runs.
    **options
        Further arguments of ``active_fit``.

    Returns
    -------
    LearningCurves

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import OnlineSVC
    >>> from mercer.online import learning_curves
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> y = (X[:, 0] > 0).astype(int)
    >>> curves = learning_curves(OnlineSVC(), X[:40], y[:40], X[40:], y[40:], 20, n_repeats=1)
    >>> sorted(curves.scores)
    ['margin', 'random']
    """
    check_count("n_repeats", n_repeats)
    if isinstance(strategies, str) or not len(strategies):
        raise ValueError(f"strategies must be a sequence of names, got {strategies!r}")
    seeds = check_random_state(random_state).randint(2**31 - 1, size=n_repeats).tolist()
    n_labels, scores = {}, {}
    for strategy in strategies:
        runs = []
        for seed in seeds:
            run: dict[int, float] = {}
            one = clone(machine).set_params(random_state=seed)

            def score(fitted: Any, run: dict[int, float] = run) -> None:
                run[fitted.n_seen_] = fitted.score(X_test, y_test)

            one.active_fit(X, y, budget, strategy=strategy, monitor=score, **options)
            runs.append(run)
        points = sorted(set().union(*runs))
        n_labels[strategy] = np.array(points, dtype=np.intp)
        scores[strategy] = np.array([_at(run, points) for run in runs])
    return LearningCurves(n_labels, scores)


def _at(run: dict[int, float], points: list[int]) -> FloatArray:
    """Scores at these numbers of labels: the last one that there is by then, or the first."""
    known = sorted(run)
    places = np.searchsorted(known, points, side="right") - 1
    return np.array([run[known[max(place, 0)]] for place in places])
