"""Factors in blocks are those of one call, and no call is long."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import LinAlgError

from mercer.solvers.linear_system import blocked_cholesky
from mercer.solvers.linear_system.blocked_cholesky import cholesky, triangular_inverse


@pytest.fixture
def short_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocked_cholesky, "ONE_CALL", 6)
    monkeypatch.setattr(blocked_cholesky, "BLOCK", 5)


def definite(n: int) -> np.ndarray:
    rows = np.random.default_rng(n).normal(size=(n, n))
    return np.asfortranarray(rows @ rows.T + np.eye(n))


@pytest.mark.usefixtures("short_blocks")
@pytest.mark.parametrize("n", [0, 1, 6, 7, 10, 23])
def test_blocks_make_no_difference(n: int) -> None:
    A = definite(n)
    lower = np.linalg.cholesky(A)
    above = np.triu(np.full((n, n), np.nan), 1)
    found = cholesky(np.asfortranarray(np.tril(A) + above))
    np.testing.assert_allclose(found, lower, atol=1e-13)
    inverse = triangular_inverse(found)
    np.testing.assert_allclose(inverse @ lower, np.eye(n), atol=1e-12)
    assert not np.triu(inverse, 1).any()


@pytest.mark.usefixtures("short_blocks")
@pytest.mark.parametrize("n", [3, 17])
def test_a_matrix_that_is_not_definite_is_refused_in_any_block(n: int) -> None:
    A = definite(n)
    A[-1, -1] = -1.0
    with pytest.raises(LinAlgError):
        cholesky(A)


@pytest.mark.usefixtures("short_blocks")
def test_ctrl_c_waits_for_one_block_of_a_factor_only(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    lapack = {name: getattr(blocked_cholesky, name) for name in ("dpotrf", "dtrtri")}
    for name, call in lapack.items():

        def noted(matrix: np.ndarray, _call=call, **options: int) -> tuple[np.ndarray, int]:
            sizes.append(len(matrix))
            return _call(matrix, **options)

        monkeypatch.setattr(blocked_cholesky, name, noted)
    triangular_inverse(cholesky(definite(20)))
    assert sizes == [5] * 8
