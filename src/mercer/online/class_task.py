"""What a classifier learns from a stream: one function, or one for each class."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.machines.least_squares.one_against_all import places_of
from mercer.online.classes import all_classes, grown_state, signed_terms
from mercer.online.learned import Learned
from mercer.online.parameters import rules_of
from mercer.online.stream import Stream
from mercer.online.target_task import NEAR, Task
from mercer.training.classes import find_classes, weigh_classes

__all__ = ["ClassTask", "grown"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassTask:
    """The classes of a stream, and the variables of its examples.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Those known so far, ascending.
    are_all : bool
        Whether they were announced: then no other may come.
    C : float
        Regularization parameter.
    """

    classes: NDArray[Any]
    are_all: bool
    C: float

    variables_per_row: ClassVar[int] = 1
    slack: ClassVar[float] = NEAR

    @classmethod
    def of_chunk(cls, y: Any, given: ArrayLike | None, before: Task | None, C: float) -> ClassTask:
        """That of a chunk and those before it; ``given``: the classes that are announced with it.

        New classes are added, unless all were announced.
        """
        announced = None if given is None else np.unique(np.asarray(given))
        if before is None:
            return cls(all_classes(y) if announced is None else announced, given is not None, C)
        assert isinstance(before, ClassTask)
        return before._after(y, announced)

    def _after(self, y: NDArray[Any], announced: NDArray[Any] | None) -> ClassTask:
        if announced is None:
            return self if self.are_all else self._with(all_classes(y, self.classes))
        is_same = np.array_equal(announced, self.classes)
        if not is_same and (self.are_all or not np.isin(self.classes, announced).all()):
            raise ValueError(
                f"classes must be those that are known, {self.classes.tolist()}, got "
                f"{announced.tolist()}"
            )
        return replace(self._with(announced), are_all=True)

    def _with(self, classes: NDArray[Any]) -> ClassTask:
        return self if np.array_equal(classes, self.classes) else replace(self, classes=classes)

    @property
    def n_functions(self) -> int:
        n_classes = len(self.classes)
        return 1 if n_classes <= 2 else n_classes

    @property
    def has_values(self) -> bool:
        """Whether values of the functions tell classes apart."""
        return len(self.classes) > 1

    def terms(self, labels: NDArray[Any], weight: FloatArray) -> FloatArray:
        """Labels -1 and +1, and boxes [0, C w] and [-C w, 0]."""
        return signed_terms(labels, len(self.classes), self.C * weight)

    def weights(self, given: Mapping[Any, float] | None) -> FloatArray:
        """Weight of each class; those of classes that may still come wait for them."""
        known = self.classes.tolist()
        if isinstance(given, dict) and not self.are_all:
            given = {name: weight for name, weight in given.items() if name in known}
        return weigh_classes(given, self.classes, self.classes, np.ones(len(known)))

    def labels(self, y: Any) -> NDArray[np.intp]:
        """The class of each row of a chunk."""
        is_plain = y.ndim == 1 and y.dtype.kind == self.classes.dtype.kind == "i"
        if is_plain and len(self.classes) > 1:
            places = np.minimum(np.searchsorted(self.classes, y), len(self.classes) - 1)
            if (self.classes[places] == y).all():
                return places
        if len(self.classes) == 1 and not self.are_all:
            return np.zeros(len(y), dtype=np.intp)
        found, labels = find_classes(y)
        return places_of(found, self.classes)[labels]

    def saved(self) -> dict[str, Any]:
        """What the parameters and fitted attributes of a machine do not tell."""
        return {"_has_all_classes": self.are_all}


def grown(machine: Any, learned: Learned, task: ClassTask) -> Learned:
    """What was learned, as a machine of more classes has it, the old ones among them."""
    before, more = learned.task, copy(learned)
    assert isinstance(before, ClassTask)
    more.task = task
    if np.array_equal(task.classes, before.classes):
        return more
    places, n_classes = np.searchsorted(task.classes, before.classes), len(task.classes)
    old, kernel = learned.stream, learned.kernel
    more.stream = Stream(kernel, rules_of(machine, task, kernel), old.packing)
    more.stream.n_recomputed = old.n_recomputed
    if old.n_kept:
        more.stream.begin(grown_state(old.state(), places, n_classes), old.rows())
    if learned.history is not None:
        more.history = learned.history.relabelled(places)
    if learned.judged is not None:
        more.judged = learned.judged.relabelled(places, n_classes)
    more.moved(machine)
    return more
