"""Never worse than LIBSVM: dual values at equal tolerance, both computed by ``certify``.

Where LIBSVM gives up, the certified gap of our solution is small nevertheless.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
import sklearn.svm
from libsvm_points import libsvm_point
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_iris,
    load_wine,
)
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import Certificate, Gram, Smo, certify
from mercer import formulations as fm
from mercer.kernels import Precomputed

FloatArray = NDArray[np.float64]
PRICES = (1e-2, 1.0, 1e2, 1e5)
TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Data:
    """Rows, labels -1 and +1, and targets."""

    X: FloatArray
    labels: FloatArray
    targets: FloatArray


def _two_classes(bunch: Any, pair: tuple[int, int], n: int, scale: bool) -> Data:
    rows = np.isin(bunch.target, pair)
    X = StandardScaler().fit_transform(bunch.data[rows]) if scale else bunch.data[rows]
    labels = np.where(bunch.target[rows] == pair[1], 1.0, -1.0)
    step = max(1, len(X) // n)
    return Data(X[::step], labels[::step], X[::step, 0] + labels[::step])


def _diabetes() -> Data:
    X, y = load_diabetes(return_X_y=True)
    targets = (y[::4] - y.mean()) / y.std()
    return Data(20 * X[::4], np.where(targets > 0, 1.0, -1.0), targets)


def _crowded() -> Data:
    """Rows on a small grid, with copies of both labels."""
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, (90, 2)).astype(float)
    labels = np.where(X[:, 0] + rng.integers(-1, 2, 90) > 0, 1.0, -1.0)
    return Data(X, labels, X[:, 0] + rng.integers(-1, 2, 90))


SETS: dict[str, Callable[[], Data]] = {
    "iris": lambda: _two_classes(load_iris(), (1, 2), 100, False),
    "wine": lambda: _two_classes(load_wine(), (0, 1), 70, True),
    "cancer": lambda: _two_classes(load_breast_cancer(), (0, 1), 110, True),
    "digits": lambda: _two_classes(load_digits(), (3, 8), 90, True),
    "diabetes": _diabetes,
    "crowded": _crowded,
}


@cache
def data(name: str) -> Data:
    return SETS[name]()


@dataclass(frozen=True)
class Setting:
    """A machine by name and its own parameters."""

    name: str
    parameters: dict[str, float]

    def targets(self, rows: Data) -> FloatArray:
        return rows.targets if self.name.endswith("SVR") else rows.labels

    def formulate(self, y: FloatArray) -> fm.Formulation:
        build: dict[str, Callable[..., fm.Formulation]] = {
            "SVC": fm.svc,
            "NuSVC": fm.nu_svc,
            "SVR": fm.svr,
            "NuSVR": fm.nu_svr,
            "OneClassSVM": lambda y, nu: fm.one_class(len(y), nu),
        }
        return build[self.name](y, **self.parameters)

    def fit(self, library: Any, X: Any, y: FloatArray, **options: Any) -> Any:
        machine = getattr(library, self.name)(**self.parameters, tol=TOLERANCE, **options)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sklearn.exceptions.ConvergenceWarning)
            return machine.fit(X, y)


def settings(prices: tuple[float, ...]) -> list[Setting]:
    """The five formulations; those without a price at three levels of nu."""
    priced = [Setting("SVC", {"C": C}) for C in prices]
    priced += [Setting("SVR", {"C": C, "epsilon": 0.1}) for C in prices]
    priced += [Setting("NuSVR", {"C": C, "nu": 0.4}) for C in prices]
    shares = [Setting("NuSVC", {"nu": nu}) for nu in (0.02, 0.2, 0.5)]
    return priced + shares + [Setting("OneClassSVM", {"nu": nu}) for nu in (0.02, 0.2, 0.5)]


def certificates(setting: Setting, rows: Data, X: Any, **options: Any) -> list[Certificate]:
    """Of our solution and of LIBSVM's, on the same problem and kernel values."""
    y = setting.targets(rows)
    solver = options.pop("solver", "auto")
    ours = setting.fit(mercer, X, y, solver=solver, n_threads=1, **options)
    theirs = setting.fit(sklearn.svm, X, y, max_iter=100_000, **options)
    problem = setting.formulate(y).problem
    gram = Gram(ours.kernel_, X, precision="double", n_threads=1)
    points = ours.solutions_[0].coef, libsvm_point(theirs, problem, len(y))
    return [certify(problem, gram, point) for point in points]


def assert_not_worse(ours: Certificate, theirs: Certificate) -> None:
    assert ours.infeasibility <= 1e-9 * (1 + abs(ours.objective))
    slack = TOLERANCE * max(abs(theirs.objective), abs(ours.objective))
    assert ours.objective >= theirs.objective - slack
    assert ours.relative_gap is not None
    assert ours.relative_gap <= TOLERANCE


def name_of(value: Any) -> str:
    if not isinstance(value, Setting):
        return str(value)
    return "-".join([value.name, *(f"{k}={v:g}" for k, v in value.parameters.items())])


@pytest.mark.parametrize("setting", settings(PRICES), ids=name_of)
@pytest.mark.parametrize("name", SETS)
def test_rbf(name: str, setting: Setting) -> None:
    rows = data(name)
    assert_not_worse(*certificates(setting, rows, rows.X, kernel="rbf", gamma="scale"))


@pytest.mark.parametrize("setting", settings(PRICES), ids=name_of)
def test_precomputed(setting: Setting) -> None:
    rows = data("cancer")
    K = np.exp(-0.02 * ((rows.X[:, None] - rows.X) ** 2).sum(axis=2))
    assert_not_worse(*certificates(setting, rows, K, kernel="precomputed"))


@pytest.mark.parametrize("setting", settings((1e-2, 1.0)), ids=name_of)
@pytest.mark.parametrize("kernel", ["linear", "poly"])
@pytest.mark.parametrize("name", ["iris", "digits", "diabetes", "crowded"])
def test_linear_and_polynomial(name: str, kernel: str, setting: Setting) -> None:
    rows = data(name)
    assert_not_worse(*certificates(setting, rows, rows.X, kernel=kernel, coef0=1.0))


@pytest.mark.parametrize("setting", settings((1.0, 1e5)), ids=name_of)
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_sparse_rows(kernel: str, setting: Setting) -> None:
    rows = data("digits")
    if kernel == "linear" and setting.parameters.get("C", 1.0) > 1.0:
        return
    X = sparse.csr_matrix(np.where(np.abs(rows.X) > 0.5, rows.X, 0.0))
    assert_not_worse(*certificates(setting, rows, X, kernel=kernel))


@pytest.mark.parametrize("setting", settings((1e2, 1e5)), ids=name_of)
@pytest.mark.parametrize("kernel", ["linear", "poly"])
@pytest.mark.parametrize("name", ["iris", "cancer", "diabetes"])
def test_where_libsvm_gives_up(name: str, kernel: str, setting: Setting) -> None:
    """It is stopped after as many steps as are needed elsewhere a hundred times over."""
    rows, solver = data(name), Smo(stopping="gap")
    options = {"kernel": kernel, "coef0": 1.0, "solver": solver}
    assert_not_worse(*certificates(setting, rows, rows.X, **options))


@pytest.mark.parametrize("setting", settings((1.0, 1e2)), ids=name_of)
@pytest.mark.parametrize("selection", ["second-order", "most-violating"])
def test_both_selections(selection: Any, setting: Setting) -> None:
    rows = data("crowded")
    solver = Smo(selection=selection, refine=False)
    ours, theirs = certificates(setting, rows, rows.X, kernel="rbf", gamma=0.5, solver=solver)
    assert ours.objective >= theirs.objective - TOLERANCE * abs(theirs.objective)
    assert ours.violation <= TOLERANCE


def test_single_precision_values() -> None:
    """Kernel values as LIBSVM's cache holds them; the certificate is in double precision."""
    rows = data("cancer")
    for setting in settings((1.0, 1e2)):
        y = setting.targets(rows)
        ours = setting.fit(mercer, rows.X, y, precision="single", n_threads=1)
        problem = setting.formulate(y).problem
        gram = Gram(ours.kernel_, rows.X, precision="double", n_threads=1)
        certificate = certify(problem, gram, ours.solutions_[0].coef)
        assert certificate.violation <= TOLERANCE


def test_kernel_matrix_as_precomputed_object() -> None:
    rows = data("iris")
    K = rows.X @ rows.X.T
    setting = Setting("SVC", {"C": 1.0})
    ours = setting.fit(mercer, K, rows.labels, kernel=Precomputed())
    theirs = setting.fit(sklearn.svm, K, rows.labels, kernel="precomputed")
    np.testing.assert_allclose(ours.decision_function(K), theirs.decision_function(K), atol=1e-4)
