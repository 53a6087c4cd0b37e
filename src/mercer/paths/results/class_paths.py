"""Several classes: paths of two-class machines, and the class they decide for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.gram.native import count_rows, take_rows
from mercer.paths.curves.crossings import Block
from mercer.paths.curves.step_function import StepFunction
from mercer.paths.curves.votes import LabelChanges
from mercer.paths.results.path import Path
from mercer.training.numbers import real
from mercer.training.targets import read_labels
from mercer.training.weights import read_weight

__all__ = ["BlockOf", "ClassPaths"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
# Kernel values of some of the rows of interest.
BlockOf = Callable[[IntArray], Block]
_ENDS = ("C_max", "complete", "trivial")
_SAMPLES = 100  # values of C for what is no step function


class ClassPaths:
    """What paths of all machines of a scheme have in common."""

    classes: NDArray[Any]
    paths: tuple[Path, ...]

    def __repr__(self) -> str:
        events = sum(len(path.segments.changed) for path in self.paths)
        return (
            f"<{type(self).__name__} of {len(self.classes)} classes: {len(self.paths)} paths, "
            f"{events} events, up to C={self.end:.4g}, {self.status}>"
        )

    @property
    def begin(self) -> float:
        """The smallest C that all paths are known for."""
        return max((path.begin for path in self.paths), default=0.0)

    @property
    def end(self) -> float:
        """The largest C that all paths are known for."""
        return min((path.end for path in self.paths), default=np.inf)

    @property
    def status(self) -> str:
        """How the paths ended: the first early end, if there is one."""
        found = [path.status for path in self.paths]
        early = [status for status in found if status not in _ENDS]
        return next(iter([*early, *(s for s in ("C_max", "complete") if s in found), "trivial"]))

    @property
    def breakpoints(self) -> tuple[float, float]:
        """The first and the last C where anything happens; (inf, inf) if nothing ever does."""
        moving = [path for path in self.paths if path.status != "trivial"]
        first = min((path.first_event for path in moving), default=np.inf)
        return first, max((float(path.C[-1]) for path in moving), default=np.inf)

    @property
    def range_of_interest(self) -> tuple[float, float]:
        """A little more than from the first to the last breakpoint; around 1 if there is none."""
        first, last = self.breakpoints
        if first == np.inf:
            first, last = 1.0, 1.0
        low = max(0.5 * first, self.begin)
        high = min(max(2.0 * last, low), self.end)
        return min(low, high), high

    @property
    def sampled(self) -> FloatArray:
        """Values of C at which what is no step function is evaluated."""
        return np.geomspace(*self.range_of_interest, _SAMPLES)

    @property
    def is_followed(self) -> bool:
        """Whether the class of a row is known exactly for every C."""
        return True

    def decide(self, X: Any, C: float | ArrayLike) -> FloatArray:
        """Values of each machine at rows that were read, one after the other in the last axis."""
        return self.in_place(np.stack([path.decide(X, C) for path in self.paths], axis=-1))

    def in_place(self, found: FloatArray) -> FloatArray:
        """Values of all machines from those that have paths, along the last axis."""
        return found

    def scores(self, decisions: FloatArray) -> FloatArray:
        """A score for each class, from the values of all machines."""
        raise NotImplementedError

    def winners(self, decisions: FloatArray) -> IntArray:
        """Position of the class that values of all machines decide for."""
        raise NotImplementedError

    def labels(self, block_of: BlockOf, n_rows: int, Cs: FloatArray | None = None) -> LabelChanges:
        """The class of rows known by their kernel values, for every C.

        Where it is not followed exactly, it is evaluated at ``Cs``.
        """
        raise NotImplementedError

    def decision_function(self, X: Any, C: float) -> FloatArray:
        """A score for each class at ``C``, as of :class:`SVC`."""
        rows = self.paths[0]._known_values().read(X)
        return self.scores(self.decide(rows, real("C", C)))

    def predict(self, X: Any, C: float) -> NDArray[Any]:
        """The class that is chosen at ``C``; ties go to the first."""
        rows = self.paths[0]._known_values().read(X)
        return np.asarray(self.classes[self.winners(self.decide(rows, real("C", C)))])

    def error(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> StepFunction:
        """Share of rows whose class is wrong as a function of C.

        Exact, but of codes whose decoding bends everywhere: then that of 100 values of C.
        """
        values = self.paths[0]._known_values()
        X = values.read(X)
        class_index = read_labels(y, self.classes, count_rows(X))
        weight = read_weight(sample_weight, len(class_index))

        def block_of(rows: IntArray) -> Block:
            own = X if len(rows) == len(class_index) else take_rows(X, rows)
            return lambda others: values.block(own, others)

        return self.labels(block_of, len(class_index)).error(class_index, weight)
