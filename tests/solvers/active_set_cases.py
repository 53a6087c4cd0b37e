"""Small problems of every sort the active-set method takes, hard ones first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import Gram
from mercer import formulations as fm
from mercer.kernels import Gaussian, Kernel, Linear, Polynomial
from mercer.problem import Problem

FloatArray = NDArray[np.float64]
SHAPES = ("general", "lattice", "binary", "duplicates", "shifted", "zero")
ONE_LEVEL = ("svc", "svc-squared", "svc-no-bias", "svr", "one-class", "huber", "quantile")
TWO_GROUPS = ("nu-svc", "nu-svr", "nu-svr-squared", "nearest", "nearest-reduced", "nearest-soft")
FORMULATIONS = (*ONE_LEVEL, *TWO_GROUPS, "mixed")


@dataclass(frozen=True, eq=False)
class Case:
    """Rows, labels, weights and a kernel; ``rng`` goes on where they ended."""

    X: FloatArray
    y: FloatArray
    weight: FloatArray
    kernel: Kernel
    rng: np.random.Generator

    @property
    def gram(self) -> Gram:
        return Gram(self.kernel, self.X, precision="double")

    @property
    def rank(self) -> int:
        return int(np.linalg.matrix_rank(self.gram.block(*[np.arange(len(self.y))] * 2)))


def rows(rng: np.random.Generator, shape: str, n: int, d: int) -> FloatArray:
    X = rng.normal(size=(n, d))
    match shape:
        case "lattice":
            return rng.integers(-2, 3, size=(n, d)).astype(float)
        case "binary":
            return rng.integers(0, 2, size=(n, d)).astype(float)
        case "duplicates":
            return X[rng.integers(0, max(n // 3, 1), size=n)]
        case "shifted":
            return X + 3.0
        case "zero":
            return np.zeros((n, d))
    return X


def random_case(seed: int, max_rows: int = 30) -> Case:
    """Labels may contradict each other and be out of balance; weights may be zero."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, max_rows)), int(rng.integers(1, 4))
    X = rows(rng, SHAPES[seed % len(SHAPES)], n, d)
    y = np.where(rng.random(n) < rng.choice([0.5, 0.2, 0.8]), 1.0, -1.0)
    if seed % 5 < 3:
        # something to learn
        y = np.where(X[:, 0] - X[:, 0].mean() + rng.normal(0.0, 0.5, n) > 0, 1.0, -1.0)
    weight = rng.choice([0.0, 0.5, 1.0, 2.0], size=n) if rng.random() < 0.3 else np.ones(n)
    y[0], y[-1], weight[0], weight[-1] = 1.0, -1.0, 1.0, 1.0
    kernels = (Linear(), Gaussian(10.0 ** rng.integers(-3, 2)), Polynomial(2, 1.0, 1.0))
    return Case(X, y, weight, kernels[rng.integers(3)], rng)


def formulate(case: Case, name: str, C: float) -> fm.Formulation:
    n, w = len(case.y), case.weight
    targets = np.round(case.rng.normal(size=n), 1)
    lightest = min(w[case.y > 0].sum(), w[case.y < 0].sum())
    smaller = min((case.y > 0).sum(), (case.y < 0).sum())
    tube = "squared_epsilon_insensitive"
    makers: dict[str, Any] = {
        "svc": lambda: fm.svc(case.y, C, w),
        "svc-squared": lambda: fm.svc(case.y, C, w, loss="squared_hinge"),
        "svc-no-bias": lambda: fm.svc(case.y, C, w, fit_intercept=False),
        "svr": lambda: fm.svr(targets, C, 0.1, w),
        "one-class": lambda: fm.one_class(n, 0.3, w),
        "huber": lambda: fm.huber(targets, C, 0.3, w),
        "quantile": lambda: fm.quantile(targets, C, 0.3, w),
        # a larger C stands for a smaller nu
        "nu-svc": lambda: fm.nu_svc(case.y, 2 * lightest / w.sum() / (1 + C), w),
        "nu-svr": lambda: fm.nu_svr(targets, C, 0.4, w),
        "nu-svr-squared": lambda: fm.nu_svr(targets, C, 0.4, w, loss=tube),
        "nearest": lambda: fm.nearest_points(case.y),
        "nearest-reduced": lambda: fm.nearest_points(case.y, (1 + C) / smaller),
        "nearest-soft": lambda: fm.nearest_points(case.y, C, soft=True),
        "mixed": lambda: _mixed(case, C),
    }
    return makers[name]()


def _mixed(case: Case, C: float) -> fm.Formulation:
    """Variables of two groups and of none, one of them fixed."""
    whole = fm.svc(case.y, C, case.weight).problem
    group = np.arange(len(case.y)) % 3 - 1
    group[0], lower, upper = -1, whole.lower.copy(), whole.upper.copy()
    lower[0] = upper[0] = 0.5 * C
    sums = [0.25 * (lower + upper)[group == g].sum() for g in range(2)]
    problem = Problem(whole.linear, lower, upper, group=group, group_sum=sums)
    return fm.Formulation(problem, len(case.y), "level")


def slope_noise(problem: Problem, gram: Gram, coef: FloatArray) -> float:
    """Rounding of a gradient: kernel values and coefficients are what they are."""
    size = np.abs(coef).sum() * np.abs(gram.diagonal()).max() + np.abs(problem.linear).max()
    return float(np.finfo(float).eps * size)
