"""Blocks of rows by their numbers, and what became of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from dask import delayed

from mercer.dask.inputs import Partitions, joined
from mercer.dask.threads import one_blas_thread

__all__ = ["BlockError", "BlockReport", "Blocks", "Outcome", "failed", "merged"]


@dataclass(frozen=True)
class BlockReport:
    """The result of a block of rows.

    Attributes
    ----------
    start, stop : int
        Its rows, counted over all partitions, the last excluded.
    status : {"used", "halved", "skipped"}
        Whether its rows count; a block that took the memory or the worker away was tried again
        in halves.
    reason : str
        Why it was halved or skipped.
    chunk : int or None
        Number of a chunk of rows that were dealt at random, or of a cell; start and stop are then
        those of all rows.

    Examples
    --------
    >>> from mercer.dask import BlockReport
    >>> BlockReport(0, 500, "skipped", "X has missing values").name
    'rows 0 to 499'
    """

    start: int
    stop: int
    status: str = "used"
    reason: str = ""
    chunk: int | None = None

    @property
    def name(self) -> str:
        """The name for users."""
        if self.chunk is not None:
            return f"chunk {self.chunk}"
        return f"rows {self.start} to {self.stop - 1}"


class BlockError(RuntimeError):
    """A block of rows that cannot be used, with its rows and the reason.

    Attributes
    ----------
    report : BlockReport
        The block.

    Examples
    --------
    >>> from mercer.dask import BlockError, BlockReport
    >>> try:
    ...     raise BlockError(BlockReport(0, 500, "skipped", "X has missing values"))
    ... except BlockError as error:
    ...     print(error.report.status)
    skipped
    """

    def __init__(self, report: BlockReport) -> None:
        self.report = report
        super().__init__(
            f"{report.name}: {report.reason}. on_bad_block='skip' would leave such blocks out"
        )

    def __reduce__(self) -> Any:
        return type(self), (self.report,)


@dataclass
class Outcome:
    """The result of some blocks: a value that can be merged, and the rows that failed."""

    value: Any
    failures: list[tuple[int, BlockReport, bool]]  # number of the block, report, out of memory


def merged(left: Outcome, right: Outcome) -> Outcome:
    """Two outcomes as one. Neither is changed: a scheduler may ask for the same merge again."""
    failures = left.failures + right.failures
    if left.value is None or right.value is None:
        return Outcome(right.value if left.value is None else left.value, failures)
    return Outcome(left.value.merge(right.value), failures)


# From what is shared, the number of the first row, and rows, labels, weights to a value.
Function = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Blocks:
    """Rows cut at multiples of ``size``, however they are partitioned.

    Attributes
    ----------
    X, y, weight : Partitions or None
        The rows, their labels or targets, and their weights.
    size : int
        Rows of a block, except for the last.
    """

    X: Partitions
    y: Partitions | None
    weight: Partitions | None
    size: int

    def __len__(self) -> int:
        return -(-self.X.n_rows // self.size)

    def span(self, number: int) -> tuple[int, int]:
        """First row and last row, excluded."""
        return number * self.size, min((number + 1) * self.size, self.X.n_rows)

    def report(self, number: int, span: tuple[int, int] | None = None) -> BlockReport:
        """That a block is used, or what stands for a part of it."""
        return BlockReport(*(self.span(number) if span is None else span))

    def halves(self, number: int) -> list[tuple[int, int]]:
        """The rows of both halves; a block of one row has one."""
        start, stop = self.span(number)
        middle = (start + stop + 1) // 2
        return [(a, b) for a, b in ((start, middle), (middle, stop)) if b > a]

    def task(
        self,
        function: Function,
        shared: Any,
        number: int,
        key: str,
        spans: list[tuple[int, int]],
        needs_X: bool,
    ) -> Any:
        """A delayed task: the value of a block, that of its first half merged with the second's.

        Halves are the smallest units, so that a block tried again in halves has the same bytes.
        """
        data = [
            None if source is None else [*source.cut(*span)]
            for span in spans
            for source in (self.X if needs_X else None, self.y, self.weight)
        ]
        return delayed(_outcome, pure=False)(
            function, shared, number, spans, data, dask_key_name=key
        )


def _outcome(
    function: Function, shared: Any, number: int, spans: list[tuple[int, int]], data: list[Any]
) -> Outcome:
    """The value of some rows; an error is part of the outcome, and not of the scheduler's."""
    whole = Outcome(None, [])
    with one_blas_thread():
        for k, (start, _stop) in enumerate(spans):
            try:
                given = [None if p is None else joined(*p) for p in data[3 * k : 3 * k + 3]]
                value = function(shared, number, start, *given)
            except Exception as error:
                report = BlockReport(spans[0][0], spans[-1][1])
                return failed(number, report, error)
            whole = merged(whole, Outcome(value, []))
    return whole


def failed(number: int, report: BlockReport, error: Exception) -> Outcome:
    """The outcome of a block that has raised an error."""
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    bad = replace(report, status="skipped", reason=said)
    return Outcome(None, [(number, bad, isinstance(error, MemoryError))])
