"""Kernel values of a path: among the rows it is made of, and of other rows with them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.gram.cross import CrossGram
from mercer.gram.expansion import Expansion
from mercer.gram.native import take_rows
from mercer.gram.shift import moved
from mercer.kernels import Kernel, Linear
from mercer.lowrank import LowRank
from mercer.training.rows import TrainingRows

__all__ = ["KernelValues", "OnRows"]

FloatArray = NDArray[np.float64]


class KernelValues:
    """A kernel with the rows of a path.

    Parameters
    ----------
    kernel : Kernel
        The kernel, with all its parameters numbers.
    rows : array, sparse matrix or sequence
        The rows.
    training : TrainingRows
        What other rows are checked against.
    low_rank : LowRank or None, default=None
        A fitted approximation in place of the kernel itself.
    gram : Gram or None, default=None
        Values among the rows, or among their features if there is an approximation; made
        when first asked for if None.
    shift : ndarray of shape (n_features,), default=None
        Where rows are measured from, if it is not zero (:mod:`mercer.gram.shift`).
    """

    def __init__(
        self,
        kernel: Kernel,
        rows: Any,
        training: TrainingRows,
        low_rank: LowRank | None = None,
        gram: Gram | None = None,
        shift: FloatArray | None = None,
    ) -> None:
        self.shift = shift
        self.kernel, self.rows, self.training = kernel, rows, training
        self.low_rank, self._gram = low_rank, gram

    def __getstate__(self) -> dict[str, Any]:
        # kernel values are made again when they are needed
        return self.__dict__ | {"_gram": None}

    @property
    def gram(self) -> Gram:
        """Values among the rows, in double precision."""
        if self._gram is None:
            rows = self.rows if self.low_rank is None else self.features(self.rows)
            gram = Gram(self._used, rows, precision="double", shift=self.shift)
            self._gram = gram.check_values()
        return self._gram

    def forget(self) -> None:
        """Let go of the values among the rows; they can be made again."""
        self._gram = None

    @property
    def _used(self) -> Kernel:
        return self.kernel if self.low_rank is None else Linear()

    def features(self, rows: Any) -> Any:
        """Rows as the kernel in use takes them."""
        if self.low_rank is None:
            return rows if self.shift is None else moved(rows, self.shift)
        return np.ascontiguousarray(self.low_rank.transform(rows))

    def _fixed(self, index: NDArray[np.intp]) -> Any:
        """Some of the rows; of stored kernel values their positions."""
        if self._used.form().reads_stored:
            return index
        is_plain = self.low_rank is None and self.shift is None
        return take_rows(self.rows if is_plain else self.gram._rows, index)

    def read(self, X: Any) -> Any:
        """Other rows, checked, as the kernel in use takes them."""
        return self.features(self.training.check(X))

    def expand(self, X: Any, coef: FloatArray) -> FloatArray:
        """``sum_i coef[i, c] k(rows[i], x)`` at rows that :meth:`read` has read."""
        used = np.flatnonzero(coef.any(axis=1))
        expansion = Expansion(self._used, self._fixed(used), coef[used])
        return np.asarray(expansion.evaluate(X)[0])

    def block(self, X: Any, index: NDArray[np.intp]) -> FloatArray:
        """Values of rows that :meth:`read` has read with some of the rows."""
        return CrossGram(self._used, self._fixed(index)).block(X)


class OnRows:
    """What paths know of the rows they are made of; nothing if they were loaded without."""

    kernel_values: KernelValues | None

    @property
    def kernel(self) -> Kernel | None:
        """The kernel."""
        return None if self.kernel_values is None else self.kernel_values.kernel

    @property
    def rows(self) -> Any:
        """The training rows."""
        return None if self.kernel_values is None else self.kernel_values.rows

    @property
    def low_rank(self) -> LowRank | None:
        """The approximation of the kernel."""
        return None if self.kernel_values is None else self.kernel_values.low_rank

    @property
    def gram(self) -> Gram:
        """Kernel values among the training rows."""
        return self._known_values().gram

    def _known_values(self) -> KernelValues:
        if self.kernel_values is None:
            name = type(self).__name__
            raise ValueError(f"this needs the kernel and X: give both to {name}.load")
        return self.kernel_values
