"""From the kind of interval and the machine to what computes the ends."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import LeaveOneOut

from mercer.gram.native import count_rows
from mercer.kernels.blocks import row_slices
from mercer.machines import LSSVR
from mercer.machines.base import KernelMachine
from mercer.predictions.given_rows import fit_machine
from mercer.predictions.left_out_machines import LeftOutEnds, can_leave_out, left_out_machines
from mercer.predictions.part_ends import band_machines, fit_part_ends, off_by
from mercer.predictions.parts import cross_parts, split_part
from mercer.predictions.ranks import lower_ends
from mercer.predictions.ridge_ends import RidgeEnds, is_ridge
from mercer.predictions.searched_ends import SearchedEnds
from mercer.predictions.stacked_rows import some_rows
from mercer.training.rows import read_new_rows

__all__ = ["Ends", "fit_kind", "ranked_intervals"]

FloatArray = NDArray[np.float64]
_BLOCK_BYTES = 2**26


class Ends(Protocol):
    """Ends of intervals of new rows, one pair for each ranked row."""

    @property
    def weight(self) -> FloatArray: ...

    def ends(self, Z: Any) -> tuple[FloatArray, FloatArray]: ...


def ranked_intervals(known: Ends, Z: Any, alpha: float) -> FloatArray:
    """The ends of each new row that a share alpha of the ranked rows lies beyond."""
    found = np.empty((count_rows(Z), 2))
    for part in row_slices(len(found), 8 * len(known.weight), _BLOCK_BYTES):
        low, high = known.ends(some_rows(Z, np.arange(part.start, part.stop)))
        found[part, 0] = lower_ends(low, known.weight, alpha)
        found[part, 1] = -lower_ends(-high, known.weight, alpha)
    # of quantiles the ends may cross: an interval that holds nothing
    return np.sort(found, axis=1)


def fit_kind(conformal: Any, X: Any, y: FloatArray, weight: FloatArray | None, groups: Any) -> Any:
    """What computes the ends of the intervals of a ``ConformalSVR``."""
    machine, pairwise = conformal._machine, conformal._is_pairwise
    if conformal.kind == "full":
        return _full(machine, X, y, weight)
    if conformal.kind == "jackknife+" and is_ridge(machine) and not pairwise:
        return RidgeEnds.jackknife(*_fitted(machine, X, y, weight))
    bands = band_machines(machine, conformal.alpha)
    if conformal.kind == "jackknife+" and can_leave_out(machine):
        return _left_out(bands, X, y, weight)
    if conformal.kind == "split":
        size, seed = conformal.calibration_size, conformal.random_state
        parts = split_part(X, None, size, seed)
    else:
        cv = LeaveOneOut() if conformal.kind == "jackknife+" else conformal.cv
        parts = cross_parts(machine, cv, X, y, weight, groups, conformal.random_state)
    return fit_part_ends(bands, X, y, weight, parts, pairwise)


def _full(machine: Any, X: Any, y: FloatArray, weight: FloatArray | None) -> Any:
    if is_ridge(machine):
        return RidgeEnds(*_fitted(machine, X, y, weight), None)
    if isinstance(machine, LSSVR) and (isinstance(machine.alpha, str) or np.ndim(machine.alpha)):
        raise ValueError(
            "kind='full' needs one alpha of LSSVR: chosen by left-out rows it depends on the "
            f"target that is tried, got alpha={machine.alpha!r}"
        )
    # our own machines see numbers only, which a file can hold
    rows = np.asarray(X) if isinstance(machine, KernelMachine) and hasattr(X, "iloc") else X
    return SearchedEnds(machine, rows, y, weight)


def _fitted(
    machine: Any, X: Any, y: FloatArray, weight: FloatArray | None
) -> tuple[Any, Any, FloatArray, FloatArray]:
    """The machine fitted, and its rows as it takes them."""
    fitted = fit_machine(clone(machine), X, y, weight)
    return fitted, read_new_rows(fitted, X), y, np.ones(len(y)) if weight is None else weight


def _left_out(bands: list[Any], X: Any, y: FloatArray, weight: FloatArray | None) -> LeftOutEnds:
    ones = np.ones(len(y)) if weight is None else weight
    fitted, rows, _, _ = _fitted(bands[0], X, y, weight)
    found = [left_out_machines(machine, rows, y, ones) for machine in bands]
    scores = off_by(y, [machines.left_out(rows) for machines in found])
    return LeftOutEnds(fitted, rows, found, scores, ones)
