"""Searches for the best parameters of a criterion."""

from typing import Any

from mercer.selection.optimizers.climb import Climb
from mercer.selection.optimizers.evolution import CMA
from mercer.selection.optimizers.grids import CoordinateSearch, FocusedGrid, GridSearch
from mercer.selection.optimizers.narrowing import Narrowing
from mercer.selection.optimizers.noisy_rprop import NoisyRprop
from mercer.selection.optimizers.rprop import IRpropPlus, Rprop
from mercer.selection.optimizers.smooth import LBFGS
from mercer.selection.optimizers.width_search import WidthSearch
from mercer.selection.optimizers.wrapped import Patience, Restarts
from mercer.selection.optimizers.zoom import Zoom

__all__ = [
    "CMA",
    "LBFGS",
    "OPTIMIZERS",
    "Climb",
    "CoordinateSearch",
    "FocusedGrid",
    "GridSearch",
    "IRpropPlus",
    "Narrowing",
    "NoisyRprop",
    "Patience",
    "Restarts",
    "Rprop",
    "WidthSearch",
    "Zoom",
]

OPTIMIZERS: dict[str, Any] = {
    "rprop": Rprop,
    "irprop+": IRpropPlus,
    "noisy-rprop": NoisyRprop,
    "l-bfgs": LBFGS,
    "cma": CMA,
    "grid": GridSearch,
    "focused-grid": FocusedGrid,
    "coordinate": CoordinateSearch,
    "zoom": Zoom,
    "climb": Climb,
}
