"""mercer: kernel machines trained exactly and fast, with a certificate on every result."""

from mercer.gram import Gram
from mercer.machines import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from mercer.paths import Path, PathSVC, StepFunction, svc_path
from mercer.problem import Certificate, Problem, Solution, certify
from mercer.solvers import ActiveSet, Smo, solve

__version__ = "0.1.0"

__all__ = [
    "SVC",
    "SVR",
    "ActiveSet",
    "Certificate",
    "Gram",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "Path",
    "PathSVC",
    "Problem",
    "Smo",
    "Solution",
    "StepFunction",
    "certify",
    "solve",
    "svc_path",
]
