"""Learning block by block: rows are seen once and forgotten."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from mercer.gram.native import count_rows, take_rows
from mercer.gram.shift import FAR, moved, shift_of_products
from mercer.kernels import Constant, Kernel, Linear
from mercer.kernels.blocks import row_slices
from mercer.least_squares.features import FeatureSolver
from mercer.least_squares.job import LeastSquaresFit
from mercer.least_squares.low_rank_fit import captured_trace, expansion_of_maps
from mercer.least_squares.moments import Moments
from mercer.least_squares.penalized_bias import with_constant
from mercer.least_squares.scan import default_alphas, gcv
from mercer.lowrank import LowRank

__all__ = ["Stream", "can_stream"]

FloatArray = NDArray[np.float64]


def can_stream(machine: Any) -> bool:
    """Whether the machine may learn block by block, or an error that says what it needs."""
    if machine.low_rank is None and not _is_linear(machine.kernel):
        raise AttributeError(
            "partial_fit needs the features of a row to be few: kernel='linear' or low_rank, got "
            f"kernel={machine.kernel!r} and low_rank=None"
        )
    method = getattr(machine.low_rank, "method", "rectangle")
    if method != "rectangle":
        raise AttributeError(f"partial_fit needs method='rectangle' of low_rank, got {method!r}")
    if machine.sparse is not None or machine.penalty != "norm":
        raise AttributeError(
            "partial_fit needs sparse=None and penalty='norm', got "
            f"sparse={machine.sparse!r} and penalty={machine.penalty!r}"
        )
    return True


def _is_linear(kernel: Any) -> bool:
    return kernel == "linear" if isinstance(kernel, str) else isinstance(kernel, Linear)


class Stream:
    """Moments of the features of all rows so far, K_mn K_nm and K_mn y (Rifkin 2002, 3.7.2).

    O(rank^2) numbers, for any number of rows. Landmarks are chosen among the rows of the
    first block.

    Parameters
    ----------
    kernel : Kernel
        The kernel, with all its parameters numbers.
    X : array or sparse matrix
        The first block.
    n_outputs : int
        Number of targets.
    low_rank : LowRank or None
        None for a linear kernel on its own features.
    """

    def __init__(
        self,
        kernel: Kernel,
        X: Any,
        n_outputs: int,
        low_rank: LowRank | None,
        *,
        bias: bool,
        penalized: bool,
        n_threads: int | None,
    ) -> None:
        self.kernel, self.penalized = kernel, penalized
        self.low_rank = low_rank
        self.diagonal = 0.0
        ranks = [X.shape[1] + penalized]
        if low_rank is not None:
            self.low_rank = low_rank = clone(low_rank)
            shift = shift_of_products(kernel.form(), X) if bias else None
            low_rank.choose(self.full_kernel, X, n_threads=n_threads, shift=shift)
            ranks = [features.rank for features in low_rank.maps_]
        self.moments = [Moments(rank, n_outputs, bias) for rank in ranks]

    def emptied(self) -> Stream:
        """The same features, and no rows yet."""
        empty = copy(self)
        empty.diagonal = 0.0
        empty.moments = [Moments(len(m.mean), len(m.target_mean), m.bias) for m in self.moments]
        return empty

    @property
    def full_kernel(self) -> Kernel:
        """The kernel, plus 1 if the bias is penalized."""
        one = Constant(1.0, value_bounds="fixed")
        return self.kernel + one if self.penalized else self.kernel

    def add(self, X: Any, targets: FloatArray, weight: FloatArray) -> None:
        """Take in a block of rows, piece by piece."""
        width = max(len(moments.mean) for moments in self.moments)
        for rows in row_slices(count_rows(X), 8 * max(width, 1)):
            part, y, w = X[rows], targets[rows], weight[rows]
            for moments, features in zip(self.moments, self._features(part), strict=True):
                moments.add(features, y, w)
            if self.low_rank is not None:
                shift = self.low_rank.maps_[0].shift
                near = part if shift is None else moved(part, shift)
                self.diagonal += float(w @ self.full_kernel.diag(near))

    def _features(self, X: Any) -> list[Any]:
        if self.low_rank is not None:
            return [features(X) for features in self.low_rank.maps_]
        dense = X.toarray() if hasattr(X, "toarray") else X
        return [with_constant(np.array(dense, dtype=np.float64, order="F"), self.penalized)]

    def fit(self, alphas: FloatArray | None) -> tuple[LeastSquaresFit, FloatArray, FloatArray]:
        """The machine of all rows so far, its GCV and degrees of freedom for each alpha.

        The rows are no longer there, so alpha is chosen by the least GCV.
        """
        one = alphas is not None and len(alphas) == 1
        solvers = [FeatureSolver(m, float(alphas[0]) if one else None) for m in self.moments]  # type: ignore[index]
        if alphas is None:
            largest = max(solver.factor.largest for solver in solvers)
            alphas = default_alphas(largest, max(m.rounding for m in self.moments))
        self.alphas = alphas
        n_outputs = len(self.moments[0].target_mean)
        dofs = [solver.dof(alphas) for solver in solvers]
        scores = [
            gcv(solver.residual_square(alphas) / n_outputs, dof, solver.moments.total)
            for solver, dof in zip(solvers, dofs, strict=True)
        ]
        score, dof = np.mean(scores, axis=0), np.mean(dofs, axis=0)
        alpha = float(alphas[score.argmin()])
        return self._assembled(solvers, alpha), score, dof

    def _assembled(self, solvers: list[FeatureSolver], alpha: float) -> LeastSquaresFit:
        solved = [solver.solve(alpha) for solver in solvers]
        condition = max(solver.factor.condition(alpha) for solver in solvers)
        residual = max(solver.residual(alpha) for solver in solvers)
        common: dict[str, Any] = {"alpha": alpha, "condition": condition, "residual": residual}
        if self.low_rank is None:
            weights, intercept = solved[0]
            if self.penalized:
                weights, intercept = weights[:-1], weights[-1]
            common |= _near(self.moments[0])
            return LeastSquaresFit(solver="primal", weights=weights, intercept=intercept, **common)
        self.low_rank.trace_error_ = self._trace_error()
        maps = self.low_rank.maps_
        coefs = [
            features.coefficients(theta) / len(maps)
            for features, (theta, _) in zip(maps, solved, strict=True)
        ]
        intercept = np.mean([bias for _, bias in solved], axis=0)
        if self.penalized:
            intercept = np.sum([coef.sum(axis=0) for coef in coefs], axis=0)
        return LeastSquaresFit(
            solver="rectangle",
            **expansion_of_maps(self.low_rank, coefs, intercept),
            low_rank=self.low_rank,
            **common,
        )

    def _trace_error(self) -> float:
        captured = np.mean([captured_trace(moments) for moments in self.moments])
        return max(1.0 - float(captured) / self.diagonal, 0.0) if self.diagonal > 0 else 0.0


def _near(moments: Moments) -> dict[str, Any]:
    """The mean of rows that are far from the origin, and the bias there: the mean target."""
    spread = float(np.trace(moments.inner)) / moments.total
    if not moments.bias or not float(moments.mean @ moments.mean) > FAR * spread:
        return {}
    return {"shift": moments.mean.copy(), "near_intercept": moments.target_mean.copy()}


def positive_rows(X: Any, weight: FloatArray) -> Any:
    """The rows landmarks may be chosen from."""
    rows = np.flatnonzero(weight > 0)
    return X if len(rows) == len(weight) else take_rows(X, rows)
