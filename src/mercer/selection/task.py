"""What is learned: rows, targets and weights, and the problems a machine makes of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier

from mercer.formulations import Formulation, least_squares, one_class
from mercer.gram import Gram
from mercer.gram.native import count_rows, take_rows
from mercer.kernels import Kernel
from mercer.machines.class_weights import check_weighted_classes, find_classes, weigh_classes
from mercer.machines.least_squares.machine import LeastSquaresMachine, check_extremes
from mercer.machines.least_squares.one_against_all import chosen_class
from mercer.machines.svm.one_class import OneClassSVM
from mercer.selection.adjoint import Scaling, Trained
from mercer.solvers import solve_many
from mercer.solvers.runs.deadline import Deadline

__all__ = ["Part", "Task"]

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


class Task:
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
    unit : float, default=1.0
        What the C of a search is measured by; who makes the task may change it.
    """

    def __init__(
        self, estimator: Any, X: Any, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> None:
        self.machine: Any = clone(estimator)
        self.machine._validate_params()
        self.is_classifier = bool(is_classifier(estimator))
        self.is_least_squares = isinstance(estimator, LeastSquaresMachine)
        has_targets = not isinstance(estimator, OneClassSVM)
        options: dict[str, Any] = {}
        if has_targets and not self.is_classifier:
            options["y_numeric"] = True
        self.rows, self.y, self.weight = self.machine._validate_fit(
            X, y if has_targets else None, sample_weight, **options
        )
        check_extremes(self.weight)
        self.n_rows = count_rows(self.rows)
        self.classes: NDArray[Any] | None = None
        if self.is_classifier:
            self.classes, self.labels = find_classes(self.y)
            check_weighted_classes(self.classes, self.labels, self.weight)
        self.parts = self._make_parts()
        self.unit = 1.0

    def sampled(self, count: int) -> Task:
        """The same on some of the rows, at equal intervals within each class.

        Of small classes there are ten rows, or all.
        """
        labels = self.labels if self.classes is not None else np.zeros(self.n_rows, dtype=np.intp)
        share, kept = count / self.n_rows, []
        for label in range(max(self.n_classes, 1)):
            own = np.flatnonzero((labels == label) & (self.weight > 0))
            size = max(int(np.ceil(share * len(own))), min(len(own), _FEWEST))
            kept.append(own[np.arange(size) * len(own) // size])
        rows = np.sort(np.concatenate(kept))
        y = None if self.y is None else self.y[rows]
        task = Task(self.machine, take_rows(self.rows, rows), y, self.weight[rows])
        task.unit = self.unit
        return task

    @property
    def spread(self) -> float:
        """Standard deviation of the targets, 1 if all are alike."""
        target = self.parts[0].target
        largest = float(np.abs(target).max())
        if largest == 0.0:
            return 1.0
        scaled = target / largest  # squares of large targets would overflow
        apart = scaled - np.average(scaled, weights=self.weight)
        spread = largest * float(np.sqrt(np.average(apart**2, weights=self.weight)))
        return spread if spread > 0.0 else 1.0

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 if there are none."""
        return 0 if self.classes is None else len(self.classes)

    def _make_parts(self) -> list[Part]:
        """Pairs of classes, one class against all for least squares, or all rows."""
        everything = np.arange(self.n_rows)
        if not self.is_classifier:
            target = np.zeros(self.n_rows) if self.y is None else np.asarray(self.y, np.float64)
            return [Part(everything, target)]
        labels, k = self.labels, self.n_classes
        self._check_scheme()
        if k == 2:
            return [Part(everything, np.where(labels == 1, 1.0, -1.0))]
        if self.is_least_squares:
            return [Part(everything, np.where(labels == c, 1.0, -1.0)) for c in range(k)]
        return [
            Part(
                np.flatnonzero((labels == i) | (labels == j)),
                np.where(labels == i, 1.0, -1.0),
            )
            for i, j in self.pairs
        ]

    def _check_scheme(self) -> None:
        """Criteria know the usual scheme of each machine only."""
        usual = "one-vs-all" if self.is_least_squares else "one-vs-one"
        scheme = getattr(self.machine, "multiclass", usual)
        if self.n_classes > 2 and scheme != usual:
            raise ValueError(
                f"multiclass of {type(self.machine).__name__} must be {usual!r} in model "
                f"selection, got {scheme!r}"
            )

    def training_weight(self, times: NDArray[Any] | None = None) -> FloatArray:
        """Weight of each row, that of its class included, 0 for rows that are held out.

        ``times`` says how often each row is trained on; "balanced" looks at these rows only.
        """
        weight = self.weight if times is None else self.weight * times
        if self.classes is None or getattr(self.machine, "class_weight", None) is None:
            return np.asarray(weight, dtype=np.float64)
        used = weight > 0
        present, codes = np.unique(self.labels[used], return_inverse=True)
        factor = np.ones(self.n_classes)
        classes = self.classes[present]
        factor[present] = weigh_classes(
            self.machine.class_weight, classes, classes[codes], weight[used]
        )
        return np.asarray(weight * factor[self.labels], dtype=np.float64)

    def gram(self, kernel: Kernel) -> Gram:
        """Kernel values of all rows, for every problem."""
        gram: Gram = self.machine._make_gram(kernel, self.rows, self.weight)
        return gram

    def formulate(self, machine: Any, part: Part, weight: FloatArray) -> Formulation:
        """The problem of a part on the rows that have weight.

        Of a pair of classes one may have no such row. Its rows then stay in the problem with a box
        of [0, 0]: all coefficients are 0, and the bias says the class that is known.
        """
        used = part.rows[weight[part.rows] > 0]
        if self.is_classifier and not self.is_least_squares:
            absent = self._absent(part, used)
            if len(absent):
                return self._formulate_known(machine, part, weight, absent)
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
        return formulation.on_rows(used, self.n_rows)

    def _absent(self, part: Part, used: IntArray) -> IntArray:
        """Rows of the classes of a pair that have no row among those used."""
        target = part.target[part.rows]
        known = np.unique(part.target[used])
        return part.rows[~np.isin(target, known)] if len(known) < 2 else part.rows[:0]

    def _formulate_known(
        self, machine: Any, part: Part, weight: FloatArray, absent: IntArray
    ) -> Formulation:
        """The problem of a pair whose rows ``absent`` must not be learned from."""
        pinned = np.isin(part.rows, absent)
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
        scaling: Scaling,
        deadline: Deadline = _NEVER,
    ) -> list[list[list[Trained]]] | None:
        """The machines of every part, for each of several weights of the rows; None if too late.

        Several machines are warm started each from the one before. They differ in their price
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
        found = solve_many(problems, gram, solver, tol=machines[0].tol, max_time=left)
        if any(len(own) < len(machines) or own[-1].status == "max-time" for own in found):
            return None
        trained = [
            [
                Trained(formulation, solution, gram, self.rows, scaling)
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

        Of pairs as :func:`~mercer.machines.svm.one_vs_one.scores`, by products.
        """
        if self.n_classes == 2 or self.is_least_squares:
            return chosen_class(values)
        first, second = self._of_pairs
        votes = (values >= 0) @ first + (values < 0) @ second
        total = values @ (first - second)
        return np.asarray((votes + total / (3.0 * (np.abs(total) + 1.0))).argmax(axis=1))

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Pairs of classes, in the order of the parts."""
        return list(combinations(range(self.n_classes), 2))

    @cached_property
    def _of_pairs(self) -> tuple[FloatArray, FloatArray]:
        """Which class is the first, and which the second, of each pair."""
        pairs, unit = np.array(self.pairs), np.eye(self.n_classes)
        return unit[pairs[:, 0]], unit[pairs[:, 1]]
