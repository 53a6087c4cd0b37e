"""Sequences of problems that share threads: whose turn it is.

Sequences of a job take turns, a problem at a time. When all sequences left of a job are running,
free threads begin the next job: only at the very end one of them may have nothing to do.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from mercer.gram import Gram
from mercer.problem import Problem, Solution

__all__ = ["Job", "Scheduler", "Turn"]


@dataclass(eq=False)
class Job:
    """Sequences of problems on one Gram, and the solutions found so far."""

    sequences: Sequence[Sequence[Problem]]
    gram: Gram
    solutions: list[list[Solution]] = field(init=False)
    waiting: deque[int] = field(init=False)
    ended: set[int] = field(default_factory=set)
    solver: Any = None  # chosen when the first problem is solved
    n_running: int = 0

    def __post_init__(self) -> None:
        self.solutions = [[] for _ in self.sequences]
        self.waiting = deque(k for k, sequence in enumerate(self.sequences) if sequence)

    def end(self, k: int) -> None:
        """Leave the rest of a sequence unsolved."""
        self.ended.add(k)

    @property
    def is_done(self) -> bool:
        """Whether every problem is solved, up to where its sequence was ended."""
        return not self.waiting and self.n_running == 0


@dataclass(frozen=True)
class Turn:
    """The next problem of a sequence, and how many others are at work on other Grams."""

    job: Job
    sequence: int
    n_elsewhere: int


class Scheduler:
    """Hands out turns to one thread at a time; jobs are asked for when they are needed."""

    def __init__(self, jobs: Iterator[Job]) -> None:
        self._jobs = jobs
        self._open: list[Job] = []
        self._has_all = False

    def take(self) -> Turn | None:
        """The next turn; None if others have all that is left."""
        job = self._ready_job()
        if job is None:
            return None
        job.n_running += 1
        elsewhere = sum(other.n_running for other in self._open if other is not job)
        return Turn(job, job.waiting.popleft(), elsewhere)

    def give_back(self, turn: Turn) -> None:
        """After a turn: the sequence goes to the end of the line."""
        job, k = turn.job, turn.sequence
        job.n_running -= 1
        if len(job.solutions[k]) < len(job.sequences[k]) and k not in job.ended:
            job.waiting.append(k)

    @property
    def is_first_done(self) -> bool:
        """Whether the first job can be given out, or there is none."""
        return self._open[0].is_done if self._open else self._has_all

    def give_out(self) -> Job | None:
        """The first job, which is done; None if there is none."""
        return self._open.pop(0) if self._open else None

    def _ready_job(self) -> Job | None:
        """The first job with a sequence that waits; a new one if there is none."""
        for job in self._open:
            if job.waiting:
                return job
        for job in self._jobs:
            self._open.append(job)
            if job.waiting:
                return job
        self._has_all = True
        return None
