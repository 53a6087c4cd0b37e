"""Kernels of every sort in a machine: objects, scikit-learn's, functions of anything."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.gaussian_process import kernels as process

from machines.machine_cases import sample
from mercer import (
    LSSVC,
    LSSVR,
    RLSC,
    SVC,
    SVR,
    HullClassifier,
    LowRank,
    NuSVC,
    OneClassSVM,
    OnlineSVC,
    PathSVC,
    ReducedSVC,
    certify,
    svc_path,
)
from mercer import formulations as fm
from mercer.kernels import (
    Constant,
    FunctionKernel,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Normalized,
    Polynomial,
    Precomputed,
    Product,
    Scaled,
    Sigmoid,
    SklearnKernel,
    Sum,
)
from mercer.selection.space import Space
from mercer.selection.training_task import TrainingTask
from reference import DenseGram

FULL = np.array([[1.0, 0.2, 0.0], [0.2, 0.5, 0.1], [0.0, 0.1, 0.3]])
KERNELS: dict[str, Any] = {
    "gaussian": Gaussian(0.3),
    "scale": Gaussian("scale"),
    "median": Gaussian("median"),
    "diagonal metric": Gaussian([0.1, 0.2, 0.3]),
    "full metric": Gaussian(FULL),
    "metric of one number": Gaussian(0.3, metric="full"),
    "laplacian": Laplacian(0.2),
    "linear": Linear(),
    "polynomial": Polynomial(degree=3, gamma=0.5, coef0=1.0),
    "normalized": Normalized(Polynomial(degree=2, gamma="scale", coef0=1.0)),
    "sum": Sum(Linear(), Gaussian(0.3)),
    "product": Product(Polynomial(degree=2, gamma=1.0, coef0=1.0), Gaussian(0.1)),
    "scaled": Scaled(Gaussian(0.3), 4.0),
    "constant": Linear() + Constant(2.0),
    "function": FunctionKernel(lambda a, b: np.exp(-0.2 * np.abs(a[:, None] - b).sum(axis=2))),
    "process": process.RBF(1.5) + process.ConstantKernel(0.5),
    "matern": process.Matern(length_scale=[1.0, 2.0, 3.0], nu=1.5),
    "adapted": SklearnKernel(process.RationalQuadratic()),
}


def values(kernel: Any, X: Any) -> Any:
    """The matrix of a resolved kernel, without the native core."""
    return kernel(X)


@pytest.mark.parametrize("name", KERNELS)
def test_certified_on_values_computed_apart(name: str) -> None:
    data = sample()
    machine = SVC(kernel=clone(KERNELS[name], safe=False)).fit(data.X, data.labels)
    K = values(machine.kernel_, data.X)
    problem = fm.svc(data.labels, 1.0).problem
    certificate = certify(problem, DenseGram(K), machine.solutions_[0].coef)
    assert certificate.violation <= 1e-7
    assert certificate.relative_gap is not None
    assert certificate.relative_gap <= 1e-7
    decisions = K[:, machine.support_] @ machine.dual_coef_[0] + machine.intercept_
    np.testing.assert_allclose(machine.decision_function(data.X), decisions, atol=1e-9)


@pytest.mark.parametrize("name", [name for name in KERNELS if name != "function"])
def test_parameters_of_a_kernel_are_the_machines(name: str) -> None:
    """get_params and clone reach into kernels, as grid searches need."""
    machine = clone(SVC(kernel=KERNELS[name]))
    assert machine.get_params()["kernel"] == KERNELS[name]


def test_a_grid_reaches_the_parameters_of_a_kernel() -> None:
    data = sample()
    machine = SVC(kernel=Gaussian(1.0)).set_params(kernel__gamma=0.25)
    assert machine.fit(data.X, data.labels).kernel_ == Gaussian(0.25)


@pytest.mark.parametrize("name", ["poly", "rbf", "laplacian", "linear"])
def test_names_are_objects(name: str) -> None:
    data = sample()
    objects: dict[str, Kernel] = {
        "poly": Polynomial(degree=2, gamma=0.5, coef0=1.0),
        "rbf": Gaussian(0.5),
        "laplacian": Laplacian(0.5),
        "linear": Linear(),
    }
    one = SVC(kernel=name, gamma=0.5, degree=2, coef0=1.0).fit(data.X, data.labels)
    other = SVC(kernel=objects[name]).fit(data.X, data.labels)
    assert one.objective_ == other.objective_


@pytest.mark.parametrize("kernel", [Sigmoid(0.5, 0.1), "sigmoid"])
def test_sigmoid_is_fitted_with_a_warning(kernel: Any) -> None:
    data = sample()
    with pytest.warns(UserWarning, match="not positive semi-definite"):
        machine = SVC(kernel=kernel).fit(data.X, data.labels)
    assert machine.dual_gap_ is None
    assert machine.violation_ <= machine.tol


@pytest.mark.parametrize("kernel", [2.0 * Precomputed(), Precomputed() + 1.0])
def test_combinations_of_stored_matrices(kernel: Any) -> None:
    data = sample()
    K = data.X @ data.X.T
    machine = SVC(kernel=kernel).fit(K, data.labels)
    plain = SVC(kernel="precomputed").fit(kernel(K), data.labels)
    assert machine.objective_ == pytest.approx(plain.objective_, rel=1e-9)
    expected = plain.decision_function(kernel(K))
    np.testing.assert_allclose(machine.decision_function(K), expected, atol=1e-9)


WORDS = ["kernel", "colonel", "corner", "vector", "victor", "sector", "margin", "virgin"] * 4
SPOKEN = np.array([0, 0, 0, 1, 1, 1, 2, 2] * 4)


def common_letters(left: Any, right: Any) -> Any:
    """How many letters two words share: an inner product of indicators."""
    return [[len(set(a) & set(b)) for b in right] for a in left]


@pytest.mark.parametrize(
    "kernel",
    [
        common_letters,
        FunctionKernel(common_letters),
        Normalized(FunctionKernel(common_letters)),
        FunctionKernel(common_letters) + 1.0,
        2.0 * FunctionKernel(common_letters, diagonal=lambda rows: [len(set(w)) for w in rows]),
    ],
    ids=["function", "object", "normalized", "sum", "scaled"],
)
def test_texts(kernel: Any) -> None:
    machine = SVC(kernel=kernel, C=10.0).fit(WORDS, SPOKEN)
    assert (machine.predict(WORDS) == SPOKEN).all()
    assert all(isinstance(word, str) for word in machine.support_vectors_)
    assert SVR(kernel=kernel).fit(WORDS, SPOKEN).predict(["vexed"]).shape == (1,)
    assert OneClassSVM(kernel=kernel).fit(WORDS).predict(["vector"]).shape == (1,)


def test_functions_see_support_vectors_only() -> None:
    """New rows first, then support vectors; never the whole training set again."""
    data = sample(0, 200)
    asked: list[tuple[int, int]] = []

    def watched(left: Any, right: Any) -> Any:
        asked.append((len(left), len(right)))
        return left @ right.T

    machine = SVC(kernel=watched).fit(data.X, data.labels)
    asked.clear()
    machine.predict(data.X[:7])
    n_support = len(machine.support_)
    assert n_support < 200
    assert sum(m for n, m in asked if n == 7 and m != 7) == n_support


def test_functions_of_sparse_rows() -> None:
    data = sample()
    X = sparse.csr_matrix(data.X)
    machine = SVC(kernel=lambda a, b: a @ b.T).fit(X, data.labels)
    plain = SVC(kernel="linear").fit(data.X, data.labels)
    assert machine.objective_ == pytest.approx(plain.objective_, rel=1e-9)
    np.testing.assert_array_equal(machine.predict(X), plain.predict(data.X))


FUNCTIONS: dict[str, tuple[Any, type[Exception], str]] = {
    "wrong shape": (
        lambda a, b: np.ones((3, 3)),
        ValueError,
        r"of shape \(\d+, \d+\), got \(3, 3\)",
    ),
    "a number": (lambda a, b: 1.0, ValueError, r"of shape \(\d+, \d+\), got \(\)"),
    "words": (lambda a, b: [["x"] * len(b)] * len(a), ValueError, "real numbers of shape"),
    "NaN": (lambda a, b: np.full((len(a), len(b)), np.nan), ValueError, "not finite"),
    "error": (lambda a, b: {}["missing"], KeyError, "missing"),
    "one argument": (lambda a: a, TypeError, "positional argument"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_that_fail(name: str) -> None:
    function, kind, message = FUNCTIONS[name]
    with pytest.raises(kind, match=message):
        SVC(kernel=function).fit(sample().X, sample().labels)


def test_functions_that_fail_late() -> None:
    """In the middle of a fit whose cache has room for some rows, and of a prediction."""
    data, calls = sample(), [0, 10**9]

    def failing(left: Any, right: Any) -> Any:
        calls[0] += 1
        if calls[0] > calls[1]:
            raise RuntimeError("enough")
        return left @ right.T

    machine = SVC(kernel=failing, cache_size=1e-3).fit(data.X, data.labels)
    expected, last = machine.predict(data.X), calls[0]
    calls[:] = [0, last // 2]
    with pytest.raises(RuntimeError, match="enough"):
        machine.fit(data.X, data.labels)
    calls[:] = [0, 0]
    with pytest.raises(RuntimeError, match="enough"):
        machine.predict(data.X)
    calls[:] = [0, 10**9]
    assert (machine.fit(data.X, data.labels).predict(data.X) == expected).all()


@pytest.mark.parametrize(
    ("rows", "kind", "message"),
    [
        (None, TypeError, "X must be an array, a sparse matrix or a sequence of rows, got None"),
        (5, TypeError, "got 5"),
        ([], ValueError, "X must have at least one row, got 0"),
        (["a"], ValueError, r"equal lengths, got 1 rows and y of shape \(2,\)"),
    ],
)
def test_objects_that_are_no_rows(rows: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        SVC(kernel=common_letters).fit(rows, [0, 1])


def test_a_share_that_is_not_feasible_costs_no_kernel_value() -> None:
    def never(left: Any, right: Any) -> Any:
        raise AssertionError("asked for a kernel value")

    y = [0] * 2 + [1] * 18
    with pytest.raises(ValueError, match=r"nu must lie in \(0.0, 0.2\], got 0.5"):
        NuSVC(nu=0.5, kernel=never).fit(np.zeros((20, 1)), y)
    weight = np.where(np.array(y) == 0, 3.0, 1.0)
    with pytest.raises(ValueError, match=r"nu must lie in \(0.0, 0.5\d*\], got 0.9"):
        NuSVC(nu=0.9, kernel=never).fit(np.zeros((20, 1)), y, sample_weight=weight)


@pytest.mark.parametrize(
    "machine",
    [
        *(SVC(), NuSVC(nu=0.3), SVR(), OneClassSVM(), RLSC(), LSSVC(), LSSVR(), ReducedSVC()),
        *(OnlineSVC(), PathSVC(cv=2), HullClassifier(), LowRank(5)),
    ],
    ids=lambda machine: type(machine).__name__,
)
def test_a_gamma_beside_a_kernel_object_is_not_ignored_in_silence(machine: Any) -> None:
    X = sample(n=20).X
    y = np.arange(20) % 2
    machine.set_params(kernel=Gaussian(0.1))
    clone(machine).fit(X, y)
    for name, value in (("gamma", 3.0), ("gamma", "auto"), ("degree", 2), ("coef0", 1.0)):
        if name in machine.get_params(deep=False):
            given = clone(machine).set_params(**{name: value})
            assert given.get_params()[name] == value
            with pytest.raises(ValueError, match=rf"{name}={value!r} has no effect on kernel=Gau"):
                given.fit(X, y)
            given.set_params(kernel="rbf").fit(X, y)


def test_paths_refuse_a_gamma_beside_a_kernel_object() -> None:
    X = sample(n=20).X
    with pytest.raises(ValueError, match=r"gamma=3.0 has no effect on kernel=Gaussian"):
        svc_path(X, np.arange(20) % 2, kernel=Gaussian(0.1), gamma=3.0)


def test_a_search_that_began_with_a_named_kernel_is_not_told_of_its_gamma() -> None:
    X = sample(n=20).X
    space = Space.of(TrainingTask(SVC(gamma=3.0), X, np.arange(20) % 2))
    machine = space.tuned(space.start).fit(X, np.arange(20) % 2)
    assert machine.kernel_.gamma == pytest.approx(3.0)
