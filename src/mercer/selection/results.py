"""The results of a search: tables, pictures, the relevance of features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from mercer.kernels import Kernel
from mercer.kernels.row_slopes import has_row_slopes
from mercer.machines.functions import kernel_machine
from mercer.machines.sensitivity import sensitivity_at
from mercer.selection.deviation import deviation, feature_deviations
from mercer.selection.history import History
from mercer.selection.search_result import SearchResult
from mercer.selection.space import Space
from mercer.selection.training_task import TrainingTask

__all__ = ["cv_results", "parameter_columns", "plot_search", "point_params", "relevance"]

FloatArray = NDArray[np.float64]


def cv_results(found: SearchResult) -> dict[str, Any]:
    """Every point of the search on all rows, as scikit-learn's searches list them.

    ``theta_...`` are the coordinates of the search, most of them logarithms. There are no times
    of fits: machines of a width share kernel values, and each starts from the one before. Of
    several kernels those of the one that was chosen come first; a parameter that a kernel does not
    have is NaN.
    """
    rows = found.listed.n_rows
    others = [own.listed for own in found.others if own.listed.n_rows == rows]
    listed = [found.listed, *others]
    scores = found.as_scores(np.concatenate([history.values for history in listed]))
    params, by_split, columns = _gathered(listed, found.varied)
    table: dict[str, Any] = {
        "params": params,
        "mean_test_score": scores,
        "rank_test_score": _ranks(scores),
        "seconds": np.concatenate([history.seconds for history in listed]),
    }
    table |= parameter_columns(params, [name for name in columns if name != found.listed.names[0]])
    table |= {f"theta_{name}": np.array(column) for name, column in columns.items()}
    counts = set(map(len, by_split))
    if len(counts) == 1 and counts.pop():
        split_scores = found.as_scores(np.array(by_split))
        table |= _columns_of("score", split_scores) | table
    return table | _other_scores(listed) if found.listed.also else table


def _other_scores(listed: list[History]) -> dict[str, Any]:
    """Columns of the scores other than the one that decides."""
    rows = [history.also.get(theta.tobytes()) for history in listed for theta in history.thetas]
    table: dict[str, Any] = {}
    for name in next((row for row in rows if row), {}):
        size = max(len(row[name]) for row in rows if row)
        by_split = np.array([row[name] if row else np.full(size, np.nan) for row in rows])
        table |= _columns_of(name, by_split)
    return table


def _columns_of(name: str, by_split: FloatArray) -> dict[str, Any]:
    """Mean, deviation, rank and every split of a score."""
    means = by_split.mean(axis=1)
    return {
        f"mean_test_{name}": means,
        f"std_test_{name}": deviation(by_split, axis=1),
        f"rank_test_{name}": _ranks(means),
        **{f"split{k}_test_{name}": column for k, column in enumerate(by_split.T)},
    }


def _ranks(scores: FloatArray) -> Any:
    return rankdata(-np.nan_to_num(scores, nan=-np.inf), method="min").astype(int)


def _gathered(
    listed: list[History], varied: tuple[str, ...]
) -> tuple[list[dict[str, Any]], list[FloatArray], dict[str, list[float]]]:
    """Parameters and values of the splits of every point, and a column for each coordinate."""
    params: list[dict[str, Any]] = []
    by_split: list[FloatArray] = []
    columns: dict[str, list[float]] = {}
    for history in listed:
        before = len(params)
        pairs = zip(history.spaces, history.thetas, strict=True)
        params += [point_params(*pair, varied) for pair in pairs]
        by_split += history.by_split
        for name in {**columns, **dict.fromkeys(history.names)}:
            column = columns.setdefault(name, [np.nan] * before)
            is_own = name in history.names
            k = history.names.index(name) if is_own else 0
            column += [theta[k] if is_own else np.nan for theta in history.thetas]
    return params, by_split, columns


def parameter_columns(params: list[dict[str, Any]], names: list[str]) -> dict[str, Any]:
    """A column for each parameter, and for those of the kernel that are named so."""
    columns: dict[str, Any] = {}
    for name in params[0] if params else ():
        columns[f"param_{name}"] = np.array([point[name] for point in params])
    kernels = [point["kernel"].get_params() for point in params]
    known = set().union(*kernels)
    for name in names:
        if name in known:
            column = np.array([own.get(name, np.nan) for own in kernels])
            columns[f"param_kernel__{name}"] = column
    return columns


def point_params(space: Space, theta: FloatArray, varied: tuple[str, ...] = ()) -> dict[str, Any]:
    """Parameters for ``set_params``; ``varied`` are those other than C and the kernel."""
    own = {space.penalty: space.penalty_at(theta), "kernel": space.kernel_at(theta)}
    return own | {name: getattr(space.machine, name) for name in varied}


def relevance(machine: Any, task: TrainingTask) -> FloatArray | None:
    """How much each feature counts, 1 for the largest; None if derivatives are not known.

    Its deviation times the root of its width: what it adds to distances of rows. If there is one
    width for all, also where a search has kept them equal, or none, times how much the functions of
    the machine move with it.
    """
    kernel: Kernel = machine.kernel_
    gamma = np.asarray(getattr(kernel, "gamma", 0.0))
    if gamma.dtype.kind == "f" and gamma.ndim > 0 and not _are_equal(gamma):
        root = np.sqrt(np.diagonal(gamma) if gamma.ndim == 2 else gamma)
    elif has_row_slopes(kernel):
        root = sensitivity_at(kernel_machine(machine), task.rows)
    else:
        return None
    root = root * feature_deviations(task.rows, task.weight)
    return np.asarray(root / max(float(root.max()), np.finfo(np.float64).tiny))


def _are_equal(gamma: FloatArray) -> bool:
    """Whether all features have one width."""
    equal = gamma.flat[0] * (np.eye(len(gamma)) if gamma.ndim == 2 else np.ones(len(gamma)))
    return np.allclose(gamma, equal, rtol=1e-9, atol=0.0)


def plot_search(histories: list[History], ax: Any = None) -> Any:
    """The criterion over C and one width, or over the evaluations if there are more parameters.

    Cells of a sample are small; colours tell the better three quarters apart.
    """
    import matplotlib.pyplot as plt

    drawn = [history for history in histories if np.isfinite(history.values).any()]
    drawn = [history for history in drawn if history.is_of_machine(drawn[-1])]
    # of "alignment" the search for C alone has splits, and other values
    drawn = [history for history in drawn if _has_splits(history) == _has_splits(drawn[-1])]
    first = drawn[0] if drawn else histories[0]
    if len(first.names) != 2 or not drawn:
        return first.plot(ax)
    ax = plt.figure().gca() if ax is None else ax
    values = np.concatenate([history.values for history in drawn])
    values = values[np.isfinite(values)]
    limits = np.quantile(values, [0.25, 1.0] if drawn[-1].greater_is_better else [0.0, 0.75])
    for history in drawn:
        points = history.points
        size = 40 if history is drawn[-1] else 12
        shown = ax.scatter(
            *points.T, c=history.values, cmap="viridis", s=size, vmin=limits[0], vmax=limits[1]
        )
    chosen = drawn[-1]
    best = chosen.points[chosen.best]
    ax.plot(*best, "r*", markersize=14, label=f"best: {chosen.values[chosen.best]:.4g}")
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlabel(chosen.names[0].removeprefix("log "))
    ax.set_ylabel(chosen.names[1])
    ax.figure.colorbar(shown, ax=ax, label="criterion")
    ax.legend()
    return ax


def _has_splits(history: History) -> bool:
    return bool(len(history.by_split[0]))
