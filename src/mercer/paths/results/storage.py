"""Paths in files: plain arrays and JSON, nothing that could run."""

from __future__ import annotations

import json
import os
import zipfile
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.gram.native import count_rows
from mercer.kernels import Kernel
from mercer.lowrank import LowRank
from mercer.lowrank.features import FeatureMap
from mercer.paths.inputs.kernel_values import KernelValues
from mercer.paths.inputs.training_rows import TrainingRows
from mercer.paths.results.integrity import check_path
from mercer.paths.results.nu_path import NuPath
from mercer.paths.results.path import Path
from mercer.paths.results.segments import Segments
from mercer.problem import Problem

__all__ = ["load_path", "path_from_parts", "path_to_parts", "save_path"]

Arrays = dict[str, NDArray[Any]]
_PROBLEM = ("linear", "lower", "upper", "index", "ridge", "group", "group_sum")
_SEGMENTS = (
    "first_side",
    "parameter",
    "bias",
    "bias_rate",
    "changes_end",
    "values_end",
    "changed",
    "side",
    "values",
    "rates",
)
_SCALARS = {
    "Path": ("status", "start", "start_rate", "C_begin", "violation", "accuracy", "seconds"),
    "NuPath": ("status", "violation"),
}
_FORMAT = 1
_MOST_CLASSES = 1000


def path_to_parts(path: Path | NuPath) -> tuple[Arrays, dict[str, Any]]:
    """A path, without its rows and its kernel, as arrays and what JSON can hold."""
    kind = type(path).__name__
    arrays: Arrays = {f"problem_{n}": getattr(path.problem, n) for n in _PROBLEM}
    arrays |= {f"segments_{n}": getattr(path.segments, n) for n in _SEGMENTS}
    about: dict[str, Any] = {n: getattr(path, n) for n in _SCALARS[kind]}
    about |= {"kind": kind, "format": _FORMAT, "end_parameter": path.segments.end_parameter}
    # of a pair of classes the path knows fewer rows than there are
    about["n_rows"] = getattr(path, "n_rows", path.problem.n_variables)
    classes = getattr(path, "classes", None)
    if classes is not None:
        if classes.dtype.kind == "O":
            raise ValueError(
                f"classes must be numbers or strings to be saved, got {classes.tolist()!r}"
            )
        arrays["classes"] = classes
    origin = getattr(path, "origin", None)
    if origin is not None:
        arrays["origin"] = origin
    if path.low_rank is not None:
        about["low_rank"] = _approximation_to_parts(path.low_rank, arrays)
    return arrays, about


def _approximation_to_parts(low_rank: LowRank, arrays: Arrays) -> dict[str, Any]:
    """What is known of a low-rank approximation; its arrays are added to the others."""
    is_chosen = isinstance(low_rank.basis, str) or low_rank.has_positions
    if not is_chosen:
        given = low_rank.basis.toarray() if sp.issparse(low_rank.basis) else low_rank.basis
        arrays["low_rank_rows"] = np.asarray(given)
        if arrays["low_rank_rows"].dtype.kind == "O":
            raise ValueError("low_rank must have a basis of numbers to be saved, got objects")
    if low_rank.maps_[0].origin is not None:
        arrays["low_rank_origin"] = low_rank.maps_[0].origin
    for k, features in enumerate(low_rank.maps_):
        arrays[f"low_rank_basis_{k}"] = features.landmarks
        assert features.factor is not None
        arrays[f"low_rank_factor_{k}"] = features.factor
    return {
        "rank": int(low_rank.rank),
        "method": low_rank.method,
        "basis": low_rank.basis if isinstance(low_rank.basis, str) else None,
        "n_models": len(low_rank.maps_),
        "trace_error": low_rank.trace_error_,
    }


def path_from_parts(
    arrays: Arrays, about: dict[str, Any], kernel: Kernel | None = None, X: Any = None
) -> Path | NuPath:
    """The path that :func:`path_to_parts` took apart, with its kernel and rows if given."""
    kind = about["kind"]
    problem = Problem(**{n: arrays[f"problem_{n}"] for n in _PROBLEM})
    stored: dict[str, Any] = {n: arrays[f"segments_{n}"] for n in _SEGMENTS}
    stored["end_parameter"] = float(about["end_parameter"])
    segments = Segments(lower=problem.lower, upper=problem.upper, **stored)
    parts: dict[str, Any] = {n: about[n] for n in _SCALARS[kind]}
    parts |= {"segments": segments, "problem": problem}
    n_rows = _count(about["n_rows"], problem)
    parts["kernel_values"] = _values(arrays, about, kernel, X, n_rows)
    if kind == "NuPath":
        path: Path | NuPath = NuPath(**parts)
    else:
        path = Path(classes=arrays.get("classes"), origin=arrays.get("origin"), **parts)
    check_path(path)
    return path


def _count(n_rows: Any, problem: Problem) -> int:
    """The number of rows in a file, if its path may have so many.

    The path of a pair of classes knows the rows of the two, of all classes there may be many.
    """
    highest, most = int(problem.index.max(initial=0)), _MOST_CLASSES * problem.n_variables
    if type(n_rows) is not int or not highest < n_rows <= most:
        raise ValueError(
            f"its arrays do not fit together: n_rows must lie in {highest + 1}..{most}, got "
            f"{n_rows!r:.40}"
        )
    return n_rows


def _values(
    arrays: Arrays, about: dict[str, Any], kernel: Kernel | None, X: Any, n_rows: int
) -> KernelValues | None:
    """Kernel values as the path had them, from the kernel and the rows it was made of."""
    if kernel is None or X is None:
        if kernel is not None or X is not None:
            raise ValueError("kernel and X must be given together, got one of them")
        return None
    if not isinstance(kernel, Kernel):
        raise TypeError(f"kernel must be a Kernel, got {kernel!r}")
    training = TrainingRows(kernel)
    rows, _, _ = training.read(X, None, None)
    if count_rows(rows) != n_rows:
        raise ValueError(f"X must have the {n_rows} rows of the path, got {count_rows(rows)}")
    low_rank = None
    if "low_rank" in about:
        low_rank = _approximation(arrays, about["low_rank"], kernel, rows)
    origin = arrays.get("origin")
    if origin is not None and origin.shape != np.shape(rows)[1:]:
        raise ValueError(f"X must have the {len(origin)} features of the path")
    return KernelValues(kernel, rows, training, low_rank, origin=origin)


def _approximation(arrays: Arrays, about: dict[str, Any], kernel: Kernel, rows: Any) -> LowRank:
    given = arrays.get("low_rank_rows")
    basis = given if given is not None else about["basis"] or arrays["low_rank_basis_0"]
    out = LowRank(about["rank"], method=about["method"], basis=basis, n_models=about["n_models"])
    maps = []
    for k in range(about["n_models"]):
        among = rows if given is None else given
        landmarks, origin = arrays[f"low_rank_basis_{k}"], arrays.get("low_rank_origin")
        features = FeatureMap(kernel, among, landmarks, whiten=False, origin=origin)
        features.factor = np.asfortranarray(arrays[f"low_rank_factor_{k}"])
        maps.append(features)
    out.maps_, out.basis_ = tuple(maps), tuple(features.landmarks for features in maps)
    out.trace_error_ = about["trace_error"]
    return out


def save_path(path: Path | NuPath, file: str | os.PathLike[str]) -> None:
    """Write the arrays of a path: O(sum of free rows) numbers."""
    arrays, about = path_to_parts(path)
    np.savez(file, about=np.array(json.dumps(about)), **arrays)  # type: ignore[arg-type]


def load_path(
    file: str | os.PathLike[str], kind: str, kernel: Kernel | None, X: Any
) -> Path | NuPath:
    """Read what :func:`save_path` wrote of a "Path" or a "NuPath"."""
    name = os.fspath(file)
    try:
        with np.load(file, allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
    except FileNotFoundError:
        raise
    except (OSError, EOFError, ValueError, zipfile.BadZipFile, AttributeError) as error:
        raise ValueError(f"{name} is not a path: {error}") from error
    if "about" not in arrays:
        raise ValueError(f"{name} is not a path: 'about' is missing")
    try:
        about = json.loads(str(arrays.pop("about")))
        loaded = path_from_parts(arrays, about)
    except (KeyError, TypeError, IndexError, json.JSONDecodeError) as error:
        raise ValueError(f"{name} is not a path: {error!r}") from error
    if about["kind"] != kind:
        raise ValueError(f"{name} holds a {about['kind']}, not a {kind}")
    if kernel is None and X is None:
        return loaded
    return path_from_parts(arrays, about, kernel, X)
