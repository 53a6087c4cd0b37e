"""Paths of rows far from the origin."""

from __future__ import annotations

import numpy as np

import mercer


def test_path_svc_predicts_far_rows_as_near_ones() -> None:
    rng = np.random.default_rng(0)
    X = np.round(16 * rng.normal(size=(60, 3))) / 16
    y = (X[:, 0] + 0.3 * rng.normal(size=60) > 0).astype(int)
    near = mercer.PathSVC(kernel="linear", cv=3).fit(X, y)
    far = mercer.PathSVC(kernel="linear", cv=3).fit(X + 2.0**40, y)
    assert far.C_ == near.C_
    for C in (None, 0.5):
        found = far.decision_function(X + 2.0**40, C)
        np.testing.assert_allclose(found, near.decision_function(X, C), atol=1e-12)
