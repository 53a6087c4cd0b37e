"""mercer: kernel machines trained exactly and fast, with a certificate on every result."""

from mercer.gram import Gram
from mercer.hull import HullClassifier
from mercer.lowrank import LowRank
from mercer.machines import (
    LSSVC,
    LSSVR,
    RLSC,
    SVC,
    SVR,
    CodeClassifier,
    NuSVC,
    NuSVR,
    OneClassSVM,
    ReducedSVC,
)
from mercer.online import OnlineSVC, OnlineSVR
from mercer.paths import (
    Grid,
    KernelPath,
    NuPath,
    NuSVCPath,
    NuSVRPath,
    Path,
    PathSVC,
    StepFunction,
    kernel_path,
    nu_svc_path,
    nu_svr_path,
    one_class_path,
    svc_grid,
    svc_path,
    svr_path,
)
from mercer.problem import Certificate, Problem, Solution, certify
from mercer.selection import TunedOneClassSVM, TunedRLSC, TunedSVC, TunedSVR
from mercer.solvers import ActiveSet, Chunked, Smo, solve

__version__ = "0.1.0"

__all__ = [
    "LSSVC",
    "LSSVR",
    "RLSC",
    "SVC",
    "SVR",
    "ActiveSet",
    "Certificate",
    "Chunked",
    "CodeClassifier",
    "Gram",
    "Grid",
    "HullClassifier",
    "KernelPath",
    "LowRank",
    "NuPath",
    "NuSVC",
    "NuSVCPath",
    "NuSVR",
    "NuSVRPath",
    "OneClassSVM",
    "OnlineSVC",
    "OnlineSVR",
    "Path",
    "PathSVC",
    "Problem",
    "ReducedSVC",
    "Smo",
    "Solution",
    "StepFunction",
    "TunedOneClassSVM",
    "TunedRLSC",
    "TunedSVC",
    "TunedSVR",
    "certify",
    "kernel_path",
    "nu_svc_path",
    "nu_svr_path",
    "one_class_path",
    "solve",
    "svc_grid",
    "svc_path",
    "svr_path",
]
