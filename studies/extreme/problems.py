"""Random problems of extreme magnitudes for every machine, solver and path.

``problem(seed)`` makes one; the same seed makes the same one. Rows, targets, weights and parameters
have magnitudes from 1e-300 to 1e300, most of them tame, so that it is one or two that are not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

import mercer

__all__ = ["CASES", "ExtremeProblem", "numbers_of", "problem", "solutions_of"]

FloatArray = NDArray[np.float64]
_TAME = 0.75  # share of the magnitudes that are ordinary
_SECONDS = 3.0  # that a path may take
_SOLVERS = ("auto", "smo", "chunked", "active-set")


@dataclass(frozen=True, eq=False)
class ExtremeProblem:
    """What to fit or follow, and how.

    Attributes
    ----------
    case : str
        The name of a machine or path, one of ``CASES``.
    X, y, sample_weight : ndarray or None
        Rows, labels or targets, weights.
    options : dict
        Parameters of the machine or path.
    """

    case: str
    X: FloatArray
    y: NDArray[Any]
    sample_weight: FloatArray | None
    options: dict[str, Any]

    def run(self) -> Any:
        """The fitted machine or the path."""
        return CASES[self.case](self)


def _magnitude(rng: Generator) -> float:
    if rng.random() < _TAME:
        return float(10 ** rng.uniform(-2, 2))
    return float(10 ** rng.uniform(-300, 300))


def _rows(rng: Generator) -> FloatArray:
    n, d = int(rng.integers(4, 90)), int(rng.integers(1, 4))
    kind = rng.integers(5)
    if kind == 0:
        X = rng.integers(-2, 3, (n, d)).astype(float)
    elif kind == 1:
        X = (rng.random((n, d)) > 0.5).astype(float)
    else:
        X = rng.normal(size=(n, d)) + rng.choice([0.0, 1.0, 1e4])
    if kind == 4:  # columns of magnitudes of their own
        return X * [_magnitude(rng) for _ in range(d)]
    return X * _magnitude(rng)


def _weights(rng: Generator, n: int) -> FloatArray | None:
    if rng.random() < 0.5:
        return None
    weights = rng.random(n)
    if rng.random() < 0.3:
        weights = 10 ** rng.uniform(-10, 10, n)
    weights[rng.random(n) < 0.2] = 0.0
    return weights * _magnitude(rng)


def _kernel(rng: Generator) -> dict[str, Any]:
    kind = str(rng.choice(["rbf", "linear", "poly", "sigmoid"], p=[0.4, 0.3, 0.2, 0.1]))
    options: dict[str, Any] = {"kernel": kind, "degree": int(rng.choice([1, 2, 3, 7, 20]))}
    options["gamma"] = "scale" if rng.random() < 0.3 else _magnitude(rng)
    options["coef0"] = float(rng.choice([0.0, 1.0, -1.0, _magnitude(rng)]))
    return options


def _definite(options: dict[str, Any]) -> dict[str, Any]:
    """A path needs a definite kernel."""
    return options if options["kernel"] != "sigmoid" else {**options, "kernel": "rbf"}


def _machine(name: str) -> Callable[[ExtremeProblem], Any]:
    def fit(p: ExtremeProblem) -> Any:
        machine = getattr(mercer, name)(**p.options)
        if name == "OneClassSVM":
            return machine.fit(p.X, sample_weight=p.sample_weight)
        return machine.fit(p.X, p.y, sample_weight=p.sample_weight)

    return fit


def _path(name: str) -> Callable[[ExtremeProblem], Any]:
    def follow(p: ExtremeProblem) -> Any:
        labels = () if name == "one_class_path" else (p.y,)
        return getattr(mercer, name)(p.X, *labels, sample_weight=p.sample_weight, **p.options)

    return follow


_CLASSIFIERS = ("SVC", "NuSVC", "RLSC", "LSSVC", "PathSVC")
_MACHINES = (*_CLASSIFIERS, "SVR", "NuSVR", "OneClassSVM", "LSSVR")
_PATHS = ("svc_path", "svr_path", "one_class_path", "svc_grid", "kernel_path")
CASES: dict[str, Callable[[ExtremeProblem], Any]] = {
    **{name: _machine(name) for name in _MACHINES},
    **{name: _path(name) for name in _PATHS},
}


def _parameters(rng: Generator, case: str) -> dict[str, Any]:
    C = _magnitude(rng)
    if case in ("RLSC", "LSSVC", "LSSVR"):
        kernel = _kernel(rng)
        return {**kernel, "alpha": _magnitude(rng)}
    if case == "kernel_path":
        low = min(_magnitude(rng), 1e290)
        high = low * float(10 ** rng.uniform(0.01, 1.0))
        return {"C": C, "gamma_min": low, "gamma_max": high, "max_time": _SECONDS}
    if case == "svc_grid":
        options = _definite(_kernel(rng))
        options.pop("gamma")
        return {**options, "Cs": [C, _magnitude(rng)], "cv": int(rng.choice([2, 3]))}
    if case in _PATHS:
        options = _definite(_kernel(rng))
        options["max_time"] = _SECONDS
        return options if case == "one_class_path" else {**options, "C_max": C}
    if case == "PathSVC":
        return {**_definite(_kernel(rng)), "C_max": C, "cv": 2, "max_time": _SECONDS}
    return {**_kernel(rng), **_of_support_vector_machine(rng, case, C)}


def _of_support_vector_machine(rng: Generator, case: str, C: float) -> dict[str, Any]:
    options: dict[str, Any] = {
        "solver": str(rng.choice(_SOLVERS)),
        "precision": str(rng.choice(["auto", "single", "double"])),
        "max_iter": 20_000,
    }
    if case in ("SVC", "SVR", "NuSVR"):
        options["C"] = C
    if case == "SVC":
        losses = ["hinge", "squared_hinge", "huber", "squared_error"]
        options["loss"] = str(rng.choice(losses))
    if case == "SVR":
        options["epsilon"] = float(rng.choice([0.0, 0.1, _magnitude(rng)]))
    if case in ("NuSVC", "NuSVR", "OneClassSVM"):
        options["nu"] = float(rng.choice([0.05, 0.3, 0.5, 0.9]))
    return options


def problem(seed: int) -> ExtremeProblem:
    """The problem with this number."""
    rng = np.random.default_rng(seed)
    case = str(rng.choice(list(CASES)))
    X = _rows(rng)
    n = len(X)
    y: NDArray[Any] = rng.integers(0, 2 if case in _PATHS or case == "PathSVC" else 3, n)
    if case in ("SVR", "NuSVR", "LSSVR", "svr_path"):
        y = (rng.normal(size=n) + rng.integers(-3, 4, n)) * _magnitude(rng)
    return ExtremeProblem(case, X, y, _weights(rng, n), _parameters(rng, case))


def solutions_of(result: Any) -> list[Any]:
    """The solutions of a machine or a grid, each with a status; a path is one itself."""
    if hasattr(result, "solutions_"):
        return list(result.solutions_)
    if hasattr(result, "path_"):
        return [result.path_]
    if hasattr(result, "solutions"):
        return [s for s in np.ravel(np.asarray(result.solutions, dtype=object)) if s is not None]
    return [result] if hasattr(result, "status") else []


def numbers_of(result: Any, X: FloatArray) -> list[FloatArray]:
    """What people read off a machine: coefficients, and values at its rows."""
    names = ("dual_coef_", "intercept_", "objective_")
    found = [np.asarray(getattr(result, name)) for name in names if hasattr(result, name)]
    if hasattr(result, "predict") and hasattr(result, "n_features_in_"):
        ask = getattr(result, "decision_function", result.predict)
        found.append(np.asarray(ask(X)))
    return [values.astype(float) for values in found if values.dtype.kind in "fiub"]
