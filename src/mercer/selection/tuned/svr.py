"""Regression that tunes itself."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Literal

from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer.machines.svm.regressors import SVR
from mercer.selection.task import Task
from mercer.selection.tuned.base import TunedMachine

__all__ = ["TunedSVR"]

_SHARE = 0.1  # of the standard deviation of the targets


class TunedSVR(RegressorMixin, TunedMachine):
    """An :class:`SVR` that chooses its C and the parameters of its kernel.

    By the squared error of held-out rows, unless ``scoring`` says otherwise. C is searched in
    units of the standard deviation of the targets: with targets of another scale the machine is
    the same up to that scale (and what rounding does to a search by gradients, for several widths).

    Parameters
    ----------
    kernel, objective, optimizer, cv, scoring, max_time, max_evals, random_state, n_threads, \
verbose, callback
        As in :class:`TunedSVC`.
    epsilon : float or "scale", default="scale"
        Half-width of the tube, as in :class:`SVR`; "scale" is a tenth of the standard deviation of
        the targets.
    tol : float, default=1e-3
        As in :class:`SVR`, in units of that standard deviation.

    Attributes
    ----------
    best_estimator_, best_params_, best_score_, kernel_, C_, relevance_, history_, cv_results_, \
best_index_, search_status_
        As in :class:`TunedSVC`; the score is minus the squared error.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import TunedSVR
    >>> X = np.linspace(0.0, 6.0, 60)[:, None]
    >>> machine = TunedSVR(epsilon=0.01).fit(X, np.sin(X).ravel())
    >>> bool(machine.score(X, np.sin(X).ravel()) > 0.99)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TunedMachine._parameter_constraints,
        "epsilon": [Interval(Real, 0.0, None, closed="left"), StrOptions({"scale"})],
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        epsilon: float | Literal["scale"] = "scale",
        objective: str = "auto",
        optimizer: Any = "auto",
        cv: Any = 5,
        scoring: Any = None,
        tol: float = 1e-3,
        max_time: float | None = None,
        max_evals: int | None = None,
        random_state: Any = None,
        n_threads: int | None = None,
        verbose: bool = False,
        callback: Any = None,
    ) -> None:
        self.kernel = kernel
        self.epsilon = epsilon
        self.objective = objective
        self.optimizer = optimizer
        self.cv = cv
        self.scoring = scoring
        self.tol = tol
        self.max_time = max_time
        self.max_evals = max_evals
        self.random_state = random_state
        self.n_threads = n_threads
        self.verbose = verbose
        self.callback = callback

    def _machine(self) -> SVR:
        return SVR(kernel=self.kernel, tol=self.tol, n_threads=self.n_threads)

    def _task(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> Task:
        task = super()._task(X, y, sample_weight)
        task.unit = task.spread
        epsilon = _SHARE * task.unit if self.epsilon == "scale" else self.epsilon
        task.machine.set_params(epsilon=epsilon, tol=self.tol * task.unit)
        return task

    @property
    def C_(self) -> float:
        """The chosen C."""
        check_is_fitted(self)
        return float(self.best_estimator_.C)
