"""Codes by name, by matrix or as objects."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.codes.matrices import bch, complete, hadamard, one_vs_all, one_vs_one
from mercer.codes.output_code import OutputCode
from mercer.codes.random_codes import best_draw, dense_kind, sparse_kind

__all__ = ["CODES", "as_code", "make_code"]

_FIXED: dict[str, Callable[[int], NDArray[np.int8]]] = {
    "one-vs-all": one_vs_all,
    "one-vs-one": one_vs_one,
    "complete": complete,
    "hadamard": hadamard,
    "bch": bch,
}
_DRAWN = {"dense": dense_kind, "sparse": sparse_kind}
CODES = (*_FIXED, *_DRAWN)
_DRAWS = 10_000
_ENTRIES_PER_SECOND = 5e6  # of draws, at least


def make_code(
    name: str,
    n_classes: int,
    *,
    n_columns: int | None = None,
    n_draws: int = _DRAWS,
    random_state: Any = 0,
) -> OutputCode:
    """A code by its name (Rifkin 2002, section 4.3; Allwein et al. 2000).

    Parameters
    ----------
    name : {"one-vs-all", "one-vs-one", "complete", "dense", "sparse", "hadamard", "bch"}
        Which one. "complete" are all splits of up to 14 classes; "dense" and "sparse" are
        random, the second with half of its entries zero; "hadamard" has equidistant rows and
        fewest columns, "bch" 63 columns for up to 128 classes.
    n_classes : int
        Number of classes, 2 or more.
    n_columns : int, default=None
        Machines of a random code; None means 10 log2(n_classes), or 15 log2(n_classes) for a
        sparse one. No more than there are different columns.
    n_draws : int, default=10_000
        How many random codes are drawn for the best row separation to be taken; fewer if there
        are so many classes that it would take more than seconds.
    random_state : int, RandomState or None, default=0
        Seed of the draws.

    Returns
    -------
    OutputCode

    Examples
    --------
    >>> from mercer.codes import make_code
    >>> make_code("hadamard", 10)
    OutputCode('hadamard': 10 classes, 15 machines, row separation 8)
    """
    if name not in CODES:
        raise ValueError(f"code must be one of {sorted(CODES)} or a matrix, got {name!r}")
    n_classes = _count("n_classes", n_classes, 2)
    if name in _FIXED:
        if n_columns is not None:
            raise ValueError(
                f"n_columns must be None for code={name!r}, which has its own, got {n_columns!r}"
            )
        return OutputCode(_FIXED[name](n_classes), name)
    kind = _DRAWN[name](n_classes)
    wanted = kind.n_usual if n_columns is None else _count("n_columns", n_columns, 1)
    fewest = int(n_classes - 1).bit_length() if name == "dense" else 1
    if wanted < fewest:
        raise ValueError(
            f"n_columns must be at least {fewest} to tell {n_classes} classes apart, got {wanted}"
        )
    draws = _count("n_draws", n_draws, 1)
    matrix = best_draw(kind, n_classes, min(wanted, kind.n_distinct), draws, random_state)
    return OutputCode(matrix, name)


def as_code(code: Any, n_classes: int, max_time: float | None = None) -> OutputCode:
    """The code that a name, a matrix or a code stands for, with a row for each class.

    Random codes are the same each time: the best of 10,000 draws, or of as many as are likely to
    take less than half of ``max_time``.

    Examples
    --------
    >>> from mercer.codes.making import as_code
    >>> as_code("one-vs-one", 3).matrix.tolist()
    [[1, 1, 0], [-1, 0, 1], [0, -1, -1]]
    """
    if isinstance(code, str):
        return _usual_code(code, n_classes, _affordable(code, n_classes, max_time))
    found = code if isinstance(code, OutputCode) else OutputCode(code)
    if found.n_classes != n_classes:
        raise ValueError(
            f"code must have a row for each of the {n_classes} classes, got {found.n_classes} rows"
        )
    return found


@lru_cache(maxsize=32)
def _usual_code(name: str, n_classes: int, n_draws: int) -> OutputCode:
    return make_code(name, n_classes, n_draws=n_draws)


def _affordable(name: str, n_classes: int, seconds: float | None) -> int:
    """Draws for so many seconds, by their number only: a code must not depend on the machine."""
    if seconds is None or name not in _DRAWN or n_classes < 2:
        return _DRAWS
    size = n_classes * _DRAWN[name](n_classes).n_usual
    return int(min(max(0.5 * seconds * _ENTRIES_PER_SECOND / size, 1), _DRAWS))


def _count(name: str, value: Any, least: int) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")
    return int(value)
