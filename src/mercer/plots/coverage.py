"""How often conformal sets and intervals hold the truth, at every level."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted, column_or_1d

from mercer.diagnostics.intervals import error_interval
from mercer.formulations.checks import check_scalar
from mercer.plots.display import Display, one_axis

__all__ = ["CoverageDisplay"]

FloatArray = NDArray[np.float64]


class CoverageDisplay(Display):
    """Share of rows whose truth lies inside, against the share that was asked for.

    Parameters
    ----------
    asked, observed : ndarray of shape (n_levels,)
        1 - alpha, and the share of the rows.
    interval : ndarray of shape (n_levels, 2)
        Exact intervals of the shares (Clopper & Pearson 1934).

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC, ConformalSVC
    >>> from mercer.plots import CoverageDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = ConformalSVC(SVC(), kind="cross", cv=5).fit(X[::2], y[::2])
    >>> CoverageDisplay.from_estimator(machine, X[1::2], y[1::2]).asked.round(2).tolist()
    [0.5, 0.6, 0.7, 0.8, 0.9, 0.95]
    """

    def __init__(self, *, asked: FloatArray, observed: FloatArray, interval: FloatArray) -> None:
        self.asked, self.observed, self.interval = asked, observed, interval

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        alphas: ArrayLike = (0.5, 0.4, 0.3, 0.2, 0.1, 0.05),
        confidence: float = 0.95,
        ax: Any = None,
    ) -> CoverageDisplay:
        """Draw the coverage of a fitted ``ConformalSVC`` or ``ConformalSVR``.

        Parameters
        ----------
        estimator : ConformalSVC or ConformalSVR
            Fitted.
        X, y : rows and labels or targets
            That it was not trained on.
        alphas : array-like, default=(0.5, 0.4, 0.3, 0.2, 0.1, 0.05)
            Levels; sets are to hold 1 - alpha of the truths.
        confidence : float, default=0.95
            Of the intervals.
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        CoverageDisplay
        """
        check_is_fitted(estimator)
        confidence = check_scalar("confidence", confidence, high=1.0)
        truth, levels = column_or_1d(y), np.asarray(alphas, dtype=np.float64)
        inside = _inside(estimator, X, truth, levels)
        hits, n = inside.sum(axis=1), inside.shape[1]
        display = cls(
            asked=1.0 - levels,
            observed=hits / n,
            interval=error_interval(hits, n, confidence),
        )
        return display.plot(ax=ax)

    def plot(self, *, ax: Any = None) -> CoverageDisplay:
        """Draw it, on given axes or on new ones.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        CoverageDisplay
        """
        ax = one_axis(ax, size=(5.0, 5.0))
        ends = [float(min(self.asked.min(), self.interval.min())), 1.0]
        ax.plot(ends, ends, ":", color="0.5", label="as asked")
        reach = np.abs(self.interval.T - self.observed)
        ax.errorbar(self.asked, self.observed, yerr=reach, fmt="o-", ms=4, lw=1, label="observed")
        ax.set(xlabel="coverage asked for, 1 - alpha", ylabel="share of rows inside")
        ax.legend()
        return self._drawn(ax)


def _inside(estimator: Any, X: Any, truth: NDArray[Any], levels: FloatArray) -> NDArray[np.bool_]:
    """Whether the truth of each row lies inside, a line for each level."""
    if hasattr(estimator, "p_values") and hasattr(estimator, "classes_"):
        # One pass for all levels: a label is in the set if its p-value exceeds alpha.
        p_values = estimator.p_values(X)
        own = np.searchsorted(estimator.classes_, truth)
        return p_values[np.arange(len(truth)), own] > levels[:, None]
    if not hasattr(estimator, "predict_interval"):
        name = type(estimator).__name__
        raise ValueError(f"estimator must be a ConformalSVC or ConformalSVR, got {name}")
    ends = [estimator.predict_interval(X, float(alpha)) for alpha in levels]
    return np.array([(low <= truth) & (truth <= high) for low, high in (e.T for e in ends)])
