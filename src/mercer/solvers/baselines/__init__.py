"""Trainers of the early literature, for comparison: slow, plain, on the same problem."""

from mercer.solvers.baselines.osuna import Osuna
from mercer.solvers.baselines.platt import Platt
from mercer.solvers.baselines.svmfu import SvmFu
from mercer.solvers.baselines.svmlight import SvmLight

__all__ = ["Osuna", "Platt", "SvmFu", "SvmLight"]
