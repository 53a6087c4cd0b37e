"""The counts and records of an SMO run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _core

__all__ = ["POINT", "Trace"]

POINT = np.dtype(
    [
        ("iteration", np.int64),
        ("seconds", np.float64),
        ("violation", np.float64),
        ("objective", np.float64),
        ("gap", np.float64),
        ("up", np.int64),
        ("down", np.int64),
        ("length", np.float64),
        ("ratio", np.float64),
        ("kind", "U8"),
        ("related", np.bool_),
        ("rows_computed", np.int64),
    ]
)
_RATIO_EDGES = np.array(_core.planning_ratio_edges)
_RATIO_EDGES.flags.writeable = False  # all traces share it


class Trace:
    """Counters and points of one solve, added up over its native runs.

    As a mapping (``Solution.trace``) it has

    - ``iterations`` and the kinds of steps: ``free_steps``, ``clipped_steps``,
      ``planned_steps``, ``joint_steps`` (more variables than the pair) and ``newton_steps``
      (all free variables, by ``refine``);
    - ``related_pairs``: pairs found by maximum gain, all others are fallbacks;
    - ``rows_computed``, ``rows_hit``: kernel rows asked for that were computed, or cached;
    - ``unshrinks``;
    - ``planning_ratios``: counts of planned steps by their ratio to the Newton step, in the
      classes that ``planning_ratio_edges`` delimits, the first and last of them open;
    - ``points``, if asked for: a structured array, one record for each point: the state
      before a step (iteration, seconds, violation, objective, gap) and the step (variables
      up and down or -1, length, ratio to the Newton step, kind, whether related, rows
      computed so far). The last record of a native run has no step.
    """

    def __init__(self) -> None:
        self.iterations = 0
        self.seconds = 0.0
        self._counters: dict[str, int] = {}
        self._ratios: Any = 0
        self._points: list[NDArray[Any]] = []

    def add(self, result: Any) -> None:
        """Append what a native run reports."""
        rows_before = self._counters.get("rows_computed", 0)
        counters = result.counters
        for name, value in self._counters.items():
            counters[name] += value
        self._counters = counters
        self._ratios = result.planning_ratios + self._ratios
        if recorded := result.trace:
            points = np.array(recorded, dtype=POINT)
            points["iteration"] += self.iterations
            points["seconds"] += self.seconds
            points["rows_computed"] += rows_before
            self._points.append(points)
        self.iterations += result.iterations
        self.seconds += result.seconds

    def as_mapping(self) -> dict[str, Any]:
        """Everything, ready for a solution."""
        mapping: dict[str, Any] = {"iterations": self.iterations, **self._counters}
        mapping["planning_ratios"] = self._ratios
        mapping["planning_ratio_edges"] = _RATIO_EDGES
        if self._points:
            mapping["points"] = np.concatenate(self._points)
        return mapping
