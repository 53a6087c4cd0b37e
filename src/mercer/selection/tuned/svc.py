"""The classifier that tunes itself."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from mercer._sklearn import StrOptions
from mercer.machines.svm.classifiers import SVC
from mercer.multiclass.formulations import ALL_IN_ONE
from mercer.selection.search_result import SearchResult
from mercer.selection.training_task import TrainingTask
from mercer.selection.tuned.base import TunedClassifier, TunedMachine
from mercer.selection.tuned.kernel_names import named_kernel, with_short_names
from mercer.selection.tuned.probabilities import slope_of, values_of_folds
from mercer.selection.tuned.scaling import last_machine, prepared_rows
from mercer.selection.tuned.scores import WeightedAccuracy

__all__ = ["TunedSVC"]

FloatArray = NDArray[np.float64]
_LOSSES = ("hinge", "squared_hinge")


class TunedSVC(TunedClassifier):
    """An :class:`SVC` that chooses its C and the parameters of its kernel.

    By default this is a stratified five-fold cross-validation of a Gaussian kernel over a grid of C
    and gamma that is refined step by step. Kernels with several widths are then refined by the
    gradient of a smooth loss on held-out rows.

    Parameters
    ----------
    kernel : str, Kernel, callable or list of these, default="rbf"
        As in :class:`SVC`, or "ard" (automatic relevance determination), which is
        ``Gaussian("scale", metric="diagonal")``: one width for each feature. ``metric="full"`` has
        a full matrix. All parameters that are not fixed are tuned. "auto" chooses among the
        Gaussian, the Laplacian, the linear kernel and polynomials ``(gamma x'z + 1)^d`` of degree 2
        and 3; a list chooses among its kernels. Each kernel is searched in the same way and dropped
        early if it falls behind; the first one within one standard error of the best is chosen.
        This needs the objective "auto", "cv", "holdout" or "gcv".
    scale : bool or "auto", default="auto"
        Whether features are first scaled to mean 0 and deviation 1 (sparse rows to deviation 1).
        "auto" scales them if the largest deviation of a feature is more than ten times the median
        one, but never bytes or sparse rows. `best_estimator_` is then a Pipeline with the scaler.
    objective : str, default="auto"
        The criterion: "auto", or one of :func:`mercer.selection.make_objective`. "radius_margin"
        needs ``loss="squared_hinge"``: for the hinge it is defined for a hard margin only, without
        C.
    optimizer : str or object, default="auto"
        The search: "auto" for one that suits the objective, "zoom", "climb", "grid",
        "focused-grid", "coordinate", "l-bfgs", "rprop", "irprop+", "noisy-rprop" or "cma", or an
        object of mercer.selection.optimizers.
    prior : Prior or callable, default=None
        The prior of the objective "posterior".
    cv : int, splitter or iterable, default=5
        Splits, for criteria that use them, as in scikit-learn.
    scoring : str, callable, list of str or dict, default=None
        The score on held-out rows; None for the share of right predictions. Scores that need
        probabilities use a softmax with one slope, which each split takes from the others. With
        several scores one decides (``refit``), and all are in ``cv_results_`` under their names.
    refit : str, default=None
        Which of several scores decides; None for the first.
    choice : {"best", "one-se"}, default="best"
        Which point is chosen among those evaluated on all rows. "best" is the best one. "one-se"
        considers the points whose kernel is no narrower and whose score over the splits is within
        one standard error of the best, and takes the smallest C (for equal C the widest kernel): a
        smoother machine that the splits cannot distinguish from the best. It needs splits, and the
        objective "auto" or "cv".
    C_range : pair of float, default=None
        Smallest and largest C of the search; None for 0.01 to 10,000, and beyond if that improves
        the score.
    gamma_range : pair of float, default=None
        The same for the gamma of the kernel; None for a range around the value that the distances
        of the rows suggest.
    multiclass : {"one-vs-one", "one-vs-all", "code", "weston-watkins", "crammer-singer", \
"lee-lin-wahba", "bredensteiner-bennett"}, default="one-vs-one"
        How more than two classes are learned and judged, as in :class:`SVC`. The last four are one
        problem of all classes: they are fitted one by one, without the shortcuts of two-class
        machines, and have no gradient for kernels of several parameters.
    code : str, array-like or OutputCode, default="dense"
        With ``multiclass="code"``, as in :class:`SVC`.
    decoding : str, default="auto"
        The same.
    loss : {"hinge", "squared_hinge", "search"}, default="hinge"
        As in :class:`SVC`; "search" chooses between the two in the same way as among kernels.
    class_weight : dict, "balanced" or "search", default=None
        As in :class:`SVC`, for training; "search" chooses between none and "balanced", computed
        from the training rows of each split. "balanced" and "search" score held-out rows by
        balanced accuracy, unless ``scoring`` says otherwise; a dict scores them by accuracy, with
        each row weighted by its class.
    tol : float, default=1e-3
        As in :class:`SVC`.
    max_time : float, default=None
        Seconds for the search and the final fit. The search gets three quarters of them and ends
        with the best parameters so far, on samples if the time is too short for all rows. The fit
        gets the rest; if that is too short for all rows, the machine is fitted to as many rows as
        possible (at least 2,000, in a second), and a warning says so.
    max_evals : int, default=None
        Evaluations of the criterion after which the search ends in the same way.
    warm_start : bool, default=False
        Whether a second fit to the same rows, with more time or evaluations, other ranges or more
        kernels, reuses the cells of C and one width that the previous fit evaluated.
    random_state : int, RandomState or None, default=None
        For criteria that draw rows.
    n_threads : int, default=None
        Threads; None means ``OMP_NUM_THREADS`` or all CPUs.
    verbose : bool, default=False
        Whether to show the search.
    callback : callable, default=None
        Called with the :class:`~mercer.selection.History` of the search after every evaluation
        (not with the :class:`~mercer.solvers.Progress` of single fits); a true value ends it.

    Attributes
    ----------
    best_estimator_ : SVC or Pipeline
        The machine, fitted on all rows, or on those that `max_time` allowed; behind a
        StandardScaler where features were scaled.
    best_params_ : dict
        Its C and kernel; after Ctrl-C the best so far by the criterion, without a machine.
    best_score_ : float
        The criterion there, large is good: the share of right predictions of held-out rows.
    honest_score_ : float or None
        An estimate of the same score on new rows that is not biased by the choice: each split is
        scored with the parameters (and kernel) that the other splits choose, and several widths are
        searched again without it. None if the criterion has fewer than two splits, if several
        kernel parameters were chosen with all splits, or if `max_time` or `max_evals` ended the
        search on a sample of the rows and the machine was fitted to more than twice as many (or
        fewer than half).
    honest_interval_ : tuple of float or None
        An interval for it at 95 %.
    honest_kind_ : {"left-out-splits", "nested"} or None
        How the honest score was computed.
    kernel_ : Kernel
        The tuned kernel.
    C_ : float
        The chosen C.
    relevance_ : ndarray or None
        The importance of each feature, 1 for the largest: its deviation times the root of its width
        or, if features have no separate widths, times the root mean square of the derivative of the
        machine with respect to it. None if the derivative of the kernel is not known.
    history_ : list of History
        The searches, with every point that was evaluated.
    cv_results_ : dict
        As in scikit-learn's searches, without the times of single fits: machines share kernel
        values, and each starts from the one before. ``seconds`` is the time at which each row was
        known. With several kernels it has all that were tried on all rows, the chosen one first.
    held_out_ : HeldOut or None
        Predictions for held-out rows with the chosen parameters, from the search: ``rows`` and
        ``predicted`` of each split. None if the criterion has no splits, new splits at every
        evaluation or a smooth loss, or if parameters other than the best were chosen.
    calibration_ : Calibration or None
        The map of :meth:`predict_proba`, fitted to held-out values of the chosen parameters; None
        if there is a class of one row.
    best_index_ : int
        The row of ``cv_results_`` that was chosen. Missing if the parameters are a mean of several
        points, as for "likelihood".
    search_status_ : str
        Why the search ended: "converged", "max-time" (also if that left all but a sample of the
        rows unsearched), "max-evals" (or as many as the optimizer takes by itself), "callback",
        "flat", "boundary", "no-value" (no score is a number) or "interrupted".
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
        **with_short_names(TunedMachine._parameter_constraints),
        "choice": [StrOptions({"best", "one-se"})],
        "prior": [callable, None],
        "C_range": ["array-like", None],
        "gamma_range": ["array-like", None],
        **{name: SVC._parameter_constraints[name] for name in ("multiclass", "code", "decoding")},
        "loss": [StrOptions({*_LOSSES, "search"})],
        "class_weight": [StrOptions({"balanced", "search"}), dict, None],
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        scale: bool | Literal["auto"] = "auto",
        objective: str = "auto",
        optimizer: Any = "auto",
        prior: Any = None,
        cv: Any = 5,
        scoring: Any = None,
        refit: str | None = None,
        choice: Literal["best", "one-se"] = "best",
        C_range: Any = None,
        gamma_range: Any = None,
        multiclass: str = "one-vs-one",
        code: Any = "dense",
        decoding: str = "auto",
        loss: Literal["hinge", "squared_hinge", "search"] = "hinge",
        class_weight: Any = None,
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
        self.objective = objective
        self.optimizer = optimizer
        self.prior = prior
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.choice = choice
        self.C_range = C_range
        self.gamma_range = gamma_range
        self.multiclass = multiclass
        self.code = code
        self.decoding = decoding
        self.loss = loss
        self.class_weight = class_weight
        self.tol = tol
        self.max_time = max_time
        self.max_evals = max_evals
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_threads = n_threads
        self.verbose = verbose
        self.callback = callback

    def _machine(self) -> SVC:
        return SVC(
            kernel=named_kernel(self.kernel),
            multiclass=self.multiclass,
            code=self.code,
            decoding=self.decoding,
            loss=_LOSSES[0] if self.loss == "search" else self.loss,
            class_weight=None if self.class_weight == "search" else self.class_weight,
            tol=self.tol,
            n_threads=self.n_threads,
        )

    def _varied(self) -> tuple[str, ...]:
        given = {"class_weight": self.class_weight, "loss": self.loss}
        return tuple(name for name, value in given.items() if value == "search")

    def _variants(self) -> list[dict[str, Any]]:
        """Every kernel with the hinge and no weights first, then the others."""
        found = super()._variants()
        if "search" not in (self.class_weight, self.loss):
            return found
        found = found or [{"kernel": named_kernel(self.kernel)}]
        choices = {"class_weight": (None, "balanced"), "loss": _LOSSES}
        for name in reversed(self._varied()):
            found = [{**own, name: value} for value in choices[name] for own in found]
        return found

    def _options(self, groups: ArrayLike | None) -> dict[str, Any]:
        if self.objective == "radius_margin" and self.loss == "hinge":
            raise ValueError(
                "objective='radius_margin' needs loss='squared_hinge', got 'hinge', with which it "
                "judges a hard margin and finds no C: use the objective 'auto' or 'span_like'"
            )
        if self.loss == "search" and self.multiclass in ALL_IN_ONE:
            raise ValueError(
                f"loss must be 'hinge' for multiclass={self.multiclass!r}, got 'search'"
            )
        options = super()._options(groups)
        if self.scoring is None and self.class_weight in ("balanced", "search"):
            # accuracy would undo in the choice what the weights do in training
            options["loss"] = "balanced_accuracy"
        elif self.scoring is None and self.class_weight:
            options["loss"] = WeightedAccuracy(dict(self.class_weight))
        return options

    def _keep_probabilities(
        self, found: SearchResult, task: TrainingTask, options: dict[str, Any]
    ) -> None:
        """From the values that the search has held out, or from its folds trained again."""
        machine, history = self.best_estimator_, found.listed.held_out
        known = None if history is None else history.values_at(found.theta)
        if known is None and np.bincount(task.class_index[task.weight > 0]).min() > 1:
            known = values_of_folds(
                machine,
                task,
                options.get("cv", self.cv),
                options["groups"],
                is_short=self.max_time is not None,
            )
        self.calibration_ = None if known is None else slope_of(machine, task, *known)

    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class, columns as in ``classes_``.

        softmax(slope s), s being the decision values, of two classes -f and f: the most probable
        class is the predicted one. The slope is that of the greatest likelihood of held-out rows,
        in the folds of the search. :class:`~mercer.CalibratedSVC` around ``best_estimator_`` has
        maps with more parameters.
        """
        check_is_fitted(self)
        if self.calibration_ is None:
            raise ValueError("predict_proba needs at least 2 rows of each class to fit to")
        return self.calibration_.probabilities(self._values(X))

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Logarithm of :meth:`predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _values(self, X: Any) -> FloatArray:
        machine, rows = last_machine(self.best_estimator_), prepared_rows(self.best_estimator_, X)
        values: FloatArray = machine.machine_decisions(rows)
        return values[:, 0] if values.shape[1] == 1 else values

    @property
    def C_(self) -> float:
        """The chosen C."""
        check_is_fitted(self)
        return float(last_machine(self.best_estimator_).C)
