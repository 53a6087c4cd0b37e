"""Low-rank approximations of a kernel matrix: which rows represent the others, and how."""

from __future__ import annotations

from mercer.lowrank.basis import choose_basis
from mercer.lowrank.features import FeatureMap
from mercer.lowrank.incomplete_cholesky import (
    IncompleteCholesky,
    greedy_cholesky,
    incomplete_cholesky,
)
from mercer.lowrank.low_rank import LowRank, feature_blocks
from mercer.lowrank.sampling import leverage_scores

__all__ = [
    "FeatureMap",
    "IncompleteCholesky",
    "LowRank",
    "choose_basis",
    "feature_blocks",
    "greedy_cholesky",
    "incomplete_cholesky",
    "leverage_scores",
]
