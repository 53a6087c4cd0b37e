"""What estimators over a cluster share: parameters, clones, lazy predictions."""

from __future__ import annotations

import inspect
from copy import deepcopy
from numbers import Integral
from typing import Any, ClassVar, Self

from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from mercer._sklearn import HasMethods, Interval, StrOptions
from mercer.dask.blocks import BlockReport, Blocks
from mercer.dask.inputs import check_lengths, read_partitions
from mercer.dask.lazy import lazily
from mercer.dask.reduction import Reduction
from mercer.dask.runner import Runner

__all__ = ["OWN", "DaskEstimator"]

# Parameters that the local class does not have.
OWN = frozenset({"block_size", "on_bad_block", "client"})


class DaskEstimator(BaseEstimator):
    """Fitted on a cluster; holds the local estimator that it amounts to."""

    blocks_: list[BlockReport]
    _local_class: ClassVar[type]
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "block_size": [Interval(Integral, 2, None, closed="left"), StrOptions({"auto"})],
        "on_bad_block": [StrOptions({"raise", "skip"})],
        "client": [HasMethods(["compute", "gather", "cancel"]), None],
    }

    block_size: int | str
    on_bad_block: str
    client: Any

    def __sklearn_clone__(self) -> Self:
        """A clone with the same client, which cannot be copied."""
        parameters = {
            name: value if name == "client" else clone(value, safe=False)
            for name, value in self.get_params(deep=False).items()
        }
        return type(self)(**parameters)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return state | {"client": None}

    def _make_local(self) -> Any:
        """The local estimator, not fitted, with its parameters checked."""
        own = inspect.signature(self._local_class).parameters
        given = {k: clone(v, safe=False) for k, v in self._local_parameters().items() if k in own}
        machine = self._local_class(**given)
        machine._validate_params()
        return machine

    def _local_parameters(self) -> dict[str, Any]:
        return {k: v for k, v in self.get_params(deep=False).items() if k not in OWN}

    def _passes(self, runner: Runner, X: Any, y: Any, sample_weight: Any, size: int) -> Reduction:
        """The rows in blocks of ``size``."""
        rows = read_partitions(X, "X", runner, size)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, got None")
        labels = read_partitions(y, "y", runner, size)
        weight = None
        if sample_weight is not None:
            weight = read_partitions(sample_weight, "sample_weight", runner, size)
        check_lengths(rows, {"y": labels, "sample_weight": weight})
        return Reduction(runner, Blocks(rows, labels, weight, size), self.on_bad_block)

    def _keep(self, machine: Any, passes: Reduction) -> None:
        """Keep the local estimator, and show what it has learned."""
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)
        self._local = machine
        self.blocks_ = passes.reports
        for name, value in vars(machine).items():
            if name.endswith("_") and not name.startswith("_"):
                setattr(self, name, value)

    def to_local(self) -> Any:
        """The fitted estimator of the local class: a copy that needs no cluster."""
        check_is_fitted(self)
        return deepcopy(self._local)

    def predict(self, X: Any) -> Any:
        """Predictions, lazy if the rows are: a Dask array, series or list of delayed blocks.

        Parameters
        ----------
        X : Dask array, Dask data frame, list of delayed blocks, array or data frame
            Rows. The index of a data frame is kept; rows in memory are predicted at once.
        """
        check_is_fitted(self)
        return lazily(self._local, "predict", X)
