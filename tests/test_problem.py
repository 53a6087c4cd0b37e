"""The problem refuses nonsense, and its certificate can be trusted."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from mercer.problem import Certificate, Problem, certify
from reference import DenseGram, feasible_start, smo, solve_qp


@dataclass(frozen=True, eq=False)
class CountingGram(DenseGram):
    """Remembers the columns it was asked for."""

    asked: list[NDArray[np.intp]] = field(default_factory=list)

    def product(self, columns: Any, weights: Any, *, precision: str | None = None) -> Any:
        assert precision == "double"
        self.asked.append(np.asarray(columns))
        return super().product(columns, weights)


def random_problem(seed: int) -> tuple[Problem, NDArray[np.float64]]:
    """Groups or none, ridges or none, shared rows, and every sort of bound."""
    rng = np.random.default_rng(seed)
    m, rows, n_groups = rng.integers(2, 9), rng.integers(1, 6), rng.integers(0, 3)
    features = rng.integers(-2, 3, size=(rows, 2)).astype(float)
    # without this an infinite box may make the problem unbounded
    features = np.hstack([features, 0.5 * np.eye(rows)])
    lower, upper = rng.integers(-3, 1, m).astype(float), rng.integers(0, 4, m).astype(float)
    ridge = rng.choice([0.0, 0.5], m)
    upper[(rng.random(m) < 0.2) & (ridge > 0)] = np.inf
    lower[(rng.random(m) < 0.2) & (ridge > 0)] = -np.inf
    group = rng.integers(-1, n_groups, m) if n_groups else np.full(m, -1)
    inner = np.clip(rng.uniform(-1, 1, m), lower, upper)
    sums = [inner[group == g].sum() for g in range(n_groups)]
    index = rng.integers(0, rows, m)
    problem = Problem(rng.integers(-4, 5, m), lower, upper, index, ridge, group, sums)
    return problem, features @ features.T


def random_point(problem: Problem, K: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """A feasible point that is optimal for something else."""
    rng = np.random.default_rng(seed)
    other = Problem(
        rng.normal(size=problem.n_variables), problem.lower, problem.upper, problem.index,
        problem.ridge, problem.group, problem.group_sum,
    )  # fmt: skip
    return smo(other, K, max_iter=int(rng.integers(0, 5))).coef


# The problem.


def test_scalars_are_spread_and_arrays_kept_contiguous() -> None:
    problem = Problem(np.arange(6)[::2], 0, np.inf)
    assert problem.linear.flags.c_contiguous
    np.testing.assert_array_equal(problem.lower, [0, 0, 0])
    np.testing.assert_array_equal(problem.index, [0, 1, 2])
    assert problem.group.dtype == np.int8
    assert (problem.n_variables, problem.n_groups) == (3, 1)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"linear": [[1.0]]}, "one-dimensional"),
        ({"linear": [np.nan, 0]}, "linear must be finite"),
        ({"lower": [0.0, 2.0]}, r"lower\[1\]=2.0 > upper\[1\]=1.0"),
        ({"lower": [0.0]}, r"shape \(2,\)"),
        ({"upper": [np.nan, 1]}, "NaN"),
        ({"upper": -np.inf, "lower": -np.inf}, "above -inf"),
        ({"ridge": -1.0}, "ridge must not be negative, got -1.0"),
        ({"index": [0, -1]}, "index must not be negative"),
        ({"group": 1}, r"group must lie in -1..0"),
        ({"group": 0, "group_sum": ()}, "group must lie in -1..-1"),
        ({"group_sum": 3.0}, r"group_sum\[0\]=3.0 cannot be reached.*\[0.0, 2.0\]"),
    ],
)
def test_nonsense_is_refused(fields: dict[str, Any], message: str) -> None:
    given = {"linear": [1.0, 2.0], "lower": 0.0, "upper": 1.0} | fields
    with pytest.raises(ValueError, match=message):
        Problem(**given)


def test_problems_compare_and_hash_by_identity() -> None:
    one, other = Problem([1.0, 2.0], 0, 1), Problem([1.0, 2.0], 0, 1)
    assert one == one
    assert one != other
    assert len({one, other}) == 2


def test_group_sums_leave_out_variables_without_a_group() -> None:
    problem = Problem([0, 0, 0, 0], -9, 9, group=[1, -1, 0, 1], group_sum=[0, 0])
    np.testing.assert_array_equal(problem.group_sums([1, 2, 4, 8]), [4, 9])


# The certificate.


@given(seed=st.integers(0, 100_000))
@settings(deadline=None, max_examples=30)
def test_gradient_and_objective_agree_with_their_definition(seed: int) -> None:
    problem, K = random_problem(seed)
    coef = random_point(problem, K, seed)
    Q = K[np.ix_(problem.index, problem.index)] + np.diag(problem.ridge)
    certificate = certify(problem, DenseGram(K), coef)
    assert certificate.gradient == pytest.approx(problem.linear - Q @ coef, abs=1e-10)
    value = problem.linear @ coef - coef @ Q @ coef / 2
    assert certificate.objective == pytest.approx(value, abs=1e-10)
    assert certificate.infeasibility <= 1e-12


@given(seed=st.integers(0, 100_000))
@settings(deadline=None, max_examples=60)
def test_gap_bounds_the_distance_to_the_optimum(seed: int) -> None:
    problem, K = random_problem(seed)
    best = certify(problem, DenseGram(K), solve_qp(problem, K)).objective
    here = certify(problem, DenseGram(K), random_point(problem, K, seed))
    assert here.gap >= best - here.objective - 1e-7
    assert here.primal == pytest.approx(here.objective + here.gap)


@given(seed=st.integers(0, 100_000))
@settings(deadline=None, max_examples=60)
def test_violation_and_gap_vanish_together_at_the_optimum(seed: int) -> None:
    problem, K = random_problem(seed)
    certificate = certify(problem, DenseGram(K), smo(problem, K, tol=1e-10).coef)
    assert certificate.violation <= 1e-9
    assert 0 <= certificate.gap <= 1e-7


def test_gap_of_a_point_next_to_its_bounds_is_not_spoiled() -> None:
    """An interior point solution has no variable on a bound, yet its gap is small."""
    problem, K = random_problem(12)
    assert certify(problem, DenseGram(K), solve_qp(problem, K)).gap <= 1e-7


def test_violation_of_a_group_is_the_best_pair() -> None:
    # gradients 3, 1, -2, 5 at 0; the last may only fall, the first two only rise
    problem = Problem([3, 1, -2, 5], [0, 0, -1, -1], [1, 1, 1, 0])
    certificate = certify(problem, DenseGram(np.eye(4)), np.zeros(4))
    assert certificate.violation == 3 - -2
    assert certificate.multiplier[0] == -2  # the only free one


def test_violation_without_a_group_is_the_best_single_step() -> None:
    problem = Problem([3, -4, 2], [0, 0, -1], 1, group=-1, group_sum=())
    certificate = certify(problem, DenseGram(np.eye(3)), np.zeros(3))
    assert certificate.violation == 3
    assert certificate.multiplier.shape == (0,)


def test_multiplier_without_free_variables_is_the_centre() -> None:
    problem = Problem([3, 1, -2, -4], [0, 0, 0, 0], 1, group_sum=2)
    coef = [1, 1, 0, 0]
    gram = DenseGram(np.zeros((4, 4)))
    assert certify(problem, gram, coef).multiplier[0] == (1 - 2) / 2
    assert certify(problem, gram, coef).violation == 0
    full = Problem([3, 1], 0, 1, group_sum=2)
    assert certify(full, DenseGram(np.zeros((2, 2))), [1, 1]).multiplier[0] == 1
    empty = Problem([3, 1], 0, 0, group_sum=0)
    assert certify(empty, DenseGram(np.eye(2)), [0, 0]).multiplier[0] == 0


def test_infeasibility_sees_box_and_sums() -> None:
    problem, gram = Problem([0, 0], 0, 1, group_sum=1), DenseGram(np.eye(2))
    assert certify(problem, gram, [0.5, 0.5]).infeasibility == 0
    assert certify(problem, gram, [1.25, -0.25]).infeasibility == 0.25 / 1.25
    assert certify(problem, gram, [1.0, 0.5]).infeasibility == 0.5 / 1.5


def test_indefinite_kernel_has_no_gap() -> None:
    gram = DenseGram(np.array([[0.0, 1], [1, 0]]), definiteness="refuted")
    certificate = certify(Problem([1, -1], -1, 1), gram, [0.5, -0.5])
    assert certificate.gap is None
    assert certificate.primal is None
    assert certificate.relative_gap is None
    assert certificate.violation > 0


def test_group_sum_tightens_an_infinite_box() -> None:
    """A half line whose sum is 1 is the simplex: the gap is finite at every vertex."""
    K = np.diag([1.0, 2.0, 3.0])
    problem = Problem(np.diag(K) / 2, 0, np.inf, group_sum=1)
    certificate = certify(problem, DenseGram(K), [0, 0, 1])
    best = certify(problem, DenseGram(K), solve_qp(problem, K)).objective
    assert best - certificate.objective <= certificate.gap < np.inf


def test_relative_gap_of_an_infinite_gap_is_infinite() -> None:
    certificate = Certificate(np.zeros(1), np.zeros(1), 1.0, np.inf, np.inf, 1.0, 0.0)
    assert certificate.relative_gap == np.inf


def test_only_rows_with_a_coefficient_are_asked_for() -> None:
    problem = Problem(np.zeros(6), -1, 1, index=[0, 1, 2, 0, 1, 2])
    gram = CountingGram(np.eye(4))
    certify(problem, gram, [0.5, 0.5, 0, -0.5, 0, -0.5])
    assert [list(columns) for columns in gram.asked] == [[1, 2]]
    certify(problem, gram, np.zeros(6))
    assert len(gram.asked) == 1


def test_bad_point_is_refused() -> None:
    problem, gram = Problem([0, 0], 0, 1, index=[0, 5]), DenseGram(np.eye(2))
    with pytest.raises(ValueError, match="coef must have shape"):
        certify(problem, gram, [0.0])
    with pytest.raises(ValueError, match="finite"):
        certify(problem, gram, [0.0, np.nan])
    with pytest.raises(ValueError, match="2 rows of the gram, got 5"):
        certify(problem, gram, [0.0, 0.0])


def test_empty_problem_has_a_certificate() -> None:
    problem = Problem([], [], [], group_sum=())
    certificate = certify(problem, DenseGram(np.zeros((0, 0))), feasible_start(problem))
    assert (certificate.objective, certificate.gap, certificate.violation) == (0, 0, 0)


def test_a_problem_can_be_copied_and_pickled_after_it_was_solved():
    problem = Problem([1.0, -1.0], 0.0, 1.0, group=-1, group_sum=())
    matrix = DenseGram(np.eye(2))
    expected = certify(problem, matrix, [1.0, 0.0])
    for other in (copy.copy(problem), copy.deepcopy(problem), pickle.loads(pickle.dumps(problem))):
        assert certify(other, matrix, [1.0, 0.0]).objective == expected.objective


def test_a_problem_moved_to_other_rows_reads_their_kernel_values():
    problem = Problem([1.0, 1.0], 0.0, 1.0, group=-1, group_sum=())
    matrix = DenseGram(np.diag([1.0, 2.0, 4.0]))
    assert certify(problem, matrix, [1.0, 1.0]).objective == 2.0 - 0.5 * 3.0
    moved = problem.on_rows([1, 2])
    assert certify(moved, matrix, [1.0, 1.0]).objective == 2.0 - 0.5 * 6.0
    with pytest.raises(ValueError, match="index must lie below the 2 rows"):
        certify(moved, DenseGram(np.eye(2)), [1.0, 1.0])
