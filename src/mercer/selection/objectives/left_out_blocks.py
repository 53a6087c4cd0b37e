"""Least squares by closed form: the values of a split from the machine of all rows.

With P the inverse of the system of all rows (docs/theory/least_squares.md#left-out-blocks), c = P y
and B the rows that a split does not train on,

    r_B = y_B - f_-B(x_B) = (P_BB)^-1 c_B.

A criterion with derivatives s by f_-B changes, as P' = -P G' P, with z = (P_BB)^-1 s_B, by

    -z' c_B' + z' P_BB' r_B = <G', (P z) c' - P (z r_B') P>.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from warnings import catch_warnings, filterwarnings

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgWarning, inv, solve
from scipy.linalg.lapack import dpotrf, dpotri

from mercer._memory import LITTLE, available_bytes
from mercer.gram import Gram
from mercer.selection.shared import some_rows
from mercer.selection.training_task import TrainingTask
from mercer.training.splits import Split

__all__ = ["LeftOutBlocks", "LeftOutValues", "inverse_of_rows"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

_MOST_LEFT_OUT = 0.5  # of the rows: machines of fewer ones are cheaper to train
_N_MATRICES = 4  # of all rows, that are kept at a time


def inverse_of_rows(K: NDArray[Any], ridge: FloatArray, *, has_bias: bool) -> FloatArray:
    """P, the block of [[G, 1], [1', 0]]^-1 that belongs to the rows, G = K + diag(ridge).

    With a bias G^-1 - G^-1 1 1' G^-1 / (1' G^-1 1).
    """
    system = np.array(K, dtype=np.float64)
    np.einsum("ii->i", system)[:] += ridge
    factor, failed = dpotrf(system, lower=1)
    if failed:
        with catch_warnings():
            filterwarnings("ignore", category=LinAlgWarning)  # a search goes elsewhere
            inverse = inv(system)
    else:
        inverse = _mirrored(dpotri(factor, lower=1, overwrite_c=1)[0])
    if has_bias:
        along = inverse.sum(axis=1)
        inverse -= np.outer(along, along / along.sum())
    return inverse


def _mirrored(lower: FloatArray) -> FloatArray:
    """The symmetric matrix of a lower triangle, zero above it."""
    whole = lower + lower.T
    np.einsum("ii->i", whole)[:] = np.diagonal(lower)
    return whole


@dataclass(frozen=True, eq=False)
class LeftOutValues:
    """What the machines of all splits say of their held-out rows, for one kernel and alpha.

    Attributes
    ----------
    values : list of ndarray of shape (n_test, n_parts)
        Values at the test rows of each split.
    residuals : list of ndarray of shape (n_left_out, n_parts)
        r_B of each split.
    inverse, coef, ridge : ndarray
        P, c and alpha / weight.
    """

    values: list[FloatArray]
    residuals: list[FloatArray]
    inverse: FloatArray
    coef: FloatArray
    ridge: FloatArray


@dataclass(frozen=True, eq=False)
class LeftOutBlocks:
    """The splits of a least squares machine, as blocks of rows that are left out.

    Attributes
    ----------
    task : TrainingTask
        What is learned.
    rows : ndarray of int
        Rows of positive weight, all that machines are trained on.
    blocks : list of ndarray of int
        Positions among them of those that each split does not train on.
    tests : list of ndarray of int
        Positions in its block of the rows that each split is tested with.
    """

    task: TrainingTask
    rows: IntArray
    blocks: list[IntArray]
    tests: list[IntArray]

    @classmethod
    def of(cls, task: TrainingTask, splits: Sequence[Split]) -> LeftOutBlocks | None:
        """None where machines have to be trained.

        That is where one has other weights than that of all rows (of "balanced" classes, of rows
        given twice), is tested with its own rows, or is trained on few.
        """
        if not task.is_least_squares:
            return None
        weight = task.training_weight()
        rows = np.flatnonzero(weight > 0)
        size = 8 * _N_MATRICES * len(rows) ** 2
        if size > LITTLE and size > available_bytes():
            return None
        place = np.full(task.n_rows, -1, dtype=np.intp)
        place[rows] = np.arange(len(rows))
        blocks, tests = [], []
        for split in splits:
            own = task.training_weight(split.times)
            is_out = own[rows] == 0
            if not np.array_equal(own[rows][~is_out], weight[rows][~is_out]):
                return None
            block, test = np.flatnonzero(is_out), place[split.test]
            if not is_out[test].all() or len(block) > _MOST_LEFT_OUT * len(rows):
                return None
            blocks.append(block)
            tests.append(np.searchsorted(block, test))
        return cls(task, rows, blocks, tests)

    def left_out(self, gram: Gram, alpha: float) -> LeftOutValues:
        """The values of all splits."""
        rows, task = self.rows, self.task
        ridge = alpha / task.training_weight()[rows]
        K = gram.block(rows, rows, precision="double")
        inverse = inverse_of_rows(K, ridge, has_bias=task.machine.fit_intercept is True)
        target = np.column_stack([part.target[rows] for part in task.parts])
        coef = inverse @ target
        residuals = [self._solved(inverse, block, coef[block]) for block in self.blocks]
        values = [
            target[block[test]] - residual[test]
            for block, test, residual in zip(self.blocks, self.tests, residuals, strict=True)
        ]
        return LeftOutValues(values, residuals, inverse, coef, ridge)

    def gradient(self, gram: Gram, found: LeftOutValues, slopes: list[FloatArray]) -> FloatArray:
        """Of a criterion whose derivatives by ``found.values`` are ``slopes``.

        By the logarithm of 1 / alpha, then by the kernel's theta.
        """
        inverse, coef = found.inverse, found.coef
        pulled = np.zeros_like(coef)
        parts = []
        for block, test, residual, slope in zip(
            self.blocks, self.tests, found.residuals, slopes, strict=True
        ):
            by_value = np.zeros_like(residual)
            np.add.at(by_value, test, slope)
            z = self._solved(inverse, block, by_value)
            pulled[block] += z
            parts.append((block, z, residual))
        matrix = (inverse @ pulled) @ coef.T - _sandwiched(inverse, parts)
        # alpha in G changes by -alpha with log C = -log alpha
        by_C = -float(np.diagonal(matrix) @ found.ridge)
        some = some_rows(gram.kernel, self.task.rows, self.rows)
        return np.concatenate([[by_C], gram.kernel.gradient_weighted(some, None, matrix)])

    @staticmethod
    def _solved(inverse: FloatArray, block: IntArray, right: FloatArray) -> FloatArray:
        """(P_BB)^-1 times some columns."""
        own = inverse[np.ix_(block, block)]
        return np.asarray(solve(own, right, assume_a="sym"))


def _sandwiched(inverse: FloatArray, parts: list[tuple[IntArray, FloatArray, FloatArray]]) -> Any:
    """P sum (z r') P over blocks: of few columns as (P z) (P r)', of many by the whole sum."""
    if sum(z.shape[1] for _, z, _ in parts) < len(inverse):
        left, right = (
            np.column_stack([inverse[:, part[0]] @ part[side] for part in parts]) for side in (1, 2)
        )
        return left @ right.T
    inner = np.zeros_like(inverse)
    for block, z, residual in parts:
        inner[np.ix_(block, block)] += z @ residual.T
    return inverse @ inner @ inverse
