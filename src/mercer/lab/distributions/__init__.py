"""Samples from distributions of known Bayes rule and Bayes error."""

from __future__ import annotations

from mercer.lab.distributions.chessboard import Chessboard, make_chessboard, random_distortion
from mercer.lab.distributions.distribution import Distribution
from mercer.lab.distributions.gaussian_classes import (
    Ringnorm,
    Twonorm,
    make_ringnorm,
    make_twonorm,
)
from mercer.lab.distributions.sparse_coordinates import SparseCoordinates, make_sparse_coordinates
from mercer.lab.distributions.tis import TranslationStarts, make_tis
from mercer.lab.distributions.waveform import Waveform, make_waveform

__all__ = [
    "Chessboard",
    "Distribution",
    "Ringnorm",
    "SparseCoordinates",
    "TranslationStarts",
    "Twonorm",
    "Waveform",
    "make_chessboard",
    "make_ringnorm",
    "make_sparse_coordinates",
    "make_tis",
    "make_twonorm",
    "make_waveform",
    "random_distortion",
]
