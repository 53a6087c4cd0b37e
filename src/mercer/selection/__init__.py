"""Model selection: criteria with gradients, optimizers, machines that tune themselves."""

from mercer.selection.objectives import OBJECTIVES, Objective, make_objective
from mercer.selection.prior import Prior
from mercer.selection.space import Space

__all__ = ["OBJECTIVES", "Objective", "Prior", "Space", "make_objective"]
