"""Regularized least-squares classification over a cluster."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer.dask.census import Census
from mercer.dask.estimator import DaskEstimator
from mercer.dask.landmarks import Sample
from mercer.dask.lazy import lazily
from mercer.dask.least_squares import DaskLeastSquares
from mercer.dask.left_out import LeftOut
from mercer.dask.readers import ClassReader, Reader
from mercer.least_squares.scan import Scan
from mercer.machines import RLSC
from mercer.machines.docstrings import documented
from mercer.machines.least_squares.temperature import can_calibrate
from mercer.training.classes import check_weighted_classes, weigh_classes
from mercer.training.rows import read_training_rows

__all__ = ["DaskRLSC"]

FloatArray = NDArray[np.float64]


@documented(like=RLSC, without=("support_", "multilabel_"))
class DaskRLSC(ClassifierMixin, DaskLeastSquares):
    """Regularized least-squares classification over a Dask cluster.

    The machine of :class:`mercer.RLSC` with ``low_rank``, equal to it for the same landmarks. The
    normal equations of the landmarks are summed over blocks of rows in a tree that depends on
    the number of rows alone, so the result has the same bytes for any number of workers,
    any order in which they finish, and any partition of the rows; a lost worker costs the time
    to do its blocks again. The parameters ``solver``, ``scoring``, ``sparse``, ``penalty`` and
    ``max_time`` must have their defaults.

    Parameters
    ----------
    low_rank : int, LowRank or None, default=500
        Landmarks, with ``method="rectangle"`` and one model: as many random rows, which are those
        of the local machine, or as the object says; every choice but "random" is made among
        ten times as many rows. None for ``kernel="linear"``.
    loo : bool, default=True
        Whether there is a second pass for leave-one-out errors and probabilities, if alpha is
        one number or "gcv". A grid by leave-one-out errors always has one.
    block_size : int or "auto", default="auto"
        Rows of a block; "auto" depends on the rank, 16,384 for 500 landmarks. Results of
        different sizes differ by rounding.
    on_bad_block : {"raise", "skip"}, default="raise"
        What is done with a block that raises, or that ends its worker again and again: an error
        with its rows, or a warning and an entry of ``blocks_``.
    client : distributed.Client, default=None
        None means the current client, or threads of this process if there is none.

    Attributes
    ----------
    loo_values_ : None
        They are not kept.
    probability_slope_ : float
        Slope of the probabilities, from left-out values of up to 65,536 rows.
    blocks_ : list of BlockReport
        Rows of each block, whether it was "used", "halved" or "skipped", and why.

    Examples
    --------
    >>> import dask.array as da
    >>> from mercer.dask import DaskRLSC
    >>> X = da.random.default_rng(0).normal(size=(2000, 3), chunks=(500, 3))
    >>> machine = DaskRLSC(alpha="gcv", low_rank=50).fit(X, (X[:, 0] > 0).astype(int))
    >>> machine.predict(X).compute().shape
    (2000,)
    """

    _local_class = RLSC
    _has_classes = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RLSC._parameter_constraints,
        **DaskEstimator._parameter_constraints,
    }

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        fit_intercept: bool | Literal["penalized"] = False,
        class_weight: Any = None,
        multiclass: str = "one-vs-all",
        code: Any = "dense",
        decoding: str = "auto",
        low_rank: Any = 500,
        solver: Any = "auto",
        penalty: str = "norm",
        sparse: str | None = None,
        loo: bool = True,
        scoring: Any = None,
        tol: float = 1e-6,
        max_iter: int = -1,
        max_time: float | None = None,
        precision: str = "auto",
        n_threads: int | None = None,
        block_size: int | str = "auto",
        on_bad_block: str = "raise",
        client: Any = None,
    ) -> None:
        self.alpha = alpha
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.multiclass = multiclass
        self.code = code
        self.decoding = decoding
        self.low_rank = low_rank
        self.solver = solver
        self.penalty = penalty
        self.sparse = sparse
        self.loo = loo
        self.scoring = scoring
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.precision = precision
        self.n_threads = n_threads
        self.block_size = block_size
        self.on_bad_block = on_bad_block
        self.client = client

    def _learn_classes(self, machine: Any, census: Census | None) -> FloatArray:
        assert census is not None
        classes, total = census.classes, census.total
        check_weighted_classes(classes, np.arange(len(classes)), total)
        machine.classes_, machine.multilabel_ = classes, False
        machine.class_weight_ = weigh_classes(machine.class_weight, classes, classes, total)
        machine._keep_scheme(len(classes))
        if machine._has_columns:
            raise ValueError(
                "multiclass must be 'one-vs-all' or a code without zeros on a cluster, got "
                f"{machine.multiclass!r}"
            )
        weight: FloatArray = machine.class_weight_
        return weight

    def _learn_layout(self, machine: Any, sample: Sample) -> Any:
        return read_training_rows(machine, sample.X, np.asarray(sample.y), None)[0]

    def _n_outputs(self, machine: Any, sample: Sample) -> int:
        return int(machine._targets(np.zeros(1, dtype=np.intp)).shape[1])

    def _reader(self, machine: Any) -> Reader:
        return ClassReader(machine)

    def _keep_scan(self, machine: Any, scan: Scan, found: LeftOut) -> None:
        super()._keep_scan(machine, scan, found)
        machine._calibrate(scan, *found.kept_rows())

    def decision_function(self, X: Any) -> Any:
        """Decision values as those of :class:`mercer.RLSC`, lazy if the rows are."""
        check_is_fitted(self)
        return lazily(self._local, "decision_function", X)

    @available_if(lambda self: can_calibrate(getattr(self, "_local", self)))
    def predict_proba(self, X: Any) -> Any:
        """Probability of each class, columns as in ``classes_``, lazy if the rows are."""
        check_is_fitted(self)
        return lazily(self._local, "predict_proba", X)
