"""Many problems on one Gram."""

from __future__ import annotations

import threading
from dataclasses import replace
from itertools import chain as joined

import numpy as np
import pytest

from mercer import Gram, Problem, certify, solve
from mercer.formulations import nu_svc, svc, svr
from mercer.kernels import FunctionKernel, Gaussian
from mercer.solvers import Chunked, Smo, many, solve_many, solve_series
from mercer.solvers.warm_start import carried


def noisy(n=240, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] + rng.normal(size=n) > 0, 1.0, -1.0)


def held_out(problem: Problem, rows) -> Problem:
    lower, upper = problem.lower.copy(), problem.upper.copy()
    lower[rows] = upper[rows] = 0.0
    return replace(problem, lower=lower, upper=upper)


def folds(y, Cs, n_folds=3):
    fold = np.arange(len(y)) % n_folds
    return [[held_out(svc(y, C).problem, fold == k) for C in Cs] for k in range(n_folds)]


@pytest.mark.parametrize("n_threads", [1, 2, 3])
@pytest.mark.parametrize("solver", ["auto", "smo", Chunked(chunk_size=32), Smo(step="newton")])
def test_every_problem_is_solved(solver, n_threads):
    X, y = noisy()
    sequences, gram = folds(y, np.logspace(-2, 3, 6)), Gram(Gaussian(0.3), X, n_threads=n_threads)
    for sequence, solutions in zip(
        sequences, solve_many(sequences, gram, solver, tol=1e-4), strict=True
    ):
        for problem, solution in zip(sequence, solutions, strict=True):
            alone = solve(problem, gram, tol=1e-6)
            assert certify(problem, gram, solution.coef).violation <= 1e-4
            assert solution.violation <= 1e-4
            assert solution.objective == pytest.approx(alone.objective, rel=1e-4)


@pytest.mark.parametrize("gamma", [0.005, 0.1, 2.0])
def test_what_a_sequence_claims_holds_in_double_precision(gamma):
    X, y = noisy(900, d=6)
    sequence, gram = folds(y, np.logspace(-2, 3, 8))[0], Gram(Gaussian(gamma), X, n_threads=1)
    for problem, solution in zip(sequence, solve_many([sequence], gram)[0], strict=True):
        full = certify(problem, gram, solution.coef)
        assert full.violation <= solution.violation * (1 + 1e-9)
        assert np.abs(solution.gradient - full.gradient).max() <= max(solution.error, 1e-9)
        assert solution.objective == pytest.approx(full.objective, rel=1e-5)


def test_held_out_decision_values_are_in_the_gradient():
    X, y = noisy()
    sequences, gram = folds(y, [0.1, 10.0]), Gram(Gaussian(0.3), X)
    for k, solutions in enumerate(solve_many(sequences, gram)):
        out = np.arange(len(y)) % 3 == k
        for solution in solutions:
            values = gram.product(None, solution.coef)
            assert (y - solution.gradient)[out] == pytest.approx(values[out], abs=1e-4)


def test_threads_do_not_change_a_byte():
    X, y = noisy()
    sequences = folds(y, [0.1, 1.0, 10.0])
    one, two = (solve_many(sequences, Gram(Gaussian(0.3), X, n_threads=t)) for t in (1, 2))
    for a, b in zip(one, two, strict=True):
        assert [s.coef.tobytes() for s in a] == [s.coef.tobytes() for s in b]


@pytest.mark.parametrize("scale", [0.3, 1.0, 2.0, 1000.0])
def test_the_best_multiple_of_the_last_solution_starts_the_next(scale):
    X, y = noisy()
    gram = Gram(Gaussian(0.3), X)
    before, problem = svc(y, 1.0).problem, svc(y, scale).problem
    last = solve(before, gram)
    warm = carried(last, before, problem)
    start = warm["start"]
    assert (start >= problem.lower).all()
    assert (start <= problem.upper).all()
    assert abs(start.sum()) <= 1e-10
    here = certify(problem, gram, start)
    known = warm["start_gradient"]
    assert np.abs(known.gradient - here.gradient).max() <= known.error + 1e-9
    for multiple in (0.9, 0.99, 1.01, 1.1):
        other = multiple * start
        if (other >= problem.lower).all() and (other <= problem.upper).all():
            assert certify(problem, gram, other).objective <= here.objective + 1e-9


def test_warm_starts_save_steps():
    X, y = noisy(600)
    Cs = np.logspace(0, 4, 8)  # up to boxes that bind nothing
    sequence, gram = [svc(y, C).problem for C in Cs], Gram(Gaussian(3.0), X)
    warm = sum(s.n_iter for s in solve_many([sequence], gram)[0])
    cold = sum(s.n_iter for (s,) in solve_many([[problem] for problem in sequence], gram))
    assert warm < cold


def test_two_rows_of_both_classes_do_not_take_all_others_from_their_optimum():
    """As C grows only the pair moves; the best multiple of all took thousands of steps."""
    X, y = noisy(600)
    X[1], y[0], y[1] = X[0], 1.0, -1.0
    sequence = [svc(y, C).problem for C in (1e2, 5e2, 2.5e3)]
    first, *others = solve_many([sequence], Gram(Gaussian(20.0), X))[0]
    assert first.n_iter > 300
    assert all(0 < solution.n_iter <= 10 for solution in others)
    assert all(
        np.abs(solution.coef).max() == C for solution, C in zip(others, (5e2, 2.5e3), strict=True)
    )


def test_problems_with_two_groups_and_two_variables_for_a_row():
    X, y = noisy()
    gram = Gram(Gaussian(0.3), X)
    sequences = [
        [nu_svc(y, nu).problem for nu in (0.5, 0.6)],
        [svr(y + X[:, 1], C, 0.1).problem for C in (1.0, 3.0)],
    ]
    for sequence, solutions in zip(sequences, solve_many(sequences, gram, tol=1e-4), strict=True):
        for problem, solution in zip(sequence, solutions, strict=True):
            assert solution.converged
            exact = solve(problem, gram, "smo", tol=1e-6)
            assert solution.objective == pytest.approx(exact.objective, rel=1e-4, abs=1e-6)


def test_python_kernels_and_nothing_at_all():
    X, y = noisy(60)
    gram = Gram(FunctionKernel(lambda a, b: a @ b.T), X)
    ((solution,),) = solve_many([[svc(y, 1.0).problem]], gram)
    assert solution.converged
    assert solve_many([], gram) == []
    assert solve_many([[], []], gram) == [[], []]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_callback_ends_all_sequences(n_threads):
    X, y = noisy(3000, d=2)
    gram = Gram(Gaussian(5.0), X, n_threads=n_threads)
    sequences = [[svc(y, 1e6).problem] * 3] * 4
    solutions = solve_many(sequences, gram, callback=lambda progress: True, tol=1e-9)
    assert {s.status for sequence in solutions for s in sequence} <= {"callback", "converged"}


def test_an_error_of_the_callback_comes_out():
    X, y = noisy(3000, d=2)
    gram = Gram(Gaussian(5.0), X, n_threads=2)

    def callback(progress):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        solve_many([[svc(y, 1e6).problem]] * 4, gram, callback=callback, tol=1e-9)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_sequences_of_any_length_take_turns(n_threads):
    X, y = noisy(200)
    gram = Gram(Gaussian(0.5), X, n_threads=n_threads)
    sequences = [[svc(y, C).problem for C in (0.1, 1.0, 10.0)[:length]] for length in (0, 3, 1, 2)]
    found = solve_many(sequences, gram)
    assert [len(solutions) for solutions in found] == [0, 3, 1, 2]
    for sequence, solutions in zip(sequences, found, strict=True):
        for problem, solution in zip(sequence, solutions, strict=True):
            assert certify(problem, gram, solution.coef).violation <= 1e-3


def test_solves_on_one_gram_reuse_their_memory():
    X, y = noisy(300)
    gram = Gram(Gaussian(0.5), X, n_threads=1)
    sequence = [svc(y, C).problem for C in (0.1, 1.0, 10.0)]
    solve_many([sequence], gram)
    made = gram.native("single").n_blocks
    solve_many([sequence, sequence], gram)
    assert gram.native("single").n_blocks == made


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_a_series_is_solve_many_on_one_gram_after_the_other(n_threads):
    X, y = noisy()
    sequences = [folds(y, (0.1, 1.0, 30.0)), [], [[], [svc(y, 1.0).problem]], folds(y, (5.0,))]
    grams = [Gram(Gaussian(gamma), X, n_threads=n_threads) for gamma in (0.1, 0.3, 1.0, 3.0)]
    series = list(solve_series(zip(sequences, grams, strict=True)))
    assert len(series) == len(grams)
    for some, gram, found in zip(sequences, grams, series, strict=True):
        alone = solve_many(some, Gram(gram.kernel, X, n_threads=1))
        assert [len(solutions) for solutions in found] == [len(problems) for problems in some]
        for a, b in zip(joined(*found), joined(*alone), strict=True):
            np.testing.assert_array_equal(a.coef, b.coef)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_jobs_of_a_series_are_made_when_they_are_needed(n_threads):
    X, y = noisy()
    made = []

    def jobs():
        for gamma in (0.1, 0.3, 1.0, 3.0, 10.0):
            made.append(gamma)
            yield folds(y, (0.1, 1.0)), Gram(Gaussian(gamma), X, n_threads=n_threads)

    before = threading.active_count()
    series = solve_series(jobs())
    assert made == []
    next(series)
    if n_threads == 1:
        assert made == [0.1]
    series.close()
    assert threading.active_count() <= before
    assert list(solve_series([])) == []


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_error_of_a_job_comes_out_after_the_jobs_before_it(n_threads):
    X, y = noisy()

    def jobs():
        yield folds(y, (0.1, 1.0)), Gram(Gaussian(1.0), X, n_threads=n_threads)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        list(solve_series(jobs()))


def test_small_boxes_start_full_and_large_ones_at_zero():
    X, y = noisy(600)
    gram = Gram(Gaussian(0.5), X, n_threads=1)
    (small,), (large,) = solve_many([[svc(y, 1e-3).problem], [svc(y, 1e3).problem]], gram)
    assert small.n_iter < 60
    assert (np.abs(small.coef) == 1e-3).mean() > 0.9
    assert certify(svc(y, 1e3).problem, gram, large.coef).violation <= 1e-3
    nonzero = np.count_nonzero(large.coef)
    assert nonzero < len(y)
    from_zero = Chunked(kernel_rows="whole", chunk_size=512).solve(svc(y, 1e3).problem, gram)
    np.testing.assert_array_equal(large.coef, from_zero.coef)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_sequences_are_as_long_as_there_is_time_for(n_threads):
    X, y = noisy()
    gram = Gram(Gaussian(0.5), X, n_threads=n_threads)
    sequences = folds(y, (0.1, 1.0))
    assert solve_many(sequences, gram, max_time=0.0) == [[], [], []]
    assert [len(found) for found in solve_many(sequences, gram, max_time=1e6)] == [2, 2, 2]
    with pytest.raises(ValueError, match="max_time must be"):
        solve_many(sequences, gram, max_time=-1.0)


def test_a_solution_that_no_bound_holds_is_that_of_every_larger_box():
    X, y = noisy(300)
    gram = Gram(Gaussian(20.0), X, n_threads=1)
    sequence = [svc(y, C).problem for C in (1.0, 1e3, 1e4, 1e6)]
    _, free, *rest = solve_many([sequence], gram)[0]
    assert np.abs(free.coef).max() < 1e3
    for problem, solution in zip(sequence[2:], rest, strict=True):
        assert (solution.n_iter, solution.status) == (0, "converged")
        np.testing.assert_array_equal(solution.coef, free.coef)
        exact = certify(problem, gram, solution.coef)
        assert exact.violation <= solution.violation + 1e-12
        assert solution.gap == pytest.approx(exact.gap, abs=1e-3 * problem.upper.max())


def test_a_start_lies_on_the_bounds_that_the_last_solution_was_on():
    X, y = noisy()
    gram = Gram(Gaussian(0.01), X)
    before, problem = svc(y, 0.01).problem, svc(y, 0.0464).problem
    last = solve(before, gram)
    start = carried(last, before, problem)["start"]
    held = np.abs(last.coef) == 0.01
    assert held.mean() > 0.5
    assert (np.abs(start[held]) == 0.0464).all()


def test_the_full_matrix_is_bounded_by_the_cache():
    X, y = noisy(400)
    problems = [[svc(y, C).problem for C in (0.1, 1.0)]]
    (small,), (large,) = (
        solve_many(problems, Gram(Gaussian(0.3), X, n_threads=1, cache_size=size))
        for size in (0.2, 10.0)
    )
    for a, b in zip(small, large, strict=True):
        assert a.objective == pytest.approx(b.objective, rel=1e-3)
    grams = [Gram(Gaussian(0.3), X, cache_size=size) for size in (0.2, 10.0)]
    rows = [getattr(many._choose("auto", gram), "kernel_rows", "auto") for gram in grams]
    assert rows == ["auto", "whole"]


def test_auto_leaves_what_takes_too_many_steps_to_the_active_set(monkeypatch):
    monkeypatch.setattr(many, "_BUDGET", 0)
    X, y = noisy(300)
    gram = Gram(Gaussian(0.01), X, n_threads=1)
    problem = svc(y, 1e5).problem
    ((first,),) = solve_many([[problem]], gram)
    assert (first.solver, first.status) == ("active-set", "converged")
    assert first.n_iter > 3000
    assert certify(problem, gram, first.coef).violation <= 1e-3
    monkeypatch.setattr(many, "MOST_FREE", 0)
    ((second,),) = solve_many([[problem]], gram)
    assert (second.solver, second.status) == ("chunked", "converged")


@pytest.mark.parametrize("solver", ["auto", "chunked", "smo", "active-set"])
@pytest.mark.parametrize("rows", [40, 300])
def test_a_box_may_become_infinite_along_a_sequence(solver, rows):
    """What was at the old bound was put on the new one, at infinity."""
    X, y = noisy(rows)
    gram = Gram(Gaussian(2.0), X, n_threads=1)
    problems = [svc(y, 0.1).problem, svc(y, 1.0).problem, svc(y, np.inf).problem]
    problems.append(svc(y, 1.0, loss="squared_hinge").problem)
    (found,) = solve_many([problems], gram, solver)
    for problem, solution in zip(problems, found, strict=True):
        alone = solve(problem, gram, solver)
        assert solution.converged
        assert solution.objective == pytest.approx(alone.objective, rel=1e-3)
