"""mercer: kernel machines trained exactly and fast, with a certificate on every result."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mercer import calibration as calibration
    from mercer import codes as codes
    from mercer import dask as dask
    from mercer import datasets as datasets
    from mercer import formulations as formulations
    from mercer import io as io
    from mercer import kernels as kernels
    from mercer import lab as lab
    from mercer import least_squares as least_squares
    from mercer import multiclass as multiclass
    from mercer import plots as plots
    from mercer import tables as tables
    from mercer import training as training
    from mercer.diagnostics import show_versions
    from mercer.gram import Gram
    from mercer.hull import HullClassifier
    from mercer.lowrank import LowRank
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
    from mercer.online import OnlineSVC, OnlineSVR
    from mercer.paths import (
        Grid,
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
    from mercer.predictions import (
        CalibratedOneClassSVM,
        CalibratedSVC,
        ChunkedEnsemble,
        ConformalSVC,
        ConformalSVR,
        Explanation,
        OutOfSample,
        ThresholdSVC,
        choose_threshold,
    )

    # A type checker takes the module of that name for the function otherwise.
    from mercer.predictions.explain import explain
    from mercer.predictions.influence import influence
    from mercer.predictions.out_of_sample import out_of_sample
    from mercer.predictions.suspects import suspects
    from mercer.problem import Certificate, Problem, Solution, certify
    from mercer.report import Report, write_report
    from mercer.selection import TunedOneClassSVM, TunedRLSC, TunedSVC, TunedSVR
    from mercer.solvers import ActiveSet, Chunked, Smo, solve

__version__ = "0.1.0"

__all__ = [
    "LSSVC",
    "LSSVR",
    "RLSC",
    "SVC",
    "SVDD",
    "SVR",
    "ActiveSet",
    "CalibratedOneClassSVM",
    "CalibratedSVC",
    "Certificate",
    "Chunked",
    "ChunkedEnsemble",
    "CodeClassifier",
    "ConformalSVC",
    "ConformalSVR",
    "Explanation",
    "Gram",
    "Grid",
    "HullClassifier",
    "LowRank",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "OnlineSVC",
    "OnlineSVR",
    "OutOfSample",
    "Path",
    "PathSVC",
    "Problem",
    "ReducedSVC",
    "Report",
    "Smo",
    "Solution",
    "StepFunction",
    "ThresholdSVC",
    "TunedOneClassSVM",
    "TunedRLSC",
    "TunedSVC",
    "TunedSVR",
    "certify",
    "choose_threshold",
    "explain",
    "influence",
    "kernel_path",
    "nu_svc_path",
    "nu_svr_path",
    "one_class_path",
    "out_of_sample",
    "show_versions",
    "solve",
    "suspects",
    "svc_grid",
    "svc_path",
    "svr_path",
    "write_report",
]

# Rooms and what they offer here, imported when first asked for: who uses one machine does not wait
# for the others. `__all__` and the imports above, for type checkers, say the same.
_ROOMS = {
    "calibration": "",
    "codes": "",
    "dask": "",
    "datasets": "",
    "diagnostics": "show_versions",
    "formulations": "",
    "gram": "Gram",
    "hull": "HullClassifier",
    "io": "",
    "kernels": "",
    "lab": "",
    "least_squares": "",
    "lowrank": "LowRank",
    "machines": "LSSVC LSSVR RLSC SVC SVDD SVR CodeClassifier NuSVC NuSVR OneClassSVM ReducedSVC",
    "multiclass": "",
    "online": "OnlineSVC OnlineSVR",
    "paths": (
        "Grid Path PathSVC StepFunction kernel_path "
        "nu_svc_path nu_svr_path one_class_path svc_grid svc_path svr_path"
    ),
    "plots": "",
    "predictions": (
        "CalibratedOneClassSVM CalibratedSVC ChunkedEnsemble ConformalSVC ConformalSVR "
        "Explanation OutOfSample ThresholdSVC choose_threshold explain influence "
        "out_of_sample suspects"
    ),
    "problem": "Certificate Problem Solution certify",
    "report": "Report write_report",
    "selection": "TunedOneClassSVM TunedRLSC TunedSVC TunedSVR",
    "solvers": "ActiveSet Chunked Smo solve",
    "tables": "",
    "training": "",
}
_HOMES = {name: room for room, names in _ROOMS.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """A room, or a name of one, at its first use (PEP 562)."""
    if name in _ROOMS:
        return _import_module(f"mercer.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'mercer' has no attribute {name!r}")
    value = getattr(_import_module(f"mercer.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_ROOMS, *_HOMES})
