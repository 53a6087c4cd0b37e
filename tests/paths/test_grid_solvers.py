"""A grid says the same whatever solver goes through it, on any number of threads."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification
from sklearn.model_selection import (
    KFold,
    PredefinedSplit,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
)

from mercer import SVC, Gram, certify, formulations, kernel_path, svc_grid
from mercer.kernels import Gaussian

COSTS, WIDTHS = [0.05, 1.0, 40.0], [0.03, 0.5]
SOLVERS = ["auto", "chunked", "active-set", "smo"]


def sample(n: int = 260) -> tuple[np.ndarray, np.ndarray]:
    """More rows than those for which "auto" takes the active set."""
    return make_classification(n, 5, n_informative=3, flip_y=0.1, weights=[0.6], random_state=1)


def grid_of(X: Any, y: Any, solver: str = "chunked", **options: Any) -> Any:
    return svc_grid(X, y, **{"Cs": COSTS, "gammas": WIDTHS, "solver": solver, **options})


@pytest.mark.parametrize("solver", SOLVERS)
def test_cells_are_fits_of_their_own(solver: str) -> None:
    X, y = sample()
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    grid = grid_of(X, y, solver, sample_weight=weight)
    for (i, j), solution in np.ndenumerate(grid.solutions):
        problem = formulations.svc(2.0 * y - 1.0, COSTS[j], weight).problem
        exact = certify(problem, Gram(Gaussian(WIDTHS[i]), X, precision="double"), solution.coef)
        assert solution.converged
        assert exact.violation <= 1e-3
        assert exact.violation <= solution.violation + 2.0 * solution.error + 1e-12
        machine = SVC(C=COSTS[j], gamma=WIDTHS[i], tol=1e-6).fit(X, y, sample_weight=weight)
        assert solution.objective <= machine.objective_ + 1e-6 * abs(machine.objective_)
        assert machine.objective_ <= solution.objective + exact.gap + 1e-9


SPLITTERS = {
    "k-fold": StratifiedKFold(4),
    "time series": TimeSeriesSplit(3),
    "part of the rest": ShuffleSplit(3, train_size=0.4, test_size=0.3, random_state=0),
    "given folds": PredefinedSplit(np.arange(260) % 4 - 1),
    "more than are solved together": KFold(18, shuffle=True, random_state=0),
}


@pytest.mark.parametrize("name", SPLITTERS)
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_scores_are_those_of_cross_validated_machines(name: str, class_weight: Any) -> None:
    X, y = sample()
    cv, options = SPLITTERS[name], {"class_weight": class_weight}
    grid = grid_of(X, y, cv=cv, tol=1e-5, **options)
    for (i, j), score in np.ndenumerate(grid.scores):
        machine = SVC(C=COSTS[j], gamma=WIDTHS[i], tol=1e-5, **options)
        assert score == pytest.approx(cross_val_score(machine, X, y, cv=cv).mean())


CASES = {
    "dense": lambda X: (X, {}),
    "sparse": lambda X: (sp.csr_matrix(np.where(np.abs(X) > 0.5, X, 0.0)), {}),
    "precomputed": lambda X: (Gaussian(0.3)(X), {"kernel": "precomputed", "gammas": None}),
    "linear": lambda X: (X, {"kernel": "linear", "gammas": None}),
    "far from the origin": lambda X: (X + 1e6, {"kernel": "linear", "gammas": None}),
    "weighted": lambda X: (X, {"sample_weight": np.arange(len(X)) % 3}),
    "ranked": lambda X: (X, {"scoring": "roc_auc"}),
    "little memory": lambda X: (X, {"cache_size": 0.1}),
    "tight": lambda X: (X, {"tol": 1e-7}),
}


@pytest.mark.filterwarnings("ignore:the kernel:UserWarning")
@pytest.mark.parametrize("name", CASES)
def test_solvers_agree(name: str) -> None:
    X, y = sample()
    rows, options = CASES[name](X)
    grids = [
        grid_of(rows, y, solver, **{"cv": 3, "tol": 1e-5, **options})
        for solver in ("chunked", "active-set")
    ]
    a, b = grids
    assert a.scores == pytest.approx(b.scores, abs=1e-4)
    for one, other in zip(a.solutions.flat, b.solutions.flat, strict=True):
        # what a certificate does not recompute is known up to its error
        doubt = sum(0.5 * s.error * np.abs(s.coef).sum() for s in (one, other))
        allowed = max(one.gap, other.gap) + doubt + 1e-9 * abs(one.objective)
        assert abs(one.objective - other.objective) <= allowed
        assert (one.solver, other.solver) == ("chunked", "active-set")


@pytest.mark.parametrize("solver", ["auto", "active-set"])
def test_threads_do_not_change_a_byte(solver: str) -> None:
    X, y = sample(600)
    one, *others = [grid_of(X, y, solver, cv=5, n_threads=n) for n in (1, 2, 3)]
    for other in others:
        assert one.scores.tobytes() == other.scores.tobytes()
        for a, b in zip(one.solutions.flat, other.solutions.flat, strict=True):
            assert a.coef.tobytes() == b.coef.tobytes()
            assert (a.violation, a.gap, a.error) == (b.violation, b.gap, b.error)


def test_rows_without_weight_might_as_well_not_be_there() -> None:
    X, y = sample()
    weight = np.where(np.arange(len(y)) % 4 == 0, 0.0, 1.0)
    used = np.flatnonzero(weight)
    fold = np.arange(len(y)) % 3
    all_rows = grid_of(X, y, cv=PredefinedSplit(fold), sample_weight=weight, tol=1e-5)
    some = grid_of(X[used], y[used], cv=PredefinedSplit(fold[used]), tol=1e-5)
    assert all_rows.scores == pytest.approx(some.scores)


def test_auto_takes_the_active_set_for_few_rows_and_chunks_for_more() -> None:
    X, y = sample()
    names = [
        {s.solver for s in grid_of(X[:n], y[:n], "auto", **options).solutions.flat}
        for n, options in ((100, {}), (260, {}), (260, {"kernel": "linear", "gammas": None}))
    ]
    assert names == [{"active-set"}, {"chunked"}, {"active-set"}]


@pytest.mark.parametrize("n_threads", [1, 2])
def test_a_callback_ends_a_grid_where_it_says_so(n_threads: int) -> None:
    X, y = sample()
    seen: list[Any] = []
    grid = grid_of(
        X, y, cv=3, n_threads=n_threads, callback=lambda p: seen.append(p) or len(seen) == 4
    )
    assert [p.value for p in seen] == [*COSTS, COSTS[0]]
    assert grid.status == "callback"
    assert [s is not None for s in grid.solutions.flat] == [True] * 4 + [False] * 2
    assert np.isfinite(grid.scores[0]).all()
    assert np.isnan(grid.scores[1]).all()


def test_no_time_leaves_the_grid_empty() -> None:
    X, y = sample()
    grid = grid_of(X, y, cv=3, max_time=0.0)
    assert grid.status == "max-time"
    assert set(grid.solutions.flat) == {None}
    assert np.isnan(grid.scores).all()
    assert grid.gamma.tolist() == WIDTHS


def test_an_interrupt_leaves_no_thread_behind() -> None:
    X, y = sample()
    before = threading.active_count()

    def interrupt(progress: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grid_of(X, y, cv=3, n_threads=2, callback=interrupt)
    assert threading.active_count() <= before


def test_what_is_no_solver_is_named() -> None:
    X, y = sample(60)
    with pytest.raises(ValueError, match="solver must be one of"):
        grid_of(X, y, "fastest")
    with pytest.raises(TypeError, match="solver must be one of"):
        svc_grid(X, y, Cs=[1.0], solver=3)  # type: ignore[arg-type]


def test_a_kernel_path_scores_like_machines() -> None:
    X, y = sample()
    cv = StratifiedKFold(3)
    path = kernel_path(X, y, gamma_min=0.05, gamma_max=0.4, cv=cv)
    for gamma, score in zip(path.gamma, path.scores, strict=True):
        wanted = cross_val_score(SVC(gamma=gamma, tol=1e-6), X, y, cv=cv).mean()
        assert score == pytest.approx(wanted, abs=2.0 / len(y))


@pytest.mark.parametrize("solver", ["auto", "active-set", "chunked"])
def test_splits_without_a_free_row_have_the_bias_of_machines(solver: str) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(52) % 2
    X = rng.normal(size=(52, 2))
    X[:, 0] += y
    cv = [(np.arange(26), np.arange(26, 52)), (np.arange(26, 52), np.arange(26))]
    for C in (1e-3, 0.1):
        expected = cross_val_score(SVC(C=C, gamma=0.5), X, y, cv=cv).mean()
        grid = svc_grid(X, y, Cs=[C], gammas=[0.5], cv=cv, solver=solver)
        assert grid.scores[0, 0] == pytest.approx(expected)
        path = kernel_path(X, y, C=C, gamma_min=0.5, gamma_max=0.6, cv=cv)
        assert path.scores[0] == pytest.approx(expected)
