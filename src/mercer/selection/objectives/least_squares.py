"""Leave-one-out error and generalized cross-validation of least squares, with their gradients.

Rifkin 2002, section 3.3; Craven & Wahba 1979. With G = K + diag(alpha / w), P = G^-1 without a bias
and the block of [[G, 1], [1', 0]]^-1 that belongs to the rows with one, c = P y:

    y_i - f_-i(x_i) = c_i / P_ii,    y_i - f(x_i) = (alpha / w_i) c_i,    P' = -P G' P,

so that a function of c and p = diag P with derivatives u and v by these changes by

    -u' P G' c - sum_i v_i (P G' P)_ii = -<G', (P u) c' + P diag(v) P>.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigvalsh

from mercer._memory import require_memory
from mercer.selection.objectives.base import NoValue, Objective
from mercer.selection.objectives.left_out_blocks import inverse_of_rows
from mercer.selection.shared import some_rows
from mercer.selection.training_task import TrainingTask

__all__ = ["LeastSquaresLoo"]

FloatArray = NDArray[np.float64]

_SHARE = 0.5  # of alpha that negative eigenvalues may take


class LeastSquaresLoo(Objective):
    """The mean squared error of left-out rows, or its rotation invariant form.

    Of classes that of their labels -1 and +1, several of them averaged. Left-out rows count by
    ``sample_weight``; "gcv" counts them as the machine does, by ``class_weight``, too.

    Parameters
    ----------
    task : TrainingTask
        What is learned, by RLSC, LSSVC or LSSVR.
    method : {"gcv", "loo"}, default="gcv"
        Generalized cross-validation, or every row left out.
    """

    name = "gcv"

    def __init__(self, task: TrainingTask, *, method: str = "gcv") -> None:
        super().__init__(task)
        if not task.is_least_squares:
            raise self._refused("RLSC, LSSVC or LSSVR")
        if method not in ("gcv", "loo"):
            raise ValueError(f"method must be 'gcv' or 'loo', got {method!r}")
        self.method = method
        self._weight = task.training_weight()
        self._used = np.flatnonzero(self._weight > 0)
        require_memory(
            4 * 8.0 * len(self._used) ** 2,
            f"{self._described()} of {len(self._used)} rows",
            "use the objective 'cv'",
        )

    def begin(self, theta: FloatArray) -> FloatArray:
        """With an alpha that makes K + alpha I positive definite."""
        gram = self._gram_of(self.space.kernel_at(theta))
        if gram.definiteness in ("known", "stated"):
            return theta
        lowest = _lowest(gram.block(self._used, self._used, precision="double"))
        needed = -2.0 / _SHARE * lowest * float(self._weight.max())
        log_C = min(theta[0], -np.log(needed)) if needed > 0.0 else theta[0]
        return np.concatenate([[log_C], theta[1:]])

    def _evaluate(self, theta: FloatArray, with_gradient: bool) -> tuple[float, FloatArray | None]:
        rows, weight = self._used, self._weight[self._used]
        gram = self._gram_of(self.space.kernel_at(theta))
        alpha = float(np.exp(-theta[0]))
        self.n_trainings += 1
        K, ridge = gram.block(rows, rows, precision="double"), alpha / weight
        if gram.definiteness not in ("known", "stated"):
            _check_definite(K, float(ridge.min()))
        self._check_time()
        has_bias = self.task.machine.fit_intercept is True
        inverse = inverse_of_rows(K, ridge, has_bias=has_bias)
        target = np.column_stack([part.target[rows] for part in self.task.parts])
        coef = inverse @ target
        value, by_coef, by_inverse, by_alpha = self._criterion(coef, inverse, alpha, weight)
        if not with_gradient:
            return value, None
        self._check_time()
        # -<G', W>, and alpha in G changes by -alpha with log C = -log alpha
        matrix = (inverse @ by_coef) @ coef.T + _sandwiched(inverse, by_inverse)
        by_C = -alpha * by_alpha + float(np.diagonal(matrix) @ (alpha / weight))
        some = some_rows(gram.kernel, self.task.rows, rows)
        by_kernel = gram.kernel.gradient_weighted(some, None, -matrix)
        return value, np.concatenate([[by_C], by_kernel])

    def _criterion(
        self, coef: FloatArray, inverse: FloatArray, alpha: float, weight: FloatArray
    ) -> tuple[float, FloatArray, FloatArray, float]:
        """The value and its derivatives by c, by diag P and, apart from those, by alpha."""
        own = np.diagonal(inverse)
        total, k = float(weight.sum()), coef.shape[1]
        if self.method == "loo":
            residual = coef / own[:, None]
            # errors count as their rows do: weights of classes are for training
            counts = self.task.weight[self._used]
            share = counts[:, None] / (float(counts.sum()) * k)
            value = float((share * residual**2).sum())
            by_coef = 2.0 * share * residual / own[:, None]
            by_inverse = -2.0 * (share * residual**2).sum(axis=1) / own
            return value, by_coef, by_inverse, 0.0
        # V = (RSS / N) / (1 - tr S / N)^2, RSS = sum_i w_i r_i^2 = alpha^2 sum_i c_i^2 / w_i
        # and tr S = n - alpha sum_i P_ii / w_i; a row of weight w has w copies of leverage S_ii / w
        square = float((coef**2 / weight[:, None]).sum()) / k
        left = 1.0 - (len(own) - alpha * float((own / weight).sum())) / total
        value = alpha**2 * square / total / left**2
        by_coef = 2.0 * alpha**2 * coef / weight[:, None] / (k * total * left**2)
        by_left = -2.0 * value / left
        by_inverse = by_left * alpha / (weight * total)
        by_alpha = 2.0 * value / alpha + by_left * float((own / weight).sum()) / total
        return value, by_coef, by_inverse, by_alpha


def _sandwiched(P: FloatArray, diagonal: FloatArray) -> FloatArray:
    """P D P of symmetric P: half the work where no entry of D is positive, as of left-out rows."""
    if (diagonal > 0.0).any():
        return np.asarray((P * diagonal) @ P)
    half = P * np.sqrt(-diagonal)
    return np.asarray(-(half @ half.T))


def _lowest(K: NDArray[Any]) -> float:
    """The smallest eigenvalue."""
    return float(eigvalsh(K, subset_by_index=[0, 0])[0])


def _check_definite(K: NDArray[Any], ridge: float) -> None:
    """An indefinite kernel with little alpha has no minimum, and its errors no meaning.

    Near a singular K + alpha I, with eigenvector v, all left-out errors are (v'y) / v_i: they
    vanish where v'y does.
    """
    if (lowest := _lowest(K)) < -_SHARE * ridge:
        raise NoValue(
            "the kernel is not positive definite: its matrix has the eigenvalue "
            f"{lowest:.3g}, next to which alpha={ridge:.3g} is too small"
        )
