"""Every C at once: regularization paths, kernel paths, and warm-started grids."""

from mercer.paths.estimator import PathSVC
from mercer.paths.follow import PathProgress
from mercer.paths.grid import Grid, svc_grid
from mercer.paths.path import Path
from mercer.paths.step_function import StepFunction
from mercer.paths.svc import svc_path

__all__ = ["Grid", "Path", "PathProgress", "PathSVC", "StepFunction", "svc_grid", "svc_path"]
