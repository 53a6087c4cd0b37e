"""Rows dealt to chunks, at random or by cells: each chunk comes together on one worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from dask import delayed
from numpy.typing import NDArray

from mercer.dask.blocks import BlockReport, Blocks, Function, Outcome, failed
from mercer.dask.inputs import joined, stacked_parts
from mercer.predictions.cells import Cells
from mercer.predictions.stacked_rows import some_rows

__all__ = ["ChunkOutcome", "Chunks", "RowAssignment"]

IndexArray = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class ChunkOutcome:
    """The result of some chunks, and the blocks that could not be assigned to chunks.

    Attributes
    ----------
    value : object or None
        It can be merged.
    bad : dict
        The reports on such blocks, by their numbers.
    """

    value: Any
    bad: dict[int, BlockReport]

    def merge(self, other: ChunkOutcome) -> ChunkOutcome:
        """Of both sets of chunks."""
        if self.value is None or other.value is None:
            return ChunkOutcome(
                other.value if self.value is None else self.value, self.bad | other.bad
            )
        return ChunkOutcome(self.value.merge(other.value), self.bad | other.bad)


class RowAssignment:
    """Which rows of a block go to which chunk.

    Parameters
    ----------
    n_chunks : int
        Chunks there are.
    seed : int
        Of the draw, together with the number of the first row of the block.
    cells : Cells or None
        None deals at random.
    overlap : float
        That of the cells.
    """

    def __init__(self, n_chunks: int, seed: int, cells: Cells | None, overlap: float) -> None:
        self.n_chunks, self.seed, self.cells, self.overlap = n_chunks, seed, cells, overlap

    def __call__(self, start: int, X: Any, y: Any, weight: Any) -> list[Any]:
        """Rows, labels and weights of each chunk; rows of weight 0 go to none."""
        used = np.arange(len(y)) if weight is None else np.flatnonzero(np.asarray(weight) > 0)
        own = [used[rows] for rows in self._rows(start, some_rows(X, used), len(used))]
        return [
            [None if part is None else some_rows(part, rows) for part in (X, y, weight)]
            for rows in own
        ]

    def _rows(self, start: int, X: Any, n: int) -> list[IndexArray]:
        if self.cells is not None:
            return self.cells.rows(X, self.overlap)
        rng = np.random.default_rng([self.seed, start])
        first = int(rng.integers(self.n_chunks))  # which chunks have a row more
        order, chunk = rng.permutation(n), (first + np.arange(n)) % self.n_chunks
        return [np.sort(order[chunk == k]) for k in range(self.n_chunks)]


class Chunks:
    """Chunks in place of blocks: the rows of all blocks that were dealt to each.

    Every block is cut once, and its pieces go to the workers that train on them: all rows travel
    once, and the workers hold them once while they train.

    Parameters
    ----------
    blocks : Blocks
        The rows.
    numbers : list of int
        The blocks that are used.
    assignment : RowAssignment
        What goes where.
    skips : bool
        Whether chunks are trained without the rows of blocks that cannot be dealt.
    """

    def __init__(
        self, blocks: Blocks, numbers: list[int], assignment: RowAssignment, key: str, skips: bool
    ) -> None:
        self.n_rows, self.n_chunks, self.skips = blocks.X.n_rows, assignment.n_chunks, skips
        shared = delayed(assignment, pure=False, traverse=False)
        self.pieces = []
        for number in numbers:
            span = blocks.span(number)
            data = [
                None if source is None else [*source.cut(*span)]
                for source in (blocks.X, blocks.y, blocks.weight)
            ]
            name = f"mercer-assignment-{key}-{number}"
            report = blocks.report(number)
            task = delayed(_assigned)(shared, number, report, data, dask_key_name=name)
            self.pieces.append(task)

    def __len__(self) -> int:
        return self.n_chunks

    def report(self, number: int, span: tuple[int, int] | None = None) -> BlockReport:
        """That a chunk is used."""
        return BlockReport(0, self.n_rows, chunk=number)

    def halves(self, number: int) -> list[tuple[int, int]]:
        """A chunk is a machine, and cannot be halved."""
        return [(number, number + 1)]

    def task(
        self,
        function: Function,
        shared: Any,
        number: int,
        key: str,
        spans: list[tuple[int, int]],
        needs_X: bool,
    ) -> Any:
        """A delayed task: the value of a chunk."""
        own = [delayed(_piece)(piece, number) for piece in self.pieces]
        return delayed(_outcome, pure=False)(
            function, shared, self.report(number), own, self.skips, dask_key_name=key
        )


def _assigned(
    assignment: RowAssignment, number: int, report: BlockReport, data: list[Any]
) -> list[Any] | Outcome:
    """The rows of a block for each chunk, or why there are none."""
    try:
        return assignment(report.start, *(None if part is None else joined(*part) for part in data))
    except Exception as error:
        return failed(number, report, error)


def _piece(dealt: list[Any] | Outcome, number: int) -> Any:
    return dealt if isinstance(dealt, Outcome) else dealt[number]


def _outcome(
    function: Function, shared: Any, report: BlockReport, pieces: list[Any], skips: bool
) -> Outcome:
    """The value of a chunk; none if there are bad blocks that are not to be left out."""
    number = report.chunk if report.chunk is not None else 0
    lost = [own for piece in pieces if isinstance(piece, Outcome) for own in piece.failures]
    bad = {block: why for block, why, _ in lost}
    if bad and not skips:
        return Outcome(ChunkOutcome(None, bad), [])
    try:
        full = [piece for piece in pieces if not isinstance(piece, Outcome) and len(piece[1])]
        X, y, weight = (
            None if part[0] is None else stacked_parts(part) for part in zip(*full, strict=True)
        )
        return Outcome(ChunkOutcome(function(shared, number, 0, X, y, weight), bad), [])
    except Exception as error:
        return failed(number, report, error)
