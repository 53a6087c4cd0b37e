"""The likelihood of held-out labels under a sigmoid of the decision value, and its posterior.

Glasmachers 2008, section 9.3.5. P(y | x) = 1 / (1 + exp(s y f(x))) with the best s <= 0, for rows
that the machine has not seen:

    L(s) = -sum_i log(1 + exp(y_i s z_i)),    dL/dz_i = -s y_i / (1 + exp(-y_i s z_i)).

The best s is a maximum, so that it does not count in the derivative (envelope theorem).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.utils import check_random_state

from mercer.selection.gradient_sum import GradientSum
from mercer.selection.objectives.base import Objective
from mercer.selection.prior import Prior
from mercer.selection.training_task import TrainingTask
from mercer.training.folds import draw_splits

__all__ = ["Likelihood", "Posterior", "fit_slope"]

FloatArray = NDArray[np.float64]

_STEEPEST = 1e3  # of s, in units of the median |z|: of rows that are all on the right side
_STEPS = 100


def fit_slope(signs: FloatArray, values: FloatArray, weight: FloatArray) -> float:
    """The s in [-steepest, 0] of the largest likelihood, by Newton's method with bisection.

    L is concave: L' = -sum w y z q, L'' = -sum w z^2 q (1 - q), q = 1 / (1 + exp(-y s z)) being the
    probability of the wrong class.
    """
    margin = signs * values
    size = float(np.median(np.abs(values)))
    scale = size if size > 0 else float(np.abs(values).max(initial=0.0))
    if scale == 0.0:
        return 0.0
    low, high = -_STEEPEST / scale, 0.0
    s = max(-1.0 / scale, low)
    for _ in range(_STEPS):
        wrong = expit(s * margin)
        slope = -float(weight @ (margin * wrong))
        curvature = float(weight @ (margin**2 * wrong * (1.0 - wrong)))
        low, high = (s, high) if slope > 0 else (low, s)
        step = s + slope / curvature if curvature > 0 else np.nan
        new = step if low < step < high else 0.5 * (low + high)
        if abs(new - s) <= 1e-14 * max(abs(s), 1e-300):
            break
        s = new
    return s


class Likelihood(Objective):
    """The logarithm of the likelihood of held-out labels, to be large.

    Rows are drawn anew at every evaluation, unless ``cv`` gives them; several draws or splits are
    averaged, classes are summed over their pairs. The chance level is ``-m log 2`` for m rows.

    Parameters
    ----------
    task : TrainingTask
        What is learned: classes.
    cv : int, splitter or iterable of (train, test), default=None
        Splits to use every time.
    train_size : float, default=0.8
        Share of the rows that are trained on, if they are drawn.
    n_draws : int, default=1
        Draws of one evaluation.
    random_state : int, RandomState or None, default=None
        What draws them.
    groups : array-like of shape (n_rows,), default=None
        For splitters that need them.
    """

    name = "likelihood"
    greater_is_better = True

    def __init__(
        self,
        task: TrainingTask,
        *,
        cv: Any = None,
        train_size: float = 0.8,
        n_draws: int = 1,
        random_state: Any = None,
        groups: ArrayLike | None = None,
    ) -> None:
        super().__init__(task)
        if not task.is_classifier:
            raise self._refused("classes")
        self.train_size, self.n_draws = train_size, n_draws
        self._given = None if cv is None else task.splits(cv, groups)
        self.is_stochastic = self._given is None
        self._random = check_random_state(random_state)

    def _evaluate(self, theta: FloatArray, with_gradient: bool) -> tuple[float, FloatArray | None]:
        splits = self._given
        if splits is None:
            splits = list(draw_splits(self.task.data, self.train_size, self.n_draws, self._random))
        trained = self._train(theta, [self.task.training_weight(split.times) for split in splits])
        value, gradients = 0.0, GradientSum()
        for machines, split in zip(trained, splits, strict=True):
            for part, machine in zip(self.task.parts, machines, strict=True):
                at = split.test[np.isin(split.test, part.rows)]
                if not len(at):
                    continue
                signs, weight = part.target[at], self.task.weight[at]
                values = machine.values(at)
                s = fit_slope(signs, values, weight)
                value -= float(weight @ np.logaddexp(0.0, s * signs * values)) / len(splits)
                if with_gradient:
                    self._check_time()
                    slopes = -s * signs * expit(s * signs * values) * weight / len(splits)
                    gradients.add(machine, at, slopes)
        return value, gradients.gradient(self.space.n_dims) if with_gradient else None


class Posterior(Likelihood):
    """The likelihood with a prior of the parameters.

    Parameters
    ----------
    task, cv, train_size, n_draws, random_state, groups
        As for :class:`Likelihood`.
    prior : Prior or callable, default=None
        ``prior(space, theta)`` gives the logarithm of a density, up to a constant, and its
        gradient. None means :meth:`Prior.of` the rows.
    """

    name = "posterior"

    def __init__(self, task: TrainingTask, *, prior: Any = None, **options: Any) -> None:
        super().__init__(task, **options)
        self.prior = self._usual_prior(task) if prior is None else prior

    def _usual_prior(self, task: TrainingTask) -> Prior:
        """Around a distance of rows, where rows have one."""
        try:
            return Prior.of(task)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"{self._described()} needs rows of numbers to tell which widths are likely: give "
                "prior=mercer.selection.Prior(gamma), or use 'likelihood'"
            ) from error

    def _evaluate(self, theta: FloatArray, with_gradient: bool) -> tuple[float, FloatArray | None]:
        value, gradient = super()._evaluate(theta, with_gradient)
        density, slope = self.prior(self.space, theta)
        return value + density, None if gradient is None else gradient + slope
