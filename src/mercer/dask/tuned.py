"""A support vector machine that is tuned on a sample and trained on chunks."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from dask import delayed
from sklearn.base import ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from mercer._sklearn import Interval, StrOptions
from mercer.dask.ensemble import BLOCK, offers, train_chunks
from mercer.dask.estimator import DaskEstimator
from mercer.dask.landmarks import Sample, draw_rows, fetch_rows
from mercer.dask.lazy import lazily
from mercer.dask.runner import make_runner
from mercer.machines import SVC
from mercer.machines.fit_context import fit_context
from mercer.predictions import ChunkedEnsemble
from mercer.predictions.given_rows import with_one_thread
from mercer.selection import TunedSVC

__all__ = ["DaskTunedSVC"]


class DaskTunedSVC(ClassifierMixin, DaskEstimator):
    """A support vector machine whose C and kernel are tuned on a sample of a cluster's rows.

    The search runs on one worker, on rows drawn uniformly. What is best there is trained on
    random chunks of all rows, whose decision values are averaged, or left as it is. C and the
    kernel are the best for as many rows as the sample has: chunks of about that size suit them.

    Parameters
    ----------
    estimator : TunedSVC, default=None
        The search; None means :class:`mercer.TunedSVC` with its defaults.
    sample_size : int, default=10000
        Rows that the search sees.
    final : {"chunks", "sample"}, default="chunks"
        Whether the machine is trained on all rows, in chunks, or is that of the sample.
    chunk_size : int, default=None
        Rows of a chunk; None means ``sample_size``.
    random_state : int, RandomState or None, default=None
        Draws the sample, and deals the rows.
    block_size : int or "auto", default="auto"
        Rows of a block, from which chunks are dealt; "auto" is 16,384.
    on_bad_block : {"raise", "skip"}, default="raise"
        What is done with a block or chunk that raises, or that ends its worker again and again.
    client : distributed.Client, default=None
        None means the current client, or threads of this process if there is none.

    Attributes
    ----------
    search_ : TunedSVC
        The search, fitted to the sample, without weights.
    best_params_ : dict
        What it found.
    best_score_ : float
        Its score.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    blocks_ : list of BlockReport
        What became of each block or chunk.

    Examples
    --------
    >>> import dask.array as da
    >>> from mercer import TunedSVC
    >>> from mercer.dask import DaskTunedSVC
    >>> X = da.random.default_rng(0).normal(size=(900, 2), chunks=(300, 2))
    >>> search = TunedSVC(cv=2, max_evals=3)
    >>> machine = DaskTunedSVC(search, sample_size=300, random_state=0)
    >>> machine.fit(X, (X[:, 0] > 0).astype(int)).predict(X).compute().shape
    (900,)
    """

    _local_class = ChunkedEnsemble
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [TunedSVC, None],
        "sample_size": [Interval(Integral, 2, None, closed="left")],
        "final": [StrOptions({"chunks", "sample"})],
        "chunk_size": [Interval(Integral, 1, None, closed="left"), None],
        "random_state": ["random_state"],
        **DaskEstimator._parameter_constraints,
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        sample_size: int = 10_000,
        final: str = "chunks",
        chunk_size: int | None = None,
        random_state: Any = None,
        block_size: int | str = "auto",
        on_bad_block: str = "raise",
        client: Any = None,
    ) -> None:
        self.estimator = estimator
        self.sample_size = sample_size
        self.final = final
        self.chunk_size = chunk_size
        self.random_state = random_state
        self.block_size = block_size
        self.on_bad_block = on_bad_block
        self.client = client

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Tune on a sample, then train.

        Parameters
        ----------
        X : Dask array, Dask data frame, list of delayed blocks, array or data frame
            Training rows, dense or sparse, in any partition.
        y : the same, of one column
            Labels.

        Returns
        -------
        self : object
        """
        rng = check_random_state(self.random_state)
        own = np.random.default_rng(rng.randint(2**31))
        size = BLOCK if isinstance(self.block_size, str) else int(self.block_size)
        search = with_one_thread(TunedSVC() if self.estimator is None else clone(self.estimator))
        with make_runner(self.client) as runner:
            passes = self._passes(runner, X, y, None, size)
            choose = lambda n: draw_rows(n, self.sample_size, own)  # noqa: E731
            sample = fetch_rows(passes, SVC(), choose, None)
            task = delayed(_searched, pure=False)(runner.share((search, sample)))
            search = runner.results([task])[0]
            local = search
            if self.final == "chunks":
                local = ChunkedEnsemble(
                    clone(search.best_estimator_),
                    chunk_size=self.chunk_size or self.sample_size,
                    partition="random",
                    combine="average",
                    random_state=rng.randint(2**31),
                )
                train_chunks(local, runner, passes)
        self._keep(local, passes)
        self.search_ = search
        self.best_params_, self.best_score_ = search.best_params_, search.best_score_
        return self

    @offers("decision_function")
    def decision_function(self, X: Any) -> Any:
        """Decision values, lazy if the rows are."""
        check_is_fitted(self)
        return lazily(self._local, "decision_function", X)

    @offers("predict_proba")
    def predict_proba(self, X: Any) -> Any:
        """Probability of each class, lazy if the rows are; with ``final="sample"`` only."""
        check_is_fitted(self)
        return lazily(self._local, "predict_proba", X)


def _searched(shared: tuple[TunedSVC, Sample]) -> TunedSVC:
    search, sample = shared
    return search.fit(sample.X, np.asarray(sample.y))
