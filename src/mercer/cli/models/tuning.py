"""Choosing the parameters of a machine, and judging the result on rows it has not seen."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from mercer import TunedOneClassSVM, TunedSVC, TunedSVR
from mercer.cli.choices import Task
from mercer.cli.data.training_set import TrainingSet
from mercer.cli.errors import InputError, plural
from mercer.cli.models.estimators import as_targets, checked, machine_of, prepared, with_machine
from mercer.cli.models.held_out import BALANCED, HeldOut, of_search, on_test_set
from mercer.cli.models.scoring import check_scoring, score_of_test, scorer_of
from mercer.cli.models.training import SCORE_NAMES, noted, possible_folds, splitter_of
from mercer.cli.output.interrupts import asked_to_stop
from mercer.cli.output.progress import Display
from mercer.cli.output.remaining import Pace
from mercer.solvers.runs.deadline import Deadline

__all__ = ["Search", "Tuning", "tune_machine"]

_JUDGING = 0.2  # of the time, to predict the rows of a test set and to save
_SAVING = 0.05  # the same without one
_FOLDS = 0.3  # for the fits of folds that sets and intervals need
_LEAST_SECONDS = 1e-3  # for a search that has no time left
_LEAST_FIT = 1.0  # seconds for the fit after Ctrl-C


@dataclass(frozen=True)
class Search:
    """The options of the search; see the help of ``mercer tune``."""

    kernel: str = "rbf"
    epsilon: float = 0.1
    nu: float = 0.05
    class_weight: str | None = None
    C_range: tuple[float, float] | None = None
    gamma_range: tuple[float, float] | None = None
    tol: float = 1e-3
    max_time: float | None = None
    threads: int | None = None
    scale: bool = True
    folds: int = 5
    seed: int = 0
    proba: bool = False
    conformal: bool = False
    scoring: str | None = None
    relevance: bool = False
    has_threshold: bool = False
    began: float = field(default_factory=time.perf_counter)

    @property
    def deadline(self) -> Deadline:
        """When the whole command is to be done."""
        return Deadline() if self.max_time is None else Deadline(self.began + self.max_time)

    @property
    def seconds_left(self) -> float | None:
        """Of the whole command; None without a limit."""
        return None if self.max_time is None else self.deadline.seconds_left


@dataclass(frozen=True, eq=False)
class Tuning:
    """The search, the estimator with what it chose, and what is known of it.

    Attributes
    ----------
    tuned : TunedMachine
        The search.
    estimator : estimator
        Fitted, with the parameters chosen.
    held_out : HeldOut or None
        Predictions of rows held out; None if the search ended before there were any.
    notes : list of str
        What to tell of the search and the estimator.
    is_interrupted : bool
        Whether the parameters are the best before Ctrl-C.
    test_score : float or None
        The score that was tuned, on the rows of a test set.
    """

    tuned: Any
    estimator: Any
    held_out: HeldOut | None
    notes: list[str]
    is_interrupted: bool
    test_score: float | None = None

    def to_save(self, proba: bool) -> Any:
        """The estimator; for probabilities with the search, which has them, as its machine."""
        if not proba:
            return self.estimator
        if self.is_interrupted or getattr(self.tuned, "calibration_", None) is None:
            self.notes.append(
                "no probabilities are kept: the search was interrupted, or a class has one row only"
            )
            return self.estimator
        return Pipeline([*self.estimator.steps[:-1], ("machine", self.tuned)])


def tune_machine(
    data: TrainingSet, test: TrainingSet | None, search: Search, display: Display
) -> Tuning:
    """Choose the parameters on the training rows, train, and evaluate on held-out rows."""
    notes: list[str] = []
    folds = _folds(data, search.folds, notes)
    tuned = checked(_tuned(data, search, splitter_of(data, folds, search.seed)))
    if search.max_time is not None:
        share = 1.0 - (_JUDGING if test is not None else _SAVING)
        share *= 1.0 - _FOLDS * (search.conformal or search.has_threshold)
        tuned.set_params(max_time=max(share * search.deadline.seconds_left, _LEAST_SECONDS))
    with noted(notes):
        estimator, tuned, is_interrupted = _trained(tuned, data, search, display)
    if search.scoring is not None:
        tuned.set_params(scoring=search.scoring)  # a name can be shown and saved
    notes = [_of_options(note) for note in notes]
    held_out, test_score = None, None
    try:
        with display.working("judging"):
            if test is not None:
                held_out = on_test_set(estimator, test, data, search.deadline)
            else:
                held_out = _of_folds(estimator, tuned, data, search)
            if test is not None and search.scoring is not None:
                test_score = score_of_test(search.scoring, estimator, tuned, test, data)
    except KeyboardInterrupt:
        display.say("interrupted: keeping the machine, rows held out are not judged to the end")
        is_interrupted = True
    return Tuning(tuned, estimator, held_out, notes, is_interrupted, test_score)


def _trained(
    tuned: Any, data: TrainingSet, search: Search, display: Display
) -> tuple[Any, Any, bool]:
    """The fitted estimator with the parameters found, the search, and whether Ctrl-C ended it."""
    with display.searching(tuned.max_time, _pace(data, search)) as callback:
        searching = prepared(tuned.set_params(callback=callback), data, search.scale)
        try:
            searching.fit(*_learned(data))
        except KeyboardInterrupt:
            tuned = machine_of(searching)
            if not hasattr(tuned, "best_params_"):
                raise
        except ValueError as error:
            raise InputError(_of_options(str(error))) from None
        else:
            tuned = machine_of(searching)
            return with_machine(searching, tuned.best_estimator_), tuned, False
    display.say("interrupted: training with the best parameters so far, Ctrl-C again ends that")
    return _with_best(tuned, data, search, display), tuned, True


def _pace(data: TrainingSet, search: Search) -> Pace | None:
    """How long a search takes, where it is one of cells of C and one width."""
    if search.kernel == "auto" or search.relevance or data.task is Task.outliers:
        return None
    n_classes = max(len(data.class_counts), 1)
    return Pace(int(data.X.shape[0]), n_classes, has_width=search.kernel != "linear")


def _with_best(tuned: Any, data: TrainingSet, search: Search, display: Display) -> Any:
    """The estimator with the best parameters of a search that was interrupted, fitted."""
    machine = clone(tuned.history_[-1].spaces[-1].machine).set_params(**tuned.best_params_)
    if search.max_time is not None:
        machine.set_params(max_time=max(search.deadline.seconds_left, _LEAST_FIT))
    n_classes = len(data.class_counts)
    n_problems = max(1, n_classes * (n_classes - 1) // 2)
    with (
        asked_to_stop() as stop,
        display.fitting(n_problems, search.tol, stop) as callback,
    ):
        machine.set_params(callback=callback)
        estimator = prepared(machine, data, search.scale).fit(*_learned(data))
    machine_of(estimator).set_params(max_time=None, callback=None)
    return estimator


def _of_folds(estimator: Any, tuned: Any, data: TrainingSet, search: Search) -> HeldOut | None:
    """The scores of the parameters in the folds of the search; nothing is trained again."""
    if tuned.held_out_ is None:
        return None
    is_balanced = search.class_weight is not None
    score = BALANCED if is_balanced else SCORE_NAMES[data.task]
    return of_search(tuned.held_out_, data, score, partial(as_targets, estimator))


def _of_options(message: str) -> str:
    """A message of a machine in words of the command."""
    message = re.sub(r"^Tuned\w+: ", "", message)
    message = re.sub(r"\b(C|gamma)_range\b", r"--\1-range", message)
    message = re.sub(r"\bclass_weight='(\w+)'", r"--class-weight \1", message)
    return re.sub(r"\bscoring='(\w+)'", r"--scoring \1", message)


def _learned(data: TrainingSet) -> tuple[Any, ...]:
    """The rows and, where there is one, the target."""
    return (data.X,) if data.y is None else (data.X, data.y)


def _folds(data: TrainingSet, folds: int, notes: list[str]) -> int:
    """The folds that are possible; the search reports a class of one row."""
    counts = sorted(data.class_counts.values())
    if data.task is Task.classification and counts[0] < 2 <= counts[-1]:
        possible = min(folds, counts[-1])
    else:
        possible = possible_folds(data, folds, notes)
    if possible < 2:
        if folds < 2:
            raise InputError(f"--cv must be 2 or more to tune, got {folds}")
        raise InputError(
            f"{data.source}: {plural(int(data.X.shape[0]), 'row')} to learn from, too few to tune: "
            "folds need two of a class, or four numbers; mercer fit trains without them"
        )
    return possible


def _tuned(data: TrainingSet, search: Search, cv: Any) -> Any:
    task = data.task
    common: dict[str, Any] = {
        "kernel": _kernel(search),
        "scale": False,  # the command has a scaler of its own
        "tol": search.tol,
        "max_time": search.max_time,
        "cv": cv,
    }
    common |= {"gamma_range": search.gamma_range}
    common |= {"n_threads": search.threads, "random_state": search.seed}
    if search.scoring is not None:
        check_scoring(search.scoring, data)
        common["scoring"] = scorer_of(search.scoring, data, search.scale)
    if task is Task.classification:
        # who weighs classes does not want the rare ones to be given up
        if search.scoring is None and search.class_weight == "balanced":
            common["scoring"] = "balanced_accuracy"
        return TunedSVC(class_weight=search.class_weight, C_range=search.C_range, **common)
    if search.class_weight is not None:
        raise InputError("--class-weight is for classes, there are none")
    if task is Task.outliers:
        if search.C_range is not None:
            raise InputError("--C-range is for classes and numbers: outliers have --nu")
        if search.kernel == "auto":
            raise InputError("--kernel auto compares with a target, outliers have none")
        # who asks for labels wants no more outliers than --nu
        return TunedOneClassSVM(nu=search.nu, objective="rejection", **common)
    return TunedSVR(epsilon=search.epsilon, C_range=search.C_range, **common)


def _kernel(search: Search) -> str:
    """The kernel; for relevance the Gaussian with a width for each column."""
    if not search.relevance:
        return search.kernel
    if search.kernel != "rbf":
        raise InputError(f"--relevance is for the kernel rbf, got --kernel {search.kernel}")
    return "ard"
