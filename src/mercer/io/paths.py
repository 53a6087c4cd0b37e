"""Regularization paths, and the machine that chooses on them."""

from __future__ import annotations

from dataclasses import fields
from itertools import combinations
from typing import Any

import numpy as np

from mercer.io.consistency import is_number, require, require_array
from mercer.io.recipe import Recipe, State, by_fields
from mercer.paths import NuPath, NuSVCPath, NuSVRPath, PairPaths, Path, PathSVC, StepFunction
from mercer.paths.inputs.kernel_values import KernelValues
from mercer.paths.results.integrity import check_classes, check_path
from mercer.paths.results.segments import Segments
from mercer.problem import Problem

__all__ = ["PATHS", "with_paths"]

# The box of the segments is that of the problem.
SEGMENTS = tuple(field.name for field in fields(Segments) if field.name not in ("lower", "upper"))


def _path_state(path: Path | NuPath | NuSVRPath) -> State:
    """A path without its kernel values; its box is kept once."""
    state = {f.name: getattr(path, f.name) for f in fields(path) if f.name != "kernel_values"}
    return state | {"segments": {name: getattr(path.segments, name) for name in SEGMENTS}}


def _take_path(path: Path | NuPath | NuSVRPath) -> State:
    if path.kernel_values is None:
        raise ValueError(
            f"the {type(path).__name__} has no kernel and no rows: give both to "
            f"{type(path).__name__}.load to save all of it, or use its method save"
        )
    return {"kernel_values": path.kernel_values} | _path_state(path)


def _made_path(cls: Any, state: State, values: Any) -> Any:
    require(isinstance(values, KernelValues), "kernel_values")
    require(isinstance(state["problem"], Problem), "problem")
    problem, stored = state["problem"], state["segments"]
    segments = Segments(lower=problem.lower, upper=problem.upper, **stored)
    path = cls(**(state | {"segments": segments, "kernel_values": values}))
    check_path(path)
    return path


def _path_recipe(cls: type) -> Recipe:
    make = lambda state: _made_path(cls, state, state["kernel_values"])  # noqa: E731
    return Recipe(cls.__name__, cls, _take_path, make)


def _take_pairs(pairs: PairPaths) -> State:
    return {
        "classes": pairs.classes,
        "pairs": pairs.pairs,
        # All paths are made of the same rows.
        "kernel_values": pairs.paths[0]._known_values(),
        "paths": [_path_state(path) for path in pairs.paths],
    }


def _make_pairs(state: State) -> PairPaths:
    classes, pairs, values = state["classes"], state["pairs"], state["kernel_values"]
    check_classes(classes, np.size(classes))
    require(isinstance(pairs, tuple) and len(pairs) == len(state["paths"]) > 0, "pairs")
    for pair in pairs:
        is_pair = isinstance(pair, tuple) and len(pair) == 2 and pair[0] != pair[1]
        inside = is_pair and all(type(k) is int and 0 <= k < len(classes) for k in pair)
        require(inside, f"a pair must be two of {len(classes)} classes, got {pair!r:.40}")
    paths = tuple(_made_path(Path, path, values) for path in state["paths"])
    require(all(path.classes is not None for path in paths), "paths must be of classes")
    return PairPaths(classes, pairs, paths)


def _checked_nu_svc(path: NuSVCPath) -> NuSVCPath:
    is_classifier = isinstance(path.path, Path) and path.path.classes is not None
    require(is_classifier, "path must be one of two classes")
    require_array(path.nu, "nu", "f", path.path.segments.parameter.shape)
    require(is_number(path.nu_end), "nu_end must be a number")
    return path


def with_paths(machine: PathSVC) -> PathSVC:
    """Return the machine with the path of each pair of classes, once checked."""
    if "classes_" not in vars(machine):
        return machine
    found: Any = machine.path_
    classes, n_classes = machine.classes_, len(machine.classes_)
    if n_classes == 2:
        require(isinstance(found, Path), "path_ must be a Path")
        paths = (found,)
    else:
        pairs = tuple(combinations(range(n_classes), 2))
        require(isinstance(found, PairPaths) and found.pairs == pairs, "path_ must be PairPaths")
        paths = found.paths
    require(np.array_equal(found.classes, classes), "classes_ must be those of path_")
    values = paths[0].kernel_values
    require(values.rows.shape == machine.shape_fit_, "path_ has other rows")
    is_stored = values.training._is_precomputed()
    require(is_stored == machine._is_precomputed(), "path_ has another kind of kernel")
    _check_choice(machine)
    machine.paths_ = paths
    return machine


def _check_choice(machine: PathSVC) -> None:
    """The chosen C, and the errors it was chosen by."""
    require(is_number(machine.C_) and machine.C_ > 0, "C_ must be a positive number")
    for name in ("cv_error_", "cv_score_"):
        curve = getattr(machine, name)
        require(curve is None or isinstance(curve, StepFunction), f"{name} is no StepFunction")
    errors: Any = machine.cv_errors_
    is_list = isinstance(errors, list) and all(isinstance(e, StepFunction) for e in errors)
    require(is_list, "cv_errors_ must be a list of StepFunction")


PATHS = (
    *map(_path_recipe, (Path, NuPath, NuSVRPath)),
    by_fields(NuSVCPath, _checked_nu_svc),
    Recipe("PairPaths", PairPaths, _take_pairs, _make_pairs),
)
