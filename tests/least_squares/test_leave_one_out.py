"""The factored dual system: the bordered one, and the smoother of all rows."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bordered import bordered
from mercer.kernels import Gaussian
from mercer.least_squares.leave_one_out import LeaveOneOutSystem
from mercer.solvers.linear_system import System


def random_system(seed: int) -> tuple[System, np.ndarray, float]:
    """Any size from one row, repeated rows, weights of any scale."""
    rng = np.random.default_rng(seed)
    n, q = int(rng.integers(1, 12)), int(rng.integers(1, 4))
    rows = rng.normal(size=(n, 3))[rng.integers(n, size=n)]
    weight = rng.choice([0.1, 1.0, 2.0, 30.0], n)
    system = System(rng.normal(size=(n, q)), weight, bool(rng.integers(2)))
    return system, Gaussian(0.5)(rows), float(10.0 ** rng.uniform(-3, 2))


@settings(max_examples=80)
@given(seed=st.integers(0, 10**6), spectral=st.booleans())
def test_reflected_system_is_the_bordered_one(seed, spectral):
    system, K, alpha = random_system(seed)
    factored = LeaveOneOutSystem(system, K.copy(), None if spectral else alpha)
    coef, intercept = factored.solve(alpha)
    expected, bias = bordered(system, K, alpha)
    np.testing.assert_allclose(coef, expected, atol=1e-9 * np.abs(expected).max(initial=1))
    np.testing.assert_allclose(intercept, bias, atol=1e-9)
    fitted, _ = factored.evaluate(np.array([alpha]), slice(0, system.n_rows))
    np.testing.assert_allclose(fitted[0], K @ expected + bias, atol=1e-9)
    smoother = np.column_stack(
        [
            (K @ c + b)[:, 0]
            for c, b in (
                bordered(System(e[:, None], system.weight, system.bias), K, alpha)
                for e in np.eye(system.n_rows)
            )
        ]
    )
    np.testing.assert_allclose(factored.dof(np.array([alpha]))[0], np.trace(smoother), rtol=1e-7)
