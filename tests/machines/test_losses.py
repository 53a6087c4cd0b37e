"""Every loss of every machine reaches the optimum of its own problem, found by other means."""

from __future__ import annotations

import numpy as np
import pytest

from machines.machine_cases import CASES, SQUARED_TUBE, exact_gram, sample
from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM, certify
from mercer.kernels import Gaussian
from reference import DenseGram, as_solution, smo, solve_qp


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("name", CASES)
def test_optimum(name: str, weighted: bool) -> None:
    """The value of an interior point method, the function of a plain SMO, on a dense matrix."""
    case, data = CASES[name], sample(3, 30)
    y, weight = data.targets(case), data.weight if weighted else None
    machine = case.fit(data.X, y, weight)
    rows = np.arange(len(y))
    K = exact_gram(machine, data.X).block(rows, rows)
    formulation = case.formulate(y, weight)
    reached = case.certify(machine, data.X, y, weight)
    best = solve_qp(formulation.problem, K)
    optimum = certify(formulation.problem, DenseGram(K), best).objective
    assert reached.objective == pytest.approx(optimum, rel=1e-8)
    assert reached.objective == pytest.approx(machine.objective_, rel=1e-12)
    snapped = smo(formulation.problem, K, tol=1e-8).coef
    fitted = formulation.fitted_parameters(as_solution(formulation.problem, DenseGram(K), snapped))
    plain = K - 1.0 if name.endswith("penalized") else K
    expected = plain @ fitted.coef + fitted.intercept
    np.testing.assert_allclose(case.values(machine, data.X), expected, atol=1e-6)


@pytest.mark.parametrize(("machine", "loss"), [(SVC, "hinge"), (SVR, "epsilon_insensitive")])
def test_a_penalized_bias_is_a_kernel_without_one(machine: type, loss: str) -> None:
    data = sample()
    y = data.labels if machine is SVC else data.numbers
    one = machine(loss=loss, gamma=0.3, fit_intercept="penalized").fit(data.X, y)
    other = machine(loss=loss, kernel=Gaussian(0.3) + 1.0, fit_intercept=False).fit(data.X, y)
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-12)
    values = [getattr(m, "decision_function", m.predict)(data.X) for m in (one, other)]
    np.testing.assert_allclose(*values, atol=1e-9)
    assert one.intercept_ == pytest.approx(one.dual_coef_.sum())
    assert other.intercept_ == 0.0


def test_without_a_bias_the_function_is_its_expansion() -> None:
    data = sample()
    machine = SVC(kernel="linear", fit_intercept=False).fit(data.X, data.labels)
    assert machine.intercept_ == 0.0
    assert machine.decision_function(np.zeros((1, 3))) == 0.0


def test_absolute_error_is_a_tube_without_width() -> None:
    data = sample()
    one = SVR(loss="absolute_error").fit(data.X, data.numbers)
    other = SVR(epsilon=0.0).fit(data.X, data.numbers)
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-9)


def test_squared_error_is_a_squared_tube_without_width() -> None:
    data = sample()
    one = SVR(loss="squared_error").fit(data.X, data.numbers)
    other = SVR(loss=SQUARED_TUBE, epsilon=0.0).fit(data.X, data.numbers)
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-9)
    np.testing.assert_allclose(one.predict(data.X), other.predict(data.X), atol=1e-9)
    # the residual of a row is its coefficient over C
    np.testing.assert_allclose(
        data.numbers - one.predict(data.X), one.solutions_[0].coef, atol=1e-9
    )


def test_huber_lies_between_squared_and_absolute() -> None:
    data = sample()
    wide = SVR(loss="huber", delta=1e6).fit(data.X, data.numbers)
    squared = SVR(loss="squared_error").fit(data.X, data.numbers)
    assert wide.objective_ == pytest.approx(squared.objective_, rel=1e-9)
    narrow = SVR(loss="huber", delta=1e-6, C=1e6).fit(data.X, data.numbers)
    absolute = SVR(loss="absolute_error", C=1.0).fit(data.X, data.numbers)
    assert narrow.objective_ == pytest.approx(absolute.objective_, rel=1e-4)


def test_huber_lies_between_the_squared_hinge_and_least_squares() -> None:
    data = sample()
    values = [SVC(loss="huber", delta=d).fit(data.X, data.labels).objective_ for d in (0.0, 1e9)]
    hinge = SVC(loss="squared_hinge").fit(data.X, data.labels).objective_
    squares = SVC(loss="squared_error").fit(data.X, data.labels).objective_
    assert values == pytest.approx([hinge, squares], rel=1e-9)


def test_the_pinball_lies_between_the_hinge_and_the_absolute_error() -> None:
    data = sample()
    values = [
        SVC(loss="pinball", tau=tau).fit(data.X, data.labels).objective_ for tau in (0, 0.5, 1)
    ]
    hinge = SVC(loss="hinge").fit(data.X, data.labels).objective_
    absolute = SVC(loss="absolute_error").fit(data.X, data.labels).objective_
    assert values[::2] == pytest.approx([hinge, absolute], rel=1e-9)
    assert values == sorted(values)


@pytest.mark.parametrize("tau", [0.1, 0.5, 0.9])
def test_coefficients_of_the_pinball_are_its_slopes(tau: float) -> None:
    """C below the margin, -tau C beyond it: every row but those on the margin is at a bound."""
    data = sample()
    machine = SVC(loss="pinball", tau=tau, tol=1e-9).fit(data.X, data.labels)
    margin = data.labels * machine.decision_function(data.X)
    slope = data.labels * machine.solutions_[0].coef
    np.testing.assert_allclose(slope[margin < 1 - 1e-6], 1.0, rtol=1e-12)
    np.testing.assert_allclose(slope[margin > 1 + 1e-6], -tau, rtol=1e-12)
    assert slope.min() >= -tau - 1e-12
    assert slope.max() <= 1.0 + 1e-12


def test_a_one_sided_huber_forgives_outliers_of_its_side_only() -> None:
    rng = np.random.default_rng(0)
    X = np.linspace(-2, 2, 80)[:, None]
    y = np.sin(X[:, 0]) + 0.05 * rng.normal(size=80)
    y[::8] -= 5.0
    below, above = (
        SVR(loss="huber", delta=delta, C=10.0).fit(X, y).predict(X) - np.sin(X[:, 0])
        for delta in ((0.1, np.inf), (np.inf, 0.1))
    )
    assert np.abs(below).mean() < 0.1
    assert np.abs(above).mean() > 0.4
    mirrored = SVR(loss="huber", delta=(np.inf, 0.1), C=10.0).fit(X, -y).predict(X)
    np.testing.assert_allclose(-mirrored - np.sin(X[:, 0]), below, atol=1e-3)
    squared, wide = SVR(loss="squared_error").fit(X, y), SVR(loss="huber", delta=(np.inf, np.inf))
    assert wide.fit(X, y).objective_ == pytest.approx(squared.objective_, rel=1e-9)


@pytest.mark.parametrize("delta", [(1.0,), (0.0, 1.0), (1.0, -1.0), (1.0, np.nan)])
def test_pairs_of_deltas_that_are_none(delta: tuple[float, ...]) -> None:
    data = sample()
    with pytest.raises(ValueError, match="delta must"):
        SVR(loss="huber", delta=delta).fit(data.X, data.numbers)


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.8])
def test_quantile_leaves_its_share_below(quantile: float) -> None:
    """Between the shares strictly below and below or on the fit."""
    data = sample(0, 100)
    machine = SVR(loss="quantile", quantile=quantile, C=5.0).fit(data.X, data.numbers)
    residual = data.numbers - machine.predict(data.X)
    assert (residual < -1e-9).mean() <= quantile <= (residual <= 1e-9).mean()


@pytest.mark.parametrize("nu", [0.1, 0.4, 0.9])
@pytest.mark.parametrize("machine", [NuSVR, OneClassSVM, NuSVC])
def test_nu_bounds_the_shares_of_errors_and_of_support_vectors(machine: type, nu: float) -> None:
    """Errors are coefficients at their bound."""
    data = sample(0, 100)
    labels = np.where(np.arange(100) % 2, 1.0, -1.0)
    y = data.numbers if machine is NuSVR else labels
    fitted = machine(nu=nu).fit(data.X, y)
    coef = np.abs(fitted.solutions_[0].coef)
    if machine is NuSVR:  # two variables a row
        coef = coef.reshape(2, -1).max(axis=0)
    assert (coef >= 1.0).mean() <= nu + 1e-12
    assert (coef > 0.0).mean() >= nu - 1e-12


def test_learned_tube() -> None:
    """Never of negative width; the machine with that width given is the same."""
    data = sample()
    for nu in (0.05, 0.3, 0.7, 1.0):
        learned = NuSVR(nu=nu).fit(data.X, data.numbers)
        assert learned.epsilon_ >= 0.0
        given = SVR(epsilon=learned.epsilon_).fit(data.X, data.numbers)
        np.testing.assert_allclose(learned.predict(data.X), given.predict(data.X), atol=1e-6)


def test_learned_tube_of_the_squared_loss() -> None:
    """A negative width is zero: least squares (docs/theory/problem.md#a-negative-tube)."""
    data = sample()
    narrow = NuSVR(loss=SQUARED_TUBE, nu=1.0, C=1.0).fit(data.X, data.numbers)
    squares = SVR(loss="squared_error", C=1.0).fit(data.X, data.numbers)
    assert narrow.epsilon_ == 0.0
    np.testing.assert_allclose(narrow.predict(data.X), squares.predict(data.X), atol=1e-9)
    wide = NuSVR(loss=SQUARED_TUBE, nu=0.05, C=1.0).fit(data.X, data.numbers)
    assert wide.epsilon_ > 0.0
    # nu is the mean distance to the tube
    distance = np.maximum(np.abs(data.numbers - wide.predict(data.X)) - wide.epsilon_, 0.0)
    assert distance.mean() == pytest.approx(0.05, abs=1e-9)


def test_nu_machine_is_a_machine_with_a_C() -> None:
    """C = 1 / rho (Lopez Lazaro 2011, proposition 5.5)."""
    data = sample()
    nu = NuSVC(nu=0.4).fit(data.X, data.labels)
    same = SVC(C=1.0 / nu.rho_[0]).fit(data.X, data.labels)
    np.testing.assert_allclose(
        nu.decision_function(data.X), same.decision_function(data.X), atol=1e-7
    )


def test_squared_nu_machine_has_one_solution() -> None:
    data = sample()
    with pytest.warns(UserWarning, match="nu has no effect"):
        values = [
            NuSVC(nu=nu, loss="squared_hinge").fit(data.X, data.labels).decision_function(data.X)
            for nu in (0.1, 0.9)
        ]
    np.testing.assert_allclose(*values, atol=1e-9)
    same = SVC(loss="squared_hinge", C=1 / len(data.X)).fit(data.X, data.labels)
    np.testing.assert_allclose(values[0], same.decision_function(data.X), atol=1e-9)


def test_one_class_machine_of_everything() -> None:
    """With nu = 1 every row has the same coefficient: the mean."""
    data = sample()
    machine = OneClassSVM(nu=1.0).fit(data.X)
    assert machine.dual_coef_.tolist() == [[1.0] * len(data.X)]
