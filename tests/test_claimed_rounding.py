"""Bounds of rounding that solutions claim: those of ``certify``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mercer import Gram, Smo, certify, solve, svc_grid
from mercer.formulations import svc
from mercer.kernels import Linear, Polynomial

RNG = np.random.default_rng(0)
BASE = RNG.normal(size=(60, 4))
LABELS = (BASE[:, 0] + 0.5 * RNG.normal(size=60) > 0).astype(int)


@pytest.mark.parametrize("offset", [0.0, 1e3])
def test_solutions_of_a_grid_claimed_no_rounding(offset: float) -> None:
    X = BASE + offset
    grid = svc_grid(X, LABELS, Cs=[0.1, 1.0], kernel="poly", degree=2, gammas=[1e-3])
    sign = np.where(LABELS == 1, 1.0, -1.0)
    gram = Gram(Polynomial(degree=2, gamma=1e-3), X, precision="double")
    for C, solution in zip(grid.C, grid.solutions[0], strict=True):
        expected = certify(svc(sign, float(C)).problem, gram, solution.coef)
        assert solution.rounding == pytest.approx(expected.rounding, rel=1e-6)
        assert 0.0 < solution.rounding <= solution.error


@pytest.mark.parametrize("stopping", ["margin", "violation", "gap", "relative-change"])
def test_every_rule_of_stopping_tells_its_rounding(stopping: Any) -> None:
    problem = svc(np.where(LABELS == 1, 1.0, -1.0), 1.0).problem
    for precision in ("single", "double"):
        gram = Gram(Linear(), BASE, precision=precision)  # type: ignore[arg-type]
        found = solve(problem, gram, Smo(stopping=stopping))
        assert found.rounding == pytest.approx(certify(problem, gram, found.coef).rounding)
        assert 0.0 < found.rounding <= found.error
