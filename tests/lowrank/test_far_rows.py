"""Low-rank machines of rows far from the origin: right, or with a warning that they are not."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import LinAlgWarning

from mercer import LSSVC, LSSVR, SVC, LowRank, PathSVC, ReducedSVC, svc_path, svr_path
from mercer.io import load, save
from mercer.kernels import Gaussian, Linear, Polynomial

RNG = np.random.default_rng(0)
# multiples of 2^-10: adding an offset rounds nothing
BASE, OTHER = (np.round(RNG.normal(size=(n, 4)) * 1024) / 1024 for n in (60, 20))
TARGET = BASE[:, 0] + 0.5 * RNG.normal(size=60)
LABELS, THREE = (TARGET > 0).astype(int), np.digitize(TARGET, [-0.5, 0.5])
OFFSETS = [2.0**12, 2.0**20, 2.0**30]


def drawn(method: str, **given: Any) -> LowRank:
    return LowRank(20, method=method, random_state=0, **given)


MACHINES: dict[str, tuple[Callable[[], Any], Any]] = {
    "rectangle": (lambda: LSSVR(kernel="linear", low_rank=drawn("rectangle")), TARGET),
    "subset": (lambda: LSSVR(kernel="linear", low_rank=drawn("subset"), alpha=1.0), TARGET),
    "nystrom": (lambda: LSSVR(kernel="linear", low_rank=drawn("nystrom"), alpha=1.0), TARGET),
    "two models": (
        lambda: LSSVC(kernel="linear", low_rank=drawn("rectangle", n_models=2)),
        LABELS,
    ),
    "reduced": (lambda: ReducedSVC(kernel="linear", low_rank=20, tol=1e-6), LABELS),
    "three classes": (lambda: ReducedSVC(kernel="linear", low_rank=20, tol=1e-6), THREE),
    "reduced nystrom": (
        lambda: ReducedSVC(kernel=2.0 * Linear(), low_rank=drawn("nystrom"), tol=1e-6),
        LABELS,
    ),
    "path": (lambda: PathSVC(kernel="linear", cv=3, C_max=10.0, low_rank=20), LABELS),
}


def values_of(machine: Any, X: Any) -> Any:
    return getattr(machine, "decision_function", machine.predict)(X)


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("name", MACHINES)
def test_a_low_rank_machine_changed_with_the_origin(
    name: str, store: Any, offset: float, tmp_path: Path
) -> None:
    make, y = MACHINES[name]
    near, far = make().fit(BASE, y), make().fit(store(BASE + offset), y)
    Z = store(OTHER + offset)
    found = values_of(far, Z)
    np.testing.assert_allclose(found, values_of(near, OTHER), rtol=0, atol=1e-6 + 3e-15 * offset)
    save(far, tmp_path / "far.mercer")
    for other in (load(tmp_path / "far.mercer"), pickle.loads(pickle.dumps(far))):
        np.testing.assert_array_equal(values_of(other, Z), found)


@pytest.mark.parametrize("basis", ["incomplete-cholesky", "greedy", "k-means++", "leverage"])
def test_landmarks_of_far_rows_are_those_of_near_ones(basis: str) -> None:
    low_rank = LowRank(3, basis=basis, random_state=0)
    # their mean is zero, and so is where they are measured from
    rows = BASE - np.round(BASE.mean(axis=0) * 1024) / 1024
    near, far = (
        ReducedSVC(kernel="linear", low_rank=low_rank).fit(X, LABELS) for X in (rows, rows + 2**20)
    )
    assert set(far.low_rank_.basis_[0]) == set(near.low_rank_.basis_[0])
    assert far.low_rank_.transform(rows + 2**20).shape == (60, 3)


def test_given_landmarks_are_moved_with_the_rows() -> None:
    near, far = (
        ReducedSVC(kernel="linear", tol=1e-6, low_rank=LowRank(basis=BASE[:9] + offset)).fit(
            BASE + offset, LABELS
        )
        for offset in (0.0, 2.0**20)
    )
    found = far.decision_function(OTHER + 2.0**20)
    np.testing.assert_allclose(found, near.decision_function(OTHER), atol=1e-6)


@pytest.mark.parametrize("low_rank", [None, 20])
def test_a_stream_of_far_blocks(low_rank: int | None) -> None:
    machines = [LSSVR(kernel="linear", low_rank=low_rank, alpha=1.0) for _ in range(2)]
    for machine, offset in zip(machines, (0.0, 2.0**30), strict=True):
        for part in (slice(0, 40), slice(40, 60)):
            machine.partial_fit(BASE[part] + offset, TARGET[part])
    found = machines[1].predict(OTHER + 2.0**30)
    np.testing.assert_allclose(found, machines[0].predict(OTHER), rtol=0, atol=1e-5)


@pytest.mark.parametrize("offset", OFFSETS)
def test_a_low_rank_path_of_far_rows_ended_at_once(offset: float, tmp_path: Path) -> None:
    X, Z = BASE + offset, OTHER + offset
    near = svc_path(BASE, LABELS, kernel="linear", C_max=10.0, low_rank=20)
    far = svc_path(X, LABELS, kernel="linear", C_max=10.0, low_rank=20)
    save(far, tmp_path / "far.mercer")
    for path in (far, load(tmp_path / "far.mercer")):
        assert path.status == near.status
        found = path.decision_function(Z, [0.1, 5.0])
        np.testing.assert_allclose(found, near.decision_function(OTHER, [0.1, 5.0]), atol=1e-7)
    regression = [
        svr_path(rows, TARGET, kernel="linear", C_max=1.0, low_rank=20).decision_function(z, 0.5)
        for rows, z in ((BASE, OTHER), (X, Z))
    ]
    np.testing.assert_allclose(*regression, rtol=0, atol=1e-7)


NOT_MOVED: dict[str, Callable[[], Any]] = {
    "no bias": lambda: ReducedSVC(kernel="linear", fit_intercept=False, low_rank=20),
    "a sum": lambda: ReducedSVC(kernel=Linear() + Gaussian(0.5), low_rank=20),
    "a polynomial": lambda: ReducedSVC(kernel=Polynomial(2, 1.0), low_rank=20),
    "least squares": lambda: LSSVC(kernel="linear", fit_intercept=False, low_rank=20),
    "l0": lambda: LSSVC(kernel="linear", sparse="l0", alpha=1.0),
    "proximal": lambda: LSSVC(kernel="linear", penalty="coefficients", alpha=1.0),
    "path": lambda: PathSVC(kernel=Linear() + Gaussian(0.5), low_rank=20, cv=3, C_max=10.0),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("offset", [2.0**21, 2.0**30])
@pytest.mark.parametrize("name", NOT_MOVED)
def test_a_low_rank_machine_was_silent_about_lost_digits(name: str, offset: float) -> None:
    with pytest.warns(LinAlgWarning, match="differ by little|ill-conditioned"):
        NOT_MOVED[name]().fit(BASE + offset, LABELS)


def test_ordinary_rows_and_equal_ones_lose_nothing(recwarn: pytest.WarningsRecorder) -> None:
    for X in (BASE, BASE + 30.0, np.full((60, 4), 2.0**30)):
        ReducedSVC(kernel="linear", fit_intercept=False, low_rank=20).fit(X, LABELS)
        ReducedSVC(low_rank=20).fit(X, LABELS)
    assert not [w for w in recwarn if issubclass(w.category, LinAlgWarning)]


def test_landmarks_of_a_path_have_weight() -> None:
    X = np.vstack([np.full((2, 4), 1e6), BASE])
    y, weight = np.r_[0, 1, LABELS], np.r_[0.0, 0.0, np.ones(60)]
    path = svc_path(X, y, C_max=10.0, gamma=0.1, low_rank=20, sample_weight=weight)
    other = svc_path(BASE, LABELS, C_max=10.0, gamma=0.1, low_rank=20)
    assert path.low_rank.basis_[0].min() >= 2
    found, expected = (p.decision_function(OTHER, 5.0) for p in (path, other))
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_a_pruned_machine_changed_with_the_origin() -> None:
    near, far = (
        LSSVR(kernel="linear", sparse="prune", alpha=1.0).fit(BASE[:20] + offset, TARGET[:20])
        for offset in (0.0, 2.0**30)
    )
    assert np.array_equal(far.support_, near.support_)
    found = far.predict(OTHER + 2.0**30)
    np.testing.assert_allclose(found, near.predict(OTHER), rtol=0, atol=1e-5)


def test_enough_landmarks_make_the_machine_of_all_rows() -> None:
    whole = SVC(kernel="linear", tol=1e-6).fit(BASE + 2.0**30, LABELS)
    few = ReducedSVC(kernel="linear", tol=1e-6, low_rank=20).fit(BASE + 2.0**30, LABELS)
    assert few.objective_ == pytest.approx(whole.objective_, rel=1e-9)
