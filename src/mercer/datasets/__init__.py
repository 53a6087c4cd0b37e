"""Samples from distributions of known Bayes rule and Bayes error, and an example data set."""

from __future__ import annotations

from mercer.datasets.chessboard import Chessboard, make_chessboard, random_distortion
from mercer.datasets.distribution import Distribution
from mercer.datasets.example import load_example
from mercer.datasets.gaussian_classes import Ringnorm, Twonorm, make_ringnorm, make_twonorm
from mercer.datasets.sparse_coordinates import SparseCoordinates, make_sparse_coordinates
from mercer.datasets.tis import TranslationStarts, make_tis
from mercer.datasets.waveform import Waveform, make_waveform

__all__ = [
    "Chessboard",
    "Distribution",
    "Ringnorm",
    "SparseCoordinates",
    "TranslationStarts",
    "Twonorm",
    "Waveform",
    "load_example",
    "make_chessboard",
    "make_ringnorm",
    "make_sparse_coordinates",
    "make_tis",
    "make_twonorm",
    "make_waveform",
    "random_distortion",
]
