"""The estimators people import: validate, build, solve, keep what was fitted."""

from mercer.machines.code_classifier import CodeClassifier
from mercer.machines.least_squares.lssvc import LSSVC
from mercer.machines.least_squares.lssvr import LSSVR
from mercer.machines.least_squares.rlsc import RLSC
from mercer.machines.svm.classifiers import SVC, NuSVC
from mercer.machines.svm.one_class import OneClassSVM
from mercer.machines.svm.reduced import ReducedSVC
from mercer.machines.svm.regressors import SVR, NuSVR
from mercer.machines.svm.svdd import SVDD

__all__ = [
    "LSSVC",
    "LSSVR",
    "RLSC",
    "SVC",
    "SVDD",
    "SVR",
    "CodeClassifier",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "ReducedSVC",
]
