"""Shapley values: equal to the sum over all subsets, and what follows from their axioms."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer import (
    LSSVR,
    RLSC,
    SVC,
    SVR,
    CodeClassifier,
    OneClassSVM,
    OnlineSVC,
    ReducedSVC,
    TunedSVC,
    explain,
)
from mercer.kernels import (
    Constant,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Normalized,
    Polynomial,
    Sigmoid,
)

FloatArray = NDArray[np.float64]
D = 5
KERNELS: dict[str, Kernel] = {
    "gaussian": Gaussian(0.3),
    "narrow": Gaussian(6.0),
    "per-feature": Gaussian(np.linspace(0.0, 1.0, D) + 0.01),
    "laplacian": Laplacian(0.4),
    "linear": Linear(),
    "quadratic": Polynomial(2, 0.5, 0.3),
    "quintic": Polynomial(5, 0.2, 1.0),
    "sum": Gaussian(0.2) + 0.5 * Laplacian(0.3) + Linear() + Constant(2.0),
    "product": Gaussian(0.1) * Laplacian(0.1),
    "mixed": Gaussian(0.2) * Polynomial(2, 0.3, 1.0) * Linear() + Linear(),
}


@pytest.fixture(scope="module")
def rows() -> FloatArray:
    return np.random.default_rng(0).normal(size=(60, D))


def labels(X: FloatArray, n_classes: int = 2) -> NDArray[np.intp]:
    score = X[:, 0] + X[:, 1] * X[:, 2]
    return np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)


def by_subsets(
    f: Callable[[Any], Any], X: FloatArray, background: FloatArray, weight: FloatArray
) -> FloatArray:
    """The definition: weighted differences over all subsets of the other features."""
    d = X.shape[1]
    subsets = np.arange(2**d)
    member = (subsets[:, None] >> np.arange(d)) & 1 == 1
    size = member.sum(axis=1)
    shares = np.array([1.0 / (d * comb(d - 1, k)) for k in range(d)])
    out = []
    for x in X:
        mixed = np.where(member[:, None], x, background).reshape(-1, d)
        values = np.tensordot(f(mixed).reshape(len(subsets), len(background), -1), weight, (1, 0))
        phi = []
        for j in range(d):
            without = subsets[~member[:, j]]
            phi.append(shares[size[without]] @ (values[without + 2**j] - values[without]))
        out.append(phi)
    return np.asarray(out)


@pytest.mark.parametrize("name", KERNELS)
def test_values_are_the_sum_over_all_subsets(name: str, rows: FloatArray) -> None:
    machine = SVC(kernel=KERNELS[name], C=2.0).fit(rows, labels(rows))
    background, weight = rows[:7], np.arange(7.0) + 1
    found = explain(machine, rows[20:23], background, background_weight=weight)
    truth = by_subsets(machine.decision_function, rows[20:23], background, weight / weight.sum())
    np.testing.assert_allclose(found.values, truth[:, :, 0], rtol=0, atol=1e-11)


def machines() -> list[Any]:
    return [
        SVC(),
        SVC(multiclass="one-vs-all"),
        SVC(multiclass="code"),
        SVC(multiclass="crammer-singer"),
        RLSC(),
        RLSC(multiclass="one-vs-one"),
        RLSC(multiclass="code"),
        RLSC(kernel="linear"),
        RLSC(low_rank=10),
        ReducedSVC(low_rank=10),
        OnlineSVC(C=1.0),
    ]


@pytest.mark.parametrize("machine", machines(), ids=repr)
def test_several_classes_have_values_each(machine: Any, rows: FloatArray) -> None:
    y = np.array(["low", "middle", "high"])[labels(rows, 3)]
    machine.fit(rows, y)
    found = explain(machine, rows[:2], rows[5:9])
    assert found.values.shape == (2, D, 3)
    assert found.output_names == machine.classes_.tolist()
    each = explain(machine, rows[:2], rows[5:9], output="machines")
    decide = getattr(machine, "machine_decisions", None)
    if decide is None:
        decide = machine._decisions if hasattr(machine, "_decisions") else machine.decision_function
    total = each.base_values + each.values.sum(axis=1)
    np.testing.assert_allclose(total, decide(rows[:2]), rtol=0, atol=1e-10)
    truth = by_subsets(decide, rows[:2], rows[5:9], np.full(4, 0.25))
    np.testing.assert_allclose(each.values, truth, rtol=0, atol=1e-10)


def test_the_value_of_a_class_is_that_of_its_decision_function(rows: FloatArray) -> None:
    machine = SVC(multiclass="one-vs-all").fit(rows, labels(rows, 3))
    found = explain(machine, rows[:3], rows[10:20])
    total = found.base_values + found.values.sum(axis=1)
    np.testing.assert_allclose(total, machine.decision_function(rows[:3]), atol=1e-12)


def test_the_value_of_a_class_is_the_mean_of_its_pairs(rows: FloatArray) -> None:
    machine = SVC().fit(rows, labels(rows, 3))
    found = explain(machine, rows[:3], rows[10:20]).values
    pairs = explain(machine, rows[:3], rows[10:20], output="machines").values
    expected = np.stack([pairs[..., 0] + pairs[..., 1], pairs[..., 2] - pairs[..., 0]], axis=2) / 2
    np.testing.assert_allclose(found[..., :2], expected, atol=1e-12)


@pytest.mark.parametrize(
    "machine", [SVR(), LSSVR(), LSSVR(kernel="linear"), SVR(kernel="linear"), SVR(kernel="poly")]
)
def test_values_add_up_to_the_prediction(machine: Any, rows: FloatArray) -> None:
    machine.fit(rows, rows[:, 0] ** 2 + rows[:, 1])
    found = explain(machine, rows[:9], rows[10:40])
    total = found.base_values + found.values.sum(axis=1)
    np.testing.assert_allclose(total, machine.predict(rows[:9]), rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.base_values, machine.predict(rows[10:40]).mean())


def test_one_class_machines_are_explained(rows: FloatArray) -> None:
    machine = OneClassSVM(nu=0.2).fit(rows)
    found = explain(machine, rows[:4] + 3.0, rows[10:20])
    total = found.base_values + found.values.sum(axis=1)
    np.testing.assert_allclose(total, machine.decision_function(rows[:4] + 3.0), atol=1e-12)


@pytest.mark.parametrize("width", [0.001, 0.05, 1.0])
@pytest.mark.parametrize("kernel", [Gaussian, Laplacian])
def test_values_of_many_features_add_up(kernel: Any, width: float) -> None:
    """No row has so many features that the nodes of the quadrature were too few."""
    X = np.random.default_rng(1).normal(size=(50, 150))
    machine = SVR(kernel=kernel(width), C=10.0).fit(X, X[:, 0])
    found = explain(machine, X[:3], X[10:30])
    total = found.base_values + found.values.sum(axis=1)
    np.testing.assert_allclose(total, machine.predict(X[:3]), rtol=0, atol=1e-11)


def test_features_that_are_copies_have_equal_values(rows: FloatArray) -> None:
    X = np.column_stack([rows, rows[:, 0]])
    found = explain(SVC().fit(X, labels(rows)), X[:5], X[10:20]).values
    np.testing.assert_allclose(found[:, 0], found[:, -1], atol=1e-12)


def test_a_feature_that_does_nothing_has_no_value(rows: FloatArray) -> None:
    X = rows.copy()
    X[:, 3] = 1.5
    found = explain(SVC().fit(X, labels(rows)), X[:5], X[10:20]).values
    assert not found[:, 3].any()


def test_values_are_linear_in_the_coefficients(rows: FloatArray) -> None:
    machine = SVC(kernel=KERNELS["mixed"]).fit(rows, labels(rows))
    one = explain(machine, rows[:3], rows[10:20]).values
    machine.dual_coef_ = 3.0 * machine.dual_coef_
    machine._forget_expansion()
    np.testing.assert_allclose(explain(machine, rows[:3], rows[10:20]).values, 3.0 * one)


def test_weights_of_the_background_are_repetitions(rows: FloatArray) -> None:
    machine = SVC().fit(rows, labels(rows))
    once = explain(machine, rows[:3], rows[:4], background_weight=[1, 2, 0, 3])
    again = explain(machine, rows[:3], rows[[0, 1, 1, 3, 3, 3]])
    np.testing.assert_allclose(once.values, again.values, atol=1e-13)
    np.testing.assert_allclose(once.base_values, again.base_values)


@pytest.mark.parametrize("kernel", [Gaussian(0.3), Laplacian(0.2), Linear(), Polynomial(2)])
def test_sparse_rows_are_rows(kernel: Kernel, rows: FloatArray) -> None:
    X = np.where(np.abs(rows) > 0.8, rows, 0.0)
    X[:30, 1] = 0.0
    y = labels(rows)
    dense = explain(SVC(kernel=kernel).fit(X, y), X[:3], X[10:20])
    machine = SVC(kernel=kernel).fit(sp.csr_matrix(X), y)
    for background in (sp.csr_matrix(X[10:20]), X[10:20]):
        found = explain(machine, sp.csr_matrix(X[:3]), background)
        np.testing.assert_allclose(found.values, dense.values, atol=1e-10)
        np.testing.assert_array_equal(found.data, X[:3])


def test_single_precision_rows_are_explained(rows: FloatArray) -> None:
    X = rows.astype(np.float32)
    machine = SVC().fit(X, labels(rows))
    found = explain(machine, X[:3], X[10:20])
    total = found.base_values + found.values.sum(axis=1)
    np.testing.assert_allclose(total, machine.decision_function(X[:3]), rtol=0, atol=1e-10)


def test_bytes_do_not_depend_on_threads_or_company(rows: FloatArray) -> None:
    machine = SVC().fit(rows, labels(rows))
    alone = explain(machine, rows[3:4], rows[10:20], n_threads=1).values
    together = explain(machine, rows[:9], rows[10:20], n_threads=3).values
    assert alone[0].tobytes() == together[3].tobytes()


def test_names_of_a_table_are_kept(rows: FloatArray) -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(rows, columns=list("abcde"))
    found = explain(SVC().fit(table, labels(rows)), table[:3], table[10:20])
    assert found.feature_names == list("abcde")
    np.testing.assert_array_equal(found[:, "c"].values, found.values[:, 2])


def test_without_a_background_support_vectors_are_it(rows: FloatArray) -> None:
    machine = SVC().fit(rows, labels(rows))
    found = explain(machine, rows[:2])
    same = explain(machine, rows[:2], machine.support_vectors_)
    np.testing.assert_allclose(found.values, same.values)


def test_a_search_is_explained_by_its_machine(rows: FloatArray) -> None:
    tuned = TunedSVC(max_evals=2, cv=2).fit(rows, labels(rows))
    found = explain(tuned, rows[:2], rows[10:20])
    total = found.base_values + found.values.sum(axis=1)
    np.testing.assert_allclose(total, tuned.decision_function(rows[:2]), atol=1e-10)


def test_rows_far_from_the_origin_keep_their_digits(rows: FloatArray) -> None:
    machine = SVC(kernel="linear").fit(rows, labels(rows))
    near = explain(machine, rows[:3], rows[10:20]).values
    far = rows + 2.0**24
    machine = SVC(kernel="linear").fit(far, labels(rows))
    np.testing.assert_allclose(explain(machine, far[:3], far[10:20]).values, near, atol=1e-2)


@pytest.mark.parametrize(
    ("kernel", "word"),
    [
        (Gaussian(np.eye(D)), "full metric"),
        (Sigmoid(0.1), "Sigmoid"),
        (Normalized(Polynomial(2, 1.0, 1.0)), "Normalized"),
        (Polynomial(11, 0.1, 1.0), "degree"),
        (Polynomial(6, 0.1, 1.0) * Polynomial(5, 0.1, 1.0), "degree"),
        (Gaussian(0.1) + Sigmoid(0.1), "Sigmoid"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*positive semi-definite")
def test_other_kernels_are_refused_by_name(kernel: Kernel, word: str, rows: FloatArray) -> None:
    machine = SVC(kernel=kernel).fit(rows, labels(rows))
    with pytest.raises(ValueError, match=word):
        explain(machine, rows[:2], rows[:5])


def test_precomputed_kernels_and_functions_are_refused(rows: FloatArray) -> None:
    K = rows @ rows.T
    with pytest.raises(ValueError, match="Precomputed"):
        explain(SVC(kernel="precomputed").fit(K, labels(rows)), K[:2], K[:5])
    machine = SVC(kernel=lambda X, Z: X @ Z.T).fit(rows, labels(rows))
    with pytest.raises(ValueError, match="FunctionKernel"):
        explain(machine, rows[:2], rows[:5])


def test_wrong_arguments_are_named(rows: FloatArray) -> None:
    machine = SVC().fit(rows, labels(rows))
    with pytest.raises(ValueError, match="NaN"):
        explain(machine, np.full((1, D), np.nan), rows[:5])
    with pytest.raises(ValueError, match=r"background: .*NaN"):
        explain(machine, rows[:1], np.full((1, D), np.nan))
    with pytest.raises(ValueError, match="features"):
        explain(machine, rows[:1, :3], rows[:5])
    with pytest.raises(ValueError, match=r"background: .*features"):
        explain(machine, rows[:1], rows[:5, :3])
    with pytest.raises(ValueError, match="background_weight"):
        explain(machine, rows[:1], rows[:5], background_weight=[1.0, 2.0])
    with pytest.raises(ValueError, match="background_weight"):
        explain(machine, rows[:1], background_weight=[1.0])
    with pytest.raises(ValueError, match="output must be"):
        explain(machine, rows[:1], rows[:5], output="pairs")
    with pytest.raises(TypeError, match="machine must be"):
        explain(CodeClassifier(SVC()).fit(rows, labels(rows, 3)), rows[:1], rows[:5])


def test_heights_that_are_set_to_0_are_explained_as_they_were() -> None:
    rows = np.random.default_rng(0).normal(size=(60, 2))
    machine = OneClassSVM(nu=0.3, gamma=1e-4, tol=1e-2).fit(rows)
    why, height = explain(machine, rows, background=rows[:5]), machine.decision_function(rows)
    total = why.base_values + why.values.sum(axis=1)
    assert (height == 0).any()
    np.testing.assert_allclose(total[height != 0], height[height != 0], atol=1e-10)
    assert np.abs(total[height == 0]).max() <= machine._boundary_error()
