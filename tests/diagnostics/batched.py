"""Thousands of tiny support vector machines at once, plain and independent of the library."""

from __future__ import annotations

import numpy as np

TAU = 1e-12


def random_problems(count, n, seed):
    """Labels, Gaussian or linear kernel matrices and boxes of ``count`` problems of n rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, n, 2))
    X[: count // 10, 1] = X[: count // 10, 0]  # some with repeated rows
    y = rng.choice([-1.0, 1.0], (count, n))
    y[:, 0], y[:, 1] = 1.0, -1.0
    X += 0.7 * y[:, :, None]
    gaussian = np.exp(-0.7 * ((X[:, :, None] - X[:, None]) ** 2).sum(axis=3))
    linear = X @ X.transpose(0, 2, 1) + 0.1 * np.eye(n)
    kind = np.arange(count) % 2 == 0
    K = np.where(kind[:, None, None], gaussian, linear)
    C = 10.0 ** rng.uniform(-1, 1, (count, 1)) * np.ones(n)
    return y, K, C


def leave_each_out(y, K, C):
    """Problem (p, i) is problem p with the box of row i collapsed to zero."""
    count, n = y.shape
    boxes = np.repeat(C[:, None], n, axis=1) * (1.0 - np.eye(n))
    spread = lambda a: np.repeat(a, n, axis=0)  # noqa: E731
    return spread(y), spread(K), boxes.reshape(count * n, n)


def without_bias(y, K, C, tol=1e-7, squared=False):
    """Dual coefficients by coordinate ascent: a_i <- clip(a_i + g_i / Q_ii)."""
    Q = y[:, :, None] * K * y[:, None]
    upper = C.copy()
    if squared:
        with np.errstate(divide="ignore"):
            Q = Q + np.eye(y.shape[1]) * np.where(C > 0, 1 / C, 1.0)[:, None]
        upper = np.where(C > 0, np.inf, 0.0)
    a = np.zeros_like(y)
    alive = np.arange(len(y))
    for _ in range(3000):
        part, q, u = a[alive], Q[alive], upper[alive]
        for i in range(y.shape[1]):
            gradient = 1.0 - np.einsum("pj,pj->p", q[:, i], part)
            part[:, i] = np.clip(part[:, i] + gradient / q[:, i, i], 0.0, u[:, i])
        a[alive] = part
        gradient = 1.0 - np.einsum("pij,pj->pi", q, part)
        violation = np.where(part < u, np.maximum(gradient, 0), 0)
        violation = np.maximum(violation, np.where(part > 0, np.maximum(-gradient, 0), 0))
        alive = alive[violation.max(axis=1) > tol]
        if not len(alive):
            break
    return a


def with_bias(y, K, C, tol=1e-7):
    """Dual coefficients and bias by the most violating pair."""
    rows = np.arange(len(y))
    a, bias, done = np.zeros_like(y), np.zeros(len(y)), np.zeros(len(y), bool)
    alive = rows
    F = y.copy()  # y_i times the gradient of the dual
    for _ in range(20000):
        p = np.arange(len(alive))
        at, yt, Ft, Ct = a[alive], y[alive], F[alive], C[alive]
        up = np.where(yt > 0, at < Ct, at > 0)
        down = np.where(yt > 0, at > 0, at < Ct)
        high, low = np.where(up, Ft, -np.inf), np.where(down, Ft, np.inf)
        i, j = high.argmax(axis=1), low.argmin(axis=1)
        gap = high[p, i] - low[p, j]
        free = up & down
        level = np.where(free, Ft, 0).sum(axis=1) / np.maximum(free.sum(axis=1), 1)
        middle = (high[p, i] + low[p, j]) / 2
        bias[alive] = np.where(free.any(axis=1), level, middle)
        done[alive] = gap <= tol
        go = gap > tol
        alive, i, j, gap = alive[go], i[go], j[go], gap[go]
        if not len(alive):
            break
        k, yi, yj = K[alive], y[alive, i], y[alive, j]
        q = np.arange(len(alive))
        curvature = np.maximum(k[q, i, i] + k[q, j, j] - 2 * k[q, i, j], TAU)
        room_i = np.where(yi > 0, C[alive, i] - a[alive, i], a[alive, i])
        room_j = np.where(yj > 0, a[alive, j], C[alive, j] - a[alive, j])
        step = np.minimum(np.minimum(gap / curvature, room_i), room_j)
        a[alive, i] += yi * step
        a[alive, j] -= yj * step
        for index, room, sign in ((i, room_i, yi), (j, room_j, -yj)):
            bound = np.where(sign > 0, C[alive, index], 0.0)
            hit = step == room
            a[alive[hit], index[hit]] = bound[hit]
        F[alive] -= step[:, None] * (k[q, i] - k[q, j])
    assert done.all()
    return a, bias
