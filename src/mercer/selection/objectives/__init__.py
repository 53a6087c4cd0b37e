"""Criteria of model selection, with their gradients."""

from mercer.selection.objectives.base import Objective
from mercer.selection.objectives.make import OBJECTIVES, make_objective

__all__ = ["OBJECTIVES", "Objective", "make_objective"]
