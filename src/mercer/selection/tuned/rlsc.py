"""Least squares classification that tunes itself."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer.machines.least_squares.rlsc import RLSC
from mercer.selection.tuned.base import TunedClassifier, TunedMachine

__all__ = ["TunedRLSC"]


class TunedRLSC(TunedClassifier):
    """An :class:`RLSC` that chooses its alpha and the parameters of its kernel.

    By the exact leave-one-out error of least squares and its gradient, of a sample of 2,000 rows
    if there are more; with `max_time` of as many as the time allows. The factorization of the fit
    that comes after it is finished, whatever it takes.

    Parameters
    ----------
    kernel, objective, optimizer, cv, scoring, class_weight, tol, max_time, max_evals, \
random_state, n_threads, verbose, callback
        As in :class:`TunedSVC`.

    Attributes
    ----------
    best_estimator_, best_params_, best_score_, kernel_, relevance_, history_, cv_results_, \
best_index_, search_status_, classes_
        As in :class:`TunedSVC`; the score of "auto" is minus the squared leave-one-out error.
    alpha_ : float
        The chosen alpha.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import TunedRLSC
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(TunedRLSC().fit(X, y).score(X, y) > 0.95)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TunedMachine._parameter_constraints,
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        objective: str = "auto",
        optimizer: Any = "auto",
        cv: Any = 5,
        scoring: Any = None,
        class_weight: Any = None,
        tol: float = 1e-3,
        max_time: float | None = None,
        max_evals: int | None = None,
        random_state: Any = None,
        n_threads: int | None = None,
        verbose: bool = False,
        callback: Any = None,
    ) -> None:
        self.kernel = kernel
        self.objective = objective
        self.optimizer = optimizer
        self.cv = cv
        self.scoring = scoring
        self.class_weight = class_weight
        self.tol = tol
        self.max_time = max_time
        self.max_evals = max_evals
        self.random_state = random_state
        self.n_threads = n_threads
        self.verbose = verbose
        self.callback = callback

    def _machine(self) -> RLSC:
        return RLSC(kernel=self.kernel, class_weight=self.class_weight, n_threads=self.n_threads)

    @property
    def alpha_(self) -> float:
        """The chosen alpha."""
        check_is_fitted(self)
        return float(self.best_estimator_.alpha)
