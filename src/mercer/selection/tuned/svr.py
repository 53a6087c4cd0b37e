"""Regression that tunes itself."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from mercer.machines.svm.regressors import SVR
from mercer.selection.tuned.base import TunedMachine

__all__ = ["TunedSVR"]


class TunedSVR(RegressorMixin, TunedMachine):
    """An :class:`SVR` that chooses its C and the parameters of its kernel.

    By the squared error of held-out rows, unless ``scoring`` says otherwise.

    Parameters
    ----------
    kernel, objective, optimizer, cv, scoring, tol, max_time, max_evals, random_state, n_threads, \
verbose, callback
        As in :class:`TunedSVC`.
    epsilon : float, default=0.1
        Half-width of the tube, as in :class:`SVR`.

    Attributes
    ----------
    best_estimator_, best_params_, best_score_, kernel_, C_, relevance_, history_, cv_results_, \
search_status_
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
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        epsilon: float = 0.1,
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
        return SVR(kernel=self.kernel, epsilon=self.epsilon, tol=self.tol, n_threads=self.n_threads)

    @property
    def C_(self) -> float:
        """The chosen C."""
        check_is_fitted(self)
        return float(self.best_estimator_.C)
