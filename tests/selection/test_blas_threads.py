"""Threads of BLAS, which spin for a while after each product that they share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from mercer import TunedSVC
from mercer.selection.results import relevance
from mercer.selection.tuned import base


def test_they_do_not_spin_on_after_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """They took the cores of what came next: small searches had three times their time."""
    seen: list[int] = []

    def watched(*arguments: Any) -> Any:
        seen.extend(own["num_threads"] for own in threadpool_info() if own["user_api"] == "blas")
        return relevance(*arguments)

    monkeypatch.setattr(base, "relevance", watched)
    X = np.random.default_rng(0).normal(size=(60, 2))
    TunedSVC(max_evals=3).fit(X, X[:, 0] > 0)
    assert set(seen) == {1}
