"""Never worse than LIBSVM: dual values at equal tolerance, both computed by ``certify``.

Where LIBSVM gives up, the certified gap of our solution is small nevertheless.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args

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
from mercer.problem import Status

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


def with_C(Cs: tuple[float, ...]) -> list[Setting]:
    """The three formulations with C."""
    return [
        *(Setting("SVC", {"C": C}) for C in Cs),
        *(Setting("SVR", {"C": C, "epsilon": 0.1}) for C in Cs),
        *(Setting("NuSVR", {"C": C, "nu": 0.4}) for C in Cs),
    ]


def settings(Cs: tuple[float, ...]) -> list[Setting]:
    """The five formulations; those without C at three levels of nu."""
    shares = (0.02, 0.2, 0.5)
    return [
        *with_C(Cs),
        *(Setting("NuSVC", {"nu": nu}) for nu in shares),
        *(Setting("OneClassSVM", {"nu": nu}) for nu in shares),
    ]


@dataclass(frozen=True, eq=False)
class Comparison:
    """The certificates of both solutions of one problem, and the unit of its values.

    Values are relative. Where hulls overlap the optimum of a nu machine is 0, and values are
    relative to a millionth of what its coefficients could make of the kernel.
    """

    ours: Certificate
    theirs: Certificate
    unit: float

    def assert_not_worse(self) -> None:
        assert self.ours.objective >= self.theirs.objective - TOLERANCE * self.unit

    def assert_optimal(self) -> None:
        self.assert_not_worse()
        assert self.ours.gap is not None
        assert self.ours.gap <= TOLERANCE * self.unit


def compare(
    setting: Setting,
    rows: Data,
    X: Any,
    solver: Any = "auto",
    libsvm_steps: int = 100_000,
    **kernel: Any,
) -> Comparison:
    """Fit both, LIBSVM with a bound on its steps, and certify both on the same problem.

    The bound only saves time: a certified gap holds against every point.
    """
    y = setting.targets(rows)
    ours = setting.fit(mercer, X, y, solver=solver, n_threads=1, **kernel)
    theirs = setting.fit(sklearn.svm, X, y, max_iter=libsvm_steps, **kernel)
    problem = setting.formulate(y).problem
    gram = Gram(ours.kernel_, X, precision="double", n_threads=1)
    points = ours.solutions_[0].coef, libsvm_point(theirs, problem, len(y))
    certificates = [certify(problem, gram, point) for point in points]
    size = np.abs(points[0]).sum() + np.abs(problem.group_sum).sum()
    assert certificates[0].infeasibility <= 1e-12 * size
    reach = size**2 * np.abs(gram.diagonal()).max()
    unit = max(abs(certificates[0].objective), 0.0 if problem.linear.any() else 1e-6 * reach)
    return Comparison(*certificates, unit)


def name_of(value: Any) -> str:
    if not isinstance(value, Setting):
        return str(value)
    return "-".join([value.name, *(f"{k}={v:g}" for k, v in value.parameters.items())])


@pytest.mark.parametrize("setting", settings(PRICES), ids=name_of)
@pytest.mark.parametrize("name", SETS)
def test_rbf(name: str, setting: Setting) -> None:
    rows = data(name)
    compare(setting, rows, rows.X, kernel="rbf", gamma="scale").assert_optimal()


@pytest.mark.parametrize("setting", settings(PRICES), ids=name_of)
def test_precomputed(setting: Setting) -> None:
    rows = data("wine")
    K = np.exp(-0.05 * ((rows.X[:, None] - rows.X) ** 2).sum(axis=2))
    compare(setting, rows, K, kernel="precomputed").assert_optimal()


@pytest.mark.parametrize("setting", settings((1e-2, 1.0)), ids=name_of)
@pytest.mark.parametrize("kernel", ["linear", "poly"])
@pytest.mark.parametrize("name", SETS)
def test_linear_and_polynomial(name: str, kernel: str, setting: Setting) -> None:
    rows = data(name)
    compare(setting, rows, rows.X, kernel=kernel, coef0=1.0).assert_optimal()


@pytest.mark.parametrize("setting", settings(PRICES), ids=name_of)
def test_sparse_rows(setting: Setting) -> None:
    rows = data("digits")
    X = sparse.csr_matrix(np.where(np.abs(rows.X) > 0.5, rows.X, 0.0))
    compare(setting, rows, X, kernel="rbf", gamma=0.01).assert_optimal()


@pytest.mark.parametrize("setting", settings((1e-2, 1.0)), ids=name_of)
@pytest.mark.parametrize("kernel", ["linear", "poly"])
def test_sparse_rows_and_a_linear_or_polynomial_kernel(kernel: str, setting: Setting) -> None:
    rows = data("digits")
    X = sparse.csr_matrix(np.where(np.abs(rows.X) > 0.5, rows.X, 0.0))
    compare(setting, rows, X, kernel=kernel, coef0=1.0).assert_optimal()


@pytest.mark.parametrize("setting", with_C((1e2, 1e5)), ids=name_of)
@pytest.mark.parametrize("kernel", ["linear", "poly"])
@pytest.mark.parametrize("name", SETS)
def test_where_libsvm_may_give_up(name: str, kernel: str, setting: Setting) -> None:
    rows = data(name)
    comparison = compare(setting, rows, rows.X, kernel=kernel, coef0=1.0, libsvm_steps=20_000)
    comparison.assert_optimal()


UNSCALED = {"wine": load_wine, "cancer": load_breast_cancer}


@pytest.mark.parametrize("name", UNSCALED)
def test_where_libsvm_gives_up(name: str) -> None:
    """Features of wild sizes: it is not done after 20,000 steps, nor by far."""
    rows = _two_classes(UNSCALED[name](), (0, 1), 110, False)
    for setting in with_C((1.0, 1e2, 1e5)):
        comparison = compare(setting, rows, rows.X, kernel="linear", libsvm_steps=20_000)
        comparison.assert_optimal()
        assert comparison.theirs.relative_gap is not None
        assert comparison.theirs.relative_gap > TOLERANCE


@pytest.mark.parametrize(
    ("setting", "store"),
    list(zip(with_C((1e5,)), (np.asarray, sparse.csr_matrix, np.asarray), strict=True)),
    ids=name_of,
)
def test_a_whole_set_as_it_comes(setting: Setting, store: Any) -> None:
    """Kernel values of 1e7 and coefficients of 1e5: the slopes have no digits in double."""
    rows = _two_classes(load_breast_cancer(), (0, 1), 569, False)
    comparison = compare(setting, rows, store(rows.X), kernel="linear", libsvm_steps=2_000)
    comparison.assert_optimal()


@pytest.mark.parametrize("kernel", ["linear", "poly"])
@pytest.mark.parametrize("name", UNSCALED)
def test_five_formulations_of_rows_as_they_come(name: str, kernel: str) -> None:
    rows = _two_classes(UNSCALED[name](), (0, 1), 60, False)
    for setting in settings((1e-2, 1e5)):
        comparison = compare(setting, rows, rows.X, kernel=kernel, libsvm_steps=2_000)
        comparison.assert_optimal()


@pytest.mark.parametrize("setting", settings((1.0, 1e2)), ids=name_of)
@pytest.mark.parametrize("selection", ["second-order", "most-violating"])
def test_both_selections(selection: Any, setting: Setting) -> None:
    """Pair steps alone, without a Newton step to help them."""
    rows, solver = data("crowded"), Smo(selection=selection, refine=False)
    compare(setting, rows, rows.X, solver, kernel="rbf", gamma=0.5).assert_not_worse()


@pytest.mark.parametrize("setting", settings((1.0, 1e2)), ids=name_of)
def test_single_precision_values(setting: Setting) -> None:
    """Kernel values as LIBSVM's cache holds them; the certificate is in double precision."""
    rows = data("cancer")
    y = setting.targets(rows)
    ours = setting.fit(mercer, rows.X, y, precision="single", n_threads=1)
    gram = Gram(ours.kernel_, rows.X, precision="double", n_threads=1)
    certificate = certify(setting.formulate(y).problem, gram, ours.solutions_[0].coef)
    assert ours.solutions_[0].status == "converged"
    assert certificate.violation <= TOLERANCE


@pytest.mark.parametrize("setting", settings((1e-2, 1e2, 1e5)), ids=name_of)
def test_an_indefinite_kernel_ends_with_a_status(setting: Setting) -> None:
    rows = data("crowded")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        machine = setting.fit(
            mercer, rows.X, setting.targets(rows), kernel="sigmoid", gamma=1.0, coef0=-1.0
        )
    assert machine.solutions_[0].status in get_args(Status)
    assert np.isfinite(machine.solutions_[0].objective)
