"""One small data set and every formulation on it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer import formulations as fm
from mercer.problem import Solution, certify
from reference import DenseGram, as_solution, smo, solve_qp

FloatArray = NDArray[np.float64]
SQUARED_TUBE = "squared_epsilon_insensitive"


@dataclass(frozen=True, eq=False)
class Data:
    """Rows in feature space, labels, targets and weights of them."""

    features: FloatArray
    labels: FloatArray
    targets: FloatArray
    weight: FloatArray | None

    @property
    def n(self) -> int:
        return len(self.labels)

    @property
    def nu(self) -> float:
        """Four fifths of the largest nu a nu-SVC allows."""
        w = np.ones(self.n) if self.weight is None else self.weight
        return 1.6 * min(w[self.labels > 0].sum(), w[self.labels < 0].sum()) / w.sum()

    @property
    def mu(self) -> float:
        """Not much more than reduced hulls of the two classes need."""
        return 1.5 / min((self.labels > 0).sum(), (self.labels < 0).sum())

    @property
    def K(self) -> FloatArray:
        return self.features @ self.features.T

    @property
    def gram(self) -> DenseGram:
        return DenseGram(self.K)

    def take(self, rows: NDArray[np.intp], weight: FloatArray) -> Data:
        return Data(self.features[rows], self.labels[rows], self.targets[rows], weight)

    def repeated(self) -> Data:
        """Every row as often as its (integer) weight says, of weight 1."""
        rows = np.repeat(np.arange(self.n), self.weight.astype(int))
        return self.take(rows, np.ones(len(rows)))


def sample(seed: int = 0, n: int = 20, noise: float = 0.8, weights: tuple[int, ...] = (1,)) -> Data:
    """Overlapping classes and a noisy curve in five random features."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, 5))
    # away from the origin, or the one-class machines have nothing to learn
    features[:, 4] = 2.0 + 0.5 * features[:, 4]
    labels = np.where(features[:, 0] + noise * rng.normal(size=n) > 0, 1.0, -1.0)
    labels[:2] = 1.0, -1.0
    targets = np.sin(2 * features[:, 1]) + 0.2 * rng.normal(size=n)
    weight = rng.choice(weights, size=n).astype(float)
    weight[:2] = max(weights)
    return Data(features, labels, targets, weight)


def separable(seed: int = 0, n: int = 20) -> Data:
    """Classes with a margin."""
    data = sample(seed, n)
    features = data.features.copy()
    features[:, 0] = data.labels * (0.5 + np.abs(features[:, 0]))
    return Data(features, data.labels, data.targets, data.weight)


def _squared_nu_svc(d: Data) -> fm.Formulation:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return fm.nu_svc(d.labels, 0.3, d.weight, loss="squared_hinge")


WEIGHTED: dict[str, Callable[[Data], fm.Formulation]] = {
    "svc": lambda d: fm.svc(d.labels, 0.7, d.weight),
    "svc-squared": lambda d: fm.svc(d.labels, 0.7, d.weight, loss="squared_hinge"),
    "svc-no-bias": lambda d: fm.svc(d.labels, 0.7, d.weight, fit_intercept=False),
    "nu-svc": lambda d: fm.nu_svc(d.labels, d.nu, d.weight),
    "nu-svc-squared": _squared_nu_svc,
    "pinball": lambda d: fm.pinball(d.labels, 0.7, 0.3, d.weight),
    "one-sided-huber": lambda d: fm.one_sided_huber(d.labels, 2.0, 0.4, d.weight),
    "one-class": lambda d: fm.one_class(d.n, 0.4, d.weight),
    "one-class-squared": lambda d: fm.one_class(d.n, 0.4, d.weight, squared=True),
    "svr": lambda d: fm.svr(d.targets, 0.6, 0.2, d.weight),
    "svr-squared": lambda d: fm.svr(d.targets, 0.6, 0.2, d.weight, loss=SQUARED_TUBE),
    "svr-no-bias": lambda d: fm.svr(d.targets, 0.6, 0.2, d.weight, fit_intercept=False),
    "nu-svr": lambda d: fm.nu_svr(d.targets, 0.6, 0.4, d.weight),
    "nu-svr-squared": lambda d: fm.nu_svr(d.targets, 0.6, 0.2, d.weight, loss=SQUARED_TUBE),
    "quantile": lambda d: fm.quantile(d.targets, 0.9, 0.3, d.weight),
    "absolute": lambda d: fm.absolute(d.targets, 0.9, d.weight),
    "huber": lambda d: fm.huber(d.targets, 0.9, 0.3, d.weight),
    "huber-below": lambda d: fm.huber(d.targets, 0.9, (0.3, np.inf), d.weight),
    "least-squares": lambda d: fm.least_squares(d.targets, 0.5, d.weight),
    "least-squares-no-bias": lambda d: fm.least_squares(
        d.targets, 0.5, d.weight, fit_intercept=False
    ),
}
HULLS: dict[str, Callable[[Data], fm.Formulation]] = {
    "nearest-reduced": lambda d: fm.nearest_points(d.labels, d.mu),
    "nearest": lambda d: fm.nearest_points(d.labels),
    "nearest-soft": lambda d: fm.nearest_points(d.labels, 0.3, soft=True),
    "norm-reduced": lambda d: fm.minimum_norm(d.n, 0.2),
    "norm": lambda d: fm.minimum_norm(d.n),
    "ball": lambda d: fm.enclosing_ball(np.diagonal(d.K)),
}
ALL = WEIGHTED | HULLS


def solved(formulation: fm.Formulation, data: Data) -> Solution:
    """The optimum with every bound met exactly, by the reference SMO."""
    point = smo(formulation.problem, data.K, tol=1e-10)
    return as_solution(formulation.problem, data.gram, point.coef)


def optimum(formulation: fm.Formulation, data: Data) -> float:
    """The optimal value, by the interior point method."""
    coef = solve_qp(formulation.problem, data.K)
    return certify(formulation.problem, data.gram, coef).objective


def machine(formulation: fm.Formulation, data: Data) -> fm.FittedParameters:
    return formulation.fitted_parameters(solved(formulation, data))


def decision(fitted: fm.FittedParameters, data: Data) -> FloatArray:
    """f of the training rows."""
    return data.K @ fitted.coef + fitted.intercept
