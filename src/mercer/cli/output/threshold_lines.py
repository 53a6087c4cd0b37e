"""The threshold between two classes, in words."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.text import Text

from mercer import ThresholdSVC
from mercer.cli.models.costs import mean_cost, threshold_record

__all__ = ["cost_line", "rule_text", "threshold_lines"]


def rule_text(machine: ThresholdSVC) -> str:
    """The value that separates the classes, and why it was chosen."""
    found = threshold_record(machine)
    assert found is not None
    if found["cost"] is None:
        chosen = f"chosen for {found['score'].replace('_', ' ')}"
    else:
        each = " and ".join(f"{cost:g} on {name}" for name, cost in found["cost"].items())
        chosen = f"chosen for errors that cost {each}"
    return (
        f"{found['above']} where the value of the machine is above {found['value']:.4g}, {chosen}"
    )


def threshold_lines(machine: ThresholdSVC | None, y: Any) -> list[str | Text]:
    """The rule, and its result on left-out rows next to one guess for all."""
    found = threshold_record(machine)
    if found is None or machine is None:
        return []
    of = "rows held out by folds"
    if found["cost"] is None:
        name = found["score"].replace("_", " ")
        return [rule_text(machine), _head(found["left_out"], f"{name} of {of}")]
    counts = np.array([np.count_nonzero(np.asarray(y) == label) for label in machine.classes_])
    guesses = [mean_cost(machine.cost, np.outer(counts, own)) for own in np.eye(2)]
    best = int(np.argmin(guesses))
    return [
        rule_text(machine),
        _head(found["left_out"], f"cost of a row, mean over {of}"),
        f"{guesses[best]:.4g}  by always saying {machine.classes_[best]}, the cheaper guess",
    ]


def cost_line(costs: Any, confusion: dict[str, Any]) -> str:
    """The cost of the judged rows, next to that of the cheaper guess for all."""
    counts = np.asarray(confusion["counts"], dtype=np.float64)
    truth = counts.sum(axis=1)
    guesses = [mean_cost(costs, np.outer(truth, own)) for own in np.eye(2)]
    best = int(np.argmin(guesses))
    return (
        f"{mean_cost(costs, counts):.4g} a row, {guesses[best]:.4g} by always saying "
        f"{confusion['classes'][best]}"
    )


def _head(value: float, words: str) -> Text:
    return Text.assemble((f"{value:.4g}", "bold green"), (f"  {words}", "dim"))
