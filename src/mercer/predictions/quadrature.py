"""Gauss-Legendre rules that integrate products of linear factors to rounding."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import roots_legendre

__all__ = ["Rules", "exact_rule", "rules_for"]

FloatArray = NDArray[np.float64]
_AT_ONCE = 4  # nodes that the core evaluates side by side
_ERROR = 2.0**-48  # next to the products themselves
_GROWTH = 1.15  # of the number of nodes from rule to rule, where that is more than four


@dataclass(frozen=True, eq=False)
class Rules:
    """Rules on [0, 1], the shortest first.

    Attributes
    ----------
    offsets : ndarray of shape (n_rules + 1,)
        Where the nodes of each rule begin.
    nodes : ndarray of shape (2, n_nodes)
        Nodes and weights of all rules.
    ellipses : ndarray of shape (3, n_ellipses)
        What tells how many nodes are enough: see :func:`_ellipses`.
    """

    offsets: NDArray[np.int64]
    nodes: FloatArray
    ellipses: FloatArray


@lru_cache(maxsize=64)
def rules_for(n_features: int) -> Rules:
    """Rules for products of so many factors; the last one is good for all of them."""
    counts = [_AT_ONCE]
    enough = min(_worst_need(n_features), n_features / 2)
    while counts[-1] < enough:
        larger = _AT_ONCE * round(_GROWTH * counts[-1] / _AT_ONCE)
        counts.append(max(larger, counts[-1] + _AT_ONCE))
    return _rules(counts)


@lru_cache(maxsize=64)
def exact_rule(degree: int) -> Rules:
    """The shortest rule that is exact for polynomials below a degree."""
    return _rules([max(-(-degree // 2), 1)])


def _rules(counts: list[int]) -> Rules:
    nodes, weights = zip(*(roots_legendre(n) for n in counts), strict=True)
    return Rules(
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        np.stack([0.5 + 0.5 * np.concatenate(nodes), 0.5 * np.concatenate(weights)]),
        _ellipses(),
    )


def _ellipses() -> FloatArray:
    """Half axis c, offset and rate of some ellipses around the interval.

    An integrand of at most M exp(g) on the ellipse of half axis c = cosh s is integrated by n nodes
    with an error of at most 64/15 M exp(g - 2 n s) / (1 - exp(-2 s))
    (docs/theory/predictions.md#how-many-nodes): (g + offset) / rate nodes are enough.
    """
    s = np.geomspace(0.05, 5.0, 24)
    offset = np.log(64 / 15 / _ERROR) - np.log(-np.expm1(-2 * s))
    return np.stack([np.cosh(s), offset, 2 * s])


def _worst_need(n_features: int) -> float:
    """Nodes that are enough for any factors between 0 and 1: their spread is at most d / 2."""
    reach, offset, rate = _ellipses()
    return float(((0.5 * n_features * (reach - 1) + offset) / rate).min())
