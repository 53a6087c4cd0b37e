"""Least squares machines that learn from a stream of blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.machines.kernel_values import resolve_kernel
from mercer.machines.least_squares.machine import (
    LeastSquaresMachine,
    check_extremes,
    count_all_rows,
)
from mercer.machines.least_squares.streaming import Stream, positive_rows
from mercer.training.rows import is_precomputed

__all__ = ["StreamedMachine"]

FloatArray = NDArray[np.float64]

# What is worked out from the moments of all rows so far.
LEARNED = frozenset((
    "alpha_", "alphas_", "coef_", "condition_", "dof_", "dual_coef_", "gcv_", "intercept_",
    "kernel_", "loo_error_", "loo_errors_", "loo_scores_", "loo_values_", "low_rank_",
    "n_iter_", "residual_", "solver_", "support_", "support_vectors_", "_expansions",
    "_near_intercept", "_shift",
))  # fmt: skip


class StreamedMachine(LeastSquaresMachine):
    """Takes in blocks of rows; solves when something of the solution is asked for.

    A block costs its features and their moments only. The O(rank^3) of a solution is paid once
    after the last block, or once each time the machine is looked at on the way.
    """

    def _stream_block(self, X: Any, targets: FloatArray, weight: FloatArray, first: bool) -> None:
        """Take in one block of a stream."""
        self._alphas()
        if isinstance(self.alpha, str) and self.alpha == "loo":
            raise ValueError(
                "alpha must be numbers or 'gcv' in partial_fit, got 'loo': rows that are gone "
                "cannot be left out"
            )
        if self.scoring is not None:
            raise ValueError(
                f"scoring must be None in partial_fit, got {self.scoring!r}: rows that are gone "
                "cannot be left out"
            )
        check_extremes(weight)
        if is_precomputed(self.kernel):
            raise ValueError("partial_fit needs rows, got kernel='precomputed'")
        if first:
            self._stream = Stream(
                resolve_kernel(self, X, weight),
                positive_rows(X, weight),
                targets.shape[1],
                self._low_rank(),
                bias=self.fit_intercept is True,
                penalized=self.fit_intercept == "penalized",
                n_threads=self.n_threads,
            )
            count_all_rows(self._stream.low_rank, np.flatnonzero(weight > 0))
            self.n_samples_seen_ = 0
        self._stream.add(X, targets, weight)
        self.n_samples_seen_ += len(weight)
        self.shape_fit_ = (self.n_samples_seen_, *np.shape(X)[1:])
        for name in LEARNED:
            self.__dict__.pop(name, None)

    def __getattr__(self, name: str) -> Any:
        """The machine of all rows so far, on first use."""
        if name in LEARNED and "_stream" in self.__dict__ and "alpha_" not in self.__dict__:
            self._solve_stream()
            return getattr(self, name)
        for owner in type(self).__mro__:
            if name in vars(owner):
                # Python asks here when a method says why it is not there: let it say so
                return vars(owner)[name].__get__(self, type(self))
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _solve_stream(self) -> None:
        fit, scores, dofs = self._stream.fit(self._alphas())
        best = int(scores.argmin())
        self._keep_fit(fit, self._stream.kernel, None, np.empty(0, dtype=np.intp))
        self.alphas_ = self._stream.alphas
        self.loo_values_ = self.loo_errors_ = self.loo_error_ = self.loo_scores_ = None
        self.gcv_, self.dof_ = float(scores[best]), float(dofs[best])
