"""Estimators around other ones: calibrated probabilities and output codes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import calibration
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression

from mercer.codes import OutputCode
from mercer.io.consistency import check_classes, completed, is_number, require, require_array
from mercer.io.recipe import Recipe, State, arguments_of, assembled
from mercer.machines import SVC, CodeClassifier

__all__ = ["WRAPPERS"]

COMMON = ("classes_", "feature_names_in_", "n_features_in_")
CALIBRATED = (*COMMON, "calibrated_classifiers_")
MEMBER = ("estimator", "calibrators", "classes", "method")
ISOTONIC = ("X_max_", "X_min_", "X_thresholds_", "increasing_", "y_thresholds_")
CODED = (*COMMON, "_rows", "code_", "decoder_", "estimators_")
METHODS = ("sigmoid", "isotonic", "temperature")

_Member, _Sigmoid = calibration._CalibratedClassifier, calibration._SigmoidCalibration
_Temperature = calibration._TemperatureScaling
CURVES = (_Sigmoid, _Temperature, IsotonicRegression)


def _taken(*fitted: str) -> Any:
    def take(estimator: Any) -> State:
        own = {name: vars(estimator)[name] for name in fitted if name in vars(estimator)}
        return arguments_of(estimator) | own

    return take


def _make_calibrated(state: State) -> Any:
    machine = assembled(CalibratedClassifierCV, CALIBRATED.__contains__, state)
    machine._validate_params()
    if "calibrated_classifiers_" in vars(machine):
        check_classes(machine)
        members = machine.calibrated_classifiers_
        require(isinstance(members, list) and len(members) > 0, "calibrated_classifiers_")
        for member in members:
            require(isinstance(member, _Member), "calibrated_classifiers_")
            require(np.array_equal(member.classes, machine.classes_), "classes_ differ")
    return machine


def _make_member(state: State) -> Any:
    """A fitted classifier and the curves from its decision values to probabilities."""
    own = {name: state[name] for name in MEMBER if name not in ("estimator", "calibrators")}
    member = _Member(state["estimator"], state["calibrators"], **own)
    classes, curves = member.classes, member.calibrators
    require_array(classes, "classes", "biufSUmMO", (np.size(classes),))
    require(hasattr(member.estimator, "classes_"), "estimator must be a fitted classifier")
    require(member.method in METHODS, f"method is {member.method!r:.40}")
    is_one = member.method == "temperature" or len(classes) == 2
    expected = 1 if is_one else len(member.estimator.classes_)
    fits = isinstance(curves, list) and len(curves) == expected
    require(fits and all(isinstance(curve, CURVES) for curve in curves), "calibrators")
    return member


def _of_numbers(name: str, cls: type, *fitted: str) -> Recipe:
    """A curve that a few numbers tell."""

    def make(state: State) -> Any:
        curve = assembled(cls, fitted.__contains__, state)
        for attribute in fitted:
            require(is_number(getattr(curve, attribute, None)), f"{attribute} must be a number")
        return curve

    return Recipe(name, cls, _taken(*fitted), make)


def _make_isotonic(state: State) -> Any:
    curve = assembled(IsotonicRegression, ISOTONIC.__contains__, state)
    curve._validate_params()
    if "X_thresholds_" in vars(curve):
        for name in ("X_thresholds_", "y_thresholds_"):
            values = getattr(curve, name)
            is_vector = isinstance(values, np.ndarray) and values.dtype.kind == "f"
            fits = is_vector and values.shape == (len(curve.X_thresholds_),)
            require(fits and bool(np.isfinite(values).all()), f"{name} must be finite numbers")
        require(len(curve.X_thresholds_) > 0, "X_thresholds_ must have an entry")
        for name in ("X_min_", "X_max_"):
            require(is_number(getattr(curve, name)), f"{name} must be a number")
        # the function between them, which is not kept
        curve._build_f(curve.X_thresholds_, curve.y_thresholds_)
    return curve


def _check_coded(machine: Any) -> None:
    check_classes(machine)
    n_classes, code = len(machine.classes_), machine.code_
    fits = isinstance(code, OutputCode) and code.n_classes == n_classes
    require(fits, f"code_ must have {n_classes} rows")
    members, rows = machine.estimators_, machine._rows
    fits = isinstance(members, list) and len(members) == code.n_columns
    require(fits, f"estimators_ must be {code.n_columns}")
    require(all(hasattr(member, "predict") for member in members), "estimators_")
    if machine.decoding == "learned" and n_classes > 2:
        decoder = vars(machine).get("decoder_")
        fits = isinstance(decoder, SVC) and decoder.n_features_in_ == code.n_columns
        require(fits and len(decoder.classes_) == n_classes, "decoder_")
    if rows is not None:
        require(isinstance(rows, list) and len(rows) == len(members), "_rows")
        for own in rows:
            require_array(own, "_rows", "i", (np.size(own),))
            require(bool((own >= 0).all()), "_rows must not be negative")


def _make_coded(state: State) -> Any:
    return completed(assembled(CodeClassifier, CODED.__contains__, state), _check_coded)


def _make_frozen(state: State) -> Any:
    require(hasattr(state["estimator"], "fit"), "estimator")
    return FrozenEstimator(**state)


WRAPPERS = (
    Recipe("FrozenEstimator", FrozenEstimator, arguments_of, _make_frozen),
    Recipe("CalibratedClassifierCV", CalibratedClassifierCV, _taken(*CALIBRATED), _make_calibrated),
    Recipe(
        "CalibratedClassifier",
        _Member,
        lambda member: {name: getattr(member, name) for name in MEMBER},
        _make_member,
    ),
    _of_numbers("SigmoidCalibration", _Sigmoid, "a_", "b_"),
    _of_numbers("TemperatureScaling", _Temperature, "beta_"),
    Recipe("IsotonicRegression", IsotonicRegression, _taken(*ISOTONIC), _make_isotonic),
    Recipe("CodeClassifier", CodeClassifier, _taken(*CODED), _make_coded),
)
