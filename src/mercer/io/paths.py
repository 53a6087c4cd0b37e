"""Paths, and the machine that chooses on them."""

from __future__ import annotations

from dataclasses import fields
from itertools import combinations
from typing import Any

import numpy as np

from mercer.codes import OutputCode
from mercer.codes.decoding import decoding_named
from mercer.io.consistency import is_number, require
from mercer.io.earlier_paths import EARLIER_PATHS, gamma_solutions, renewed
from mercer.io.recipe import UNTOLD, Recipe, State
from mercer.machines.svm.schemes import CodeScheme
from mercer.paths import CodePaths, PairPaths, Path, PathSVC, StepFunction
from mercer.paths.inputs.kernel_values import KernelValues
from mercer.paths.results.c_solutions import CSolutions
from mercer.paths.results.integrity import check_classes, check_path
from mercer.paths.results.kernel_solutions import KernelSolutions
from mercer.paths.results.nu_svc_solutions import NuSVCSolutions
from mercer.paths.results.nu_svr_solutions import NuSVRSolutions
from mercer.paths.results.one_class_solutions import OneClassSolutions
from mercer.paths.results.segments import Segments
from mercer.problem import Problem
from mercer.training.rows import is_precomputed

__all__ = ["PATHS", "with_paths"]

# The box of the segments is that of the problem.
SEGMENTS = tuple(field.name for field in fields(Segments) if field.name not in ("lower", "upper"))
SOLUTIONS = (CSolutions, OneClassSolutions, NuSVCSolutions, NuSVRSolutions, KernelSolutions)


def _take_solutions(at: Any) -> State:
    state = {f.name: getattr(at, f.name) for f in fields(at)}
    if "segments" in state:
        state["segments"] = {name: getattr(at.segments, name) for name in SEGMENTS}
    return state


def _made_solutions(cls: Any, state: State) -> Any:
    if "segments" in state:
        problem = state["problem"]
        require(isinstance(problem, Problem), "problem")
        segments = Segments(lower=problem.lower, upper=problem.upper, **state["segments"])
        state = state | {"segments": segments}
    return cls(**state)


def _solutions_recipe(cls: type) -> Recipe:
    return Recipe(cls.__name__, cls, _take_solutions, lambda state: _made_solutions(cls, state))


def _path_state(path: Path) -> State:
    """A path without its kernel values and what it took."""
    left_out = ("kernel_values", *UNTOLD)
    return {f.name: getattr(path, f.name) for f in fields(path) if f.name not in left_out}


def _take_path(path: Path) -> State:
    require(path.kernel_values is not None, "the path has no kernel and no rows")
    return {"kernel_values": path.kernel_values} | _path_state(path)


def _made_path(state: State, values: Any) -> Path:
    require(isinstance(values, KernelValues), "kernel_values")
    state = renewed(state, _made_solutions)
    path = Path(**(UNTOLD | state | {"kernel_values": values}))
    check_path(path)
    return path


def _earlier_recipe(name: str) -> Recipe:
    """How files of earlier versions, which had a class for each kind, are read."""
    make = lambda state: _made_path(*EARLIER_PATHS[name](state, _made_solutions))  # noqa: E731
    return Recipe(name, object, lambda _: {}, make)


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
    paths = tuple(_made_path(path, values) for path in state["paths"])
    require(all(path.classes is not None for path in paths), "paths must be of classes")
    return PairPaths(classes, pairs, paths)


def _take_columns(paths: CodePaths) -> State:
    return {
        "classes": paths.classes,
        "code": paths.code,
        "decoding": None if paths.decoding is None else paths.decoding.name,
        "kernel_values": paths.paths[0]._known_values(),
        "paths": [_path_state(path) for path in paths.paths],
    }


def _make_columns(state: State) -> CodePaths:
    classes, code, values = state["classes"], state["code"], state["kernel_values"]
    check_classes(classes, np.size(classes))
    require(isinstance(code, OutputCode) and code.n_classes == len(classes), "code")
    paths = tuple(_made_path(path, values) for path in state["paths"])
    require(len(paths) == code.n_columns, f"a code of {code.n_columns} columns needs their paths")
    require(all(path.classes is not None for path in paths), "paths must be of classes")
    decoding = None if state["decoding"] is None else decoding_named(state["decoding"])
    require(decoding is not None or len(paths) == len(classes), "decoding")
    columns, known = tuple(range(code.n_columns)), tuple(range(len(classes)))
    return CodePaths(classes, code, decoding, columns, known, paths)


def with_paths(machine: PathSVC) -> PathSVC:
    """Return the machine with the paths of all its machines, once checked."""
    if "classes_" not in vars(machine):
        return machine
    found: Any = machine.path_
    classes, n_classes = machine.classes_, len(machine.classes_)
    if n_classes == 2:
        require(isinstance(found, Path), "path_ must be a Path")
        paths: Any = (found,)
    elif isinstance(found, CodePaths):
        code: Any = vars(machine).get("code_")
        is_own = isinstance(code, OutputCode) and np.array_equal(code.matrix, found.code.matrix)
        scheme = machine._scheme
        fits = isinstance(scheme, CodeScheme) and scheme.decoding == found.decoding
        require(is_own and fits, "path_ must be that of code_")
        paths = found.paths
    else:
        pairs = tuple(combinations(range(n_classes), 2))
        require(isinstance(found, PairPaths) and found.pairs == pairs, "path_ must be PairPaths")
        paths = found.paths
    require(np.array_equal(found.classes, classes), "classes_ must be those of path_")
    values = paths[0].kernel_values
    require(values.rows.shape == machine.shape_fit_, "path_ has other rows")
    is_stored = is_precomputed(values.training.kernel)
    require(is_stored == is_precomputed(machine.kernel), "path_ has another kind of kernel")
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
    *map(_solutions_recipe, SOLUTIONS),
    Recipe("GammaSolutions", object, lambda _: {}, gamma_solutions),
    Recipe("Path", Path, _take_path, lambda state: _made_path(state, state["kernel_values"])),
    *map(_earlier_recipe, EARLIER_PATHS),
    Recipe("PairPaths", PairPaths, _take_pairs, _make_pairs),
    Recipe("CodePaths", CodePaths, _take_columns, _make_columns),
)
