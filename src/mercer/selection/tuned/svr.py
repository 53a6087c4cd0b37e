"""Regression that tunes itself."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from mercer._sklearn import Interval, StrOptions
from mercer._warning import warn
from mercer.machines.svm.regressors import SVR
from mercer.selection.deviation import spreads
from mercer.selection.training_task import TrainingTask
from mercer.selection.tuned.base import TunedMachine
from mercer.selection.tuned.kernel_names import named_kernel, with_short_names
from mercer.selection.tuned.regressor import TunedRegressor
from mercer.selection.tuned.scaling import last_machine

__all__ = ["TunedSVR"]

_SHARE = 0.1  # of the scale of the targets
_OUTLYING = 5.0  # standard deviations in one of most targets: of no usual distribution


class TunedSVR(TunedRegressor):
    """An :class:`SVR` that chooses its C and the parameters of its kernel.

    The criterion is the squared error of held-out rows, unless ``scoring`` says otherwise. C is
    searched relative to the scale of the targets: with targets of another scale the machine is the
    same up to that (and what rounding does to a search by gradients, for several widths). The scale
    is their standard deviation or, if that is less, 1.48 times the median distance from their
    median, which outliers do not move. They do move squared errors:
    ``scoring="neg_mean_absolute_error"`` suits such targets, and a warning tells of them.

    Several targets, the columns of a `y` of shape (n_samples, n_targets), are searched one by one,
    each as if it were the only one: with its own C, epsilon and kernel. ``max_time`` is for all of
    them together, in equal shares of what is left; ``max_evals`` is for each, and a ``callback``
    that asks for an end ends the search of one. The attributes below are then lists with an entry
    for each target, ``best_score_`` and ``C_`` arrays.

    Parameters
    ----------
    kernel, scale, objective, optimizer, cv, scoring, refit, choice, C_range, gamma_range, \
max_time, max_evals, warm_start, random_state, n_threads, verbose, callback
        As in :class:`TunedSVC`.
    epsilon : float or "scale", default="scale"
        Half-width of the tube, as in :class:`SVR`; "scale" is a tenth of the scale of the
        targets.
    tol : float, default=1e-3
        As in :class:`SVR`, in units of that scale.

    Attributes
    ----------
    best_estimator_, best_params_, best_score_, kernel_, C_, relevance_, history_, cv_results_, \
held_out_, best_index_, search_status_, honest_score_, honest_interval_, honest_kind_
        As in :class:`TunedSVC`; the score is minus the squared error.
    estimators_ : list of TunedSVR
        With several targets only: the fitted search of each, for what is made of one target, such
        as a report.
    target_names_ : ndarray of str
        With several targets in a data frame only: its columns.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import TunedSVR
    >>> X = np.linspace(0.0, 6.0, 60)[:, None]
    >>> machine = TunedSVR(epsilon=0.01).fit(X, np.sin(X).ravel())
    >>> bool(machine.score(X, np.sin(X).ravel()) > 0.99)
    True
    >>> several = TunedSVR(max_evals=5).fit(X, np.hstack([np.sin(X), X**2]))
    >>> several.predict(X[:4]).shape, several.C_.shape
    ((4, 2), (2,))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **with_short_names(TunedMachine._parameter_constraints),
        "choice": [StrOptions({"best", "one-se"})],
        "C_range": ["array-like", None],
        "gamma_range": ["array-like", None],
        "epsilon": [Interval(Real, 0.0, None, closed="left"), StrOptions({"scale"})],
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        scale: bool | Literal["auto"] = "auto",
        epsilon: float | Literal["scale"] = "scale",
        objective: str = "auto",
        optimizer: Any = "auto",
        cv: Any = 5,
        scoring: Any = None,
        refit: str | None = None,
        choice: Literal["best", "one-se"] = "best",
        C_range: Any = None,
        gamma_range: Any = None,
        tol: float = 1e-3,
        max_time: float | None = None,
        max_evals: int | None = None,
        warm_start: bool = False,
        random_state: Any = None,
        n_threads: int | None = None,
        verbose: bool = False,
        callback: Any = None,
    ) -> None:
        self.kernel = kernel
        self.scale = scale
        self.epsilon = epsilon
        self.objective = objective
        self.optimizer = optimizer
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.choice = choice
        self.C_range = C_range
        self.gamma_range = gamma_range
        self.tol = tol
        self.max_time = max_time
        self.max_evals = max_evals
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_threads = n_threads
        self.verbose = verbose
        self.callback = callback

    def _machine(self) -> SVR:
        return SVR(kernel=named_kernel(self.kernel), tol=self.tol, n_threads=self.n_threads)

    def _task(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> TrainingTask:
        task = super()._task(X, y, sample_weight)
        task.target_scale = task.spread
        epsilon = _SHARE * task.target_scale if self.epsilon == "scale" else self.epsilon
        task.machine.set_params(epsilon=epsilon, tol=self.tol * task.target_scale)
        if self.scoring is None:
            _tell_outliers(task)
        return task

    @property
    def C_(self) -> Any:
        """The chosen C, of several targets an array."""
        check_is_fitted(self)
        if hasattr(self, "estimators_"):
            return np.array([own.C_ for own in self.estimators_])
        return float(last_machine(self.best_estimator_).C)


def _tell_outliers(task: TrainingTask) -> None:
    """Offer another score where squared errors are those of a few rows."""
    usual, robust = spreads(task.parts[0].target, task.weight)
    if usual > _OUTLYING * robust > 0.0:
        warn(
            "TunedSVR: the targets have outliers (their standard deviation is "
            f"{usual / robust:.3g} times that of most of them), whose squared errors decide: "
            "scoring='neg_mean_absolute_error' looks at the others, too"
        )
