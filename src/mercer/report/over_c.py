"""The effect of other values of C: the exact path on the training rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.paths import svr_path
from mercer.paths.inputs.data import KernelChoice, read_inputs
from mercer.paths.inputs.limits import read_limits
from mercer.paths.results.class_paths import ClassPaths
from mercer.paths.results.pair_paths import PairPaths
from mercer.paths.results.trace_classes import trace_classes
from mercer.report.inside import Inside
from mercer.report.judged import Judged
from mercer.report.learned import Learned, NotLearned
from mercer.report.plane import plane
from mercer.solvers.runs.deadline import Deadline

__all__ = ["other_C"]

MOST_ROWS = 1000  # of the path
MOST_SECONDS = 20.0
N_POINTS = 30
BEYOND = 100.0  # times the C of the machine
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Family:
    """The machines of every C: their errors, support vectors and decision values."""

    paths: Any
    error: Any  # a function of C
    C: float
    n_rows: int

    @property
    def all_paths(self) -> tuple[Any, ...]:
        return self.paths.paths if isinstance(self.paths, PairPaths) else (self.paths,)

    def n_support(self, C: float) -> int:
        """Rows that count in one of the machines."""
        is_kept = np.zeros(self.n_rows, dtype=bool)
        for path in self.all_paths:
            is_kept[np.unique(path.problem.index[path.solutions.variables(C) != 0])] = True
        return int(is_kept.sum())


def other_C(learned: Learned, inside: Inside, judged: Judged) -> dict[str, Any]:
    """Error on the judged rows and support vectors over C, in a plane the boundary, too.

    The kernel is that of the machine. Of many training rows a part is followed.
    """
    _check(learned)
    rows = np.sort(learned.in_order()[:MOST_ROWS])
    family = _followed(learned, rows)
    points = _points(family)
    square = learned.target_scale**2
    errors = [learned.error(square * float(own)) for own in family.error(points)]
    least = square * float(family.error.minimum)
    return {
        "why_not": None,
        "n_rows": len(rows),
        "n_events": sum(int(path.solutions.n_events) for path in family.all_paths),
        "C": points.tolist(),
        "error": errors,
        "n_support": [family.n_support(C) for C in points.tolist()],
        "own": int(np.searchsorted(points, family.C)),
        "least_error": learned.error(least),
        "least_at": _least_at(family),
        "same": _same(learned, family),
        "plane": _plane(family, points, inside, judged),
    }


def _check(learned: Learned) -> None:
    """NotLearned where the machine is not one of a path over C."""
    machine = learned.machine
    name = type(machine).__name__
    loss = getattr(machine, "loss", "hinge")
    wanted = ("hinge",) if learned.has_classes else ("epsilon_insensitive", "epsilon-insensitive")
    if getattr(machine, "kernel_", None) is None or not (
        hasattr(machine, "C_") or hasattr(machine, "C")
    ):
        raise NotLearned(f"{name} has no path over C")
    if np.isinf(machine.C_ if hasattr(machine, "C_") else machine.C):
        raise NotLearned("C is infinite")
    if loss not in wanted:
        raise NotLearned(f"the exact path is that of the loss {wanted[0]!r}, this one is {loss!r}")
    if getattr(machine, "multiclass", "one-vs-one") not in ("one-vs-one", "ovo"):
        raise NotLearned("the exact path is that of pairs of classes")


def _followed(learned: Learned, rows: NDArray[np.intp]) -> _Family:
    machine = learned.machine
    C = float(machine.C_ if hasattr(machine, "C_") else machine.C)
    X, y = learned.taken(rows)
    if learned.has_classes:
        paths: Any = _class_paths(X, y, machine, BEYOND * C)
    else:
        paths = svr_path(
            X, y, epsilon=machine.epsilon, kernel=machine.kernel_, C_max=BEYOND * C,
            max_time=MOST_SECONDS,
        )  # fmt: skip
    if not paths.begin <= C <= paths.end:
        raise NotLearned(f"the path ended at C = {paths.end:.4g}, before that of the machine")
    return _Family(paths, paths.error(learned.Z, learned.z), C, len(rows))


def _class_paths(X: Any, y: NDArray[Any], machine: Any, C_max: float) -> ClassPaths:
    deadline = Deadline.after(MOST_SECONDS)
    inputs = read_inputs(
        X, y, None, machine.kernel_, getattr(machine, "class_weight", None), takes_more=True
    )
    choice = KernelChoice(machine.kernel_, deadline=deadline)
    values = choice.values(inputs.rows, inputs.rows, inputs.weight, inputs.training)
    limits = read_limits(C_max, -1, deadline, None)
    return trace_classes(inputs, inputs.full_weight(), values.gram, limits, values=values)


def _points(family: _Family) -> FloatArray:
    """Values of C from where anything happens to the end, that of the machine among them."""
    paths = family.paths
    first = paths.first_event if hasattr(paths, "first_event") else paths.breakpoints[0]
    low = min(max(float(first), 1e-4 * family.C), family.C)
    high = max(min(float(paths.end), BEYOND * family.C), family.C)
    spread = [float(f"{C:.3g}") for C in np.geomspace(low, high, N_POINTS).tolist()]
    return np.unique([family.C, *(C for C in spread if paths.begin <= C <= paths.end)])


def _least_at(family: _Family) -> list[float] | float:
    """Where the error is least: an interval of C for classes, a point for numbers."""
    error = family.error
    if not isinstance(family.paths, PairPaths):
        return float(error.best)
    k = int(error.value.argmin())
    ends = [*error.x.tolist(), float(error.end)]
    return [ends[k], min(ends[k + 1], BEYOND * family.C)]


def _same(learned: Learned, family: _Family) -> float:
    """Share of judged rows that the path at the C of the machine predicts as the machine does."""
    said = np.asarray(learned.machine.predict(learned.Z))
    own = family.paths.predict(learned.Z, family.C)
    if learned.has_classes:
        return float(np.mean(said == own))
    size = float(np.abs(said - learned.z).max()) or 1.0
    return float(np.mean(np.abs(said - own) <= 0.01 * size))


def _plane(
    family: _Family, points: FloatArray, inside: Inside, judged: Judged
) -> dict[str, Any] | None:
    """Of two classes whose rows have two columns: decision values over them, for each C."""
    if not isinstance(family.paths, PairPaths) or len(family.all_paths) != 1:
        return None
    path = family.all_paths[0]
    return plane(judged, lambda rows: path.decision_function(inside.prepared(rows), points))
