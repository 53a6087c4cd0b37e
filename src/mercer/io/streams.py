"""Whether what is kept of a stream fits together."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import is_classifier

from mercer.io.consistency import (
    check_kernel,
    check_shape,
    check_solutions,
    check_values,
    completed,
    require,
    require_array,
    require_rows,
)

__all__ = ["revived_stream"]

# What is kept of a stream.
_KEPT = frozenset((
    "slots", "ids", "terms", "beta", "gradient", "gradient_error", "n_merged", "precision",
    "store_sparse", "by_differences", "rows", "intercept",
))  # fmt: skip


def revived_stream(machine: Any) -> Any:
    """Return an online machine with all it derives from its fitted attributes, once checked."""
    _add_missing(machine)
    return completed(machine, _check_online)


def _add_missing(machine: Any) -> None:
    """Add what files of earlier versions do not have: classes were announced, gamma settled."""
    state = vars(machine)
    kept = state.get("_kept")
    if not isinstance(kept, dict):
        return
    state.setdefault("_waits", False)
    state.setdefault("_judged", None)
    if is_classifier(machine):
        state.setdefault("_has_all_classes", True)
    kept.pop("errors", None)
    kept.setdefault("gradient_error", None)


def _check_online(machine: Any) -> None:
    """What is kept of a stream, and all examples if they are kept."""
    check_shape(machine)
    kept, task = vars(machine).get("_kept"), machine._restored_task(vars(machine))
    check_kernel(machine.kernel_, False)
    if is_classifier(machine):
        classes = machine.classes_
        require(np.array_equal(np.unique(classes), classes), "classes_ must ascend")
        require(type(machine._has_all_classes) is bool, "whether all classes are known")
    require(isinstance(kept, dict) and set(kept) == _KEPT, "what is kept of the stream")
    assert isinstance(kept, dict)
    n, width = np.size(kept["ids"]), task.n_functions * task.variables_per_row
    for name, kinds, shape in (
        ("slots", "i", (n,)),
        ("ids", "i", (n,)),
        ("terms", "f", (n, 3 * width)),
        ("beta", "f", (n, width)),
        ("gradient", "f", (n, width)),
        ("gradient_error", "f", (task.n_functions,)),
        ("intercept", "f", (task.n_functions,)),
    ):
        if kept[name] is not None or name not in ("gradient", "gradient_error", "intercept"):
            require_array(kept[name], f"{name} of the stream", kinds, shape)
    slots = kept["slots"]
    ascend = bool((np.diff(slots) > 0).all()) and (not n or slots[0] >= 0)
    require(ascend and (not n or slots[-1] < 4 * n + 128), "slots of the stream")
    require(len(np.unique(kept["ids"])) == n, "ids of the stream must be distinct")
    lower, upper = kept["terms"][:, 1::3], kept["terms"][:, 2::3]
    inside = (lower <= kept["beta"]) & (kept["beta"] <= upper)
    require(bool(inside.all()), "coefficients of the stream must lie in their boxes")
    require(kept["precision"] in ("single", "double"), "precision of the stream")
    for name in ("store_sparse", "by_differences"):
        require(type(kept[name]) is bool, f"{name} of the stream must be True or False")
    require(type(kept["n_merged"]) is int and kept["n_merged"] >= 0, "n_merged of the stream")
    require(type(machine._has_sparse_rows) is bool, "the kind of rows must be told")
    require(type(machine._waits) is bool, "whether gamma is settled must be told")
    require(type(machine.n_seen_) is int and machine.n_seen_ >= 0, "n_seen_ must be a count")
    if n:
        require_rows(kept["rows"], "rows of the stream", (n, machine.n_features_in_))
        _check_kind(machine, kept["rows"])
        check_values(machine.kernel_, kept["rows"][:1])
    else:
        require(kept["rows"] is None, "rows of the stream")
    if hasattr(machine, "solutions_"):
        check_solutions(machine, task.n_functions)
    if "_seen" in vars(machine):
        _check_seen(machine)
    require(machine._judged is None or is_classifier(machine), "values of a stream")
    if machine._judged is not None:
        _check_judged(machine)


def _check_judged(machine: Any) -> None:
    """Values of examples before they were learned, their classes and weights."""
    judged, n_classes = machine._judged, len(machine.classes_)
    require(isinstance(judged, tuple) and len(judged) == 3, "values of a stream")
    values, labels, weight = judged
    n = np.size(labels)
    require_array(values, "values of a stream", "f", (n, n_classes))
    require_array(labels, "classes of values", "i", (n,))
    require_array(weight, "weights of values", "f", (n,))
    require(n > 0 and bool(((labels >= 0) & (labels < n_classes)).all()), "classes of values")


def _check_kind(machine: Any, rows: Any) -> None:
    is_same = sp.issparse(rows) == machine._has_sparse_rows
    require(is_same, "rows of a stream must be sparse, or dense, as it says they are")


def _check_seen(machine: Any) -> None:
    seen = machine._seen
    require(isinstance(seen, tuple) and len(seen) == 4, "examples seen")
    rows, targets, weight, ids = seen
    n = np.size(ids)
    require(n > 0, "examples seen must have a row")
    require_array(ids, "ids of examples seen", "i", (n,))
    require(bool((np.diff(ids) > 0).all()), "ids of examples seen must ascend")
    require_array(weight, "weights of examples seen", "f", (n,))
    require(bool((weight >= 0).all()), "weights of examples seen must not be negative")
    require_rows(rows, "rows of examples seen", (n, machine.n_features_in_))
    _check_kind(machine, rows)
    if is_classifier(machine):
        require_array(targets, "classes of examples seen", "i", (n,))
        inside = bool(((targets >= 0) & (targets < len(machine.classes_))).all())
        require(inside, "classes of examples seen")
    else:
        require_array(targets, "targets of examples seen", "f", (n,))
