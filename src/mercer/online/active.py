"""Learning with labels that are asked for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from mercer.gram.native import count_rows, take_rows
from mercer.online.call_watch import CallWatch
from mercer.online.finisher import Finisher
from mercer.online.machine import OnlineMachine
from mercer.online.query import STRATEGIES, Pool, Rows
from mercer.solvers.runs.deadline import Deadline
from mercer.training.rows import read_new_rows, read_training_rows

__all__ = ["ActiveMachine"]

Oracle = Callable[[Rows], ArrayLike]


class ActiveMachine(OnlineMachine):
    """Queries of an online classifier, and the loop around them."""

    @abstractmethod
    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from a chunk of a stream."""

    def query(
        self,
        X: Any,
        n: int = 1,
        strategy: str = "margin",
        *,
        diversity: float = 0.5,
        n_candidates: int | None = None,
        random_state: Any = None,
    ) -> Rows:
        """Rows whose labels would help most.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            A pool of rows without labels.
        n : int, default=1
            How many to choose.
        strategy : {"margin", "random", "autoactive", "max-min-margin"}, default="margin"
            "margin": nearest to the decision boundary. "random": any. "autoactive": nearest of a
            random draw that is the smaller the easier near rows are found. "max-min-margin": such
            that either label would leave a large margin, approximately: after one step with the
            nearest support vector.
        diversity : float, default=0.5
            Between 0 and 1: what the likeness to rows chosen before counts for n > 1, next to the
            order of the strategy ("margin" and "max-min-margin" only).
        n_candidates : int, default=None
            Look at so many random rows of the pool only; None means all.
        random_state : int, RandomState or None, default=None
            Seed; None means that of the machine.

        Returns
        -------
        ndarray of shape (min(n, n_samples),)
            Positions of the rows in the pool.
        """
        X = read_new_rows(self, X)
        settings = QuerySettings(strategy, diversity, n_candidates)
        check_count("n", n)
        seed = self.random_state if random_state is None else random_state
        return chosen_rows(self, X, n, settings, check_random_state(seed))[0]

    def active_fit(
        self,
        X: Any,
        oracle: Oracle | ArrayLike,
        budget: int,
        *,
        strategy: str = "margin",
        batch_size: int = 1,
        n_initial: int = 10,
        diversity: float = 0.5,
        n_candidates: int | None = None,
        classes: ArrayLike | None = None,
        stopping: str | None = "margin",
        monitor: Callable[[Any], object] | None = None,
    ) -> Self:
        """Ask for labels of a pool and learn from them, until the budget is spent.

        A machine that has learned before goes on. Another one begins with random rows: at least
        ``n_initial``, and as many as it takes to see two classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The pool.
        oracle : callable or array-like of shape (n_samples,)
            Called with positions in the pool, returns their labels; or all labels, which are looked
            up as they are asked for.
        budget : int
            Most labels to ask for.
        strategy : str, default="margin"
            As in :meth:`query`.
        batch_size : int, default=1
            Labels asked for at a time.
        n_initial : int, default=10
            Random rows at the beginning.
        diversity : float, default=0.5
            As in :meth:`query`.
        n_candidates : int, default=None
            As in :meth:`query`.
        classes : array-like of shape (n_classes,), default=None
            All classes; None means those of an array ``oracle``, or of the first labels.
        stopping : {"margin", None}, default="margin"
            "margin" ends where no row that was looked at lies inside the margin: labels that the
            machine expects would change nothing (Schohn & Cohn 2000).
        monitor : callable, default=None
            Called with the machine after each batch; a true value ends the loop.

        Returns
        -------
        self : object
            With ``queried_``, the positions asked for in order, and ``stop_reason_``: "budget",
            "pool", "margin", "max-time" or "monitor". Unless ``finishing="none"`` it is finished on
            the rows that it keeps.
        """
        self._validate_params()
        settings = QuerySettings(strategy, diversity, n_candidates)
        if stopping not in ("margin", None):
            raise ValueError(f"stopping must be 'margin' or None, got {stopping!r}")
        counts = {"budget": budget, "batch_size": batch_size, "n_initial": n_initial}
        for name, count in counts.items():
            check_count(name, count)
        rows = self._pool_rows(X)
        ask, known = _asker(oracle, count_rows(rows))
        loop = _Loop(
            *(self, rows, ask, settings, budget, batch_size, n_initial),
            stops=stopping == "margin",
            monitor=monitor,
            classes=known if classes is None else classes,
        )
        for name in ("queried_", "stop_reason_"):
            self.__dict__.pop(name, None)
        self.stop_reason_ = loop.run()
        self.queried_ = loop.queried
        if self.finishing != "none":
            finisher = Finisher(self, self._learned, loop.deadline, CallWatch(self.callback))
            try:
                finisher.finish_kept()
            finally:
                self._set_fitted(finisher.learned)
        return self

    def _pool_rows(self, X: Any) -> Any:
        """Checked rows of a pool, also of a machine that has learned nothing yet."""
        if hasattr(self, "_learned"):
            return read_new_rows(self, X)
        stranger = type(self)(**self.get_params(deep=False))
        labels = np.zeros(X.shape[0] if hasattr(X, "shape") and X.ndim else len(X))
        return read_training_rows(stranger, X, labels, None)[0]


@dataclass(frozen=True)
class QuerySettings:
    """How rows are chosen; see :meth:`ActiveMachine.query`."""

    strategy: str
    diversity: float
    n_candidates: int | None

    def __post_init__(self) -> None:
        if self.strategy not in STRATEGIES:
            raise ValueError(f"strategy must be one of {list(STRATEGIES)}, got {self.strategy!r}")
        if not isinstance(self.diversity, Real) or not 0.0 <= self.diversity <= 1.0:
            raise ValueError(f"diversity must lie in [0, 1], got {self.diversity!r}")
        if self.n_candidates is not None:
            check_count("n_candidates", self.n_candidates)


def chosen_rows(
    machine: OnlineMachine, X: Any, n: int, settings: QuerySettings, random: np.random.RandomState
) -> tuple[Rows, float]:
    """Rows to ask for, and how near to the boundary a row that was looked at lies."""
    candidates, rows = np.arange(count_rows(X)), X
    if settings.n_candidates is not None:
        candidates = random.permutation(candidates)[: max(settings.n_candidates, n)]
        rows = take_rows(X, candidates)
    is_blind = settings.strategy == "random"
    values = np.zeros((len(candidates), 1)) if is_blind else machine._learned.reading.values(rows)
    vectors, violation = machine.support_vectors_, machine.violation_
    pool = Pool(rows, values, machine.kernel_, vectors, violation, random)
    return candidates[pool.choose(n, settings.strategy, settings.diversity)], float(pool.near.min())


@dataclass
class _Loop:
    """Batches of queries until there is a reason to stop."""

    machine: ActiveMachine
    rows: Any
    ask: Oracle
    settings: QuerySettings
    budget: int
    batch_size: int
    n_initial: int
    stops: bool
    monitor: Callable[[Any], object] | None
    classes: ArrayLike | None
    queried: Rows = field(default_factory=lambda: np.empty(0, dtype=np.intp))

    def run(self) -> str:
        """Ask and learn; returns why it ended."""
        self.deadline = Deadline.after(self.machine.max_time)
        self.random = check_random_state(self.machine.random_state)
        self.is_left = np.ones(count_rows(self.rows), dtype=bool)
        self.left = np.flatnonzero(self.is_left)
        if not hasattr(self.machine, "_learned"):
            self._learn(self._first_rows())
        while not (reason := self._reason()):
            batch = min(self.batch_size, self.budget - len(self.queried))
            rows = take_rows(self.rows, self.left)
            places, nearest = chosen_rows(self.machine, rows, batch, self.settings, self.random)
            if self.stops and nearest >= 1.0:
                return "margin"
            self._learn(self.left[places])
            if self.monitor is not None and self.monitor(self.machine):
                return "monitor"
        return reason

    def _reason(self) -> str:
        if len(self.queried) >= self.budget:
            return "budget"
        if not len(self.left):
            return "pool"
        return "max-time" if self.deadline.is_over else ""

    def _learn(self, picked: Rows) -> None:
        labels = self.ask(picked)
        self.machine.partial_fit(take_rows(self.rows, picked), labels, classes=self.classes)
        self.classes = None
        # also for those who stop it here, or whose oracle goes home
        self.machine.queried_ = self.queried = np.concatenate([self.queried, picked])
        self.is_left[picked] = False
        self.left = np.flatnonzero(self.is_left)

    def _first_rows(self) -> Rows:
        """Random rows with two classes, if the budget allows."""
        order, n = self.random.permutation(self.left), min(self.n_initial, self.budget)
        most = min(self.budget, len(order))
        while n < most and len(np.unique(np.asarray(self.ask(order[:n])))) < 2:
            n += 1
        return order[:n]


def check_count(name: str, value: Any) -> None:
    """A whole number of at least 1."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")


def _asker(oracle: Any, n: int) -> tuple[Oracle, NDArray[Any] | None]:
    """What is called for labels, and the classes if they are known."""
    if callable(oracle):
        return _remembering(oracle), None
    labels = np.asarray(oracle)
    if labels.shape != (n,):
        raise ValueError(
            f"oracle must be callable or hold a label for each of the {n} rows, got shape "
            f"{labels.shape}"
        )
    return (lambda rows: labels[rows]), np.unique(labels)


def _remembering(oracle: Oracle) -> Oracle:
    """Labels that were given are not asked for again."""
    known: dict[int, Any] = {}

    def ask(rows: Rows) -> ArrayLike:
        new = np.array([row for row in rows.tolist() if row not in known], dtype=np.intp)
        if len(new):
            answer = np.asarray(oracle(new))
            if answer.shape != new.shape:
                raise ValueError(
                    f"oracle must return {len(new)} labels, got an array of shape {answer.shape}"
                )
            known.update(zip(new.tolist(), answer.tolist(), strict=True))
        return np.array([known[row] for row in rows.tolist()])

    return ask
