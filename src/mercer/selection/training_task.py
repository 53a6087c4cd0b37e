"""What is learned: rows, targets and weights, and the problems a machine makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier

from mercer.calibration.layout import Layout
from mercer.formulations import Formulation, least_squares, one_class
from mercer.gram import Gram
from mercer.gram.native import count_rows, take_rows
from mercer.kernels import Kernel
from mercer.machines.kernel_values import make_gram
from mercer.machines.least_squares.machine import LeastSquaresMachine, check_extremes
from mercer.machines.least_squares.one_against_all import signed_labels
from mercer.machines.parameters import check_parameters
from mercer.machines.svm.one_class import OneClassSVM
from mercer.machines.svm.schemes import CodeScheme, SubproblemScheme, make_scheme, one_against_all
from mercer.multiclass.formulations import ALL_IN_ONE
from mercer.problem.family import Powers
from mercer.selection.adjoint import Trained
from mercer.selection.deviation import robust_spread
from mercer.solvers import solve_many
from mercer.solvers.runs.deadline import Deadline
from mercer.training.folds import given_splits
from mercer.training.rows import read_training_rows
from mercer.training.splits import Split
from mercer.training.targets import read_targets
from mercer.training.training_set import TrainingSet

__all__ = ["Part", "TrainingTask"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
_NEVER = Deadline()
_FEWEST = 10  # rows of a class in a sample


@dataclass(frozen=True, eq=False)
class Part:
    """One problem: its rows and their targets, labels -1 and +1 for two classes.

    Attributes
    ----------
    rows : ndarray of int
        Positions among all rows, ascending.
    target : ndarray of shape (n_rows,)
        Of all rows; those of other rows have no meaning.
    """

    rows: IntArray
    target: FloatArray


class TrainingTask:
    """A machine and what it is to learn.

    Parameters
    ----------
    estimator : SVC, NuSVC, SVR, NuSVR, OneClassSVM, RLSC, LSSVC or LSSVR
        The machine; it is copied, never fitted.
    X : array-like, sparse matrix or sequence of shape (n_rows, n_features)
        Rows.
    y : array-like of shape (n_rows,), default=None
        Classes or targets; None for one-class machines.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights; 2 is the same as the row given twice.

    Attributes
    ----------
    target_scale : float, default=1.0
        Scale of the targets, by which they and the C of a search are divided; may be set.
    C_range, gamma_range : pair of float or None, default=None
        Ranges of a search; may be set.
    variants : sequence of dict, default=()
        Parameters of the machines to choose from, the kernel among them; without any the machine
        is taken as it is.
    is_sample : bool
        Whether the rows are some of those that were given.
    """

    def __init__(
        self, estimator: Any, X: Any, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> None:
        self.machine: Any = clone(estimator)
        check_parameters(self.machine)
        self.is_classifier = bool(is_classifier(estimator))
        self.is_least_squares = isinstance(estimator, LeastSquaresMachine)
        has_targets = not isinstance(estimator, OneClassSVM)
        options: dict[str, Any] = {}
        if has_targets and not self.is_classifier:
            options["y_numeric"] = True
        self.rows, self.y, self.weight = read_training_rows(
            self.machine, X, y if has_targets else None, sample_weight, **options
        )
        check_extremes(self.weight)
        self.n_rows = count_rows(self.rows)
        if has_targets and not self.is_classifier:
            self.y = read_targets(self.y, self.n_rows)
        class_weight = getattr(self.machine, "class_weight", None)
        given = self.rows, self.y, self.weight
        if self.is_classifier:
            self.data = TrainingSet.of_classes(*given, class_weight).checked()
        else:
            self.data = TrainingSet(*given)
        self.classes: NDArray[Any] | None = self.data.classes
        self.class_index = self.data.class_index
        self.parts = self._make_parts()
        self.target_scale, self.is_sample = 1.0, False
        self.C_range: tuple[float, float] | None = None
        self.gamma_range: tuple[float, float] | None = None
        self.variants: Sequence[dict[str, Any]] = ()

    def sampled(self, count: int) -> TrainingTask:
        """The same on :meth:`sample_rows`."""
        return self.on_rows(self.sample_rows(count))

    def sample_rows(self, count: int) -> IntArray:
        """Some of the rows of positive weight, at equal intervals within each class; none twice.

        Small classes keep ten rows, or all they have.
        """
        labels = (
            self.class_index if self.classes is not None else np.zeros(self.n_rows, dtype=np.intp)
        )
        share, kept = min(count / self.n_rows, 1.0), []
        for label in range(max(self.n_classes, 1)):
            own = np.flatnonzero((labels == label) & (self.weight > 0))
            size = max(int(np.ceil(share * len(own))), min(len(own), _FEWEST))
            kept.append(own[np.arange(size) * len(own) // size])
        return np.sort(np.concatenate(kept))

    def on_rows(self, rows: IntArray) -> TrainingTask:
        """The same on some of the rows."""
        y = None if self.y is None else self.y[rows]
        task = TrainingTask(self.machine, take_rows(self.rows, rows), y, self.weight[rows])
        task.target_scale, task.C_range, task.gamma_range = (
            self.target_scale,
            self.C_range,
            self.gamma_range,
        )
        task.is_sample = True
        return task

    def scaled(self, rows: Any) -> TrainingTask:
        """The same with the features of all rows in other units."""
        task = copy(self)
        task.rows, task.data = rows, replace(self.data, rows=rows)
        return task

    @property
    def spread(self) -> float:
        """How far the targets of most rows lie apart, 1 if all are alike."""
        return robust_spread(self.parts[0].target, self.weight)

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 if there are none."""
        return self.data.n_classes

    def _make_parts(self) -> list[Part]:
        """The problems of the scheme, one class against all for least squares, or all rows."""
        everything = np.arange(self.n_rows)
        if not self.is_classifier:
            target = np.zeros(self.n_rows) if self.y is None else np.asarray(self.y, np.float64)
            return [Part(everything, target)]
        if self.is_least_squares:
            self._check_least_squares()
            signs = np.ascontiguousarray(signed_labels(self.class_index, self.n_classes).T)
            return [Part(everything, own) for own in signs]
        parts = []
        for own in self.scheme.subproblems(self.class_index):  # type: ignore[attr-defined]
            target = np.zeros(self.n_rows)
            target[own.rows] = own.sign
            parts.append(Part(own.rows, target))
        return parts

    def _check_least_squares(self) -> None:
        """Leave-one-out values of least squares are those of one class against all."""
        scheme = self.machine.multiclass
        if self.n_classes > 2 and scheme != "one-vs-all":
            raise ValueError(
                f"multiclass of {type(self.machine).__name__} must be 'one-vs-all' in model "
                f"selection, got {scheme!r}"
            )

    @property
    def is_all_in_one(self) -> bool:
        """Whether all of more than two classes are one problem; values are those of its parts."""
        return self.n_classes > 2 and getattr(self.machine, "multiclass", None) in ALL_IN_ONE

    @cached_property
    def scheme(self) -> SubproblemScheme:
        """The two-class problems of a classifier that is no least squares."""
        scheme: Any = make_scheme(self.machine, self.n_classes)
        # a function for each class has values as one class against all has
        return one_against_all(self.n_classes) if self.is_all_in_one else scheme

    @cached_property
    def layout(self) -> Layout:
        """What the values of the parts of a classifier mean."""
        k = self.n_classes
        if k == 2:
            return Layout(2, "two")
        if self.is_least_squares:
            return Layout(k, "classes")
        if not isinstance(self.scheme, CodeScheme):
            return Layout(k, "pairs")
        if self.scheme.decoding is None:
            return Layout(k, "classes")
        return Layout(k, "code", self.scheme.code, self.scheme.decoding.name)

    def with_parameters(self, **parameters: Any) -> TrainingTask:
        """The same for a machine with other parameters, the kernel among them or not."""
        own = copy(self)
        own.machine = copy(self.machine).set_params(**parameters)
        for name in ("scheme", "layout"):  # "auto" decodes by the loss
            own.__dict__.pop(name, None)
        if "class_weight" in parameters:
            own.data = replace(own.data, class_weight=parameters["class_weight"])
        return own

    def training_weight(self, times: NDArray[Any] | None = None) -> FloatArray:
        """Weight of each row, that of its class included, 0 for rows that are held out.

        ``times`` says how often each row is trained on; "balanced" looks at these rows only.
        """
        return self.data.full_weight(times)

    def splits(self, cv: Any, groups: ArrayLike | None = None) -> list[Split]:
        """The splits of ``cv``, as far as the machine can be trained on them."""
        has_nu = hasattr(self.machine, "nu")
        return given_splits(self.data, cv, groups, needs_all=has_nu, may_miss=self.is_sample)

    def gram(self, kernel: Kernel) -> Gram:
        """Kernel values of all rows, for every problem."""
        options: dict[str, Any] = {}
        if self.is_all_in_one:
            options["bias"] = "penalized" if self.machine.fit_intercept else False
        gram: Gram = make_gram(self.machine, kernel, self.rows, self.weight, **options)
        return gram

    def formulate(self, machine: Any, part: Part, weight: FloatArray) -> Formulation:
        """The problem of a part on the rows that have weight.

        Of a pair of classes one may have no such row. Its rows then stay in the problem with a box
        of [0, 0]: all coefficients are 0, and the bias says the class that is known.
        """
        used = part.rows[weight[part.rows] > 0]
        is_pair = self.is_classifier and not self.is_least_squares
        if is_pair and len(np.unique(part.target[used])) < 2:
            return self._formulate_known(machine, part, weight, used)
        target, own = part.target[used], weight[used]
        if self.is_least_squares:
            formulation = least_squares(
                target, machine.alpha, own, fit_intercept=machine.fit_intercept
            )
        elif isinstance(machine, OneClassSVM):
            squared = machine.loss == "squared_hinge"
            formulation = one_class(len(used), machine.nu, own, squared=squared)
        else:
            formulation = machine._formulate(target, own)
        return self._measured(formulation).on_rows(used, self.n_rows)

    def _measured(self, formulation: Formulation) -> Formulation:
        """The same in units, in which targets of any scale are learned alike."""
        if self.target_scale == 1.0:
            return formulation
        names, problem = ("linear", "lower", "upper", "group_sum"), formulation.problem
        measured = {name: getattr(problem, name) / self.target_scale for name in names}
        return replace(formulation, problem=replace(problem, **measured))

    def _formulate_known(
        self, machine: Any, part: Part, weight: FloatArray, used: IntArray
    ) -> Formulation:
        """The problem of a pair of which one class at most has rows among those used."""
        pinned = ~np.isin(part.target[part.rows], part.target[used])
        rows, pinned = part.rows[keep := pinned | (weight[part.rows] > 0)], pinned[keep]
        formulation = machine._formulate(part.target[rows], np.where(pinned, 1.0, weight[rows]))
        problem = formulation.problem
        box = {name: np.where(pinned, 0.0, getattr(problem, name)) for name in ("lower", "upper")}
        return replace(formulation, problem=replace(problem, **box)).on_rows(rows, self.n_rows)

    def train_series(
        self,
        machines: list[Any],
        gram: Gram,
        weights: list[FloatArray],
        powers: Powers,
        deadline: Deadline = _NEVER,
    ) -> list[list[list[Trained]]] | None:
        """The machines of every part, for each of several weights of the rows; None if too late.

        Several machines are warm started each from the one before. They differ in their C
        only, which should ascend. By machine, weight and part.
        """
        made = [
            [self.formulate(machine, part, weight) for machine in machines]
            for weight in weights
            for part in self.parts
        ]
        problems = [[formulation.problem for formulation in own] for own in made]
        solver = "direct" if self.is_least_squares else machines[0].solver
        left = deadline.seconds_left if np.isfinite(deadline.moment) else None
        found = solve_many(
            problems, gram, solver, tol=machines[0].tol / self.target_scale, max_time=left
        )
        if any(len(own) < len(machines) or own[-1].status == "max-time" for own in found):
            return None
        trained = [
            [
                Trained(formulation, solution, gram, self.rows, powers)
                for formulation, solution in zip(own, solutions, strict=True)
            ]
            for own, solutions in zip(made, found, strict=True)
        ]
        k = len(self.parts)
        return [
            [[own[m] for own in trained[start : start + k]] for start in range(0, len(trained), k)]
            for m in range(len(machines))
        ]

    def predicted(self, values: FloatArray) -> IntArray:
        """Position of the class that values of all parts, shape (n, n_parts), decide for.

        Of pairs as :func:`~mercer.machines.svm.one_vs_one.winners`.
        """
        return self.layout.chosen(values[:, 0] if self.n_classes == 2 else values)
