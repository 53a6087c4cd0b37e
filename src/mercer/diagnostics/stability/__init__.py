"""How much one row can change a machine, and what that says of rows to come.

What each number promises, and how loose it is: docs/theory/stability.md.
"""

from __future__ import annotations

from mercer.diagnostics.stability.losses import LossConstants, loss_constants
from mercer.diagnostics.stability.machine import machine_stability
from mercer.diagnostics.stability.measured import MeasuredStability, measured_stability
from mercer.diagnostics.stability.risk_bounds import (
    margin_bound,
    margin_loss,
    normal_interval,
    stability_bound,
    vc_bound,
    vc_dimension,
)
from mercer.diagnostics.stability.schedule import consistent_C
from mercer.diagnostics.stability.uniform import (
    Stability,
    chunk_stability,
    code_stability,
    tikhonov_stability,
)

__all__ = [
    "LossConstants",
    "MeasuredStability",
    "Stability",
    "chunk_stability",
    "code_stability",
    "consistent_C",
    "loss_constants",
    "machine_stability",
    "margin_bound",
    "margin_loss",
    "measured_stability",
    "normal_interval",
    "stability_bound",
    "tikhonov_stability",
    "vc_bound",
    "vc_dimension",
]
