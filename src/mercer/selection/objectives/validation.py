"""Errors of held-out rows: hold-out, cross-validation and bootstrapping.

Glasmachers 2008, sections 9.1.1 and 9.1.7. The rows that a machine is not trained on judge it. With
splits that are given the criterion is a function; with splits drawn anew at every evaluation its
mean is that over all splits (bootstrapping).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.utils import check_random_state

from mercer.gram import Gram
from mercer.machines.svm.uncertified import (
    MOST_DOUBT,
    SURE,
    UncertifiedMachines,
)
from mercer.selection.adjoint import Trained
from mercer.selection.all_in_one import all_in_one_values
from mercer.selection.gradient_sum import GradientSum
from mercer.selection.held_out import MOST_VALUES, BestHeldOut
from mercer.selection.objectives.base import Objective
from mercer.selection.objectives.judges import Costs, Judge, scorer_of
from mercer.selection.objectives.left_out_blocks import LeftOutBlocks, LeftOutValues
from mercer.selection.objectives.losses import SMOOTH_LOSSES, SmoothLoss
from mercer.selection.training_task import TrainingTask
from mercer.selection.uncertified import uncertified_machines
from mercer.training.folds import draw_splits, every_split
from mercer.training.splits import Split

__all__ = ["Bootstrap", "CrossValidation", "HoldOut", "Validation", "values_at"]

FloatArray = NDArray[np.float64]


class Validation(Objective):
    """The mean loss of held-out rows, averaged over splits as scikit-learn does.

    Parameters
    ----------
    task : TrainingTask
        What is learned.
    loss : str, scorer or array, default=None
        "zero_one" (the default for classes), "squared" (that for targets), "logistic"; a scorer
        of scikit-learn or its name, which is then to be large; or a matrix of costs, one row for
        each class and one column for each class that is predicted. "squared" and "logistic" have
        gradients; with more than two classes they are summed over the binary problems. Scorers
        that need probabilities get those of one slope.
    also : dict of str to scorer or str, default=None
        More scores of what is held out, by their names; they decide nothing.

    Attributes
    ----------
    also : dict of bytes to dict of str to ndarray
        Of the points evaluated, theta as bytes, those scores of each split.
    """

    def __init__(
        self, task: TrainingTask, *, loss: Any = None, also: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(task)
        if loss is None:
            loss = "zero_one" if task.is_classifier else "squared"
        self.loss = loss
        if task.y is None:
            raise self._refused("targets")
        self._smooth: SmoothLoss | None = None
        self._judge: Judge | None = None
        if isinstance(loss, str) and loss in SMOOTH_LOSSES:
            self._check_smooth(loss)
            self._smooth = SMOOTH_LOSSES[loss]
        elif isinstance(loss, str) and loss == "zero_one":
            self._judge = Costs(task, 1.0 - np.eye(self._count_classes()))
        elif isinstance(loss, str) or callable(loss):
            self._judge, self.greater_is_better = scorer_of(task, loss), True
        else:
            self._judge = Costs(task, self._checked_costs(loss))
        self._others: dict[str, Judge] = {}
        for name, own in (also or {}).items():
            self._others[name] = scorer_of(task, own)
        self.also: dict[bytes, dict[str, FloatArray]] = {}
        self.has_gradient = self._smooth is not None
        self.by_split: FloatArray = np.empty(0)  # of the last evaluation
        self.held_out = BestHeldOut(task, greater_is_better=self.greater_is_better)
        self._uncertified: UncertifiedMachines | None = None
        self._blocks: tuple[LeftOutBlocks | None] | None = None  # once it is known

    def _described(self) -> str:
        return f"the objective {self.name!r} with loss={getattr(self, 'loss', None)!r}"

    @abstractmethod
    def _splits(self) -> Iterable[Split]:
        """The splits of one evaluation."""

    def series(self, thetas: Sequence[ArrayLike]) -> list[FloatArray]:
        """Losses of every split for several thetas with one kernel, in the order of C.

        They share their kernel values, and each machine starts from the one before.
        """
        with self._few_threads():
            return self._series(list(map(self.space.checked, thetas)))

    def _series(self, points: list[FloatArray]) -> list[FloatArray]:
        splits = list(self._splits())
        found: list[FloatArray] | None = self._uncertified_series(points, splits)
        if found is not None:
            return found
        gram = self._gram_of(self.space.kernel_at(points[0]))
        if self.task.is_all_in_one:
            return self._all_in_one_series(points, splits, gram)
        if (blocks := self._closed_form(gram, splits)) is not None:
            return [
                self._judged(point, self._left_out(blocks, gram, point).values, splits)
                for point in points
            ]
        return self._trained_series(points, splits)

    def _trained_series(self, points: list[FloatArray], splits: list[Split]) -> list[FloatArray]:
        """Losses of machines that have a certificate."""
        weights = [self.task.training_weight(split.times) for split in splits]
        return [
            self._judged(point, self._held_out(trained, splits), splits)
            for point, trained in zip(points, self._train_series(points, weights), strict=True)
        ]

    def _all_in_one_series(
        self, points: list[FloatArray], splits: list[Split], gram: Gram
    ) -> list[FloatArray]:
        """Losses of machines that learn all classes in one problem."""
        order = sorted(range(len(points)), key=lambda k: float(points[k][0]))
        machines = [self.space.machine_at(points[k]) for k in order]
        self.n_trainings += len(points) * len(splits)
        values: list[list[FloatArray]] = [[] for _ in points]
        for split in splits:
            found = all_in_one_values(self.task, machines, gram, split, self.deadline)
            for k, own in zip(order, found, strict=True):
                values[k].append(own)
        return [self._judged(point, own, splits) for point, own in zip(points, values, strict=True)]

    def _judged(
        self, point: FloatArray, values: list[FloatArray], splits: list[Split]
    ) -> FloatArray:
        """The loss of each split, the predictions kept if these are the best."""
        loss, tests = self._by_split(values, splits), [split.test for split in splits]
        if self._others:
            others = {name: judge.over(values, tests) for name, judge in self._others.items()}
            self._note_others(point, others)
        self._offer(point, loss, tests, [self._predicted(own) for own in values], values)
        return loss

    def _uncertified_series(self, points: list[FloatArray], splits: list[Split]) -> Any:
        """Losses of machines that need no certificate; None if they do."""
        if self._judge is None or self.is_stochastic or self.space.penalty != "C":
            return None
        if self.task.is_all_in_one:
            return None
        if self._uncertified is None:
            machine = self.space.machine_at(np.zeros(1))
            self._uncertified = uncertified_machines(self.task, splits, machine, self.space.powers)
        gram = self._gram_of(self.space.kernel_at(points[0]))
        if self.task.machine.solver != "auto" or not self._uncertified.suit(gram):
            return None
        self._uncertified.deadline = self.deadline
        losses, is_sure = self._uncertified_losses(points, splits, gram)
        if len(again := np.flatnonzero(~is_sure)):
            losses[again], _ = self._uncertified_losses(
                [points[k] for k in again], splits, gram, SURE
            )
        return list(losses)

    def _uncertified_losses(
        self, points: list[FloatArray], splits: list[Split], gram: Gram, accuracy: float = 1.0
    ) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Losses of each point and split, and whether few held-out rows of it are doubtful."""
        assert self._uncertified is not None
        assert self._judge is not None
        judges: dict[str, Judge] = {"": self._judge, **self._others}
        whole = {name: judge for name, judge in judges.items() if judge.needs_all}
        Cs = np.exp([point[0] for point in points])
        order = np.argsort(Cs)
        self.n_trainings += len(points) * len(splits) * len(self.task.parts)
        worth = {name: np.empty((len(points), len(splits))) for name in judges}
        doubtful, tol = np.zeros(len(points), dtype=np.intp), float(self.task.machine.tol)
        predicted: list[list[NDArray[Any]]] = [[] for _ in points]
        kept: list[list[NDArray[Any]]] = [[] for _ in points]
        every: list[list[FloatArray]] = [[] for _ in points]
        is_small = len(points) * self.task.n_rows * len(self.task.parts) <= MOST_VALUES
        found = self._uncertified.values(gram, Cs[order].tolist(), accuracy)
        for s, (values, split) in enumerate(zip(found, splits, strict=True)):
            values *= self.task.target_scale
            for j, k in enumerate(order):
                for name, judge in judges.items():
                    if not judge.needs_all:
                        worth[name][k, s] = judge(values[:, j], split.test)
                if whole:
                    every[k].append(values[:, j].copy())
                predicted[k].append(self._predicted(values[:, j]))
                if self.task.is_classifier:
                    # rows whose class may change if values are moved by the tolerance
                    own = self.task.scheme.count_doubtful(values[:, j], tol, break_ties=True)
                    doubtful[k] += own
                if is_small and self.task.is_classifier:
                    kept[k].append(values[:, j])
        tests = [split.test for split in splits]
        for name, judge in whole.items():
            worth[name][:] = [judge.over(values, tests) for values in every]
        losses = worth.pop("")
        n_tested = sum(map(len, tests))
        is_sure = (doubtful <= MOST_DOUBT * n_tested) | (accuracy < 1.0)
        for k in np.flatnonzero(is_sure):
            self._offer(points[k], losses[k], tests, predicted[k], kept[k])
            if worth:
                self._note_others(points[k], {name: own[k] for name, own in worth.items()})
        return losses, is_sure

    def _note_others(self, point: FloatArray, worth: dict[str, FloatArray]) -> None:
        self.also[point.tobytes()] = worth

    def _predicted(self, values: FloatArray) -> NDArray[Any]:
        """The number, or the position of the class, that values of all parts decide for."""
        return self.task.predicted(values) if self.task.is_classifier else values[:, 0].copy()

    def _offer(
        self,
        point: FloatArray,
        loss: FloatArray,
        tests: list[NDArray[np.intp]],
        predicted: list[Any],
        values: Sequence[FloatArray],
    ) -> None:
        """Keep predictions of the best points, if the splits are fixed."""
        if not self.is_stochastic:
            self.held_out.offer(point, float(loss.mean()), tests, predicted, values)

    def _evaluate(self, theta: FloatArray, with_gradient: bool) -> tuple[float, FloatArray | None]:
        is_series = self.task.is_all_in_one or not self.is_stochastic
        if not with_gradient and self._smooth is None and is_series:
            self.by_split = self._series([theta])[0]
            return float(self.by_split.mean()), None
        splits = list(self._splits())
        gram = self._gram_of(self.space.kernel_at(theta))
        if (blocks := self._closed_form(gram, splits)) is not None:
            return self._evaluate_blocks(blocks, gram, theta, splits, with_gradient)
        weights = [self.task.training_weight(split.times) for split in splits]
        trained = self._train(theta, weights)
        values = self._held_out(trained, splits)
        self.by_split = self._by_split(values, splits)
        value = float(self.by_split.mean())
        return value, self._gradient(trained, values, splits) if with_gradient else None

    def _closed_form(self, gram: Gram, splits: list[Split]) -> LeftOutBlocks | None:
        """Of least squares the machines of all splits, from one; None if they are to be trained."""
        if not self.task.is_least_squares or gram.definiteness not in ("known", "stated"):
            return None
        if self.is_stochastic:
            return LeftOutBlocks.of(self.task, splits)
        if self._blocks is None:
            self._blocks = (LeftOutBlocks.of(self.task, splits),)
        return self._blocks[0]

    def _left_out(self, blocks: LeftOutBlocks, gram: Gram, theta: FloatArray) -> LeftOutValues:
        self._check_time()
        self.n_trainings += 1
        return blocks.left_out(gram, self.space.penalty_at(theta))

    def _evaluate_blocks(
        self,
        blocks: LeftOutBlocks,
        gram: Gram,
        theta: FloatArray,
        splits: list[Split],
        with_gradient: bool,
    ) -> tuple[float, FloatArray | None]:
        found = self._left_out(blocks, gram, theta)
        self.by_split = self._by_split(found.values, splits)
        value = float(self.by_split.mean())
        if not with_gradient:
            return value, None
        self._check_time()
        slopes = [
            self._slopes(values, split.test) / len(splits)
            for values, split in zip(found.values, splits, strict=True)
        ]
        return value, blocks.gradient(gram, found, slopes)

    def _slopes(self, values: FloatArray, test: NDArray[np.intp]) -> FloatArray:
        """Derivatives of the mean smooth loss of a split by the values, where all rows are used."""
        target = np.column_stack([part.target[test] for part in self.task.parts])
        share = self.task.weight[test] / float(self.task.weight[test].sum())
        return share[:, None] * self._smooth(target, values)[1]  # type: ignore[misc]

    def _held_out(self, trained: list[list[Trained]], splits: list[Split]) -> list[FloatArray]:
        """Values at the held-out rows of each split."""
        pairs = zip(trained, splits, strict=True)
        return [self.task.target_scale * values_at(own, split.test) for own, split in pairs]

    def _by_split(self, values: list[FloatArray], splits: list[Split]) -> FloatArray:
        """The mean loss, or the score, of each split."""
        tests = [split.test for split in splits]
        if self._judge is not None:
            return self._judge.over(values, tests)
        return np.array([self._smooth_mean(*pair) for pair in zip(values, tests, strict=True)])

    def _smooth_mean(self, values: FloatArray, test: NDArray[np.intp]) -> float:
        """The mean of a smooth loss, summed over the parts that a row belongs to."""
        total = 0.0
        for part, value in zip(self.task.parts, values.T, strict=True):
            own = np.isin(test, part.rows)
            losses = self._smooth(part.target[test[own]], value[own])[0]  # type: ignore[misc]
            total += float(self.task.weight[test[own]] @ losses)
        return total / float(self.task.weight[test].sum())

    def _gradient(
        self, trained: list[list[Trained]], values: list[FloatArray], splits: list[Split]
    ) -> FloatArray:
        gradients = GradientSum()
        for machines, found, split in zip(trained, values, splits, strict=True):
            total = len(splits) * float(self.task.weight[split.test].sum())
            for part, machine, own in zip(self.task.parts, machines, found.T, strict=True):
                is_own = np.isin(split.test, part.rows)
                at = split.test[is_own]
                slopes = self._smooth(part.target[at], own[is_own])[1]  # type: ignore[misc]
                self._check_time()
                gradients.add(
                    machine, at, self.task.weight[at] / total * slopes * self.task.target_scale
                )
        return gradients.gradient(self.space.n_dims)

    def score(self, value: Any) -> Any:
        """The share of right predictions for the loss "zero_one"."""
        is_error = isinstance(self.loss, str) and self.loss == "zero_one"
        return 1.0 - value if is_error else super().score(value)

    def is_perfect(self, value: float) -> bool:
        """Whether no other value can be better."""
        return isinstance(self.loss, str) and self.loss == "zero_one" and value == 0.0

    def _check_smooth(self, loss: str) -> None:
        if self.task.is_all_in_one:
            raise ValueError(
                f"loss={loss!r} needs two-class problems, got multiclass="
                f"{self.task.machine.multiclass!r}: use 'zero_one' or a scorer"
            )
        if loss == "logistic" and not self.task.is_classifier:
            raise ValueError("loss='logistic' needs classes, got targets: use 'squared'")

    def _count_classes(self) -> int:
        if not self.task.is_classifier:
            raise ValueError(f"loss={self.loss!r} needs classes, got targets: use 'squared'")
        return self.task.n_classes

    def _checked_costs(self, loss: Any) -> FloatArray:
        costs = np.asarray(loss, dtype=np.float64)
        k = self._count_classes()
        if costs.shape != (k, k) or not np.isfinite(costs).all():
            raise ValueError(
                f"loss must be a matrix of {k} x {k} finite costs, one row for each class, got "
                f"shape {costs.shape}"
            )
        return costs


def values_at(machines: list[Trained], test: NDArray[np.intp]) -> FloatArray:
    """Values of all parts at some rows, shape (n, n_parts), from one product."""
    coef = np.column_stack([machine.fitted.coef for machine in machines])
    used = np.flatnonzero(coef.any(axis=1))
    out = machines[0].gram.product(used, coef[used], rows=test, precision="double")
    return out + [machine.bias for machine in machines]


class CrossValidation(Validation):
    """The mean loss of held-out rows over given splits.

    Parameters
    ----------
    task, loss, also
        As for :class:`Validation`.
    cv : int, splitter or iterable of (train, test), default=5
        As in scikit-learn; exactly the indices it gives are used.
    groups : array-like of shape (n_rows,), default=None
        For splitters that need them.
    """

    name = "cv"

    def __init__(
        self,
        task: TrainingTask,
        *,
        loss: Any = None,
        cv: Any = 5,
        groups: ArrayLike | None = None,
        also: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(task, loss=loss, also=also)
        self._given = task.splits(cv, groups)

    def _splits(self) -> list[Split]:
        return self._given


class HoldOut(CrossValidation):
    """The mean loss of one fifth of the rows, drawn once.

    Parameters
    ----------
    task, loss
        As for :class:`Validation`.
    test_size : float, default=0.2
        Share of the rows that are held out.
    random_state : int, RandomState or None, default=None
        What draws them.
    """

    name = "holdout"

    def __init__(
        self,
        task: TrainingTask,
        *,
        loss: Any = None,
        test_size: float = 0.2,
        random_state: Any = None,
    ) -> None:
        splitter: Any = ShuffleSplit(1, test_size=test_size, random_state=random_state)
        if task.is_classifier:
            stratified = StratifiedShuffleSplit(1, test_size=test_size, random_state=0)
            with suppress(ValueError):  # of a class of one row, or more classes than test rows
                next(stratified.split(np.zeros(task.n_rows), task.class_index))
                stratified.random_state = random_state
                splitter = stratified
        super().__init__(task, loss=loss, cv=splitter)


class Bootstrap(Validation):
    """The mean loss of held-out rows, which are drawn anew at every evaluation.

    Parameters
    ----------
    task, loss
        As for :class:`Validation`.
    train_size : float, default=0.8
        Share of the rows that are trained on.
    n_draws : int or "all", default=1
        Splits of one evaluation. "all" takes every subset of that size, for few rows only: that
        is the mean of all draws.
    random_state : int, RandomState or None, default=None
        What draws them.
    """

    name = "bootstrap"

    def __init__(
        self,
        task: TrainingTask,
        *,
        loss: Any = None,
        train_size: float = 0.8,
        n_draws: Any = 1,
        random_state: Any = None,
    ) -> None:
        super().__init__(task, loss=loss)
        is_count = isinstance(n_draws, (int, np.integer)) and not isinstance(n_draws, bool)
        if n_draws != "all" and not (is_count and n_draws > 0):
            raise ValueError(f"n_draws must be a positive integer or 'all', got {n_draws!r}")
        self.train_size, self.n_draws = train_size, n_draws
        self.is_stochastic = n_draws != "all"
        self._random = check_random_state(random_state)

    def _splits(self) -> Iterable[Split]:
        if self.n_draws == "all":
            return every_split(self.task.data, self.train_size)
        return draw_splits(self.task.data, self.train_size, self.n_draws, self._random)
