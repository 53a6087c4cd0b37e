"""The radius-margin quotient R^2 |w|^2 of a hard margin machine (Chapelle et al. 2002).

R is the radius of the smallest ball around the rows, 1/|w| the margin. The squared hinge is a hard
margin with the kernel K + 1/C on its diagonal, in both problems. With the coefficients a of the
machine and b of the ball, and K' by a parameter (Glasmachers 2008, section 9.4.2, with the sign of
the first put right):

    (|w|^2)' = -a' K' a,    (R^2)' = sum_i b_i K'_ii - b' K' b.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mercer.formulations import Formulation, enclosing_ball, svc
from mercer.gram import Gram
from mercer.kernels import Kernel
from mercer.selection.objectives.base import NoValue, Objective
from mercer.selection.shared import some_rows
from mercer.selection.training_task import Part, TrainingTask
from mercer.solvers import solve
from mercer.solvers.runs.deadline import OutOfTime

__all__ = ["RadiusMargin"]

FloatArray = NDArray[np.float64]


class RadiusMargin(Objective):
    """R^2 |w|^2, to be small; with more than two classes summed over their pairs.

    With ``loss="hinge"`` the margin is hard for every C, and classes that the kernel does not
    separate are an error; with "squared_hinge" C is a parameter of the kernel.

    Parameters
    ----------
    task : TrainingTask
        What is learned: classes, by an :class:`~mercer.SVC`.
    """

    name = "radius_margin"

    def __init__(self, task: TrainingTask) -> None:
        super().__init__(task)
        loss = getattr(task.machine, "loss", None)
        if not task.is_classifier or self.space.penalty != "C":
            raise self._refused("an SVC")
        if loss not in ("hinge", "squared_hinge"):
            raise ValueError(
                f"{self._described()} needs loss 'hinge' or 'squared_hinge', got {loss!r}"
            )
        if (task.training_weight() != 1.0).any():
            raise ValueError(f"{self._described()} needs rows of weight 1: repeat rows instead")
        self._is_squared = loss == "squared_hinge"

    def _evaluate(self, theta: FloatArray, with_gradient: bool) -> tuple[float, FloatArray | None]:
        gram = self._gram_of(self.space.kernel_at(theta))
        C = float(np.exp(theta[0])) if self._is_squared else np.inf
        value, gradient = 0.0, np.zeros(self.space.n_dims)
        for part in self.task.parts:
            quotient, slope = self._quotient(gram, C, part, with_gradient)
            value += quotient
            gradient += slope
        return value, gradient if with_gradient else None

    def _quotient(
        self, gram: Gram, C: float, part: Part, with_gradient: bool
    ) -> tuple[float, FloatArray]:
        """R^2 |w|^2 of two classes, and its gradient."""
        rows, added = part.rows, 1.0 / C
        margin = svc(
            part.target[rows],
            C,
            loss=self.task.machine.loss,
            fit_intercept=self.task.machine.fit_intercept,
        )
        ball = enclosing_ball(gram.diagonal(precision="double")[rows] + added)
        ball = replace(ball, problem=replace(ball.problem, ridge=np.full(len(rows), added)))
        machine, w_square = self._solved(gram, margin, rows)
        centre, r_square = self._solved(gram, ball, rows)
        if not with_gradient:
            return r_square * w_square, np.zeros(self.space.n_dims)
        return r_square * w_square, self._slope(
            gram.kernel, rows, np.array([machine, centre]), np.array([r_square, w_square]), added
        )

    def _slope(
        self,
        kernel: Kernel,
        rows: NDArray[np.intp],
        coefs: FloatArray,
        factors: FloatArray,
        added: float,
    ) -> FloatArray:
        """The gradient; the coefficients of machine and ball are contracted with K' together.

        By log C the diagonal moves by -1/C.
        """
        own = some_rows(kernel, self.task.rows, rows)
        centre, w_square = coefs[1], factors[1]
        by_kernel = w_square * kernel.diag_gradient(own, centre)
        used = np.flatnonzero(coefs.any(axis=0))
        left = coefs[:, used].T
        by_kernel -= kernel.gradient(some_rows(kernel, own, used), None, left * factors, left)
        by_C = -added * (w_square * centre.sum() - factors @ (coefs**2).sum(axis=1))
        return np.concatenate([[by_C], by_kernel])

    def _solved(
        self, gram: Gram, formulation: Formulation, rows: NDArray[np.intp]
    ) -> tuple[FloatArray, float]:
        """Coefficients and twice the optimal value: |w|^2 of the machine, R^2 of the ball."""
        machine = self.task.machine
        self.n_trainings += 1
        problem = formulation.on_rows(rows, gram.n_rows).problem
        self._check_time()
        left = self.deadline.seconds_left
        found = solve(problem, gram, machine.solver, tol=machine.tol, max_time=left)
        if found.status == "max-time":
            raise OutOfTime
        if found.status == "unbounded":
            raise NoValue(
                f"{self._described()} needs classes that the kernel separates: use "
                "loss='squared_hinge' or another kernel"
            )
        return found.coef, 2.0 * found.objective
