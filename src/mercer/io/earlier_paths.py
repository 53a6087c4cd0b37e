"""Paths as earlier versions wrote them: a class for each kind, its fields in one list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.io.consistency import require
from mercer.io.path_parts import check_rows
from mercer.io.recipe import State
from mercer.kernels import Gaussian
from mercer.paths import Path
from mercer.paths.inputs.kernel_values import KernelValues
from mercer.paths.results.c_solutions import CSolutions
from mercer.paths.results.kernel_solutions import KernelSolutions
from mercer.paths.results.nu_svc_solutions import NuSVCSolutions
from mercer.paths.results.nu_svr_solutions import NuSVRSolutions
from mercer.paths.results.one_class_solutions import OneClassSolutions

__all__ = ["EARLIER_PATHS", "gamma_solutions", "renewed"]

MakeSolutions = Callable[[Any, State], Any]
# The fields that are now those of the solutions.
OVER_C = ("segments", "problem", "status", "start_rate", "C_begin")
ONE_CLASS = ("segments", "problem", "status")
NU_SVR = ("segments", "problem", "C", "middle", "status")


def renewed(state: State, make: MakeSolutions) -> State:
    """The state of a Path over C of an earlier version as it is written now."""
    if "segments" not in state:
        return state
    rest = {k: v for k, v in state.items() if k not in (*OVER_C, "shift")}
    return rest | {"solutions": make(CSolutions, {name: state[name] for name in OVER_C})}


def _by_segments(cls: Any, names: tuple[str, ...]) -> Any:
    def read(state: State, make: MakeSolutions) -> tuple[State, Any]:
        solutions = make(cls, {name: state[name] for name in names})
        return {"solutions": solutions, "violation": state["violation"]}, state["kernel_values"]

    return read


def _nu_svc(state: State, make: MakeSolutions) -> tuple[State, Any]:
    path = state["path"]
    require(isinstance(path, Path), "path")
    solutions = NuSVCSolutions(path.over_C)
    known = {name: getattr(path, name) for name in ("classes", "violation", "accuracy", "start")}
    return known | {"solutions": solutions}, path.kernel_values


def gamma_solutions(state: State) -> KernelSolutions:
    """The solutions of a path that could only be over gamma."""
    rest = {name: value for name, value in state.items() if name != "gamma"}
    return KernelSolutions(name="gamma", values=state["gamma"], **rest)


def _widths(state: State, make: MakeSolutions) -> tuple[State, Any]:
    names = ("gamma", "C", "problem", "status")
    found = {name: state[name] for name in names} | {"at_breakpoints": state["solutions"]}
    gamma = np.ravel(state["gamma"])
    require(len(gamma) > 0, "gamma")
    values = KernelValues(Gaussian(float(gamma[0])), state["rows"], state["training"])
    check_rows(values.kernel, values.rows, values.training)
    path = {
        "solutions": gamma_solutions(found),
        "classes": state["classes"],
        "accuracy": state["gap"],
        "scores": state["scores"],
    }
    return path, values


EARLIER_PATHS: dict[str, Any] = {
    "NuPath": _by_segments(OneClassSolutions, ONE_CLASS),
    "NuSVRPath": _by_segments(NuSVRSolutions, NU_SVR),
    "NuSVCPath": _nu_svc,
    "KernelPath": _widths,
}
