"""What commands write with ``--json``: one object with a schema, the same fields every time."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mercer.cli.data.training_set import TrainingSet
from mercer.cli.models.held_out import HeldOut
from mercer.machines.certified import certificate

__all__ = ["as_json", "score_record", "training_record"]

TRAINING = "mercer.training/1"


def training_record(
    command: str,
    data: TrainingSet,
    machine: Any,
    path: Path,
    notes: list[str],
    held_out: HeldOut | None,
) -> dict[str, Any]:
    """Return what ``mercer fit``, ``tune`` and ``path`` have done."""
    columns = {} if data.columns is None else data.columns.decided
    return {
        "schema": TRAINING,
        "command": command,
        "task": str(data.task),
        "source": data.source,
        "n_rows": int(data.X.shape[0]),
        "target": data.target,
        "classes": {str(label): count for label, count in data.class_counts.items()},
        "columns": {name: {"kind": kind, "why": why} for name, (kind, why) in columns.items()},
        "machine": type(machine).__name__,
        "parameters": _parameters(machine),
        "certificate": certificate(machine),
        "n_support": int(machine.dual_coef_.shape[1]) if hasattr(machine, "dual_coef_") else None,
        "score": None if held_out is None else score_record(held_out),
        "model": str(path),
        "n_bytes": path.stat().st_size,
        "notes": [*data.notes, *notes],
    }


def score_record(held_out: HeldOut) -> dict[str, Any]:
    """Return how well rows held out are predicted, and how well by one guess for all."""
    truth = held_out.truth
    if truth.dtype.kind == "f":
        spread = float(np.square(truth - truth.mean()).sum()) or math.nan
        values = [
            1.0 - float(np.square(truth - guess).sum()) / spread
            for guess in (held_out.predicted, held_out.baseline)
        ]
        name = "R2"
    else:
        values = [float(np.mean(truth == g)) for g in (held_out.predicted, held_out.baseline)]
        name = "accuracy"
    folds = None if held_out.scores is None else held_out.scores.values.tolist()
    return {
        "name": name,
        "value": values[0],
        "baseline": values[1],
        "rows": held_out.where,
        "n_rows": len(truth),
        "folds": folds,
    }


def _parameters(machine: Any) -> dict[str, Any]:
    names = ("C", "C_", "epsilon", "nu", "alpha_", "class_weight", "tol")
    own = {name.rstrip("_"): getattr(machine, name) for name in names if hasattr(machine, name)}
    return own | {"kernel": repr(getattr(machine, "kernel_", None))}


def as_json(record: Mapping[str, Any]) -> str:
    """Return one line of JSON; what is not a finite number is null."""
    return json.dumps(_plain(record), ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(own) for key, own in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(own) for own in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, str | int | float | bool | None) else str(value)
