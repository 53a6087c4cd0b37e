"""Several classes: a path for each pair of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.machines.svm.one_vs_one import most_voted, scores
from mercer.paths.curves.crossings import Block, of_variables, sign_changes
from mercer.paths.curves.votes import LabelChanges, PairOutcome, count_votes
from mercer.paths.results.class_paths import BlockOf, ClassPaths
from mercer.paths.results.path import Path

__all__ = ["PairPaths"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class PairPaths(ClassPaths):
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

    def scores(self, decisions: FloatArray) -> FloatArray:
        """Votes, and how clear they are; of two classes the value itself."""
        n_classes = len(self.classes)
        return decisions[:, 0] if n_classes == 2 else scores(decisions, n_classes)

    def winners(self, decisions: FloatArray) -> NDArray[np.intp]:
        """Position of the class that wins most pairs."""
        known = np.unique(self.pairs)
        if len(known) == 2 < len(self.classes):  # of several classes positive values mean the first
            return known[most_voted(-decisions, 2)]
        return known[most_voted(decisions, len(known))]

    def labels(self, block_of: BlockOf, n_rows: int, Cs: FloatArray | None = None) -> LabelChanges:
        """The class that wins most pairs at each row, for every C; ties go to the first."""
        outcomes = list(self._outcomes(block_of(np.arange(n_rows)), n_rows))
        return count_votes(outcomes, len(self.classes), n_rows)

    def _outcomes(self, block: Block, n_rows: int) -> Iterator[PairOutcome]:
        """For which C each pair is positive."""
        for (i, j), path in zip(self.pairs, self.paths, strict=True):
            changes = sign_changes(path, of_variables(block, path), n_rows, i < j)
            yield PairOutcome(i, j, changes)
