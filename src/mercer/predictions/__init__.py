"""Predictions to act on: out-of-sample values, probabilities and sets from them, and reasons."""

from mercer.machines.sensitivity import sensitivity
from mercer.predictions.calibrated import CalibratedSVC
from mercer.predictions.conformal_classifier import ConformalSVC
from mercer.predictions.conformal_regressor import ConformalSVR
from mercer.predictions.ensemble import ChunkedEnsemble
from mercer.predictions.explain import explain
from mercer.predictions.explanation import Explanation
from mercer.predictions.influence import Influence, influence
from mercer.predictions.out_of_sample import OutOfSample, out_of_sample
from mercer.predictions.outliers import CalibratedOneClassSVM
from mercer.predictions.suspects import Suspects, suspects
from mercer.predictions.threshold import ThresholdSVC, choose_threshold

__all__ = [
    "CalibratedOneClassSVM",
    "CalibratedSVC",
    "ChunkedEnsemble",
    "ConformalSVC",
    "ConformalSVR",
    "Explanation",
    "Influence",
    "OutOfSample",
    "Suspects",
    "ThresholdSVC",
    "choose_threshold",
    "explain",
    "influence",
    "out_of_sample",
    "sensitivity",
    "suspects",
]
