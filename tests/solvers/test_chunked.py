"""The chunked trainer: where it is taken, and what it keeps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from mercer import SVC, SVR, Chunked, Gram, NuSVC, NuSVR, OneClassSVM, Smo, _core, certify, solve
from mercer.formulations import nu_svr, one_class, svc, svr
from mercer.kernels import FunctionKernel, Gaussian, Linear
from mercer.solvers import chunked, solve_many
from mercer.solvers.runs.progress import monitor

KERNELS = ("linear", "poly", "rbf", "sigmoid", "laplacian")
MACHINES = (SVC, NuSVC, SVR, NuSVR, OneClassSVM)


def noisy(n, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] + rng.normal(size=n) > 0, 1.0, -1.0)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("machine", MACHINES)
def test_auto_takes_chunks_for_every_built_in_kernel(machine, kernel, container):
    X, y = noisy(5000, d=2)
    fitted = machine(kernel=kernel, max_iter=1).fit(container(X), y)
    assert fitted.solver_ == "chunked"


def test_auto_keeps_small_problems_and_python_kernels_with_smo():
    X, y = noisy(3500, d=2)
    assert solve(svc(y[:150], 1.0).problem, Gram(Gaussian(0.5), X[:150])).solver == "smo"
    kernel = FunctionKernel(lambda a, b: a @ b.T)
    assert solve(svc(y, 1.0).problem, Gram(kernel, X), max_iter=1).solver == "smo"


@pytest.mark.parametrize("n_threads", [2, 3, 8])
def test_threads_do_not_change_a_byte(n_threads):
    X, y = noisy(6000)
    problem = svc(y, 1.0).problem
    one = solve(problem, Gram(Gaussian(0.2), X, n_threads=1), "chunked")
    many = solve(problem, Gram(Gaussian(0.2), X, n_threads=n_threads), "chunked")
    assert one.coef.tobytes() == many.coef.tobytes()


@pytest.mark.parametrize("C", [0.01, 1.0, 1e4])
def test_the_selective_certificate_has_the_violation_of_the_full_one(C):
    X, y = noisy(4000)
    problem, gram = svc(y, C).problem, Gram(Gaussian(0.2), X, precision="single")
    solution = solve(problem, gram, "chunked", max_iter=2000)
    full = certify(problem, gram, solution.coef)
    assert solution.violation == pytest.approx(full.violation, abs=1e-12)
    assert solution.objective == pytest.approx(full.objective, rel=1e-5)
    assert np.abs(solution.gradient - full.gradient).max() <= max(solution.error, 1e-12)


@pytest.mark.parametrize("away", [1e2, 1e3, 1e4])
def test_a_few_rows_far_out_do_not_escape_the_error_bound(away):
    X, y = noisy(8000, d=20)
    X[101:105] = away + 0.3 * np.random.default_rng(0).standard_normal((4, 20))
    y[101:105] = 1, 1, -1, -1
    problem, gram = svc(y, 1.0).problem, Gram(Gaussian(0.05), X, precision="single")
    solution = solve(problem, gram, "chunked")
    full = certify(problem, gram, solution.coef)
    assert solution.violation == pytest.approx(full.violation, abs=1e-12)
    assert np.abs(solution.gradient - full.gradient).max() <= max(solution.error, 1e-12)


def test_a_violation_claimed_is_a_violation_certified_at_large_C():
    X, y = noisy(4000, d=2)
    problem, gram = svc(y, 1e5).problem, Gram(Gaussian(5.0), X, precision="single")
    solution = solve(problem, gram, "chunked", tol=1e-3, max_iter=200_000)
    assert solution.violation == certify(problem, gram, solution.coef).violation
    assert solution.converged == (solution.violation <= 1e-3)


def test_single_precision_goes_on_from_the_gradient_of_a_certificate(monkeypatch):
    """Rounding grows with the way from where the gradient is known: no need for double."""
    X, y = noisy(3000, d=4)
    problem, gram = svc(y, 3e3).problem, Gram(Gaussian(0.05), X, precision="single")
    native_run, runs = chunked._Run.native_run, []

    def recorded(self, precision, *args):
        runs.append(precision)
        return native_run(self, precision, *args)

    monkeypatch.setattr(chunked._Run, "native_run", recorded)
    solution = solve(problem, gram, "chunked")
    full = certify(problem, gram, solution.coef)
    assert len(runs) > 1
    assert set(runs) == {"single"}
    assert solution.violation == pytest.approx(full.violation, abs=1e-12)
    assert solution.violation <= 1e-3
    assert solution.objective == pytest.approx(full.objective, rel=1e-6)
    assert np.abs(solution.gradient - full.gradient).max() <= max(solution.error, 1e-12)


@pytest.mark.parametrize("gamma", [0.003, 0.03])
def test_newton_steps_end_what_pair_steps_would_take_long_for(gamma):
    """Nearly singular, and hundreds of variables come off their bounds."""
    X, y = noisy(900, d=6)
    gram = Gram(Gaussian(gamma), X, precision="single")
    start = solve(svc(y, 100.0).problem, gram, Chunked(chunk_size=900))
    problem = svc(y, 1e4).problem
    solution = solve(problem, gram, Chunked(chunk_size=900), start=start.coef)
    pairs = solve(problem, gram, Smo(refine=False), start=start.coef)
    assert solution.violation <= 1e-3
    assert solution.trace["newton_steps"] > 0
    assert solution.n_iter < 0.5 * pairs.n_iter
    assert solution.objective == pytest.approx(pairs.objective, rel=1e-4)


def test_violators_that_lie_together_are_found():
    """A sample of all variables tells little of rows in the order of their labels."""
    X, y = noisy(9000, d=3)
    order = np.lexsort((X[:, 0], y))
    sorted_rows = solve(svc(y[order], 1.0).problem, Gram(Gaussian(0.3), X[order]), "chunked")
    mixed = solve(svc(y, 1.0).problem, Gram(Gaussian(0.3), X), "chunked")
    assert sorted_rows.converged
    assert sorted_rows.objective == pytest.approx(mixed.objective, rel=1e-4)


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("formulation", ["svc", "no intercept", "nu"])
def test_newton_steps_that_meet_many_bounds_keep_box_and_sums(formulation, precision):
    X, y = noisy(1500, d=4)
    problem = {
        "svc": svc(y, 300.0).problem,
        "no intercept": svc(y, 300.0, fit_intercept=False).problem,
        "nu": nu_svr(X[:, 0] + 0.1 * y * X[:, 1], 300.0, 0.3).problem,
    }[formulation]
    gram = Gram(Gaussian(0.03), X, precision=precision)
    solution = solve(problem, gram, Chunked(chunk_size=3000), tol=1e-4)
    assert solution.converged
    assert (problem.lower <= solution.coef).all()
    assert (solution.coef <= problem.upper).all()
    assert solution.trace["newton_steps"] > 0
    assert solution.infeasibility <= 1e-12 * np.abs(solution.coef).sum()
    best = solve(problem, gram, "smo", tol=1e-6)
    assert solution.objective == pytest.approx(best.objective, rel=1e-5)


def test_warm_start_resumes_where_it_stopped():
    X, y = noisy(4000)
    problem, gram = svc(y, 10.0).problem, Gram(Gaussian(0.2), X)
    whole = solve(problem, gram, "chunked")
    part = solve(problem, gram, "chunked", max_iter=whole.n_iter // 2)
    assert part.status == "max-iter"
    rest = solve(problem, gram, "chunked", start=part.coef)
    assert rest.converged
    assert rest.n_iter < whole.n_iter
    assert rest.objective == pytest.approx(whole.objective, rel=1e-5)


def test_callback_stops_and_keeps_the_iterate():
    X, y = noisy(6000)
    problem, gram = svc(y, 1e4).problem, Gram(Gaussian(2.0), X)
    solution = solve(problem, gram, "chunked", tol=1e-9, callback=lambda progress: True)
    assert solution.status == "callback"
    assert solution.infeasibility <= 1e-9


def test_unbounded_problems_end():
    X, y = noisy(3200, d=2)
    solution = solve(svc(y, np.inf).problem, Gram(Linear(), X), "chunked", max_iter=300_000)
    assert solution.status in ("unbounded", "max-iter")


@pytest.mark.parametrize("chunk_size", [64, 257])
def test_chunks_of_any_size_reach_the_same_value(chunk_size):
    X, y = noisy(1500)
    for formulation in (svr(y * X[:, 0], 1.0, 0.1), one_class(len(y), 0.3)):
        gram = Gram(Gaussian(0.2), X, precision="single")
        small = solve(formulation.problem, gram, Chunked(chunk_size=chunk_size), tol=1e-4)
        large = solve(formulation.problem, gram, Chunked(), tol=1e-4)
        assert small.converged
        assert small.objective == pytest.approx(large.objective, rel=1e-4)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"chunk_size": 1}, "chunk_size"),
        ({"chunk_size": None}, "chunk_size"),
        ({"chunk_size": 99.5}, "chunk_size"),
        ({"keep": 1.0}, "keep"),
        ({"keep": "half"}, "keep"),
        ({"kernel_rows": "some"}, "kernel_rows"),
        ({"kernel_rows": ["kept"]}, "kernel_rows"),
    ],
)
def test_bad_parameters_are_named(options, match):
    with pytest.raises(ValueError, match=match):
        Chunked(**options)


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("cache_size", [0.01, 1.0, 1000.0])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_kept_rows_do_not_change_a_byte(container, cache_size, precision):
    X, y = noisy(1500)
    X[np.abs(X) < 0.7] = 0.0

    def coef(kernel_rows):
        gram = Gram(Gaussian(0.3), container(X), precision=precision, cache_size=cache_size)
        solver = Chunked(chunk_size=64, kernel_rows=kernel_rows)
        return solve(svc(y, 5.0).problem, gram, solver).coef

    computed = coef("computed").tobytes()
    assert coef("kept").tobytes() == computed
    assert coef("auto").tobytes() == computed


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_solves_that_wait_for_rows_of_each_other_do_not_differ(container):
    X, y = noisy(1500)
    problem, solver = svc(y, 5.0).problem, Chunked(chunk_size=64, kernel_rows="kept")
    alone = solve(problem, Gram(Gaussian(0.3), container(X), precision="single"), solver)
    gram = Gram(Gaussian(0.3), container(X), precision="single", n_threads=4)
    together = solve_many([[problem]] * 4, gram, solver)
    for (solution,) in together:
        assert solution.coef.tobytes() == alone.coef.tobytes()


def test_kept_rows_are_computed_once():
    X, y = noisy(2000)
    gram = Gram(Gaussian(0.3), X, precision="single")
    problem, solver = svc(y, 1.0).problem, Chunked(chunk_size=128, kernel_rows="kept")
    first = solve(problem, gram, solver)
    before = gram.n_evaluations
    again = solve(problem, gram, solver)
    assert first.trace["keeps_rows"]
    assert again.coef.tobytes() == first.coef.tobytes()
    # what is left are the squares and the certificate
    assert gram.n_evaluations - before < 0.6 * before


@pytest.mark.parametrize("kernel_rows", ["kept", "computed"])
def test_segments_of_class_against_class_serve_the_chunks(kernel_rows):
    X, y = noisy(900)
    cuts = [0, 300, 600, 900]
    rows = np.r_[0:300, 600:900]
    problem = replace(svc(y[rows], 2.0).problem, index=rows)
    gram = Gram(Gaussian(0.3), X, precision="double", segments=cuts)
    solver = Chunked(chunk_size=64, kernel_rows=kernel_rows)
    part = solve(problem, gram, solver, tol=1e-6)
    alone = solve(svc(y[rows], 2.0).problem, Gram(Gaussian(0.3), X[rows]), "smo", tol=1e-6)
    assert part.objective == pytest.approx(alone.objective, rel=1e-8)
    assert certify(problem, gram, part.coef).violation <= 1e-6


@pytest.mark.parametrize("start", [False, True])
def test_variables_that_cannot_move_get_their_gradient_at_the_end(start):
    X, y = noisy(1200)
    held_out = np.arange(len(y)) % 5 == 0
    problem = svc(y, 1.0).problem
    fixed = replace(
        problem,
        lower=np.where(held_out, 0.0, problem.lower),
        upper=np.where(held_out, 0.0, problem.upper),
    )
    gram = Gram(Gaussian(0.3), X, precision="double")
    warm = solve(fixed, gram, "smo", tol=0.1).coef if start else None
    solution = solve(fixed, gram, Chunked(chunk_size=64), start=warm)
    exact = certify(fixed, gram, solution.coef).gradient
    assert np.abs(solution.gradient - exact).max() <= 1e-9


def test_mostly_zero_dense_rows_train_as_sparse_rows_do():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 60)) * (rng.random((4000, 60)) < 0.1)
    y = np.where(X.sum(axis=1) + rng.normal(size=4000) > 0, 1.0, -1.0)
    problem = svc(y, 1.0).problem
    dense = solve(problem, Gram(Gaussian(0.1), X), "chunked")
    sparse = solve(problem, Gram(Gaussian(0.1), sp.csr_array(X)), "chunked")
    assert dense.coef.tobytes() == sparse.coef.tobytes()


@pytest.mark.parametrize("n", [200, 203, 997])
@pytest.mark.parametrize("kernel_rows", ["kept", "whole"])
def test_a_chunk_that_is_not_whole_vectors_of_costly_values(kernel_rows, n):
    """Padding of the first chunk was copied from a chunk before it, which there is not."""
    X, y = noisy(n, d=400)
    problem, gram = svc(y, 1.0).problem, Gram(Gaussian(0.01), X)
    solution = solve(problem, gram, Chunked(kernel_rows=kernel_rows), tol=1e-6)
    assert certify(problem, gram, solution.coef).violation <= 1e-6


def test_progress_during_an_update_tells_a_value_that_was_reached():
    """Polled between a change and its gradient, it told the value of no point."""
    X, y = noisy(3000)
    p, gram = svc(y, 10.0).problem, Gram(Gaussian(0.5), X, precision="double")
    options = _core.ChunkedOptions()
    options.chunk_size, options.keep, options.poll_seconds = 200, 100, 0.0
    options.kernel_rows = _core.RowPolicy.computed
    coef, gradient, told = np.zeros(3000), np.empty(3000), []
    _core.chunked_solve(
        p._native,
        gram.native("double"),
        options,
        coef,
        None,
        gradient,
        monitor(lambda progress: told.append(progress.objective)),
    )
    assert len(told) > 20
    assert (np.diff(told) >= -1e-9 * told[-1]).all()
    assert told[-1] == pytest.approx(certify(p, gram, coef).objective, rel=1e-9)
