"""Laws of the least squares machines."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, make_multilabel_classification
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV

from mercer import LSSVC, LSSVR, RLSC, SVC, SVR, LowRank
from mercer.diagnostics import LooProbability
from mercer.kernels import Gaussian, Linear, Polynomial
from mercer.solvers.linear_system import factors

MACHINES = [
    LSSVR(alpha=0.3, gamma=0.4),
    LSSVR(alpha=0.3, gamma=0.4, fit_intercept=False),
    LSSVR(alpha=0.3, gamma=0.4, fit_intercept="penalized"),
    LSSVR(alpha=0.3, kernel="linear"),
    LSSVR(alpha=0.3, gamma=0.4, low_rank=500),
    LSSVR(alpha=0.3, gamma=0.4, low_rank=LowRank(500, method="nystrom")),
    LSSVR(alpha=0.3, gamma=0.4, penalty="coefficients"),
    LSSVR(alpha=0.3, gamma=0.4, penalty="coefficients", low_rank=LowRank(basis=np.eye(3))),
    LSSVR(alpha=0.3, gamma=0.4, robust="huber"),
]


@pytest.fixture
def problem() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    return X, np.sin(X[:, 0]) + 0.1 * rng.normal(size=40)


@pytest.fixture
def iris() -> tuple[np.ndarray, np.ndarray]:
    return load_iris(return_X_y=True)


@pytest.mark.parametrize("machine", MACHINES, ids=str)
def test_weights_are_repetitions(machine, problem):
    X, y = problem
    weight = np.random.default_rng(1).integers(0, 4, len(y))
    weighted = clone(machine).fit(X, y, weight)
    repeated = clone(machine).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-7)
    assert weighted.dof_ == pytest.approx(repeated.dof_, abs=1e-6)
    if machine.robust is None:
        assert weighted.gcv_ == pytest.approx(repeated.gcv_, rel=1e-6)


@pytest.mark.parametrize("machine", MACHINES, ids=str)
def test_order_of_rows_does_not_matter(machine, problem):
    X, y = problem
    order = np.random.default_rng(1).permutation(len(y))
    one, other = clone(machine).fit(X, y), clone(machine).fit(X[order], y[order])
    np.testing.assert_allclose(one.predict(X), other.predict(X), atol=1e-7)
    np.testing.assert_allclose(one.loo_values_[order], other.loo_values_, atol=1e-6)


@pytest.mark.parametrize("machine", MACHINES[:-1], ids=str)
def test_outputs_do_not_know_of_each_other(machine, problem):
    X, y = problem
    Y = np.column_stack([y, y**2, 3 * y])
    together = clone(machine).fit(X, Y)
    for k in range(3):
        alone = clone(machine).fit(X, Y[:, k])
        np.testing.assert_allclose(together.predict(X)[:, k], alone.predict(X), atol=1e-8)
        np.testing.assert_allclose(together.loo_values_[:, k], alone.loo_values_, atol=1e-8)


@pytest.mark.parametrize("machine", MACHINES, ids=str)
def test_copies_predict_the_same(machine, problem):
    X, y = problem
    fitted = clone(machine).fit(X, y)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(X), fitted.predict(X))


@pytest.mark.parametrize("low_rank", [None, 7])
def test_form_of_the_rows_does_not_matter(low_rank, problem):
    X, y = problem
    if low_rank:
        low_rank = LowRank(low_rank, random_state=0)
    machine = LSSVR(gamma=0.4, low_rank=low_rank)
    expected = clone(machine).fit(X, y)
    sparse = clone(machine).fit(sp.csr_matrix(X), y)
    stored = clone(machine).set_params(kernel="precomputed").fit(rbf_kernel(X, gamma=0.4), y)
    function = clone(machine).set_params(kernel=lambda a, b: rbf_kernel(a, b, gamma=0.4)).fit(X, y)
    np.testing.assert_allclose(sparse.predict(sp.csr_matrix(X)), expected.predict(X), atol=1e-10)
    np.testing.assert_allclose(
        stored.predict(rbf_kernel(X, gamma=0.4)), expected.predict(X), atol=1e-10
    )
    np.testing.assert_allclose(function.predict(X), expected.predict(X), atol=1e-10)
    np.testing.assert_allclose(stored.loo_values_, expected.loo_values_, atol=1e-9)


def test_precomputed_rows_without_weight(problem):
    X, y = problem
    weight = np.ones(len(y))
    weight[::3] = 0.0
    K = rbf_kernel(X, gamma=0.4)
    for low_rank in (None, LowRank(6, random_state=0), LowRank(6, method="subset", random_state=0)):
        machine = LSSVR(gamma=0.4, low_rank=low_rank)
        expected = clone(machine).fit(X, y, weight)
        stored = clone(machine).set_params(kernel="precomputed").fit(K, y, weight)
        np.testing.assert_allclose(stored.predict(K), expected.predict(X), atol=1e-10)


def test_alpha_moves_between_the_mean_and_interpolation(problem):
    X, y = problem
    np.testing.assert_allclose(LSSVR(alpha=1e12).fit(X, y).predict(X), y.mean(), atol=1e-8)
    large = LSSVR(alpha=1e12, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(large.predict(X), 0.0, atol=1e-8)
    small = LSSVR(alpha=1e-10, gamma=5.0).fit(X, y)
    np.testing.assert_allclose(small.predict(X), y, atol=1e-6)
    assert small.dof_ == pytest.approx(len(y), abs=1e-4)
    assert LSSVR(alpha=1e12).fit(X, y).dof_ == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("alpha", ["loo", np.logspace(-4, 3, 15)], ids=["loo", "grid"])
@pytest.mark.parametrize("machine", [RLSC(), LSSVC(), RLSC(kernel="linear"), LSSVC(low_rank=30)])
def test_alpha_of_the_least_error_is_taken(machine, alpha, iris):
    X, y = iris
    fitted = clone(machine).set_params(alpha=alpha).fit(X, y)
    best = np.flatnonzero(fitted.alphas_ == fitted.alpha_)[0]
    assert fitted.loo_errors_[best] == fitted.loo_errors_.min() == fitted.loo_error_
    wrong = fitted.classes_[fitted.loo_values_.argmax(axis=1)] != y
    assert fitted.loo_error_ == pytest.approx(wrong.mean())
    assert len(fitted.alphas_) == len(fitted.loo_errors_)
    again = clone(machine).set_params(alpha=fitted.alpha_)
    if machine.low_rank is None:
        np.testing.assert_allclose(
            again.fit(X, y).decision_function(X), fitted.decision_function(X), atol=1e-7
        )


def test_many_classes_and_alphas_take_one_factorization(monkeypatch):
    X, y = load_digits(return_X_y=True)
    counted = []
    eigh = factors.eigh
    monkeypatch.setattr(factors, "eigh", lambda *a, **k: counted.append(1) or eigh(*a, **k))
    machine = RLSC(alpha="loo").fit(X[:200], y[:200])
    assert len(counted) == 1
    assert machine.dual_coef_.shape == (10, 200)
    assert machine.decision_function(X[:5]).shape == (5, 10)


def test_sum_of_the_class_values_is_that_of_a_constant(iris):
    """Labels 0 and 1: the classes add up to the fit of all ones (Rifkin 2002, section 4.4.2)."""
    X, y = iris
    machine = RLSC(alpha=0.5, gamma=0.3).fit(X, y)
    ones = LSSVR(alpha=0.5, gamma=0.3, fit_intercept=False).fit(X, np.ones(len(y)))
    total = machine.decision_function(X).sum(axis=1)
    np.testing.assert_allclose(total, -ones.predict(X), atol=1e-9)


def test_two_classes_are_the_general_machine(problem):
    X, y = problem
    labels = np.where(y > 0, "up", "down")
    ours = LSSVC(alpha=0.25, gamma=0.4).fit(X, labels)
    peer = SVC(C=4.0, gamma=0.4, loss="squared_error", tol=1e-10).fit(X, labels)
    np.testing.assert_allclose(ours.decision_function(X), peer.decision_function(X), atol=1e-8)
    assert (ours.predict(X) == peer.predict(X)).all()


def test_class_weight_is_sample_weight(iris):
    X, y = iris
    grid = np.logspace(-3, 2, 6)
    by_class = RLSC(alpha=grid, class_weight={0: 3.0, 2: 0.5}).fit(X, y)
    by_row = RLSC(alpha=grid, gamma=by_class.kernel_.gamma)
    by_row.fit(X, y, np.array([3.0, 1.0, 0.5])[y])
    np.testing.assert_allclose(by_class.decision_function(X), by_row.decision_function(X))
    np.testing.assert_allclose(by_class.loo_errors_, by_row.loo_errors_)
    assert by_class.alpha_ == by_row.alpha_


def test_l0_may_leave_no_support_vector(problem):
    X, y = problem
    machine = LSSVR(alpha=1e6, sparse="l0").fit(X, y)
    assert len(machine.support_) == 0
    np.testing.assert_allclose(machine.predict(X), y.mean(), atol=1e-9)
    left_out = (y.sum() - y) / (len(y) - 1)
    np.testing.assert_allclose(machine.loo_values_, left_out, atol=1e-9)


def test_full_basis_is_the_exact_machine(problem):
    X, y = problem
    exact = LSSVR(alpha=0.3, gamma=0.4).fit(X, y)
    for method in ("rectangle", "subset", "nystrom"):
        machine = LSSVR(alpha=0.3, gamma=0.4, low_rank=LowRank(40, method=method)).fit(X, y)
        np.testing.assert_allclose(machine.predict(X), exact.predict(X), atol=1e-7)
        assert machine.solver_ == method


@pytest.mark.parametrize("bias", [False, True])
def test_rectangle_is_nystrom_with_the_extended_kernel(bias, problem):
    """K_xm K_mm^-1 K_mn c_nystrom = K_xm c_rectangle (Rifkin 2002, section 3.7.2)."""
    X, y = problem
    settings = {"alpha": 0.3, "gamma": 0.4, "fit_intercept": bias}
    nystrom = LSSVR(**settings, low_rank=LowRank(basis=X[:6], method="nystrom")).fit(X, y)
    rectangle = LSSVR(**settings, low_rank=LowRank(basis=X[:6])).fit(X, y)
    kernel = Gaussian(0.4)
    extended = kernel(X, X[:6]) @ np.linalg.solve(kernel(X[:6]), kernel(X[:6], X))
    values = extended @ nystrom.dual_coef_[0] + nystrom.intercept_
    np.testing.assert_allclose(values, rectangle.predict(X), atol=1e-7)
    bare = LSSVR(**settings, low_rank=LowRank(basis=X[:6], method="nystrom"), loo=False).fit(X, y)
    np.testing.assert_allclose(bare.predict(X), nystrom.predict(X), atol=1e-9)


@pytest.mark.parametrize("method", ["rectangle", "subset", "nystrom"])
def test_several_models_are_averaged(method, problem):
    X, y = problem
    low_rank = LowRank(6, method=method, n_models=3, random_state=0)
    machine = LSSVR(alpha=0.3, gamma=0.4, low_rank=low_rank).fit(X, y)
    one = [
        LSSVR(alpha=0.3, gamma=0.4, low_rank=LowRank(basis=basis, method=method)).fit(X, y)
        for basis in machine.low_rank_.basis_
    ]
    mean = np.mean([single.predict(X) for single in one], axis=0)
    np.testing.assert_allclose(machine.predict(X), mean, atol=1e-8)
    assert machine.dof_ == pytest.approx(np.mean([single.dof_ for single in one]))


def test_trace_error_is_what_the_basis_misses(problem):
    X, y = problem
    weight = np.random.default_rng(0).choice([0.0, 1.0, 2.0], len(y))
    machine = LSSVR(gamma=0.4, low_rank=LowRank(6, random_state=0)).fit(X, y, weight)
    basis = X[machine.low_rank_.basis_[0]]
    kernel = Gaussian(0.4)
    approximate = kernel(X, basis) @ np.linalg.solve(kernel(basis), kernel(basis, X))
    missed = weight @ (1.0 - np.diagonal(approximate)) / weight.sum()
    assert machine.low_rank_.trace_error_ == pytest.approx(missed)
    assert (weight[machine.low_rank_.basis_[0]] > 0).all()


def test_a_basis_of_copies_is_no_obstacle(problem):
    X, y = problem
    copies = np.repeat(X[:3], 5, axis=0)
    machine = LSSVR(gamma=0.4, low_rank=LowRank(basis=copies)).fit(X, y)
    alone = LSSVR(gamma=0.4, low_rank=LowRank(basis=X[:3])).fit(X, y)
    np.testing.assert_allclose(machine.predict(X), alone.predict(X), atol=1e-9)
    assert len(machine.low_rank_.basis_[0]) == 3
    constant = LSSVR(gamma=0.4, low_rank=5).fit(np.zeros((20, 2)), np.arange(20.0))
    np.testing.assert_allclose(constant.predict(np.zeros((1, 2))), 9.5)


def test_given_positions_count_all_rows(problem):
    X, y = problem
    weight = np.ones(len(y))
    weight[:3] = 0.0
    for basis in ([5, 8, 13], [1, 8, 13]):
        low_rank = LowRank(basis=basis)
        machine = LSSVR(gamma=0.4, low_rank=low_rank).fit(X, y, weight)
        expected = LSSVR(gamma=0.4, low_rank=LowRank(basis=X[basis])).fit(X[3:], y[3:])
        np.testing.assert_allclose(machine.predict(X), expected.predict(X), atol=1e-9)


def test_rank_is_a_parameter_of_searches(iris):
    X, y = iris
    grid = {"low_rank__rank": [2, 30], "alpha": [0.1, 1.0]}
    search = GridSearchCV(RLSC(low_rank=LowRank(random_state=0)), grid, cv=3).fit(X, y)
    assert search.best_params_["low_rank__rank"] == 30


@pytest.mark.parametrize("sparse", ["prune", "l0"])
def test_sparse_machines_keep_their_accuracy(sparse, iris):
    X, y = iris
    machine = LSSVC(alpha=0.1, sparse=sparse).fit(X, y)
    full = LSSVC(alpha=0.1).fit(X, y)
    assert len(machine.support_) < 0.8 * len(y)
    assert machine.score(X, y) >= full.score(X, y) - 0.03
    assert machine.dual_coef_.shape == (3, len(machine.support_))


def test_l0_is_the_fixed_point_of_its_equations(problem):
    """[[0, 1'], [1, K S K + alpha]] [b; v] = [0; y], a = S K v, S = diag(a^2)."""
    X, y = problem
    machine = LSSVR(alpha=0.1, gamma=0.4, sparse="l0").fit(X, y)
    a = np.zeros(len(y))
    a[machine.support_] = machine.dual_coef_[0]
    K, n = Gaussian(0.4)(X), len(y)
    B = np.ones((n + 1, n + 1))
    B[n, n] = 0.0
    B[:n, :n] = K @ np.diag(a**2) @ K + 0.1 * np.eye(n)
    v = np.linalg.solve(B, np.append(y, 0.0))
    np.testing.assert_allclose(a**2 * (K @ v[:n]), a, atol=1e-6 * np.abs(a).max())
    assert v[n] == pytest.approx(machine.intercept_[0], abs=1e-6)


def test_proximal_machine_penalizes_coefficients(problem):
    """(K^2 + alpha) c = K y (Fung & Mangasarian 2001)."""
    X, y = problem
    K = Gaussian(0.4)(X)
    machine = LSSVR(alpha=0.3, gamma=0.4, penalty="coefficients", fit_intercept=False).fit(X, y)
    coef = np.linalg.solve(K @ K + 0.3 * np.eye(len(y)), K @ y)
    np.testing.assert_allclose(machine.dual_coef_[0], coef, atol=1e-8)
    reduced = clone(machine).set_params(low_rank=LowRank(basis=X[:5])).fit(X, y)
    part = np.linalg.solve(K[:5] @ K[:, :5] + 0.3 * np.eye(5), K[:5] @ y)
    np.testing.assert_allclose(reduced.dual_coef_[0], part, atol=1e-8)
    # the bias is a coefficient like the others
    biased = clone(machine).set_params(fit_intercept="penalized").fit(X, y)
    wide = np.hstack([K, np.ones((len(y), 1))])
    full = np.linalg.solve(wide.T @ wide + 0.3 * np.eye(len(y) + 1), wide.T @ y)
    np.testing.assert_allclose(biased.intercept_[0], full[-1], atol=1e-8)


def test_linear_proximal_machine_is_a_penalized_bias(problem):
    X, y = problem
    machine = LSSVR(alpha=0.3, kernel="linear", fit_intercept="penalized").fit(X, y)
    wide = np.hstack([X, np.ones((len(y), 1))])
    full = np.linalg.solve(wide.T @ wide + 0.3 * np.eye(4), wide.T @ y)
    np.testing.assert_allclose(np.append(machine.coef_, machine.intercept_), full, atol=1e-10)


def test_huber_weights_reach_the_optimum_of_the_huber_loss(problem):
    X, y = problem
    y = y.copy()
    y[::8] += 6.0
    machine = LSSVR(alpha=0.2, gamma=0.4, robust="huber").fit(X, y)
    delta = 1.345 * machine.scale_
    peer = SVR(C=5.0, gamma=0.4, loss="huber", delta=delta, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(machine.predict(X), peer.predict(X), atol=1e-6)
    assert (machine.robust_weight_[::8] < 0.5).all()


def test_weights_that_do_not_settle_are_reported(problem, monkeypatch):
    X, y = problem
    y = y.copy()
    y[::8] += 6.0
    settled = LSSVR(alpha=0.2, gamma=0.4, robust="huber").fit(X, y)
    assert settled.n_iter_ > 2
    monkeypatch.setattr("mercer.machines.least_squares.robust.ROUNDS", 2)
    with pytest.warns(ConvergenceWarning, match="after 2 rounds"):
        assert LSSVR(alpha=0.2, gamma=0.4, robust="huber").fit(X, y).n_iter_ == 2


def test_rows_fitted_without_error_keep_their_weights(problem):
    X, _ = problem
    machine = LSSVR(robust="hampel").fit(X, np.zeros(len(X)))
    assert machine.scale_ == 0.0
    assert (machine.robust_weight_ == 1.0).all()


@pytest.mark.parametrize("alpha", [0.2, [0.02, 0.2, 2.0]])
@pytest.mark.parametrize("low_rank", [None, LowRank(15, random_state=0)])
def test_outliers_lose_their_power(alpha, low_rank):
    X = np.linspace(0, 6, 80)[:, None]
    clean = np.sin(X[:, 0])
    y = clean + 0.05 * np.random.default_rng(0).normal(size=80)
    y[::10] += 5.0
    errors = {}
    for robust in (None, "huber", "hampel"):
        machine = LSSVR(alpha=alpha, robust=robust, low_rank=low_rank).fit(X, y)
        errors[robust] = np.abs(machine.predict(X) - clean).mean()
    assert errors["hampel"] < 0.1 < errors[None]
    assert errors["huber"] < 0.2


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alpha": [1.0, -1.0]}, "alpha must be"),
        ({"alpha": []}, "alpha must be"),
        ({"low_rank": 5, "solver": "cg"}, "solver must be 'auto' with low_rank"),
        ({"penalty": "coefficients", "solver": "cg"}, "solver must be 'auto'"),
        (
            {"penalty": "coefficients", "low_rank": LowRank(3, method="nystrom")},
            "method='rectangle'",
        ),
        ({"sparse": "l0", "low_rank": 5}, "low_rank must be None"),
        ({"low_rank": LowRank(basis=np.eye(3), method="subset")}, "among the training rows"),
        ({"low_rank": LowRank(3, method="magic")}, "method"),
    ],
)
def test_what_does_not_go_together_is_refused(parameters, message, problem):
    with pytest.raises(ValueError, match=message):
        LSSVR(**parameters).fit(*problem)
    if parameters.get("sparse"):
        with pytest.raises(ValueError, match="cannot be combined"):
            LSSVR(robust="huber", sparse="l0").fit(*problem)


def test_robust_machines_have_one_target(problem):
    X, y = problem
    with pytest.raises(ValueError, match="one target"):
        LSSVR(robust="huber").fit(X, np.column_stack([y, y]))
    with pytest.warns(DataConversionWarning):
        assert LSSVR(robust="huber").fit(X, y[:, None]).predict(X).shape == y.shape


def test_one_class_is_refused(iris):
    X, y = iris
    with pytest.raises(ValueError, match="classes"):
        RLSC().fit(X, y, (y == 1).astype(float))


@pytest.mark.parametrize("machine", [RLSC, LSSVC])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_agree_with_the_prediction(machine, n_classes):
    rng = np.random.default_rng(0)
    y = np.arange(90) % n_classes
    X = rng.normal(size=(90, 2)) + y[:, None]
    fitted = machine(alpha="loo").fit(X, y)
    probability = fitted.predict_proba(X)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    np.testing.assert_array_equal(fitted.classes_[probability.argmax(axis=1)], fitted.predict(X))
    np.testing.assert_allclose(np.exp(fitted.predict_log_proba(X)), probability)
    expected = LooProbability(fitted, y).predict_proba(X)
    np.testing.assert_allclose(probability, expected)
    weight = rng.integers(1, 4, 90)
    weighted = machine(gamma=0.3).fit(X, y, weight).predict_proba(X)
    copies = np.repeat(np.arange(90), weight)
    np.testing.assert_allclose(
        machine(gamma=0.3).fit(X[copies], y[copies]).predict_proba(X), weighted, atol=1e-5
    )


def test_probabilities_without_left_out_values_say_what_they_need():
    X, y = np.arange(20.0)[:, None], np.arange(20) // 10
    for machine in (RLSC(solver="cg"), RLSC(loo=False), RLSC(kernel="linear").partial_fit(X, y)):
        with pytest.raises(AttributeError) as error:
            machine.predict_proba(X)
        assert "predict_proba needs leave-one-out values" in str(error.value.__cause__)


@pytest.mark.parametrize("solver", ["direct", "eigen", "cg", "smo", "primal"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_every_linear_machine_has_weights(solver, form):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    machine = LSSVR(kernel="linear", solver=solver, tol=1e-9).fit(form(X), y)
    assert machine.coef_.shape == (1, 3)
    np.testing.assert_allclose(X @ machine.coef_[0] + machine.intercept_, machine.predict(form(X)))


@pytest.mark.parametrize("kernel", [2.0 * Linear(), Linear() + 1.0 * Linear(), Polynomial(1, 2.0)])
def test_scaled_linear_kernels_have_weights(kernel):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    for machine in (RLSC(kernel=kernel), SVC(kernel=kernel)):
        machine.fit(X, y)
        values = X @ machine.coef_[0] + machine.intercept_
        np.testing.assert_allclose(values, machine.decision_function(X), atol=1e-9)
    assert not hasattr(RLSC().fit(X, y), "coef_")


def test_gcv_chooses_alpha():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.normal(size=60)
    machine = LSSVR(alpha="gcv").fit(X, y)
    scores = [LSSVR(alpha=alpha).fit(X, y).gcv_ for alpha in machine.alphas_]
    np.testing.assert_allclose(machine.gcv_, min(scores), rtol=1e-6)
    streamed = LSSVR(alpha="gcv", kernel="linear").partial_fit(X[:30], y[:30])
    streamed.partial_fit(X[30:], y[30:])
    whole = LSSVR(alpha="gcv", kernel="linear").fit(X, y)
    np.testing.assert_allclose(streamed.alpha_, whole.alpha_)
    assert len(streamed.alphas_) == 45


def test_a_vector_of_alphas_is_no_alpha_for_each_target():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 3)), rng.normal(size=(30, 2))
    with pytest.warns(UserWarning, match="not an alpha for each as in KernelRidge"):
        machine = LSSVR(alpha=[1.0, 10.0]).fit(X, Y)
    assert machine.alpha_ in (1.0, 10.0)


@pytest.mark.parametrize("machine", [RLSC, LSSVC])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_every_label_is_a_machine_of_its_own(machine, form):
    X, Y = make_multilabel_classification(60, n_classes=4, random_state=0)
    weight = np.random.default_rng(0).choice([0.0, 1.0, 2.0], 60)
    several = machine(alpha=0.5).fit(X, form(Y), weight)
    for k in range(4):
        alone = machine(alpha=0.5).fit(X, Y[:, k], weight)
        np.testing.assert_allclose(several.decision_function(X)[:, k], alone.decision_function(X))
        np.testing.assert_array_equal(several.predict(X)[:, k], alone.predict(X))
    probability = several.predict_proba(X)
    np.testing.assert_array_equal(probability > 0.5, several.predict(X) == 1)
    wrong = np.average((several.loo_values_ > 0) != Y, axis=0, weights=weight).mean()
    np.testing.assert_allclose(several.loo_error_, wrong)


def test_labels_that_are_no_indicators_are_refused():
    X, Y = make_multilabel_classification(30, n_classes=3, random_state=0)
    with pytest.raises(ValueError, match="Unknown label type: multiclass-multioutput"):
        RLSC().fit(X, Y + np.arange(3))
    with pytest.raises(ValueError, match="class_weight must be None for several labels"):
        RLSC(class_weight="balanced").fit(X, Y)
