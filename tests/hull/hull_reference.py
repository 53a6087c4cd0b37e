"""The geometric algorithms as the papers print them, for any type of number, and brute force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reference import minimize_qp

FloatArray = NDArray[np.float64]


@dataclass
class MdmRun:
    """Coefficients (not signed), and the pairs (raised, lowered) in order, as MDM names them."""

    coef: list[Any]
    pairs: list[tuple[int, int]] = field(default_factory=list)
    steps: list[Any] = field(default_factory=list)


def mdm(K: Any, y: Sequence[int], mu: Any, start: Sequence[Any], max_iter: int = 200) -> MdmRun:
    """RCH-MDM (Lopez Lazaro 2011, algorithm 8): the last index wins ties, the negative class too.

    f_i = <w, x_i>; in class c coefficient goes from the largest c f to the smallest.
    """
    n = len(y)
    run = MdmRun(list(start))
    f = [sum(K[i][j] * run.coef[j] * y[j] for j in range(n)) for i in range(n)]
    while len(run.pairs) < max_iter:
        best, pair, sign = 0, None, 1
        for c in (1, -1):
            rise = [i for i in range(n) if y[i] == c and run.coef[i] < mu]
            fall = [i for i in range(n) if y[i] == c and run.coef[i] > 0]
            if not (rise and fall):
                continue
            low = max(rise, key=lambda i: (-c * f[i], i))
            high = max(fall, key=lambda i: (c * f[i], i))
            if c * (f[high] - f[low]) >= best:
                best, pair, sign = c * (f[high] - f[low]), (low, high), c
        if pair is None or best <= 0:
            break
        low, high = pair
        curvature = K[low][low] + K[high][high] - 2 * K[low][high]
        rooms = [run.coef[high], mu - run.coef[low]]
        step = min([best / curvature, *rooms] if curvature > 0 else rooms)
        run.coef[low] += step
        run.coef[high] -= step
        f = [f[i] + step * sign * (K[i][low] - K[i][high]) for i in range(n)]
        run.pairs.append(pair)
        run.steps.append(step)
    return run


@dataclass(frozen=True)
class TaoStep:
    """Where a step of the method of Tao et al. would go, and how far it may."""

    length: float
    objective: float


def tao_step(A: FloatArray, coef: FloatArray, other: FloatArray, mu: float) -> TaoStep:
    """One step towards the extreme point from the worst support vector (algorithm 7).

    With the clip that keeps every coefficient below mu.
    """
    w = coef @ A - other
    f = A @ w
    order = np.argsort(f, kind="stable")
    weights = np.zeros(len(A))
    left = 1.0
    for i in order:
        weights[i] = min(mu, left)
        left -= weights[i]
    support = np.flatnonzero(coef > 0)
    worst = support[np.argmax(f[support])]
    direction = weights.copy()
    direction[worst] -= 1.0
    z = direction @ A
    newton = -(z @ w) / (z @ z)
    falls, grows = direction < 0, direction > 0
    room = min(
        float((coef[falls] / -direction[falls]).min()),
        float(((mu - coef[grows]) / direction[grows]).min()),
    )
    length = max(min(newton, room), 0.0)
    moved = coef + length * direction
    return TaoStep(length, float(0.5 * np.sum((moved @ A - other) ** 2)))


def vertices(caps: FloatArray) -> FloatArray:
    """Coefficients of all extreme points of a reduced hull, by brute force, with repetitions."""
    found = []
    for order in permutations(range(len(caps))):
        coef, left = np.zeros(len(caps)), 1.0
        for i in order:
            coef[i] = min(caps[i], left)
            left -= coef[i]
        found.append(coef)
    return np.unique(np.array(found).round(14), axis=0)


def distance_by_qp(
    A: FloatArray, B: FloatArray, cap_a: FloatArray | None = None, cap_b: FloatArray | None = None
) -> float:
    """Distance of two (reduced) hulls by an interior point method."""
    caps = [
        np.ones(len(A)) if cap_a is None else cap_a,
        np.ones(len(B)) if cap_b is None else cap_b,
    ]
    rows = np.vstack([A - A[0], -(B - A[0])])
    n = len(rows)
    sums = np.zeros((2, n))
    sums[0, : len(A)] = sums[1, len(A) :] = 1.0
    cap = np.concatenate(caps)
    # the variables of differences: |sum_i a_i x_i|^2 = |z|^2 with z = rows' a
    d = rows.shape[1]
    P = np.zeros((n + d, n + d))
    P[n:, n:] = np.eye(d)
    equal = np.block([[sums, np.zeros((2, d))], [rows.T, -np.eye(d)]])
    box = np.block([[np.eye(n), np.zeros((n, d))], [-np.eye(n), np.zeros((n, d))]])
    right = np.concatenate([[1.0, 1.0], np.zeros(d), cap, np.zeros(n)])
    x = minimize_qp(P, np.zeros(n + d), np.vstack([equal, box]), right, n_equal=2 + d)
    return float(np.linalg.norm(x[n:]))


def exact_square(A: Any, B: Any) -> Fraction:
    """The squared distance of two hulls of few points in rational arithmetic, by brute force.

    The nearest point of the differences to the origin is that of the affine hull of some of them,
    with weights that are not negative.
    """
    differences = {
        tuple(Fraction(x) - Fraction(z) for x, z in zip(a, b, strict=True)) for a in A for b in B
    }
    squares = [
        square
        for m in range(1, len(A[0]) + 2)
        for some in combinations(differences, m)
        if (square := _square_within(some)) is not None
    ]
    return min(squares)


def _square_within(points: Sequence[tuple[Fraction, ...]]) -> Fraction | None:
    first, d = points[0], len(points[0])
    edges = [[x - z for x, z in zip(p, first, strict=True)] for p in points[1:]]
    system = [[_dot(u, v) for v in edges] + [-_dot(u, first)] for u in edges]
    weights = _eliminate(system)
    if weights is None or any(w < 0 for w in weights) or sum(weights) > 1:
        return None
    nearest = [
        first[j] + sum(w * e[j] for w, e in zip(weights, edges, strict=True)) for j in range(d)
    ]
    return Fraction(_dot(nearest, nearest))


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return sum(x * z for x, z in zip(a, b, strict=True))


def _eliminate(system: list[list[Fraction]]) -> list[Fraction] | None:
    """The solution of a square system with its right-hand side as last column, if there is one."""
    n = len(system)
    for c in range(n):
        pivot = next((i for i in range(c, n) if system[i][c]), None)
        if pivot is None:
            return None
        system[c], system[pivot] = system[pivot], system[c]
        for i in range(n):
            if i != c and system[i][c]:
                share = system[i][c] / system[c][c]
                system[i] = [x - share * z for x, z in zip(system[i], system[c], strict=True)]
    return [system[i][n] / system[i][i] for i in range(n)]
