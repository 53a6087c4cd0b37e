"""The beginning of a stream: its kernel, how its rows are packed, and gamma once there are rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer._threads import resolve_threads
from mercer.gram.native import Precision, count_rows, fixed_rows, take_rows
from mercer.kernels import Kernel
from mercer.machines.kernel_values import resolve_kernel
from mercer.online.history import History
from mercer.online.kept_rows import Packing, stacked
from mercer.online.learned import Learned, keeps_history
from mercer.online.parameters import check_eviction, fixed_parameters, rules_of
from mercer.online.stream import Stream
from mercer.online.target_task import Task

__all__ = ["begun", "check_kernel_values", "settled"]

FloatArray = NDArray[np.float64]
_SHORT = (np.float32, np.uint8, np.int8)
_RULES = ("scale", "median")  # of gamma, that look at the rows
_ENOUGH = 100  # rows that a rule of gamma waits for


def begun(
    machine: Any, task: Task, X: Any, weight: FloatArray, *, is_chunk: bool = True
) -> Learned:
    """What a machine knows of a stream of rows like ``X``, before it learns from any.

    A rule of gamma waits for more rows than a small first chunk has.
    """
    has_rule = _has_rule(machine)
    waits = is_chunk and has_rule
    kernel = resolve_kernel(machine, X, weight)
    learned = Learned(
        task=task,
        kernel=kernel,
        stream=_new_stream(machine, task, kernel, X),
        gamma_source=f"first {count_rows(X)} rows" if has_rule else "given",
        waits=waits,
        is_sparse=bool(sp.issparse(X)),
        fixed=fixed_parameters(machine),
        history=History() if keeps_history(machine, waits) else None,
    )
    learned.moved(machine)
    return learned


def settled(
    machine: Any, learned: Learned, X: Any, weight: FloatArray, *, is_whole: bool
) -> Learned:
    """The beginning again, with gamma from the first rows, those of the chunk ``X`` included.

    Nothing is learned yet. ``is_whole``: the chunk is the first, and learned as a whole. Rows
    without weight tell nothing: gamma goes on waiting.
    """
    rows = X
    if learned.history:
        earlier, _, its_weight, _ = learned.history.all()
        rows, weight = stacked([earlier, X]), np.append(its_weight, weight)
    present = np.flatnonzero(weight > 0)
    if not len(present):
        return learned
    waits = len(present) < min(_ENOUGH, machine.window or _ENOUGH)
    if not (waits or is_whole):
        present = present[:_ENOUGH]
    kernel = resolve_kernel(machine, take_rows(rows, present), weight[present])
    again = replace(
        learned,
        kernel=kernel,
        stream=_new_stream(machine, learned.task, kernel, X),
        gamma_source=f"first {len(present)} rows",
        waits=waits,
    )
    again.moved(machine)
    return again


def _has_rule(machine: Any) -> bool:
    """Whether the kernel depends on rows."""
    kernel, gamma = machine.kernel, machine.gamma
    if isinstance(kernel, str):
        return kernel != "linear" and isinstance(gamma, str) and gamma in _RULES
    if not isinstance(kernel, Kernel):
        return False
    try:
        kernel.form()
    except ValueError:
        return True
    return False


def _new_stream(machine: Any, task: Task, kernel: Kernel, X: Any) -> Stream:
    """An empty stream with this kernel, for rows like ``X``."""
    check_eviction(machine, task, kernel)
    form = kernel.form()
    precision: Precision = machine.precision
    if precision == "auto":
        precision = "single" if getattr(X, "dtype", None) in _SHORT else "double"
    packing = Packing(
        form,
        precision,
        fixed_rows(X, precision, form).store_sparse,
        n_threads=resolve_threads(machine.n_threads),
    )
    return Stream(kernel, rules_of(machine, task, kernel), packing)


def check_kernel_values(kernel: Kernel, X: Any) -> None:
    """Refuse rows with k(x, x) beyond the range of numbers."""
    wrong = np.flatnonzero(~np.isfinite(kernel.diag(X)))
    if len(wrong):
        raise ValueError(
            f"kernel values must be finite, got k(x, x) beyond the range of numbers for row "
            f"{wrong[0]} of X: scale the features"
        )
