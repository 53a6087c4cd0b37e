"""Model selection: criteria with gradients, optimizers, machines that tune themselves."""

from mercer.selection.history import Budget, History
from mercer.selection.landscape import landscape, plot_landscape
from mercer.selection.objectives import OBJECTIVES, Objective, make_objective
from mercer.selection.prior import Prior
from mercer.selection.space import Space
from mercer.selection.tuned import TunedOneClassSVM, TunedRLSC, TunedSVC, TunedSVR

__all__ = [
    "OBJECTIVES",
    "Budget",
    "History",
    "Objective",
    "Prior",
    "Space",
    "TunedOneClassSVM",
    "TunedRLSC",
    "TunedSVC",
    "TunedSVR",
    "landscape",
    "make_objective",
    "plot_landscape",
]
