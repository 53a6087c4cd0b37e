"""Every C at once: regularization paths, kernel paths, and warm-started grids."""

from mercer.paths.curves.regression_error import ErrorCurve
from mercer.paths.curves.step_function import StepFunction
from mercer.paths.estimator import PathSVC
from mercer.paths.grid import svc_grid
from mercer.paths.kernel.follow import kernel_path
from mercer.paths.nu_svc import nu_svc_path
from mercer.paths.nu_svr import nu_svr_path
from mercer.paths.one_class import one_class_path
from mercer.paths.results.code_paths import CodePaths
from mercer.paths.results.grid import Grid
from mercer.paths.results.pair_paths import PairPaths
from mercer.paths.results.path import Path
from mercer.paths.svc import svc_path
from mercer.paths.svr import svr_path

__all__ = [
    "CodePaths",
    "ErrorCurve",
    "Grid",
    "PairPaths",
    "Path",
    "PathSVC",
    "StepFunction",
    "kernel_path",
    "nu_svc_path",
    "nu_svr_path",
    "one_class_path",
    "svc_grid",
    "svc_path",
    "svr_path",
]
