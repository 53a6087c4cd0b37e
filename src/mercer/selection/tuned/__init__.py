"""Machines that choose their own C and kernel parameters."""

from mercer.selection.tuned.base import TunedMachine
from mercer.selection.tuned.one_class import TunedOneClassSVM
from mercer.selection.tuned.rlsc import TunedRLSC
from mercer.selection.tuned.svc import TunedSVC
from mercer.selection.tuned.svr import TunedSVR

__all__ = ["TunedMachine", "TunedOneClassSVM", "TunedRLSC", "TunedSVC", "TunedSVR"]
