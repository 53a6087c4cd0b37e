"""Numbers beyond the range of doubles end in an error or a status, never in a crash or a claim."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import mercer
from mercer import SVC, Gram, PathSVC, Problem, one_class_path, solve, svc_grid, svc_path, svr_path
from mercer.kernels import Linear, Precomputed
from mercer.problem import certify
from mercer.solvers import Basis

SOLVERS = ("smo", "chunked", "active-set")
OVERFLOWING = {"kernel": "poly", "degree": 20, "gamma": 1.0, "coef0": 1.0}
ON_OVERFLOWING_ROWS: dict[str, Callable[[Any, Any], object]] = {
    "svc_path": lambda X, t: svc_path(X, t > 0, **OVERFLOWING),
    "svr_path": lambda X, t: svr_path(X, t, **OVERFLOWING),
    "one_class_path": lambda X, t: one_class_path(X, **OVERFLOWING),
    "svc_grid": lambda X, t: svc_grid(1e150 * X, t > 0, Cs=[1.0], kernel="linear"),
    "PathSVC": lambda X, t: PathSVC(**OVERFLOWING).fit(X, t > 0),
    "SVC": lambda X, t: SVC(**OVERFLOWING).fit(X, t > 0),
}


@pytest.mark.parametrize("name", ON_OVERFLOWING_ROWS)
def test_kernel_values_beyond_doubles_killed_the_process(name: str) -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, t = (rng.normal(size=(60, 1)) + 1) * 1e8, rng.integers(-5, 6, 60)
        with pytest.raises(ValueError, match="finite"):
            ON_OVERFLOWING_ROWS[name](X, t)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_gram_of_values_beyond_doubles_is_refused(solver: str) -> None:
    gram = Gram(Linear(), np.array([[1.0], [1e200]]))
    problem = Problem([1.0, -1.0], [0.0, -1.0], [1.0, 0.0])
    with pytest.raises(ValueError, match=r"got k\(x, x\)=inf for row 1 of X"):
        solve(problem, gram, solver)
    with pytest.raises(ValueError, match="kernel values must be finite"):
        Basis(problem, gram)


PATHS: dict[str, Callable[..., Any]] = {
    "svc_path": lambda X, t, **options: svc_path(X, t > 0, **options),
    "svr_path": svr_path,
    "one_class_path": lambda X, t, **options: one_class_path(X, **options),
}


@pytest.mark.parametrize("name", PATHS)
@pytest.mark.parametrize("weight", [1e250, 1e305])
def test_huge_weights_killed_a_path(name: str, weight: float) -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, t = rng.normal(size=(40, 2)) * 1e40, rng.integers(-5, 6, 40)
        weights = weight * rng.random(40)
        try:
            path = PATHS[name](X, t, sample_weight=weights, kernel="linear")
        except ValueError as error:
            assert "finite" in str(error)  # noqa: PT017
        else:
            assert path.status == "precision-limit" or np.isfinite(path.violation)


@pytest.mark.parametrize("seed", range(6))
def test_tiny_weights_of_a_squared_loss_corrupted_the_heap(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = (rng.random((80, 1)) > 0.5).astype(float), rng.random(80) > 0.5
    machine = SVC(loss="squared_error", C=1e-4, kernel="linear")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(X, y, sample_weight=rng.random(80) * 1e-300)
    assert np.isfinite(machine.dual_coef_).all()


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e10])
def test_sums_of_kernel_values_beyond_doubles(solver: str, C: float) -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(30, 2)), np.where(rng.random(30) > 0.5, 1.0, -1.0)
        gram = Gram(Precomputed(), 1e306 * (X @ X.T + np.eye(30)))
        problem = Problem(y, np.minimum(C * y, 0.0), np.maximum(C * y, 0.0))
        start = np.where(y > 0, problem.upper, problem.lower) * 0.99
        solution = solve(problem, gram, solver, start=start, max_iter=1000)
        assert np.isfinite(solution.coef).all()
        assert solution.converged == (solution.violation <= 1e-3)
        assert np.isfinite(solution.objective) or not solution.converged


def test_a_certificate_of_no_numbers_claims_nothing() -> None:
    K = np.full((2, 2), 1e300)
    problem = Problem([1.0, -1.0], [0.0, -1e300], [1e300, 0.0])
    found = certify(problem, Gram(Precomputed(), K), [1e300, 0.0])
    assert found.violation == np.inf
    assert found.gap == np.inf


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_single_precision_predicted_no_number(kernel: str) -> None:
    """Rows that float32 cannot hold are evaluated in double precision, alone or among others."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.random(50) > 0.5
    options: dict[str, Any] = {"kernel": kernel, "degree": 3, "gamma": 0.5}
    single = SVC(precision="single", **options).fit(X, y)
    double = SVC(precision="double", **options).fit(X, y)
    wide = np.vstack([X, 1e39 * X])
    values = single.decision_function(wide)
    for part in (slice(0, 50), slice(50, 100)):
        expected = double.decision_function(wide)[part]
        np.testing.assert_allclose(values[part], expected, atol=1e-2 * np.abs(expected).max())
    np.testing.assert_array_equal(values[50:], single.decision_function(wide[50:]))
    assert np.isfinite(values).all()


def test_values_beyond_doubles_are_refused_by_predict() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.random(50) > 0.5
    machine = SVC(kernel="poly", degree=5).fit(X, y)
    with pytest.raises(ValueError, match="values at the rows of X must be finite, got those of"):
        machine.decision_function(1e200 * X)


@pytest.mark.parametrize("name", ["SVC", "SVR", "NuSVC", "OneClassSVM"])
@pytest.mark.parametrize("weight", [1e-200, 1e145, 1e155])
def test_an_infeasible_fit_said_converged(name: str, weight: float) -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)
        machine = getattr(mercer, name)(kernel="linear", max_iter=20_000)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            machine.fit(X, y, sample_weight=weight * rng.random(40))
        assert not any(s.converged and s.infeasibility > 1e-9 for s in machine.solutions_)


def test_a_grid_of_tiny_boxes_said_converged_far_from_its_sums() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)
    grid = svc_grid(X, y, Cs=[1e-128, 1e127], sample_weight=1e-197 * rng.random(40))
    for solution in grid.solutions.ravel():
        assert solution.is_feasible or not solution.converged


def test_inner_products_beyond_doubles_hidden_by_tanh_are_refused() -> None:
    """Infinity became 1 where the product was negative: a violation of 0.42, "converged"."""
    X = np.array([[1e180, -1.0], [1e180, -1e181], [1.0, 2.0], [-1e170, 3.0]])
    for kind in (mercer.OneClassSVM, mercer.SVR):
        with pytest.raises(ValueError, match="inner products of X must be finite"):
            kind(kernel="sigmoid", gamma=1.0).fit(X, [1.0, 2.0, 3.0, 4.0])


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_objective_beyond_doubles_has_not_converged(solver: str) -> None:
    """NumPy's warnings are no substitute for a status, and are not shown."""
    y = np.array([-1e91, 1e91, 0.0, 3e90])
    gram = Gram(Linear(), np.array([[-1.0], [1.0], [0.5], [0.25]]))
    problem = mercer.formulations.svr(y, 1e277, 0.1).problem
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        solution = solve(problem, gram, solver, max_iter=1000)
    assert np.isfinite(solution.objective) or solution.status != "converged"


def test_weights_of_1e178_show_no_warning_of_numpy() -> None:
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(25, 3)) * 100, rng.random(25) * 1e178
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        for kind in (mercer.OneClassSVM, mercer.SVR):
            kind(kernel="poly").fit(X, X[:, 0], sample_weight=weight)


def test_a_penalized_bias_beyond_the_root_of_the_largest_double() -> None:
    """Its square was an OverflowError of Python's."""
    y = np.array([1.0, -1.0, 1.0])
    formulation = mercer.formulations.svc(y, 1.0, fit_intercept="penalized")
    point = np.array([1e200, 0.0, 1e200])
    gram = Gram(mercer.kernels.Constant(1.0), np.ones((3, 1)))
    certificate = certify(formulation.problem, gram, point)
    assert not np.isnan(formulation.fitted_parameters(certificate, point).intercept)
