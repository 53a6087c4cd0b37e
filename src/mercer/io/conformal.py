"""Ensembles, conformal sets and intervals: the machines and what new rows are ranked among."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.gram.native import count_rows
from mercer.io.consistency import (
    check_classes,
    check_kernel,
    completed,
    require,
    require_array,
    require_rows,
)
from mercer.io.recipe import Recipe, State, arguments_of, assembled, by_fields
from mercer.machines import LSSVR
from mercer.predictions import ChunkedEnsemble, ConformalSVC, ConformalSVR
from mercer.predictions.cells import Cells
from mercer.predictions.class_values import OneClass
from mercer.predictions.left_out_machines import LeftOutEnds, LeftOutMachines
from mercer.predictions.part_ends import PartEnds
from mercer.predictions.ridge_ends import RidgeEnds, is_ridge
from mercer.predictions.searched_ends import SearchedEnds

__all__ = ["CONFORMAL"]

COMMON = ("calibration_scores_", "estimator_", "feature_names_in_", "n_features_in_")
RANKED = ("_columns", "_fold", "_labels", "_row_weight", "_rows", "_weight")
SETS = (*COMMON, *RANKED, "classes_", "estimators_")
ENSEMBLE = (
    *("cells_", "chunk_sizes_", "classes_", "estimators_"),
    *("feature_names_in_", "n_features_in_"),
)
INTERVALS = (*COMMON, "_known")
KINDS = (PartEnds, LeftOutEnds, RidgeEnds, SearchedEnds)


def _require_positions(array: Any, name: str, n: int, end: int) -> None:
    """As many positions below an end."""
    require_array(array, name, "iu", (n,))
    require(bool(((array >= 0) & (array < end)).all()), f"{name} must lie in 0..{end - 1}")


def _require_weight(weight: Any, name: str, n: int) -> None:
    require_array(weight, name, "f", (n,))
    require(bool((weight > 0).all()), f"{name} must be positive")


def _require_columns(columns: Any, n_parts: int) -> None:
    if columns is None:
        return
    require(isinstance(columns, list) and len(columns) == n_parts, "columns")
    for own in columns:
        require_array(own, "columns", "iu", (np.size(own),))
        require(bool((own >= 0).all()), "columns must not be negative")


def _check_sets(machine: ConformalSVC) -> None:
    check_classes(machine)
    require(hasattr(machine.estimator_, "classes_"), "estimator_ must be a fitted classifier")
    n = np.size(machine._labels)
    _require_positions(machine._labels, "labels", n, len(machine.classes_))
    _require_weight(machine._weight, "weights", n)
    if machine.kind == "full":
        require(count_rows(machine._rows) == n, f"there must be {n} rows")
        if machine._row_weight is not None:
            _require_weight(machine._row_weight, "weights", n)
        return
    members = machine.estimators_
    require(isinstance(members, list) and len(members) > 0, "estimators_")
    require(all(hasattr(member, "classes_") for member in members), "estimators_")
    _require_positions(machine._fold, "folds", n, len(members))
    # a label that a machine has not seen has an infinite score
    scores: Any = machine.calibration_scores_
    fits = isinstance(scores, np.ndarray) and scores.shape == (n,) and scores.dtype.kind == "f"
    require(fits and not np.isnan(scores).any(), f"calibration_scores_ must be {n} numbers")
    _require_columns(machine._columns, len(members))


def _checked_parts(known: PartEnds) -> PartEnds:
    n, bands = np.size(known.fold), known.machines
    require(isinstance(bands, list) and len(bands) > 0, "machines")
    for band in bands:
        require(isinstance(band, list) and len(band) in (1, 2), "machines")
        require(all(hasattr(machine, "predict") for machine in band), "machines")
    _require_positions(known.fold, "folds", n, len(bands))
    require_array(known.scores, "scores", "f", (n,))
    _require_weight(known.weight, "weights", n)
    _require_columns(known.columns, len(bands))
    return known


def _checked_functions(known: LeftOutMachines) -> LeftOutMachines:
    check_kernel(known.kernel, False)
    n, n_machines = np.size(known.member), np.size(known.bias)
    require(sp.issparse(known.coef), "coef must be sparse")
    require_rows(known.coef, "coef", (n_machines, n), [np.float64])
    require_array(known.bias, "bias", "f", (n_machines,))
    _require_positions(known.member, "members", n, n_machines)
    return known


def _checked_left_out(known: LeftOutEnds) -> LeftOutEnds:
    n, width = np.size(known.scores), known.machine.n_features_in_
    require_rows(known.X, "rows", (n, width))
    require(isinstance(known.bands, list) and len(known.bands) in (1, 2), "bands")
    for band in known.bands:
        require(isinstance(band, LeftOutMachines) and len(band.member) == n, "bands")
        if band.shift is not None:
            require_array(band.shift, "shift", "f", (width,))
    require_array(known.scores, "scores", "f", (n,))
    _require_weight(known.weight, "weights", n)
    return known


def _checked_ridge(known: RidgeEnds) -> RidgeEnds:
    require(isinstance(known.machine, LSSVR) and is_ridge(known.machine), "machine")
    n = np.size(known.y)
    require_rows(known.X, "rows", (n, known.machine.n_features_in_))
    require_array(known.y, "targets", "f", (n,))
    _require_weight(known.weight, "weights", n)
    if known.scores is not None:
        require_array(known.scores, "scores", "f", (n,))
    return known


def _checked_searched(known: SearchedEnds) -> SearchedEnds:
    n = np.size(known.y)
    require(hasattr(known.machine, "fit") and count_rows(known.X) == n, f"there must be {n} rows")
    require_array(known.y, "targets", "f", (n,))
    if known.fit_weight is not None:
        _require_weight(known.fit_weight, "weights", n)
    return known


def _check_intervals(machine: ConformalSVR) -> None:
    require(isinstance(machine._known, KINDS), "what intervals are made of")
    require(hasattr(machine.estimator_, "predict"), "estimator_")


def _check_ensemble(machine: ChunkedEnsemble) -> None:
    check_classes(machine)
    members = machine.estimators_
    require(isinstance(members, list) and len(members) > 0, "estimators_")
    for member in members:
        known = hasattr(member, "predict") and hasattr(member, "classes_")
        require(known and bool(np.isin(member.classes_, machine.classes_).all()), "estimators_")
    n_chunks, rest = divmod(len(members), len(machine._machines))
    require(rest == 0, "estimators_")
    if not hasattr(machine, "chunk_sizes_"):  # written before chunks were weighed: equal shares
        machine.chunk_sizes_ = np.ones(n_chunks, dtype=np.intp)
    require_array(machine.chunk_sizes_, "chunk_sizes_", "iu", (n_chunks,))
    require(bool((machine.chunk_sizes_ > 0).all()), "chunk_sizes_ must be positive")
    if machine.partition == "cells":
        cells: Any = vars(machine).get("cells_")
        require(isinstance(cells, Cells), "cells_")
        width = getattr(machine, "n_features_in_", np.shape(cells.centers)[-1])
        require_array(cells.centers, "centers", "f", (n_chunks, width))


def _checked_cells(cells: Cells) -> Cells:
    require(isinstance(cells.centers, np.ndarray) and cells.centers.ndim == 2, "centers")
    require(bool(np.isfinite(cells.centers).all()), "centers must be finite")
    return cells


def _checked_one_class(member: OneClass) -> OneClass:
    require(isinstance(member.classes_, np.ndarray) and member.classes_.shape == (1,), "classes_")
    return member


def _make_ensemble(state: State) -> Any:
    return completed(assembled(ChunkedEnsemble, ENSEMBLE.__contains__, state), _check_ensemble)


def _taken(names: tuple[str, ...]) -> Any:
    def take(estimator: Any) -> State:
        own = {name: vars(estimator)[name] for name in names if name in vars(estimator)}
        return arguments_of(estimator) | own

    return take


def _make_sets(state: State) -> Any:
    return completed(assembled(ConformalSVC, SETS.__contains__, state), _check_sets)


def _make_intervals(state: State) -> Any:
    return completed(assembled(ConformalSVR, INTERVALS.__contains__, state), _check_intervals)


CONFORMAL = (
    Recipe("ConformalSVC", ConformalSVC, _taken(SETS), _make_sets),
    Recipe("ConformalSVR", ConformalSVR, _taken(INTERVALS), _make_intervals),
    Recipe("ChunkedEnsemble", ChunkedEnsemble, _taken(ENSEMBLE), _make_ensemble),
    by_fields(Cells, _checked_cells),
    by_fields(OneClass, _checked_one_class),
    by_fields(PartEnds, _checked_parts),
    by_fields(LeftOutMachines, _checked_functions),
    by_fields(LeftOutEnds, _checked_left_out),
    by_fields(RidgeEnds, _checked_ridge),
    by_fields(SearchedEnds, _checked_searched),
)
