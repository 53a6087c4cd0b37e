"""A fixed tree of merges over the blocks: the same bytes whatever workers do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import uuid4

from dask import delayed

from mercer._warning import warn
from mercer.dask.blocks import BlockError, BlockReport, Function, Outcome, merged
from mercer.dask.runner import Runner

__all__ = ["Reduction"]

# Blocks whose merged value is held until all others are there: what is done again at most.
BRANCH = 64
# Times that a half of a block is tried alone: what it reads may have been lost with a worker, too.
TRIES = 2


class Reduction:
    """Passes over blocks of rows that merge the values of all blocks.

    Block 2k is merged with 2k + 1, their value with that of the next two, and so on: the tree
    depends on the number of rows alone, hence so do the sums, to the last bit.

    Parameters
    ----------
    runner : Runner
        Where tasks run.
    blocks : Blocks or Chunks
        The rows.
    on_bad_block : {"raise", "skip"}
        What is done with a block that raises, or that ends its worker.

    Attributes
    ----------
    reports : list of BlockReport
        What became of each block so far.
    """

    def __init__(self, runner: Runner, blocks: Any, on_bad_block: str) -> None:
        self.runner, self.blocks, self.on_bad_block = runner, blocks, on_bad_block
        self.reports = [blocks.report(k) for k in range(len(blocks))]

    def run(
        self,
        name: str,
        function: Function,
        shared: Any,
        needs_X: bool = True,
        only: list[int] | None = None,
    ) -> Any:
        """The merged value of all blocks, or of ``only`` some.

        Parameters
        ----------
        name : str
            What keys of tasks begin with.
        function : callable
            From shared, the number of the block, its first row, rows, labels and weights to a value
            with ``merge``.
        shared : Any
            What every task reads.
        """
        numbers = list(range(len(self.blocks))) if only is None else only
        numbers = [k for k in numbers if self.reports[k].status != "skipped"]
        one = _Pass(self, f"mercer-{name}-{uuid4().hex[:12]}", function, shared, needs_X)
        value = one.total(numbers) if numbers else None
        if value is None:
            raise ValueError("every block of rows was left out: see the warnings")
        return value

    def note(self, number: int, report: BlockReport) -> None:
        """Keep the report on a block; raise its error, unless such blocks are skipped."""
        self.reports[number] = replace(
            report, start=self.reports[number].start, stop=self.reports[number].stop
        )
        if report.status != "skipped":
            return
        if self.on_bad_block == "raise":
            raise BlockError(report)
        warn(f"{report.name}, left out: {report.reason}")


class _Pass:
    """One pass: its tasks, and what is known of blocks that were tried alone."""

    def __init__(
        self, owner: Reduction, key: str, function: Function, shared: Any, needs_X: bool
    ) -> None:
        self.owner, self.key, self.function, self.needs_X = owner, key, function, needs_X
        self.runner, self.blocks = owner.runner, owner.blocks
        self.shared = self.runner.share(shared)
        self.alone: dict[int, Any] = {}
        self.tries = 0

    def total(self, numbers: list[int]) -> Any:
        """The value of all blocks."""
        branches = [numbers[k : k + BRANCH] for k in range(0, len(numbers), BRANCH)]
        started = self.runner.start([self._branch(own) for own in branches])
        while True:
            self._replace_lost(started, branches)
            outcome: Outcome = self.runner.results([_tree(started)])[0]
            cramped = {number for number, _, is_memory in outcome.failures if is_memory}
            cramped -= set(self.alone)
            if not cramped:
                break
            for number in sorted(cramped):
                self._try_alone(number, "MemoryError")
            for k, own in enumerate(branches):
                if cramped & set(own):
                    started[k] = self.runner.start([self._branch(own)])[0]
        self.runner.forget([*started, self.shared])
        for number, report, _ in outcome.failures:
            self.owner.note(number, report)
        return outcome.value

    def _branch(self, numbers: list[int]) -> Any:
        """The tree of some blocks; those that were tried alone are known."""
        self.tries += 1
        return _tree([self._leaf(number) for number in numbers])

    def _leaf(self, number: int) -> Any:
        if number in self.alone:
            return self.alone[number]
        return self._task(number, self.blocks.halves(number), f"{self.key}-{self.tries}-{number}")

    def _task(self, number: int, spans: list[tuple[int, int]], key: str) -> Any:
        return self.blocks.task(self.function, self.shared, number, key, spans, self.needs_X)

    def _replace_lost(self, started: list[Any], branches: list[list[int]]) -> None:
        """Wait for all branches; blocks that end workers are found, and tried alone."""
        while True:
            deaths = {k: self.runner.death(future) for k, future in enumerate(started)}
            lost = [k for k, task in deaths.items() if task is not None]
            if not lost:
                return
            self.runner.drop([started[k] for k in lost])
            guilty = sorted({n for k in lost for n in self._suspects(deaths[k], branches[k])})
            for number in guilty:
                self._try_alone(number, "its worker was lost")
            for k in lost:
                started[k] = self.runner.start([self._branch(branches[k])])[0]

    def _suspects(self, task: str | None, numbers: list[int]) -> list[int]:
        """The block of a task, or all blocks that a task that makes rows may belong to."""
        last = str(task).rpartition("-")[2]
        if str(task).startswith(f"{self.key}-") and last.isdigit():
            return [int(last)]
        return [k for k in numbers if k not in self.alone]

    def _try_alone(self, number: int, reason: str) -> None:
        """Both halves of a block, one after the other, with no other task beside them."""
        whole = Outcome(None, [])
        for k, span in enumerate(self.blocks.halves(number)):
            part = self._half(number, span, f"{self.key}-alone-{number}-{k}", reason)
            if part.failures:
                whole = Outcome(None, part.failures)
                break
            whole = merged(whole, part)
        if not whole.failures:
            self.owner.note(
                number, replace(self.blocks.report(number), status="halved", reason=reason)
            )
        self.alone[number] = self.runner.share(whole)

    def _half(self, number: int, span: tuple[int, int], key: str, reason: str) -> Outcome:
        """The outcome of a half, or what is to be said of its rows."""
        for k in range(TRIES):
            started = self.runner.start([self._task(number, [span], f"{key}-{k}")])[0]
            if self.runner.death(started) is None:
                found: Outcome = self.runner.results([delayed(_same, pure=False)(started)])[0]
                return found
            self.runner.drop([started])
        said = f"{reason} again and again, with these rows alone, too"
        report = replace(self.blocks.report(number, span), status="skipped", reason=said)
        return Outcome(None, [(number, report, False)])


def _tree(nodes: list[Any]) -> Any:
    """Neighbours merged in pairs, until one is left; of an odd number the last goes up as it is."""
    while len(nodes) > 1:
        pairs = [nodes[k : k + 2] for k in range(0, len(nodes), 2)]
        nodes = [
            delayed(merged, pure=False)(*pair) if len(pair) == 2 else pair[0] for pair in pairs
        ]
    return nodes[0] if hasattr(nodes[0], "dask") else delayed(_same, pure=False)(nodes[0])


def _same(value: Any) -> Any:
    return value
