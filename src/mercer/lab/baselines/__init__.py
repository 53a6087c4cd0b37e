"""Trainers of the early literature, for comparison: slow, plain, on the same problem."""

from mercer.lab.baselines.osuna import Osuna
from mercer.lab.baselines.platt import Platt
from mercer.lab.baselines.svmfu import SvmFu
from mercer.lab.baselines.svmlight import SvmLight
from mercer.lab.baselines.svmqp import SvmQp

__all__ = ["Osuna", "Platt", "SvmFu", "SvmLight", "SvmQp"]
