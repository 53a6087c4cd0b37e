"""Pictures of paths over nu and over the kernel, of grids and of choices of C; needs matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.paths.results.nu_svr_solutions import NuSVRSolutions
from mercer.paths.results.plot import plot_path, plot_steps, read_axes

if TYPE_CHECKING:
    from mercer.paths.estimator import PathSVC
    from mercer.paths.results.grid import Grid
    from mercer.paths.results.path import Path
    from mercer.paths.results.solutions import Solutions

__all__ = ["plot_any_path", "plot_choice", "plot_grid"]

FloatArray = NDArray[np.float64]
_LINES = 60  # coefficients shown; more would be a blot


def _axes(axes: Any, count: int) -> Any:
    """The axes that were given, or those of a new figure, one below the other."""
    if axes is None:
        import matplotlib.pyplot as plt

        _, axes = plt.subplots(
            count, 1, sharex=True, figsize=(7.0, 1.0 + 2.0 * count), layout="constrained"
        )
    axes = read_axes(axes, count)
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
    return axes


def plot_any_path(path: Path, X: Any, y: ArrayLike | None, axes: Any) -> Any:
    """The pictures of a path, by its parameter."""
    if path.parameter == "C":
        return plot_path(path, X, y, axes)
    if X is not None:
        raise ValueError(f"X must be None: the error is shown over C, not over {path.parameter}")
    return _plot_kernel(path, axes) if path.moves_kernel else _plot_nu(path, axes)


def _plot_nu(path: Path, axes: Any) -> Any:
    """Coefficients as shares of their bounds, the tube if there is one, and the free rows."""
    at = path.solutions
    has_tube = isinstance(at, NuSVRSolutions)
    axes = _axes(axes, 3 if has_tube else 2)
    low, high = sorted((path.begin, path.end))
    low = max(low, 1e-3 * high)
    nu = np.unique(np.r_[np.linspace(low, high, 200), np.clip(path.nu, low, high)])
    nu = nu[:: max(len(nu) // 1500, 1)] if 0.0 < high < np.inf else nu[:0]
    variables = np.flatnonzero(path.problem.upper > path.problem.lower)
    variables = variables[:: max(len(variables) // _LINES, 1)]
    share = np.reshape([_shares(at, v)[variables] for v in nu], (len(nu), len(variables)))
    axes[0].plot(nu, share, color="C0", lw=0.8, alpha=0.6)
    axes[0].set_ylabel("coefficient / bound")
    if isinstance(at, NuSVRSolutions):
        axes[1].plot(nu, [at.epsilon_at(v) for v in nu], color="0.2")
        axes[1].set_ylabel("epsilon")
    edges, n_free = np.append(path.nu, path.end), at.n_free
    if edges[0] > edges[-1]:
        edges, n_free = edges[::-1], n_free[::-1]
    if np.isfinite(edges).all():
        axes[-1].stairs(n_free, np.maximum.accumulate(edges), color="0.3", lw=0.8)
    axes[-1].set_ylabel("free rows")
    axes[-1].set_xlabel("nu")
    return axes


def _shares(at: Solutions, nu: float) -> FloatArray:
    """Each variable as a share of its bound."""
    problem = at.problem_at(nu)
    bound = np.maximum(problem.upper, -problem.lower)
    return np.asarray(np.abs(at.variables(nu)) / np.where(bound > 0, bound, 1.0))


def _plot_kernel(path: Path, axes: Any) -> Any:
    """Support vectors and, if there are any, scores against the parameter of the kernel."""
    axes = _axes(axes, 1 if path.scores is None else 2)
    counts = [np.count_nonzero(path.coef(value)) for value in path.breakpoints]
    axes[0].plot(path.breakpoints, counts, "o-", ms=3)
    axes[0].set_ylabel("support vectors")
    if path.scores is not None:
        axes[1].plot(path.breakpoints, path.scores, "o-", ms=3, color="0.2")
        axes[1].set_ylabel("score")
    axes[-1].set_xscale("log")
    axes[-1].set_xlabel(path.parameter)
    return axes


def plot_grid(grid: Grid, axes: Any) -> Any:
    """Scores, or else the number of support vectors, for every gamma and C."""
    (axis,) = _axes(axes, 1)
    shown, label = grid.scores, "score"
    if shown is None:
        label = "support vectors"
        shown = np.full(grid.solutions.shape[:2], np.nan)
        for at in np.ndindex(shown.shape):
            found = np.atleast_1d(grid.solutions[at])
            if all(solution is not None for solution in found):
                # of several pairs each row once
                shown[at] = np.count_nonzero(np.any([one.coef != 0 for one in found], axis=0))
    picture = axis.imshow(shown, aspect="auto", origin="lower")
    axis.figure.colorbar(picture, ax=axis, label=label)
    axis.set_xticks(range(len(grid.C)), [f"{C:.3g}" for C in grid.C], rotation=45)
    axis.set_yticks(range(len(grid.gamma)), [f"{gamma:.3g}" for gamma in grid.gamma])
    axis.set_xlabel("C")
    axis.set_ylabel("gamma")
    return np.atleast_1d(axis)


def plot_choice(machine: PathSVC, axes: Any) -> Any:
    """The error of every split and their mean against C, and the C that was taken."""
    (axis,) = _axes(axes, 1)
    moving = [path for path in machine.paths_ if path.status != "trivial"]
    low = min([0.5 * path.first_event for path in moving] + [0.5 * machine.C_])
    high = max([2.0 * float(path.C[-1]) for path in moving] + [2.0 * machine.C_])
    curves = [] if machine.cv_error_ is None else [machine.cv_error_]
    styles: list[dict[str, Any]] = [{"color": "0.8", "lw": 0.8}] * len(machine.cv_errors_) + [{}]
    for curve, style in zip([*machine.cv_errors_, *curves], styles, strict=False):
        plot_steps(curve, axis, max(low, float(curve.x[0])), min(high, curve.end), **style)
    axis.axvline(machine.C_, color="C2")
    axis.set_title(f"C = {machine.C_:.3g}", loc="right", fontsize="small", color="C2")
    axis.set_xscale("log")
    axis.set_xlabel("C")
    axis.set_ylabel("error on held-out rows")
    return np.atleast_1d(axis)
