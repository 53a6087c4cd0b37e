"""Every C at once: regularization paths, kernel paths, and warm-started grids."""

from mercer.paths.estimator import PathSVC
from mercer.paths.grid import svc_grid
from mercer.paths.grid_result import Grid
from mercer.paths.kernel_path import KernelPath
from mercer.paths.limits import PathProgress
from mercer.paths.nu_path import NuPath
from mercer.paths.nu_svc import NuSVCPath, nu_svc_path
from mercer.paths.one_class import one_class_path
from mercer.paths.pair_paths import PairPaths
from mercer.paths.path import Path
from mercer.paths.regression_error import ErrorCurve
from mercer.paths.step_function import StepFunction
from mercer.paths.svc import svc_path
from mercer.paths.svr import svr_path
from mercer.paths.widths import kernel_path

__all__ = [
    "ErrorCurve",
    "Grid",
    "KernelPath",
    "NuPath",
    "NuSVCPath",
    "PairPaths",
    "Path",
    "PathProgress",
    "PathSVC",
    "StepFunction",
    "kernel_path",
    "nu_svc_path",
    "one_class_path",
    "svc_grid",
    "svc_path",
    "svr_path",
]
