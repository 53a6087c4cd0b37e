"""The convergence of a fit: violation, and distance to the best objective."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from mercer.plots.display import Display, one_axis
from mercer.solvers import Smo

__all__ = ["ConvergenceDisplay"]

FloatArray = NDArray[np.float64]


class ConvergenceDisplay(Display):
    """KKT violation, and distance of the dual objective from its end, over the iterations.

    Parameters
    ----------
    iteration : ndarray of shape (n_points,)
        Steps taken.
    violation : ndarray of shape (n_points,)
        Largest KKT violation before each of them.
    missing : ndarray of shape (n_points,)
        Objective at the end less the one before the step.
    tol : float
        The violation that was asked for.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from mercer import SVC
    >>> from mercer.plots import ConvergenceDisplay
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> display = ConvergenceDisplay.from_estimator(SVC(C=10), X, y)
    >>> bool(display.violation[-1] <= display.tol)
    True
    """

    def __init__(
        self,
        *,
        iteration: FloatArray,
        violation: FloatArray,
        missing: FloatArray,
        tol: float,
    ) -> None:
        self.iteration, self.violation, self.missing = iteration, violation, missing
        self.tol = tol

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike | None = None, *, ax: Any = None, **fit: Any
    ) -> ConvergenceDisplay:
        """Fit a copy of a machine by SMO, record every step, and draw them.

        Parameters
        ----------
        estimator : SVC, NuSVC, SVR, NuSVR or OneClassSVM
            Fitted or not; its solver may be "auto" or an ``Smo``. Of several classes the first pair
            is drawn.
        X, y : rows and labels
            To be trained on.
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.
        **fit
            Passed to ``fit``, for example ``sample_weight``.

        Returns
        -------
        ConvergenceDisplay
        """
        points, tol = _recorded(estimator, X, y, fit)
        display = cls(
            iteration=points["iteration"].astype(float),
            violation=points["violation"].astype(float),
            missing=np.maximum(points["objective"].max() - points["objective"], 0.0),
            tol=tol,
        )
        return display.plot(ax=ax)

    def plot(self, *, ax: Any = None) -> ConvergenceDisplay:
        """Draw it, on given axes or on new ones.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        ConvergenceDisplay
        """
        ax = one_axis(ax)
        ax.plot(self.iteration, self.violation, lw=1, label="KKT violation")
        ax.plot(self.iteration, self.missing, lw=1, label="missing in the objective")
        ax.axhline(self.tol, color="0.5", ls=":", label="tol")
        # Values of 0, at the very end, have no place on a scale of logarithms.
        ax.set_yscale("log", nonpositive="mask")
        ax.set_xlabel("iteration")
        ax.legend()
        return self._drawn(ax)


def _recorded(
    estimator: Any, X: Any, y: ArrayLike | None, fit: dict[str, Any]
) -> tuple[NDArray[Any], float]:
    solver = getattr(estimator, "solver", None)
    if not (solver == "auto" or solver == "smo" or isinstance(solver, Smo)):
        raise ValueError(
            f"estimator must have solver='auto', 'smo' or an Smo to be recorded, got {solver!r}"
        )
    options = {} if isinstance(solver, str) else vars(solver)
    machine = clone(estimator).set_params(solver=Smo(**{**options, "trace": True}))
    machine.fit(X, y, **fit)
    return machine.solutions_[0].trace["points"], float(machine.tol)
