"""Every loss of every machine, and the problem each of them should have solved."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from mercer import SVC, SVR, Certificate, Gram, NuSVC, NuSVR, OneClassSVM, certify
from mercer import formulations as fm
from mercer.kernels import Constant, Kernel

FloatArray = NDArray[np.float64]
SQUARED_TUBE = "squared_epsilon_insensitive"


@dataclass(frozen=True, eq=False)
class MachineCase:
    """A machine, and its formulation of targets (labels are -1 and +1) and weights."""

    machine: Any
    formulation: Callable[[FloatArray, FloatArray], fm.Formulation]
    targets: Literal["labels", "numbers", "none"]

    def fit(self, X: Any, y: ArrayLike, weight: ArrayLike | None = None, **parameters: Any) -> Any:
        """A fitted copy of the machine; a nu without effect is nothing to be warned of."""
        machine = clone(self.machine).set_params(**parameters)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "nu has no effect", UserWarning)
            return machine.fit(X, y, sample_weight=weight)

    def formulate(self, y: ArrayLike, weight: ArrayLike | None = None) -> fm.Formulation:
        y = np.asarray(y, dtype=np.float64)
        weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "nu has no effect", UserWarning)
            return self.formulation(y, weight)

    def certify(
        self, machine: Any, X: Any, y: ArrayLike, weight: ArrayLike | None = None
    ) -> Certificate:
        """Certificate of the machine's own coefficients, on a Gram and a problem built here."""
        problem = self.formulate(y, weight).problem
        return certify(problem, exact_gram(machine, X), machine.solutions_[0].coef)

    def values(self, machine: Any, X: Any) -> FloatArray:
        """What the machine says of rows, as numbers."""
        return np.asarray(
            machine.predict(X) if self.targets == "numbers" else machine.decision_function(X)
        )


def exact_gram(machine: Any, X: Any) -> Gram:
    """Kernel values in double precision, the penalized bias included."""
    kernel: Kernel = machine.kernel_
    if getattr(machine, "fit_intercept", True) == "penalized":
        kernel = kernel + Constant(1.0)
    return Gram(kernel, X, precision="double", n_threads=1)


def _svc(loss: str, bias: Any = True) -> MachineCase:
    C, delta, tau = 0.7, 0.05, 0.2
    formulations: dict[str, Callable[..., fm.Formulation]] = {
        "squared_error": lambda y, w: fm.least_squares(y, 1 / C, w, fit_intercept=bias),
        "absolute_error": lambda y, w: fm.absolute(y, C, w, fit_intercept=bias),
        "huber": lambda y, w: fm.one_sided_huber(y, C, delta, w, fit_intercept=bias),
        "pinball": lambda y, w: fm.pinball(y, C, tau, w, fit_intercept=bias),
    }
    formulation = formulations.get(
        loss, lambda y, w: fm.svc(y, C, w, loss=loss, fit_intercept=bias)
    )
    machine = SVC(C=C, loss=loss, delta=delta, tau=tau, fit_intercept=bias, n_threads=1)
    return MachineCase(machine, formulation, "labels")


def _svr(loss: str, bias: Any = True) -> MachineCase:
    C, epsilon, tau, delta = 0.9, 0.15, 0.3, 0.25
    formulations: dict[str, Callable[..., fm.Formulation]] = {
        "squared_error": lambda y, w: fm.least_squares(y, 1 / C, w, fit_intercept=bias),
        "absolute_error": lambda y, w: fm.absolute(y, C, w, fit_intercept=bias),
        "quantile": lambda y, w: fm.quantile(y, C, tau, w, fit_intercept=bias),
        "huber": lambda y, w: fm.huber(y, C, delta, w, fit_intercept=bias),
    }
    formulation = formulations.get(
        loss, lambda y, w: fm.svr(y, C, epsilon, w, loss=loss, fit_intercept=bias)
    )
    options = dict(C=C, epsilon=epsilon, quantile=tau, delta=delta, fit_intercept=bias)
    return MachineCase(SVR(loss=loss, n_threads=1, **options), formulation, "numbers")


def _nu_svc(loss: str) -> MachineCase:
    machine = NuSVC(nu=0.3, loss=loss, n_threads=1)
    return MachineCase(machine, lambda y, w: fm.nu_svc(y, 0.3, w, loss=loss), "labels")


def _nu_svr(loss: str, nu: float = 0.2) -> MachineCase:
    def formulation(y: FloatArray, w: FloatArray) -> fm.Formulation:
        return fm.nu_svr(y, 0.8, nu, w, loss=loss)

    return MachineCase(NuSVR(C=0.8, nu=nu, loss=loss, n_threads=1), formulation, "numbers")


def _one_class(loss: str) -> MachineCase:
    squared = loss == "squared_hinge"

    def formulation(y: FloatArray, w: FloatArray) -> fm.Formulation:
        return fm.one_class(len(y), 0.35, w, squared=squared)

    return MachineCase(OneClassSVM(nu=0.35, loss=loss, n_threads=1), formulation, "none")


CASES: dict[str, MachineCase] = {
    "svc": _svc("hinge"),
    "svc-squared": _svc("squared_hinge"),
    "svc-least-squares": _svc("squared_error"),
    "svc-absolute": _svc("absolute_error"),
    "svc-huber": _svc("huber"),
    "svc-pinball": _svc("pinball"),
    "svc-no-bias": _svc("hinge", False),
    "svc-penalized": _svc("hinge", "penalized"),
    "nu-svc": _nu_svc("hinge"),
    "nu-svc-squared": _nu_svc("squared_hinge"),
    "svr": _svr("epsilon_insensitive"),
    "svr-squared": _svr(SQUARED_TUBE),
    "svr-least-squares": _svr("squared_error"),
    "svr-absolute": _svr("absolute_error"),
    "svr-quantile": _svr("quantile"),
    "svr-huber": _svr("huber"),
    "svr-no-bias": _svr("epsilon_insensitive", False),
    "svr-penalized": _svr("squared_error", "penalized"),
    "nu-svr": _nu_svr("epsilon_insensitive"),
    "nu-svr-squared": _nu_svr(SQUARED_TUBE),
    "one-class": _one_class("hinge"),
    "one-class-squared": _one_class("squared_hinge"),
}


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows with labels, targets and whole weights."""

    X: FloatArray
    labels: FloatArray
    numbers: FloatArray
    weight: FloatArray

    def targets(self, case: MachineCase) -> FloatArray:
        return self.numbers if case.targets == "numbers" else self.labels

    def take(self, rows: NDArray[Any]) -> Sample:
        return Sample(self.X[rows], self.labels[rows], self.numbers[rows], self.weight[rows])

    def repeated(self) -> Sample:
        """Every row as often as its weight says."""
        return self.take(np.repeat(np.arange(len(self.X)), self.weight.astype(int)))


def sample(seed: int = 0, n: int = 40, n_features: int = 3) -> Sample:
    """Overlapping classes and a noisy curve; some rows weigh nothing, some are copies."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    X[n // 2 : n // 2 + n // 8] = X[: n // 8]
    labels = np.where(X[:, 0] + 0.7 * rng.normal(size=n) > 0, 1.0, -1.0)
    labels[:2] = 1.0, -1.0
    numbers = np.sin(2 * X[:, 1]) + 0.3 * rng.normal(size=n)
    weight = rng.integers(0, 4, n).astype(np.float64)
    weight[:2] = 2.0
    return Sample(X, labels, numbers, weight)
