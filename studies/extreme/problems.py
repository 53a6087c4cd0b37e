"""Random problems at the edges of double precision: a number makes a problem, the same anywhere.

Rows, targets, weights and parameters have magnitudes from 1e-300 to 1e300, some of them all at
once, with duplicates, ties, constant columns, zero weights and as few as two rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import mercer
from mercer.lab import Osuna, Platt, SvmFu, SvmLight
from mercer.solvers.smo import PlanningAhead

__all__ = ["ExtremeProblem", "draw"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class ExtremeProblem:
    """Data and a machine or path, by name and parameters."""

    seed: int
    name: str
    parameters: dict[str, Any]
    X: FloatArray
    labels: NDArray[np.int64]
    numbers: FloatArray
    weight: FloatArray | None
    new: FloatArray

    @property
    def is_default(self) -> bool:
        """Whether the solver is mercer's choice."""
        return self.parameters.get("solver", "auto") == "auto"


MACHINES = ["SVC", "SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "RLSC", "LSSVC", "LSSVR"]
PATHS = ["svc_path", "svr_path", "one_class_path", "PathSVC", "kernel_path", "svc_grid"]
LOSSES = {
    "SVC": ["hinge", "squared_hinge", "squared_error", "absolute_error", "huber"],
    "SVR": [
        *("epsilon_insensitive", "squared_epsilon_insensitive", "squared_error"),
        *("absolute_error", "quantile", "huber"),
    ],
    "NuSVC": ["hinge", "squared_hinge"],
    "NuSVR": ["epsilon_insensitive", "squared_epsilon_insensitive"],
    "OneClassSVM": ["hinge", "squared_hinge"],
}


def draw(seed: int) -> ExtremeProblem:
    """The problem of a number."""
    rng = np.random.default_rng([20_000, seed])
    wild = rng.random() < 0.5
    X = _rows(rng, wild)
    n = len(X)
    labels = rng.integers(0, 3 if rng.random() < 0.15 else 2, n)
    labels[: min(n, 3)] = np.arange(min(n, 3)) % (labels.max(initial=1) + 1)
    numbers = _magnitude(rng, wild) * rng.integers(-5, 6, n) + rng.choice([0.0, 1.0])
    name = str(rng.choice(PATHS if rng.random() < 0.3 else MACHINES))
    return ExtremeProblem(
        seed=seed,
        name=name,
        parameters=_parameters(name, rng, wild, X.shape[1]),
        X=X,
        labels=labels,
        numbers=numbers,
        weight=_weight(rng, wild, n),
        new=np.vstack([X[:3], X[:3] * rng.choice([1.5, -1.0, 1e3])]),
    )


def _magnitude(rng: np.random.Generator, wild: bool) -> float:
    """Mostly tame, at times anything that a double holds."""
    reach = rng.choice([0.0, 3.0, 10.0, 300.0 if wild else 10.0], p=[0.3, 0.3, 0.2, 0.2])
    return float(10.0 ** rng.uniform(-reach, reach))


def _rows(rng: np.random.Generator, wild: bool) -> FloatArray:
    n, d = int(rng.integers(2, 60)), int(rng.integers(1, 6))
    kind = rng.integers(4)
    X = rng.normal(size=(n, d)) if kind < 2 else rng.integers(-2, 3, (n, d)).astype(float)
    if kind == 3:
        X = (X > 0).astype(float)
    if rng.random() < 0.3:
        X = X[rng.integers(0, n, n)]  # duplicates
    with np.errstate(all="ignore"):
        X = X * _magnitude(rng, wild)
        if rng.random() < 0.2:
            X[:, 0] = X[:, 0] * _magnitude(rng, wild)
        if rng.random() < 0.2:
            X = X + _magnitude(rng, wild)
        if rng.random() < 0.1:
            X[0] = X[0] * _magnitude(rng, wild)
    return np.clip(np.nan_to_num(X), -1e300, 1e300)


def _weight(rng: np.random.Generator, wild: bool, n: int) -> FloatArray | None:
    kind = rng.integers(5)
    if kind < 2:
        return None
    weight = rng.random(n) if kind < 4 else rng.integers(0, 3, n).astype(float)
    if rng.random() < 0.2:
        weight[0] *= _magnitude(rng, wild)
    return np.minimum(weight * (_magnitude(rng, wild) if kind > 2 else 1.0), 1e300)


def _parameters(name: str, rng: np.random.Generator, wild: bool, d: int) -> dict[str, Any]:
    chosen: dict[str, Any] = _kernel(name, rng, wild)
    if name in LOSSES:
        chosen["loss"] = str(rng.choice(LOSSES[name])) if rng.random() < 0.5 else LOSSES[name][0]
        chosen["precision"] = str(rng.choice(["auto", "single", "double"]))
        chosen["solver"] = _solver(rng)
    if name in ("SVC", "SVR", "NuSVR", "kernel_path"):
        chosen["C"] = _magnitude(rng, wild)
    if name in ("NuSVC", "NuSVR", "OneClassSVM"):
        chosen["nu"] = float(rng.choice([0.5, 0.1, 0.01, 0.9]))
    if name in ("SVR", "svr_path"):
        chosen["epsilon"] = float(rng.choice([0.0, 0.1, _magnitude(rng, wild)]))
    if name in ("SVC", "SVR", "LSSVC", "LSSVR"):
        chosen["fit_intercept"] = [True, False, "penalized"][rng.choice(3, p=[0.7, 0.2, 0.1])]
    if name in ("RLSC", "LSSVC", "LSSVR"):
        chosen["alpha"] = _magnitude(rng, wild)
        chosen["solver"] = str(rng.choice(["auto", "direct", "cg", "eigen"]))
    if name == "PathSVC":
        chosen["cv"] = 2
    if name == "kernel_path":
        width = _magnitude(rng, wild)
        chosen.update(gamma_min=width, gamma_max=10 * width)
    if name == "svc_grid":
        price, width = _magnitude(rng, wild), _magnitude(rng, wild)
        chosen.update(Cs=[price, 10 * price], gammas=[width, 3 * width], cv=2)
    return chosen


def _kernel(name: str, rng: np.random.Generator, wild: bool) -> dict[str, Any]:
    if name in ("kernel_path", "svc_grid"):
        return {}
    kernel = str(rng.choice(["rbf", "linear", "poly", "sigmoid", "laplacian"], p=_KERNEL_SHARES))
    chosen: dict[str, Any] = {"kernel": kernel}
    if kernel == "poly":
        chosen["degree"] = int(rng.choice([1, 2, 3, 5, 20]))
    if kernel in ("poly", "sigmoid"):
        chosen["coef0"] = float(rng.choice([0.0, 1.0, _magnitude(rng, wild)]))
    if kernel != "linear" and rng.random() < 0.6:
        chosen["gamma"] = _magnitude(rng, wild)
    return chosen


_KERNEL_SHARES = [0.4, 0.25, 0.15, 0.1, 0.1]


def _solver(rng: np.random.Generator) -> Any:
    """The default in two of three problems."""
    if rng.random() < 0.65:
        return "auto"
    others = [
        "smo",
        "chunked",
        "active-set",
        mercer.Smo(selection="most-violating", refine=False),
        mercer.Smo(step=PlanningAhead(2)),
        mercer.Chunked(chunk_size=8),
        Platt(),
        Osuna(),
        SvmLight(),
        SvmFu(),
    ]
    return others[rng.integers(len(others))]
