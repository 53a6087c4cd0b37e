"""Least squares classification that tunes itself."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from mercer._sklearn import StrOptions
from mercer.machines.least_squares.rlsc import RLSC
from mercer.selection.tuned.base import TunedClassifier, TunedMachine
from mercer.selection.tuned.kernel_names import named_kernel, with_short_names
from mercer.selection.tuned.scaling import last_machine

__all__ = ["TunedRLSC"]


class TunedRLSC(TunedClassifier):
    """An :class:`RLSC` that chooses its alpha and the parameters of its kernel.

    The criterion is the exact squared error of left-out rows, minimized with its gradient on a
    sample of 500 rows if there are more, or with `max_time` on as many as the time allows. The
    machine is then fitted to all rows, or to as many as the time allows.

    Parameters
    ----------
    kernel, scale, objective, optimizer, scoring, refit, choice, tol, max_time, max_evals, \
random_state, n_threads, verbose, callback
        As in :class:`TunedSVC`.
    cv : int, splitter or iterable, default=None
        Splits, as in scikit-learn: exactly the rows that each leaves out, from the machine of all
        rows. None leaves out one row at a time, and means five folds where ``objective`` or
        ``scoring`` need splits. ``groups`` of :meth:`fit` need a ``cv`` that looks at them.
    class_weight : dict or "balanced", default=None
        Of training, as in :class:`TunedSVC`: errors of left-out rows count by ``sample_weight``
        only. Machines without a single row have the "balanced" weights of all rows.

    Attributes
    ----------
    best_estimator_, best_params_, best_score_, kernel_, relevance_, history_, cv_results_, \
held_out_, best_index_, search_status_, honest_score_, honest_interval_, honest_kind_, classes_
        As in :class:`TunedSVC`; the score of "auto" is minus the squared error of left-out
        rows, with splits summed over one machine for each of more than two classes.
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
        **with_short_names(TunedMachine._parameter_constraints),
        "choice": [StrOptions({"best", "one-se"})],
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        scale: bool | Literal["auto"] = "auto",
        objective: str = "auto",
        optimizer: Any = "auto",
        cv: Any = None,
        scoring: Any = None,
        refit: str | None = None,
        choice: Literal["best", "one-se"] = "best",
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
        self.scale = scale
        self.objective = objective
        self.optimizer = optimizer
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.choice = choice
        self.class_weight = class_weight
        self.tol = tol
        self.max_time = max_time
        self.max_evals = max_evals
        self.random_state = random_state
        self.n_threads = n_threads
        self.verbose = verbose
        self.callback = callback

    def _machine(self) -> RLSC:
        return RLSC(
            kernel=named_kernel(self.kernel),
            class_weight=self.class_weight,
            n_threads=self.n_threads,
        )

    def _options(self, groups: ArrayLike | None) -> dict[str, Any]:
        if groups is not None and self.cv is None:
            raise ValueError(
                "groups need a cv that looks at them, such as GroupKFold(5), got cv=None, which "
                "leaves out single rows"
            )
        if self.objective == "gcv" and self.cv is not None:
            raise ValueError(
                f"cv must be None with objective='gcv', which has no splits, got {self.cv!r}: use "
                "the objective 'auto' or 'cv'"
            )
        return super()._options(groups)

    @property
    def alpha_(self) -> float:
        """The chosen alpha."""
        check_is_fitted(self)
        return float(last_machine(self.best_estimator_).alpha)
