"""Synthetic translation initiation sites: DNA windows with or without a ribosome binding motif."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.lab.distributions.distribution import (
    Distribution,
    FloatArray,
    RandomSource,
    Sample,
    SeedLike,
    check_probability,
    draw_labels,
)

__all__ = ["TranslationStarts", "make_tis"]

Codes = NDArray[np.uint8]

ALPHABET = "ACGT"
LENGTH = 50
CODON_START = 32
CODONS = ("ATG", "GTG", "TTG")
CODON_SHARES = (0.83, 0.14, 0.03)
MOTIF = "AGGAGG"
# Letters between the end of the motif and the codon.
SPACINGS = (9, 8, 7, 6, 5)
MOTIF_STARTS = tuple(CODON_START - spacing - len(MOTIF) for spacing in SPACINGS)
# The letters that tell the class: all those the motif can cover.
TELLING = slice(MOTIF_STARTS[0], MOTIF_STARTS[-1] + len(MOTIF))


@dataclass(frozen=True, kw_only=True)
class TranslationStarts(Distribution):
    """Synthetic windows of 50 letters around a start codon (Glasmachers 2008, section 13.1).

    These are not real genes. Letters are independent and uniform on ACGT, except for the
    codon ATG, GTG or TTG at positions 32 to 34, alike in both classes, and, in class +1
    only, a noisy copy of AGGAGG (the Shine-Dalgarno motif) ending 5 to 9 letters before
    the codon, each spacing with probability 1/5. Both classes have probability 1/2.

    Parameters
    ----------
    conservation : float, default=0.9
        Probability that a letter of the motif is copied faithfully, in [1/4, 1]; else it
        is one of the other three. At 1/4 the motif is background and the classes are equal.

    Examples
    --------
    >>> from mercer.lab import TranslationStarts
    >>> X, y = TranslationStarts().sample(3, random_state=0)
    >>> ["".join(window[32:35]) in ("ATG", "GTG", "TTG") for window in X]
    [True, True, True]
    """

    conservation: float = 0.9

    def __post_init__(self) -> None:
        check_probability("conservation", self.conservation, minimum=0.25)

    def _draw(self, n_samples: int, random: RandomSource) -> Sample:
        y = draw_labels(n_samples, random)
        codes = (4.0 * random.random((n_samples, LENGTH))).astype(np.uint8)
        codon = np.searchsorted(np.cumsum(CODON_SHARES[:-1]), random.random(n_samples), "right")
        codes[:, CODON_START : CODON_START + 3] = _encode(CODONS)[codon]
        motifs = self._draw_motifs(n_samples, random)
        start = np.take(MOTIF_STARTS, (len(SPACINGS) * random.random(n_samples)).astype(np.intp))
        place = start[:, np.newaxis] + np.arange(len(MOTIF))
        positive = y == 1
        codes[np.flatnonzero(positive)[:, np.newaxis], place[positive]] = motifs[positive]
        return _decode(codes), y

    def _draw_motifs(self, n_samples: int, random: RandomSource) -> Codes:
        shape = (n_samples, len(MOTIF))
        mutated = random.random(shape) >= self.conservation
        shift = 1 + (3.0 * random.random(shape)).astype(np.uint8)
        return (_encode([MOTIF]) + np.where(mutated, shift, 0).astype(np.uint8)) % 4

    def log_odds(self, X: ArrayLike) -> FloatArray:
        return self._motif_log_odds(_encode_windows(X)[:, TELLING])

    def _motif_log_odds(self, telling: Codes) -> FloatArray:
        # log of the average over the spacings of (4c)^m (4(1-c)/3)^(6-m), with c the
        # conservation and m the number of letters that agree with the motif.
        agree = np.arange(len(MOTIF) + 1)
        mutation = 4.0 * (1.0 - self.conservation) / 3.0
        ratio = (4.0 * self.conservation) ** agree * mutation ** agree[::-1]
        motif = _encode([MOTIF])[0]
        windows = np.lib.stride_tricks.sliding_window_view(telling, len(MOTIF), axis=1)
        matches = (windows == motif).sum(axis=2)
        with np.errstate(divide="ignore"):
            return np.log(ratio[matches].mean(axis=1))

    def bayes_error(self) -> float:
        """Return the Bayes error by enumerating the ten letters that tell the class.

        The error is the sum of ``min(P(x, +1), P(x, -1))`` = ``P(x | -1) min(odds, 1) / 2``.
        Letters outside the motif are interchangeable, so C stands for C and T together and
        3^10 words suffice.
        """
        letters = np.array([ALPHABET.index(letter) for letter in "AGC"], dtype=np.uint8)
        share = np.array([0.25, 0.25, 0.5])
        n_telling = TELLING.stop - TELLING.start
        word = np.array(list(product(range(3), repeat=n_telling)), dtype=np.intp)
        odds = np.exp(self._motif_log_odds(letters[word]))
        return float(share[word].prod(axis=1) @ np.minimum(odds, 1.0)) / 2.0


def make_tis(
    n_samples: int = 100, *, conservation: float = 0.9, random_state: SeedLike = None
) -> Sample:
    """Draw synthetic translation initiation sites (they are not real genes).

    Parameters
    ----------
    n_samples : int, default=100
        Number of windows.
    conservation : float, default=0.9
        Probability that a letter of the motif AGGAGG is copied faithfully, in [1/4, 1].
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness.

    Returns
    -------
    X : ndarray of shape (n_samples,)
        Strings of 50 letters ACGT; positions 32 to 34 hold the codon ATG, GTG or TTG.
    y : ndarray of shape (n_samples,)
        The labels, -1 or +1; windows of label +1 have the motif upstream of the codon.

    Examples
    --------
    >>> from mercer.lab import make_tis
    >>> X, y = make_tis(5, random_state=0)
    >>> len(X[0]), y.shape
    (50, (5,))
    """
    return TranslationStarts(conservation=conservation).sample(n_samples, random_state)


def _encode(words: list[str] | tuple[str, ...]) -> Codes:
    return np.array([[ALPHABET.index(letter) for letter in word] for word in words], dtype=np.uint8)


def _decode(codes: Codes) -> NDArray[np.str_]:
    return np.array(list(ALPHABET))[codes].view(f"U{LENGTH}")[:, 0]


def _encode_windows(X: ArrayLike) -> Codes:
    windows = np.asarray(X, dtype=np.str_)
    if windows.ndim != 1:
        raise ValueError(f"X must be a one-dimensional array of strings, got shape {windows.shape}")
    lengths = np.char.str_len(windows)
    if (lengths != LENGTH).any():
        bad_length = lengths[lengths != LENGTH][0]
        raise ValueError(f"X must hold strings of {LENGTH} letters, got one of {bad_length}")
    letters = windows.astype(f"U{LENGTH}").view("U1").reshape(-1, LENGTH)
    codes = np.searchsorted(list(ALPHABET), letters).astype(np.uint8) % 4
    known = np.array(list(ALPHABET))[codes] == letters
    if not known.all():
        bad_letter = str(letters[~known][0])
        raise ValueError(f"X must hold the letters {ALPHABET} only, got {bad_letter!r}")
    return codes
