"""Machines with probabilities, and the maps that make them."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.calibration import Calibration
from mercer.calibration.layout import Layout
from mercer.calibration.sigmoid import Beta, Sigmoid
from mercer.calibration.steps import Steps, VennAbers
from mercer.codes import OutputCode
from mercer.io.consistency import (
    check_calibration,
    check_classes,
    completed,
    is_number,
    require,
    require_array,
)
from mercer.io.recipe import Recipe, State, arguments_of, assembled, by_fields
from mercer.predictions import CalibratedOneClassSVM, CalibratedSVC, ThresholdSVC

__all__ = ["CALIBRATED", "SIGMOID_MAP"]

MAPS = (Sigmoid, Beta, Steps, VennAbers)
_COUNTS = {"two": lambda k: 1, "pairs": lambda k: k * (k - 1) // 2}


def _checked_numbers(curve: Any) -> Any:
    for name, value in vars(curve).items():
        require(is_number(value), f"{name} must be a number")
    return curve


def _checked_steps(curve: Any) -> Any:
    """Vectors of one length, the known values ascending, the others probabilities."""
    known = curve.known
    require_array(known, "known", "f", (np.size(known),))
    require(len(known) > 0 and bool((np.diff(known) > 0).all()), "known must ascend")
    for name, value in vars(curve).items():
        require_array(value, name, "f", known.shape)
        fits = name == "known" or bool(((value >= 0) & (value <= 1)).all())
        require(fits and bool(np.isfinite(value).all()), f"{name} must be probabilities")
    return curve


def _checked_layout(layout: Layout) -> Layout:
    is_count = isinstance(layout.n_classes, int) and layout.n_classes >= 2
    require(is_count and layout.kind in ("two", "pairs", "classes", "code"), "layout")
    require((layout.kind == "two") == (layout.n_classes == 2), "layout")
    if layout.kind == "code":
        fits = isinstance(layout.code, OutputCode) and isinstance(layout.decoding, str)
        require(fits and layout.code.n_classes == layout.n_classes, "code of a layout")  # type: ignore[union-attr]
    return layout


def _checked_calibration(calibration: Calibration) -> Calibration:
    layout, maps = calibration.layout, calibration.maps
    require(isinstance(layout, Layout) and isinstance(maps, list), "maps of a calibration")
    if calibration.slope is not None:
        require(is_number(calibration.slope) and not maps, "slope of a calibration")
        return calibration
    count = _COUNTS.get(layout.kind, lambda k: k)(layout.n_classes)
    require(len(maps) == count, f"a calibration must have {count} maps, got {len(maps)}")
    require(all(isinstance(own, MAPS) for own in maps), "maps of a calibration")
    return calibration


def _check_machine(machine: Any) -> None:
    check_classes(machine)
    require(hasattr(machine.estimator_, "classes_"), "estimator_ must be a fitted classifier")
    require(np.array_equal(machine.estimator_.classes_, machine.classes_), "classes_ differ")
    check_calibration(machine.calibration_, machine.estimator_)
    require_array(machine.fold_, "fold_", "i", (np.size(machine.fold_),))
    require(np.shape(machine.values_)[:1] == machine.fold_.shape, "values_ and fold_")


def _check_threshold(machine: Any) -> None:
    check_classes(machine)
    require(np.array_equal(machine.estimator_.classes_, machine.classes_), "classes_ differ")
    require(len(machine.classes_) == 2 and is_number(machine.threshold_), "threshold_")


def _check_outliers(machine: Any) -> None:
    require(hasattr(machine.estimator_, "decision_function"), "estimator_")
    heights, below = machine._heights, machine._below
    require_array(heights, "heights", "f", (np.size(heights),))
    require_array(below, "weights", "f", (len(heights) + 1,))
    fits = bool((np.diff(heights) >= 0).all() and (np.diff(below) >= 0).all())
    require(fits and is_number(machine.offset_), "heights must ascend")


def _of_wrapper(cls: type, fitted: tuple[str, ...], check: Any) -> Recipe:
    names = ("feature_names_in_", "n_features_in_", "estimator_", *fitted)

    def take(machine: Any) -> State:
        own = {name: vars(machine)[name] for name in names if name in vars(machine)}
        return arguments_of(machine) | own

    def make(state: State) -> Any:
        machine = assembled(cls, names.__contains__, state)
        if is_fitted := set(names) & set(vars(machine)):
            require("estimator_" in is_fitted, "estimator_ is missing")
        return completed(machine, check) if is_fitted else machine

    return Recipe(cls.__name__, cls, take, make)


# there is a kernel of that name, too
SIGMOID_MAP = by_fields(Sigmoid, _checked_numbers, name="SigmoidMap")
CALIBRATED = (
    _of_wrapper(
        ThresholdSVC,
        ("classes_", "threshold_", "thresholds_", "spread_", "best_score_"),
        _check_threshold,
    ),
    _of_wrapper(
        CalibratedOneClassSVM, ("values_", "_heights", "_below", "offset_"), _check_outliers
    ),
    _of_wrapper(CalibratedSVC, ("classes_", "calibration_", "fold_", "values_"), _check_machine),
    by_fields(Calibration, _checked_calibration),
    by_fields(Layout, _checked_layout),
    SIGMOID_MAP,
    by_fields(Beta, _checked_numbers),
    *(by_fields(cls, _checked_steps) for cls in (Steps, VennAbers)),
)
