"""Low-rank approximations of a kernel matrix: which rows represent the others, and how."""

from __future__ import annotations

from mercer.lowrank.features import FeatureMap
from mercer.lowrank.incomplete_cholesky import IncompleteCholesky, incomplete_cholesky
from mercer.lowrank.low_rank import LowRank

__all__ = [
    "FeatureMap",
    "IncompleteCholesky",
    "LowRank",
    "incomplete_cholesky",
]
