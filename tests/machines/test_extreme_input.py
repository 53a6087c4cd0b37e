"""Input that is odd but means something gets the right answer, with a certificate."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from machines.machine_cases import CASES, Sample, sample
from mercer import LSSVC, RLSC, SVC, SVR, NuSVC, NuSVR, OneClassSVM
from mercer import formulations as fm
from mercer.kernels import Precomputed

PRICED = ["svc", "svc-squared", "svr", "svr-quantile", "nu-svr"]


def degenerate() -> dict[str, Sample]:
    """Data sets without anything to hold on to."""
    y, t, w = np.array([1.0, -1.0] * 5), np.arange(10.0) % 3, np.ones(10)
    rng = np.random.default_rng(0)
    line = np.repeat(rng.integers(-1, 2, 5), 2)[:, None].astype(float)
    sets = {
        "equal rows": np.ones((10, 2)),
        "rows of zeros": np.zeros((10, 2)),
        "one feature": rng.normal(size=(10, 1)),
        "copies of both classes": line,
        "a constant feature": np.column_stack([line, np.ones(10)]),
        "tiny": 1e-40 * rng.normal(size=(10, 2)),
    }
    return {name: Sample(X, y, t, w) for name, X in sets.items()}


@pytest.mark.filterwarnings("ignore:nu=:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("data", degenerate())
@pytest.mark.parametrize("name", CASES)
def test_degenerate_rows(name: str, data: str, kernel: str) -> None:
    case, rows = CASES[name], degenerate()[data]
    y = rows.targets(case)
    machine = case.fit(rows.X, y, kernel=kernel)
    assert machine.solutions_[0].status == "converged"
    assert np.isfinite(case.values(machine, rows.X)).all()
    if machine.solutions_[0].coef.shape == case.formulate(y).problem.linear.shape:
        certificate = case.certify(machine, rows.X, y)
        assert certificate.violation <= machine.tol
        assert certificate.gap is not None
        assert certificate.gap <= 1e-9 * (1 + abs(certificate.objective))


def test_empty_sparse_rows() -> None:
    X = sparse.csr_array((6, 4))
    machine = SVC(kernel="linear").fit(X, [0, 1] * 3)
    assert machine.decision_function(X).tolist() == [0.0] * 6
    assert SVR().fit(X, np.full(6, 2.5)).predict(X) == pytest.approx(2.5)


@pytest.mark.parametrize("machine", [SVC(), SVC(C=np.inf), NuSVC(nu=1.0), SVC(kernel="linear")])
def test_two_rows(machine: Any) -> None:
    """The boundary lies in the middle."""
    machine = clone(machine).fit([[0.0], [1.0]], ["a", "b"])
    low, middle, high = machine.decision_function([[0.0], [0.5], [1.0]])
    assert middle == pytest.approx(0.0, abs=1e-12)
    assert low == pytest.approx(-high)
    assert high > 0


def test_the_same_row_in_both_classes() -> None:
    """Both copies end at their bound, and the machine knows nothing."""
    machine = SVC(C=3.0).fit([[1.0, 2.0]] * 2, [0, 1])
    assert np.abs(machine.dual_coef_).tolist() == [[3.0, 3.0]]
    assert machine.decision_function([[5.0, 5.0]]).tolist() == [0.0]


def test_one_row() -> None:
    assert SVR().fit([[1.0]], [2.0]).predict([[7.0]]) == pytest.approx(2.0)
    regression = NuSVR().fit([[1.0]], [2.0])
    assert regression.predict([[1.0]]) == pytest.approx(2.0)
    assert regression.epsilon_ == pytest.approx(0.0)
    novelty = OneClassSVM().fit([[1.0]])
    assert novelty.predict([[1.0], [9.0]]).tolist() == [1, -1]


def test_constant_targets() -> None:
    X = sample().X
    for machine in (SVR(), NuSVR(), SVR(loss="squared_error"), SVR(loss="quantile")):
        machine.fit(X, np.full(len(X), -4.0))
        np.testing.assert_allclose(machine.predict(X), -4.0, atol=1e-9)


@pytest.mark.parametrize("C", [1e-12, 1e12])
@pytest.mark.parametrize("name", PRICED)
def test_extreme_C(name: str, C: float) -> None:
    """Judged by the violation: a gap of rounding errors, by_C with 1e12, says nothing."""
    case, data = CASES[name], sample()
    y = data.targets(case)
    by_C = {
        "svc": lambda y, w: fm.svc(y, C, w),
        "svc-squared": lambda y, w: fm.svc(y, C, w, loss="squared_hinge"),
        "svr": lambda y, w: fm.svr(y, C, case.machine.epsilon, w),
        "svr-quantile": lambda y, w: fm.quantile(y, C, case.machine.quantile, w),
        "nu-svr": lambda y, w: fm.nu_svr(y, C, case.machine.nu, w),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine = case.fit(data.X, y, C=C, max_iter=100_000)
    assert np.isfinite(case.values(machine, data.X)).all()
    assert machine.solutions_[0].status in ("converged", "max-iter", "precision-limit")
    certificate = replace(case, formulation=by_C[name]).certify(machine, data.X, y)
    assert certificate.violation == pytest.approx(machine.violation_, rel=1e-6, abs=1e-9)
    if machine.solutions_[0].status == "converged":
        assert certificate.violation <= machine.tol


@pytest.mark.parametrize("C", [1e12, 1e15, 1e100])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_C_that_binds_nothing(kernel: str, C: float) -> None:
    """On separable rows it is the hard margin; a box of 1e15 once rounded all of it away."""
    X = np.random.default_rng(0).normal(size=(40, 2))
    X[:, 0] += np.where(X[:, 0] > 0, 1.0, -1.0)
    y = X[:, 0] > 0
    hard = SVC(C=np.inf, kernel=kernel).fit(X, y)
    machine = SVC(C=C, kernel=kernel).fit(X, y)
    assert machine.objective_ == pytest.approx(hard.objective_, rel=1e-9)
    assert machine.dual_gap_ <= 1e-9
    assert machine.score(X, y) == 1.0


def test_hulls_that_overlap() -> None:
    """The answer is noise, and the user is told (docs/theory/problem.md#hulls-that-overlap)."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    with pytest.warns(ConvergenceWarning, match=r"nu=0.2 is too small: .* hulls .* overlap"):
        machine = NuSVC(nu=0.2, kernel="linear").fit(X, y)
    assert machine.rho_ == pytest.approx(0.0, abs=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        NuSVC(nu=0.2).fit(X, y)


def test_a_margin_beyond_the_range_of_numbers() -> None:
    """Squares of its inverse once ended a fit with an OverflowError."""
    X = np.random.default_rng(0).normal(size=(10, 2))
    with pytest.warns(ConvergenceWarning):
        machine = NuSVC(nu=0.3, kernel="linear").fit(1e-100 * X, [1, -1] * 5)
    assert machine.predict(X).shape == (10,)


@pytest.mark.parametrize("shape", ["two classes", "three classes"])
def test_hard_margin_of_rows_that_cannot_be_separated(shape: str) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2 if shape == "two classes" else 3, 60)
    with pytest.warns(ConvergenceWarning, match=r"infinite C: choose a finite one.*unbounded"):
        machine = SVC(C=np.inf, kernel="linear").fit(X, y)
    assert {solution.status for solution in machine.solutions_} == {"unbounded"}
    assert machine.dual_gap_ == np.inf
    assert machine.predict(X).shape == y.shape


def test_hard_tube_that_cannot_hold_the_targets() -> None:
    with pytest.warns(ConvergenceWarning, match="unbounded"):
        SVR(C=np.inf).fit([[0.0], [0.0], [1.0]], [0.0, 1.0, 1.0])


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("name", ["svc", "nu-svc", "svr", "nu-svr", "one-class"])
def test_tolerance_zero(name: str, precision: str) -> None:
    """Ends at the accuracy of the arithmetic, and says that it is not zero."""
    case, data = CASES[name], sample()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine = case.fit(data.X, data.targets(case), tol=0.0, precision=precision)
    assert machine.solutions_[0].status in ("converged", "precision-limit")
    assert case.certify(machine, data.X, data.targets(case)).violation <= 1e-11


def test_kernel_matrix_that_is_surely_indefinite() -> None:
    """No gap is claimed; a gap once was."""
    X = sample().X
    K = np.tanh(X @ X.T - 1.0)
    with pytest.warns(UserWarning, match="not positive semi-definite"):
        machine = SVC(kernel="precomputed").fit(K, sample().labels)
    assert machine.dual_gap_ is None
    assert machine.violation_ <= machine.tol


def test_targets_of_any_size() -> None:
    X = sample().X
    for size in (1e-100, 1e-20, 1e20, 1e100):
        y = size * X[:, 0]
        machine = SVR(loss="squared_error", C=1e6, kernel="linear", tol=1e-6 * size).fit(X, y)
        np.testing.assert_allclose(machine.predict(X), y, rtol=1e-3, atol=1e-3 * size)


@pytest.mark.parametrize("loss", ["squared_epsilon_insensitive", "squared_error"])
@pytest.mark.parametrize("size", [1e121, 1e160, 1e300])
def test_targets_whose_squares_overflow_are_refused(size: float, loss: str) -> None:
    X = sample().X
    message = r"y must lie within \[-1e\+120, 1e\+120\] for a squared loss, got y\[0\]="
    for machine in (SVR(loss=loss), NuSVR(loss="squared_epsilon_insensitive")):
        with pytest.raises(ValueError, match=message):
            machine.fit(X, np.full(len(X), size))


@pytest.mark.parametrize("size", [1e-150, 1e-100])
@pytest.mark.parametrize("machine", [NuSVC(nu=0.3), NuSVR(), OneClassSVM()], ids=repr)
def test_kernel_values_whose_squares_vanish(machine: Any, size: float) -> None:
    """Gains of the order of 1e-400 were no gains, and the machine stayed where it began."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.repeat([-1.0, 1.0], 20)
    X[20:] += 4.0
    tiny = clone(machine).set_params(kernel="linear").fit(size * X, y)
    assert tiny.solutions_[0].status == "converged"
    same = clone(machine).set_params(kernel="linear").fit(X, y)
    if not isinstance(machine, NuSVR):
        np.testing.assert_allclose(
            tiny.solutions_[0].objective / size**2, same.solutions_[0].objective, rtol=1e-3
        )


@pytest.mark.parametrize("loss", ["squared_hinge", "squared_error", "huber"])
@pytest.mark.parametrize("precision", ["single", "double"])
def test_a_finite_C_of_squares_is_never_unbounded(loss: str, precision: Any) -> None:
    """The ridge 1/C bounds the dual even where rounding hides it next to the kernel values."""
    machine = SVC(C=1e7, loss=loss, gamma=1.0, precision=precision).fit([[0.0], [0.0]], [1, -1])
    assert machine.solutions_[0].status == "converged"
    assert machine.objective_ == pytest.approx(1e7 if loss != "huber" else machine.objective_)
    x = np.random.default_rng(0).normal(size=(20, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        far = SVR(kernel="linear", loss="squared_error", C=10, precision=precision)
        far.fit(np.c_[x, np.full(20, 1e8)], x[:, 0])
    assert far.solutions_[0].status != "unbounded"


def test_lost_ridges_of_many_rows_are_found_in_double_precision() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (3200, 2)).astype(float), rng.integers(0, 2, 3200)
    machine = SVC(C=1e8, loss="squared_hinge", gamma=1.0).fit(X, y)
    assert machine.solutions_[0].status == "converged"
    assert machine.objective_ == pytest.approx(1.5965e11, rel=1e-4)


@pytest.mark.parametrize("bias", [False, "penalized"])
@pytest.mark.parametrize("precision", ["auto", "single", "double"])
@pytest.mark.parametrize("solver", ["auto", "chunked", "smo"])
def test_a_hard_margin_on_contradicting_rows_took_68_seconds(
    bias: Any, precision: Any, solver: str
) -> None:
    """Steps of one variable at a time went on for ten million of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(72, 4))[rng.integers(0, 72, 292)]
    y = rng.integers(0, 3, 292)
    options: dict[str, Any] = {"fit_intercept": bias, "precision": precision, "solver": solver}
    machine = SVC(C=np.inf, tol=1e-6, max_iter=20_000, **options)
    with pytest.warns(ConvergenceWarning, match="unbounded"):
        machine.fit(X, y)
    assert {solution.status for solution in machine.solutions_} == {"unbounded"}


@pytest.mark.parametrize("solver", ["chunked", "smo"])
def test_a_narrow_hard_margin_is_not_unbounded(solver: str) -> None:
    """Pairs of rows of both classes near each other: coefficients of 1e4, and an optimum."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(100, 2))
    X[50:] = X[:50] + 1e-3 * rng.normal(size=(50, 2))
    y = np.repeat([0, 1], 50)
    machine = SVC(C=np.inf, kernel="laplacian", fit_intercept=False, solver=solver).fit(X, y)
    assert machine.solutions_[0].converged
    assert np.abs(machine.dual_coef_).max() > 100


@pytest.mark.parametrize("kind", [SVC, RLSC, LSSVC])
@pytest.mark.parametrize("low_rank", [None, 5])
def test_gamma_of_0_put_a_constant_in_place_of_a_precomputed_kernel(
    kind: Any, low_rank: int | None
) -> None:
    """With low_rank, now and then, an IndexError: rows were taken for positions."""
    A = np.random.default_rng(0).normal(size=(98, 3))
    K, y, weight = A @ A.T, (A[:, 0] > 0).astype(int), np.arange(98) % 3.0
    options: dict[str, Any] = {} if kind is SVC else {"low_rank": low_rank}
    machine = kind(kernel="precomputed", gamma=0.0, fit_intercept="penalized", **options)
    assert machine.fit(K, y, sample_weight=weight).score(K, y) > 0.9
    assert machine.kernel_ == Precomputed()


NU = [NuSVC(nu=0.3), NuSVC(nu=0.3, loss="squared_hinge"), OneClassSVM(nu=0.3)]
NU.append(OneClassSVM(nu=0.3, loss="squared_hinge"))


@pytest.mark.filterwarnings("ignore:nu has no effect")
@pytest.mark.parametrize("machine", NU, ids=repr)
@pytest.mark.parametrize("unit", [1e-300, 1e-160, 1e20, 1e160, 1e297])
def test_weights_of_nu_machines_have_to_do_with_each_other_only(machine: Any, unit: float) -> None:
    """Weights of 1e300 gave NaN, those of 1e-300 no machine."""
    data = sample()
    weight = 0.5 + np.random.default_rng(0).uniform(size=len(data.X))
    plain = clone(machine).fit(data.X, data.labels, sample_weight=weight)
    other = clone(machine).fit(data.X, data.labels, sample_weight=unit * weight)
    assert {solution.status for solution in other.solutions_} == {"converged"}
    scale = unit if isinstance(machine, OneClassSVM) else 1.0
    values = other.decision_function(data.X) / scale
    np.testing.assert_allclose(values, plain.decision_function(data.X), atol=1e-2)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("machine", NU, ids=repr)
def test_weights_from_1e_300_to_1e300_gave_no_numbers(machine: Any) -> None:
    data = sample()
    for seed in range(5):
        weight = 10.0 ** np.random.default_rng(seed).uniform(-300, 299, len(data.X))
        other = clone(machine)
        with suppress(ValueError):  # one class may weigh nothing next to the other
            other.fit(data.X, data.labels, sample_weight=weight)
        if not hasattr(other, "dual_coef_"):
            continue
        assert np.isfinite(other.dual_coef_).all()
        assert np.isfinite(other.decision_function(data.X)).all()


@pytest.mark.parametrize("machine", [NuSVC(nu=0.3), OneClassSVM(nu=0.3)], ids=repr)
def test_weights_whose_sum_is_out_of_range_are_refused(machine: Any) -> None:
    data = sample()
    with pytest.raises(ValueError, match=r"sum of weight must be at most 1e\+300, got .* 1e\+307"):
        clone(machine).fit(data.X, data.labels, sample_weight=np.full(len(data.X), 1e307))


@pytest.mark.parametrize("n_rows", [400, 1700])
@pytest.mark.parametrize("nu", [0.01, 0.05, 0.5])
def test_more_training_rows_were_outliers_than_nu_allows(n_rows: int, nu: float) -> None:
    """Free support vectors are on the boundary, also where the fit ends at its tolerance."""
    X = np.random.default_rng(0).normal(size=(n_rows, 5))
    machine = OneClassSVM(nu=nu).fit(X)
    is_outside = machine.predict(X) < 0
    assert is_outside.sum() <= nu * n_rows
    assert is_outside.sum() == np.count_nonzero(machine.dual_coef_ == 1.0)
    on_boundary = machine.support_[machine.dual_coef_[0] < 1.0]
    assert (machine.decision_function(X)[on_boundary] == 0.0).all()
