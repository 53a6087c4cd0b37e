"""Codes that are written down: one against all, pairs, all splits, Hadamard and BCH codes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mercer._memory import require_memory

__all__ = ["bch", "complete", "hadamard", "one_vs_all", "one_vs_one"]

SignArray = NDArray[np.int8]

MOST_SPLIT = 14  # classes of which all splits are few enough to be trained
_BCH_BITS = 6
_BCH_LENGTH = 2**_BCH_BITS - 1
_RECURRENCE = (0, 1)  # taps of the primitive polynomial x^6 + x + 1


def one_vs_all(n_classes: int) -> SignArray:
    """Each class against all others; two classes share one column."""
    if n_classes == 2:
        return np.array([[-1], [1]], dtype=np.int8)
    return 2 * np.eye(n_classes, dtype=np.int8) - np.int8(1)


def one_vs_one(n_classes: int) -> SignArray:
    """Each class against each other one, in the order (0, 1), (0, 2), ..., (1, 2), ..."""
    if n_classes == 2:
        return one_vs_all(2)
    n_pairs = n_classes * (n_classes - 1) // 2
    require_memory(float(n_classes * n_pairs), f"the code of {n_pairs} pairs", "fewer classes do")
    matrix = np.zeros((n_classes, n_pairs), dtype=np.int8)
    first, second = np.array(list(combinations(range(n_classes), 2))).T
    matrix[first, np.arange(n_pairs)] = 1
    matrix[second, np.arange(n_pairs)] = -1
    return matrix


def complete(n_classes: int) -> SignArray:
    """Every way to split the classes in two, 2^(n_classes - 1) - 1 columns."""
    if n_classes > MOST_SPLIT:
        raise ValueError(
            f"code='complete' is for up to {MOST_SPLIT} classes ({2 ** (MOST_SPLIT - 1) - 1} "
            f"machines), got {n_classes} classes: choose 'hadamard', 'bch' or 'dense'"
        )
    return _simplex(n_classes, np.arange(1, 2 ** (n_classes - 1)), n_classes - 1)


def hadamard(n_classes: int) -> SignArray:
    """Rows of the least Sylvester-Hadamard matrix without its constant column: all equidistant.

    2^b - 1 columns for up to 2^b classes, row separation 2^(b - 1).
    """
    bits = int(n_classes - 1).bit_length()
    return _simplex(n_classes, np.arange(1, 2**bits), bits)


def bch(n_classes: int) -> SignArray:
    """Words of the BCH code of length 63 and 7 bits, whose distances are 31, 32 and 63.

    First those of even weight, which are equidistant (32), then their complements, so that
    more than 64 classes have row separation 31. Up to 7 classes its columns are those of the
    complete code, again and again: each is taken once.
    """
    most = 2 * (_BCH_LENGTH + 1)
    if n_classes > most:
        raise ValueError(
            f"code='bch' has words for up to {most} classes, got {n_classes}: choose 'hadamard' "
            "or 'dense'"
        )
    if n_classes <= _BCH_BITS + 1:
        return complete(n_classes)
    n_even = min(n_classes, _BCH_LENGTH + 1)
    even = _simplex(n_even, _powers(), _BCH_BITS)
    return np.vstack([even, -even[: n_classes - n_even]])


def _simplex(n_rows: int, columns: NDArray[np.intp], bits: int) -> SignArray:
    """M[r, c] = (-1)^(u_r'v_c + 1) for binary vectors u_r and v_c, up to 16 bits of numbers.

    The rows are 0 and the unit vectors before all others, so that no two columns are the same,
    or opposite, and none is constant as long as there are more rows than bits.
    """
    units = 2 ** np.arange(bits)
    others = np.setdiff1d(np.arange(2**bits), np.append(units, 0)) if n_rows > bits + 1 else units
    rows = np.concatenate([[0], units, others])[:n_rows]
    parity = rows[:, None] & columns[None, :]
    for shift in (8, 4, 2, 1):
        parity ^= parity >> shift
    return (2 * (parity & 1) - 1).astype(np.int8)


def _powers() -> NDArray[np.intp]:
    """Powers of a root of the primitive polynomial as numbers of 6 bits: a cyclic order.

    c_j = u'v_j over such an order are all sequences with the recurrence of the polynomial, the
    even words of the BCH code (docs/theory/multiclass.md#bch-codes).
    """
    register, found = 1, []
    for _ in range(_BCH_LENGTH):
        found.append(register)
        fed_back = sum(register >> tap & 1 for tap in _RECURRENCE) % 2
        register = register >> 1 | fed_back << (_BCH_BITS - 1)
    return np.array(found)
