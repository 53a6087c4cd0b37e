"""Least squares support vector classification."""

from __future__ import annotations

from typing import Any, Literal

from mercer.machines.docstrings import documented
from mercer.machines.least_squares.classifier import LeastSquaresClassifier
from mercer.machines.least_squares.rlsc import RLSC

__all__ = ["LSSVC"]


@documented(like=RLSC)
class LSSVC(LeastSquaresClassifier):
    """Least squares support vector classification: :class:`RLSC` with a free bias.

    Solves [[0, 1'], [1, K + alpha]] [b; c] = [0; y].

    Parameters
    ----------
    fit_intercept : {True, False, "penalized"}, default=True
        Whether there is a bias; "penalized" treats it as a weight (kernel k + 1).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import LSSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = LSSVC(alpha=[0.01, 0.1, 1.0]).fit(X, y)
    >>> machine.alpha_ in (0.01, 0.1, 1.0), machine.loo_error_ < 0.1
    (True, True)
    >>> machine.score(X, y) > 0.9
    True
    """

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        fit_intercept: bool | Literal["penalized"] = True,
        class_weight: Any = None,
        multiclass: str = "one-vs-all",
        code: Any = "dense",
        decoding: str = "auto",
        low_rank: Any = None,
        solver: Any = "auto",
        penalty: str = "norm",
        sparse: str | None = None,
        loo: bool = True,
        scoring: Any = None,
        tol: float = 1e-6,
        max_iter: int = -1,
        max_time: float | None = None,
        precision: str = "auto",
        n_threads: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.multiclass = multiclass
        self.code = code
        self.decoding = decoding
        self.low_rank = low_rank
        self.solver = solver
        self.penalty = penalty
        self.sparse = sparse
        self.loo = loo
        self.scoring = scoring
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.precision = precision
        self.n_threads = n_threads
