"""Parameters of online machines: which go together, which must stay, what they mean to a stream."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from mercer.kernels import Gaussian, Kernel
from mercer.online.stream import Rules
from mercer.online.target_task import Task
from mercer.training.rows import is_precomputed

__all__ = ["check_combination", "check_eviction", "check_fixed", "fixed_parameters", "rules_of"]

# What the problem of a stream is made of.
_FIXED = ("C", "epsilon", "class_weight", "kernel", "degree", "gamma", "coef0", "precision",
          "keep_rows", "window")  # fmt: skip
_PLAIN = (str, Real, bool, dict)
_MEGABYTES = 2048.0  # of the kernel rows of kept examples, unless cache_size says otherwise


def check_combination(machine: Any) -> None:
    """Refuse parameters that do not go together."""
    if is_precomputed(machine.kernel):
        raise ValueError("kernel must be a function of rows, got 'precomputed'")
    if not np.isfinite(machine.C):
        raise ValueError(f"C must be finite, got {machine.C!r}")
    has_budget = machine.max_support_vectors is not None
    if has_budget and machine.keep_rows:
        raise ValueError(
            "keep_rows must be False with max_support_vectors, got True: the optimum of all "
            "rows would exceed the budget"
        )
    if machine.window is not None and (machine.keep_rows or has_budget):
        name = "keep_rows" if machine.keep_rows else "max_support_vectors"
        raise ValueError(
            f"{name} must not be set with a window, got {getattr(machine, name)!r}: the window "
            "says what is kept"
        )


def check_eviction(machine: Any, task: Task, kernel: Kernel) -> None:
    """Refuse merging where a row between two others does not stand for them."""
    if machine.max_support_vectors is None or machine.eviction != "merging":
        return
    if not _merges(task, kernel):
        raise ValueError(
            "eviction='merging' needs a classifier with a Gaussian kernel, got "
            f"{type(machine).__name__} with {kernel!r}: use 'removal' or 'projection'"
        )


def _merges(task: Task, kernel: Kernel) -> bool:
    return isinstance(kernel, Gaussian) and task.variables_per_row == 1


def fixed_parameters(machine: Any) -> dict[str, Any]:
    """What must not change while a stream goes on."""
    return {name: getattr(machine, name) for name in _FIXED if hasattr(machine, name)}


def check_fixed(machine: Any, fixed: dict[str, Any]) -> None:
    """Refuse parameters that are others than at the beginning of the stream."""
    for name, before in fixed.items():
        now = getattr(machine, name)
        if now is before or (isinstance(now, _PLAIN) and now == before):
            continue
        raise ValueError(
            f"{name} must stay what it was when the stream began, {before!r}, got {now!r}: "
            "fit begins anew"
        )


def rules_of(machine: Any, task: Task, kernel: Kernel) -> Rules:
    """How the stream takes examples in, by the parameters as they are now."""
    megabytes = _MEGABYTES if machine.cache_size == "auto" else float(machine.cache_size)
    size = min(2**20 * megabytes, 2.0**62)
    eviction = machine.eviction
    if eviction == "auto":
        eviction = "merging" if _merges(task, kernel) else "removal"
    return Rules(
        n_functions=task.n_functions,
        variables_per_row=task.variables_per_row,
        selection="second-order" if machine.selection == "auto" else machine.selection,
        tol=float(machine.tol),
        n_reprocess=int(machine.n_reprocess),
        max_kept=int(machine.max_support_vectors or 0),
        eviction=str(eviction),
        # a function may give other values when it is asked again
        max_row_bytes=0 if kernel.form().reads_python else int(max(size, 1.0)),
    )
