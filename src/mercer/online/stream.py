"""A stream of examples on its way through the core: what is kept of it, and where it stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer.gram.native import RowSet, take_rows
from mercer.kernels import Kernel
from mercer.online.kept_rows import Ids, KeptRows, Packing, as_numbers
from mercer.online.uninterrupted import uninterrupted
from mercer.solvers.runs.deadline import Deadline

__all__ = ["Rules", "Stream"]

FloatArray = NDArray[np.float64]
State = dict[str, Any]
_LEARNERS: dict[str, Any] = {"single": _core.LearnerSingle, "double": _core.LearnerDouble}
# Examples whose kernel values are computed together. Values among them are computed, too, so that
# few kept ones deserve small blocks; the result is the same.
_FEWEST, _MOST = 32, 256
_BLOCK_VALUES = 2**22


@dataclass(frozen=True)
class Rules:
    """How examples are taken in.

    Attributes
    ----------
    n_functions, variables_per_row : int
        Number of functions, and of variables that an example has in each.
    selection : {"second-order", "most-violating"}
        How partners and pairs are chosen.
    tol : float
        Violation up to which nothing is done.
    n_reprocess : int
        REPROCESS steps for each example.
    max_kept : int
        Most examples that are kept; 0 for no bound.
    eviction : {"removal", "projection", "merging"}
        What is done where there are more.
    max_row_bytes : int
        Most memory of the kernel rows that are kept, in bytes; 0 for no bound.
    """

    n_functions: int
    variables_per_row: int
    selection: str
    tol: float
    n_reprocess: int
    max_kept: int
    eviction: str
    max_row_bytes: int


class Stream:
    """Examples kept of a stream, with their kernel rows, coefficients and gradients.

    Memory: the kept rows, and for each a kernel row with a value (4 or 8 bytes) for each kept one,
    as long as the rules have room for it; while a block of at most 256 examples is taken in its
    values with the kept ones.

    Parameters
    ----------
    kernel : Kernel
        The kernel, with all its parameters numbers.
    rules : Rules
        How examples are taken in.
    packing : Packing
        How rows are packed.
    """

    def __init__(self, kernel: Kernel, rules: Rules, packing: Packing) -> None:
        self.kernel, self.rules, self.packing = kernel, rules, packing
        self.kept = KeptRows(packing)
        self.n_taken = 0
        self.n_recomputed = 0  # kernel rows that were dropped before
        self._learner: Any = None
        # Of a learner that is to be made, in the order of slots.
        self._asleep: State = self._empty_state()

    def _empty_state(self) -> State:
        width = self.rules.n_functions * self.rules.variables_per_row
        return {
            "slots": np.empty(0, np.int64),
            "ids": np.empty(0, np.int64),
            "terms": np.empty((0, 3 * width)),
            "beta": np.empty((0, width)),
            "gradient": np.empty((0, width)),
            "gradient_error": None,
            "n_merged": 0,
        }

    # --- state -----------------------------------------------------------------------

    def state(self) -> State:
        """Kept examples in the order of slots: ids, terms, coefficients, gradients."""
        if self._learner is None:
            return self._asleep
        own = {"gradient_error": None, "n_merged": self._learner.n_merged}
        return {**self._learner.state(), **own}

    def sleep(self) -> None:
        """Keep the state only; kernel rows are computed again when examples come."""
        self._asleep = self.state()
        self._learner = None

    def begin(self, state: State, rows: Any) -> None:
        """Go on from a state, with the rows of its examples."""
        self._asleep, self._learner = self._empty_state() | state, None
        self.kept = KeptRows(self.packing)
        self.kept.add(self._asleep["ids"], rows)

    def saved(self) -> State:
        """Plain values to go on from elsewhere, with the same result."""
        packing = self.packing
        way = {
            "precision": packing.precision,
            "store_sparse": packing.store_sparse,
            "by_differences": packing.by_differences,
        }
        state = self.state()
        rows = self.rows() if len(state["ids"]) else None
        return {**state, **way, "rows": rows}

    @classmethod
    def restored(cls, kernel: Kernel, rules: Rules, saved: State, n_threads: int) -> Stream:
        """A stream that goes on from what was saved of one."""
        state = dict(saved)
        names = ("precision", "store_sparse", "by_differences")
        way = {name: state.pop(name) for name in names}
        rows = state.pop("rows")
        stream = cls(kernel, rules, Packing(kernel.form(), **way, n_threads=n_threads))
        if rows is not None:
            stream.begin(state, rows)
        return stream

    def restart(self, beta: FloatArray) -> None:
        """Other coefficients of the kept examples, in the order of slots."""
        if self._learner is None:
            self._asleep = self._asleep | {"beta": beta, "gradient": None, "gradient_error": None}
        else:
            self._restart(self._learner, beta)

    def _restart(self, learner: Any, beta: FloatArray) -> None:
        source = self.kept.source() if learner.may_lack(0) else None
        before = learner.n_computed
        learner.restart(beta, learner.slots_of(self.kept.ids), source)
        self.n_recomputed += learner.n_computed - before

    def follow(self, rules: Rules) -> None:
        """Go on by other rules."""
        if rules != self.rules:
            self.sleep()
            self.rules = rules

    @property
    def learner(self) -> Any:
        """The core's part, made when it is first needed."""
        if self._learner is None:
            learner = _LEARNERS[self.packing.precision](_core.OnlineOptions(*astuple(self.rules)))
            state = self._asleep
            if len(state["ids"]):
                self._load(learner, state)
            learner.n_merged = state["n_merged"]
            self._learner = learner
        return self._learner

    def _load(self, learner: Any, state: State) -> None:
        """Bring kept examples to the core, some at a time with their kernel rows."""
        packed, n = self.packing.packed(self.rows()), len(state["ids"])
        for begin in range(0, n, _MOST):
            some = slice(begin, begin + _MOST)
            values = self.packing.values(packed, packed, np.arange(n)[some])
            names = ("slots", "ids", "terms", "beta", "gradient")
            own = {name: None if state[name] is None else state[name][some] for name in names}
            learner.load(values=values, **own)
        if state["gradient"] is None:
            self._restart(learner, state["beta"])

    def rows(self) -> Any:
        """Rows of the kept examples in the order of slots."""
        return self.kept.rows_of(self.state()["ids"])

    @property
    def n_kept(self) -> int:
        """Number of examples that are kept."""
        return len(self._asleep["ids"]) if self._learner is None else int(self._learner.n_kept)

    @property
    def kernel_bytes(self) -> int:
        """Memory of the kernel rows; 0 while there are none."""
        return 0 if self._learner is None else int(self._learner.bytes)

    # --- taking examples in ----------------------------------------------------------

    def take(
        self,
        X: Any,
        order: NDArray[np.intp],
        ids: Ids,
        terms: FloatArray,
        deadline: Deadline,
        watch: Callable[[Stream], object] | None = None,
    ) -> None:
        """Take in the examples ``order`` of ``X``, one after another; ``n_taken`` counts them.

        ``watch`` is called after each block; a true value ends it, as the deadline does.
        """
        self.n_taken = 0
        size = _MOST
        while self.n_taken < len(order) and not deadline.is_over:
            size = min(size, self._block_size())
            rows = order[self.n_taken : self.n_taken + size]
            before = self.n_taken
            self._take_block(take_rows(X, rows), ids[rows], terms[rows], deadline)
            # a block may end where two examples merge: the next is about as long as this one was
            size = 2 * max(self.n_taken - before, 1)
            if watch is not None and watch(self):
                break

    def _block_size(self) -> int:
        few = min(max(self.n_kept // 2, _FEWEST), _MOST)
        return max(min(few, _BLOCK_VALUES // max(self.n_kept, 1)), 1)

    def _take_block(self, X: Any, ids: Ids, terms: FloatArray, deadline: Deadline) -> None:
        block = self._packed(X)
        learner = self.learner
        before, n_merged, n_computed = learner.n_taken, learner.n_merged, learner.n_computed
        slots = learner.slots_of(self.kept.ids)
        values = self.kept.values(block), slots, self.packing.values(block, block)
        joiner = self.kept.joiner(block) if self._merges else None
        source = self.kept.source(block) if learner.may_lack(len(ids)) else None
        try:
            learner.take(ids, terms, *values, deadline.seconds_left, joiner, source)
        finally:
            # also after an interrupt: what was taken in whole stays
            with uninterrupted():
                self._keep(X, ids)
                if joiner is not None:
                    self._keep_joined(np.arange(n_merged, learner.n_merged), joiner.rows())
                self._merge()
                self.kept.tidy(learner.slots_of(self.kept.ids) >= 0)
                self.n_taken += learner.n_taken - before
                self.n_recomputed += learner.n_computed - n_computed

    @property
    def _merges(self) -> bool:
        return self.rules.max_kept > 0 and self.rules.eviction == "merging"

    def _packed(self, X: Any) -> RowSet:
        """New rows, packed; all others again where they force another packing."""
        block = self.packing.packed(X)
        while not self.packing.suits(block):
            self.sleep()
            self.kept.repack()
            block = self.packing.packed(X)
        return block

    def _keep(self, X: Any, ids: Ids) -> None:
        """Keep the rows of examples that have entered."""
        entered = np.flatnonzero(self._learner.slots_of(ids) >= 0)
        here = self.kept.ids
        if len(here) and len(entered) and ids.min() <= here.max():
            # of an epoch before: a row may still be here, also if its example had left
            entered = entered[~np.isin(ids[entered], here)]
        if len(entered):
            self.kept.add(ids[entered], take_rows(X, entered))

    def _keep_joined(self, numbers: Ids, rows: FloatArray) -> None:
        """Keep rows between two others that the core has made."""
        new = -2 - numbers
        stayed = np.flatnonzero(self._learner.slots_of(new) >= 0)
        if len(stayed):
            self.kept.add(new[stayed], rows[stayed].astype(self.kept.dtype))

    def _merge(self) -> None:
        """Put a row between two others in their place, as long as there are too many.

        For those that the core does not make: sparse rows, and metrics that mix features.
        """
        while merges := self._learner.take_merges():
            merged, first, second, share = merges[0]
            pair = as_numbers(self.kept.rows_of(np.array([first, second])))
            row = share * pair[:1] + (1.0 - share) * pair[1:]
            block, new = self.packing.packed(row), np.array([merged])
            slots = self._learner.slots_of(self.kept.ids)
            values = self.kept.values(block), slots, self.packing.values(block, block)
            source = self.kept.source(block) if self._learner.may_lack(1) else None
            self._learner.take(new, self._no_terms, *values, np.inf, None, source)
            self.kept.add(new, row)

    @property
    def _no_terms(self) -> FloatArray:
        return np.zeros((1, 3 * self.rules.n_functions * self.rules.variables_per_row))
