"""Several classes: a path for each pair of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.formulations import svc
from mercer.gram import Gram
from mercer.gram.native import count_rows
from mercer.machines.svm.one_vs_one import ClassPairs, Pair, most_voted, scores
from mercer.paths.curves.crossings import Block, sign_changes
from mercer.paths.curves.step_function import StepFunction
from mercer.paths.curves.votes import PairOutcome, count_votes
from mercer.paths.inputs.kernel_values import KernelValues
from mercer.paths.inputs.limits import Limits
from mercer.paths.results.path import Path
from mercer.paths.svc import trace
from mercer.training.numbers import real
from mercer.training.targets import read_labels
from mercer.training.training_set import TrainingSet
from mercer.training.weights import read_weight

__all__ = ["PairPaths", "trace_pairs"]

FloatArray = NDArray[np.float64]
_ENDS = ("C_max", "complete", "trivial")


@dataclass(frozen=True, eq=False)
class PairPaths:
    """The path of every pair of classes, in the order (0, 1), (0, 2), ..., (1, 2), ...

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The labels.
    pairs : tuple of (int, int)
        Positions of the two classes of each path: where it is positive, and where not.
    paths : tuple of Path
        The paths; each knows the rows of its two classes only.

    Examples
    --------
    >>> from mercer import PathSVC
    >>> X, y = [[0.0], [1.0], [4.0], [5.0], [8.0], [9.0]], [0, 0, 1, 1, 2, 2]
    >>> paths = PathSVC(kernel="linear", cv=2).fit(X, y).path_
    >>> paths.pairs
    ((0, 1), (0, 2), (1, 2))
    """

    classes: NDArray[Any]
    pairs: tuple[tuple[int, int], ...]
    paths: tuple[Path, ...]

    def __repr__(self) -> str:
        events = sum(len(path.segments.changed) for path in self.paths)
        return (
            f"<PairPaths of {len(self.classes)} classes: {len(self.paths)} paths, {events} "
            f"events, up to C={self.end:.4g}, {self.status}>"
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

    def decide(self, X: Any, C: float | ArrayLike) -> FloatArray:
        """Values of each pair at rows that were read, one after the other in the last axis."""
        return np.stack([path.decide(X, C) for path in self.paths], axis=-1)

    def decision_function(self, X: Any, C: float) -> FloatArray:
        """A score for each class at ``C``: votes, and how clear they are, as in :class:`SVC`."""
        rows = self.paths[0]._known_values().read(X)
        return scores(self.decide(rows, real("C", C)), len(self.classes))

    def predict(self, X: Any, C: float) -> NDArray[Any]:
        """The class that wins most pairs at ``C``; ties go to the first."""
        rows = self.paths[0]._known_values().read(X)
        return np.asarray(self.classes[self.winners(self.decide(rows, real("C", C)))])

    def winners(self, decisions: FloatArray) -> NDArray[np.intp]:
        """Position of the class that wins most pairs."""
        known = np.unique(self.pairs)
        if len(known) == 2 < len(self.classes):  # of several classes positive values mean the first
            return known[most_voted(-decisions, 2)]
        return known[most_voted(decisions, len(known))]

    def error(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> StepFunction:
        """Share of rows that the vote gets wrong as a function of C, exact."""
        values = self.paths[0]._known_values()
        X = values.read(X)
        class_index = read_labels(y, self.classes, count_rows(X))
        weight = read_weight(sample_weight, len(class_index))
        outcomes = list(self.outcomes(lambda rows: values.block(X, rows), len(class_index)))
        return count_votes(outcomes, len(self.classes), len(class_index)).error(class_index, weight)

    def outcomes(self, block: Block, n_rows: int) -> Iterator[PairOutcome]:
        """For which C each pair is positive, at rows known by their values with training rows."""
        for (i, j), path in zip(self.pairs, self.paths, strict=True):
            changes = sign_changes(path, _of_variables(block, path), n_rows, i < j)
            yield PairOutcome(i, j, changes)


def trace_pairs(
    inputs: TrainingSet,
    weight: FloatArray,
    gram: Gram,
    limits: Limits,
    *,
    values: KernelValues | None = None,
    C_min: float | None = None,
    accuracy: float = 0.0,
    known: PairPaths | None = None,
) -> PairPaths:
    """The paths of all pairs of classes that have any ``weight``.

    Parameters
    ----------
    inputs : TrainingSet
        Rows and classes.
    weight : ndarray of shape (n_rows,)
        Weight of each row, that of its class included; 0 leaves it out.
    gram : Gram
        Kernel values of all rows.
    limits : Limits
        Where the paths stop; those behind one that ran out of time are not begun.
    values, C_min, accuracy
        As in :func:`trace`.
    known : PairPaths, default=None
        Paths that serve again where nothing of a pair has changed.
    """
    pairs, paths = [], []
    for pair in ClassPairs(inputs.class_index, len(inputs.classes)):
        own = weight[pair.rows]
        if not (own[pair.sign > 0].any() and own[pair.sign < 0].any()):
            continue
        formulation = svc(pair.sign, 1.0, own).on_rows(pair.rows, len(weight))
        problem, winners = formulation.problem, _winners(pair, len(inputs.classes))
        path = _unchanged(known, winners, problem)
        if path is None:
            path = trace(
                problem, gram, limits, classes=inputs.classes[[winners[1], winners[0]]],
                values=values, C_min=C_min, accuracy=accuracy,
            )  # fmt: skip
        pairs.append(winners)
        paths.append(path)
    return PairPaths(inputs.classes, tuple(pairs), tuple(paths))


def _of_variables(block: Block, path: Path) -> Block:
    """Values with the rows of some variables, from those with some rows."""
    return lambda variables: block(path.problem.index[variables])


def _winners(pair: Pair, n_classes: int) -> tuple[int, int]:
    """The class of positive values, then the other; of two classes the second is positive."""
    return (pair.second, pair.first) if n_classes == 2 else (pair.first, pair.second)


def _unchanged(known: PairPaths | None, winners: tuple[int, int], problem: Any) -> Path | None:
    if known is None:
        return None
    path = known.paths[known.pairs.index(winners)]
    same = np.array_equal(path.problem.lower, problem.lower) and np.array_equal(
        path.problem.upper, problem.upper
    )
    return path if same else None
