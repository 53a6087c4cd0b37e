"""Walking over an (n, m) matrix of kernel values in blocks of bounded size."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement, pairwise
from math import isqrt

__all__ = ["BLOCK_BYTES", "SUM_BYTES", "block_slices", "row_slices", "triangle_slices"]

BLOCK_BYTES = 2**25
# Of values that are summed and not kept: blocks that stay in the cache of a core. A contraction
# over 400 x 400 values of 20 features takes half as long as in one block.
SUM_BYTES = 2**21


def row_slices(n_rows: int, row_bytes: int, block_bytes: int = BLOCK_BYTES) -> Iterator[slice]:
    """Cut ``range(n_rows)`` into slices of at most ``block_bytes`` (never below one row)."""
    height = max(1, block_bytes // max(1, row_bytes))
    for start in range(0, n_rows, height):
        yield slice(start, min(start + height, n_rows))


def block_slices(
    n_rows: int, n_columns: int, entry_bytes: int, block_bytes: int = BLOCK_BYTES
) -> Iterator[tuple[slice, slice]]:
    """Cut an (n_rows, n_columns) matrix into blocks of at most ``block_bytes``.

    Blocks are square where the matrix allows it: work per row and per column (norms,
    conversions) is then smallest against the work per entry.
    """
    entries = max(1, block_bytes // entry_bytes)
    width = max(1, min(n_columns, isqrt(entries)))
    height = max(1, min(n_rows, entries // width))
    width = max(width, min(n_columns, entries // height))
    for rows in row_slices(n_rows, 1, height):
        for columns in row_slices(n_columns, 1, width):
            yield rows, columns


def triangle_slices(
    n_rows: int, entry_bytes: int, block_bytes: int = BLOCK_BYTES
) -> Iterator[tuple[slice, slice]]:
    """Cut the upper triangle of an (n_rows, n_rows) matrix into blocks of equal height.

    Those on the diagonal are whole.
    """
    side = max(1, isqrt(max(1, block_bytes // entry_bytes)))
    count = -(-n_rows // side)
    ends = [k * n_rows // count for k in range(count + 1)] if count else []
    parts = [slice(start, end) for start, end in pairwise(ends)]
    return combinations_with_replacement(parts, 2)
