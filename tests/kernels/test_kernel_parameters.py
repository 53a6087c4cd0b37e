from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from kernel_cases import ALL, METRIC, WIDTHS, odd_cubic, overlap, rows
from sklearn.base import BaseEstimator, clone
from sklearn.gaussian_process import kernels as process

import mercer.kernels
from mercer.kernels import (
    Constant,
    FunctionKernel,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Product,
    Scaled,
    Sigmoid,
    SklearnKernel,
    Sum,
)

X, Z = rows(9, 0), rows(7, 1)

every = pytest.mark.parametrize("kernel", ALL.values(), ids=ALL.keys())


@every
def test_copies_are_equal(kernel: Kernel) -> None:
    for other in (clone(kernel), copy.deepcopy(kernel), pickle.loads(pickle.dumps(kernel))):
        assert other == kernel
        assert hash(other) == hash(kernel)
        np.testing.assert_array_equal(other(X, Z), kernel(X, Z))


@every
def test_the_written_kernel_builds_it_again(kernel: Kernel) -> None:
    names = vars(mercer.kernels) | {"overlap": overlap, "odd_cubic": odd_cubic}
    scope = {name: getattr(process, name) for name in process.__dict__} | names
    assert eval(repr(kernel), scope) == kernel


def test_written_kernels_are_short() -> None:
    assert repr(Gaussian()) == "Gaussian()"
    assert repr(Gaussian(np.array([1.0, 2.0]))) == "Gaussian(gamma=[1.0, 2.0])"
    assert repr(2 * Linear()) == "Scaled(kernel=Linear(), factor=2)"
    assert repr(np.float64(2) * Linear()) == "Scaled(kernel=Linear(), factor=2.0)"


def test_different_kernels_differ() -> None:
    kernels = list(ALL.values())
    for i, first in enumerate(kernels):
        for second in kernels[i + 1 :]:
            assert first != second
    assert Gaussian([1.0, 2.0]) == Gaussian(np.array([1, 2]))
    assert Gaussian(1.0) != Gaussian(2.0)
    assert Gaussian() != "Gaussian()"


@every
def test_theta_names_and_bounds_belong_together(kernel: Kernel) -> None:
    p = len(kernel.theta)
    assert len(kernel.parameter_names) == len(set(kernel.parameter_names)) == kernel.n_dims == p
    assert kernel.bounds.shape == (p, 2)
    assert np.all(kernel.bounds[:, 0] <= kernel.theta)
    assert np.all(kernel.theta <= kernel.bounds[:, 1])
    free = [entry for entry in kernel.hyperparameters if not entry.fixed]
    assert sum(entry.n_elements for entry in free) == p
    for entry in kernel.hyperparameters:
        assert entry.bounds.shape == (entry.n_elements, 2)


@every
def test_moving_there_and_back(kernel: Kernel) -> None:
    step = 0.1 * np.random.default_rng(0).normal(size=kernel.n_dims)
    moved = kernel.retract(step)
    np.testing.assert_allclose(moved.retract(-step)(X, Z), kernel(X, Z), rtol=1e-10, atol=1e-12)
    same = kernel.clone_with_theta(kernel.theta)
    np.testing.assert_allclose(same(X, Z), kernel(X, Z), rtol=1e-12)
    assert moved == kernel.clone_with_theta(kernel.theta + step)
    assert type(moved) is type(kernel)


def test_names_say_where_a_parameter_is() -> None:
    assert Gaussian(2.0).parameter_names == ["gamma"]
    assert Gaussian([1.0, 2.0]).parameter_names == ["gamma[0]", "gamma[1]"]
    assert Polynomial(coef0=1.0).parameter_names == ["gamma", "coef0"]
    nested = 2.0 * Gaussian([1.0, 2.0]) + Laplacian()
    assert nested.parameter_names == [
        "left__kernel__gamma[0]",
        "left__kernel__gamma[1]",
        "left__factor",
        "right__gamma",
    ]
    adapted = SklearnKernel(process.RBF([1.0, 2.0]) + process.ConstantKernel(1.0, "fixed"))
    assert adapted.parameter_names == ["k1__length_scale[0]", "k1__length_scale[1]"]


def test_theta_holds_logarithms() -> None:
    np.testing.assert_allclose(Gaussian(WIDTHS).theta, np.log(WIDTHS))
    np.testing.assert_allclose(Polynomial(gamma=2.0, coef0=3.0).theta, np.log([2.0, 3.0]))
    np.testing.assert_allclose(Sigmoid(gamma=2.0, coef0=-3.0).theta, [np.log(2.0), -3.0])
    np.testing.assert_allclose(Scaled(Linear(), 3.0).theta, np.log([3.0]))
    np.testing.assert_allclose(Gaussian(1.0, gamma_bounds=(0.5, 4)).bounds, [np.log([0.5, 4.0])])


@pytest.mark.parametrize("coef0", [0.0, -1.0])
def test_coef0_is_fixed_unless_positive(coef0: float) -> None:
    kernel = Polynomial(coef0=coef0, gamma=2.0)
    assert kernel.parameter_names == ["gamma"]
    assert [entry.fixed for entry in kernel.hyperparameters] == [False, True]
    assert kernel.retract([1.0]).coef0 == coef0


def test_fixed_parameters_do_not_move() -> None:
    kernel = Gaussian(0.3, gamma_bounds="fixed") + Scaled(Linear(), 0.7)
    assert kernel.parameter_names == ["right__factor"]
    moved = kernel.retract([0.5])
    assert moved.left is kernel.left
    assert moved.right.factor == pytest.approx(0.7 * np.exp(0.5))


def test_process_kernels_pass_their_parameters_through() -> None:
    inner = process.ConstantKernel(2.0, (0.1, 10)) * process.RBF([1.0, 2.0], (1e-2, 1e2))
    kernel = SklearnKernel(inner)
    np.testing.assert_array_equal(kernel.theta, inner.theta)
    np.testing.assert_allclose(kernel.bounds, inner.bounds)
    assert [h.name for h in kernel.hyperparameters] == [h.name for h in inner.hyperparameters]
    moved = kernel.clone_with_theta(inner.theta + 0.1)
    np.testing.assert_allclose(moved.kernel.theta, inner.theta + 0.1)
    assert inner.k1.constant_value == 2.0


def test_kernels_are_immutable() -> None:
    kernel = Gaussian(METRIC)
    with pytest.raises(AttributeError, match="immutable"):
        kernel.gamma = 2.0
    widths = np.array(WIDTHS)
    kernel = Gaussian(widths)
    before = kernel(X)
    widths[:] = 100.0
    np.testing.assert_array_equal(kernel(X), before)


def test_set_params_changes_values_and_forgets_what_it_knew() -> None:
    kernel = Gaussian(METRIC)
    kernel(X)
    kernel.gradient(X, None, np.ones(len(X)), np.ones(len(X)))
    assert kernel.set_params(gamma=2 * np.asarray(METRIC)) is kernel
    np.testing.assert_array_equal(kernel(X), Gaussian(2 * np.asarray(METRIC))(X))


def test_set_params_reaches_parts_and_spares_shared_ones() -> None:
    shared = Gaussian(1.0)
    kernel = shared + 2.0 * shared
    kernel.set_params(right__kernel__gamma=5.0, right__factor=3.0)
    assert kernel == Gaussian(1.0) + 3.0 * Gaussian(5.0)
    assert shared == Gaussian(1.0)
    adapted = SklearnKernel(process.RBF(1.0))
    inner = adapted.kernel
    adapted.set_params(kernel__length_scale=2.0)
    assert adapted.kernel.length_scale == 2.0
    assert inner.length_scale == 1.0


def test_set_params_of_a_part_and_its_parameter_at_once() -> None:
    kernel = Scaled(Gaussian(1.0), 2.0)
    kernel.set_params(kernel__gamma=5.0, kernel=Laplacian())
    assert kernel == Scaled(Laplacian(5.0), 2.0)


@pytest.mark.parametrize("name", ["width", "gamma__x", "left__gamma"])
def test_set_params_refuses_unknown_names(name: str) -> None:
    with pytest.raises(ValueError, match=r"is not a parameter of Gaussian; .*'gamma'"):
        Gaussian().set_params(**{name: 1.0})


def test_kernels_nest_in_estimators() -> None:
    class Holder(BaseEstimator):
        def __init__(self, kernel: Kernel) -> None:
            self.kernel = kernel

    holder = Holder(Gaussian(1.0) * Linear())
    other = clone(holder).set_params(kernel__left__gamma=3.0)
    assert other.kernel == Gaussian(3.0) * Linear()
    assert holder.kernel == Gaussian(1.0) * Linear()
    assert "Gaussian" in repr(holder)


@pytest.mark.parametrize(
    ("theta", "message"),
    [
        ([1.0, 2.0], r"theta must have shape \(1,\)"),
        ([np.nan], "theta must be finite"),
        ([1e4], "gamma must be a finite number, got inf"),
        ([-1e4], "gamma must be a positive number, got 0.0"),
    ],
)
def test_impossible_coordinates_are_refused(theta, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Gaussian().clone_with_theta(theta)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Gaussian(0.0), "gamma must be a positive number, got 0.0"),
        (lambda: Gaussian(np.inf), "gamma must be a finite number"),
        (lambda: Gaussian(True), "gamma must be a number, got True"),
        (lambda: Gaussian(None), "gamma must be a number, got None"),
        (lambda: Gaussian("wide"), "one of .'scale', 'auto', 'median'., got 'wide'"),
        (lambda: Gaussian([1.0, -1.0]), "array of positive numbers"),
        (lambda: Gaussian([]), "array of positive numbers"),
        (lambda: Gaussian([1.0, np.nan]), "gamma must be finite"),
        (lambda: Gaussian([[1.0, 0.5], [0.0, 1.0]]), "symmetric positive definite"),
        (lambda: Gaussian([[1.0, 2.0], [2.0, 1.0]]), "symmetric positive definite"),
        (lambda: Gaussian([[1.0, 2.0]]), "symmetric positive definite"),
        (lambda: Gaussian(metric="round"), r"metric must be one of .*got 'round'"),
        (lambda: Gaussian([1.0], metric="full"), "metric='full' does not fit gamma of shape"),
        (lambda: Gaussian([1.0], metric="radial"), "metric='radial' does not fit gamma of shape"),
        (lambda: Gaussian(gamma_bounds=(2, 1)), 'gamma_bounds must be "fixed" or a pair'),
        (lambda: Gaussian(gamma_bounds="free"), 'gamma_bounds must be "fixed" or a pair'),
        (lambda: Polynomial(degree=1.5), "degree must be an integer, zero or more, got 1.5"),
        (lambda: Polynomial(degree=-1), "degree must be an integer"),
        (lambda: Polynomial(gamma="median"), "one of .'scale', 'auto'., got 'median'"),
        (lambda: Polynomial(coef0="a"), "coef0 must be a number"),
        (lambda: Constant(-1.0), "value must be a positive number"),
        (lambda: Scaled(Linear(), 0.0), "factor must be a positive number"),
        (lambda: -2.0 * Linear(), "factor must be a positive number, got -2.0"),
        (lambda: Linear() + 0, "value must be a positive number, got 0"),
        (lambda: Sum(Linear(), "rbf"), "right must be a Kernel, got 'rbf'"),
        (lambda: Product(Precomputed(), Linear()), "cannot be combined with a kernel of rows"),
        (lambda: FunctionKernel(3), "function must be callable, got 3"),
        (lambda: FunctionKernel(overlap, diagonal=3), "diagonal must be callable or None, got 3"),
        (lambda: SklearnKernel("rbf"), "kernel must be an instance of sklearn"),
        (lambda: SklearnKernel(process.RBF() + process.WhiteKernel()), "WhiteKernel is not"),
    ],
)
def test_impossible_arguments_are_refused(build, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        build()


@pytest.mark.parametrize("other", ["rbf", None, True, [1.0], np.ones(2)])
def test_kernels_combine_with_kernels_and_numbers_only(other) -> None:
    with pytest.raises(TypeError):
        Linear() + other
    with pytest.raises(TypeError):
        other * Linear()
