"""From a solution back to the machine: identities of the optimum and parity with LIBSVM."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import svm

from formulations.cases import (
    ALL,
    WEIGHTED,
    Data,
    decision,
    machine,
    optimum,
    sample,
    separable,
    solved,
)
from mercer import formulations as fm
from mercer.problem import certify
from reference import DenseGram, smo

DATA = sample(4, n=24, weights=(1, 2, 3))
PRECISE = {"kernel": "precomputed", "tol": 1e-7}


def gaussian(data: Data, gamma: float = 0.2) -> Data:
    """The same rows in the feature space of a Gaussian kernel."""
    squares = ((data.features[:, None] - data.features[None]) ** 2).sum(-1)
    values, vectors = np.linalg.eigh(np.exp(-gamma * squares))
    return Data(vectors * np.sqrt(values), data.labels, data.targets, data.weight)


def fitted(estimator: svm.SVC, data: Data, y: np.ndarray | None) -> np.ndarray:
    estimator.fit(data.K, y, sample_weight=data.weight)
    return (
        estimator.decision_function(data.K) if y is not data.targets else estimator.predict(data.K)
    )


@pytest.mark.parametrize("data", [DATA, gaussian(DATA)], ids=["linear", "gaussian"])
def test_parity_with_libsvm(data: Data) -> None:
    """Decision values of the five LIBSVM machines."""
    y, t, w = data.labels, data.targets, data.weight
    pairs = [
        (fm.svc(y, 1.5, w), svm.SVC(C=1.5, **PRECISE), y),
        (fm.nu_svc(y, data.nu, w), svm.NuSVC(nu=data.nu, **PRECISE), y),
        (fm.one_class(data.n, 0.3, w), svm.OneClassSVM(nu=0.3, **PRECISE), None),
        (fm.svr(t, 1.5, 0.1, w), svm.SVR(C=1.5, epsilon=0.1, **PRECISE), t),
        (fm.nu_svr(t, 1.5, 0.4, w), svm.NuSVR(C=1.5, nu=0.4, **PRECISE), t),
    ]
    for formulation, estimator, targets in pairs:
        ours = decision(machine(formulation, data), data)
        assert ours == pytest.approx(fitted(estimator, data, targets), abs=1e-4), estimator


def test_nu_svc_without_margin_is_not_divided() -> None:
    """Contradictory duplicates: the hulls overlap, rho is no scale."""
    formulation = fm.nu_svc([1, -1, 1, -1], 1.0)
    gram = DenseGram(np.ones((4, 4)))
    coef = [1.0, -1.0, 1.0, -1.0]
    read = formulation.fitted_parameters(certify(formulation.problem, gram, coef), coef)
    assert (read.rho, read.scale) == (0.0, 1.0)
    np.testing.assert_array_equal(read.coef, coef)


@pytest.mark.parametrize("name", sorted(ALL))
def test_norm_is_that_of_the_plain_kernel(name: str) -> None:
    data = separable(1) if name in ("nearest", "norm") else DATA
    read = machine(ALL[name](data), data)
    assert read.norm_squared == pytest.approx(read.coef @ data.K @ read.coef, rel=1e-9)


def test_penalized_intercept_is_the_sum_of_the_coefficients() -> None:
    formulation = fm.svc(DATA.labels, 0.7, fit_intercept="penalized")
    augmented = Data(np.c_[DATA.features, np.ones(DATA.n)], DATA.labels, DATA.targets, DATA.weight)
    read = machine(formulation, augmented)
    assert read.intercept == pytest.approx(read.coef.sum())
    assert decision(read, DATA) == pytest.approx(augmented.K @ read.coef)
    assert read.norm_squared == pytest.approx(read.coef @ DATA.K @ read.coef)


def test_parameters_of_a_certificate_need_its_point() -> None:
    formulation = ALL["svc"](DATA)
    solution = solved(formulation, DATA)
    certificate = certify(formulation.problem, DATA.gram, solution.coef)
    one, other = (
        formulation.fitted_parameters(solution),
        formulation.fitted_parameters(certificate, solution.coef),
    )
    np.testing.assert_array_equal(one.coef, other.coef)
    assert one.intercept == other.intercept
    with pytest.raises(TypeError, match="coef"):
        formulation.fitted_parameters(certificate)


def test_formulation_moves_to_rows_of_a_larger_gram() -> None:
    rows = np.array([1, 0, 3, 7, 9, 12, 15, 20])
    part = DATA.take(rows, DATA.weight[rows])
    for name in ("svc", "svr", "nu-svr-squared"):
        local = WEIGHTED[name](part)
        moved = local.on_rows(rows, DATA.n)
        point = smo(local.problem, part.K, tol=1e-9)
        one = certify(local.problem, part.gram, point.coef)
        other = certify(moved.problem, DATA.gram, point.coef)
        assert other.objective == pytest.approx(one.objective)
        np.testing.assert_array_equal(
            moved.fitted_parameters(other, point.coef).coef[rows],
            local.fitted_parameters(one, point.coef).coef,
        )
        assert (moved.fallback is None) == (local.fallback is None)


# Identities of the optimum (docs/theory/problem.md#identities-at-the-optimum), in LIBSVM's scale.


def shortfall(data: Data, target: np.ndarray, values: np.ndarray) -> np.ndarray:
    return data.weight * np.maximum(0, target - values)


def test_svc_identity() -> None:
    read = machine(fm.svc(DATA.labels, 0.7, DATA.weight), DATA)
    slack = shortfall(DATA, 1.0, DATA.labels * decision(read, DATA)).sum()
    assert np.abs(read.coef).sum() == pytest.approx(read.norm_squared + 0.7 * slack)


def test_nu_svc_identity() -> None:
    read = machine(fm.nu_svc(DATA.labels, DATA.nu, DATA.weight), DATA)
    margin = DATA.labels * decision(read, DATA) * read.rho
    slack = shortfall(DATA, read.rho, margin).sum()
    total = DATA.nu * DATA.weight.sum()
    assert total * read.rho == pytest.approx(read.norm_squared * read.rho**2 + slack)


def test_one_class_identity() -> None:
    read = machine(fm.one_class(DATA.n, 0.4, DATA.weight), DATA)
    slack = shortfall(DATA, 0.0, decision(read, DATA)).sum()
    assert 0.4 * DATA.weight.sum() * read.rho == pytest.approx(read.norm_squared + slack)
    assert read.intercept == -read.rho


def test_reduced_hulls_identity() -> None:
    mu, one = DATA.mu, Data(DATA.features, DATA.labels, DATA.targets, np.ones(DATA.n))
    read = machine(fm.nearest_points(DATA.labels, mu), one)
    slack = shortfall(one, read.rho, DATA.labels * decision(read, one)).sum()
    assert 2 * read.rho == pytest.approx(read.norm_squared + mu * slack)


def test_least_squares_residual_is_alpha_coef() -> None:
    formulation = fm.least_squares(DATA.targets, 0.5, DATA.weight)
    solution = solved(formulation, DATA)
    read = formulation.fitted_parameters(solution)
    residual = DATA.targets - decision(read, DATA)
    assert residual == pytest.approx(0.5 * read.coef / DATA.weight, abs=1e-8)
    assert solution.objective == pytest.approx(DATA.targets @ read.coef / 2)


def test_tube_of_nu_svr_separates_support_vectors_from_the_rest() -> None:
    read = machine(fm.nu_svr(DATA.targets, 0.6, 0.4, DATA.weight), DATA)
    residual = np.abs(DATA.targets - decision(read, DATA))
    assert (residual[read.coef == 0] <= read.epsilon + 1e-7).all()
    assert (residual[read.coef != 0] >= read.epsilon - 1e-7).all()


# Symmetries.


ODD = sorted(set(WEIGHTED) - {"one-class", "one-class-squared", "quantile", "huber-below"})


@pytest.mark.parametrize("name", ODD)
def test_negated_targets_flip_the_machine_and_keep_the_optimum(name: str) -> None:
    mirror = Data(DATA.features, -DATA.labels, -DATA.targets, DATA.weight)
    one, other = machine(WEIGHTED[name](DATA), DATA), machine(WEIGHTED[name](mirror), mirror)
    assert optimum(WEIGHTED[name](mirror), mirror) == pytest.approx(
        optimum(WEIGHTED[name](DATA), DATA), rel=1e-8
    )
    assert other.intercept == pytest.approx(-one.intercept, abs=1e-6)
    assert decision(other, mirror) == pytest.approx(-decision(one, DATA), abs=1e-6)


@pytest.mark.parametrize("name", sorted(ALL))
def test_permutation_keeps_the_optimum(name: str) -> None:
    data = separable(1) if name in ("nearest", "norm") else DATA
    order = np.random.default_rng(0).permutation(data.n)
    other = data.take(order, data.weight[order])
    assert optimum(ALL[name](other), other) == pytest.approx(
        optimum(ALL[name](data), data), rel=1e-8
    )
