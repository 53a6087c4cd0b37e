"""The estimators people import: validate, build, solve, read out."""

from mercer.machines.classifiers import SVC, NuSVC
from mercer.machines.least_squares_classifiers import LSSVC, RLSC
from mercer.machines.least_squares_regressor import LSSVR
from mercer.machines.one_class import OneClassSVM
from mercer.machines.reduced import ReducedSVC
from mercer.machines.regressors import SVR, NuSVR

__all__ = ["LSSVC", "LSSVR", "RLSC", "SVC", "SVR", "NuSVC", "NuSVR", "OneClassSVM", "ReducedSVC"]
