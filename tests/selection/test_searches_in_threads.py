"""Searches on threads of their own, which have small heaps: reading past an array ends them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from mercer import TunedSVC


@pytest.mark.parametrize("n", [197, 200])
def test_searches_side_by_side_find_the_same(n: int) -> None:
    """A row of zeros was looked for behind the matrix of blocks of whole vectors."""
    X = np.random.default_rng(0).uniform(-2, 2, size=(n, 2))
    y = (np.hypot(*X.T) > 1.3).astype(int)

    def search(_: int) -> TunedSVC:
        return TunedSVC(cv=2, max_evals=3).fit(X, y)

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(search, range(4)))
    first = search(0)
    assert {machine.best_score_ for machine in found} == {first.best_score_}
    assert all(machine.best_params_ == first.best_params_ for machine in found)
