"""Rows far from the origin: machines of a linear kernel, and what certificates claim of others."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from mercer import (
    LSSVC,
    LSSVR,
    SVC,
    SVR,
    Gram,
    NuSVC,
    NuSVR,
    OneClassSVM,
    PathSVC,
    ReducedSVC,
    certify,
    solve,
    svc_path,
    svr_path,
)
from mercer.formulations import svc
from mercer.gram.shift import moved, shift_of_far_rows
from mercer.io import load, save
from mercer.kernels import FunctionKernel, Gaussian, Kernel, Linear, Normalized, Polynomial
from mercer.kernels import form as shapes
from mercer.problem import Problem, Solution

RNG = np.random.default_rng(0)
# multiples of 2^-10: adding an offset rounds nothing
BASE, OTHER = (np.round(RNG.normal(size=(n, 4)) * 1024) / 1024 for n in (60, 20))
TARGET = BASE[:, 0] + 0.5 * RNG.normal(size=60)
LABELS, THREE = (TARGET > 0).astype(int), np.digitize(TARGET, [-0.5, 0.5])
OFFSETS = [1e2, 1e4, 2.0**27, 2.0**36]
STORES = [np.asarray, sparse.csr_array]

every_offset = pytest.mark.parametrize("offset", OFFSETS)
every_store = pytest.mark.parametrize("store", STORES)


@pytest.fixture
def silent() -> Iterator[None]:
    """Fits that are expected to warn of what they lack."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


Values = Callable[[Any, Any], Any]
MACHINES: dict[str, tuple[Callable[[], Any], Any]] = {
    "svc": (lambda: SVC(kernel="linear", C=10.0, tol=1e-6), LABELS),
    "three classes": (lambda: SVC(kernel="linear", tol=1e-6), THREE),
    "squared": (lambda: SVC(kernel="linear", loss="squared_hinge", tol=1e-6), LABELS),
    "active set": (lambda: SVC(kernel="linear", solver="active-set", tol=1e-6), LABELS),
    "chunks": (lambda: SVC(kernel="linear", solver="chunked", tol=1e-7), LABELS),
    "nu-svc": (lambda: NuSVC(kernel="linear", nu=0.4, tol=1e-6), LABELS),
    "svr": (lambda: SVR(kernel="linear", tol=1e-6), TARGET),
    "nu-svr": (lambda: NuSVR(kernel="linear", tol=1e-6), TARGET),
    "degree 1": (lambda: SVC(kernel="poly", degree=1, gamma=0.5, tol=1e-6), LABELS),
    "sum": (lambda: SVC(kernel=Linear() + Gaussian(0.5), tol=1e-6), LABELS),
    "path": (lambda: PathSVC(kernel="linear", cv=3, C_max=10.0), LABELS),
    "least squares": (lambda: LSSVR(kernel="linear"), TARGET),
    "its dual": (lambda: LSSVR(kernel="linear", solver="direct", alpha=1.0), TARGET),
}


def values_of(machine: Any, X: Any) -> Any:
    return getattr(machine, "decision_function", machine.predict)(X)


@every_offset
@every_store
@pytest.mark.parametrize("name", MACHINES)
def test_a_linear_machine_changed_with_the_origin(name: str, store: Any, offset: float) -> None:
    make, y = MACHINES[name]
    near, far = make().fit(BASE, y), make().fit(store(BASE + offset), y)
    # the bias, and sums with it, are rounded to |w||m| 2^-53
    atol = 1e-6 + 3e-15 * offset
    found = values_of(far, store(OTHER + offset))
    np.testing.assert_allclose(found, values_of(near, OTHER), rtol=0, atol=atol)
    if hasattr(near, "objective_"):
        assert far.fit_status_ == 0
        assert far.objective_ == pytest.approx(near.objective_, rel=1e-9)
    if hasattr(near, "coef_"):
        w = far.coef_.toarray() if sparse.issparse(far.coef_) else far.coef_
        np.testing.assert_allclose(w, near.coef_, rtol=0, atol=1e-7)
        by_hand = (OTHER + offset) @ w.T + far.intercept_
        expected = OTHER @ near.coef_.T + near.intercept_
        np.testing.assert_allclose(by_hand, expected, rtol=0, atol=1e-6 + 1e-14 * offset)


@every_offset
@every_store
def test_a_linear_path_changed_with_the_origin(store: Any, offset: float, tmp_path: Path) -> None:
    near = svc_path(BASE, LABELS, kernel="linear", C_max=10.0)
    X, Z = store(BASE + offset), store(OTHER + offset)
    far = svc_path(X, LABELS, kernel="linear", C_max=10.0)
    save(far, tmp_path / "far.mercer")
    truth = (OTHER[:, 0] > 0).astype(int)
    for path in (far, load(tmp_path / "far.mercer")):
        assert len(path.events) == len(near.events)
        found = path.decision_function(Z, [0.01, 1.0, 9.0])
        expected = near.decision_function(OTHER, [0.01, 1.0, 9.0])
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7)
        np.testing.assert_array_equal(path.error(Z, truth).value, near.error(OTHER, truth).value)
        certificate = path.certificate(5.0)
        assert certificate.violation + 2.0 * certificate.error <= 1e-6 + 1e-13 * offset
        # the bias is that of the rows as they are given
        low, high = path.intercept_interval(5.0)
        assert low <= path.intercept(5.0) <= high
        w = BASE.T @ path.coef(5.0)
        moved_back = path.intercept(5.0) + offset * w.sum()
        assert moved_back == pytest.approx(near.intercept(5.0), abs=1e-6 + 1e-14 * offset)
    regression = [
        svr_path(rows, TARGET, kernel="linear", C_max=1.0).decision_function(others, 0.5)
        for rows, others in ((BASE, OTHER), (X, Z))
    ]
    np.testing.assert_allclose(*regression, rtol=0, atol=1e-7)


PREDICTED = [name for name in MACHINES if name != "path"] + ["low rank", "reduced"]


@every_store
@pytest.mark.parametrize("name", PREDICTED)
def test_values_were_rounded_to_the_bias_and_changed_with_the_batch(name: str, store: Any) -> None:
    """A bias at zero has the digits of the distance from there: 1e-4 was lost at 2^40."""
    others: dict[str, tuple[Callable[[], Any], Any]] = {
        "low rank": (lambda: LSSVR(kernel="linear", alpha=1.0, low_rank=20), TARGET),
        "reduced": (lambda: ReducedSVC(kernel="linear", low_rank=20, tol=1e-6), THREE),
    }
    make, y = (MACHINES | others)[name]
    offset = 2.0**40
    near, far = make().fit(BASE, y), make().fit(store(BASE + offset), y)
    found = values_of(far, store(OTHER + offset))
    np.testing.assert_allclose(found, values_of(near, OTHER), rtol=0, atol=1e-5)
    alone = [values_of(far, store(OTHER[i : i + 1] + offset)) for i in range(len(OTHER))]
    np.testing.assert_allclose(np.concatenate(alone), found, rtol=0, atol=1e-13)


def test_a_bias_that_was_changed_counts() -> None:
    for machine, y in ((SVC(kernel="linear"), THREE), (LSSVR(kernel="linear"), TARGET)):
        machine.fit(BASE + 2.0**30, y)
        before = machine._bias
        machine.intercept_ = machine.intercept_ + 1.0
        np.testing.assert_allclose(machine._bias, before + 1.0, rtol=1e-6)


@every_store
def test_a_machine_far_away_survives_its_file(store: Any, tmp_path: Path) -> None:
    X, Z = store(BASE + 2.0**27), store(OTHER + 2.0**27)
    path = PathSVC(kernel="linear", cv=3, C_max=10.0)
    for machine in (SVC(kernel="linear"), LSSVC(kernel="linear"), path):
        machine.fit(X, THREE)
        save(machine, tmp_path / "far.mercer")
        other = load(tmp_path / "far.mercer")
        assert other.decision_function(Z).tobytes() == machine.decision_function(Z).tobytes()


def test_sparse_rows_with_a_time_stamp_stay_sparse() -> None:
    X = np.where(RNG.random((60, 80)) < 0.05, RNG.normal(size=(60, 80)), 0.0)
    X[:, 7] = 1.6e9 + RNG.integers(0, 100, 60)
    rows = sparse.csr_array(X)
    shift = shift_of_far_rows(Linear().form(), rows)
    assert shift is not None
    assert np.flatnonzero(shift).tolist() == [7]
    near = moved(rows, shift)
    assert sparse.issparse(near)
    assert near.nnz <= rows.nnz
    y = (X[:, 7] > np.median(X[:, 7])).astype(int)
    machine, other = (SVC(kernel="linear").fit(some, y) for some in (rows, near))
    assert machine.objective_ == pytest.approx(other.objective_, rel=1e-9)


def test_ordinary_rows_stay_where_they_are() -> None:
    for X in (BASE, BASE + 30.0, np.abs(BASE), BASE.astype(np.float32), sparse.csr_array(BASE)):
        assert shift_of_far_rows(Linear().form(), X) is None
    for kernel in (Polynomial(degree=2), Linear() * Gaussian(1.0), Normalized(Linear())):
        assert shift_of_far_rows(kernel.form(), BASE + 1e8) is None
    assert OneClassSVM(kernel="linear").fit(BASE + 1e4)._expanded.exact.shift is None


def eight_rows() -> tuple[Any, Any]:
    r = np.random.default_rng(4)
    return r.normal(size=(8, 2)) + 1e8, np.repeat([-1, 1], 4)


def test_an_objective_above_the_optimum_was_called_converged() -> None:
    """A sum that missed 0 by 1e-9 was worth 0.13."""
    X, y = eight_rows()
    best = SVC(kernel="linear", tol=1e-9).fit(X - 1e8, y).objective_
    assert SVC(kernel="linear").fit(X, y).objective_ == pytest.approx(best, rel=1e-6)
    # a Gram does not know that sums vanish: its certificate says what is missing
    problem = svc(y.astype(float), 1.0).problem
    plain = solve(problem, Gram(Linear(), X))
    assert plain.gap is not None
    assert plain.objective - plain.gap <= best + 1e-6
    assert plain.objective + plain.gap >= best - 1e-6
    off = plain.coef.copy()
    off[0] -= 1e-8
    assert certify(problem, Gram(Linear(), X), off).gap >= 0.1


def exact(form: shapes.Form, x: list[Decimal], z: list[Decimal]) -> Decimal:
    """A kernel value with all digits."""
    match form:
        case shapes.Leaf():
            gamma, coef0 = Decimal(float(form.gamma)), Decimal(float(form.coef0))
            inner = sum((a * b for a, b in zip(x, z, strict=True)), Decimal(0))
            if form.kind == "linear":
                return inner
            if form.kind == "polynomial":
                return (gamma * inner + coef0) ** form.degree
            apart = sum(((a - b) ** 2 for a, b in zip(x, z, strict=True)), Decimal(0))
            return (-gamma * apart).exp()
        case shapes.Scaled():
            return Decimal(form.factor) * exact(form.part, x, z)
        case shapes.Sum():
            return sum((exact(part, x, z) for part in form.parts), Decimal(0))
        case shapes.Product():
            first, second = (exact(part, x, z) for part in form.parts)
            return first * second
        case shapes.Normalized():
            part = form.part
            return exact(part, x, z) / (exact(part, x, x) * exact(part, z, z)).sqrt()
    raise TypeError(form)


def truth(problem: Problem, form: shapes.Form, X: Any, coef: Any) -> tuple[float, float]:
    """Objective and KKT violation of a point, with 100 digits."""
    with localcontext() as context:
        context.prec = 100
        dense = X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
        rows = [[Decimal(float(v)) for v in row] for row in dense]
        beta = [Decimal(float(c)) for c in coef]
        gradient = [
            Decimal(float(problem.linear[i]))
            - Decimal(float(problem.ridge[i])) * beta[i]
            - sum(
                (
                    c * exact(form, rows[problem.index[j]], rows[problem.index[i]])
                    for j, c in enumerate(beta)
                    if c
                ),
                Decimal(0),
            )
            for i in range(len(beta))
        ]
        terms = (
            c * (Decimal(float(a)) + g)
            for c, a, g in zip(beta, problem.linear, gradient, strict=True)
        )
        objective, slope = float(sum(terms, Decimal(0)) / 2), np.array(gradient)
        worst = Decimal(0)
        for g in range(-1, problem.n_groups):
            rise = slope[(problem.group == g) & (coef < problem.upper)]
            fall = slope[(problem.group == g) & (coef > problem.lower)]
            if g < 0:
                worst = max([worst, *rise, *(-fall)])
            elif len(rise) and len(fall):
                worst = max(worst, rise.max() - fall.min())
        return objective, float(worst)


KERNELS: dict[str, Kernel] = {
    "linear": Linear(),
    "degree 1": Polynomial(degree=1, gamma=0.5, coef0=1.0),
    "degree 2": Polynomial(degree=2, gamma=0.1, coef0=1.0),
    "degree 5": Polynomial(degree=5, gamma=0.01, coef0=10.0),
    "sum": 0.5 * Linear() + Polynomial(degree=2, gamma=0.1, coef0=1.0),
    "product": Polynomial(degree=2, gamma=0.1, coef0=1.0) * Gaussian(0.5),
    "normalized": Normalized(Polynomial(degree=2, gamma=0.1, coef0=1.0)),
}
STORED: dict[str, Callable[[Any], Any]] = {
    "dense": lambda X: X,
    "sparse": sparse.csr_array,
    "float32": lambda X: X.astype(np.float32),
}
JUDGED: dict[str, Callable[..., Any]] = {
    "svc": lambda **given: SVC(C=10.0, **given),
    "no bias": lambda **given: SVC(C=10.0, fit_intercept=False, **given),
    "nu-svc": lambda **given: NuSVC(nu=0.3, **given),
    "svr": lambda **given: SVR(C=10.0, **given),
    "one class": lambda **given: OneClassSVM(nu=0.3, **given),
}


def fitted(
    monkeypatch: pytest.MonkeyPatch, machine: Any, X: Any, y: Any
) -> tuple[Problem, Gram, Solution]:
    """The problem a machine solved, with its matrix and its solution."""
    seen: list[tuple[Problem, Gram, Solution]] = []

    def watched(solver: Any, problem: Problem, gram: Gram, **options: Any) -> Solution:
        seen.append((problem, gram, solve(problem, gram, solver, **options)))
        return seen[-1][2]

    monkeypatch.setattr("mercer.machines.solving.solve_by", watched)
    machine.fit(X, y)
    return seen[-1]


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize("offset", [0.0, 1e3, 1e8])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", JUDGED)
def test_a_certificate_that_more_digits_refute(
    name: str, kernel: str, offset: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = np.random.default_rng(3).normal(size=(9, 2)) + offset
    y = (rows[:, 0] > np.median(rows[:, 0])).astype(int)
    for k, (store, take) in enumerate(STORED.items()):
        precision = "single" if store == "dense" and k == len(name) % 2 else "auto"
        machine = JUDGED[name](kernel=KERNELS[kernel], precision=precision, max_iter=20_000)
        problem, gram, found = fitted(monkeypatch, machine, take(rows), y)
        objective, violation = truth(problem, gram.form, take(rows), found.coef)
        size = float(np.abs(found.coef).sum())
        assert violation <= found.violation + 2.0 * found.error
        slack = 1e-13 * abs(objective)
        assert abs(objective - found.objective) <= 0.5 * size * found.error + slack
        if found.converged and problem.linear.any():
            assert violation <= 1.1 * machine.tol


def test_a_polynomial_far_away_has_no_digits() -> None:
    X, y = eight_rows()
    with pytest.warns(ConvergenceWarning, match="digits of a double"):
        machine = SVC(kernel="poly", degree=2, gamma=1.0).fit(X, y)
    solution = machine.solutions_[0]
    assert solution.status == "precision-limit"
    assert solution.rounding > 1.0


def test_the_bound_of_inner_products_holds() -> None:
    for X in (BASE, BASE + 1e6, BASE * 10.0 ** (np.arange(60) % 9)[:, None]):
        rows, c = X.astype(np.longdouble), RNG.normal(size=60)
        inner = rows @ rows.T
        exacts = {"linear": inner, "cubic": (inner / 8 + 2) ** 3}
        kernels = {"linear": Linear(), "cubic": Polynomial(degree=3, gamma=0.125, coef0=2.0)}
        for name, kernel in kernels.items():
            gram = Gram(kernel, X, precision="double")
            error = float(np.abs(gram.product(None, c) - exacts[name] @ c).max())
            assert 0.0 < error <= gram.expansion_error(c)


def test_a_product_with_a_function_says_that_nothing_is_known() -> None:
    one = FunctionKernel(lambda A, B: np.ones((len(A), len(B))), positive_definite=True)
    problem = svc(np.where(LABELS == 1, 1.0, -1.0), 1.0).problem
    assert solve(problem, Gram(one, BASE)).error < 1e-12
    unknown = solve(problem, Gram(Linear() * one, BASE))
    assert unknown.converged
    assert unknown.error == np.inf


@pytest.mark.parametrize("kind", [SVR, NuSVR])
def test_a_machine_without_digits_says_so_whatever_its_gap(kind: Any) -> None:
    """The gap of a corrected w was 1e-16, the score of the machine -48888."""
    X = BASE.copy()
    X[:, 1] += 1e9
    X[0, 1] = 0.0
    with pytest.warns(ConvergenceWarning):
        machine = kind(kernel="linear").fit(X, TARGET)
    assert machine.fit_status_ == 1


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize("kernel", ["linear", "poly"])
@pytest.mark.parametrize("offset", [1e3, 2.0**27, 2.0**36])
def test_heights_of_a_one_class_machine_far_away_were_zero(kernel: str, offset: float) -> None:
    """All within 1e-9 of the offset were taken for the boundary, 1e6 times their error."""
    X = BASE + offset
    machine = OneClassSVM(kernel=kernel, degree=2, gamma=1.0, nu=0.3).fit(X)
    found = machine.decision_function(X)
    with localcontext() as context:
        context.prec = 100
        form, support = machine.kernel_.form(), machine.support_
        rows = [[Decimal(v) for v in row] for row in X.tolist()]
        coef = [Decimal(c) for c in machine.dual_coef_[0].tolist()]
        pairs = [(c, rows[i]) for c, i in zip(coef, support, strict=True)]
        level = Decimal(float(machine.offset_[0]))
        heights = [float(sum(c * exact(form, x, z) for c, z in pairs) - level) for x in rows]
    error = 2.0 * machine._expanded.exact.rounding + 1e-15 * abs(machine.offset_[0])
    assert np.abs(found - heights).max() <= error
    assert (found != 0.0).sum() >= 50
    assert np.mean(machine.predict(X) < 0) == pytest.approx(0.3, abs=0.05)


def test_a_one_class_machine_of_noise_was_silent() -> None:
    """Its gap is small next to the offset, its heights are rounding."""
    with pytest.warns(ConvergenceWarning, match="digits of a double"):
        machine = OneClassSVM(kernel="linear").fit(np.round(BASE) + 2.0**50)
    assert machine.fit_status_ == 1


def test_a_path_of_far_rows_is_not_trivial() -> None:
    """One row at zero keeps the others from being moved: slopes of 1e-10 were taken for 0."""
    X = BASE.copy()
    X[:, 1] += 1e5
    X[0, 1] = 0.0
    path = svc_path(X, LABELS, kernel="linear", C_max=10.0)
    assert path.status != "trivial"
    assert path.certificate(min(path.end, 1.0)).relative_gap < 1e-5
    same = np.full((20, 2), 3.3e5)
    assert svc_path(same, np.arange(20) % 2, kernel="linear").status == "trivial"
