"""The oligo kernel of sequences: words of k letters at about the same places.

Meinicke et al. 2004; Glasmachers 2008, section 13.2. S_w(x) being the places at which the word w
begins in the string x,

    k(x, z) = sum_w weight_w sum_{p in S_w(x)} sum_{q in S_w(z)} exp(-(p - q)^2 / (4 sigma^2)),

up to a factor the inner product of sums of Gaussian bumps of width sigma at these places.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.kernels import form
from mercer.kernels.base import Kernel
from mercer.kernels.blocks import row_slices
from mercer.kernels.parameters.hyperparameters import (
    Bounds,
    LogParameter,
    Parameter,
    check_bounds,
    check_positive,
)
from mercer.kernels.rows import FloatArray, RowKind, Rows, count_rows

__all__ = ["Oligo"]

IntArray = NDArray[np.int64]

# Below, only equal places count; above, places hardly do in sequences of thousands of letters.
SIGMA_BOUNDS = (0.1, 1e4)
# A criterion may want words away: their weights end there.
WEIGHT_BOUNDS = (1e-4, 1e4)
NO_WORD = -1


class Oligo(Kernel):
    """``sum_w weight_w sum_{p, q} exp(-(p - q)^2 / (4 sigma^2))``, p and q where x and z have w.

    The rows are strings: a list or a one-dimensional array of them. Strings of different length
    have different k(x, x): ``Normalized(Oligo(...))`` is what is usually meant.

    Parameters
    ----------
    k : int, default=3
        Letters of a word.
    sigma : float, default=1.0
        How far words may be out of place, in letters; in ``theta`` by its logarithm.
        Towards 0 only words at equal places count, towards infinity places do not.
    weights : array-like of shape (n_letters ** k,), default=None
        One positive weight for each word, in the order of ``words``; in ``theta`` by their
        logarithms. None means that all words weigh 1.
    alphabet : str, default="ACGT"
        The letters; others in a string are an error.
    sigma_bounds, weights_bounds : pair of floats or "fixed"
        Ranges for optimizers.

    Examples
    --------
    >>> from mercer.kernels import Normalized, Oligo
    >>> kernel = Normalized(Oligo(k=2, sigma=1.0))
    >>> kernel(["ACGT", "CGTA"]).round(3).tolist()
    [[1.0, 0.519], [0.519, 1.0]]
    """

    is_positive_definite = True
    row_kind: RowKind = "object"

    def __init__(
        self,
        k: int = 3,
        sigma: float = 1.0,
        weights: ArrayLike | None = None,
        alphabet: str = "ACGT",
        sigma_bounds: Bounds = SIGMA_BOUNDS,
        weights_bounds: Bounds = WEIGHT_BOUNDS,
    ) -> None:
        self.k = k
        self.sigma = sigma
        self.weights = weights
        self.alphabet = alphabet
        self.sigma_bounds = sigma_bounds
        self.weights_bounds = weights_bounds
        _check_words(k, alphabet)
        check_positive("sigma", sigma)
        check_bounds("sigma_bounds", sigma_bounds)
        check_bounds("weights_bounds", weights_bounds)
        if weights is not None:
            _check_weights(weights, len(alphabet) ** k)

    @property
    def words(self) -> list[str]:
        """All words, in the order of the weights."""
        return ["".join(letters) for letters in product(self.alphabet, repeat=self.k)]

    def _parameters(self) -> tuple[Parameter, ...]:
        sigma = LogParameter("sigma", float(self.sigma), self.sigma_bounds)
        if self.weights is None:
            return (sigma,)
        weights = np.asarray(self.weights, dtype=np.float64)
        return (sigma, LogParameter("weights", weights, self.weights_bounds))

    def form(self) -> form.Form:
        """Return an opaque leaf."""
        return form.Opaque(block=self.__call__, diagonal=self.diag)

    def _values(self, X: Rows, Z: Rows) -> FloatArray:
        if count_rows(X) > count_rows(Z):
            # The loop goes over the fewer strings.
            return np.ascontiguousarray(self._values(Z, X).T)
        values = np.empty((count_rows(X), count_rows(Z)))
        for i, (bumps, others) in enumerate(self._bumps(X, Z, _bump)):
            values[i] = bumps[others.flat].sum(axis=0)
        return values

    def _diagonal(self, X: Rows) -> FloatArray:
        sums = [terms.sum(axis=1) for _, _, terms in self._own_terms(X, _bump)]
        return np.concatenate([np.empty(0), *sums])

    def _contract(self, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
        if count_rows(X) > count_rows(Z):
            return self._contract(Z, X, weights.T)
        by_sigma, by_word = 0.0, np.zeros(len(self._weights()))
        for (bumps, others), own in zip(self._bumps(X, Z, _bump_slope), weights, strict=True):
            by_sigma += float(bumps[others.flat].sum(axis=0) @ own)
        if by_word.size:
            # dk/dlog weight_w: the terms of w
            for (bumps, others), own in zip(self._bumps(X, Z, _bump), weights, strict=True):
                terms = (bumps[others.flat] * own).ravel()
                found = np.bincount(others.ranks.ravel(), terms, len(others.words) + 1)
                by_word[others.words] += found[:-1]
        return self._gather({"sigma": by_sigma, "weights": by_word})

    def _contract_diagonal(self, X: Rows, weights: FloatArray) -> FloatArray:
        by_sigma, by_word = 0.0, np.zeros(len(self._weights()))
        for rows, _, slopes in self._own_terms(X, _bump_slope):
            by_sigma += float(weights[rows] @ slopes.sum(axis=1))
        if by_word.size:
            for rows, codes, terms in self._own_terms(X, _bump):
                shares, is_word = terms * weights[rows][:, None], codes != NO_WORD
                by_word += np.bincount(codes[is_word], shares[is_word], len(by_word))
        return self._gather({"sigma": by_sigma, "weights": by_word})

    def _bumps(self, X: Rows, Z: Rows, shape: Any) -> Iterator[tuple[FloatArray, _Placed]]:
        """For each x the sum of its bumps, ``shape(p - q)``, for every word and place.

        With it come the strings of Z as positions in that array.
        """
        codes = self._codes(X)
        others = codes if Z is X else self._codes(Z)
        n_places = max(codes.shape[1], others.shape[1])
        placed = _Placed.of(np.unique(codes[codes != NO_WORD]), others, n_places)
        table, weight = _shifted(shape, n_places, float(self.sigma)), self._weights()
        bumps = np.zeros((len(placed.words) + 1, n_places))
        for own in codes:
            here = np.flatnonzero(own != NO_WORD)
            here = here[np.argsort(own[here], kind="stable")]
            found, first = np.unique(own[here], return_index=True)
            rows = np.searchsorted(placed.words, found)
            if len(here):
                sums = np.add.reduceat(table[here], first, axis=0)
                bumps[rows] = sums * weight[found][:, None] if weight.size else sums
            yield bumps.ravel(), placed
            bumps[rows] = 0.0

    def _own_terms(self, X: Rows, shape: Any) -> Iterator[tuple[slice, IntArray, FloatArray]]:
        """The words of some strings, and for each the sum over equal ones of the same string."""
        codes, weight = self._codes(X), self._weights()
        n_places = codes.shape[1]
        table = _shifted(shape, n_places, float(self.sigma))
        for rows in row_slices(len(codes), 16 * n_places**2):
            own = codes[rows]
            is_equal = (own[:, :, None] == own[:, None, :]) & (own != NO_WORD)[:, :, None]
            terms = np.where(is_equal, table, 0.0).sum(axis=2)
            yield rows, own, terms * weight[own] if weight.size else terms

    def _weights(self) -> FloatArray:
        """Weight of each word; none if all are 1."""
        return np.empty(0) if self.weights is None else np.asarray(self.weights, dtype=np.float64)

    def _codes(self, X: Rows) -> IntArray:
        """Number of the word at each place of each string, shape (n, places); -1 for none."""
        letters = _letters(_strings(X), self.alphabet)
        n, length = letters.shape
        n_places = max(length - self.k + 1, 0)
        codes = np.zeros((n, n_places), dtype=np.int64)
        is_word = np.ones((n, n_places), dtype=bool)
        for shift in range(self.k):
            part = letters[:, shift : shift + n_places]
            codes = codes * len(self.alphabet) + part
            is_word &= part != NO_WORD
        return np.where(is_word, codes, NO_WORD)


@dataclass(frozen=True, eq=False)
class _Placed:
    """Where the words of some strings lie in an array of one row for each of ``words``.

    ``ranks`` of shape (places, n_strings) are the rows, the last and empty one for words that are
    not among them; ``flat`` are the positions in the flat array. Places come first, so that sums
    over them do not depend on how long other strings are.
    """

    words: IntArray
    ranks: IntArray
    flat: IntArray

    @classmethod
    def of(cls, words: IntArray, codes: IntArray, n_places: int) -> _Placed:
        ranks = np.searchsorted(words, codes.T)
        known = np.append(words, NO_WORD)[ranks] == codes.T
        ranks = np.where(known & (codes.T != NO_WORD), ranks, len(words))
        return cls(words, ranks, ranks * n_places + np.arange(len(ranks))[:, None])


def _shifted(shape: Any, n_places: int, sigma: float) -> FloatArray:
    """``shape(p - q)`` of all places q and p, a view of the values of every distance."""
    distances = np.arange(1.0 - n_places, n_places)
    if not n_places:
        return np.empty((0, 0))
    return np.lib.stride_tricks.sliding_window_view(shape(distances, sigma), n_places)[::-1]


def _bump(distances: FloatArray, sigma: float) -> FloatArray:
    """``exp(-d^2 / (4 sigma^2))``."""
    return np.exp(-((distances / (2.0 * sigma)) ** 2))


def _bump_slope(distances: FloatArray, sigma: float) -> FloatArray:
    """Its derivative by log sigma, ``d^2 / (2 sigma^2) exp(-d^2 / (4 sigma^2))``."""
    return 2.0 * (distances / (2.0 * sigma)) ** 2 * _bump(distances, sigma)


def _strings(X: Rows) -> NDArray[np.str_]:
    strings = np.asarray(X, dtype=np.str_)
    if strings.ndim != 1:
        raise ValueError(
            f"X must be a list or a one-dimensional array of strings, got shape {strings.shape}"
        )
    return strings


def _letters(strings: NDArray[np.str_], alphabet: str) -> IntArray:
    """Number of each letter, shape (n, longest); -1 after the end of a string."""
    length = strings.dtype.itemsize // 4
    points = np.ascontiguousarray(strings).view(np.uint32).reshape(len(strings), length)
    known = np.array([ord(letter) for letter in alphabet], dtype=np.uint32)
    order = np.argsort(known)
    place = np.searchsorted(known[order], points).clip(max=len(known) - 1)
    numbers = order[place]
    wrong = (known[numbers] != points) & (points != 0)
    if wrong.any():
        letter = chr(int(points[wrong][0]))
        raise ValueError(f"X must hold the letters {alphabet!r} only, got {letter!r}")
    return np.where(points == 0, NO_WORD, numbers)


def _check_words(k: Any, alphabet: Any) -> None:
    if not isinstance(k, Integral) or isinstance(k, bool):
        raise TypeError(f"k must be an integer, got {k!r}")
    if not isinstance(alphabet, str):
        raise TypeError(f"alphabet must be a string of letters, got {alphabet!r}")
    if not alphabet or len(set(alphabet)) < len(alphabet) or "\0" in alphabet:
        raise ValueError(f"alphabet must be a string of different letters, got {alphabet!r}")
    if not (int(k) >= 1 and len(alphabet) ** int(k) < 2**62):
        raise ValueError(
            f"k must be a positive integer with fewer than 2^62 words of {len(alphabet)} letters, "
            f"got {k}"
        )


def _check_weights(weights: ArrayLike, n_words: int) -> None:
    given = np.asarray(weights)
    if given.shape != (n_words,) or given.dtype.kind not in "fiu":
        raise ValueError(
            f"weights must be {n_words} numbers, one for each word, got shape {given.shape}"
        )
    for weight in given.tolist():
        check_positive("weights", weight)
