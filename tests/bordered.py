"""The least squares system with a bias, solved as it stands."""

from __future__ import annotations

import numpy as np

from mercer.solvers.linear_system import System


def bordered(system: System, K: np.ndarray, alpha: float) -> tuple[np.ndarray, np.ndarray]:
    """[[K + alpha/w, 1], [1', 0]] solved as it stands."""
    n = system.n_rows
    B = np.zeros((n + 1, n + 1))
    B[:n, :n] = K + alpha * np.diag(1 / system.weight)
    B[n, n] = 0.0 if system.bias else 1.0
    if system.bias:
        B[n, :n] = B[:n, n] = 1.0
    right = np.vstack([system.targets, np.zeros((1, system.targets.shape[1]))])
    solved = np.linalg.solve(B, right)
    return solved[:n], solved[n]
