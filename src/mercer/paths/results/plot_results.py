"""Pictures of grids, kernel paths, one-class paths and choices of C; needs matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mercer.paths.results.plot import plot_steps, read_axes

if TYPE_CHECKING:
    from mercer.paths.estimator import PathSVC
    from mercer.paths.results.grid import Grid
    from mercer.paths.results.kernel_path import KernelPath
    from mercer.paths.results.nu_path import NuPath
    from mercer.paths.results.nu_svr_path import NuSVRPath

__all__ = ["plot_choice", "plot_grid", "plot_kernel_path", "plot_nu_path", "plot_nu_svr_path"]

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


def plot_nu_path(path: NuPath, axes: Any) -> Any:
    """Coefficients as shares of their bounds, and the number of free rows, against nu."""
    axes = _axes(axes, 2)
    nu = np.unique(np.r_[np.linspace(path.nu_end, 1.0, 200), np.clip(path.nu, path.nu_end, 1.0)])
    nu = nu[:: max(len(nu) // 1500, 1)]
    used = np.flatnonzero(path.problem.upper > 0)
    used = used[:: max(len(used) // _LINES, 1)]
    share = np.array([path.coef(v)[used] / path.problem.upper[used] for v in nu])
    axes[0].plot(nu, share, color="C0", lw=0.8, alpha=0.6)
    axes[0].set_ylabel("coefficient / bound")
    edges = np.minimum.accumulate(np.r_[path.nu, path.nu_end])[::-1]
    axes[1].stairs(path.segments.n_free[::-1], edges, color="0.3", lw=0.8)
    axes[1].set_ylabel("free rows")
    axes[1].set_xlabel("nu")
    return axes


def plot_nu_svr_path(path: NuSVRPath, axes: Any) -> Any:
    """Coefficients as shares of their bounds, the tube and the number of free rows against nu."""
    axes = _axes(axes, 3)
    low, high = 1e-3 * path.nu_end, path.nu_end
    nu = np.unique(np.r_[np.linspace(low, high, 200), np.clip(path.nu, low, high)])
    nu = nu[:: max(len(nu) // 1500, 1)] if high > 0.0 else nu[:0]
    n = path.problem.n_variables // 2
    used = np.flatnonzero(path.problem.upper[:n] > 0)
    used = used[:: max(len(used) // _LINES, 1)]
    row, bound = path.problem.index[used], path.problem.upper[used]
    share = np.reshape([path.coef(v)[row] / bound for v in nu], (len(nu), len(row)))
    axes[0].plot(nu, share, color="C0", lw=0.8, alpha=0.6)
    axes[0].set_ylabel("coefficient / bound")
    axes[1].plot(nu, [path.epsilon_at(v) for v in nu], color="0.2")
    axes[1].set_ylabel("epsilon")
    edges = np.append(path.nu, path.nu_end)
    axes[2].stairs(path.segments.n_free, edges, color="0.3", lw=0.8)
    axes[2].set_ylabel("free rows")
    axes[2].set_xlabel("nu")
    return axes


def plot_kernel_path(path: KernelPath, axes: Any) -> Any:
    """Support vectors and, if there are any, scores against gamma."""
    axes = _axes(axes, 1 if path.scores is None else 2)
    axes[0].plot(path.gamma, [np.count_nonzero(s.coef) for s in path.solutions], "o-", ms=3)
    axes[0].set_ylabel("support vectors")
    if path.scores is not None:
        axes[1].plot(path.gamma, path.scores, "o-", ms=3, color="0.2")
        axes[1].set_ylabel("score")
    axes[-1].set_xscale("log")
    axes[-1].set_xlabel("gamma")
    return axes


def plot_grid(grid: Grid, axes: Any) -> Any:
    """Scores, or else the number of support vectors, for every gamma and C."""
    (axis,) = _axes(axes, 1)
    shown, label = grid.scores, "score"
    if shown is None:
        label = "support vectors"
        shown = np.full(grid.solutions.shape, np.nan)
        for at, solution in np.ndenumerate(grid.solutions):
            if solution is not None:
                shown[at] = np.count_nonzero(solution.coef)
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
    low = min([0.5 * path.C_start for path in moving] + [0.5 * machine.C_])
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
