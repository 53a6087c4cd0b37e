"""Large chunks solved in the cache: the fast trainer."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _core
from mercer.gram import Gram
from mercer.gram.native import Precision
from mercer.problem import Certificate, Problem, Solution
from mercer.solvers.runs.certified import CertifiedRun
from mercer.solvers.runs.progress import Callback
from mercer.solvers.runs.selective_certificate import KnownGradient, selective_certificate

__all__ = ["Chunked"]

_KERNEL_ROWS = {
    "auto": _core.RowPolicy.automatic,
    "kept": _core.RowPolicy.kept,
    "computed": _core.RowPolicy.computed,
    "whole": _core.RowPolicy.full,
}

_FEW_VARIABLES = 1536


@dataclass(frozen=True)
class Chunked:
    """About a thousand variables at a time, solved on a dense square in the cache.

    SvmFu (Rifkin 2002, section 2.4) for today's hardware: kernel values are recomputed by fused
    micro-kernels instead of being stored where that is faster. Accepts every
    :class:`~mercer.Problem`.

    Parameters
    ----------
    chunk_size : int or "auto", default="auto"
        Variables solved together; "auto" is a tenth of all, between 512 and 1024. Up to twice
        as many are taken if no more are active, or once sixty chunks were not enough; up to
        three times as many if all of them stay active chunk after chunk.
    keep : float, default=0.5
        Largest share of a chunk that stays for the next one.
    shrinking : bool, default=True
        Whether to leave out variables that seem to stay at a bound.
    kernel_rows : {"auto", "kept", "computed", "whole"}, default="auto"
        Whether kernel rows of variables that move are kept in the cache of the Gram or
        computed again; "auto" keeps them where rows come back and a value costs much. No bit of a
        result depends on it.
        "whole" computes the matrix of all rows once, for all problems on the Gram.
    single_only : bool, default=False
        Whether to end, at the limit of precision, where double precision would have to go on.

    Examples
    --------
    >>> from mercer import SVC, Chunked
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> SVC(solver=Chunked(chunk_size=512)).fit(X, y).solver_
    'chunked'
    """

    chunk_size: int | Literal["auto"] = "auto"
    keep: float = 0.5
    shrinking: bool = True
    kernel_rows: Literal["auto", "kept", "computed", "whole"] = "auto"
    single_only: bool = False

    def __post_init__(self) -> None:
        if self.chunk_size != "auto" and not (
            isinstance(self.chunk_size, Integral) and self.chunk_size >= 2
        ):
            raise ValueError(
                f"chunk_size must be an integer of at least 2 or 'auto', got {self.chunk_size!r}"
            )
        if not (isinstance(self.keep, Real) and 0 <= self.keep < 1):
            raise ValueError(f"keep must lie in [0, 1), got {self.keep!r}")
        if self.kernel_rows not in tuple(_KERNEL_ROWS):
            raise ValueError(
                f"kernel_rows must be one of {sorted(_KERNEL_ROWS)}, got {self.kernel_rows!r}"
            )

    name = "chunked"

    def size_for(self, n_variables: int) -> int:
        """Variables of a chunk of a problem."""
        size = self.chunk_size
        wanted = min(max(n_variables // 10, 512), 1024) if size == "auto" else size
        return min(wanted, max(n_variables, 2))

    def solve(
        self,
        problem: Problem,
        gram: Gram,
        *,
        start: ArrayLike | None = None,
        tol: float = 1e-3,
        max_iter: int = -1,
        max_time: float | None = None,
        callback: Callback | None = None,
        start_gradient: KnownGradient | None = None,
        may_start_at_zero: bool = False,
    ) -> Solution:
        """Solve ``problem`` with the kernel values of ``gram``.

        ``start_gradient`` is the gradient at ``start``, if that is known. With
        ``may_start_at_zero`` a start from which the way back to zero leads upwards is not taken.
        """
        run = _Run(
            self,
            problem,
            gram,
            start,
            tol,
            max_iter,
            max_time,
            callback,
            start_gradient=start_gradient,
        )
        run.may_start_at_zero = may_start_at_zero
        return run.solution()


class _Run(CertifiedRun):
    name = "chunked"
    may_start_at_zero = False

    def __init__(self, solver: Chunked, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.solver = solver
        self.single_only = solver.single_only
        if solver.kernel_rows == "whole":
            # steps are cheaper than a certificate that a small sample does not allow
            self.single_share = 0.8

    def first_precision(self) -> Precision:
        """A whole matrix of single precision takes half the cache."""
        if self.single_only:
            return "single"
        whole = self.solver.kernel_rows == "whole" and not self.gram.precision_is_given
        return "single" if whole and self.gram.fits_single else super().first_precision()

    def certificate(self, precision: Precision) -> Certificate:
        """That of a small problem must not cost more than its solution.

        One of many on a whole matrix shares the kernel rows of its sample with the others.
        """
        is_whole = self.solver.kernel_rows == "whole"
        if not (is_whole or self.single_only) or self.gradient is None:
            return super().certificate(precision)
        may_polish = self.single_only and self.status == "converged"
        return selective_certificate(
            self.problem,
            self.gram,
            self.coef,
            self.gradient,
            self.anchor,
            precision,
            enough=self.tol,
            keeps_sample=is_whole and not self.single_only,
            steps=(self.trace["iterations"], self.trace["newton_steps"]) if may_polish else None,
        )

    def _kernel_rows(self, precision: Precision) -> str:
        """No second matrix, of twice the size, for what single precision left.

        A grid of 10 C x 10 gamma, five folds, 2,000 x 2 rows takes 3.3 s and not 4.2.
        """
        rows = self.solver.kernel_rows
        is_second = precision == "double" and self.first_precision() == "single"
        return "auto" if rows == "whole" and is_second else rows

    def _may_be_easy(self, precision: Precision) -> bool:
        """Whether to look first whether a few rows will do, of a matrix that takes long.

        Milliseconds with and without (C = 1, the classes 0 and 1 of digits and of two of satimage,
        4 % support vectors; the others are hard and have 25 to 53 %):

            usps 2,822 x 256    9.7 16.6    mushrooms 2,400 x 112    9.8 8.7
            satimage 2,891 x 36 2.3  5.2    spambase 2,400 x 57      6.1 5.5
        """
        return self.solver.kernel_rows == "whole" and precision == "single"

    def native_run(
        self, precision: Precision, tolerance: float, gradient: NDArray[np.float64] | None
    ) -> _core.ChunkedResult:
        n_variables = self.problem.n_variables
        options = _core.ChunkedOptions()
        options.tolerance = tolerance
        options.chunk_size = self.solver.size_for(n_variables)
        options.keep = int(self.solver.keep * options.chunk_size)
        options.max_iterations = max(self.left, 0)
        options.max_seconds = self.deadline.seconds_left
        options.shrinking = self.solver.shrinking
        options.kernel_rows = _KERNEL_ROWS[self._kernel_rows(precision)]
        if n_variables > _FEW_VARIABLES:
            options.few_rows_first = self._may_be_easy(precision)
        options.gradient_error = self.anchor.error  # used if a gradient is given
        options.may_start_at_zero, self.may_start_at_zero = self.may_start_at_zero, False
        self.gradient = np.empty(n_variables)
        return _core.chunked_solve(
            self.problem._native,
            self.gram.native(precision),
            options,
            self.coef,
            gradient,
            self.gradient,
            self.monitor(),
        )
