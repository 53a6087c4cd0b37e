"""The classifier that tunes itself."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer.machines.svm.classifiers import SVC
from mercer.selection.tuned.base import TunedClassifier, TunedMachine

__all__ = ["TunedSVC"]


class TunedSVC(TunedClassifier):
    """An :class:`SVC` that chooses its C and the parameters of its kernel.

    Says only ``TunedSVC()``: stratified five-fold cross-validation of a Gaussian kernel, by a
    grid of C and gamma that zooms in. Kernels with several widths are then refined by the
    gradient of a smooth loss of held-out rows.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        As in :class:`SVC`. ``Gaussian(metric="diagonal")`` has one width for each feature,
        ``metric="full"`` a whole matrix; all parameters that are not fixed are tuned.
    objective : str, default="auto"
        The criterion: "auto", or one of :func:`mercer.selection.make_objective`.
    optimizer : str or object, default="auto"
        How it is searched: "auto" for what suits it, "zoom", "climb", "grid", "focused-grid",
        "coordinate", "l-bfgs", "rprop", "irprop+", "noisy-rprop" or "cma", or an object of
        :mod:`mercer.selection.optimizers`.
    prior : Prior or callable, default=None
        Of the objective "posterior".
    cv : int, splitter or iterable, default=5
        Splits of the criteria that have them, as in scikit-learn.
    scoring : str or callable, default=None
        What is to be large on held-out rows; None for the share of right predictions.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        As in :class:`SVC`.
    class_weight : dict or "balanced", default=None
        As in :class:`SVC`; "balanced" means the training rows of each split.
    tol : float, default=1e-3
        As in :class:`SVC`.
    max_time : float, default=None
        Seconds for the search and the fit that comes after it. The search has three quarters of
        them and ends with the best parameters so far, on samples if there is no time for all
        rows; the fit is given up, with a warning, if it takes `max_time` itself (and a second).
    max_evals : int, default=None
        Evaluations of the criterion after which the same happens.
    random_state : int, RandomState or None, default=None
        For criteria that draw rows.
    n_threads : int, default=None
        Threads; None means ``OMP_NUM_THREADS`` or all CPUs.
    verbose : bool, default=False
        Whether to show the search.
    callback : callable, default=None
        Called with the history after every evaluation; a true value ends the search.

    Attributes
    ----------
    best_estimator_ : SVC
        The machine, fitted on all rows.
    best_params_ : dict
        Its C and kernel; after Ctrl-C the best so far, without a machine.
    best_score_ : float
        The criterion there, large is good: the share of right predictions of held-out rows.
    kernel_ : Kernel
        The tuned kernel.
    C_ : float
        The chosen C.
    relevance_ : ndarray or None
        How much each feature counts, 1 for the largest, if there is a width for each: the root
        of its width times its deviation.
    history_ : list of History
        The searches, with every point that was evaluated.
    cv_results_ : dict
        As in scikit-learn's searches, without the times of single fits: machines share kernel
        values, and each starts from the one before. ``seconds`` is when each row was known.
    best_index_ : int
        The row of ``cv_results_`` that was chosen. Not there if the parameters are a mean of
        several points, as those of "likelihood" are.
    search_status_ : str
        Why the search ended: "converged", "max-time", "max-evals" (or as many as the optimizer
        takes by itself), "callback", "flat", "boundary", "no-value" (no score is a number) or
        "interrupted".
    classes_ : ndarray of shape (n_classes,)
        The labels.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import TunedSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = TunedSVC().fit(X, y)
    >>> bool(machine.best_score_ > 0.95)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TunedMachine._parameter_constraints,
        "prior": [callable, None],
        "loss": [StrOptions({"hinge", "squared_hinge"})],
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        objective: str = "auto",
        optimizer: Any = "auto",
        prior: Any = None,
        cv: Any = 5,
        scoring: Any = None,
        loss: Literal["hinge", "squared_hinge"] = "hinge",
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
        self.prior = prior
        self.cv = cv
        self.scoring = scoring
        self.loss = loss
        self.class_weight = class_weight
        self.tol = tol
        self.max_time = max_time
        self.max_evals = max_evals
        self.random_state = random_state
        self.n_threads = n_threads
        self.verbose = verbose
        self.callback = callback

    def _machine(self) -> SVC:
        return SVC(
            kernel=self.kernel,
            loss=self.loss,
            class_weight=self.class_weight,
            tol=self.tol,
            n_threads=self.n_threads,
        )

    @property
    def C_(self) -> float:
        """The chosen C."""
        check_is_fitted(self)
        return float(self.best_estimator_.C)
