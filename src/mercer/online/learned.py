"""What a machine has learned of a stream so far, and where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from mercer._threads import resolve_threads
from mercer.kernels import Kernel
from mercer.machines.early_end import is_done
from mercer.online.finishing import Finished
from mercer.online.history import History
from mercer.online.judged import Judged
from mercer.online.parameters import fixed_parameters, rules_of
from mercer.online.reading import Reading
from mercer.online.stream import Stream
from mercer.online.target_task import Task
from mercer.problem import Solution

__all__ = ["CERTIFIED", "SAVED", "Learned", "keeps_history"]

# Fitted attributes that a machine has while it is finished.
CERTIFIED = ("solutions_", "dual_gap_", "fit_status_", "solver_")
# What files and pickles hold of the rest; those of earlier versions have the last one, too.
SAVED = ("_kept", "_seen", "_waits", "_judged", "_has_sparse_rows", "_has_all_classes", "_n_taken")


@dataclass(eq=False)
class Learned:
    """Where a machine stands in a stream.

    Attributes
    ----------
    task : Task
        What is learned.
    kernel : Kernel
        The kernel, with its parameters as numbers.
    stream : Stream
        The examples that are kept.
    gamma_source : str
        "given", or the rows that a rule for gamma was applied to.
    waits : bool
        Whether such a rule waits for more rows.
    is_sparse : bool
        Whether the rows of the first chunk were sparse.
    fixed : dict
        Parameters that must stay what they are.
    history : History or None
        Examples that are remembered beside those that the stream keeps.
    judged : Judged or None
        Values of examples before they were learned.
    n_seen : int
        Examples seen so far.
    certified : dict
        The fitted attributes ``CERTIFIED``; empty unless the machine is finished.
    reading : Reading
        Support vectors, coefficients and biases of the stream as it stands.
    """

    task: Task
    kernel: Kernel
    stream: Stream
    gamma_source: str
    waits: bool
    is_sparse: bool
    fixed: dict[str, Any]
    history: History | None = None
    judged: Judged | None = None
    n_seen: int = 0
    certified: dict[str, Any] = field(default_factory=dict)
    reading: Reading = field(init=False)

    def moved(self, machine: Any, found: Finished | None = None) -> None:
        """Note that the stream has moved: what was worked out before is out of date."""
        self.certified = {} if found is None else _certified(found.solutions)
        self._read(machine, None if found is None else found.intercept)

    def _read(self, machine: Any, intercept: Any) -> None:
        precision = "single" if machine.precision == "single" else "double"
        self.reading = Reading(self.stream, intercept, precision, machine.n_threads)

    def saved(self) -> dict[str, Any]:
        """Plain values: what is kept of the stream, not the core's part."""
        state: dict[str, Any] = {
            "_waits": self.waits,
            "_has_sparse_rows": self.is_sparse,
            "_judged": None if self.judged is None else self.judged.parts,
            "_kept": self.stream.saved() | {"intercept": self.reading.given_intercept},
        }
        return state | self.task.saved() | ({"_seen": self.history.all()} if self.history else {})

    @classmethod
    def restored(cls, machine: Any, task: Task, saved: dict[str, Any]) -> Learned:
        """What was saved, with the fitted attributes that ``machine`` has already."""
        kept, judged = dict(saved["_kept"]), saved["_judged"]
        intercept = kept.pop("intercept", None)
        kernel, threads = machine.kernel_, resolve_threads(machine.n_threads)
        learned = cls(
            task=task,
            kernel=kernel,
            stream=Stream.restored(kernel, rules_of(machine, task, kernel), kept, threads),
            gamma_source=getattr(machine, "gamma_source_", "given"),
            waits=saved["_waits"],
            is_sparse=saved["_has_sparse_rows"],
            fixed=fixed_parameters(machine),
            judged=None if judged is None else Judged(*judged),
            n_seen=machine.n_seen_,
            certified={name: vars(machine)[name] for name in CERTIFIED if name in vars(machine)},
        )
        if keeps_history(machine, learned.waits):
            learned.history = History()
            if "_seen" in saved:
                learned.history.add(*saved["_seen"])
        learned._read(machine, intercept)
        return learned


def keeps_history(machine: Any, waits: bool) -> bool:
    """Whether examples are there that the machine does not need at the moment."""
    return bool(machine.keep_rows or waits or machine.window is not None)


def _certified(solutions: Sequence[Solution]) -> dict[str, Any]:
    """What a machine tells of these solutions."""
    gaps = [s.relative_gap for s in solutions if s.relative_gap is not None]
    return {
        "solutions_": tuple(solutions),
        "solver_": solutions[0].solver,
        "dual_gap_": max(gaps) if len(gaps) == len(solutions) else None,
        "fit_status_": int(not all(map(is_done, solutions))),
    }
