"""The rows of examples that are kept, packed in pieces so that few move when some come or go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer import _core
from mercer.gram.native import (
    MOST_SPREAD,
    Precision,
    RowSet,
    build_kernel,
    is_of_distances,
    spread,
    take_rows,
    takes_bytes,
)
from mercer.gram.rounding import carries
from mercer.kernels.form import Form, Leaf

__all__ = ["KeptRows", "Packing", "as_numbers", "stacked"]

Ids = NDArray[np.int64]
_JOINERS: dict[Precision, Any] = {"single": _core.JoinerSingle, "double": _core.JoinerDouble}


def stacked(parts: list[Any]) -> Any:
    """Sets of rows one below the other."""
    if len(parts) == 1:
        return parts[0]
    if sp.issparse(parts[0]):
        return sp.vstack(parts, format="csr")
    if hasattr(parts[0], "shape"):
        return np.concatenate(parts)
    return [row for part in parts for row in part]


def as_numbers(rows: Any) -> Any:
    """Bytes as numbers, which may lie between two of them."""
    is_bytes = getattr(rows, "dtype", None) in (np.uint8, np.int8)
    return rows.astype(np.float64) if is_bytes else rows


class Packing:
    """How rows are packed: alike for all of a stream, so that values do not depend on the block.

    Rows are not shifted to a mean, which is not known yet. Where that costs digits,
    distances go by differences, and single precision gives way to double; both for good.

    Parameters
    ----------
    form : Form
        The kernel as the core knows it.
    precision : {"single", "double"}
        Precision of the kernel values.
    store_sparse : bool
        Whether dense rows are packed without their zeros.
    by_differences : bool, default=False
        Whether distances go by differences.
    n_threads : int, default=1
        Number of threads.
    """

    def __init__(
        self,
        form: Form,
        precision: Precision,
        store_sparse: bool,
        by_differences: bool = False,
        n_threads: int = 1,
    ) -> None:
        self.form, self.precision = form, precision
        self.store_sparse, self.by_differences = store_sparse, by_differences
        self.n_threads = n_threads

    def suits(self, rows: RowSet) -> bool:
        """Whether rows packed like this tell their kernel values; else it changes to what does."""
        needs_double = self.precision == "single" and not carries(self.form, rows)
        limit = MOST_SPREAD["double" if needs_double else self.precision]
        is_far = any(
            is_of_distances(leaf)
            and not takes_bytes(leaf, rows, rows)
            and not spread(leaf, rows) <= limit
            for leaf in self.form.leaves
        )
        is_well = not needs_double and (self.by_differences or not is_far)
        self.precision = "double" if needs_double else self.precision
        self.by_differences |= is_far
        return is_well

    def packed(self, rows: Any) -> RowSet:
        """Rows, packed when they are first used."""
        found = RowSet(rows, self.precision, None, self.store_sparse)
        for leaf in self.form.leaves:
            key = (leaf.kind, leaf.gamma, id(leaf.transform))
            found.packings[key] = (False, self.by_differences and is_of_distances(leaf))
            found.splits[key] = None
        return found

    def values(self, left: RowSet, right: RowSet) -> NDArray[Any]:
        """Kernel values of two sets of rows, in the precision of the packing."""
        kernel = build_kernel(self.form, left, right)
        return _core.cross_values(kernel, np.arange(len(left)), self.n_threads)

    def joiner(self, parts: list[RowSet]) -> Any:
        """What makes rows between two others in the core; None where it cannot.

        It can for dense rows and a Gaussian kernel whose metric does not mix features.
        """
        form = self.form
        if not isinstance(form, Leaf) or not all(isinstance(p.rows, np.ndarray) for p in parts):
            return None
        scale = np.empty(0) if form.transform is None else form.transform
        if scale.ndim > 1:
            return None
        given = [np.ascontiguousarray(as_numbers(part.rows)) for part in parts]
        packed = [part.packed(form.transform, False) for part in parts]
        pairs = list(zip(given, packed, strict=True))
        return _JOINERS[self.precision](form.gamma, self.by_differences, scale.tolist(), pairs)


@dataclass
class _Piece:
    ids: Ids
    packed: RowSet

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def rows(self) -> Any:
        return self.packed.rows


class KeptRows:
    """Rows by the ids of their examples, in pieces of very different lengths.

    A row is copied when its piece is joined with one of about its own length: about log2(n) times
    while n rows come.
    """

    def __init__(self, packing: Packing) -> None:
        self.packing = packing
        self._pieces: list[_Piece] = []

    @property
    def ids(self) -> Ids:
        """Ids of all rows that are here, those that are no longer wanted among them."""
        return np.concatenate([np.empty(0, np.int64), *(piece.ids for piece in self._pieces)])

    def add(self, ids: Ids, rows: Any) -> None:
        """Keep some more."""
        if len(ids):
            self._pieces.append(_Piece(ids, self.packing.packed(rows)))

    def tidy(self, is_wanted: NDArray[np.bool_]) -> None:
        """Join pieces, and drop rows of those in which less than half are wanted.

        ``is_wanted`` is told in the order of ``ids``.
        """
        cuts = np.cumsum([len(piece) for piece in self._pieces])[:-1]
        wanted = np.split(is_wanted, cuts)
        pieces: list[tuple[_Piece, NDArray[np.bool_]]] = []
        for piece, mask in zip(self._pieces, wanted, strict=True):
            if 2 * np.count_nonzero(mask) < len(mask):
                piece, mask = self._joined([(piece, mask)])
            if len(piece):
                pieces.append((piece, mask))
            while len(pieces) > 1 and len(pieces[-2][0]) <= 2 * len(pieces[-1][0]):
                pieces[-2:] = [self._joined(pieces[-2:])]
        self._pieces = [piece for piece, _ in pieces]

    def _joined(
        self, parts: list[tuple[_Piece, NDArray[np.bool_]]]
    ) -> tuple[_Piece, NDArray[np.bool_]]:
        """One piece of what is wanted of several."""
        ids = np.concatenate([piece.ids[mask] for piece, mask in parts])
        rows = stacked([take_rows(piece.rows, np.flatnonzero(mask)) for piece, mask in parts])
        return _Piece(ids, self.packing.packed(rows)), np.ones(len(ids), dtype=bool)

    def repack(self) -> None:
        """Pack all rows again, after the packing has changed."""
        self._pieces = [_Piece(p.ids, self.packing.packed(p.rows)) for p in self._pieces]

    def values(self, block: RowSet) -> NDArray[Any]:
        """Kernel values of some rows with all that are here, columns in the order of ``ids``."""
        parts = [self.packing.values(block, piece.packed) for piece in self._pieces]
        if len(parts) == 1:
            return parts[0]
        dtype = np.float32 if self.packing.precision == "single" else np.float64
        out = np.empty((len(block), sum(map(len, self._pieces))), dtype)
        return np.concatenate(parts, axis=1, out=out) if parts else out

    def joiner(self, block: RowSet) -> Any:
        """What makes rows between two of these or of a block; None where the core cannot."""
        return self.packing.joiner([*(piece.packed for piece in self._pieces), block])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the rows that are here, bytes as numbers."""
        return np.result_type(*(as_numbers(piece.rows[:0]) for piece in self._pieces))

    def rows_of(self, ids: Ids) -> Any:
        """The rows of some examples that are here, in this order."""
        own = self.ids
        order = np.argsort(own, kind="stable")
        places = order[np.searchsorted(own, ids, sorter=order)]
        parts, starts = [], np.cumsum([0, *(len(piece) for piece in self._pieces)])
        taken = []
        for piece, start in zip(self._pieces, starts, strict=False):
            mine = np.flatnonzero((places >= start) & (places < start + len(piece)))
            if len(mine):
                parts.append(take_rows(piece.rows, places[mine] - start))
                taken.append(mine)
        back = np.argsort(np.concatenate(taken), kind="stable")
        return take_rows(stacked(parts), back)

    def __len__(self) -> int:
        return sum(map(len, self._pieces))

    @property
    def empty(self) -> Any:
        """No rows, of the kind that are here."""
        if not self._pieces:
            return np.empty((0, 0))
        rows = self._pieces[0].rows
        return take_rows(rows, np.empty(0, dtype=np.intp))
