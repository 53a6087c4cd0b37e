"""Pairs and columns of NuSVC, which have sums of their own, are solved many at a time, too."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mercer import Gram, NuSVC, certify
from mercer.formulations import nu_svc
from mercer.formulations.classification import joined_nu_svc
from mercer.kernels import Gaussian
from mercer.machines.solving import Problems
from mercer.machines.svm import kernel_classifier
from mercer.machines.svm.one_vs_one import ClassPairs

CASES: dict[str, dict[str, Any]] = {
    "default": {},
    "few support vectors": {"nu": 0.02},
    "squared hinge": {"loss": "squared_hinge"},
    "linear": {"kernel": "linear", "nu": 0.6},
    "poly": {"kernel": "poly", "coef0": 1.0, "degree": 2},
    "class weights": {"class_weight": "balanced"},
    "double": {"precision": "double"},
    "one against all": {"multiclass": "one-vs-all", "nu": 0.15},
    "a code with zeros": {
        "multiclass": "code",
        "code": "sparse",
        "random_state": 0,
        "nu": 0.1,
        "tol": 1e-7,
    },
    "a dense code": {"multiclass": "code", "random_state": 0, "nu": 0.1},
}
pytestmark = pytest.mark.filterwarnings("ignore:nu has no effect")


def drawn(n_classes: int, n_rows: int, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows around one centre for each class, in no order, in classes of about the same size."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n_rows) % n_classes)
    X = 2.0 * rng.normal(size=(n_classes, 4))[y] + rng.normal(size=(n_rows, 4))
    return X, y


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Fits a machine problem by problem."""

    def fit(machine: NuSVC, *data: Any) -> NuSVC:
        with monkeypatch.context() as patch:
            patch.setattr(kernel_classifier, "subproblem_plan", lambda *arguments: None)
            return machine.fit(*data)

    return fit


def assert_same(machine: NuSVC, other: NuSVC, X: NDArray[Any], accuracy: float) -> None:
    """The same optimum, with a certificate for every problem."""
    assert len(machine.solutions_) == len(other.solutions_)
    for a, b in zip(machine.solutions_, other.solutions_, strict=True):
        assert a.status == b.status == "converged"
        assert a.objective == pytest.approx(b.objective, rel=1e-12, abs=a.gap + b.gap)
        unit = min(np.ptp(a.multiplier) / 2, 1.0)
        assert a.violation <= machine.tol * unit
        assert a.infeasibility <= 1e-12
        assert a.primal == a.objective + a.gap
    np.testing.assert_allclose(machine.rho_, other.rho_, rtol=accuracy)
    np.testing.assert_allclose(
        machine.machine_decisions(X), other.machine_decisions(X), rtol=accuracy, atol=accuracy
    )


@pytest.mark.parametrize("name", CASES)
def test_a_plan_finds_what_one_solve_after_the_other_finds(name: str, one_by_one: Any) -> None:
    X, y = drawn(6, 121)
    machine = NuSVC(nu=0.3).set_params(**CASES[name]).fit(X, y)
    assert {solution.solver for solution in machine.solutions_} == {"parts"}
    other = one_by_one(NuSVC(nu=0.3).set_params(**CASES[name]), X, y)
    assert_same(machine, other, X, 1e-5)
    np.testing.assert_array_equal(machine.predict(X), other.predict(X))


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_large_classes_go_by_single_precision(loss: str, one_by_one: Any) -> None:
    X, y = drawn(4, 801, seed=1)
    machine = NuSVC(nu=0.1, loss=loss, tol=1e-4).fit(X, y)
    assert {solution.solver for solution in machine.solutions_} == {"parts"}
    assert max(solution.error for solution in machine.solutions_) > 1e-12
    assert_same(machine, one_by_one(NuSVC(nu=0.1, loss=loss, tol=1e-4), X, y), X, 2e-3)


def test_no_pair_is_solved_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = drawn(12, 150, seed=2)
    monkeypatch.delattr(Problems, "solve")
    assert len(NuSVC(nu=0.2).fit(X, y).solutions_) == 66


def test_the_certificate_is_that_of_the_pair() -> None:
    X, y = drawn(6, 90, seed=3)
    machine = NuSVC(nu=0.2).fit(X, y)
    order = np.argsort(y, kind="stable")
    for k, pair in enumerate(ClassPairs(y[order], 6)):
        found, formulation = machine.solutions_[k], nu_svc(pair.sign, 0.2)
        gram = Gram(Gaussian(machine.kernel_.gamma), X[order][pair.rows])
        wanted = certify(formulation.problem, gram, found.coef)
        np.testing.assert_allclose(found.gradient, wanted.gradient, rtol=0, atol=1e-13)
        np.testing.assert_allclose(found.multiplier, wanted.multiplier, rtol=1e-12, atol=1e-13)
        assert found.objective == pytest.approx(wanted.objective, rel=1e-12)
        assert found.infeasibility == wanted.infeasibility <= 1e-12
        assert found.violation == pytest.approx(wanted.violation, abs=1e-12)
        fitted = formulation.fitted_parameters(found)
        assert machine.rho_[k] == fitted.rho
        assert machine.intercept_[k] == pytest.approx(fitted.intercept, rel=1e-15)


@pytest.mark.parametrize("multiclass", ["one-vs-one", "one-vs-all"])
def test_one_thread_and_two_find_the_same_bits(multiclass: str) -> None:
    X, y = drawn(9, 400, seed=4)
    one, two = (NuSVC(nu=0.15, multiclass=multiclass, n_threads=n).fit(X, y) for n in (1, 2))
    for name in ("dual_coef_", "intercept_", "support_", "n_iter_", "rho_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_weight_of_zero_is_absence_and_one_of_two_a_repetition(loss: str) -> None:
    X, y = drawn(6, 70, seed=5)
    weight = np.where(np.arange(70) < 7, 2.0, np.arange(70) % 3.0)
    machine = NuSVC(nu=0.2, gamma=0.3, loss=loss).fit(X, y, weight)
    copies = np.repeat(np.arange(70), weight.astype(int))
    other = NuSVC(nu=0.2, gamma=0.3, loss=loss).fit(X[copies], y[copies])
    assert machine.objective_ == pytest.approx(other.objective_, rel=1e-10)
    np.testing.assert_allclose(
        machine.decision_function(X), other.decision_function(X), rtol=1e-6, atol=1e-6
    )


def test_weights_of_another_unit_change_nothing() -> None:
    X, y = drawn(5, 60, seed=6)
    plain, small = (NuSVC(nu=0.2).fit(X, y, np.full(60, unit)) for unit in (1.0, 2.0**-500))
    np.testing.assert_allclose(plain.decision_function(X), small.decision_function(X), rtol=1e-6)


def test_a_nu_that_one_pair_has_no_room_for_is_refused_as_ever(one_by_one: Any) -> None:
    X, y = drawn(4, 80, seed=7)
    y[(y == 3) & (np.arange(80) > 10)] = 0
    with pytest.raises(ValueError, match="nu must lie in") as error:
        NuSVC(nu=0.6).fit(X, y)
    with pytest.raises(ValueError, match="nu must lie in") as other:
        one_by_one(NuSVC(nu=0.6), X, y)
    assert str(error.value) == str(other.value)


def test_joined_problems_are_those_of_the_pairs() -> None:
    rng = np.random.default_rng(8)
    sizes = [5, 9, 16]
    sign = np.concatenate([np.where(np.arange(n) % 3, 1.0, -1.0) for n in sizes])
    weight, offsets = rng.uniform(0.0, 2.0, len(sign)), np.cumsum([0, *sizes])
    weight[2] = 0.0
    for loss in ("hinge", "squared_hinge"):
        joined = joined_nu_svc(sign, 0.3, weight, offsets, loss=loss)  # type: ignore[arg-type]
        assert joined is not None
        assert joined.group_sums is not None
        for k, (begin, end) in enumerate(pairwise(offsets)):
            own = slice(begin, end)
            single = nu_svc(sign[own], 0.3, weight[own], loss=loss).problem  # type: ignore[arg-type]
            np.testing.assert_allclose(joined.group_sums[k], single.group_sum, rtol=1e-15)
            for name in ("lower", "upper", "ridge", "group", "linear"):
                whole = getattr(joined.formulation.problem, name)
                np.testing.assert_allclose(whole[own], getattr(single, name), rtol=1e-15)
    assert joined_nu_svc(sign, 0.9, weight, offsets) is None


def test_the_order_of_rows_does_not_matter() -> None:
    X, y = drawn(7, 90, seed=9)
    order = np.random.default_rng(0).permutation(90)
    for multiclass in ("one-vs-one", "one-vs-all"):
        machine, other = (
            NuSVC(nu=0.2, multiclass=multiclass).fit(X[rows], y[rows])
            for rows in (np.arange(90), order)
        )
        assert machine.objective_ == pytest.approx(other.objective_, rel=1e-10)
        np.testing.assert_allclose(
            machine.machine_decisions(X), other.machine_decisions(X), atol=1e-5
        )


def test_a_precomputed_matrix_takes_the_same_way() -> None:
    X, y = drawn(5, 90, seed=10)
    K = Gaussian(0.3)(X, X)
    for multiclass in ("one-vs-one", "one-vs-all"):
        machine = NuSVC(kernel="precomputed", nu=0.2, multiclass=multiclass).fit(K, y)
        other = NuSVC(gamma=0.3, nu=0.2, multiclass=multiclass).fit(X, y)
        assert {solution.solver for solution in machine.solutions_} == {"parts"}
        np.testing.assert_allclose(
            machine.decision_function(K), other.decision_function(X), rtol=1e-5, atol=1e-5
        )


def test_classes_of_one_row_and_of_equal_rows() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0], [3.0], [3.0], [4.0], [4.0]])
    y = np.array([0, 1, 2, 3, 3, 3, 4, 4])
    machine = NuSVC(gamma=1.0, nu=0.4).fit(X, y)
    assert all(solution.converged for solution in machine.solutions_)
    np.testing.assert_array_equal(machine.predict(X), y)


def test_a_warm_start_goes_on_from_every_pair() -> None:
    X, y = drawn(5, 300, seed=11)
    machine = NuSVC(nu=0.2, warm_start=True).fit(X, y)
    before, cold = machine.objective_, machine.n_iter_.sum()
    machine.fit(X, y)
    assert machine.n_iter_.max() <= 2
    assert machine.objective_ == pytest.approx(before, rel=1e-9)
    # the sums of another nu are filled
    machine.set_params(nu=0.22).fit(X, y)
    assert machine.n_iter_.sum() < cold
    assert machine.objective_ == pytest.approx(NuSVC(nu=0.22).fit(X, y).objective_, rel=1e-5)


def test_a_bound_on_the_iterations_holds_for_every_pair() -> None:
    X, y = drawn(4, 500, seed=12)
    with pytest.warns(ConvergenceWarning, match="6 of 6 class pairs are unfinished"):
        machine = NuSVC(nu=0.4, max_iter=3).fit(X, y)
    assert machine.n_iter_.tolist() == [3] * 6
    assert {solution.status for solution in machine.solutions_} == {"max-iter"}
    assert max(solution.infeasibility for solution in machine.solutions_) <= 1e-12


def test_the_end_of_the_time_leaves_a_machine_for_every_pair() -> None:
    X, y = drawn(10, 200, seed=13)
    with pytest.warns(ConvergenceWarning, match="45 of 45 class pairs are unfinished"):
        machine = NuSVC(nu=0.2, max_time=1e-9).fit(X, y)
    assert {solution.status for solution in machine.solutions_} == {"max-time"}
    assert max(solution.infeasibility for solution in machine.solutions_) <= 1e-12
    assert machine.predict(X).shape == (200,)


def test_hulls_that_overlap_are_told() -> None:
    X, y = drawn(4, 80, seed=14)
    X[y == 1] = X[y == 2][: np.count_nonzero(y == 1)]
    with pytest.warns(ConvergenceWarning, match="nu=0.1 is too small"):
        NuSVC(nu=0.1).fit(X, y)
