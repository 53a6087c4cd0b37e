"""From a fitted estimator to the tree that exporters walk."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline

from mercer._warning import warn
from mercer.hull import HullClassifier
from mercer.io.exchange.curves import curve_of, curves_of, has_probabilities, slope_of
from mercer.io.exchange.distances import equal_diagonal
from mercer.io.exchange.functions import function_of
from mercer.io.exchange.model import (
    Calibrated,
    Curve,
    Decoded,
    Labels,
    Largest,
    Machine,
    Member,
    Node,
    Numbers,
    OneClassValues,
    Output,
    Prepared,
    Rescaled,
    SideBySide,
    TwoClasses,
    Votes,
)
from mercer.io.exchange.preparation import inverse, steps_of
from mercer.machines import (
    LSSVC,
    LSSVR,
    RLSC,
    SVC,
    SVDD,
    SVR,
    CodeClassifier,
    NuSVC,
    NuSVR,
    OneClassSVM,
    ReducedSVC,
)
from mercer.machines.least_squares.class_scores import CodeScores, PairScores
from mercer.machines.svm.schemes import CodeScheme, PairScheme
from mercer.online import OnlineSVC, OnlineSVR
from mercer.paths import PathSVC
from mercer.predictions import CalibratedSVC, ThresholdSVC
from mercer.selection.tuned import TunedMachine

__all__ = ["describe"]

EXPORTED = (
    *("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "SVDD", "RLSC", "LSSVC", "LSSVR"),
    *("ReducedSVC", "ThresholdSVC"),
    *("HullClassifier", "PathSVC", "OnlineSVC", "OnlineSVR", "TunedSVC", "TunedSVR", "TunedRLSC"),
    *("TunedOneClassSVM", "CalibratedSVC", "CodeClassifier", "CalibratedClassifierCV", "Pipeline"),
    "TransformedTargetRegressor",
)


def describe(estimator: Any) -> Node:
    """The tree of a fitted estimator; ValueError names a part that cannot be exported.

    Of probabilities that cannot go a warning tells: labels and values do not depend on them.
    """
    node = _node(estimator)
    if hasattr(estimator, "predict_proba") and not has_probabilities(node):
        warn(
            f"the probabilities of this {type(estimator).__name__} are not exported, labels and "
            "decision values are: softmax, sigmoid and isotonic ones of one value, or of one for "
            "each class, can be; CalibratedSVC(method='temperature') has such"
        )
    return node


def _node(estimator: Any) -> Node:
    match estimator:
        case Pipeline():
            steps = tuple(step for _, own in estimator.steps[:-1] for step in steps_of(own))
            node = _node(estimator.steps[-1][1])
            return Prepared(steps, node) if steps else node
        case TransformedTargetRegressor():
            return _rescaled(estimator)
        case FrozenEstimator():
            return _node(estimator.estimator)
        case TunedMachine():
            return _tuned(estimator)
        case CalibratedClassifierCV():
            return _calibrated(estimator)
        case CalibratedSVC():
            return _with_curves(estimator)
        case CodeClassifier():
            return _coded(estimator)
        case ThresholdSVC():
            return _with_threshold(_node(_fitted(estimator)), float(estimator.threshold_))
        case SVDD():
            return _ball(estimator)
    return _machine(estimator)


def _fitted(estimator: Any) -> Any:
    """The machine inside."""
    if not hasattr(estimator, "estimator_"):
        raise ValueError(f"{type(estimator).__name__} is not fitted")
    return estimator.estimator_


def _with_threshold(node: Node, threshold: float) -> Node:
    """Decision values minus a threshold, and no probabilities."""
    if isinstance(node, Prepared):
        return replace(node, node=_with_threshold(node.node, threshold))
    if not isinstance(node, Machine):
        raise ValueError("ThresholdSVC of other than one machine of two classes cannot be exported")
    function = replace(node.function, bias=node.function.bias - threshold)
    return Machine(function, node.output)


def _ball(machine: SVDD) -> Machine:
    """R^2 - |x - c|^2 = 2 f(x) - k(x, x) + R^2 - |c|^2, with k(x, x) the same for all rows."""
    if not hasattr(machine, "intercept_"):
        raise ValueError("SVDD is not fitted")
    found = function_of(machine)
    square = equal_diagonal(found.form)
    if square is None or found.weights is None:
        raise ValueError(
            f"SVDD with the kernel {machine.kernel_!r} cannot be exported: k(x, x) must be the "
            "same for all rows, as of Gaussian, Laplacian and normalized kernels"
        )
    offset = found.bias - machine.intercept_  # of f, where its rows are moved
    bias = 2.0 * offset + machine.intercept_ - square
    function = replace(found, weights=2.0 * found.weights, bias=bias)
    return Machine(function, OneClassValues(float(machine._error())))


def _tuned(estimator: Any) -> Node:
    """The chosen machine, with the probabilities of the search; of several targets each."""
    if hasattr(estimator, "estimators_"):
        return SideBySide(tuple(_node(own) for own in estimator.estimators_), Numbers(False))
    node = _node(estimator.best_estimator_)
    calibration = vars(estimator).get("calibration_")
    machine = node.node if isinstance(node, Prepared) else node
    if calibration is None or not isinstance(machine, Machine):
        return node
    machine = replace(machine, slope=calibration.slope)
    return replace(node, node=machine) if isinstance(node, Prepared) else machine


def _machine(machine: Any) -> Machine:
    output = _output(machine)
    return Machine(
        function=function_of(machine),
        output=output,
        slope=slope_of(machine),
        curves=_own_curves(machine),
    )


def _own_curves(machine: Any) -> tuple[Curve, ...]:
    """Those of ``probability=True``."""
    return curves_of(vars(machine).get("_calibration")) if hasattr(machine, "predict_proba") else ()


def _output(machine: Any) -> Output:
    if not hasattr(machine, "intercept_"):
        known = type(machine).__name__ in EXPORTED
        reason = "is not fitted" if known else f"cannot be exported; {', '.join(EXPORTED)} can"
        raise ValueError(f"{type(machine).__name__} {reason}")
    match machine:
        case OneClassSVM():
            return OneClassValues(float(machine._boundary_error()))
        case LSSVR():
            return Numbers(machine._is_flat)
        case SVR() | NuSVR() | OnlineSVR():
            return Numbers(True)
        case RLSC() | LSSVC():
            return _of_least_squares(machine)
        case PathSVC():
            if machine.low_rank is not None:
                raise ValueError("PathSVC of low rank cannot be exported")
            return _of_scheme(machine)
        case ReducedSVC():
            return _votes(machine, True)
        case OnlineSVC():
            classes = machine.classes_
            return TwoClasses(classes) if len(classes) == 2 else Largest(classes)
        case SVC() | NuSVC() | HullClassifier():
            return _of_scheme(machine)
    raise ValueError(f"{type(machine).__name__} cannot be exported; {', '.join(EXPORTED)} can")


def _votes(machine: Any, break_ties: bool, by_pairs: bool = False) -> Output:
    classes = machine.classes_
    return TwoClasses(classes) if len(classes) == 2 else Votes(classes, break_ties, by_pairs)


def _of_scheme(machine: Any) -> Output:
    scheme, classes = machine._scheme, machine.classes_
    if isinstance(scheme, PairScheme):
        return _votes(machine, machine.break_ties, machine.decision_function_shape == "ovo")
    if isinstance(scheme, CodeScheme) and scheme.decoding is not None:
        matrix = scheme.code.matrix.astype(np.float64)
        return Decoded(classes, matrix, scheme.decoding.name, mixes=False)
    return Largest(classes)


def _of_least_squares(machine: Any) -> Output:
    scores, classes = machine._class_scores, machine.classes_
    if machine.multilabel_:
        return Labels(len(classes))
    if len(classes) == 2:
        return TwoClasses(classes)
    if isinstance(scores, PairScores):
        return Votes(classes, True, False)
    if isinstance(scores, CodeScores):
        matrix = scores.code.matrix.astype(np.float64)
        return Decoded(classes, matrix, scores.decoding.name, mixes=not scores.code.has_zeros)
    return Largest(classes)


def _coded(estimator: Any) -> SideBySide:
    if estimator._rows is not None:
        raise ValueError("CodeClassifier of a precomputed kernel cannot be exported")
    if "decoder_" in vars(estimator):
        raise ValueError("CodeClassifier with decoding='learned' cannot be exported")
    members = tuple(_node(own) for own in estimator.estimators_)
    for own, node in zip(estimator.estimators_, members, strict=True):
        if not hasattr(own, "decision_function") or isinstance(node, Calibrated):
            raise ValueError(
                f"CodeClassifier of {type(own).__name__}, which has no decision values, cannot be "
                "exported"
            )
    if len(estimator.classes_) == 2:
        return SideBySide(members, TwoClasses(estimator.classes_))
    loss = "hinge" if estimator.decoding == "auto" else estimator.decoding
    matrix = estimator.code_.matrix.astype(np.float64)
    return SideBySide(members, Decoded(estimator.classes_, matrix, loss, mixes=False))


def _calibrated(estimator: Any) -> Calibrated:
    classes = estimator.classes_
    members = []
    for own in estimator.calibrated_classifiers_:
        if not hasattr(own.estimator, "decision_function"):
            raise ValueError(
                f"CalibratedClassifierCV of {type(own.estimator).__name__}, which has no decision "
                "values, cannot be exported"
            )
        curves = tuple(curve_of(curve, own.method) for curve in own.calibrators)
        members.append(Member(_node(own.estimator), curves, _places_of(own, classes)))
    return Calibrated(tuple(members), classes)


def _places_of(own: Any, classes: NDArray[Any]) -> tuple[int, ...]:
    """Which classes the values of a calibrated classifier belong to."""
    if own.method == "temperature":  # of all classes, which scikit-learn may have made numbers of
        return tuple(range(len(classes)))
    places = np.searchsorted(classes, own.estimator.classes_)
    return tuple(map(int, places[1:] if len(classes) == 2 else places))


def _with_curves(estimator: CalibratedSVC) -> Calibrated:
    """Labels are those of the probabilities: without them there is nothing to export."""
    if not hasattr(estimator, "calibration_"):
        raise ValueError("CalibratedSVC is not fitted")
    curves = curves_of(estimator.calibration_)
    if not curves:
        is_coupled = estimator.calibration_.layout.kind == "pairs"
        pairs = " of pairs of classes, which are coupled," if is_coupled else ""
        raise ValueError(
            f"CalibratedSVC(method={estimator.method!r}){pairs} cannot be exported; "
            "method='temperature' can, and 'platt' and 'isotonic' of two classes or one-vs-all"
        )
    node = _node(estimator.estimator_)
    if isinstance(node, Machine) and isinstance(node.output, Votes):
        # the map takes one value for each class, whatever decision_function gives
        node = replace(node, output=replace(node.output, by_pairs=False))
    places = range(len(curves)) if len(curves) > 1 else (1,)
    return Calibrated((Member(node, curves, tuple(places)),), estimator.classes_)


def _rescaled(estimator: Any) -> Node:
    node = _node(estimator.regressor_)
    if not is_regressor(estimator.regressor_):
        raise ValueError(
            f"TransformedTargetRegressor of {type(estimator.regressor_).__name__} cannot be "
            "exported"
        )
    steps = inverse(steps_of(estimator.transformer_))
    return Rescaled(node, steps) if steps else node
