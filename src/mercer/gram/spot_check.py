"""A look at some kernel values, where the kernel may not be positive semi-definite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mercer._warning import warn
from mercer.kernels.definiteness import SAMPLE_ROWS, refutation

if TYPE_CHECKING:
    from mercer.gram import Gram

__all__ = ["SpotCheck", "require_definite", "warn_of_indefinite"]

FloatArray = NDArray[np.float64]


class SpotCheck:
    """Looks at values of a kernel matrix whose definiteness is unknown, until they refute it.

    The kernel matrix of any rows of a positive semi-definite one is so too: one of at most 256
    rows that is not refutes it. Some points are looked at, the first, the second, the fourth and
    so on, each with the rows that carried the points before it: of many problems on one Gram
    each would take hardly longer than a look.
    """

    def __init__(self) -> None:
        self.reason = ""  # what refuted it, empty if nothing did
        self._seen: list[NDArray[np.bool_]] = []  # the rows of the last two looks
        self._size: FloatArray | None = None  # of coefficients, the largest of all points
        self._n_points = 0

    def look(self, gram: Gram, coef: FloatArray | None) -> bool:
        """Look at the rows with the largest coefficients and, if there is room, some others.

        Whether that has refuted what was not refuted before.
        """
        if self.reason or not self._is_due(coef):
            return False
        is_chosen = _chosen(gram.n_rows, self._size)
        if any((seen >= is_chosen).all() for seen in self._seen):
            return False
        reason = refutation(_values(gram, is_chosen.nonzero()[0]))
        self._seen = [*self._seen[-1:], is_chosen]
        if reason is None or self.reason:
            return False
        self.reason = reason
        return True

    def _is_due(self, coef: FloatArray | None) -> bool:
        """Take notice of a point; whether it is to be looked at."""
        if coef is None:
            return not self._seen
        size = np.abs(coef)
        self._size = size if self._size is None else np.maximum(self._size, size)
        self._n_points += 1
        return self._n_points.bit_count() == 1


def require_definite(gram: Gram, what: str, advice: str = "") -> None:
    """Refuse a kernel that is not positive semi-definite, or whose values show that."""
    if gram.definiteness == "unknown":
        gram.inspect(warn=False)
    if gram.definiteness == "refuted":
        reason = gram.refutation
        raise ValueError(
            f"{what} needs a positive semi-definite kernel, got {gram.kernel!r}"
            f"{f': {reason}' if reason else ''}{advice}"
        )


def warn_of_indefinite(kernel: Any, reason: str = "") -> None:
    """Say what a kernel that is not positive semi-definite takes away."""
    why = f" ({reason})" if reason else ""
    warn(
        f"the kernel {kernel!r} is not positive semi-definite{why}: the solution need not be "
        "the best one, and there is no duality gap"
    )


def _chosen(n_rows: int, size: FloatArray | None) -> NDArray[np.bool_]:
    """Rows of the largest ``size``, then rows at equal intervals; without sizes half as many."""
    is_chosen = np.zeros(n_rows, dtype=bool)
    room = SAMPLE_ROWS
    if size is not None:
        carriers = size.nonzero()[0]
        if len(carriers) > room:
            carriers = carriers[np.argsort(-size[carriers], kind="stable")[:room]]
        is_chosen[carriers] = True
        room -= len(carriers)
    elif n_rows > room:
        room //= 2
    others = (~is_chosen).nonzero()[0]
    if room:
        is_chosen[others[:: -(-len(others) // room)] if len(others) > room else others] = True
    return is_chosen


def _values(gram: Gram, rows: NDArray[np.intp]) -> FloatArray:
    """Kernel values among the rows; few rows of a function come from the cache, or stay there."""
    if gram.form.reads_python and gram.n_rows <= 2 * SAMPLE_ROWS:
        return np.array([gram.row(int(i))[rows] for i in rows], dtype=np.float64)
    return np.asarray(gram.block(rows, rows), dtype=np.float64)
