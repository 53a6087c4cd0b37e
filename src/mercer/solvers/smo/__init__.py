"""Sequential minimal optimization; its policies as objects, for those with parameters."""

from mercer.solvers.smo.selection import (
    CachedMaximumGain,
    HybridMaximumGain,
    LargeMaximumGain,
    MaximumGain,
    OneRowMaximumGain,
    RecentMaximumGain,
)
from mercer.solvers.smo.step import CycleBreaking, OverRelaxed, PlanningAhead

__all__ = [
    "CachedMaximumGain",
    "CycleBreaking",
    "HybridMaximumGain",
    "LargeMaximumGain",
    "MaximumGain",
    "OneRowMaximumGain",
    "OverRelaxed",
    "PlanningAhead",
    "RecentMaximumGain",
]
