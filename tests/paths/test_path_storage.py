"""Every kind of path answers the same after it was saved or pickled."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from mercer import (
    LowRank,
    Path,
    PathSVC,
    kernel_path,
    one_class_path,
    svc_grid,
    svc_path,
    svr_path,
)
from mercer.io import load, save
from mercer.kernels import FunctionKernel

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Z = RNG.normal(size=(15, 3))
y = np.where(X[:, 0] + 0.7 * RNG.normal(size=40) > 0.2, "good", "bad")
z = np.where(Z[:, 0] > 0.2, "good", "bad")
t = X[:, 0] + 0.1 * RNG.normal(size=40)


def product(A: Any, B: Any) -> np.ndarray:
    return np.asarray(A) @ np.asarray(B).T


# name: how it is made, rows it is made of, other rows
Made = tuple[Callable[[], Path], Any, Any]
CLASSIFIERS: dict[str, Made] = {
    "exact": (lambda: svc_path(X, y, C_max=20.0), X, Z),
    "complete": (lambda: svc_path(X, t > 0, C_max=np.inf, gamma=9.0), X, Z),
    "approximate": (lambda: svc_path(X, y, accuracy=0.01, C_max=20.0), X, Z),
    "later": (lambda: svc_path(X, y, C_min=1.0, C_max=20.0), X, Z),
    "artificial": (lambda: svc_path(X, y, start="artificial", C_max=20.0), X, Z),
    "trivial": (lambda: svc_path(0 * X, y), 0 * X, Z),
    "weighted": (lambda: svc_path(X, y, class_weight="balanced", C_max=20.0), X, Z),
    "sparse": (lambda: svc_path(sp.csr_matrix(X), y, C_max=20.0), sp.csr_matrix(X), Z),
    "stored": (
        lambda: svc_path(product(X, X), y, kernel="precomputed", C_max=20.0),
        product(X, X),
        product(Z, X),
    ),
    "function": (
        lambda: svc_path(list(X), y, kernel=FunctionKernel(product), C_max=20.0),
        list(X),
        list(Z),
    ),
    "low rank": (lambda: svc_path(X, y, low_rank=8, C_max=20.0), X, Z),
    "k-means++": (
        lambda: svc_path(X, y, low_rank=LowRank(7, basis="k-means++", random_state=1), C_max=20.0),
        X,
        Z,
    ),
    "two models": (
        lambda: svc_path(X, y, low_rank=LowRank(5, n_models=2, random_state=1), C_max=20.0),
        X,
        Z,
    ),
    "positions": (lambda: svc_path(X, y, low_rank=LowRank(basis=[3, 8, 9]), C_max=20.0), X, Z),
    "rows": (lambda: svc_path(X, y, low_rank=LowRank(basis=Z[:6]), C_max=20.0), X, Z),
    "stored, low rank": (
        lambda: svc_path(product(X, X), y, kernel="precomputed", low_rank=2, C_max=20.0),
        product(X, X),
        product(Z, X),
    ),
}
REGRESSIONS: dict[str, Made] = {
    "regression": (lambda: svr_path(X, t, C_max=20.0), X, Z),
    "regression, low rank": (lambda: svr_path(X, t, low_rank=9, C_max=20.0), X, Z),
}


def through_file(path: Path, folder: FilePath) -> Path:
    save(path, folder / "path.mercer")
    return load(folder / "path.mercer")


def assert_same_answers(a: Path, b: Path, other: Any) -> None:
    assert repr(a) == repr(b)
    assert replace(a.summary(), seconds=0.0) == replace(b.summary(), seconds=0.0)
    assert (a.status, a.start, a.accuracy, a.begin) == (b.status, b.start, b.accuracy, b.begin)
    assert np.array_equal(a.C, b.C)
    assert np.array_equal(a.events, b.events)
    for C in (1.0, 3.3, 20.0):
        assert np.array_equal(a.coef(C), b.coef(C))
        assert np.array_equal(a.free(C), b.free(C))
        assert a.intercept(C) == b.intercept(C)
        assert a.intercept_interval(C) == pytest.approx(b.intercept_interval(C), abs=1e-10)
        assert a.certificate(C).objective == pytest.approx(b.certificate(C).objective)
        values = b.decision_function(other, C)
        assert a.decision_function(other, C) == pytest.approx(values, abs=1e-10)
        assert np.array_equal(a.predict(other, C), b.predict(other, C))
    if a.low_rank is not None:
        assert a.low_rank.trace_error_ == b.low_rank.trace_error_


@pytest.mark.parametrize("name", [*CLASSIFIERS, *REGRESSIONS])
def test_a_saved_path_answers_as_before(name: str, tmp_path: FilePath) -> None:
    make, _, other = (CLASSIFIERS | REGRESSIONS)[name]
    path = make()
    again = through_file(path, tmp_path) if name != "function" else path
    assert_same_answers(again, path, other)
    assert_same_answers(pickle.loads(pickle.dumps(path)), path, other)
    if name in CLASSIFIERS:
        labels = z if path.classes.dtype.kind == "U" else z == "good"
        a, b = again.error(other, labels), path.error(other, labels)
        assert a.x == pytest.approx(b.x)
        assert a.value == pytest.approx(b.value)


@pytest.mark.parametrize("name", ["exact", "approximate", "low rank", "stored"])
def test_a_loaded_path_can_leave_out_rows(name: str, tmp_path: FilePath) -> None:
    path = CLASSIFIERS[name][0]()
    again = through_file(path, tmp_path)
    a, b = again.leave_one_out(C_max=2.0), path.leave_one_out(C_max=2.0)
    assert a.x == pytest.approx(b.x)
    assert a.value == pytest.approx(b.value)


@pytest.mark.parametrize("low_rank", [None, 6])
def test_a_saved_one_class_path_answers_as_before(low_rank: Any, tmp_path: FilePath) -> None:
    path = one_class_path(X, low_rank=low_rank)
    for again in (through_file(path, tmp_path), pickle.loads(pickle.dumps(path))):
        assert repr(again) == repr(path)
        assert np.array_equal(again.nu, path.nu)
        for nu in (0.05, 0.5):
            assert np.array_equal(again.coef(nu), path.coef(nu))
            values = path.decision_function(Z, nu)
            assert again.decision_function(Z, nu) == pytest.approx(values, abs=1e-10)
            assert np.array_equal(again.predict(Z, nu), path.predict(Z, nu))
            assert again.certificate(nu).violation == pytest.approx(
                path.certificate(nu).violation, abs=1e-10
            )


def test_other_results_survive_pickling() -> None:
    grid = svc_grid(X, y, Cs=[0.5, 5.0], gammas=[0.1, 1.0], cv=3)
    again = pickle.loads(pickle.dumps(grid))
    assert np.array_equal(again.score(Z, z), grid.score(Z, z))
    assert again.best == grid.best
    widths = kernel_path(X, y, gamma_min=0.1, gamma_max=1.0)
    assert np.array_equal(
        pickle.loads(pickle.dumps(widths)).predict(Z, 0.3), widths.predict(Z, 0.3)
    )
    machine = PathSVC(C_max=5.0).fit(X, y)
    again = pickle.loads(pickle.dumps(machine))
    assert np.array_equal(again.decision_function(Z, 2.0), machine.decision_function(Z, 2.0))
    assert again.path_.leave_one_out(C_max=1.0).minimum == machine.path_.leave_one_out(
        C_max=1.0
    ).minimum  # fmt: skip


def test_the_path_of_a_pair_of_classes_answers_as_before(tmp_path: FilePath) -> None:
    labels = np.where(X[:, 1] > 0.5, "c", y)
    path = PathSVC(gamma=0.3, C_max=20.0).fit(X, labels).paths_[1]
    again = through_file(path, tmp_path)
    assert_same_answers(again, path, Z)
    assert again.error(Z, z).minimum == path.error(Z, z).minimum


def test_an_infinite_C_is_for_complete_paths() -> None:
    complete = svc_path(X, t > 0, C_max=np.inf, gamma=9.0)
    assert complete.coef(np.inf) == pytest.approx(complete.coef(2.0 * complete.C[-1]))
    trivial = svc_path(0 * X, y)
    assert trivial.end == np.inf
    with pytest.raises(ValueError, match=r"C must be finite: the path is not complete \(trivial\)"):
        trivial.coef(np.inf)
