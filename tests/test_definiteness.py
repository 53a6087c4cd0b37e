"""A gap is for positive semi-definite kernels: known, stated, not known, or refuted."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as process

import mercer
from mercer import Gram, certify, formulations
from mercer.io import load, save
from mercer.kernels import (
    FunctionKernel,
    Gaussian,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
    SklearnKernel,
)
from mercer.kernels.definiteness import refutation
from mercer.lab import Platt, SvmLight
from mercer.solvers import solve

rng = np.random.default_rng(0)
X = rng.normal(size=(90, 3))
y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=90) > 0).astype(int)
INDEFINITE = "not positive semi-definite"


def tanh(A: Any, B: Any) -> Any:
    return np.tanh(2 * A @ B.T - 1)


def gaussian(A: Any, B: Any) -> Any:
    return Gaussian(0.5)(np.asarray(A), np.asarray(B))


def matrix(function: Any = tanh) -> np.ndarray:
    K = function(X, X)
    return 0.5 * (K + K.T)


def quiet(call: Any, *arguments: Any, **named: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return call(*arguments, **named)


@pytest.mark.parametrize(
    ("kernel", "word"),
    [
        (Gaussian(1.0) * Linear() + 2.0, "known"),
        (Polynomial(degree=2, coef0=1.0), "known"),
        (Sigmoid(gamma=1.0), "refuted"),
        (FunctionKernel(tanh), "unknown"),
        (FunctionKernel(tanh, positive_definite=True), "stated"),
        (FunctionKernel(tanh, positive_definite=False), "refuted"),
        (Precomputed(), "unknown"),
        (2.0 * Precomputed(positive_definite=True) + 1.0, "stated"),
        (FunctionKernel(tanh) + Gaussian(1.0), "unknown"),
        (FunctionKernel(tanh) + Sigmoid(gamma=1.0), "refuted"),
        (SklearnKernel(2.0 * process.Matern() + process.RBF() ** 2), "known"),
        (SklearnKernel(process.RBF() + process.PairwiseKernel(metric="sigmoid")), "refuted"),
        (SklearnKernel(process.PairwiseKernel(metric="sigmoid"), True), "stated"),
        (SklearnKernel(process.PairwiseKernel(metric="poly")), "known"),
        (SklearnKernel(process.PairwiseKernel(metric=lambda a, b: a @ b)), "unknown"),
        (SklearnKernel(process.RBF() ** 0.5), "unknown"),
        (SklearnKernel(process.ExpSineSquared()), "unknown"),
    ],
)
def test_what_is_known_of_a_kernel(kernel: Any, word: str) -> None:
    assert kernel.definiteness == word
    assert kernel.is_positive_definite is {"unknown": None, "refuted": False}.get(word, True)


@pytest.mark.parametrize("wrong", ["yes", 1, 0.5])
@pytest.mark.parametrize("make", [Precomputed, lambda value: FunctionKernel(tanh, value)])
def test_a_statement_that_is_none(make: Any, wrong: Any) -> None:
    with pytest.raises(TypeError, match="positive_definite must be True, False or None"):
        make(wrong)


@pytest.mark.parametrize(
    "kernel", [tanh, process.PairwiseKernel(metric="sigmoid", gamma=2.0), FunctionKernel(tanh)]
)
def test_a_function_that_is_no_kernel_had_a_gap_of_4e_17(kernel: Any) -> None:
    with pytest.warns(UserWarning, match=INDEFINITE):
        machine = mercer.SVC(kernel=kernel, C=10).fit(X, y)
    assert machine.dual_gap_ is None
    assert machine.solutions_[0].gap is None
    assert machine.solutions_[0].definiteness == "refuted"


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_function_that_is_a_kernel_keeps_its_gap_and_gets_no_warning(dtype: Any) -> None:
    def rounded(A: Any, B: Any) -> Any:
        return gaussian(A, B).astype(dtype)

    for kernel, word in ((rounded, "unknown"), (FunctionKernel(rounded, True), "stated")):
        solution = quiet(mercer.SVC(kernel=kernel, C=10).fit, X, y).solutions_[0]
        assert solution.gap is not None
        assert solution.definiteness == word


def test_what_is_known_is_not_looked_at() -> None:
    seen = []

    def watched(A: Any, B: Any) -> Any:
        seen.append(len(A) * len(B))
        return gaussian(A, B)

    for word in (True, False):
        seen.clear()
        Gram(FunctionKernel(watched, word), X).inspect()
        assert not seen


def test_a_look_at_rows_that_are_cached_computes_nothing() -> None:
    gram = Gram(FunctionKernel(gaussian), X)
    gram.inspect()
    count = gram.n_evaluations
    assert gram.inspect(np.ones(len(X))) == "unknown"
    assert gram.n_evaluations == count


def test_a_look_is_at_256_rows_at_most_and_at_those_with_coefficients() -> None:
    """Two rows among 2,000 that no sample at intervals meets."""
    K = np.eye(2000)
    K[[1001, 1003], [1003, 1001]] = 2.0
    gram = Gram(Precomputed(), K)
    assert gram.inspect() == "unknown"
    coef = np.zeros(2000)
    coef[[5, 1001, 1003]] = 1e-9
    with pytest.warns(UserWarning, match=INDEFINITE):
        assert gram.inspect(coef) == "refuted"
    assert gram.reordered(np.arange(4)).definiteness == "refuted"


def test_a_certificate_looks_at_the_rows_that_carry_the_point() -> None:
    K = np.eye(600)
    K[[301, 303], [303, 301]] = 2.0
    problem = formulations.svc(np.where(np.arange(600) < 302, 1.0, -1.0), 1.0).problem
    coef = np.zeros(600)
    coef[[301, 303]] = 1.0, -1.0
    with pytest.warns(UserWarning, match=INDEFINITE):
        found = certify(problem, Gram(Precomputed(), K), coef)
    assert (found.gap, found.primal, found.definiteness) == (None, None, "refuted")


@pytest.mark.parametrize("solver", ["auto", "smo", "chunked", SvmLight(), Platt()])
def test_every_solver_says_what_is_known(solver: Any) -> None:
    problem = formulations.svc(np.where(y == 1, 1.0, -1.0), 1.0).problem
    solution = quiet(solve, problem, Gram(FunctionKernel(gaussian), X), solver)
    assert solution.definiteness == "unknown"
    with pytest.warns(UserWarning, match=INDEFINITE):
        solution = solve(problem, Gram(Precomputed(), matrix()), solver)
    assert (solution.gap, solution.definiteness) == (None, "refuted")


def test_the_active_set_refuses_what_is_refuted() -> None:
    problem = formulations.svc(np.where(y == 1, 1.0, -1.0), 1.0).problem
    with pytest.raises(ValueError, match=r"has the eigenvalue -.*solver='smo' takes any kernel"):
        quiet(solve, problem, Gram(Precomputed(), matrix()), "active-set")


PATHS = {
    "svc_path": lambda K, kernel: mercer.svc_path(K, y, kernel=kernel),
    "approximate": lambda K, kernel: mercer.svc_path(K, y, kernel=kernel, accuracy=1e-3),
    "svr_path": lambda K, kernel: mercer.svr_path(K, X[:, 0], kernel=kernel),
    "one_class_path": lambda K, kernel: mercer.one_class_path(K, kernel=kernel),
    "svc_grid": lambda K, kernel: mercer.svc_grid(K, y, Cs=[1.0, 2.0], kernel=kernel),
}


@pytest.mark.parametrize("name", PATHS)
def test_a_path_of_a_matrix_that_is_no_kernel_had_violation_0(name: str) -> None:
    skewed = matrix(gaussian)
    skewed[3, 5] += 0.3
    with pytest.raises(ValueError, match="symmetric"):
        PATHS[name](skewed, "precomputed")
    with pytest.raises(ValueError, match=r"a positive semi-definite kernel.*eigenvalue -"):
        PATHS[name](matrix(), "precomputed")
    with pytest.raises(ValueError, match=r"a positive semi-definite kernel.*eigenvalue -"):
        PATHS[name](X, tanh)


def test_paths_and_grids_say_what_is_known() -> None:
    K = matrix(gaussian)
    for kernel, word in ((Precomputed(), "unknown"), (Precomputed(True), "stated")):
        path = quiet(mercer.svc_path, K, y, kernel=kernel, C_max=10.0)
        assert path.certificate(1.0).definiteness == word
        assert quiet(mercer.one_class_path, K, kernel=kernel).certificate(0.5).definiteness == word
        grid = quiet(mercer.svc_grid, K, y, Cs=[1.0], kernel=kernel)
        assert grid.solutions[0, 0].definiteness == word


def test_a_path_looks_at_the_rows_it_moved() -> None:
    """The two rows that refute the matrix lie between those of the first look."""
    r = np.random.default_rng(1)
    Z = r.normal(size=(600, 2))
    K = Gaussian(1.0)(Z)
    K[[301, 303], [303, 301]] = 3.0
    sign = np.where(np.arange(600) % 2, 1, -1)
    weight = np.full(600, 1e-6)
    weight[[299, 301, 303, 298, 300, 302]] = 1.0
    sign[301], sign[303] = 1, -1
    with pytest.warns(UserWarning, match=INDEFINITE):
        path = mercer.svc_path(K, sign, kernel="precomputed", sample_weight=weight, C_max=0.1)
    assert path.certificate(path.end).gap is None


def test_path_svc_refuses_what_is_refuted() -> None:
    with pytest.raises(ValueError, match="positive semi-definite"):
        mercer.PathSVC(kernel=tanh).fit(X, y)


@pytest.mark.parametrize("solver", ["direct", "eigen", "smo"])
@pytest.mark.parametrize("machine", [mercer.RLSC, mercer.LSSVC, mercer.LSSVR])
def test_least_squares_warn_of_what_is_refuted(machine: Any, solver: str) -> None:
    with pytest.warns(UserWarning, match=INDEFINITE):
        machine(kernel=tanh, solver=solver, alpha=50.0).fit(X, y)
    quiet(machine(kernel=gaussian, solver=solver).fit, X, y)


def test_low_rank_refuses_what_is_refuted() -> None:
    with pytest.raises(ValueError, match=r"low_rank needs a positive semi-definite.*eigenvalue -"):
        mercer.RLSC(kernel=tanh, low_rank=20).fit(X, y)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_rounding_refutes_nothing(scale: float) -> None:
    narrow = np.linspace(0, 1, 256)[:, None]
    K = scale * Gaussian(1e-3)(narrow)
    assert refutation(K) is None
    assert refutation(scale * (K / scale).astype(np.float32).astype(np.float64)) is None
    assert "eigenvalue -" in str(refutation(K - 1e-3 * scale * np.eye(256)))
    assert refutation(np.zeros((3, 3))) is None


@pytest.mark.parametrize("wrong", ["skewed", "complex", "wide", "text"])
def test_a_gram_of_a_matrix_that_is_none(wrong: str) -> None:
    K: Any = {
        "skewed": np.arange(9.0).reshape(3, 3),
        "complex": np.eye(3) * 1j,
        "wide": np.ones((2, 3)),
        "text": np.full((2, 2), "1"),
    }[wrong]
    with pytest.raises((TypeError, ValueError), match=r"matrix|complex|number"):
        Gram(Precomputed(), K)


@pytest.mark.parametrize(
    "make",
    [
        lambda K: K + 0j,
        lambda K: K.astype(str),
        lambda K: K.astype(object),
        lambda K: K[:-1],
        lambda K: np.full_like(K, np.nan),
        lambda K: None,
        lambda K: [[1.0], [2.0, 3.0]],
    ],
)
@pytest.mark.parametrize("machine", [mercer.SVC, mercer.OneClassSVM, mercer.RLSC])
def test_a_function_that_returns_complex_values_is_refused_by_name(machine: Any, make: Any) -> None:
    def similarity(A: Any, B: Any) -> Any:
        return make(gaussian(A, B))

    with pytest.raises(ValueError, match=r"kernel function .*similarity"):
        machine(kernel=similarity).fit(X, y)


def test_model_files_keep_what_was_stated(tmp_path: Any) -> None:
    K = matrix(gaussian)
    for kernel in (Precomputed(), Precomputed(positive_definite=True)):
        machine = mercer.SVC(kernel=kernel).fit(K, y)
        save(machine, tmp_path / "model")
        loaded = load(tmp_path / "model")
        assert loaded.kernel_.definiteness == kernel.definiteness
        assert loaded.solutions_[0].definiteness == kernel.definiteness


def test_a_look_at_one_gram_is_no_look_at_its_rows_in_another_order() -> None:
    """The positions seen in the first one were taken for those of the second."""
    matrix = np.eye(400)
    matrix[300, 301] = matrix[301, 300] = 5.0
    gram = Gram(Precomputed(), matrix)
    light = np.zeros(400)
    light[:256] = 1.0
    assert gram.inspect(light) == "unknown"
    other = gram.reordered(np.r_[300:400, :300])
    with pytest.warns(UserWarning, match="not positive semi-definite"):
        assert other.inspect(light) == "refuted"
    assert gram.definiteness == "unknown"
    assert other.reordered(np.arange(10)).definiteness == "refuted"
