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


def test_the_bias_of_a_nu_svr_path_drifted_where_its_certificate_did_not_look() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 4))
    target = X[:, 0] + 0.3 * rng.normal(size=40)
    for offset in (0.0, 30.0, 100.0, 300.0):
        path = mercer.nu_svr_path(X + offset, target, C=1e3, kernel="linear")
        coef = path.coef(0.4)
        apart = np.abs(target - path.predict(X + offset, 0.4))
        is_free = (np.abs(coef) > 1e-6) & (np.abs(coef) < 1e3 - 1e-6)
        np.testing.assert_allclose(apart[is_free], path.solutions.epsilon_at(0.4), atol=1e-9)
