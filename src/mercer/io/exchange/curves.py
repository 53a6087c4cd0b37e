"""Probabilities of machines as curves and slopes; what has neither cannot be exported."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.isotonic import IsotonicRegression

from mercer.calibration import Calibration
from mercer.calibration.sigmoid import Sigmoid
from mercer.calibration.steps import Steps
from mercer.io.exchange.model import Calibrated, Curve, Machine, Node, Prepared
from mercer.machines import LSSVC, RLSC
from mercer.online import OnlineSVC

__all__ = ["curve_of", "curves_of", "has_probabilities", "slope_of"]


def curves_of(calibration: Calibration | None) -> tuple[Curve, ...]:
    """The curves of a calibration, those of a temperature being one; none if it has others.

    Pairs of classes are coupled, by a system of equations for every row.
    """
    if calibration is None:
        return ()
    if calibration.slope is not None:
        return (Curve("temperature", a=calibration.slope),)
    maps = calibration.maps
    if calibration.layout.kind == "pairs" or not all(isinstance(m, Sigmoid | Steps) for m in maps):
        return ()
    return tuple(map(_of_map, maps))


def _of_map(own: Sigmoid | Steps) -> Curve:
    if isinstance(own, Sigmoid):
        return Curve("sigmoid", -own.slope, -own.offset)
    return Curve("isotonic", x=own.known, y=own.probability)


def curve_of(curve: Any, method: str) -> Curve:
    """The curve of a calibrator of scikit-learn."""
    if isinstance(curve, IsotonicRegression):
        # beyond the ends: sklearn's calibration clips
        x = np.asarray(curve.X_thresholds_, dtype=np.float64)
        return Curve("isotonic", x=x, y=np.asarray(curve.y_thresholds_, dtype=np.float64))
    if method == "temperature":
        return Curve("temperature", a=float(curve.beta_))
    return Curve("sigmoid", a=float(curve.a_), b=float(curve.b_))


def slope_of(machine: Any) -> float | None:
    """The slope of softmax probabilities of decision values, of machines that have one."""
    if not hasattr(machine, "predict_proba"):
        return None
    if isinstance(machine, RLSC | LSSVC):
        return vars(machine).get("probability_slope_")
    if isinstance(machine, OnlineSVC) and machine._learned.judged is not None:
        return machine._learned.judged.slope
    return None


def has_probabilities(node: Node) -> bool:
    """Whether what is written of a node has probabilities."""
    match node:
        case Prepared():
            return has_probabilities(node.node)
        case Machine():
            return node.slope is not None or node.calibrated is not None
    return isinstance(node, Calibrated)
