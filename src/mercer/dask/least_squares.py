"""Least squares over a cluster: low-rank normal equations by one tree of sums."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgWarning

from mercer._warning import warn
from mercer.dask.census import Census, count_rows_of_block
from mercer.dask.estimator import DaskEstimator
from mercer.dask.landmarks import Sample, fetch_rows, landmark_rows, with_landmarks
from mercer.dask.left_out import LeftOut, LeftOutTask, leave_out_block
from mercer.dask.normal_equations import NormalEquations, add_block
from mercer.dask.readers import Reader
from mercer.dask.reduction import Reduction
from mercer.dask.runner import make_runner
from mercer.dask.threads import one_blas_thread
from mercer.kernels import Kernel
from mercer.least_squares.features import FeatureSolver
from mercer.least_squares.scan import Scan, default_alphas
from mercer.lowrank import LowRank
from mercer.machines.fit_context import fit_context
from mercer.machines.kernel_values import resolve_kernel
from mercer.machines.least_squares.streaming import Stream, can_stream
from mercer.training.rows import is_precomputed, takes_objects

__all__ = ["DaskLeastSquares"]

FloatArray = NDArray[np.float64]

# Numbers that the features of a block take, and rows of it.
FEATURES, FEWEST, MOST = 2**23, 2**10, 2**16
# Parameters of the local machines that say nothing here, and the values that they may have.
IDLE = {"solver": "auto", "scoring": None, "max_time": None, "robust": None, "precision": "auto"}


class DaskLeastSquares(DaskEstimator):
    """What DaskRLSC and DaskLSSVR share: everything but the meaning of the targets."""

    low_rank: Any
    loo: bool

    def _learn_classes(self, machine: Any, census: Census | None) -> FloatArray:
        """Keep the classes, if there are any; their weights, one if there are none."""
        raise NotImplementedError

    def _learn_layout(self, machine: Any, sample: Sample) -> Any:
        """Learn width and names of the rows from some; these rows, checked."""
        raise NotImplementedError

    def _reader(self, machine: Any) -> Reader:
        raise NotImplementedError

    _has_classes = False

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the machine in passes over the rows, none of which is kept.

        Parameters
        ----------
        X : Dask array, Dask data frame, list of delayed blocks, array or data frame
            Training rows, dense or sparse, in any partition.
        y : the same, of one column or several
            Labels or targets.
        sample_weight : the same, of one column, default=None
            Weights; a weight of 2 is the same as the row given twice.

        Returns
        -------
        self : object
        """
        machine = self._make_local()
        self._check(machine)
        with make_runner(self.client) as runner:
            passes = self._passes(runner, X, y, sample_weight, self._block_rows(machine))
            census = self._take_census(machine, passes)
            class_weight = self._learn_classes(machine, census)
            positive = census.positive if census is not None and sample_weight is not None else None
            stream = self._stream(machine, passes, census, class_weight, positive)
            reader = self._reader(machine)
            sums: NormalEquations = passes.run("moments", add_block, (reader, stream))
            with one_blas_thread():
                self._solve(machine, passes, stream, sums, reader)
        self._keep(machine, passes)
        return self

    def _check(self, machine: Any) -> None:
        """Refuse what cannot be done in passes over blocks, before the first."""
        can_stream(machine)
        for name, value in IDLE.items():
            if getattr(machine, name, value) != value:
                allowed = (value, "double") if name == "precision" else (value,)
                if getattr(machine, name) not in allowed:
                    raise ValueError(
                        f"{name} must be {value!r} on a cluster, got {getattr(machine, name)!r}"
                    )
        if is_precomputed(machine.kernel) or takes_objects(machine.kernel):
            raise ValueError(f"kernel must be one of rows of numbers, got {machine.kernel!r}")
        low_rank = machine._low_rank()
        if low_rank is not None and low_rank.n_models != 1:
            raise ValueError(f"n_models of low_rank must be 1, got {low_rank.n_models}")
        machine._alphas()

    def _block_rows(self, machine: Any) -> int:
        """Rows of a block, which depend on the rank and on nothing else."""
        if isinstance(self.block_size, Integral):
            return int(self.block_size)
        low_rank = machine._low_rank()
        rows = FEATURES // (100 if low_rank is None else low_rank.size)
        return 2 ** int(np.log2(np.clip(rows, FEWEST, MOST)))

    def _has_rule(self, machine: Any) -> bool:
        """Whether gamma depends on the spread of all rows."""
        named = isinstance(machine.kernel, str) and machine.kernel != "linear"
        return named and isinstance(machine.gamma, str) and machine.gamma == "scale"

    def _take_census(self, machine: Any, passes: Reduction) -> Census | None:
        has_rule = self._has_rule(machine)
        if not (self._has_classes or has_rule or passes.blocks.weight is not None):
            return None
        shared = (machine, self._has_classes, has_rule)
        census: Census = passes.run("census", count_rows_of_block, shared, needs_X=has_rule)
        if not census.total.sum() > 0:
            raise ValueError("sample_weight must be positive for some row, got only zeros")
        return census

    def _stream(
        self,
        machine: Any,
        passes: Reduction,
        census: Census | None,
        class_weight: FloatArray,
        positive: dict[int, int] | None,
    ) -> Stream:
        """The features: those of the landmarks, or of the rows of a linear kernel."""
        given: LowRank | None = machine._low_rank()
        if given is not None and given.has_positions:
            positive = None  # they count all rows
        sample = fetch_rows(passes, machine, lambda n: landmark_rows(given, n), positive)
        rows = self._learn_layout(machine, sample)
        with one_blas_thread():
            kernel = self._kernel(machine, rows, census, class_weight)
            stream = Stream(
                kernel,
                rows,
                self._n_outputs(machine, sample),
                with_landmarks(given, sample),
                bias=machine.fit_intercept is True,
                penalized=machine.fit_intercept == "penalized",
                n_threads=machine.n_threads or 1,
            )
        if given is not None and stream.low_rank is not None:
            if given.has_positions or isinstance(given.basis, str):
                found = stream.low_rank.basis_
                stream.low_rank.basis_ = tuple(sample.positions[own] for own in found)
            stream.low_rank.set_params(basis=given.basis, rank=given.rank)
        machine.shape_fit_ = (passes.blocks.X.n_rows, *np.shape(rows)[1:])
        return stream

    def _kernel(
        self, machine: Any, rows: Any, census: Census | None, class_weight: FloatArray
    ) -> Kernel:
        """The kernel; gamma="scale" is that of all rows, other rules are those of a sample."""
        ones = np.ones(rows.shape[0])
        if not self._has_rule(machine) or census is None:
            kernel: Kernel = resolve_kernel(machine, rows, ones)
            return kernel
        spread = rows.shape[1] * census.variance(class_weight)
        rule, machine.gamma = machine.gamma, 1.0 / spread if spread > 0 else 1.0
        kernel = resolve_kernel(machine, rows, ones)
        machine.gamma = rule
        return kernel

    def _n_outputs(self, machine: Any, sample: Sample) -> int:
        raise NotImplementedError

    def _solve(
        self,
        machine: Any,
        passes: Reduction,
        stream: Stream,
        sums: NormalEquations,
        reader: Reader,
    ) -> None:
        """Choose alpha, solve, and keep the machine with its diagnostics."""
        stream.moments, stream.diagonal = [sums.moments], sums.diagonal
        alphas = machine._alphas()
        by_gcv = isinstance(machine.alpha, str) and machine.alpha == "gcv"
        if machine.loo or not (by_gcv or (alphas is not None and len(alphas) == 1)):
            one = alphas is not None and len(alphas) == 1
            solver = FeatureSolver(sums.moments, float(alphas[0]) if one else None)
            if alphas is None:
                alphas = default_alphas(solver.factor.largest, sums.moments.rounding)
            found = self._leave_out(passes, stream, solver, alphas, reader)
            scan = found.scan(solver, alphas, by_gcv)
            self._keep_scan(machine, scan, found)
            fit, *_ = stream.fit(alphas[[scan.best]])
        else:
            fit, scores, dofs = stream.fit(alphas)
            machine.alphas_, best = stream.alphas, int(scores.argmin())
            machine.loo_errors_ = machine.loo_error_ = None
            machine.gcv_, machine.dof_ = float(scores[best]), float(dofs[best])
        machine._keep_fit(fit, stream.kernel, None, np.empty(0, dtype=np.intp))
        machine.loo_values_ = machine.loo_scores_ = None

    def _leave_out(
        self,
        passes: Reduction,
        stream: Stream,
        solver: FeatureSolver,
        alphas: FloatArray,
        reader: Reader,
    ) -> LeftOut:
        n_values = len(alphas) * solver.z.shape[1]
        every = LeftOutTask.spacing(passes.blocks.X.n_rows, n_values)
        task = LeftOutTask(reader, stream.emptied(), solver, alphas, every)
        found: LeftOut = passes.run("left-out", leave_out_block, task)
        return found

    def _keep_scan(self, machine: Any, scan: Scan, found: LeftOut) -> None:
        """Errors of left-out rows and GCV of the alpha used."""
        machine.alphas_, machine.loo_errors_ = scan.alphas, scan.errors
        machine.loo_error_ = float(scan.errors[scan.best])
        machine.gcv_, machine.dof_ = float(scan.gcv[scan.best]), float(scan.dof[scan.best])
        close = int(found.close[scan.best])
        if close:
            warn(
                f"{close} rows have nearly all of their leverage on themselves: their left-out "
                f"values are inaccurate. A larger alpha (now {scan.alphas[scan.best]:g}) helps",
                LinAlgWarning,
            )
