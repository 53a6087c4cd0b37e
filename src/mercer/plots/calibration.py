"""Whether probabilities are calibrated, with exact intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length, column_or_1d

from mercer.formulations.checks import check_scalar
from mercer.plots.display import Display, one_axis
from mercer.report.probabilities import bins

__all__ = ["CalibrationDisplay"]

FloatArray = NDArray[np.float64]


class CalibrationDisplay(Display):
    """Observed against predicted shares, in bins of equally many rows.

    Parameters
    ----------
    said, observed : ndarray of shape (n_bins,)
        Mean probability and share of rows in each bin.
    interval : ndarray of shape (n_bins, 2)
        Exact intervals of the shares (Clopper & Pearson 1934).
    name : str
        Of what the probabilities are.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure

    Examples
    --------
    >>> from mercer.plots import CalibrationDisplay
    >>> display = CalibrationDisplay.from_predictions([0, 1, 1, 1], [0.2, 0.4, 0.8, 0.9], n_bins=2)
    >>> display.observed.tolist()
    [0.5, 1.0]
    """

    def __init__(
        self, *, said: FloatArray, observed: FloatArray, interval: FloatArray, name: str
    ) -> None:
        self.said, self.observed, self.interval, self.name = said, observed, interval, name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        n_bins: int = 10,
        confidence: float = 0.95,
        ax: Any = None,
    ) -> CalibrationDisplay:
        """Draw how well the probabilities of a machine of two classes hold.

        Parameters
        ----------
        estimator : fitted classifier of two classes
            With ``predict_proba``.
        X, y : rows and labels
            That it was not trained on.
        n_bins : int, default=10
            Bins, of equally many rows.
        confidence : float, default=0.95
            Of the intervals.
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        CalibrationDisplay
        """
        if not hasattr(estimator, "predict_proba"):
            name = type(estimator).__name__
            raise ValueError(f"estimator must have predict_proba, got {name}: see CalibratedSVC")
        if len(estimator.classes_) != 2:
            raise ValueError(f"estimator must have 2 classes, got {len(estimator.classes_)}")
        second = estimator.classes_[1]
        return cls.from_predictions(
            column_or_1d(y) == second,
            estimator.predict_proba(X)[:, 1],
            n_bins=n_bins,
            confidence=confidence,
            name=str(second),
            ax=ax,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_prob: ArrayLike,
        *,
        n_bins: int = 10,
        confidence: float = 0.95,
        name: str = "the second class",
        ax: Any = None,
    ) -> CalibrationDisplay:
        """Draw how well probabilities hold.

        Parameters
        ----------
        y_true : array-like of shape (n_rows,)
            Whether it happened: booleans, or 0 and 1.
        y_prob : array-like of shape (n_rows,)
            The probability that was given.
        n_bins, confidence, ax
            As of ``from_estimator``.
        name : str, default="the second class"
            Of what the probabilities are.

        Returns
        -------
        CalibrationDisplay
        """
        happened = column_or_1d(y_true).astype(bool)
        said = column_or_1d(y_prob).astype(np.float64)
        check_consistent_length(happened, said)
        if not len(said) or not ((said >= 0) & (said <= 1)).all():
            raise ValueError("y_prob must hold probabilities between 0 and 1 of one row or more")
        confidence = check_scalar("confidence", confidence, high=1.0)
        found = bins(said, happened, confidence, n_bins)
        display = cls(
            said=np.array([one["mean_said"] for one in found]),
            observed=np.array([one["observed"] for one in found]),
            interval=np.array([one["interval"] for one in found]),
            name=name,
        )
        return display.plot(ax=ax)

    def plot(self, *, ax: Any = None) -> CalibrationDisplay:
        """Draw it, on given axes or on new ones.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        CalibrationDisplay
        """
        ax = one_axis(ax, size=(5.0, 5.0))
        ax.plot([0, 1], [0, 1], ":", color="0.5", label="perfect")
        reach = np.abs(self.interval.T - self.observed)
        ax.errorbar(self.said, self.observed, yerr=reach, fmt="o-", ms=4, lw=1, label="observed")
        ax.set(xlabel=f"probability of {self.name}", ylabel="share of rows", aspect="equal")
        ax.legend()
        return self._drawn(ax)
