"""Machines on chunks or cells of the rows of a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self
from uuid import uuid4

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer._sklearn import StrOptions
from mercer.dask.census import Census, count_rows_of_block
from mercer.dask.chunks import ChunkOutcome, Chunks, RowAssignment
from mercer.dask.estimator import DaskEstimator
from mercer.dask.landmarks import draw_rows, fetch_rows
from mercer.dask.lazy import lazily
from mercer.dask.reduction import Reduction
from mercer.dask.runner import Runner, make_runner
from mercer.machines import SVC
from mercer.machines.docstrings import documented
from mercer.machines.fit_context import fit_context
from mercer.predictions import ChunkedEnsemble, chunk_fits
from mercer.predictions.cells import MOST, Cells, make_cells
from mercer.predictions.class_values import OneClass
from mercer.training.classes import check_weighted_classes

__all__ = ["DaskChunkedEnsemble", "offers"]

# Rows of a block, from which chunks are dealt.
BLOCK = 2**14


@dataclass(frozen=True, eq=False)
class Members:
    """Machines of some chunks, with the number of the chunk and its rows."""

    found: list[tuple[int, int, list[Any]]]

    def merge(self, other: Members) -> Members:
        """Of both sets of chunks."""
        return Members(self.found + other.found)


def fit_chunk(ensemble: Any, number: int, start: int, X: Any, y: Any, weight: Any) -> Members:
    """The machines of a chunk, as the local ensemble trains them."""
    given = None if weight is None else np.asarray(weight, dtype=np.float64)
    own = [chunk_fits.fit_chunk(one, X, np.asarray(y), given, True) for one in ensemble._machines]
    return Members([(number, len(y), own)])


def offers(method: str) -> Any:
    """Whether the local estimator has a method, fitted or not."""

    def has(estimator: Any) -> bool:
        local = vars(estimator).get("_local")
        return local is None or hasattr(local, method)

    return available_if(has)


@documented(like=ChunkedEnsemble)
class DaskChunkedEnsemble(ClassifierMixin, DaskEstimator):
    """Classifiers on chunks or cells of rows that are spread over a Dask cluster.

    As :class:`mercer.ChunkedEnsemble`; chunks are dealt within each block of rows, by a seed of
    its own, so that the result depends neither on workers nor on partitions.

    Parameters
    ----------
    partition : {"random", "cells"}, default="random"
        Whether rows are dealt at random, or by cells of landmarks, which are drawn from up to
        20,000 rows.
    n_jobs : None, default=None
        Chunks are trained on the workers.
    block_size : int or "auto", default="auto"
        Rows of a block, from which chunks are dealt; "auto" is 16,384.
    on_bad_block : {"raise", "skip"}, default="raise"
        What is done with a block or chunk that raises, or that ends its worker again and again: an
        error, or a warning and an entry of ``blocks_``.
    client : distributed.Client, default=None
        None means the current client, or threads of this process if there is none.

    Attributes
    ----------
    blocks_ : list of BlockReport
        What became of each chunk, and of blocks that were not used.

    Examples
    --------
    >>> import dask.array as da
    >>> from mercer import SVC
    >>> from mercer.dask import DaskChunkedEnsemble
    >>> X = da.random.default_rng(0).normal(size=(2000, 3), chunks=(500, 3))
    >>> machine = DaskChunkedEnsemble(SVC(), n_chunks=4, combine="average", random_state=0)
    >>> machine.fit(X, (X[:, 0] > 0).astype(int)).predict(X).compute().shape
    (2000,)
    """

    _local_class = ChunkedEnsemble
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **ChunkedEnsemble._parameter_constraints,
        "partition": [StrOptions({"random", "cells"})],
        **DaskEstimator._parameter_constraints,
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_chunks: int = 1,
        chunk_size: int | None = None,
        partition: str = "random",
        combine: str = "auto",
        overlap: float = 0.0,
        n_jobs: int | None = None,
        random_state: Any = None,
        block_size: int | str = "auto",
        on_bad_block: str = "raise",
        client: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_chunks = n_chunks
        self.chunk_size = chunk_size
        self.partition = partition
        self.combine = combine
        self.overlap = overlap
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.block_size = block_size
        self.on_bad_block = on_bad_block
        self.client = client

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit all classifiers to all chunks, each on a worker.

        Parameters
        ----------
        X : Dask array, Dask data frame, list of delayed blocks, array or data frame
            Training rows, dense or sparse, in any partition.
        y : the same, of one column
            Labels.
        sample_weight : the same, default=None
            Weights, if the classifiers take any.

        Returns
        -------
        self : object
        """
        ensemble = self._make_local()
        ensemble._check_machines()
        size = BLOCK if isinstance(self.block_size, str) else int(self.block_size)
        with make_runner(self.client) as runner:
            passes = self._passes(runner, X, y, sample_weight, size)
            train_chunks(ensemble, runner, passes)
        self._keep(ensemble, passes)
        return self

    @offers("decision_function")
    def decision_function(self, X: Any) -> Any:
        """Averaged decision values, lazy if the rows are."""
        check_is_fitted(self)
        return lazily(self._local, "decision_function", X)

    @offers("predict_proba")
    def predict_proba(self, X: Any) -> Any:
        """Probability of each class, columns as in ``classes_``, lazy if the rows are."""
        check_is_fitted(self)
        return lazily(self._local, "predict_proba", X)


def train_chunks(ensemble: Any, runner: Runner, passes: Reduction) -> None:
    """Deal the rows, train on every chunk, and keep the machines in a local ensemble."""
    census: Census = passes.run("census", count_rows_of_block, (None, True, False), needs_X=False)
    check_weighted_classes(census.classes, np.arange(len(census.classes)), census.total)
    ensemble.classes_ = census.classes
    rng = check_random_state(ensemble.random_state)
    n = sum(census.positive.values())
    wanted = ensemble.n_chunks if ensemble.chunk_size is None else -(-n // ensemble.chunk_size)
    cells = _cells(passes, census, min(wanted, n), rng) if ensemble._has_cells else None
    wanted = wanted if cells is None else len(cells.centers)
    assignment = RowAssignment(wanted, int(rng.randint(2**31)), cells, ensemble.overlap)
    used = [k for k, report in enumerate(passes.reports) if report.status != "skipped"]
    skips = passes.on_bad_block == "skip"
    chunks = Chunks(passes.blocks, used, assignment, uuid4().hex[:12], skips)
    dealt = Reduction(runner, chunks, passes.on_bad_block)
    found: ChunkOutcome = dealt.run("chunk", fit_chunk, ensemble)
    for number in sorted(found.bad):
        passes.note(number, found.bad[number])
    _keep_members(ensemble, found.value, cells)
    bad = [report for report in passes.reports if report.status == "skipped"]
    passes.reports = dealt.reports + bad


def _cells(passes: Reduction, census: Census, wanted: int, rng: Any) -> Cells:
    """Cells of landmarks among some of the rows."""
    own = np.random.default_rng(rng.randint(2**31))
    choose = lambda n: draw_rows(n, MOST, own)  # noqa: E731
    weighted = None if passes.blocks.weight is None else census.positive
    sample = fetch_rows(passes, SVC(), choose, weighted)
    return make_cells(sample.X, wanted, rng)


def _keep_members(ensemble: Any, members: Members, cells: Cells | None) -> None:
    found = sorted(members.found, key=lambda own: own[0])
    ensemble.chunk_sizes_ = np.array([n for _, n, _ in found])
    ensemble.estimators_ = [machine for _, _, own in found for machine in own]
    if cells is not None:
        ensemble.cells_ = Cells(cells.centers[[number for number, _, _ in found]])
    for machine in ensemble.estimators_:
        if isinstance(machine, OneClass):
            continue
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(machine, name):
                setattr(ensemble, name, getattr(machine, name))
