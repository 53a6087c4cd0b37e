"""Random codes: the best separated of many draws (Allwein et al. 2000, section 6)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

__all__ = ["all_columns", "best_draw", "dense_kind", "sparse_kind"]

SignArray = NDArray[np.int8]

_ENTRIES = 2**23  # of all draws looked at together
_FEW = 1024  # columns that are listed rather than drawn
# What all draws may cost, in entries and in multiplications of rows: about a second each.
_MOST_ENTRIES, _MOST_PRODUCTS = 2e7, 1e10


@dataclass(frozen=True)
class Kind:
    """How columns are drawn.

    Attributes
    ----------
    zero_share : float
        Probability of a zero; both signs share the rest.
    n_usual : int
        Columns that are usual.
    n_distinct : int
        Columns there are with both signs, a column and its negative being the same.
    """

    zero_share: float
    n_usual: int
    n_distinct: int


def dense_kind(n_classes: int) -> Kind:
    """Signs only, 10 log2(n_classes) columns."""
    return Kind(0.0, math.ceil(10 * math.log2(n_classes)), 2 ** (n_classes - 1) - 1)


def sparse_kind(n_classes: int) -> Kind:
    """Half of the entries zero, 15 log2(n_classes) columns.

    Of 3^N columns 2 2^N - 1 lack a sign (602 usable ones for 6 classes;
    docs/theory/multiclass.md#errata).
    """
    usable = (3**n_classes - 2 * 2**n_classes + 1) // 2
    return Kind(0.5, math.ceil(15 * math.log2(n_classes)), usable)


def best_draw(
    kind: Kind, n_classes: int, n_columns: int, n_draws: int, random_state: Any
) -> SignArray:
    """The draw with the largest row separation; ties go to the first.

    Columns that lack a sign, and copies and negatives of columns, are drawn again, one by one.
    Draws with a row of zeros or two equal rows do not count. Fewer than ``n_draws`` are made
    where so many would take more than seconds.
    """
    if n_columns >= kind.n_distinct:
        return all_columns(kind, n_classes)
    rng = check_random_state(random_state)
    draws = _chosen_columns if kind.n_distinct <= max(_FEW, 4 * n_columns) else _drawn_columns
    size = float(n_classes * n_columns)
    affordable = min(_MOST_ENTRIES / size, _MOST_PRODUCTS / (size * n_classes))
    n_draws = max(min(n_draws, int(affordable)), 1)
    at_once = max(min(_ENTRIES // max(4 * n_classes * n_columns, _FEW), n_draws), 1)
    best, most, n_seen = None, -1.0, 0
    while n_seen < n_draws or best is None:
        drawn = draws(rng, kind, n_classes, n_columns, at_once)
        separation = _separations(drawn)
        k = int(separation.argmax())
        if separation[k] > most:
            best, most = drawn[k], float(separation[k])
        n_seen += at_once
    return best


def all_columns(kind: Kind, n_classes: int) -> SignArray:
    """Every usable column once, up to its sign; that of the first class that takes part is -1."""
    base = 3 if kind.zero_share else 2
    numbers = np.arange(base**n_classes)
    digits = numbers // base ** np.arange(n_classes)[::-1, None] % base
    values = np.array([0, -1, 1] if kind.zero_share else [-1, 1], dtype=np.int8)
    columns = values[digits]
    first = np.take_along_axis(columns, (columns != 0).argmax(axis=0)[None], axis=0)[0]
    return columns[:, (first == -1) & (columns == 1).any(axis=0)]


def _chosen_columns(
    rng: np.random.RandomState, kind: Kind, n_classes: int, n_columns: int, n_draws: int
) -> SignArray:
    """As :func:`_drawn_columns`, from a list of all usable columns.

    To take the largest of log p + Gumbel noise is to draw without replacement by p, as drawing
    copies again is.
    """
    columns = all_columns(kind, n_classes)
    # a zero is as probable as both signs together
    log_p = -np.log(2.0) * np.count_nonzero(columns, axis=0) if kind.zero_share else 0.0
    keys = log_p + rng.gumbel(size=(n_draws, columns.shape[1]))
    places = np.argsort(-keys, axis=1)[:, :n_columns]
    return columns[:, places].transpose(1, 0, 2)


def _drawn_columns(
    rng: np.random.RandomState, kind: Kind, n_classes: int, n_columns: int, n_draws: int
) -> SignArray:
    """Matrices of distinct usable columns, shape (n_draws, n_classes, n_columns)."""
    hashes = rng.randint(1, 2**62, size=n_classes)
    columns = np.empty((n_draws, 0, n_classes), dtype=np.int8)
    while True:
        more = _entries(rng, kind, (n_draws, 2 * n_columns, n_classes))
        columns = np.concatenate([columns, more], axis=1)
        is_new = _are_usable(columns) & _are_first(_keys(columns, hashes))
        if (is_new.sum(axis=1) >= n_columns).all():
            break
    place = np.argsort(~is_new, axis=1, kind="stable")[:, :n_columns]
    return np.take_along_axis(columns, place[:, :, None], axis=1).transpose(0, 2, 1)


def _entries(rng: np.random.RandomState, kind: Kind, shape: tuple[int, ...]) -> SignArray:
    signs = (2 * rng.randint(0, 2, size=shape, dtype=np.int8) - 1).astype(np.int8)
    if kind.zero_share:
        signs[rng.random_sample(shape) < kind.zero_share] = 0
    return signs


def _are_usable(columns: SignArray) -> NDArray[np.bool_]:
    return (columns == 1).any(axis=2) & (columns == -1).any(axis=2)


def _keys(columns: SignArray, hashes: NDArray[Any]) -> NDArray[np.int64]:
    """A number for each column, the same for its negative; others agree by a rare accident."""
    with np.errstate(over="ignore"):
        sums = columns.astype(np.int64) @ hashes.astype(np.int64)
    return np.abs(sums)


def _are_first(keys: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which entries of each row of keys do not occur before."""
    order = np.argsort(keys, axis=1, kind="stable")
    ordered = np.take_along_axis(keys, order, axis=1)
    is_first = np.ones(keys.shape, dtype=bool)
    is_first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    out = np.empty_like(is_first)
    np.put_along_axis(out, order, is_first, axis=1)
    return out


def _separations(matrices: SignArray) -> NDArray[np.float64]:
    """Row separation of each matrix; -1 where a row is zero or equal to another."""
    rows = matrices.astype(np.float32)
    products = rows @ rows.transpose(0, 2, 1)
    sizes = np.einsum("drr->dr", products).copy()
    n = matrices.shape[1]
    products[:, np.arange(n), np.arange(n)] = -np.inf
    # rows are equal if they agree in all their entries that are not zero
    equal = (products == sizes[:, :, None]) & (products == sizes[:, None, :])
    wrong = equal.any(axis=(1, 2)) | (sizes == 0).any(axis=1)
    separation = (matrices.shape[2] - products.max(axis=(1, 2))) / 2.0
    return np.where(wrong, -1.0, separation).astype(np.float64)
