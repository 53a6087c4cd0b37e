"""Least squares support vector regression over a cluster."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from mercer.dask.census import Census
from mercer.dask.estimator import DaskEstimator
from mercer.dask.landmarks import Sample
from mercer.dask.least_squares import DaskLeastSquares
from mercer.dask.readers import NumberReader, Reader
from mercer.dask.rlsc import DaskRLSC
from mercer.machines import LSSVR
from mercer.machines.docstrings import documented
from mercer.machines.svm.regressors import OF_CLASSES

__all__ = ["DaskLSSVR"]

FloatArray = NDArray[np.float64]


@documented(like=DaskRLSC, without=OF_CLASSES)
class DaskLSSVR(RegressorMixin, DaskLeastSquares):
    """Least squares support vector regression over a Dask cluster.

    The machine of :class:`mercer.LSSVR` with ``low_rank``; see :class:`DaskRLSC` for what is
    promised. ``robust`` must be None.

    Parameters
    ----------
    fit_intercept : {True, False, "penalized"}, default=True
        Whether there is a bias.
    robust : None, default=None
        Rows keep their weights.

    Attributes
    ----------
    loo_error_ : float or None
        Weighted mean of the squared errors of the left-out rows.

    Examples
    --------
    >>> import dask.array as da
    >>> from mercer.dask import DaskLSSVR
    >>> X = da.random.default_rng(0).normal(size=(2000, 3), chunks=(500, 3))
    >>> machine = DaskLSSVR(alpha="loo", low_rank=50).fit(X, X[:, 0] ** 2)
    >>> machine.predict(X).compute().shape
    (2000,)
    """

    _local_class = LSSVR
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LSSVR._parameter_constraints,
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
        fit_intercept: bool | Literal["penalized"] = True,
        robust: str | None = None,
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
        self.robust = robust
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
        return np.ones(1)

    def _learn_layout(self, machine: Any, sample: Sample) -> Any:
        return machine._validate_targets(sample.X, sample.y, None)[0]

    def _n_outputs(self, machine: Any, sample: Sample) -> int:
        return 1 if machine._is_flat else int(np.shape(sample.y)[1])

    def _reader(self, machine: Any) -> Reader:
        return NumberReader(machine)
