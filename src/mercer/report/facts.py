"""Facts about a machine, and how to reproduce it."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import version
from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.gram.native import count_rows
from mercer.machines.certified import number_or_none
from mercer.report.inside import step_names

__all__ = ["data_hash", "described", "reproduction"]

PACKAGES = ("mercer", "numpy", "scipy", "scikit-learn")
LONGEST = 200
# These say how to run, not what is learned.
_OF_RUNS = ("callback", "verbose", "n_jobs", "n_threads", "cache_size")


def described(machine: Any) -> dict[str, Any]:
    """The class of a machine, what was chosen of it, and its size."""
    names = ("C", "C_", "epsilon", "nu", "alpha_")
    found = {
        name.rstrip("_"): number_or_none(getattr(machine, name))
        for name in names
        if name in dir(machine)
    }
    kernel = getattr(machine, "kernel_", None)
    kept = getattr(machine, "support_vectors_", None)
    return {
        "name": type(machine).__name__,
        "chosen": {name: value for name, value in found.items() if value is not None},
        "kernel": None if kernel is None else _text(kernel),
        "n_features": int(getattr(machine, "n_features_in_", 0)),
        "n_support": None if kept is None else count_rows(kept),
    }


def reproduction(estimator: Any, machine: Any, X: Any, y: Any) -> dict[str, Any]:
    """Versions, parameters, seed and a hash of the rows."""
    given = machine.get_params(deep=False) if hasattr(machine, "get_params") else {}
    parameters = {name: _text(value) for name, value in given.items() if name not in _OF_RUNS}
    kernel = getattr(machine, "kernel_", None)
    if kernel is not None:
        parameters["kernel_"] = _text(kernel)
    return {
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in PACKAGES},
        "steps": step_names(estimator),
        "parameters": parameters,
        "seed": _text(given.get("random_state")),
        "data_sha256": None if X is None else data_hash(X, y),
    }


def _text(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def data_hash(X: Any, y: Any) -> str:
    """SHA-256 of shape, values of the rows (numbers as float64, row by row) and targets."""
    digest = hashlib.sha256(repr(tuple(X.shape)).encode())
    if sp.issparse(X):
        rows = sp.csr_array(X)
        parts = [rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data]
    elif hasattr(X, "columns"):
        parts = [X[name].to_numpy() for name in X.columns]
    else:
        parts = [np.asarray(X)]
    for part in [*parts, *([] if y is None else [np.asarray(y)])]:
        digest.update(_bytes(part))
    return digest.hexdigest()


def _bytes(values: Any) -> bytes:
    if values.dtype.kind in "biuf":
        return np.ascontiguousarray(values, dtype="<f8").tobytes()
    return "\x1f".join(map(str, values.ravel().tolist())).encode()
