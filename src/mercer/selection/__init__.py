"""Model selection: criteria with gradients, optimizers, machines that tune themselves."""

from mercer.selection.history import History
from mercer.selection.objectives import Objective, make_objective
from mercer.selection.optimizers.descent import Minimum, minimize
from mercer.selection.prior import Prior
from mercer.selection.space import Space
from mercer.selection.tuned import TunedOneClassSVM, TunedRLSC, TunedSVC, TunedSVR

__all__ = [
    "History",
    "Minimum",
    "Objective",
    "Prior",
    "Space",
    "TunedOneClassSVM",
    "TunedRLSC",
    "TunedSVC",
    "TunedSVR",
    "make_objective",
    "minimize",
]
