"""Kernels by name, by function, by stored values, and as the native core sees them."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_cases import ALL, METRIC, WIDTHS, overlap, rows
from scipy import sparse
from sklearn.gaussian_process import kernels as process

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
    Scaled,
    Sigmoid,
    SklearnKernel,
    as_kernel,
    form,
)

X, Z = rows(9, 0), rows(7, 1)


def shared_letters(words: list[str], others: list[str]) -> np.ndarray:
    return np.array([[len(set(a) & set(b)) for b in others] for a in words])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("linear", Linear()),
        ("poly", Polynomial(degree=2, gamma=0.5, coef0=1.0)),
        ("rbf", Gaussian(0.5)),
        ("sigmoid", Sigmoid(gamma=0.5, coef0=1.0)),
        ("laplacian", Laplacian(0.5)),
        ("precomputed", Precomputed()),
    ],
)
def test_names_become_kernels(given, expected: Kernel) -> None:
    assert as_kernel(given, gamma=0.5, degree=2, coef0=1.0) == expected


def test_functions_and_kernels_of_sklearn_become_kernels() -> None:
    assert as_kernel(overlap) == FunctionKernel(overlap)
    assert as_kernel(process.RBF(2.0)) == SklearnKernel(process.RBF(2.0))


@pytest.mark.parametrize("unused", [{"gamma": 0.5}, {"degree": 2}, {"coef0": 1.0}])
def test_parameters_beside_a_kernel_object_are_refused(unused) -> None:
    (name,) = unused
    for kernel in (Gaussian(0.1), process.RBF(2.0), Gaussian("scale") + Linear()):
        with pytest.raises(ValueError, match=rf"{name}={unused[name]} has no effect on kernel="):
            as_kernel(kernel, **unused)
    # scikit-learn's machines take such calls
    with pytest.warns(UserWarning, match=rf"{name}={unused[name]} has no effect on kernel=<func"):
        assert as_kernel(overlap, **unused) == FunctionKernel(overlap)


def test_names_take_their_width_from_the_data_by_default() -> None:
    assert as_kernel("rbf") == Gaussian("scale")
    assert as_kernel("poly") == Polynomial(gamma="scale")
    kernel = Gaussian(3.0)
    assert as_kernel(kernel, gamma="scale", degree=3, coef0=0) is kernel


def test_a_kernel_that_is_changed_in_place_is_nobody_elses():
    as_kernel("rbf").set_params(gamma=2.0)
    assert as_kernel("rbf") == Gaussian("scale")
    rule, rows = Gaussian("scale"), np.arange(6.0)[:, None]
    rule.resolve(rows).set_params(gamma=2.0)
    assert rule == Gaussian("scale")


@pytest.mark.parametrize("given", ["gauss", None, 3, Gaussian, process.RBF])
def test_what_is_no_kernel_is_refused(given) -> None:
    with pytest.raises(ValueError, match=r"kernel must be one of \['linear', 'poly', 'rbf', "):
        as_kernel(given)


def test_a_function_gets_any_objects() -> None:
    words = ["mercer", "kernel", "row", "", "path"] * 5
    expected = shared_letters(words, words[:3])
    for data in (words, np.array(words, dtype=object), tuple(words)):
        kernel = FunctionKernel(shared_letters)
        np.testing.assert_array_equal(kernel(data, data[:3]), expected)
        np.testing.assert_array_equal(kernel.diag(data), [len(set(word)) for word in words])


def test_a_function_combines_with_parameters() -> None:
    words = ["mercer", "kernel", "row", "path"]
    kernel = Normalized(2.0 * FunctionKernel(shared_letters) + 1.0)
    left = np.arange(1.0, 5.0)
    found = kernel.gradient(words, None, left, left, block_bytes=300)
    whole = kernel.gradient(words, None, left, left)
    np.testing.assert_allclose(found, whole, rtol=1e-12)
    # The value does not change when both terms grow alike.
    assert found.sum() == pytest.approx(0.0, abs=1e-12)


def test_a_function_gets_the_rows_as_they_are() -> None:
    seen = []

    def spy(rows, others):
        seen.append((type(rows), rows.dtype))
        return np.ones((rows.shape[0], others.shape[0]))

    FunctionKernel(spy)(X.astype(np.float32))
    FunctionKernel(spy)(sparse.csr_matrix(X))
    assert seen == [(np.ndarray, np.float32), (sparse.csr_array, np.float64)]


def test_a_function_may_bring_its_diagonal() -> None:
    def refuse(rows, others):
        raise AssertionError("asked for a block")

    kernel = FunctionKernel(refuse, diagonal=lambda rows: np.arange(len(rows)))
    np.testing.assert_array_equal(kernel.diag(X), np.arange(9))


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (np.ones((9, 6)), r"awkward must return an array of shape \(9, 7\), got \(9, 6\)"),
        (np.full((9, 7), np.nan), "awkward returned values that are not finite"),
        ("nothing", r"awkward must return an array of real numbers of shape \(9, 7\), got str"),
    ],
)
def test_a_function_that_returns_nonsense_is_named(result, message: str) -> None:
    def awkward(rows, others):
        return result

    with pytest.raises(ValueError, match=message):
        FunctionKernel(awkward)(X, Z)


def test_stored_values_are_values() -> None:
    stored, test = Gaussian(0.3)(X), Gaussian(0.3)(Z, X)
    kernel = Precomputed()
    np.testing.assert_array_equal(kernel(stored), stored)
    np.testing.assert_array_equal(kernel(test, stored), test)
    np.testing.assert_array_equal(kernel.diag(stored), np.ones(9))
    np.testing.assert_allclose((2.0 * kernel + 1.0)(test, stored), 2 * test + 1)


def test_combining_stored_values_does_not_change_them() -> None:
    stored = Gaussian(0.3)(X)
    before = stored.copy()
    Normalized(2.0 * Precomputed() + Constant(1.0))(stored)
    np.testing.assert_array_equal(stored, before)


def test_stored_values_of_the_wrong_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="each of the 9 training rows, got 7 values"):
        Precomputed()(np.ones((3, 7)), np.ones((9, 9)))
    with pytest.raises(ValueError, match=r"square matrix .* got shape \(3, 7\)"):
        Precomputed().diag(np.ones((3, 7)))
    with pytest.raises(TypeError, match="got a sparse matrix"):
        Precomputed()(sparse.eye_array(3))


def test_process_kernels_refuse_sparse_rows() -> None:
    with pytest.raises(TypeError, match="need dense rows"):
        SklearnKernel(process.RBF())(sparse.csr_array(X))


def test_process_kernels_of_objects() -> None:
    class Letters(process.ConstantKernel):
        requires_vector_input = False

        def __call__(self, X, Y=None, eval_gradient=False):
            values = self.constant_value * shared_letters(X, X if Y is None else Y)
            return (values, values[:, :, None]) if eval_gradient else values

    words = ["mercer", "kernel", "row", "path"]
    kernel = SklearnKernel(Letters(2.0))
    np.testing.assert_array_equal(kernel(words), 2 * shared_letters(words, words))
    left = np.arange(1.0, 5.0)
    expected = left @ kernel(words) @ left
    np.testing.assert_allclose(kernel.gradient(words, None, left, left), [expected])


def value_of(node: form.Form, x: np.ndarray, z: np.ndarray) -> float:
    """Read a form as its documentation says, one pair at a time."""
    match node:
        case form.Leaf():
            return leaf_value(node, x, z)
        case form.Constant():
            return node.value
        case form.Opaque():
            return float(node.block(x[None], z[None])[0, 0])
        case form.Sum():
            return sum(value_of(part, x, z) for part in node.parts)
        case form.Product():
            return float(np.prod([value_of(part, x, z) for part in node.parts]))
        case form.Scaled():
            return node.factor * value_of(node.part, x, z)
        case form.Normalized():
            lengths = value_of(node.part, x, x) * value_of(node.part, z, z)
            return value_of(node.part, x, z) / np.sqrt(lengths)
    raise AssertionError(node)


def leaf_value(leaf: form.Leaf, x: np.ndarray, z: np.ndarray) -> float:
    if leaf.transform is not None:
        flat = leaf.transform.ndim == 1
        x, z = (v * leaf.transform if flat else v @ leaf.transform for v in (x, z))
    inner = leaf.gamma * (x @ z) + leaf.coef0
    values = {
        "linear": x @ z,
        "polynomial": inner**leaf.degree,
        "gaussian": np.exp(-leaf.gamma * np.sum((x - z) ** 2)),
        "laplacian": np.exp(-leaf.gamma * np.sum(np.abs(x - z))),
        "sigmoid": np.tanh(inner),
    }
    return float(values[leaf.kind])


@pytest.mark.parametrize("kernel", ALL.values(), ids=ALL.keys())
def test_the_form_has_the_values_of_the_kernel(kernel: Kernel) -> None:
    tree = kernel.form()
    found = [[value_of(tree, x, z) for z in Z[:3]] for x in X[:3]]
    np.testing.assert_allclose(found, kernel(X[:3], Z[:3]), rtol=1e-10, atol=1e-12)


def test_forms_are_flat_and_plain() -> None:
    tree = (Linear() + Gaussian(WIDTHS) + Constant(2.0)).form()
    assert isinstance(tree, form.Sum)
    assert [type(part) for part in tree.parts] == [form.Leaf, form.Leaf, form.Constant]
    tree = Gaussian(METRIC).form()
    assert isinstance(tree, form.Leaf)
    np.testing.assert_allclose(tree.transform @ tree.transform.T, METRIC, rtol=1e-12)
    assert Gaussian(0.5).form().transform is None
    assert isinstance(Precomputed().form(), form.Stored)
    opaque = FunctionKernel(overlap).form()
    np.testing.assert_allclose(opaque.diagonal(X), np.diagonal(overlap(X, X)))
    assert isinstance(Scaled(FunctionKernel(overlap), 2.0).form().part, form.Opaque)
