"""A look at some kernel values, where nobody said that the kernel is positive semi-definite."""

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
    rows that is not refutes it.
    """

    def __init__(self) -> None:
        self.reason = ""  # what refuted it, empty if nothing did
        self._seen: list[NDArray[np.intp]] = []

    def look(self, gram: Gram, coef: FloatArray | None) -> bool:
        """Look at the rows with the largest coefficients and, if there is room, some others.

        Whether that has refuted what was not refuted before.
        """
        if self.reason:
            return False
        rows = _chosen(gram.n_rows, coef)
        if any(np.isin(rows, seen).all() for seen in self._seen):
            return False
        reason = refutation(_values(gram, rows))
        self._seen = [*self._seen[-1:], rows]
        if reason is None or self.reason:
            return False
        self.reason = reason
        return True


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


def _chosen(n_rows: int, coef: FloatArray | None) -> NDArray[np.intp]:
    """Rows that carry coefficients, the largest first, then rows at equal intervals."""
    if n_rows <= SAMPLE_ROWS:
        return np.arange(n_rows)
    others = np.linspace(0, n_rows - 1, SAMPLE_ROWS).astype(np.intp)
    if coef is None:
        return others
    size = np.abs(coef)
    carriers = np.flatnonzero(size)
    if len(carriers) > SAMPLE_ROWS:
        carriers = carriers[np.argsort(-size[carriers], kind="stable")[:SAMPLE_ROWS]]
    room = SAMPLE_ROWS - len(carriers)
    others = np.setdiff1d(others, carriers)
    chosen = others[np.linspace(0, len(others), room, endpoint=False).astype(np.intp)]
    return np.union1d(carriers, chosen)


def _values(gram: Gram, rows: NDArray[np.intp]) -> FloatArray:
    """Kernel values among the rows; few rows are taken from the cache, or left there."""
    if gram.n_rows <= 2 * SAMPLE_ROWS:
        return np.array([gram.row(int(i))[rows] for i in rows], dtype=np.float64)
    return np.asarray(gram.block(rows, rows), dtype=np.float64)
