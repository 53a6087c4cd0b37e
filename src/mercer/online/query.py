"""Which rows of a pool to ask labels of."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram.cross import CrossGram
from mercer.gram.native import count_rows, take_rows
from mercer.kernels import Kernel
from mercer.kernels.blocks import row_slices

__all__ = ["STRATEGIES", "Pool", "uncertainty"]

FloatArray = NDArray[np.float64]
Rows = NDArray[np.intp]
STRATEGIES = ("margin", "random", "autoactive", "max-min-margin")
# Of autoactive: most rows drawn, and how many of them near the boundary are enough.
_DRAWN, _NEAR = 100, 5
_SHORT_LIST = 10  # rows looked at for each that is asked for, where they are to differ
_BLOCK_BYTES = 2**24


def uncertainty(values: FloatArray) -> FloatArray:
    """Distance of decision values from where the class changes.

    |f| for two classes; for more half the difference of the two largest values, which for two
    functions f and -f is the same.
    """
    if values.shape[1] == 1:
        return np.abs(values[:, 0])
    two = np.partition(values, -2, axis=1)[:, -2:]
    return np.asarray(0.5 * (two[:, 1] - two[:, 0]))


class Pool:
    """Rows without labels, and what a machine says of them.

    Parameters
    ----------
    X : array or sparse matrix
        The rows.
    values : ndarray of shape (n_rows, n_functions)
        Decision values of the machine.
    kernel : Kernel
        Its kernel.
    vectors : array or sparse matrix
        Its support vectors.
    violation : float
        How far it is from its optimum.
    random : RandomState
        Where chance comes from.
    """

    def __init__(
        self,
        X: Any,
        values: FloatArray,
        kernel: Kernel,
        vectors: Any,
        violation: float,
        random: np.random.RandomState,
    ) -> None:
        self.X, self.kernel, self.vectors = X, kernel, vectors
        self.near = uncertainty(values)
        self.violation, self.random = violation, random

    def choose(self, n: int, strategy: str, diversity: float) -> Rows:
        """``n`` different rows, those that tell most first."""
        n = min(n, len(self.near))
        if strategy == "random":
            return self.random.permutation(len(self.near))[:n]
        if strategy == "autoactive":
            return self._drawn(n)
        score = self.near if strategy == "margin" else self._least_gain()
        if n == 1 or diversity == 0.0:
            return self._least(score, n)
        return self._different(self._least(score, _SHORT_LIST * n), n, diversity)

    def _least(self, score: FloatArray, n: int) -> Rows:
        """The rows of the ``n`` least scores in their order, equal ones in any."""
        tie, some = self.random.permutation(len(score)), np.arange(len(score))
        if n < len(score):
            some = np.flatnonzero(score <= np.partition(score, n - 1)[n - 1])
        return some[np.lexsort((tie[some], score[some]))][:n]

    def _drawn(self, n: int) -> Rows:
        """Of rows drawn at random the nearest to the boundary, again and again.

        At most 100 are drawn, fewer if 5 of them lie within 1 + delta/2 of it, delta being the
        violation (Bordes et al. 2005, section 4): where these are easy to find, the pool is looked
        at more closely.
        """
        left = self.random.permutation(len(self.near))
        chosen = []
        for _ in range(n):
            drawn = left[:_DRAWN]
            inside = np.flatnonzero(self.near[drawn] < 1.0 + 0.5 * self.violation)
            if len(inside) >= _NEAR:
                drawn = drawn[: inside[_NEAR - 1] + 1]
            best = drawn[self.near[drawn].argmin()]
            chosen.append(best)
            left = self.random.permutation(left[left != best])
        return np.array(chosen, dtype=np.intp)

    def _least_gain(self) -> FloatArray:
        """About by how much the dual would grow with the label that the machine expects less.

        1/|w|, the margin, stays largest with either label where this is smallest (Tong & Koller
        2001). Only one step is looked at, with the nearest support vector as partner:
        gain (1 + |f|)^2 / (2 |phi(x) - phi(s)|^2).
        """
        return (1.0 + self.near) ** 2 / np.maximum(self._distance_to_vectors(), 1e-12)

    def _distance_to_vectors(self) -> FloatArray:
        """Squared distance of each row from the nearest support vector, in feature space."""
        n_vectors = count_rows(self.vectors)
        if not n_vectors:
            return np.ones(len(self.near))
        own, others = self.kernel.diag(self.X), self.kernel.diag(self.vectors)
        gram = CrossGram(self.kernel, self.vectors)
        out = np.empty(len(self.near))
        for rows in row_slices(len(out), 8 * n_vectors, _BLOCK_BYTES):
            some = np.arange(len(out))[rows]
            values = gram.block(take_rows(self.X, some))
            out[rows] = own[rows] + (others - 2.0 * values).min(axis=1)
        return out

    def _different(self, order: Rows, n: int, diversity: float) -> Rows:
        """One after another, the best of the sum of score and likeness to those chosen before.

        Both in [0, 1]: the place among the candidates, and the largest |cosine| in feature space
        (Brinker 2003).
        """
        rows = take_rows(self.X, order)
        size = np.sqrt(np.maximum(self.kernel.diag(rows), 1e-300))
        gram = CrossGram(self.kernel, rows)
        place = np.linspace(0.0, 1.0, len(order))
        likeness, is_left = np.zeros(len(order)), np.ones(len(order), dtype=bool)
        chosen = []
        for _ in range(n):
            worth = np.where(is_left, (1.0 - diversity) * place + diversity * likeness, np.inf)
            best = int(worth.argmin())
            chosen.append(best)
            is_left[best] = False
            with_best = gram.block(take_rows(rows, np.array([best])))[0]
            likeness = np.maximum(likeness, np.abs(with_best) / (size * size[best]))
        return order[chosen]
