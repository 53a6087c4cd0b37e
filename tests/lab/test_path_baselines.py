"""Earlier algorithms: right in general position, broken where the literature says so."""

from __future__ import annotations

import numpy as np
import pytest

from mercer import svc_path
from mercer.lab import hastie_path, ong_path, random_ridge_path
from paths.path_cases import TOY_LABELS, TOY_ROWS


def gaussian_matrix(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    n = 2 * int(rng.integers(5, 20))
    X, y = rng.normal(size=(n, 3)), np.tile([1.0, -1.0], n // 2)
    X[:, 0] += 0.7 * y
    return np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=-1)), y


def integer_matrix(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 60))
    X = rng.integers(-3, 4, size=(n, 2)).astype(float)
    y = np.where(X[:, 0] + rng.normal(size=n) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X @ X.T, y


@pytest.mark.parametrize("algorithm", [hastie_path, random_ridge_path, ong_path])
def test_in_general_position_it_is_our_path(algorithm: object) -> None:
    tolerance = 1e-3 if algorithm is random_ridge_path else 1e-8
    for seed in range(8):
        K, y = gaussian_matrix(seed)
        ours, theirs = svc_path(K, y, kernel="precomputed"), algorithm(K, y)
        assert theirs.status in ("complete", "C_max")
        for C in np.geomspace(ours.first_event, ours.C[-1], 12):
            assert theirs.coef(C, y) / C == pytest.approx(ours.coef(C) / C, abs=tolerance)


def test_singular_systems_stop_it_where_ours_goes_on() -> None:
    failures = 0
    for seed in range(40):
        K, y = integer_matrix(seed)
        failures += hastie_path(K, y).status in ("singular", "stuck")
        assert svc_path(K, y, kernel="precomputed").status in ("complete", "C_max", "trivial")
    assert failures >= 20


def test_it_skips_a_stretch_of_the_toy_path() -> None:
    path = hastie_path(TOY_ROWS @ TOY_ROWS.T, TOY_LABELS)
    # 1.25 is missing (docs/theory/paths.md#a-toy-problem)
    assert path.parameter == pytest.approx([7.44, 3.75, 1.5, 1.0])
    assert path.status == "complete"


def test_a_random_ridge_removes_singular_systems() -> None:
    for seed in range(8):
        K, y = integer_matrix(seed)
        assert random_ridge_path(K, y, ridge=1e-4, max_events=500).status != "singular"


def test_a_trivial_path_is_recognised() -> None:
    X = np.array([[-1.0], [1.0], [0.0], [-2.0], [2.0]])
    assert hastie_path(X @ X.T, [1, 1, -1, 1, 1]).status == "trivial"


def test_a_linear_program_goes_on_where_hastie_stops() -> None:
    """Singular systems: every value that is left is optimal, and E may hold the whole margin."""
    rescued = restarts = 0
    for seed in range(10):
        K, y = integer_matrix(seed)
        ours, theirs = svc_path(K, y, kernel="precomputed", C_max=1e3), ong_path(K, y)
        assert theirs.status in ("complete", "C_max")
        rescued += hastie_path(K, y).status in ("singular", "stuck")
        restarts += theirs.restarts
        for C in np.geomspace(ours.first_event, 1.0 / theirs.parameter[-1], 8):
            best, found = ours.coef(C), theirs.coef(C, y)
            values = [np.abs(coef).sum() - 0.5 * coef @ K @ coef for coef in (best, found)]
            assert values[1] == pytest.approx(values[0], rel=1e-6)
            assert abs(found.sum()) <= 1e-8 * C
            assert (y * found).min() >= -1e-6 * C
    assert rescued >= 4
    assert restarts < 8 * 10


def test_in_general_position_the_program_is_not_needed() -> None:
    for seed in range(15):
        K, y = gaussian_matrix(seed)
        path = ong_path(K, y)
        assert (path.status, path.restarts) == ("complete", 0)


def test_the_program_finds_every_value_of_the_toy_path() -> None:
    path = ong_path(TOY_ROWS @ TOY_ROWS.T, TOY_LABELS)
    assert np.unique(np.round(path.parameter, 6))[[0, -1]].tolist() == [1.0, 7.44]
    assert path.status == "complete"
