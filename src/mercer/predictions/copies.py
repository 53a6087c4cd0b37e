"""Which rows are copies of others."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = ["first_copies"]


def first_copies(X: Any) -> NDArray[np.intp]:
    """Position of the first row that is equal to each; objects without a hash have no copies."""
    seen: dict[Hashable, int] = {}
    found = (seen.setdefault(key, i) for i, key in enumerate(_keys(X)))
    return np.fromiter(found, dtype=np.intp)


def _keys(X: Any) -> Iterator[Hashable]:
    if sp.issparse(X):
        for i in range(X.shape[0]):
            part = slice(X.indptr[i], X.indptr[i + 1])
            yield X.indices[part].tobytes(), X.data[part].tobytes()
    elif isinstance(X, np.ndarray) and X.dtype != object:
        rows = np.ascontiguousarray(X)
        yield from (row.tobytes() for row in rows)
    else:
        yield from (row if isinstance(row, Hashable) else id(row) for row in X)
