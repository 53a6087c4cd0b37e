"""Pictures of fitted machines, in scikit-learn's Display convention; needs matplotlib."""

from mercer.plots.boundary import BoundaryDisplay
from mercer.plots.calibration import CalibrationDisplay
from mercer.plots.convergence import ConvergenceDisplay
from mercer.plots.coverage import CoverageDisplay
from mercer.plots.explanation import ExplanationDisplay
from mercer.plots.kernel_matrix import KernelMatrixDisplay
from mercer.plots.path import PathDisplay
from mercer.plots.search import SearchDisplay

__all__ = [
    "BoundaryDisplay",
    "CalibrationDisplay",
    "ConvergenceDisplay",
    "CoverageDisplay",
    "ExplanationDisplay",
    "KernelMatrixDisplay",
    "PathDisplay",
    "SearchDisplay",
]
