"""Reasons for a prediction: Shapley values as bars, or step by step for one row."""

from __future__ import annotations

from typing import Any

from mercer.plots.display import Display
from mercer.predictions import Explanation
from mercer.predictions.explain import explain

__all__ = ["ExplanationDisplay"]


class ExplanationDisplay(Display):
    """Shapley values of features.

    Parameters
    ----------
    explanation : Explanation
        What is drawn.
    kind : {"bar", "waterfall"}
        Mean sizes over the rows, or the way from the base value to one prediction.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from mercer import SVC
    >>> from mercer.plots import ExplanationDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = scale(X)
    >>> machine = SVC().fit(X, y)
    >>> display = ExplanationDisplay.from_estimator(machine, X[:1], background=X[::20])
    >>> display.kind
    'waterfall'
    """

    def __init__(self, *, explanation: Explanation, kind: str) -> None:
        self.explanation, self.kind = explanation, kind

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        background: Any = None,
        kind: str = "auto",
        max_features: int = 10,
        ax: Any = None,
    ) -> ExplanationDisplay:
        """Explain rows by a fitted machine, and draw it.

        Parameters
        ----------
        estimator : fitted machine of mercer
            Of a pipeline the last step, with rows as that gets them.
        X : rows
            To be explained.
        background : rows, default=None
            What "without the feature" means; None for some support vectors.
        kind : {"auto", "bar", "waterfall"}, default="auto"
            "auto" is "waterfall" for one row of one output, else "bar".
        max_features : int, default=10
            Features shown; what is left is one bar.
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        ExplanationDisplay
        """
        if kind not in ("auto", "bar", "waterfall"):
            raise ValueError(f"kind must be 'auto', 'bar' or 'waterfall', got {kind!r}")
        found = explain(estimator, X, background)
        is_one = len(found.values) == 1 and found.values.ndim == 2
        if kind == "auto":
            kind = "waterfall" if is_one else "bar"
        if kind == "waterfall" and is_one:
            found = found[0]
        return cls(explanation=found, kind=kind).plot(max_features=max_features, ax=ax)

    def plot(self, *, max_features: int = 10, ax: Any = None) -> ExplanationDisplay:
        """Draw it, on given axes or on new ones.

        Parameters
        ----------
        max_features : int, default=10
            Features shown.
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        ExplanationDisplay
        """
        draw = getattr(self.explanation, f"plot_{self.kind}")
        return self._drawn(draw(max_features=max_features, ax=ax))
