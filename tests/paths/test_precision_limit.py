"""Paths that end where the digits of a double do: what they offer is right up to there."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import Gram
from mercer.kernels import Linear
from mercer.paths import Path, svc_path, svr_path


def almost_singular(seed: int) -> tuple[np.ndarray, np.ndarray, Path]:
    """Rows so close for their Gaussian kernel that its matrix has a handful of digits."""
    rng = np.random.default_rng(seed)
    X = 0.1 * rng.normal(size=(13, 1))
    y = rng.integers(0, 2, 13)
    return X, y, svc_path(X, y, gamma=0.02, C_max=np.inf)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.filterwarnings("ignore:validation ended early")
def test_leave_one_out_on_a_path_at_the_precision_limit_has_no_index_error(seed: int) -> None:
    X, y, path = almost_singular(seed)
    assert path.status == "precision-limit"
    error = path.leave_one_out()
    for C in (100.0, 1e5):
        wrong = []
        for i in range(len(y)):
            fold = svc_path(np.delete(X, i, 0), np.delete(y, i), gamma=0.02, C_max=2 * C)
            wrong.append(fold.predict(X[[i]], C)[0] != y[i])
        assert error(C) == pytest.approx(np.mean(wrong), abs=1e-12)


@pytest.mark.parametrize("seed", [1, 2, 6, 9, 13, 29])
def test_the_machines_up_to_the_precision_limit_are_feasible(seed: int) -> None:
    _, _, path = almost_singular(seed)
    assert path.status == "precision-limit"
    for C in (*path.C, path.end):
        found = path.certificate(C)
        assert found.infeasibility <= 1e-12
        assert found.violation <= found.error + 1e-9
    # what is met at the end is said, up to the rounding of the slopes there
    assert abs(path.violation - found.violation) <= found.error
    assert len(path.events) == path.segments.changes_end[-1]


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("seed", [0, 1, 4])
@pytest.mark.parametrize("C_max", [1e18, np.inf])
def test_a_path_said_C_max_and_had_violations_of_a_million(
    kernel: str, seed: int, C_max: float
) -> None:
    """What is offered is certified up to C_end, or to where nothing happens any more."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3)) * 10.0 ** rng.integers(-3, 4, 3)
    y = (rng.normal(size=40) > 0).astype(int)
    weight = 10.0 ** rng.uniform(-6, 6, 40) if seed % 2 else None
    path = svc_path(X, y, kernel=kernel, C_max=C_max, sample_weight=weight)
    end = min(path.end, 1e15) if path.status != "C_max" else path.C[-1]
    assert path.status in ("complete", "precision-limit") or end < 1e8 * path.first_event
    for C in (*path.C[:: max(len(path.C) // 10, 1)], path.C[-1], end):
        found = path.certificate(C)
        assert found.violation <= 2e-3
        assert found.infeasibility <= 1e-12
    assert path.certificate(end).violation <= 2 * path.violation + 1e-9


def test_a_path_that_does_not_go_far_is_not_shortened() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    path = svc_path(X, y, kernel="linear", C_max=1e5)
    assert path.status == "C_max"
    assert path.end == pytest.approx(1e5)


@pytest.mark.parametrize("offset", [1e5, 1e7, 1e9])
@pytest.mark.parametrize("n_second", [20, 30])
@pytest.mark.parametrize("given", ["gram", "matrix", "targets"])
def test_rows_far_from_the_origin_had_a_trivial_path(
    offset: float, n_second: int, given: str
) -> None:
    """Rounding hid the first breakpoint: that is no constant for every C."""
    rng = np.random.default_rng(0)
    y = (np.arange(60) < n_second).astype(float)
    X = rng.normal(size=(60, 3)) + offset
    X[y == 1, 0] += 1.5
    if given == "gram":
        path = svc_path(Gram(Linear(), X), y)
    elif given == "matrix":
        path = svc_path(X @ X.T, y, kernel="precomputed")
    else:
        path = svr_path(X @ X.T, X[:, 0] - offset, kernel="precomputed")
    assert path.status == ("precision-limit" if offset > 1e6 else path.status) != "trivial"
    for share in (1e-3, 0.1, 1.0):
        assert path.certificate(share * path.end).violation <= 2e-3


def test_rows_that_are_all_the_same_have_a_trivial_path() -> None:
    for value in (1.0, 1e9):
        path = svc_path(np.full((6, 2), value), [0, 0, 1, 1, 1, 1], kernel="linear")
        assert path.status == "trivial"
