"""The estimators people import: validate, build, solve, read out."""

from mercer.machines.classifiers import SVC, NuSVC
from mercer.machines.one_class import OneClassSVM
from mercer.machines.regressors import SVR, NuSVR

__all__ = ["SVC", "SVR", "NuSVC", "NuSVR", "OneClassSVM"]
