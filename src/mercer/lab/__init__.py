"""The laboratory: what serves studies of algorithms, which the library itself does not use.

Trainers of the literature, comparisons of solvers, pictures of algorithms at work, distributions
of known Bayes error, and the shape of a problem's objective. Nothing of the library imports this
package, and ``import mercer`` does not load it.
"""

from __future__ import annotations

from mercer.lab.baselines import Osuna, Platt, SvmFu, SvmLight, SvmQp
from mercer.lab.comparison.compare import compare
from mercer.lab.comparison.result import Comparison
from mercer.lab.distributions import (
    Chessboard,
    Distribution,
    Ringnorm,
    SparseCoordinates,
    TranslationStarts,
    Twonorm,
    Waveform,
    make_chessboard,
    make_ringnorm,
    make_sparse_coordinates,
    make_tis,
    make_twonorm,
    make_waveform,
    random_distortion,
)
from mercer.lab.hull_solvers import Gilbert, Gsk, Mdm
from mercer.lab.landscape import landscape, plot_landscape
from mercer.lab.normal_form import NormalForm, PairCurvature, normal_form, pair_curvature
from mercer.lab.path_baselines import BaselinePath, hastie_path, ong_path, random_ridge_path
from mercer.lab.pictures import HullTrace, hull_report, hull_trace, plot_hulls
from mercer.lab.solver_names import resolve_solver

__all__ = [
    "BaselinePath",
    "Chessboard",
    "Comparison",
    "Distribution",
    "Gilbert",
    "Gsk",
    "HullTrace",
    "Mdm",
    "NormalForm",
    "Osuna",
    "PairCurvature",
    "Platt",
    "Ringnorm",
    "SparseCoordinates",
    "SvmFu",
    "SvmLight",
    "SvmQp",
    "TranslationStarts",
    "Twonorm",
    "Waveform",
    "compare",
    "hastie_path",
    "hull_report",
    "hull_trace",
    "landscape",
    "make_chessboard",
    "make_ringnorm",
    "make_sparse_coordinates",
    "make_tis",
    "make_twonorm",
    "make_waveform",
    "normal_form",
    "ong_path",
    "pair_curvature",
    "plot_hulls",
    "plot_landscape",
    "random_distortion",
    "random_ridge_path",
    "resolve_solver",
]
