"""The primal problems of machines that learn all classes at once, by a generic solver."""

from __future__ import annotations

import clarabel
import numpy as np
import scipy.sparse as sp

MARGIN = {"weston-watkins": 2.0}


def generic_optimum(
    kind: str, K: np.ndarray, y: np.ndarray, n_classes: int, C: np.ndarray
) -> float:
    """The least value, functions being f_c = L w_c with K = L L'."""
    n, value, vectors = len(y), *np.linalg.eigh(K)
    L = vectors * np.sqrt(np.maximum(value, 0.0))
    rows, classes = np.nonzero(np.arange(n_classes) != y[:, None])
    m = len(rows)
    slack = rows if kind == "crammer-singer" else np.arange(m)
    n_slacks = n if kind == "crammer-singer" else m
    ones = np.ones((n_classes, n_classes))
    regular = np.eye(n_classes)
    if kind == "bredensteiner-bennett":
        # sum over i < j of |w_i - w_j|^2, and sum of |w_i|^2
        regular = (n_classes + 1) * np.eye(n_classes) - ones
    P = sp.block_diag([sp.kron(regular, np.eye(n)), sp.csc_matrix((n_slacks, n_slacks))])
    weight = C if kind == "crammer-singer" else C[rows]
    pick = np.zeros((m, n_classes))
    pick[np.arange(m), classes] = 1.0
    if kind != "lee-lin-wahba":
        pick[np.arange(m), y[rows]] -= 1.0
    margins = (pick[:, :, None] * L[rows][:, None, :]).reshape(m, -1)
    of_slack = sp.csc_matrix((-np.ones(m), (np.arange(m), slack)), shape=(m, n_slacks))
    A = [
        sp.hstack([sp.csc_matrix(margins), of_slack]),
        sp.hstack([sp.csc_matrix((n_slacks, n * n_classes)), -sp.eye(n_slacks)]),
    ]
    b = [np.full(m, -MARGIN.get(kind, 1.0)), np.zeros(n_slacks)]
    cones = [clarabel.NonnegativeConeT(m + n_slacks)]
    if kind == "lee-lin-wahba":
        total = sp.kron(np.ones((1, n_classes)), np.eye(n))
        A.insert(0, sp.hstack([total, sp.csc_matrix((n, n_slacks))]))
        b.insert(0, np.zeros(n))
        cones.insert(0, clarabel.ZeroConeT(n))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    q = np.r_[np.zeros(n * n_classes), weight]
    solver = clarabel.DefaultSolver(
        sp.triu(P).tocsc(), q, sp.vstack(A).tocsc(), np.concatenate(b), cones, settings
    )
    return float(solver.solve().obj_val)
